"""The core of a line says what the line says, in pieces of it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.output.marks import CUT, core


@pytest.mark.parametrize(
    ("line", "short"),
    [
        (
            "2026-05-01T01:02:43.220Z ERROR billing[41] charge 88 failed",
            "…ERROR billing[41] charge 88 failed",
        ),
        ("Mar 11 11:11:17 node7 kernel: Out of memory", "…kernel: Out of memory"),
        (
            '  File "/srv/app/billing/charge.py", line 212, in run',
            'File "…billing/charge.py", line 212, in run',
        ),
        ("    at exports.run (/home/dev/proj/nodeerr/lib/q.js:4:151)", "at exports.run (…lib/q.js:4:151)"),
        ("=== 5 failed, 2995 passed, 1 xfailed in 7.87s ===", "5 failed, 2995 passed, 1 xfailed…"),
        ("____ ERROR collecting tests/test_b.py ____", "ERROR collecting tests/test_b.py"),
        ("t.py::test_render FAILED                       [ 50%]", "t.py::test_render FAILED…"),
        ("see https://index.example/en/latest/topics/a.html#b", "see https://index.example/…a.html#b"),
        ("No daemon at unix:///run/d.sock. Is the daemon running?", "No daemon at unix:///run/d.sock.…"),
        ("Tax.cs(4): error: no such name [C:\\src\\Tax.csproj]", "Tax.cs(4): error: no such name…"),
    ],
)
def test_what_says_the_least_is_cut(line: str, short: str) -> None:
    assert core(line) == short


@pytest.mark.parametrize(
    "line",
    [
        "error: 3 tests failed",
        "        - 28,",
        "timed out after 30000ms.",
        "src/a.c:5: warning: unused variable ‘c’ [-Wunused-variable]",
        "2 passed, 0 failed",
        "x" * 5_000,
        "",
    ],
)
def test_a_line_without_ballast_has_no_core(line: str) -> None:
    assert core(line) == ""


@given(st.text(alphabet="ab/:. 0123456789-=[]()TZ,%\\\t", max_size=200))
def test_a_core_is_made_of_pieces_of_its_line_in_order(line: str) -> None:
    at = 0
    for piece in filter(None, core(line).split(CUT)):
        at = line.find(piece, at)
        assert at >= 0
        at += len(piece)


@pytest.mark.parametrize("unit", ["/a", "=", " [ 5%]", "http://a/b/", ", 0 todo", " Try", "in 1s ", "("])
def test_a_core_takes_no_time(unit: str) -> None:
    line = unit * (1_199 // len(unit))
    start = time.process_time()

    for _ in range(200):
        core(line)

    assert time.process_time() - start < 2
