"""Counts for a page: the configured tokenizer, and the model whose tokens and window are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.conversation import Counts, Formats
from satchel.host import Host
from satchel.installed import make_tokenizer
from satchel.message_formats import find_formats
from satchel.redaction.scanning import Scanners
from satchel.report.page import PageEntry
from satchel.runs import find_window, model_of
from satchel.scanners import make_scanners
from satchel.showing.anatomy import share_by_section

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.interfaces import MessageFormat, Tokenizer
    from satchel.tokens.models import Model


class Meter(NamedTuple):
    """What counts, and for which model."""

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

    @property
    def unit(self) -> str:
        """Return the model that commands must name to count as this does, "" for none."""
        return self.model.unit if self.model else ""

    def to_model(self, entries: tuple[PageEntry, ...]) -> tuple[PageEntry, ...]:
        """Return entries in tokens of the model; they add up to what all of them together cost it."""
        if self.model is None:
            return entries
        whole = self.model.to_model_tokens(sum(entry.tokens for entry in entries))
        shares = share_by_section(whole, [(entry.section, entry.tokens) for entry in entries])
        return tuple(
            attrs.evolve(entry, tokens=tokens) for entry, tokens in zip(entries, shares, strict=True)
        )

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
    return Meter(tokenizer, model, window, make_scanners(host, config), find_formats(host, config))
