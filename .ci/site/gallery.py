"""The pages of `satchel report` that the site shows: a pack, a conversation, a squeezed output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TASK = "how does a pack tell what it left out"
PAGES = {
    "pack": (
        "A pack of satchel's own code",
        f'satchel pack "{TASK}" --format json | satchel report pack.html',
    ),
    "conversation": (
        "A conversation with tools, and what a compaction keeps of it",
        "satchel report conversation.html messages.json --window 32k --compact 4k",
    ),
    "output": (
        "A command's output, squeezed",
        "satchel squeeze --format json < changes.txt | satchel report output.html",
    ),
}
READ = ("packing/bundle.py", "packing/pipeline.py", "selecting.py", "packing/bundle.py", "cli/packing/pack.py")


def write_gallery(folder: Path) -> None:
    """Write the pages, with the commands that the list names."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        env = {**os.environ, "SATCHEL_CACHE_DIR": f"{work}/cache", "XDG_STATE_HOME": f"{work}/state"}
        pack = _run(env, "pack", TASK, "--format", "json", "--root", str(ROOT))
        _run(env, "report", str(folder / "pack.html"), "--root", str(ROOT), given=pack)
        messages = Path(work, "messages.json")
        messages.write_text(json.dumps(_conversation()), encoding="utf-8")
        sizes = ("--window", "32k", "--compact", "4k")
        _run(env, "report", str(folder / "conversation.html"), str(messages), *sizes, "--root", work)
        changes = (ROOT / "CHANGELOG.md").read_bytes()
        squeezed = _run(env, "squeeze", "--format", "json", "--budget", "800", given=changes)
        _run(env, "report", str(folder / "output.html"), given=squeezed)


def _run(env: dict[str, str], *words: str, given: bytes = b"") -> bytes:
    command = [sys.executable, "-m", "satchel", *words]
    return subprocess.run(  # noqa: S603 (commands of satchel alone)
        command, input=given, stdout=subprocess.PIPE, env=env, check=True
    ).stdout


def _conversation() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help with the code of satchel."}]
    for number, path in enumerate(READ):
        call = {"name": "read_file", "arguments": json.dumps({"path": f"core/satchel/{path}"})}
        messages += [
            {"role": "user", "content": f"Look at {path}: what does it tell about what was left out?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call-{number}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"call-{number}",
                "content": (ROOT / "core/satchel" / path).read_text(encoding="utf-8"),
            },
            {"role": "assistant", "content": f"{path} has a reason for each item; see its functions."},
        ]
    return messages
