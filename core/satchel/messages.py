"""Messages and exchanges of a conversation, in satchel's inner form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs


@attrs.frozen
class Message:
    """One message, its provider's own JSON kept as it came."""

    role: str
    text: str
    raw: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Exchange:
    """A user message; or an assistant message with its calls and all of their results."""

    id: str
    messages: Sequence[Message]
