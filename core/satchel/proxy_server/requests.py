"""What of a request the proxy must know: whose format it has, how much fits, and what its server counted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from satchel.errors import UnknownNameError
from satchel.patterns import lazily
from satchel.tokens.models import Model, find_model

if TYPE_CHECKING:
    from satchel.conversation import Formats
    from satchel.interfaces import MessageFormat

_COUNTED = lazily(rb'"(?:prompt_eval_count|prompt_tokens|input_tokens)"\s*:\s*(\d+)')
_CACHED = lazily(rb'"(?:cache_read_input_tokens|cache_creation_input_tokens)"\s*:\s*(\d+)')
_ANSWER_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_LEAST_ANSWER = 1_024
"""Tokens that are left for an answer where neither the request nor the model says how long it may be."""
_LARGEST_SHARE = 0.5
"""Share of the window that an answer is believed to need at most."""
_CUT = 0.7
"""Share of what was sent below which the server must have cut it: tokenizers differ by less."""
_LEAST_SENT = 2_000


def form_of(path: str, formats: Formats) -> MessageFormat | None:
    """Return the format of the conversations that a path takes, None for all others."""
    plain = f"/{path.strip('/')}"
    return next((form for form in formats if any(plain.endswith(f"/{end}") for end in form.paths)), None)


@lru_cache(maxsize=256)
def find_known_model(name: str) -> Model | None:
    """Return the model called `name`, None where it is not known; each name is looked up once."""
    try:
        return find_model(name)
    except UnknownNameError:
        return None


def room_of(body: Mapping[str, Any], *, budget: int, window: int) -> int:
    """Return the most tokens of a request, 0 if nobody says.

    Args:
        body: the request, which may name a model and how long its answer may be.
        budget: most tokens of a request; 0 for what the window leaves.
        window: tokens of the model's window; 0 for that of the model, if it is known.
    """
    if budget:
        return budget
    options = body.get("options")
    asked = options.get("num_ctx") if isinstance(options, dict) else None
    reply = next((body[key] for key in _ANSWER_KEYS if isinstance(body.get(key), int)), 0)
    if isinstance(asked, int) and asked > 0:
        window = asked
    if not window:
        model = find_known_model(str(body.get("model", "")))
        if model is None:
            return 0
        window = model.context_tokens
        reply = reply or (model.reply_tokens or 0)
    reply = min(max(reply, _LEAST_ANSWER), int(window * _LARGEST_SHARE))
    return max(1, window - reply)


def counted_by_server(end: bytes) -> int | None:
    """Return how many tokens of the request a server says that it read; `end` is the end of its answer."""
    found = _COUNTED.findall(end)
    if not found:
        return None
    return max(map(int, found)) + sum(map(int, _CACHED.findall(end)))


def is_silent_cut(sent: int, counted: int | None) -> bool:
    """Tell whether a server read so much less than was sent that it must have cut it."""
    return counted is not None and sent >= _LEAST_SENT and counted < _CUT * sent
