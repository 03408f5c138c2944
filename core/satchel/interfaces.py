"""The interfaces of plugins, one protocol for each kind, and `Later`: a class that is named, not imported."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from satchel.conversation.transcripts import Transcript, TranscriptDraft
    from satchel.devices import Device
    from satchel.events import Event
    from satchel.items import Candidate, ContextItem, Level, Selection, Task
    from satchel.messages import Block, Exchange, Flaw, Message
    from satchel.packing.weighing.chances import Chances, CorrectedChances, WeighedItems
    from satchel.parts import Part
    from satchel.redaction.rules import RedactionRule
    from satchel.session.store import Store
    from satchel.workspace import Workspace

INDEX_PREFIX = "index/"
"""Prefix of the keys of segments of shared indexes. Other blobs have other prefixes."""
SNAPSHOT_PREFIX = "snapshots/"
"""Prefix of the keys of shared snapshots of sessions."""


class Blob(NamedTuple):
    """A stored blob, without its bytes."""

    key: str
    """Its name: up to 200 letters, digits, `-`, `_`, `.` and `/` in between."""
    bytes: int
    used: float
    """Seconds since the epoch when it was last put or touched."""


@runtime_checkable
class Blobs(Protocol):
    """A place of blobs.

    An implementation keeps three promises: `put` is all or nothing, also if two put the same key at once; the
    bytes are there when it returns; and every method raises `StoreError`, in one line with advice, if the
    place can't be reached. Callers verify the result of `get`.
    """

    @property
    def place(self) -> str:
        """Return the name of the place for messages, without a password."""
        ...

    def put(self, key: str, content: bytes) -> None:
        """Keep the bytes under a key, and replace earlier ones."""
        ...

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, None if there are none."""
        ...

    def touch(self, key: str) -> bool:
        """Make a blob the newest; return whether it is there."""
        ...

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """Yield the blobs whose keys begin with a text, in any order."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob, if it is there."""
        ...

    def close(self) -> None:
        """Close everything that is open."""
        ...


@runtime_checkable
class Provider(Protocol):
    """Finds context items for a task.

    `wave` 1 is asked first with an empty `best`; `wave` 2 gets the first files that this leads to and adds
    their companions. `max_items` and `max_tokens` are settings; the host enforces both.
    """

    name: ClassVar[str]
    wave: ClassVar[int]

    @property
    def max_items(self) -> int:
        """Return the most items that `gather` may return."""
        ...

    @property
    def max_tokens(self) -> int:
        """Return the most tokens that its own texts may cost, estimated at 3 bytes per token."""
        ...

    @abstractmethod
    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return items, best first."""
        ...


@runtime_checkable
class ReadOnlyProvider(Provider, Protocol):
    """A provider of files that a model may read but not change, which its settings name."""

    read_only_settings: ClassVar[tuple[str, ...]]
    """Its settings that hold paths and globs of such files; a session's own are added to the first."""


@runtime_checkable
class Scorer(Protocol):
    """Rates how much each part matters for the task.

    `grain` is `"item"` if all parts of an item get one number, else `"part"`; `kinds` are the kinds of
    items that it can judge, `"*"` means all. `weight` is a setting.
    """

    name: ClassVar[str]
    kinds: ClassVar[frozenset[str]]
    grain: ClassVar[str]

    @property
    def weight(self) -> float:
        """Return the weight of its scores relative to those of other scorers."""
        ...

    @abstractmethod
    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return one finite number from 0 to 1 for each part, in order."""
        ...


@runtime_checkable
class ExplainingScorer(Scorer, Protocol):
    """A scorer that says why a part got its score; `why` and `--explain` tell it."""

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return why one of the `parts` that it scored got its score.

        The text continues a sentence after the part's name ("holds *CGI*"), "" if there is nothing to say.
        """
        ...


@runtime_checkable
class MeaningScorer(Scorer, Protocol):
    """A scorer that finds parts without any of the task's words, by vectors or by a model.

    If one has a weight, a task without any word of the workspace is searched for all the same; otherwise the
    uncommitted changes are shown instead, or an overview of the project.
    """

    reads_meaning: ClassVar[bool]


@runtime_checkable
class Representer(Protocol):
    """Splits items of a language, a message format or a tool's output into parts."""

    name: ClassVar[str]
    version: ClassVar[str]
    """Change it whenever the same text would be split differently: stored parts depend on it."""

    @abstractmethod
    def claims(self, item: ContextItem) -> float:
        """Return from 0 to 1 how well it knows such an item, by path and kind (`text` may be None)."""
        ...

    @abstractmethod
    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return the parts of `item.text` in line order; uncovered lines become blocks."""
        ...


SUMMARY_SHARE = 0.15
"""Share of the room for a compressor's messages, if it names no share of its own."""
MOST_SHARE = 0.5
"""Largest share that a compressor may name."""


@runtime_checkable
class WorthModel(Protocol):
    """Corrects how likely each part of a pack is needed, from all scores of all parts. Pure."""

    name: ClassVar[str]

    @abstractmethod
    def correct(self, items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> CorrectedChances:
        """Return the chances that a part's lines are needed, and that its definition is.

        Args:
            items: each item with its scores, and its parts with their counts and terms.
            chances: by the formula, for each part of each item, from 0; only their ratios matter.
            query: the weight of each term of the task.
        """
        ...


@runtime_checkable
class Packer(Protocol):
    """Chooses one option of each candidate, or none, within a budget. Pure: no text, disk or git."""

    name: ClassVar[str]

    @property
    def weights(self) -> Mapping[str, float]:
        """Return factors of the scorers' weights by their names, `"*"` for all others; {} changes none.

        A class may leave it out, which means {}.
        """
        return {}

    @property
    def whole(self) -> bool:
        """Return whether the last option of each candidate is always its full text.

        Otherwise the options of a question end where more of the item would answer nothing. A class may
        leave it out, which means False.
        """
        return False

    @abstractmethod
    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose options; raise BudgetError if the pinned candidates alone cost more than `budget` tokens."""
        ...


@runtime_checkable
class Compressor(Protocol):
    """Names the levels at which exchanges are shown, and shortens each run of left-out ones.

    Its settings `never_prune`, `clear_first` and `side_effects`, if any, name tools: those whose calls and
    results stay whole, those whose old results are removed completely, those whose calls stay.
    """

    name: ClassVar[str]

    @property
    def levels(self) -> Collection[Level]:
        """Return the levels at which an exchange may be shown.

        `full` shows it whole, `excerpt` with the best of its lines, `headers` its calls without results.
        A class may leave it out, which means `full` alone.
        """
        from satchel.items import Level

        return frozenset({Level.FULL})

    @property
    def share(self) -> float:
        """Return the share, 0 to 0.5, of the room that is kept for its messages; with 0 it is not asked.

        A class may leave it out, which means `SUMMARY_SHARE`.
        """
        return SUMMARY_SHARE

    @abstractmethod
    def compress(
        self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer, task: Task
    ) -> Message | None:
        """Return one message of at most `target` tokens to replace them, or None to leave them out.

        `task` says what the window is for: the task that was given, else what the user said last.
        """
        ...


@runtime_checkable
class GpuBackend(Protocol):
    """Finds graphics cards of one vendor."""

    name: ClassVar[str]

    @abstractmethod
    def devices(self) -> Sequence[Device]:
        """Return the devices, () if there are none, or raise NoDevicesError with the reason."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens of one vocabulary."""

    name: ClassVar[str]

    @property
    def key(self) -> str:
        """Key of the counts in the index, with distribution and version: equal keys must count equally."""
        ...

    @property
    def exact(self) -> bool:
        """Return whether the counts are exact for the vocabulary."""
        ...

    @property
    def error(self) -> float:
        """Relative half width of the 90 % interval of a count, 0 if exact."""
        ...

    @abstractmethod
    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text; never raises on any text."""
        ...


@runtime_checkable
class Scanner(Protocol):
    """Finds secrets that satchel does not know. It can only add to what is redacted."""

    name: ClassVar[str]

    @abstractmethod
    def scan(self, text: str, path: str) -> Iterable[tuple[int, int, str]]:
        """Return start, end (exclusive) and kind of each secret; `path` is "" if the text is not a file.

        It must answer the same for the same text, and find nothing in a mark `[redacted:kind:4hex]`.
        """
        ...


@runtime_checkable
class RedactionRules(Protocol):
    """Brings rules of redaction, as data. They can only add to what is redacted."""

    name: ClassVar[str]

    @abstractmethod
    def rules(self) -> Iterable[RedactionRule]:
        """Return the rules, the same each time; `parse_rules` reads them from a TOML text."""
        ...


class FormatRules(NamedTuple):
    """A provider's rules for the messages it gets; history that breaks a rule is repaired."""

    items: bool = False
    """Whether an answer is a row of items, one for each thought, text and call, and not one message."""
    alternating: bool = False
    """Whether the user speaks first, and no role twice in a row; results are the user's."""
    json_arguments: bool = False
    """Whether a call's arguments are sent as a text that must be JSON."""
    thoughts_alone: bool = False
    """Whether a message of thoughts alone is accepted."""
    refuses_blank_texts: bool = False
    refuses_trailing_space: bool = False
    """Whether the last answer must not end in white space."""
    kept_history: frozenset[str] = frozenset()
    """Keys of a request, and names of opaque blocks, for messages that the provider keeps: a result may
    answer a call in those.
    """


class FormatSign(NamedTuple):
    """Evidence that messages are of a format."""

    what: str
    """The sign in words, such as a key in quotes."""
    message: int = -1
    """Index of the message that shows it, -1 for the request."""
    sure: bool = True
    """Whether it alone decides: servers of several formats use some keys."""


LARGE_IMAGE = 1_600
"""Tokens of a large image, about the same with most providers."""


@runtime_checkable
class MessageFormat(Protocol):
    """Reads and writes the messages of a provider. Inherit it: undefined methods have a default.

    A message that is not changed is written as it was read, with the same objects in `raw`.
    """

    name: ClassVar[str]
    """Its name in `--format`."""
    list_key: ClassVar[str] = "messages"
    """Key of a request that holds the list of messages."""
    system_key: ClassVar[str] = ""
    """Key of a request that holds the system's text, "" if that is a message of the list."""
    takes_text: ClassVar[bool] = False
    """Whether a text may be given instead of the list."""
    rules: ClassVar[FormatRules] = FormatRules()
    paths: ClassVar[tuple[str, ...]] = ()
    """Ends of the URL paths at which its provider takes requests, for `satchel proxy`."""
    sized_as: ClassVar[str] = ""
    """Prefix under which `size` finds the models of its server on this machine, "" for none."""
    cache_mark: ClassVar[str] = ""
    """Key that a client sets in a message, or in a part of it, to end the provider's cached part; "" for
    none. It is not content, and moves from turn to turn.
    """

    @abstractmethod
    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterable[FormatSign]:
        """Return signs of the format in the JSON of messages, any of which may be of another format.

        Only the first sure sign and the first unsure one are used.
        """
        ...

    @abstractmethod
    def read_messages(self, items: Any, place: str) -> Sequence[Message]:
        """Return the messages of a list; nothing is repaired.

        Raise `ConversationError` for a value of a wrong shape, with its place in `place`: `messages[3].role`.
        """
        ...

    @abstractmethod
    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> Any:
        """Return the list of messages as JSON; with `joined`, those of one role in a row as one."""
        ...

    def read_system(self, value: Any) -> Message | None:
        """Return the message in the value of `system_key`, None if it has none."""
        return None

    def write_system(self, message: Message) -> Any:
        """Return the value of `system_key` for a message."""
        return message.text

    def mend(self, messages: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Flaw]]:
        """Return messages that the provider takes, and the flaws it refuses besides `rules`."""
        return messages, ()

    def image_tokens(self, block: Block, model: str) -> int:
        """Return the tokens of an image for a model; `model` is "" if unknown."""
        return LARGE_IMAGE

    def describe_error(self, reason: str) -> Any:
        """Return the body of an answer that refuses a request."""
        return {
            "error": {"message": reason, "type": "invalid_request_error", "code": "context_length_exceeded"}
        }

    def with_window(self, request: dict[str, Any], tokens: int) -> dict[str, Any]:
        """Return a request that asks its server for a window; the same one if that is impossible."""
        return request


@runtime_checkable
class SessionFile(Protocol):
    """Reads and writes the files in which an agent keeps its sessions."""

    name: ClassVar[str]
    agent: ClassVar[str]
    """The agent's name for people."""
    message_format: ClassVar[str]
    """Name of the message format that its messages become: the nearest to the agent's own."""

    @abstractmethod
    def recognizes(self, records: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether the first records of a file, lines of JSON or one document, are this agent's."""
        ...

    @abstractmethod
    def read(self, records: Sequence[Mapping[str, Any]]) -> TranscriptDraft:
        """Return the messages of the branch on which the session ended, with the records' other facts."""
        ...

    @abstractmethod
    def write(self, transcript: Transcript, document: Sequence[Mapping[str, Any]]) -> str:
        """Return a file like the one of a transcript with other messages, in `message_format`."""
        ...


@runtime_checkable
class SessionStore(Protocol):
    """Opens the stores of sessions at addresses of its schemes, such as `postgresql://host/database`.

    The address names one store; its password, if any, appears in no text of the plugin.
    """

    name: ClassVar[str]
    schemes: ClassVar[frozenset[str]]
    """Prefixes of addresses, in small letters, without `://`."""

    @abstractmethod
    def open(self, address: str, *, create: bool) -> Store:
        """Open the store at an address; with `create`, make it if it is missing.

        Raise `NoStoreError` if it is missing and not to be made, `StoreError` if it can't be opened: one line
        with advice.
        """
        ...


@runtime_checkable
class BlobStore(Protocol):
    """Opens the places of blobs at addresses of its schemes, such as `s3://bucket/prefix`."""

    name: ClassVar[str]
    schemes: ClassVar[frozenset[str]]
    """Prefixes of addresses, in small letters, without `://`."""

    @abstractmethod
    def open(self, address: str) -> Blobs:
        """Open the place of an address, made with its first blob; raise `StoreError` if that fails."""
        ...


Observer = Callable[["Event"], None]


class Later(NamedTuple):
    """Represents a class in the answer of a hook; the host imports it when it may be needed."""

    name: str
    """The class's own `name`."""
    home: str
    """Its location: `package.module:Class`."""
    kinds: frozenset[str] = frozenset()
    """A scorer's `kinds`, the kinds of items that a representer may claim, or a store's `schemes`; empty for
    all."""

    def serves(self, kinds: frozenset[str]) -> bool:
        """Return whether it handles items of any of these kinds."""
        return not self.kinds or not self.kinds.isdisjoint(kinds)

    def load(self) -> Any:
        """Import its module and return the class."""
        import importlib

        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)
