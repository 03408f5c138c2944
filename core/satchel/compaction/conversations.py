"""Many conversations in one process: each has a state that is found again, saved and dropped."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from satchel.compaction.cleaning import Prepared, find_items, prepare
from satchel.compaction.compacting import compact
from satchel.compaction.offloading import compact_elsewhere, goes_elsewhere
from satchel.compaction.state import State, Water
from satchel.compaction.windows import Window
from satchel.config import Config
from satchel.conversation.cache_marks import CacheMarks, list_cache_marks
from satchel.errors import ConversationError, UsageError
from satchel.host import Host
from satchel.installed import find_formats, find_plugins, make_user_scanners
from satchel.private_files import cache_folder, make_private_folder

if TYPE_CHECKING:
    from satchel.redaction.scanning import Scanners

_HEADERS = ("x-claude-code-session-id", "session-id", "session_id", "x-session-id")
_LOOKED_AT = 64
"""Most states with the same beginning; the oldest is dropped for a new one."""


@attrs.define(eq=False)
class _KeptConversation:
    """The state of one conversation, used by one call at a time."""

    name: str
    state: State
    lock: threading.Lock = attrs.field(factory=threading.Lock)


class Conversations:
    """Compacts many conversations; the beginning of each stays as it was sent, for the prompt cache.

    A conversation is recognised by its key, if it has one, and by its messages: the messages sent before must
    be the beginning of the new ones. So two conversations that begin alike never share a text.

    Args:
        folder: where the states are saved, to be found after a restart; "" to keep them in memory alone.
        budget: most tokens of a window.
        most: most conversations; the one that was not used for the longest time is forgotten.
        water: high and low water of the states.
        save_uncut: whether to save also conversations that are still uncut; they need a state only to report
            what a provider has in its cache.
        options: further options of `compact`, like `strategy`, `format` or `store`.

    Raises:
        UsageError: `most` is below 1.
    """

    def __init__(
        self,
        folder: str | Path = "",
        *,
        budget: int,
        most: int = 500,
        water: Water | None = None,
        save_uncut: bool = True,
        **options: Any,
    ) -> None:
        if most < 1:
            raise UsageError(f"most must be a whole number of conversations from 1 up, not {most}")
        self._folder = Path(folder).absolute() if str(folder) else None
        self._budget, self._most, self._water = budget, most, water or Water()
        self._options, self._save_uncut = options, save_uncut
        self._lock = threading.Lock()
        self._known: OrderedDict[str, list[_KeptConversation]] = OrderedDict()
        """Conversations by key and beginning; the most recently used comes last, in each list too."""
        self._host: Host | None = None
        self._scanners: Scanners | None = None
        self._marks: CacheMarks | None = None
        self._saved = True
        """Whether files may have been added since the folder was last read."""

    def window(
        self, messages: Any, *, headers: Mapping[str, str] | None = None, key: str = "", **options: Any
    ) -> Window:
        """Compact a conversation with its own state.

        Args:
            messages: a list of messages, or the request that holds them, each time from the beginning.
            headers: of the request; those of known clients say which conversation it is.
            key: whose conversation it is, where you know better.
            options: instead of those of all conversations, `budget` too.

        Raises:
            SatchelError: as `compact` does.
        """
        return self._window(messages, headers, key, {**self._options, **options}, is_elsewhere=False)

    async def awindow(
        self, messages: Any, *, headers: Mapping[str, str] | None = None, key: str = "", **options: Any
    ) -> Window:
        """Compact a conversation as `window` does, while the event loop goes on."""
        import asyncio

        options = {**self._options, **options}
        is_elsewhere = goes_elsewhere(messages, options)
        return await asyncio.to_thread(
            self._window, messages, headers, key, options, is_elsewhere=is_elsewhere
        )

    def _window(
        self,
        messages: Any,
        headers: Mapping[str, str] | None,
        key: str,
        options: Mapping[str, Any],
        *,
        is_elsewhere: bool,
    ) -> Window:
        given = {"budget": self._budget, **options}
        prepared = prepare(messages, self._share_scanners(), self._share_marks(given), is_kept=True)
        kept = self._find(prepared, key or conversation_key(messages, headers))
        with kept.lock:
            if is_elsewhere:
                window = prepared.finish(compact_elsewhere(prepared.messages, state=kept.state, **given))
            else:
                window = compact(prepared, state=kept.state, **self._with_host(given))
            self._save_first_cut(kept)
        self._forget_oldest()
        return window

    def __len__(self) -> int:
        """Return how many conversations are known in this process."""
        with self._lock:
            return sum(map(len, self._known.values()))

    def _with_host(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return options with the one host that all conversations share, unless they name one."""
        if "host" in options or "config" in options:
            return options
        with self._lock:
            if self._host is None or self._host.problems:  # the problems of one are not those of the next
                self._host = Host.installed(cache_dir=cache_folder())
            return {**options, "host": self._host}

    def _share_scanners(self) -> Scanners:
        """Return the scanners that find secrets in all conversations, made once."""
        with self._lock:
            if self._scanners is None:
                self._scanners = make_user_scanners()
            return self._scanners

    def _share_marks(self, options: Mapping[str, Any]) -> CacheMarks:
        """Return the prompt cache marks in the formats of the first call."""
        if self._marks is None:
            given = self._with_host(dict(options))
            config = given.get("config") or Config()
            host = given.get("host") or find_plugins(config)
            self._marks = list_cache_marks(find_formats(host, config))
        return self._marks

    def _find(self, prepared: Prepared, key: str) -> _KeptConversation:
        """Return the conversation whose messages are the beginning of these, or a new one."""
        items = find_items(prepared.messages)
        digests = prepared.digests.of(items if isinstance(items, list) else [items])
        beginning = _name_beginning(prepared.messages, digests, key)
        with self._lock:
            known = self._known.pop(beginning, None)
            if known is None:
                known = self._load(beginning)
            self._known[beginning] = known
            fitting = [one for one in known if _is_beginning(one.state.source, digests)]
            found = max(fitting, key=lambda one: len(one.state.source), default=None)
            if found is None:
                found = self._make(beginning, known)
            else:
                known.remove(found)
            known.append(found)
            del known[:-_LOOKED_AT]
            found.state.scanners = self._scanners
        return found

    def _make(self, beginning: str, known: list[_KeptConversation]) -> _KeptConversation:
        taken = {one.name for one in known}
        name = next(name for n in range(len(taken) + 1) if (name := f"{beginning}-{n}") not in taken)
        kept = _KeptConversation(name, State("", self._water))
        if self._save_uncut and (path := self._path(name)) is not None:
            make_private_folder(path.parent)
            kept.state.path = path
            self._saved = True
        return kept

    def _save_first_cut(self, kept: _KeptConversation) -> None:
        """Begin to save a conversation once something was cut."""
        path = self._path(kept.name)
        if path is not None and kept.state.compactions and not kept.state.path:
            make_private_folder(path.parent)
            kept.state.path = path
            kept.state.save()
            self._saved = True

    def _path(self, name: str) -> Path | None:
        return self._folder / f"{name}.json" if self._folder is not None else None

    def _load(self, beginning: str) -> list[_KeptConversation]:
        """Return the saved conversations with this beginning, without those that can't be read."""
        if self._folder is None or not self._folder.is_dir():
            return []
        found = []
        for path in sorted(self._folder.glob(f"{beginning}-*.json"), key=_used_at):
            try:
                found.append(_KeptConversation(path.stem, State.at(path, self._water)))
            except ConversationError:  # its window is made anew
                path.unlink(missing_ok=True)
        return found

    def _forget_oldest(self) -> None:
        """Forget conversations beyond the most, and their files."""
        with self._lock:
            extra = sum(map(len, self._known.values())) - self._most
            while extra > 0:
                beginning, known = next(iter(self._known.items()))
                dropped = known.pop(0)
                if not known:
                    del self._known[beginning]
                self._remove(dropped.name)
                extra -= 1
            if self._folder is not None and self._saved and self._folder.is_dir():
                self._saved = False
                saved = sorted(self._folder.glob("*-*.json"), key=_used_at)
                for path in saved[: -self._most]:
                    path.unlink(missing_ok=True)

    def _remove(self, name: str) -> None:
        if (path := self._path(name)) is not None:
            path.unlink(missing_ok=True)


def conversation_key(messages: Any, headers: Mapping[str, str] | None = None) -> str:
    """Return the name that a known client gives its conversation, "" if there is none.

    Claude Code and Codex name theirs in a header or in the request. It is not enough to distinguish
    conversations: the helpers of an agent have the same name as the agent.
    """
    told = {name.lower(): value for name, value in (headers or {}).items()}
    for name in _HEADERS:
        if told.get(name):
            return str(told[name])
    request = messages if isinstance(messages, dict) else {}
    if isinstance(cached := request.get("prompt_cache_key"), str):
        return cached
    metadata = request.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if isinstance(user, str) and user.startswith("{"):
        try:
            user = json.loads(user)
        except ValueError:
            return ""
    session = user.get("session_id") if isinstance(user, dict) else None
    return session if isinstance(session, str) else ""


def _is_beginning(source: list[str], digests: list[str]) -> bool:
    return bool(source) and digests[: len(source)] == source


def _name_beginning(messages: Any, digests: list[str], key: str) -> str:
    """Return a name for all conversations with this key and these messages up to the first user message."""
    items = find_items(messages)
    roles = [item.get("role") if isinstance(item, dict) else "user" for item in items or ()]
    first = roles.index("user") + 1 if "user" in roles else 1
    outside = messages.get("model", "") if isinstance(messages, dict) else ""
    told = json.dumps([key, outside, digests[:first]]).encode()
    return hashlib.blake2b(told, digest_size=12).hexdigest()


def _used_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process dropped it
        return 0.0
