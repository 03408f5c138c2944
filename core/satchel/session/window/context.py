"""The context of one window: the session, the settings, the plugins, and tokens of its model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from satchel import config as configuration
from satchel.archive import Archive
from satchel.compaction.cleaning import clean_document
from satchel.compaction.compacting import list_messages
from satchel.compaction.promises import MARK
from satchel.compaction.setup import Setup, set_up
from satchel.compaction.state import Water
from satchel.compaction.windows import Cut
from satchel.config import Config
from satchel.conversation import AUTO, Formats, find_spoken
from satchel.errors import ConversationError, Problem, UsageError
from satchel.events import BudgetExceeded, Event
from satchel.installed import find_formats, find_plugins
from satchel.messages import Conversation, Message
from satchel.paths import absolute
from satchel.runs import Room, model_of, open_run, room_for
from satchel.session.window.memory import DialogueMemory, WindowMemory
from satchel.shared_archive import open_archive
from satchel.spelling import format_count

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.interfaces import MessageFormat
    from satchel.redaction.scanning import Scanners
    from satchel.session.nodes import Node
    from satchel.session.session import Session
    from satchel.tokens.models import Model


AS_TEXT = ("markdown", "json")
"""Values of `--format` besides message formats: a text to read, or all available values."""


def _absolute_or_none(path: str | Path | None) -> Path | None:
    return None if path is None else absolute(path)


LOW = 0.7
"""Share of the budget to which the dialogue is cut. At 0.44, that of `State`, a window is cut half as often
and a token costs 8 % less through a provider's cache, but half of the budget stays empty after each cut.
"""


@attrs.frozen
class WindowOptions:
    """Options for making a window, besides its task and its budget."""

    root: Path | None = attrs.field(default=None, converter=_absolute_or_none)
    """The workspace's folder; the session's root by default."""
    form: str = "auto"
    """A format of messages, or one of `AS_TEXT`; `auto` is the format of the incoming messages."""
    compressor: str = ""
    """Name of a compressor; the configured one by default."""
    water: Water | None = None
    """When the dialogue is compacted, and to what size; as configured by default."""
    pool: str = ""
    """The pool whose notes are shown."""
    store: Path | None = attrs.field(default=None, converter=_absolute_or_none)
    """Folder of the archive; the user's state folder by default."""
    promised_only: bool = False
    """Whether only promised content goes in: for a guard in an emergency."""
    reader: str = ""
    """The reader of the window, if several read one session: content it was shown before is left out."""
    subagent: bool = False
    """Whether it is a brief for a helper: no dialogue, nothing is recorded."""
    config: Config | None = None
    """The configuration; by default that of the root, the environment and the user's folder."""


@attrs.frozen
class SessionWindow:
    """The input of a model; `parts` add up to `window`, and `tokens` never exceed `budget`."""

    task: str
    window: int
    """Tokens of the whole window: the budget, and the reply's reserve if the budget is the model's window."""
    budget: int
    tokens: int
    parts: Mapping[str, int]
    """Tokens of reply, system, map, context, memory, dialog, results, and the free ones."""
    document: Any = attrs.field(repr=False)
    """The messages as the provider takes them: a list, or an object with `system` or `instructions`."""
    text: str = attrs.field(repr=False)
    """The same content as a text to read."""
    form: str
    context: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    """The workspace's part: whether it is the block of the last window, and its items."""
    shown: Mapping[str, int] = attrs.field(factory=dict, repr=False)
    """The level of each entry, edit and note: 0 shows most."""
    of_messages: int = 0
    """Messages of the session that the dialogue was made from."""
    compacted: bool = False
    cut: Sequence[Cut] = ()
    first_divergence: int | None = None
    """The first message that differs from the last window; None if the last window begins this one."""
    cached_share: float = 0.0
    """Share of the text before that message: a provider's cache can keep it."""
    pressure: str = "calm"
    problems: tuple[Problem, ...] = ()
    list_key: str = "messages"
    """Key of the messages in a document that is a request."""

    @property
    def messages(self) -> list[Any]:
        """Return the messages, ready to send; Anthropic's further fields are in `document`."""
        return list(list_messages(self.document, self.list_key))


MOST_READ = 2_000
"""Messages up to which all are compacted again; in a longer dialogue, only the sent ones."""
_GROWN = 1.25
"""Factor of growth of the room from which a cut dialogue is made anew from all messages."""
_OPENING = 12
"""Messages at the beginning that may hold the system's text and the first request."""
_FACTOR = 3
"""Budgets' worth of newest text for a long session without a window yet."""
_FIRST_READ, _MOST_NEWEST = 256, 20_000
_CHARS_PER_TOKEN = 3


class MessageSource(NamedTuple):
    """Messages as they came in or were sent, and facts about them."""

    messages: tuple[Any, ...]
    upto: str
    """Node of the newest one."""
    fresh: int
    """Number of messages at the end that are new since the last window."""
    total: int
    """Messages of the session."""
    compactions: int = 0
    places: tuple[str, ...] = ()
    """Node of each message at the end; earlier messages were sent."""

    @property
    def is_whole(self) -> bool:
        """Return whether these are the session's messages, and nothing else."""
        return len(self.messages) == len(self.places) == self.total


def source_of(session: Session, memory: WindowMemory, *, budget: int, whole: bool) -> MessageSource:
    """Return the messages of a dialogue.

    Args:
        session: whose branch is read.
        memory: the memory of the last window.
        budget: tokens of the window.
        whole: whether to return all messages, if they are not too many: for a compaction.
    """
    total = session.count()
    dialogue = memory.dialogue
    if total <= MOST_READ and (whole or dialogue is None or has_grown(budget, dialogue)):
        return _source((), session.message_nodes(), total, dialogue)
    if dialogue is not None:
        return _source(dialogue.messages, session.message_nodes(after=dialogue.upto), total, dialogue)
    return _of_long(session, total, budget)


def has_grown(budget: int, dialogue: DialogueMemory) -> bool:
    """Return whether a window has clearly more room now than when its dialogue was cut."""
    return 0 < dialogue.budget * _GROWN < budget


def _source(
    before: Sequence[Any], nodes: Sequence[Node], total: int, dialogue: DialogueMemory | None
) -> MessageSource:
    upto = nodes[-1].id if nodes else dialogue.upto if dialogue else ""
    known = dialogue.compactions if dialogue else 0
    messages = (*before, *(node.body for node in nodes))
    return MessageSource(messages, upto, len(nodes), total, known, tuple(node.id for node in nodes))


def _of_long(session: Session, total: int, budget: int) -> MessageSource:
    """Return the beginning and the end of a long session, with a mark for the left-out middle."""
    nodes, last = session.message_nodes(last=_FIRST_READ), _FIRST_READ
    while last < min(total, _MOST_NEWEST) and _chars(nodes) < budget * _FACTOR * _CHARS_PER_TOKEN:
        last = min(last * 4, total, _MOST_NEWEST)
        nodes = session.message_nodes(last=last)
    opening = [node.body for node in session.opening(min(_OPENING, total - len(nodes)))]
    kept = [body for body in opening if _role(body) in ("system", "developer")]
    first = next((body for body in opening if _role(body) == "user"), None)
    kept += [] if first is None else [first]
    missing = total - len(nodes) - len(kept)
    left = f"{format_count(missing, 'message')} left out here"
    told = f"{MARK}: {left}; satchel session show --session {session.id} has them]"
    gap = [{"role": "user", "content": told}] if missing else []
    return _source((*kept, *gap), nodes, total, None)


def _role(body: Any) -> str:
    return str(body.get("role", "")) if isinstance(body, dict) else ""


def _chars(nodes: Sequence[Node]) -> int:
    return sum(len(json.dumps(node.body)) for node in nodes)


_AS_GIVEN = (AUTO, *AS_TEXT)


@attrs.frozen
class WindowDraft:
    """A window in the making: its session, and everything needed to write it."""

    session: Session
    options: WindowOptions
    config: Config
    host: Host
    model: Model | None
    room: Room
    archive: Archive
    formats: Formats
    since: int
    """Number of problems that the host had before."""

    @property
    def root(self) -> Path:
        """Return the workspace's folder."""
        return self.options.root or self.session.root

    @property
    def counted(self) -> int:
        """Return the counted tokens that the budget holds."""
        return self.to_counted(self.room.budget)

    @property
    def scanners(self) -> Scanners:
        """Return the scanners for the content to send."""
        return self.archive.scanners

    @property
    def counted_model(self) -> Model | None:
        """Return the model with counted tokens, the unit of rooms inside the window."""
        return self.model.counted if self.model else None

    @property
    def water(self) -> Water:
        """Return the sizes at which the dialogue is compacted, and to which."""
        water = self.options.water or Water(high=self.config.compact_at, low=LOW)
        return water.convert(self.model.countable) if self.model else water

    @property
    def compressor(self) -> str:
        """Return the name of the compressor."""
        return self.options.compressor or self.config.compressor

    def hear_attempt(self, event: Event) -> None:
        """Pass on the engines' events; an attempt that did not fit says nothing about the window."""
        if not isinstance(event, BudgetExceeded):
            self.session.emit(event)

    def to_model_tokens(self, counted: int) -> int:
        """Return counted tokens as tokens of the model."""
        return self.model.to_model_tokens(counted) if self.model else counted

    def to_counted(self, tokens: int) -> int:
        """Return tokens of the model as counted tokens."""
        return self.model.countable(tokens) if self.model else tokens

    def read(self, path: str) -> str:
        """Return a file of the workspace as documents show it."""
        run = open_run(self.root, config=self.config, host=self.host)
        try:
            return run.workspace.texts.read(path)
        finally:
            run.workspace.close()

    def setup(self, form: MessageFormat) -> Setup:
        """Return plugins and counts for a provider's messages."""
        return set_up(
            self.config.strategy,
            self.compressor,
            form=form,
            model=self.counted_model,
            host=self.host,
            config=self.config,
        )

    def form(self, source: MessageFormat) -> MessageFormat:
        """Return the format that the window is written in."""
        return source if self.options.form in _AS_GIVEN else self.formats.find(self.options.form)


def start_draft(
    session: Session,
    *,
    budget: int | str | None,
    model: str | None,
    options: WindowOptions,
    host: Host | None,
) -> WindowDraft:
    """Read the configuration and settle the budget.

    Raises:
        UsageError: the budget, the model or the format makes no sense.
        ConfigError: the configuration has errors.
    """
    config = options.config or configuration.load(options.root or session.root, env=os.environ)
    if model:
        config = config._replace(model=model, origins={**config.origins, "model": "flag"})
    host = host or find_plugins(config)
    since = len(host.problems)
    formats = find_formats(host, config)
    names = (*formats.names, *AS_TEXT)
    if options.form not in names:
        raise UsageError(f"no format is called {options.form!r}; there are {', '.join(names)}")
    known = model_of(config)
    return WindowDraft(
        session,
        options,
        config,
        host,
        known,
        room_for(config, host, known, budget),
        open_archive(options.store),
        formats,
        since,
    )


def conversation_of(draft: WindowDraft, messages: Sequence[object]) -> Conversation:
    """Read a session's messages without their secrets, from any provider.

    If they could be of two providers, the requested format decides.
    """
    if not messages:
        return Conversation(draft.form(draft.formats.default), ())
    asked = list(messages)
    given, shown = _read(draft, asked), clean_document(asked, draft.scanners)
    return given if shown is asked else _read(draft, shown)


def _read(draft: WindowDraft, messages: list[object]) -> Conversation:
    try:
        return draft.formats.read(messages)
    except ConversationError:
        if draft.options.form in _AS_GIVEN:
            raise
        return draft.formats.read(messages, draft.options.form)


def drop_open_calls(draft: WindowDraft, source: MessageSource) -> MessageSource:
    """Return messages without a last call that lacks results: they are read together."""
    waiting: dict[str, int] = {}
    before = ""
    for message in conversation_of(draft, source.messages).messages:
        if message.role == "user" or (message.role == "assistant" and before == "tool"):
            waiting.clear()  # a call without a result by now was interrupted
        before = message.role
        waiting.update((call.id, message.index) for call in message.calls)
        for result in message.results:
            waiting.pop(result.id, None)
    count = len(source.messages) - min(waiting.values(), default=len(source.messages))
    if not 0 < count <= len(source.places):
        return source
    places = source.places[:-count]
    upto = places[-1] if places else draft.session.find_read(draft.options.reader)
    return source._replace(
        messages=source.messages[:-count], places=places, upto=upto, fresh=source.fresh - count
    )


def find_end(draft: WindowDraft, source: MessageSource, dialogue: DialogueMemory | None) -> str:
    """Return the node after whose message a block can be inserted so that nearly all sent text stays.

    It is the newest one; but before a request at the end, and before calls that wait for their results.
    "" is the beginning.
    """
    places = drop_open_calls(draft, source).places
    read = conversation_of(draft, source.messages).messages
    newest = [one.role for one in read if one.index == len(source.messages) - 1]
    if places == source.places and newest and set(newest) == {"user"}:
        places = places[:-1]
    return places[-1] if places else dialogue.upto if dialogue else ""


def find_index(source: MessageSource, node: str) -> int:
    """Return the index after the message of a node; if absent, that of the first message with a node."""
    start = len(source.messages) - len(source.places)
    return start + (source.places.index(node) + 1 if node in source.places else 0)


def newest_request(messages: Sequence[Message]) -> str:
    """Return the newest text of a person, "" if there is none; text that agents put around it is left out."""
    said = (find_spoken(one) for one in reversed(messages) if one.role == "user")
    return next((text for text in said if text.strip()), "")
