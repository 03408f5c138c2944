"""What ends as the line right above it is shown without the most of that end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import squeeze
from satchel.output import LineFolding
from satchel.output.marks import CUT, cut_repeated_ends

SAID = "AssertionError: assert {'sku-000': 0.0, 'sku-003': 15.0} == {'sku-000': 0.0, 'sku-003': -1.0}"


def shortened(*lines: str) -> dict[int, str]:
    folding = LineFolding()
    folding.feed(lines)
    return cut_repeated_ends(folding.finish().lines)


def test_a_failure_keeps_its_name_and_how_its_end_begins() -> None:
    lines = [f"FAILED tests/test_report.py::test_{name} - {SAID}" for name in ("sums", "taxes", "names")]

    assert shortened(*lines) == {
        1: f"FAILED tests/test_report.py::test_taxes - AssertionError: assert{CUT}",
        2: f"FAILED tests/test_report.py::test_names - AssertionError: assert{CUT}",
    }


@pytest.mark.parametrize(
    "lines",
    [
        (f"FAILED t.py::test_a - {SAID}", "", f"FAILED t.py::test_b - {SAID}"),
        (f"FAILED t.py::test_a - {SAID}", f"FAILED t.py::test_a - {SAID}"),
        ("FAILED t.py::test_a - KeyError: 'sku-906'", "FAILED t.py::test_b - KeyError: 'sku-906'"),
        (f"served a in 3 ms as {SAID[20:]}", f"served b in 3 ms as {SAID[20:]}"),
    ],
    ids=["apart", "the same", "short", "nothing wrong"],
)
def test_other_lines_stay_whole(lines: tuple[str, ...]) -> None:
    assert shortened(*lines) == {}


def test_a_line_of_which_the_end_is_left_out_is_a_gap(tmp_path: Path) -> None:
    failed = [f"FAILED tests/test_report.py::test_{chr(97 + at) * 3} - {SAID}" for at in range(20)]
    dull = [f"tests/test_{at * 7919}.py ......" for at in range(400)]

    squeezed = squeeze("\n".join([*dull, *failed]), command="pytest", exit_code=1, store=tmp_path)

    assert [gap.first for gap in squeezed.gaps if gap.first > 401] == list(range(402, 421))
    assert squeezed.text.count("AssertionError: assert") == 20
    assert squeezed.text.count("-1.0}") == 1


@given(
    st.lists(st.text(alphabet="ab. -:", max_size=90), min_size=2, max_size=2),
    st.text(alphabet="ab. -:", max_size=90),
)
def test_what_is_left_is_how_a_line_begins(heads: list[str], end: str) -> None:
    lines = [f"error: {head} {end}" for head in heads]

    for place, text in shortened(*lines).items():
        assert lines[place].startswith(text.removesuffix(CUT))
        assert len(text) < len(lines[place])
