"""Every gap of a shortened output expands to exactly the lines that stood there."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.amounts import examples, is_full, some

from satchel import PointerError, Squeezed, squeeze
from satchel.output import clean_line, matters, shorten_rules
from satchel.pointers import parse
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


@pytest.mark.costly
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


@pytest.mark.weekly
@pytest.mark.costly
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


@pytest.mark.weekly
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


@pytest.mark.weekly
def test_a_line_of_which_pieces_are_shown_is_a_gap(tmp_path: Path) -> None:
    text = ",".join(f'{{"id":{number},"state":"fine"}}' for number in range(4_000))

    squeezed = squeeze(text, exit_code=1, budget=300, store=tmp_path)

    assert [(gap.first, gap.last) for gap in squeezed.gaps] == [(1, 1)]
    assert squeezed.pointer in squeezed.text
    assert "exit code 1" in squeezed.text


LONG_LINES = st.builds(
    lambda records, odd, text: json.dumps(
        [
            {"id": at, "name": f"user{at * 7919}", "note": text, "state": "broken" if at in odd else "fine"}
            for at in range(records)
        ],
        ensure_ascii=False,
    ),
    st.integers(1, 400),
    st.sets(st.integers(0, 400), max_size=3),
    st.sampled_from(["", "grün", "an error: it failed\\t", "x" * 200, "\U0001f600 = done;"]),
)


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    before=st.lists(st.sampled_from(["short", "error: no such host", ""]), max_size=5),
    long=LONG_LINES,
    after=st.lists(st.sampled_from(["done", "FAILED test_a.py::test_b"]), max_size=5),
    budget=st.sampled_from([150, 300, 600, 1_500]),
    command=st.sampled_from(["curl -s host", "make", "cat a.json", ""]),
)
def test_characters_that_are_left_out_of_a_line_expand(
    before: list[str], long: str, after: list[str], budget: int, command: str, tmp_path: Path
) -> None:
    squeezed = squeeze(
        "\n".join([*before, long, *after]), budget=budget, store=tmp_path, command=command, count=guess
    )

    for line in squeezed.text.split("\n"):
        event(f"has a mark: {f'[… {len(before) + 1}@' in line}")
        if f"[… {len(before) + 1}@" in line:
            assert expand_marks(line, squeezed.pointer, tmp_path) == long


def expand_marks(line: str, pointer: str, store: Path) -> str:
    """Return a line with what its marks stand for; one that begins or ends with a mark has a blank there."""
    pieces = re.split(r" ?\[… (\d+@\d+-\d+)\] ?(?=$)| ?\[… (\d+@\d+-\d+)\] ", line)
    archive = open_archive(store)
    texts = pieces[::3]
    marks = [first or second for first, second in zip(pieces[1::3], pieces[2::3], strict=True)]
    gaps = [archive.read(parse(f"{pointer}:{mark}")) for mark in marks]
    return texts[0] + "".join(gap + text for gap, text in zip(gaps, texts[1:], strict=True))


@pytest.mark.weekly
def test_a_line_that_comes_in_several_pieces_is_one(tmp_path: Path) -> None:
    record = '{"id": %d, "name": "user%d", "state": "fine"}'
    line = f"[{', '.join(record % (at, at) for at in range(120_000 if is_full() else 8_000))}]"

    squeezed = squeeze(f"first\n{line}\nlast\n", budget=600, store=tmp_path, count=guess)

    assert squeezed.lines == 3
    assert {gap.last for gap in squeezed.gaps} == {2}
    marks = re.findall(r"\[… (2@\d+-\d+)\]", squeezed.text)
    assert marks
    for mark in some(marks, 3):
        first, last = map(int, mark[2:].split("-"))
        assert open_archive(tmp_path).read(parse(f"{squeezed.pointer}:{mark}")) == line[first - 1 : last]


def test_a_line_that_has_fewer_characters_says_how_many(tmp_path: Path) -> None:
    hash_ = open_archive(tmp_path).put("one\ntwo\n")

    assert open_archive(tmp_path).read(parse(f"blob:{hash_}:2@2-9")) == "wo"
    with pytest.raises(PointerError, match="the line has 3 characters"):
        open_archive(tmp_path).read(parse(f"blob:{hash_}:2@4-9"))


@pytest.mark.parametrize("budget", [200, 300, 600])
def test_code_that_a_compiler_quotes_is_shown_below_its_message(tmp_path: Path, budget: int) -> None:
    report = "".join(
        f"m.cpp:{at}:{at + 40}: error: ‘part_{at * 7919}’ was not declared; did you mean ‘{at}’?\n"
        f"{at:>5} | int run_{at}() {{ std::vector<int> v_{at}; v_{at}.push_back(part_{at * 7919}); }}\n"
        f"      | {' ' * 40}^~~~~~\n      | {' ' * 40}partition_{at}\n"
        for at in range(5, 60)
    )

    shown = squeeze(report, command="g++ m.cpp", exit_code=1, budget=budget, store=tmp_path).text.split("\n")

    quoted = [(above, line) for above, line in itertools.pairwise(shown) if re.match(r"\s+\d+ \| int", line)]
    assert quoted
    assert all(above.startswith(f"m.cpp:{line.split()[0]}:") for above, line in quoted)


def test_lines_that_show_nothing_have_no_mark_however_many_there_are(tmp_path: Path) -> None:
    findings = [
        f"F401 `os.path{at}` is not used\n --> src/part{at}/thing.py:{at + 3}:8\n  |\n"
        f"{at + 3} | import os.path{at}\n  |        ^^^^\n  |\nhelp: Remove unused import: `os.path{at}`\n"
        for at in range(25)
    ]
    last = [
        "F821 Undefined name `Cart`",
        " --> src/order.py:88:16",
        "88 |         return Cart(self)",
        "   |                ^^^^",
    ]
    lines = [*findings, *last[:2], "   |", *last[2:], "   |", "", "Found 26 errors."]

    shown = squeeze("\n".join(lines), command="ruff check", exit_code=1, budget=300, store=tmp_path).text

    assert "\n".join([*last, "Found 26 errors."]) in shown
