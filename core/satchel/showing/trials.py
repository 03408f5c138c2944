"""Try out what is recommended for a window of messages, and keep nothing of it."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import TYPE_CHECKING

from satchel.errors import SatchelError
from satchel.showing.advice import Trials

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.conversation.counting import Counts
    from satchel.host import Host
    from satchel.messages import Conversation
    from satchel.showing.anatomy import WindowPiece
    from satchel.tokens.models import Model


def make_trials(
    conversation: Conversation, counts: Counts, host: Host, config: Config, model: Model | None = None
) -> Trials:
    """Return what tries recommendations out on a conversation, in tokens of a model where one is known."""
    trials = Trials(
        partial(_try_compact, conversation, host, config), partial(_try_squeeze, conversation, counts)
    )
    if model is None:
        return trials
    return Trials(
        lambda budget: model.to_model_tokens(trials.compact(model.countable(budget))),
        lambda piece, budget: model.to_model_tokens(
            trials.squeeze(piece._replace(tokens=model.countable(piece.tokens)), budget)
        ),
    )


def _try_compact(conversation: Conversation, host: Host, config: Config, budget: int) -> int:
    """Return the tokens of a conversation that is compacted, 0 where it can't be."""
    from satchel.compaction.compacting import compact
    from satchel.conversation import write

    with tempfile.TemporaryDirectory() as store:
        try:
            return compact(write(conversation), budget=budget, store=store, host=host, config=config).tokens
        except SatchelError:  # it can't keep to the budget: there is nothing to tell
            return 0


def _try_squeeze(conversation: Conversation, counts: Counts, piece: WindowPiece, budget: int) -> int:
    """Return the tokens of an output that is squeezed."""
    from satchel.output.squeezing import squeeze

    results = (block for message in conversation.messages for block in message.results)
    text = next((block.text for block in results if block.id == piece.call), "")
    if not text:
        return piece.tokens
    with tempfile.TemporaryDirectory() as store:
        shorter = squeeze(text, command=piece.command, budget=budget, store=store).text
    return piece.tokens + counts.texts([shorter])[0] - counts.texts([text])[0]
