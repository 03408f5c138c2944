"""Pictures in the pages are what the commands print: `python tests/docs/test_pictures.py` makes them again.

A picture is a block of text after `<!-- made by: COMMAND -->`. The command runs where its files are, in
tests/data/windows, at a width of 100.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests" / "data" / "windows"
_PICTURE = re.compile(r"(<!-- made by: (.+?) -->\n```text\n)(.*?)(```\n)", re.DOTALL)
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md")
    if _PICTURE.search(page.read_text(encoding="utf-8"))
)


def draw(command: str) -> str:
    """Return what a command prints, without spaces at the ends of lines."""
    name, *words = shlex.split(command)
    assert name == "satchel"
    with tempfile.TemporaryDirectory() as own:
        env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
        cache = os.environ.get("SATCHEL_CACHE_DIR", f"{own}/cache")  # of a test, it has the vocabulary
        env |= {"SATCHEL_CACHE_DIR": cache, "SATCHEL_STATE_DIR": f"{own}/state"}
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *words],
            cwd=FILES, env=env, capture_output=True, text=True, encoding="utf-8", check=True,
        )  # fmt: skip
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def redraw(text: str) -> str:
    """Return a page with all pictures made again."""
    return _PICTURE.sub(lambda found: f"{found[1]}{draw(found[2])}{found[4]}", text)


@pytest.mark.weekly
@pytest.mark.parametrize("page", PAGES)
def test_pictures_are_what_the_commands_print(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    assert redraw(text) == text, f"run python {Path(__file__).relative_to(ROOT)}"


def test_there_are_pictures() -> None:
    assert "docs/how-to/see-a-window.md" in PAGES


if __name__ == "__main__":
    for name in PAGES:
        place = ROOT / name
        place.write_text(redraw(place.read_text(encoding="utf-8")), encoding="utf-8")
