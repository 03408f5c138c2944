"""The built-in compressors: their rules for tools, their names, and what a summary holds."""

from __future__ import annotations

import pytest

from satchel.plugin_api import Task
from satchel.testing import contracts
from satchel_plugins.compressors import COMPRESSORS, Delete, HybridCompressor, Mask, Summarize


@pytest.mark.parametrize("compressor", [Delete, HybridCompressor, Mask])
def test_what_shortens_has_rules_for_tools(compressor: type) -> None:
    made = compressor(never_prune=("read",), clear_first=("list",), side_effects=("write",))

    assert (made.never_prune, made.clear_first, made.side_effects) == (("read",), ("list",), ("write",))


def test_each_has_a_name_of_its_own() -> None:
    assert len({one.name for one in COMPRESSORS}) == len(COMPRESSORS) == 5


def test_a_summary_has_a_line_for_each_of_the_newest_steps() -> None:
    exchanges = contracts.exchanges()
    message = Summarize().compress(exchanges, 2_000, contracts.FourLetters(), Task("the login"))

    assert message is not None
    assert message.text.count("\n- ") == len(exchanges)
