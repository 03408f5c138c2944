"""The state that is remembered between compactions, so that a conversation's prefix stays as sent."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.conversation import dump
from satchel.errors import ConversationError
from satchel.paths import absolute
from satchel.private_files import open_nonblocking, replacing

if TYPE_CHECKING:
    from satchel.redaction.scanning import Scanners

SCHEMA = 1


@attrs.frozen
class Water:
    """High and low water: a conversation is cut to `low` when it passes `high`.

    Both are shares of the budget, or tokens if that is less; `least_gain` is the share of the budget that a
    compaction must free, or the oldest promise-free text stays as it is.
    """

    high: float = 1.0
    low: float = 0.44
    high_tokens: int | None = None
    low_tokens: int | None = None
    least_gain: float = 0.1

    def high_of(self, budget: int) -> int:
        """Return the tokens from which a conversation is compacted."""
        return max(1, min(int(budget * self.high), self.high_tokens or budget))

    def low_of(self, budget: int) -> int:
        """Return the tokens to which it is compacted."""
        top = self.high_of(budget)
        low = max(1, min(int(budget * self.low), self.low_tokens or budget))
        return min(low, max(1, top - int(budget * self.least_gain)))

    def convert(self, countable: Callable[[int], int]) -> Water:
        """Return these marks with their tokens converted, such as from a model's to counted ones."""
        high, low = (
            None if tokens is None else max(1, countable(tokens))
            for tokens in (self.high_tokens, self.low_tokens)
        )
        return attrs.evolve(self, high_tokens=high, low_tokens=low)


def _settle_path(path: str | Path) -> str | Path:
    return absolute(path) if str(path) else ""


@attrs.define
class State:
    """The window that was sent last, and the messages it was made of.

    Args:
        path: a file that holds it between processes; "" for one process.
    """

    path: str | Path = attrs.field(default="", converter=_settle_path)
    water: Water = Water()
    source: list[str] = attrs.field(factory=list)
    """Digests of the messages that the window was made of."""
    window: list[Any] = attrs.field(factory=list)
    """The window's own messages, as they were sent."""
    outside: dict[str, Any] | None = None
    """The system's text outside of the list, as `given` and as `sent`, if it was repaired."""
    sent: list[tuple[str, int]] = attrs.field(factory=list)
    """Digest and tokens of each message that was sent last."""
    compactions: int = 0
    origins: list[tuple[int, int]] = attrs.field(factory=list)
    """For each message that a compaction sent, its index and its number of blocks."""
    setup: Any = attrs.field(default=None, repr=False)
    """The setup that one process keeps: plugins, counts, texts that were read."""
    scanners: Scanners | None = attrs.field(default=None, eq=False, repr=False)
    """The scanners that find secrets in its texts; None before the first use."""
    id: str = attrs.field(factory=lambda: secrets.token_hex(8), init=False, eq=False, repr=False)
    """Identifies this object in other places that keep something about it."""

    @classmethod
    def at(cls, path: str | Path, water: Water | None = None) -> State:
        """Read the state of a file; return an empty one if there is no file.

        Raises:
            ConversationError: the file is not a state.
        """
        state = cls(path, water or Water())
        try:
            with open(path, "rb", opener=open_nonblocking) as file:
                text = file.read().decode("utf-8")
        except FileNotFoundError:
            return state
        except OSError as error:
            reason = f"can't be read: {error.strerror or error}; name another file"
            raise ConversationError(str(path), reason) from None
        except UnicodeDecodeError:
            text = ""
        try:
            state._fill(json.loads(text))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConversationError(
                str(path), "is not a state of satchel compact; remove it or name another file"
            ) from None
        return state

    def _fill(self, held: Any) -> None:
        if held["schema"] != SCHEMA:
            raise ValueError("another schema")
        source, window, sent = held["source"], held["window"], held["sent"]
        if not (
            isinstance(source, list)
            and isinstance(window, list)
            and all(isinstance(one, str) for one in source)
        ):
            raise TypeError("no lists")
        self.source, self.window = source, window
        self.outside = held["outside"] if isinstance(held["outside"], dict) else None
        self.sent = [(str(digest), int(tokens)) for digest, tokens in sent]
        self.compactions = int(held["compactions"])
        self.origins = [(int(index), int(blocks)) for index, blocks in held.get("origins", [])]

    def save(self) -> None:
        """Write the state to its file, whole or not at all; do nothing if it has no file.

        Raises:
            ConversationError: the file can't be written.
        """
        if not self.path:
            return
        path = Path(self.path)
        held = {
            "schema": SCHEMA,
            "source": self.source,
            "window": self.window,
            "outside": self.outside,
            "sent": self.sent,
            "compactions": self.compactions,
            "origins": self.origins,
        }
        try:
            with replacing(path, durable=False) as file:  # one that is lost costs a cache, not a text
                file.write(json.dumps(held).encode("ascii"))
        except OSError as error:
            raise ConversationError(str(path), f"can't be written: {error.strerror}") from None

    def forget(self) -> None:
        """Forget the window: the conversation is another one now."""
        self.source, self.window, self.sent, self.outside = [], [], [], None
        self.origins = []
        self.compactions = 0


class Digests:
    """Digests of the items of documents, each made once while the items are alive."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}

    def know(self, items: Sequence[Any], digests: Iterable[str]) -> None:
        """Take over the digests of items that were made before."""
        self._known.update(zip(map(id, items), zip(items, digests, strict=True), strict=True))

    def of(self, items: Sequence[Any]) -> list[str]:
        """Return a digest of each item."""
        known = self._known
        return [known[id(item)][1] if id(item) in known else self._make(item) for item in items]

    def _make(self, item: Any) -> str:
        content = _write_content(_unwrap_text(item)).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(content, digest_size=9).hexdigest()
        # the item is held too, so that no other one gets its address
        self._known[id(item)] = item, digest
        return digest


def _write_content(item: Any) -> str:
    """Return a text that no other message has; for a message of plain texts, the fastest such text."""
    is_plain = type(item) is dict and all(type(value) is str for value in item.values())
    return repr(item) if is_plain else dump(item)


def _unwrap_text(item: Any) -> Any:
    """Return a message with its text as content, if its content is a list of just that plain text.

    Both say the same; clients that mark the newest message for a prompt cache write a list there alone.
    """
    content = item.get("content") if isinstance(item, dict) else None
    if not isinstance(content, list) or len(content) != 1 or not isinstance(content[0], dict):
        return item
    block = content[0]
    is_plain = len(block) == 2 and block.get("type") == "text" and isinstance(block.get("text"), str)
    return {**item, "content": block["text"]} if is_plain else item
