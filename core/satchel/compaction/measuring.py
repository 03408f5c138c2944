"""Count the tokens of a text or a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.config import Config
from satchel.conversation import Counts
from satchel.installed import find_formats, find_plugins, make_tokenizer

if TYPE_CHECKING:
    from satchel.host import Host
    from satchel.interfaces import MessageFormat
    from satchel.tokens.models import Model


def count(
    given: Any,
    *,
    model: str = "",
    format: str = "auto",  # noqa: A002 (the name that `compact` has)
    host: Host | None = None,
    config: Config | None = None,
) -> int:
    """Return the tokens of a text, of a list of messages, or of a request with its tools.

    Args:
        given: a text, or messages or a request as for `compact`.
        model: whose tokens; exact for models of a known vocabulary, else by the model's measured ratio;
            for an unknown model they are estimated, with a warning. By default those of `o200k_base`,
            whatever model a request names.
        format: the name of a message format; `auto` detects it.
        host: the plugins; all installed ones by default.
        config: the settings of the tokenizer; the defaults where it is not given.

    Raises:
        ConversationError: the messages can't be read.
        UnknownNameError: no format has such a name.
    """
    from satchel.tokens.models import find_or_estimate

    settings = config or Config()
    host = host or find_plugins(settings)
    known = find_or_estimate(model) if model else None
    if isinstance(given, str):
        (counted,) = make_tokenizer(settings, host, known)[1].count([given])
    else:
        conversation = find_formats(host, config).read(given, format)
        counts = make_counts(conversation.format, known, host, settings)
        counted = counts.total(conversation).total
    return known.to_model_tokens(counted) if known is not None else int(counted)


def make_counts(form: MessageFormat, model: Model | None, host: Host, config: Config) -> Counts:
    """Return counts of messages of a format, with the vocabulary of a model."""
    _, tokenizer = make_tokenizer(config, host, model)
    return Counts(tokenizer, form=form, model=model.name if model is not None else "")
