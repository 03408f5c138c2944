"""Counts for a page: the configured tokenizer, and the model whose tokens and window are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from satchel.conversation import Counts, Formats
from satchel.host import Host
from satchel.installed import make_scanners, make_tokenizer
from satchel.message_formats import find_formats
from satchel.redaction.scanning import Scanners
from satchel.runs import find_window, model_of

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import MessageFormat, Tokenizer
    from satchel.tokens.models import Model


class Meter(NamedTuple):
    """What counts, for which model, and the plugins and settings that it was made of."""

    host: Host
    config: Config
    tokenizer: Tokenizer
    model: Model | None
    window: int
    """Tokens of the model's window, 0 where no model is named, or a window is not known."""
    scanners: Scanners
    """What finds secrets before a text is cut or shown."""
    formats: Formats

    def counts(self, form: MessageFormat) -> Counts:
        """Return counts of messages of a format."""
        return Counts(self.tokenizer, form=form, model=self.model.name if self.model else "")

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Return facts for the page: what counted, and for whom."""
        told = [("tokens counted with", self.tokenizer.key)]
        if self.model is not None:
            sure = "exactly" if self.model.exact else f"times {self.model.factor:g}, about"
            told.append(("for", f"{self.model.name}, {sure}"))
        return tuple(told)


def make_meter(host: Host, config: Config, *, named: str = "") -> Meter:
    """Make the configured tokenizer with the vocabulary of the model that is meant.

    Args:
        host: the plugins.
        config: the settings.
        named: the model that the messages name.

    Raises:
        UnknownNameError: the tokenizer is not known.
    """
    model = model_of(config, named=named)
    _, tokenizer = make_tokenizer(config, host, model)
    window = find_window(config, host, model) if model is not None else 0
    scanners, formats = make_scanners(host, config), find_formats(host, config)
    return Meter(host, config, tokenizer, model, window, scanners, formats)
