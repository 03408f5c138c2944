"""What a session used counts, and without one nothing does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from tests.plugins.scorers.linked import scores, shop

from satchel import Reference, Task
from satchel_plugins.scorers import UsageScorer


@attrs.frozen
class UsedTask(Task):
    """A task of a session."""

    usage: Mapping[str, float] = attrs.field(factory=dict)


def test_without_a_session_nothing_counts(tmp_path: Path) -> None:
    pinned = Task("cart", pins=(Reference("mail.py", "path", path="shop/mail.py"),))
    with shop(tmp_path) as workspace:
        assert set(scores(UsageScorer(), pinned, workspace).values()) == {0.0}


def test_all_parts_of_a_used_item_get_what_its_use_counts(tmp_path: Path) -> None:
    task = UsedTask("cart", usage={"file:shop/prices.py": 0.4})
    with shop(tmp_path) as workspace:
        found = scores(UsageScorer(), task, workspace)

    assert found["price_of"] == found["currency"] == 0.4
    assert found["send"] == 0


def test_a_pinned_file_counts_1_however_long_ago_it_was_used(tmp_path: Path) -> None:
    pin = Reference("mail.py", "path", path="shop/mail.py")
    task = UsedTask("cart", pins=(pin,), usage={"file:shop/mail.py": 0.1})
    with shop(tmp_path) as workspace:
        assert scores(UsageScorer(), task, workspace)["send"] == 1


@pytest.mark.parametrize(("value", "expected"), [(7.0, 1.0), (-1.0, 0.0), (float("nan"), 0.0), (0.5, 0.5)])
def test_numbers_out_of_range_are_brought_into_it(tmp_path: Path, value: float, expected: float) -> None:
    with shop(tmp_path) as workspace:
        found = scores(UsageScorer(), UsedTask("", usage={"file:shop/mail.py": value}), workspace)

    assert found["send"] == expected
