"""Every gap of a shortened output expands to exactly the lines that stood there."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from satchel import squeeze
from satchel.archive import Archive

WORDS = [
    "error:",
    "warning",
    "FAILED",
    "ok",
    "src/app.py:12",
    "compiling",
    "done",
    "é",
    "0x1f",
    "x" * 300,
    "\t",
    "",
]


def output(seed: int) -> str:
    """Return lines of all kinds: alike, distinct, blank, endless, with frames and colours."""
    dice = random.Random(seed)
    ends = ["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\x1b[0m\n"]
    kinds = [
        lambda: " ".join(dice.choices(WORDS, k=dice.randint(0, 8))),
        lambda: f"step {dice.randrange(999)} of 999",
        lambda: f"10%\r50%\rerror at {dice.random()}",
        lambda: ",".join(f'{{"id":{number}}}' for number in range(dice.randint(1, 400))),
    ]
    lines = [dice.choice(kinds)() + dice.choice(ends) for _ in range(dice.randint(1, 500))]
    return "".join(lines)[: dice.choice([None, -1])]


@pytest.mark.parametrize("seed", range(40))
def test_expanding_a_gap_gives_its_lines_back(seed: int, tmp_path: Path) -> None:
    text = output(seed)
    lines = re.findall(r"[^\n]*\n|[^\n]+$", text)

    squeezed = squeeze(text, budget=random.Random(seed).choice([120, 600, 3_000]), store=tmp_path)

    archive, hash_ = Archive.usual(tmp_path), squeezed.pointer.removeprefix("blob:")
    for gap in squeezed.gaps:
        assert archive.lines(hash_, gap.first, gap.last) == "".join(lines[gap.first - 1 : gap.last])


def test_a_line_of_which_pieces_are_shown_is_a_gap(tmp_path: Path) -> None:
    text = ",".join(f'{{"id":{number},"state":"fine"}}' for number in range(4_000))

    squeezed = squeeze(text, exit_code=1, budget=300, store=tmp_path)

    assert [(gap.first, gap.last) for gap in squeezed.gaps] == [(1, 1)]
    assert squeezed.pointer in squeezed.text
    assert "exit code 1" in squeezed.text
