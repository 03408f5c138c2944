from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel_plugins.providers.toolchain.needs import numbers, satisfies


@pytest.mark.parametrize(
    ("version", "wanted", "answer"),
    [
        ("3.11.7", ">=3.11", True),
        ("3.10.4", ">=3.11", False),
        ("3.12.0", ">=3.11,<3.12", False),
        ("20.11.1", "^18 || ^20", True),
        ("19.0.0", "^18 || ^20", False),
        ("20.11.1", ">= 18", True),
        ("20.11.1", "20.x", True),
        ("21.0.0", "20.x", False),
        ("20.11.1", "v20", True),
        ("8.2.1", "^8.1", True),
        ("9.0.0", "^8.1", False),
        ("0.3.0", "^0.2.3", False),
        ("3.2.9", "~> 3.2.2", True),
        ("3.3.0", "~> 3.2.2", False),
        ("3.9.1", "~=3.8", True),
        ("1.5.0", "~1.4.2", False),
        ("3.9.1", "!=3.9.1", False),
        ("20.1.0", "*", None),
        ("20.1.0", "lts/iron", None),
        ("20.1.0", "", None),
        ("", ">=3", None),
    ],
)
def test_a_version_fits_or_not(version: str, wanted: str, answer: bool | None) -> None:
    assert satisfies(version, wanted) is answer


def test_a_floor_is_that_version_or_newer() -> None:
    assert satisfies("1.23.1", "1.22", is_floor=True) is True
    assert satisfies("1.21.0", "1.22", is_floor=True) is False
    assert satisfies("1.23.1", "1.22") is False


@given(st.lists(st.integers(0, 999), min_size=2, max_size=4))
def test_every_version_is_itself_and_at_least_itself(parts: list[int]) -> None:
    version = ".".join(map(str, parts))

    assert numbers(version) == tuple(parts)
    assert satisfies(version, f"=={version}") is True
    assert satisfies(version, f">={version},<={version}") is True
    assert satisfies(version, f">{version}") is False


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_has_an_answer(version: str, wanted: str) -> None:
    assert satisfies(version, wanted) in (True, False, None)
