"""What a process loads before it does any work: no module that this run has no use for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import ContextItem
from satchel_plugins.representers import REPRESENTERS

SCRIPT = """
import json, os, sys
from satchel.__main__ import main
sys.argv[0] = "satchel"
code = main()
with open(os.environ["LOADED"], "w") as file:
    json.dump(sorted(sys.modules), file)
sys.exit(code)
"""
MOST_OF_A_PACK = 198
"""Own modules that a pack of one file loads with an index; it was 246 when hooks imported every class."""
NOT_FOR_A_FILE = (
    "satchel_plugins.representers.outputs",
    "satchel_plugins.scorers.dialogue",
    "satchel_plugins.providers.packages.ecosystems",
    "satchel_plugins.providers.reports.failures",
    "satchel_plugins.providers.git.changes",
    "satchel_plugins.tokenizers.tiktoken_",
    "satchel_plugins.compressors",
    "satchel_plugins.gpus",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.py").write_text("def login(): ...\n")
    return tmp_path / "one"


def loaded_by(folder: Path, *words: str, stdin: str = "") -> set[str]:
    """Return the modules of a process that has run a command."""
    place = folder.parent / "loaded.json"
    environment = os.environ | {"LOADED": str(place), "SATCHEL_CACHE_DIR": str(folder.parent / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        env=environment, cwd=folder, input=stdin, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(json.loads(place.read_text()))


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] in ("satchel", "satchel_plugins")}


@pytest.mark.weekly
def test_a_pack_of_one_file_loads_few_modules_and_none_that_sizes_models(folder: Path) -> None:
    for_a_model = loaded_by(folder, "pack", "how does the login work", "--model", "gpt-4o")
    loaded = loaded_by(folder, "pack", "where is the logout")

    assert len(own(loaded)) <= MOST_OF_A_PACK
    assert [name for name in NOT_FOR_A_FILE if name in loaded] == []
    heavy = ("subprocess", "tomllib", "toktok", "tree_sitter", "importlib.metadata", "email", "socket")
    assert [name for name in heavy if name in loaded] == []
    assert [name for name in for_a_model if name.startswith("satchel.sizing.")] == []


@pytest.mark.weekly
def test_a_conversation_is_cut_without_what_packs_and_what_reads_outputs(folder: Path) -> None:
    messages = json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}])
    loaded = loaded_by(folder, "compact", "--budget", "4000", stdin=messages)

    assert "satchel_plugins.scorers.dialogue" in loaded
    for kind in ("providers", "representers", "gpus"):
        assert [name for name in loaded if name.startswith(f"satchel_plugins.{kind}.")] == []


def test_few_words_are_squeezed_without_a_plugin(folder: Path) -> None:
    loaded = loaded_by(folder, "squeeze", stdin="hello world\n")

    assert [name for name in loaded if name.startswith("satchel_plugins.")] == []


@pytest.mark.parametrize("later", [one for one in REPRESENTERS if one.kinds], ids=lambda one: one.name)
@pytest.mark.parametrize("path", ["", "a.py", "a.json", "build.log", "package-lock.json"])
def test_a_representer_of_some_kinds_claims_no_item_of_another(later: object, path: str) -> None:
    kinds = {"file", "document", "error", "output", "diff", "dependency"} - later.kinds  # type: ignore[attr-defined]
    made = later.load()()  # type: ignore[attr-defined]
    text = '{"a": 1}\nerror: FAILED tests\n'

    claims = [made.claims(ContextItem("x", "p", kind, path, path, text=text)) for kind in kinds]

    assert set(claims) == {0.0}


@pytest.mark.parametrize("words", [["--version"], ["pack", "--help"]])
def test_no_module_of_the_current_folder_is_imported(tmp_path: Path, words: list[str]) -> None:
    for name in ("__future__", "json", "re", "typing", "attrs", "pluggy"):
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit('a module of the folder ran')\n", encoding="utf-8"
        )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}

    ran = subprocess.run(
        [sys.executable, "-m", "satchel", *words],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
