"""Compact a framework's own messages: convert them to OpenAI's form, and return the original objects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from satchel.compaction.conversations import Conversations
from satchel.compaction.windows import Window

M = TypeVar("M")
OpenAiMessage = dict[str, Any]
_PLACE = "satchel_place"
"""Key for a message's position; `compact` leaves keys alone that it does not know."""


class Adapter(Generic[M]):
    """Compacts the messages of a framework; a message that is not cut is returned as the very same object.

    Args:
        budget: most tokens of the messages.
        neutral: returns a framework's message as one of OpenAI's, or as a list of them where its parts are
            messages there; a message that becomes [] goes with the one before it.
        rebuild: returns a copy of a framework's message with the rest of `neutral`'s: a message, or a
            list with None for each message that was cut completely.
        note: returns one of satchel's own messages, which is in OpenAI's form, as the framework's.
        options: further options of `Conversations`, like `folder`, `most` or `water`.
    """

    def __init__(
        self,
        budget: int,
        *,
        neutral: Callable[[M], OpenAiMessage | list[OpenAiMessage]],
        rebuild: Callable[[M, Any], M],
        note: Callable[[OpenAiMessage], M],
        **options: Any,
    ) -> None:
        self._neutral, self._rebuild, self._note = neutral, rebuild, note
        self._conversations = Conversations(**{"budget": budget, "format": "openai", **options})

    def fit(self, messages: Sequence[M], *, key: str = "") -> list[M]:
        """Return the messages that fit.

        Args:
            messages: the conversation, each time from the beginning.
            key: whose it is; one without a key is found by its beginning.

        Raises:
            SatchelError: as `compact` does.
        """
        forms = [self._neutral(one) for one in messages]
        return self._restore(self._conversations.window(_mark(forms), key=key), forms, messages)

    async def afit(self, messages: Sequence[M], *, key: str = "") -> list[M]:
        """Return the messages that fit as `fit` does, while the event loop goes on."""
        forms = [self._neutral(one) for one in messages]
        return self._restore(await self._conversations.awindow(_mark(forms), key=key), forms, messages)

    def _restore(self, window: Window, forms: Sequence[Any], messages: Sequence[M]) -> list[M]:
        """Return a window's messages as the framework's own."""
        made: list[_MessagePlace | M] = []
        left: dict[int, list[OpenAiMessage | None]] = {}
        for one in window.messages:
            plain = {name: value for name, value in one.items() if name != _PLACE}
            if _PLACE not in one:
                made.append(self._note(plain))
                continue
            at, part = one[_PLACE]
            if at not in left:
                left[at] = [None] * len(_list(forms[at]))
                made += _with_empty(at, forms)
            left[at][part] = plain
        return [
            self._back(one, left, forms, messages) if isinstance(one, _MessagePlace) else one for one in made
        ]

    def _back(self, at: int, left: Mapping[int, Any], forms: Sequence[Any], messages: Sequence[M]) -> M:
        kept = left.get(at, []) if isinstance(forms[at], list) else left[at][0]
        return messages[at] if kept == forms[at] else self._rebuild(messages[at], kept)


class _MessagePlace(int):
    """The position of a message."""


def _with_empty(at: int, forms: Sequence[Any]) -> list[_MessagePlace]:
    """Return the place of a message and of the messages after it that OpenAI's form leaves out."""
    after = itertools.takewhile(lambda later: forms[later] == [], range(at + 1, len(forms)))
    return [_MessagePlace(one) for one in (at, *after)]


def _list(form: Any) -> list[OpenAiMessage]:
    return form if isinstance(form, list) else [form]


def _mark(forms: Sequence[Any]) -> list[OpenAiMessage]:
    return [
        {**one, _PLACE: [at, part]} for at, form in enumerate(forms) for part, one in enumerate(_list(form))
    ]
