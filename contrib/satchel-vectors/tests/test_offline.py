from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WATCHED = """
import os, sys

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def watch(event, arguments):
    if event.startswith("socket.") or event in ("os.mkdir", "os.rename", "os.remove", "subprocess.Popen"):
        print("did", event, arguments, flush=True)
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
        print("wrote", arguments[0], flush=True)

sys.addaudithook(watch)
sys.dont_write_bytecode = True
from satchel_vectors.vectors import load

print("made", load().of_words(["dog", "puppy"]).shape)
"""


def run(script: str, home: Path) -> str:
    env = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_vectors_come_without_a_network_and_nothing_is_written(tmp_path: Path) -> None:
    assert run(WATCHED, tmp_path).splitlines() == ["made (2, 256)"]
    assert list(tmp_path.iterdir()) == []


def test_the_code_of_wordllama_is_not_imported(tmp_path: Path) -> None:
    script = "import sys; from satchel_vectors.vectors import load; load(); print('wordllama' in sys.modules)"

    assert run(script, tmp_path).strip() == "False"
