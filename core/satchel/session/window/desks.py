"""What one window works with: the session, the settings, the plugins, and tokens of its model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from satchel import config as configuration
from satchel.archive import Archive
from satchel.compaction.cleaning import cleaned
from satchel.compaction.setups import Setup, set_up
from satchel.compaction.states import Water
from satchel.config import Config
from satchel.errors import ConversationError, UsageError
from satchel.host import Host
from satchel.messages import Conversation, Format, Message
from satchel.runs import Room, model_of, room_for
from satchel.session.window.options import FORMS, WindowOptions
from satchel.sizing.asking import is_local

if TYPE_CHECKING:
    from satchel.scanning import Scanners
    from satchel.session.sessions import Session
    from satchel.tokens.models import Model

_TEXTS = ("auto", "markdown", "json")


@attrs.frozen
class Desk:
    """One window in the making."""

    session: Session
    options: WindowOptions
    config: Config
    host: Host
    model: Model | None
    room: Room
    archive: Archive

    @property
    def root(self) -> Path:
        """Return the workspace's folder."""
        return self.options.root or self.session.root

    @property
    def counted(self) -> int:
        """Return the counted tokens that the budget holds."""
        return self.model.countable(self.room.budget) if self.model else self.room.budget

    @property
    def store(self) -> Path | None:
        """Return the folder of the archive."""
        return self.options.store

    @property
    def scanners(self) -> Scanners:
        """Return the scanners that look at what is sent."""
        return self.archive.scanners

    @property
    def model_name(self) -> str:
        """Return the model's name for tables of models; "" for a local one, which is in none."""
        name = self.config.model
        return "" if not name or is_local(name) else name

    @property
    def water(self) -> Water:
        """Return the marks at which the dialogue is compacted, and to which."""
        return self.options.water or Water(high=self.config.compact_at)

    @property
    def compressor(self) -> str:
        """Return the name of the compressor."""
        return self.options.compressor or self.config.compressor

    def reported(self, counted: int) -> int:
        """Return counted tokens as tokens of the model."""
        return self.model.reported(counted) if self.model else counted

    def setup(self, form: Format) -> Setup:
        """Return plugins and counts for a provider's messages."""
        return set_up(
            self.config.strategy,
            self.compressor,
            form=form,
            model=self.model_name,
            host=self.host,
            config=self.config,
        )

    def form(self, source: Format) -> Format:
        """Return the format that the window is written in."""
        return source if self.options.form in _TEXTS else Format(self.options.form)


def desk_for(
    session: Session,
    *,
    budget: int | str | None,
    model: str | None,
    options: WindowOptions,
    host: Host | None,
) -> Desk:
    """Read the configuration and settle the budget.

    Raises:
        UsageError: the budget, the model or the format makes no sense.
        ConfigError: the configuration has errors.
    """
    if options.form not in FORMS:
        raise UsageError(f"no format is called {options.form!r}; there are {', '.join(FORMS)}")
    config = options.config or configuration.load(options.root or session.root, env=os.environ)
    if model:
        config = config._replace(model=model, origins={**config.origins, "model": "flag"})
    host = host or Host.installed(disable=config.disable, deadline_seconds=config.deadline_seconds)
    known = model_of(config)
    return Desk(
        session,
        options,
        config,
        host,
        known,
        room_for(config, host, known, budget),
        Archive.usual(options.store),
    )


def conversation_of(desk: Desk, messages: Sequence[object]) -> Conversation:
    """Read a session's messages without their secrets, whichever provider's they are.

    Where they could be of two providers, the asked format decides.
    """
    if not messages:
        return Conversation(desk.form(Format.OPENAI), ())
    asked = list(messages)
    given, shown = _read(desk, asked), cleaned(asked, desk.scanners)
    return given if shown is asked else _read(desk, shown)


def _read(desk: Desk, messages: list[object]) -> Conversation:
    from satchel.conversation import read

    try:
        return read(messages)
    except ConversationError:
        if desk.options.form in _TEXTS:
            raise
        return read(messages, desk.options.form)


def newest_request(messages: Sequence[Message]) -> str:
    """Return what the user said last, "" where nothing was."""
    from satchel.compaction.promises import MARK

    said = (one.text for one in reversed(messages) if one.role == "user" and not one.text.startswith(MARK))
    return next((text for text in said if text.strip()), "")
