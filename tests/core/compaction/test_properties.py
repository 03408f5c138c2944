"""Ten properties of a compacted conversation hold for generated ones; `properties.py` checks thousands."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.amounts import examples
from tests.core.conversation.drawn import documents
from tests.core.formats import read

from satchel import BudgetError, compact
from satchel.conversation import flaws_of

from .properties import FORMS, Kept, conversation, faults

COMPRESSORS = st.sampled_from(["hybrid", "mask", "delete", "summarize", "truncate"])


@pytest.fixture(scope="module")
def kept() -> Kept:
    return Kept()


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 10**6),
    form=st.sampled_from(FORMS),
    share=st.sampled_from([0.02, 0.1, 0.3, 0.6, 1.0, 1.5]),
    compressor=COMPRESSORS,
)
@example(seed=10546, form="responses", share=0.6, compressor="truncate")  # the first choice was nothing
@example(seed=26, form="anthropic", share=1.0, compressor="summarize")  # joined, it costs more than it did
def test_a_window_keeps_all_promises(
    seed: int, form: str, share: float, compressor: str, kept: Kept, tmp_path: Path
) -> None:
    document = conversation(random.Random(seed), form)

    assert faults(form, document, share, kept, tmp_path, compressor=compressor) == []


@settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn=documents(), budget=st.integers(1, 300), compressor=COMPRESSORS)
def test_a_broken_history_is_repaired_or_refused_in_one_line(
    drawn: tuple[str, Any], budget: int, compressor: str, kept: Kept, tmp_path: Path
) -> None:
    form, document = drawn
    try:
        window = compact(
            document, budget=budget, format=form, compressor=compressor, host=kept.host, store=tmp_path
        )
    except BudgetError as error:
        told = str(error)
        window = None

    if window is None:
        assert "\n" not in told
        return
    assert window.tokens <= budget
    assert flaws_of(read(json.loads(json.dumps(window.messages)), form)) == []
