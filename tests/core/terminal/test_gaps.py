"""Every gap of a shortened output expands to exactly the lines that stood there."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.amounts import some

from satchel import Squeezed, squeeze
from satchel.output import clean_line, matters, shorten_rules
from satchel.redaction import redact
from satchel.shared_archive import open_archive
from satchel.tokens import guess

SECRET = "ghp_R4nd0mT0k3nVaLu3ThatIsLongEnough12345"
WORDS = [
    b"error:",
    b"warning",
    b"FAILED",
    b"ok",
    b"src/app.py:12",
    b"compiling",
    b"done",
    "é".encode(),
    b"0x1f",
    b"x" * 300,
    b"\t",
    b"",
    b"\xff\xfe",
    b"\x00",
    b"\x1b[31m",
    f"token={SECRET}".encode(),
    b"=" * 40,
]
ENDS = [b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b"\x1b[0m\n"]
BUDGETS = (20, 60, 120, 121, 300, 600, 3_000)


def output(seed: int) -> bytes:
    """Return lines of all kinds: alike, distinct, blank, endless, with frames, colours, secrets, junk."""
    dice = random.Random(seed)
    kinds = [
        lambda: b" ".join(dice.choices(WORDS, k=dice.randint(0, 8))),
        lambda: b"step %d of 999" % dice.randrange(999),
        lambda: b"10%%\r50%%\rerror at %d" % dice.randrange(10**9),
        lambda: b",".join(b'{"id":%d}' % number for number in range(dice.randint(1, 400))),
    ]
    lines = [dice.choice(kinds)() + dice.choice(ENDS) for _ in range(dice.randint(1, 200))]
    return b"".join(lines)[: dice.choice([None, -1])]


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+$", text)


def without_marks(text: str) -> list[str]:
    """Return the lines of a shortened text as they stand in the output, but for rules."""
    return [shorten_rules(re.sub(r" \[x\d+\]$", "", line)) for line in text.split("\n")]


def left(squeezed: Squeezed, lines: Iterable[str]) -> list[str]:
    """Return the lines that stand in no gap, cleaned."""
    hidden = {number for gap in squeezed.gaps for number in range(gap.first, gap.last + 1)}
    numbered = enumerate(lines, start=1)
    return [
        shorten_rules(clean_line(line.rstrip("\n"), matters))
        for number, line in numbered
        if number not in hidden
    ]


@pytest.mark.parametrize("seed", range(60))
def test_what_is_shown_and_what_gaps_expand_to_is_the_whole_output(seed: int, tmp_path: Path) -> None:
    content = output(seed)
    lines = lines_of(redact(content.decode("utf-8", "replace")).text)

    squeezed = squeeze(content, budget=BUDGETS[seed % len(BUDGETS)], store=tmp_path, count=guess)

    archive, hash_ = open_archive(tmp_path), squeezed.pointer.removeprefix("blob:")
    for gap in squeezed.gaps:
        assert archive.lines(hash_, gap.first, gap.last) == "".join(lines[gap.first - 1 : gap.last])
    shown = iter(without_marks(squeezed.text))
    assert [line for line in left(squeezed, lines) if line not in shown] == []
    assert SECRET not in squeezed.text


@pytest.mark.parametrize("budget", [160, 300, 600, 3_000])
def test_the_numbers_in_a_mark_are_what_expands_it(budget: int, tmp_path: Path) -> None:
    lines = [
        f"error {number * 7919} in {chr(97 + number % 26) * (number % 5 + 1)}\n" for number in range(900)
    ]
    text = "".join(lines)

    shown = squeeze(text, budget=budget, store=tmp_path, count=guess).text

    hash_ = re.findall(r"expand blob:([0-9a-f]+):A-B\]$", shown)[0]
    marks = re.findall(r"^\[… lines? (\d+)(?:-(\d+))?\]$", shown, re.MULTILINE)
    gaps = [open_archive(tmp_path).lines(hash_, int(first), int(last or first)) for first, last in marks]
    assert sum(gap.count("\n") for gap in gaps) + len(re.findall("^error", shown, re.MULTILINE)) == 900
    assert all(gap in text for gap in gaps)


def test_the_shortest_marks_tell_how_many_lines_are_left_out(tmp_path: Path) -> None:
    text = "".join(f"error {number * 7919} in {chr(97 + number % 26) * 3}\n" for number in range(900))

    shown = [squeeze(text, budget=size, store=tmp_path, count=guess).text for size in some(range(28, 60), 4)]

    short = [one for one in shown if re.search(r"expand blob:[0-9a-f]+\]$", one)]
    assert short
    for one in short:
        sizes = map(int, re.findall(r"^\[… (\d+) lines?\]$", one, re.MULTILINE))
        assert sum(sizes) + len(re.findall("^error", one, re.MULTILINE)) == 900


def test_where_nothing_fits_the_whole_is_a_gap(tmp_path: Path) -> None:
    squeezed = squeeze("several words in a line\n" * 9, budget=1, store=tmp_path)

    assert (squeezed.text, squeezed.lines) == ("", 9)
    assert [(gap.first, gap.last) for gap in squeezed.gaps] == [(1, 9)]
    assert open_archive(tmp_path).get(squeezed.pointer.removeprefix("blob:")).count("\n") == 9


def test_a_line_of_which_pieces_are_shown_is_a_gap(tmp_path: Path) -> None:
    text = ",".join(f'{{"id":{number},"state":"fine"}}' for number in range(4_000))

    squeezed = squeeze(text, exit_code=1, budget=300, store=tmp_path)

    assert [(gap.first, gap.last) for gap in squeezed.gaps] == [(1, 1)]
    assert squeezed.pointer in squeezed.text
    assert "exit code 1" in squeezed.text
