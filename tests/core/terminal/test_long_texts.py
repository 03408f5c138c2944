"""Of a text that is too long to be shown, work is done for what may be shown and not for each line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import squeeze
from satchel.output.families import DATA, MATCHES
from satchel.output.structure import find_places
from satchel.questions.aims import judge_path

LINES = (
    "src/a.py",
    "tests/test_a.py",
    "12:def a():",
    "13-",
    "14-    b",
    "src/a.py:3:x",
    "",
    '{"type":"begin"}',
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


@given(st.lists(st.sampled_from(LINES), max_size=12).map(lambda lines: [*lines, "7:x"]), st.data())
def test_a_match_has_the_same_place_whatever_else_may_be_shown(
    lines: Sequence[str], data: st.DataObject
) -> None:
    kept = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1)))
    whole, part = find_places(MATCHES, lines), find_places(MATCHES, lines, kept)
    read = {one for at in kept for one in (at, *whole[at].needed)}
    assert [part[at] for at in read] == [whole[at] for at in read]


def test_few_of_many_files_with_matches_are_looked_at() -> None:
    files = [f"src/part{at % 7}/module_{at}.py" for at in range(20_000)]
    before = judge_path.cache_info().misses
    shown = squeeze("".join(f"{file}:1:    timeout = {at}\n" for at, file in enumerate(files)), budget=1_000)
    assert "more files with" in shown.text
    assert judge_path.cache_info().misses - before < 10_000


@pytest.mark.parametrize("odd", [{"level": "fatal"}, {"reason": "disk full"}])
def test_the_odd_record_stands_out_whatever_else_differs_in_each(odd: dict[str, str]) -> None:
    records = [{"id": at, "level": "info", "user": {"name": f"u{at}"}} for at in range(3_000)]
    lines = [json.dumps({**record, **(odd if at == 2_345 else {})}) for at, record in enumerate(records)]
    worths = [place.worth for place in find_places(DATA, lines)]
    assert worths[2_345] > max(worths[1:2_345])
