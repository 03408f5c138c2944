"""Changes between texts: what they say rebuilds the new text, and hostile texts take no time."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.amounts import sized

from satchel.session import LineChange, changes_between, hunks_of, render_unified

LINES = st.lists(st.sampled_from("abcdef"), max_size=30)


def rebuilt(old: list[str], new: list[str], changes: list[LineChange]) -> list[str]:
    """Return the old text with the changes made in it."""
    made, at = [], 0
    for change in changes:
        made += [*old[at : change.before[0]], *new[slice(*change.after)]]
        at = change.before[1]
    return [*made, *old[at:]]


@given(LINES, LINES)
def test_changes_make_the_new_text_of_the_old_one(old: list[str], new: list[str]) -> None:
    assert rebuilt(old, new, changes_between(old, new)) == new


@given(LINES)
def test_a_text_has_no_change_against_itself(lines: list[str]) -> None:
    assert changes_between(lines, lines) == []


@given(LINES, st.integers(0, 29), st.sampled_from("xyz"))
def test_one_new_line_is_one_change_of_one_line(lines: list[str], at: int, line: str) -> None:
    new = [*lines[:at], line, *lines[at:]]

    changes = changes_between(lines, new)

    assert [change.lines for change in changes] == [1]


@given(LINES, LINES)
def test_hunks_hold_every_change_once_and_do_not_overlap(old: list[str], new: list[str]) -> None:
    changes = changes_between(old, new)

    hunks = hunks_of(changes, (len(old), len(new)))

    assert [change for hunk in hunks for change in hunk.changes] == changes
    assert all(one.before[1] <= other.before[0] for one, other in pairwise(hunks))


def test_a_hunk_is_written_as_diff_writes_it() -> None:
    old, new = list("abcdefgh"), list("abcDefgh")
    hunks = hunks_of(changes_between(old, new), (8, 8))

    assert render_unified(old, new, hunks) == "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n"


def test_an_added_file_is_one_hunk_from_line_0() -> None:
    hunks = hunks_of(changes_between([], ["a"]), (0, 1))

    assert render_unified([], ["a"], hunks) == "@@ -0,0 +1,1 @@\n+a\n"


def test_texts_with_little_in_common_take_no_time() -> None:
    many = sized(60_000)
    begun = time.process_time()

    changes_between([str(at % 7) for at in range(many)], [str(at % 11) for at in range(many)])
    changes_between(["x"] * many, ["x", "y"] * (many // 2))
    changes_between(*([f"{side}{at if at % 2 else side}" for at in range(many)] for side in "ab"))
    changes_between(*([f"{at}" if at % 2 else f"{side}{at}" for at in range(many)] for side in "ab"))

    assert time.process_time() - begun < 5
