"""Every fuzz target holds for what hypothesis draws, and for each input that once broke it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

from .targets import TARGETS

CRASHES = sorted(path for path in (Path(__file__).parent / "crashes").rglob("*") if path.is_file())
PIECES = st.sampled_from(
    [
        "\n",
        "\0",
        "/",
        "..",
        "//",
        "@@",
        "[",
        "](",
        '"',
        "a/b.py:3",
        "satchel://",
        "File ",
        "#1",
        "**",
        "!",
        "\\",
        "ü",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=20).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)


@pytest.mark.parametrize("crash", CRASHES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_once_failed_does_not_fail_again(crash: Path) -> None:
    TARGETS[crash.parent.name](crash.read_bytes())


@pytest.mark.parametrize("name", sorted(TARGETS))
@given(data=TEXTS | st.binary(max_size=200))
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
def test_a_target_takes_any_bytes(name: str, data: bytes) -> None:
    TARGETS[name](data)
