"""What a configuration says about the tools of a conversation."""

from __future__ import annotations

from typing import NamedTuple

from satchel.messages import Exchange


class Rules(NamedTuple):
    """Names of tools; a compressor has them as settings of the same names."""

    never_prune: frozenset[str] = frozenset()
    """Calls and results stay whole, as long as there is room."""
    clear_first: frozenset[str] = frozenset()
    """Of results, nothing stays once they are old."""
    side_effects: frozenset[str] = frozenset()
    """Calls stay, so that nothing is done twice; results may be cut."""


def rules_of(compressor: object) -> Rules:
    """Return the rules among a compressor's settings."""
    return Rules(*(frozenset(getattr(compressor, name, ())) for name in Rules._fields))


def names_of_calls(exchange: Exchange) -> frozenset[str]:
    """Return the names of the tools that an exchange calls."""
    return frozenset(call.name for message in exchange.messages for call in message.calls)
