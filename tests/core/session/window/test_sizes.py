"""A window grows and shrinks with its budget."""

from __future__ import annotations

from tests.core.session.window.talks import Make

from satchel.session.session import Session


def test_a_window_grows_and_shrinks_with_its_budget(make: Make, session: Session) -> None:
    session.add({"role": "user", "content": "make polling faster"})

    small, large, again = (make(budget=budget).tokens for budget in (1_000, 8_000, 1_000))

    assert small == again <= 1_000
    assert large > small * 1.5
