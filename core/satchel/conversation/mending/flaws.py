"""Flaws: what a provider would refuse about a conversation."""

from __future__ import annotations

import attrs

from satchel.errors import Problem


@attrs.frozen
class Flaw:
    """Something that a provider refuses (HTTP 400), or that was repaired.

    `index` is where the message stood in the list that came in, -1 for one outside of it or a new one.
    """

    index: int
    rule: str
    what: str

    def __str__(self) -> str:
        return f"messages[{self.index}]: {self.what}" if self.index >= 0 else self.what

    @property
    def problem(self) -> Problem:
        """Return it as the record of a failure that the run went on after."""
        return Problem("conversation", "repair", str(self))
