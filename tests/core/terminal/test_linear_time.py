"""Twice the output takes about twice the time, whatever somebody made it of."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.amounts import sized

from satchel import squeeze
from satchel.output import judge
from satchel.output.templates import code, file_names, template
from satchel.output.trees import find_branches

LETTERS = "ghijklmnopqrstuvwxyz"
UNITS = [
    *("a-", "a_", "A-1", "aB", "AAAA", "1.1.1.", "@@@@", "a@1"),
    *("._", "--a", "a/", "a.b.c/", "x1", "1,", "错", "é", "-error", "a/error"),
    *("0 errors ", "no ", "exit code ", "status=", "a.rb:1 ", "[a-a]", '"', "e\u0301", "error "),
]


def _word(at: int) -> bytes:
    return "".join(LETTERS[at // 20**place % 20] for place in range(5)).encode()


def _lines(unit: str, size: int) -> bytes:
    body = (unit * 1_100)[:1_100].encode()
    return b"\n".join(_word(at) + b" " + body for at in range(size // 1_106))


SHAPES: dict[str, Callable[[int], bytes]] = {
    "one line": lambda size: b"error: x " * (size // 9),
    "line feeds": lambda size: b"\n" * size,
    "carriage returns": lambda size: b"\r" * size,
    "frames": lambda size: b"\r".join(b"error %d left" % at for at in range(size // 14)),
    "escapes": lambda size: b"\x1b" * size,
    "open sequences": lambda size: b"\x1b]" * (size // 2),
    "backspaces": lambda size: b"a\b" * (size // 2),
    "brackets": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "deep json": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "elements": lambda size: b"<a>" * (size // 7) + b"</a>" * (size // 7),
    "huge row": lambda size: b"a,b\n" + b",".join(b'"v%d x"' % at for at in range(size // 9)),
    "combining marks": lambda size: ("e" + "\u0301" * (size // 2)).encode(),
    "no characters": lambda size: b"\xff" * size,
    "indents": lambda size: b"\n".join(b" " * (at % 999) + b"x" for at in range(size // 500)),
    "key begins": lambda size: b"-----BEGIN PRIVATE KEY-----" * (size // 27),
    "distinct errors": lambda size: b"\n".join(b"error: %s" % _word(at) * 3 for at in range(size // 40)),
    "distinct lines": lambda size: b"\n".join(_word(at) for at in range(size // 6)),
    **{f"lines of {unit}": partial(_lines, unit) for unit in UNITS[:8]},
}


def _seconds(work: Callable[[], object], *, times: int) -> float:
    """Return the least CPU time of some runs: noise only adds."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(times))


@pytest.mark.parametrize("unit", UNITS)
def test_judging_a_line_takes_time_as_its_length(unit: str) -> None:
    short, long = (f"error, not {(unit * 2_000)[:size]}!" for size in (489, 1_989))

    ratio = _seconds(lambda: judge(long), times=7) / _seconds(lambda: judge(short), times=7)

    assert ratio < 10


@pytest.mark.parametrize("unit", UNITS)
def test_masking_a_line_takes_time_as_its_length(unit: str) -> None:
    def mask(line: str) -> None:
        template(line)
        code(line)
        file_names(line)

    short, long = ((unit * 600)[:size] + "!" for size in (150, 600))

    ratio = _seconds(lambda: mask(long), times=9) / _seconds(lambda: mask(short), times=9)

    assert ratio < 10


@pytest.mark.parametrize("unit", [" ", "| ", "│   ", "|"])
def test_reading_a_drawn_tree_takes_time_as_its_lines(unit: str) -> None:
    assert _seconds(lambda: find_branches([unit * 4_000] * 100), times=1) < 1


@pytest.mark.costly
@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_output_takes_twice_the_time(name: str, tmp_path: Path) -> None:
    size = sized(80_000 if "lines" in name or "errors" in name else 500_000)
    half, whole = SHAPES[name](size), SHAPES[name](2 * size)

    less = _seconds(lambda: squeeze(half, store=tmp_path), times=2)
    more = _seconds(lambda: squeeze(whole, store=tmp_path), times=1)

    assert more < 3 * less + 0.2


@pytest.mark.parametrize("command", ["ssh " + "-p " * 90, "sudo " + "-u " * 90, "docker exec " + "-e " * 90])
def test_a_command_behind_many_options_is_read_at_once(command: str, tmp_path: Path) -> None:
    started = time.process_time()

    squeeze(b"one\ntwo\n", command=f"{command}!", store=tmp_path)

    assert time.process_time() - started < 2
