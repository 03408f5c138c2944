"""Traps of kinds, methods and bad values: every field of every answer, and every setting, is junk once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import attrs

from satchel import BudgetError, ContextItem, Device, Level, Part, Selection, Symbol, WorkspaceError
from satchel.host import PluginKind
from satchel.plugin_api import (
    Block,
    BlockKind,
    Flaw,
    FormatRules,
    FormatSign,
    Message,
    RedactionRule,
    TranscriptDraft,
)


class Hostile:
    """Fails whatever it is asked."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("hostile")

    __eq__ = __hash__ = __repr__ = __str__ = __len__ = __bool__ = __iter__ = __getattr__ = _fail
    __int__ = __float__ = __index__ = __lt__ = __format__ = _fail
    __class__ = property(_fail)


class Liar:
    """Says to be a text, a number, a list: whatever somebody asks with isinstance."""

    def __init__(self, kind: type) -> None:
        object.__setattr__(self, "kind", kind)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return object.__getattribute__(self, "kind")  # type: ignore[no-any-return]


class LoudText(str):
    """A text whose methods fail."""

    __slots__ = ()

    def _fail(self, *_: object) -> Any:
        raise RuntimeError("loud")

    __eq__ = __len__ = encode = split = startswith = strip = _fail  # type: ignore[assignment]
    __hash__ = str.__hash__


def _endless() -> Iterator[int]:
    return itertools.count()


def _cyclic() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


BAD: Mapping[str, Callable[[], Any]] = {
    "none": lambda: None,
    "seven": lambda: 7,
    "minus": lambda: -1,
    "flag": lambda: True,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "huge": lambda: 10**400,
    "bytes": lambda: b"bytes",
    "text": lambda: "junk",
    "empty": lambda: "",
    "surrogate": lambda: "\ud800",
    "loud": lambda: LoudText("loud"),
    "hostile": Hostile,
    "liar": lambda: Liar(str),
    "lying number": lambda: Liar(int),
    "endless": _endless,
    "cyclic": _cyclic,
    "million": lambda: ["x"] * 1_000_000,
    "pair": lambda: (9, 1),
    "mapping": lambda: {"x": None},
}
"""Values by name; each is made when it is wanted, because some are used up."""
FEW = ("none", "seven", "hostile")
"""Those that the quick tests try."""
FAILURES = ("raises", "exits", "blames", "overspends")
"""What a method may do in the place of an answer."""
ANSWERS = (*FAILURES, "none", "seven", "text", "hostile", "endless", "million", "cyclic")
"""What a whole answer may be."""


class Trap(NamedTuple):
    """One bad value in one place of one kind of plugin."""

    kind: PluginKind
    place: str
    """A method, `Type.field` of what it returns, or a setting."""
    value: str

    def __str__(self) -> str:
        return f"{self.kind}-{self.place}-{self.value}"


METHODS: Mapping[PluginKind, tuple[str, ...]] = {
    kind: kind.methods for kind in PluginKind if kind is not PluginKind.OBSERVER
}
RETURNED: Mapping[PluginKind, tuple[type, ...]] = {
    PluginKind.PROVIDER: (ContextItem,),
    PluginKind.REPRESENTER: (Part, Symbol),
    PluginKind.PACKER: (Selection,),
    PluginKind.COMPRESSOR: (Message, Block),
    PluginKind.GPU_BACKEND: (Device,),
    PluginKind.MESSAGE_FORMAT: (Message, Block, FormatSign, Flaw),
    PluginKind.SESSION_FILE: (TranscriptDraft,),
}
SETTINGS: Mapping[PluginKind, tuple[str, ...]] = {
    PluginKind.PROVIDER: ("max_items", "max_tokens"),
    PluginKind.SCORER: ("weight",),
    PluginKind.PACKER: ("weights", "whole"),
    PluginKind.COMPRESSOR: ("share", "levels", "never_prune"),
    PluginKind.TOKENIZER: ("key", "exact", "error"),
    PluginKind.MESSAGE_FORMAT: PluginKind.MESSAGE_FORMAT.attributes,
    PluginKind.SESSION_FILE: PluginKind.SESSION_FILE.attributes,
}
ELEMENTS = (PluginKind.SCORER, PluginKind.WORTH_MODEL, PluginKind.TOKENIZER, PluginKind.SCANNER)
"""Kinds whose answers are plain numbers, one of which is bad."""


def fields_of(cls: type) -> tuple[str, ...]:
    """Return the names of what an answer is made of; of a part, what a representer fills in."""
    if attrs.has(cls):
        return tuple(field.name for field in attrs.fields(cls))
    return cls._fields[:7]  # type: ignore[attr-defined,no-any-return]


def traps(values: tuple[str, ...] = FEW, answers: tuple[str, ...] = ANSWERS) -> list[Trap]:
    """Return every trap that these values make."""
    found = [
        Trap(kind, method, one) for kind, names in METHODS.items() for method in names for one in answers
    ]
    for kind, classes in RETURNED.items():
        places = [f"{cls.__name__}.{field}" for cls in classes for field in fields_of(cls)]
        found += [Trap(kind, place, value) for place in places for value in values]
    found += [
        Trap(kind, f"={name}", one) for kind, names in SETTINGS.items() for name in names for one in values
    ]
    found += [Trap(kind, "()", one) for kind in METHODS for one in FAILURES if answers]
    return found + [Trap(kind, "element", value) for kind in ELEMENTS for value in values]


def plugin_of(trap: Trap) -> type:
    """Return a class of the trap's kind that answers well but for its one bad value."""
    good = GOOD[trap.kind](trap)
    body = {"name": "trap", "__annotations__": {}, **good}
    if trap.place.startswith("="):
        value = BAD[trap.value]()
        body[trap.place[1:]] = property(lambda self: value)
    elif trap.place == "()":
        body["__attrs_post_init__"] = lambda self: _answer(trap.value)
    elif trap.place in METHODS[trap.kind]:
        body[trap.place] = lambda self, *given, **named: _answer(trap.value)
    return attrs.frozen(eq=False, repr=trap.kind is PluginKind.SCANNER)(type("Trap", (), body))


def _answer(value: str) -> Any:
    if value == "raises":
        raise RuntimeError("no answer today")
    if value == "exits":
        raise SystemExit(0)
    if value == "blames":
        raise WorkspaceError("somewhere", "is gone")
    if value == "overspends":
        raise BudgetError(1, [("nobody", 2)])
    return BAD[value]()


def spoiled(trap: Trap, good: Any) -> Any:
    """Return what a plugin returns, with the bad value where the trap wants it in this type."""
    cls, _, field = trap.place.partition(".")
    if type(good).__name__ != cls:
        return good
    if isinstance(good, tuple):
        names = type(good)._fields  # type: ignore[attr-defined]
        return type(good)(*[BAD[trap.value]() if one == field else getattr(good, one) for one in names])
    object.__setattr__(good, field, BAD[trap.value]())
    return good


def _provider(trap: Trap) -> dict[str, Any]:
    def gather(self: Any, task: Any, workspace: Any, best: Any) -> Any:
        return [spoiled(trap, ContextItem("note:a", "trap", "note", "a note", text="the login note\n"))]

    return {"wave": 1, "max_items": 5, "max_tokens": 1_000, "gather": gather}


def _scorer(trap: Trap) -> dict[str, Any]:
    def score(self: Any, parts: Any, task: Any, workspace: Any) -> Any:
        scores = [0.0] * len(parts)
        return [*scores[1:], BAD[trap.value]()] if trap.place == "element" else scores

    kinds = frozenset({"file", "exchange"})
    return {"kinds": kinds, "grain": "part", "weight": 1.0, "score": score}


def _representer(trap: Trap) -> dict[str, Any]:
    def split(self: Any, item: Any) -> Any:
        symbol = spoiled(trap, Symbol("a", "function", (1, 1), (1, 1)))
        return [spoiled(trap, Part("block", "", (1, 1), symbols=(symbol,)))]

    return {"version": "1", "claims": lambda self, item: 1.0, "split": split}


def _packer(trap: Trap) -> dict[str, Any]:
    return {"pack": lambda self, candidates, budget: spoiled(trap, Selection({}, 0, 0.0))}


def _worth_model(trap: Trap) -> dict[str, Any]:
    def correct(self: Any, items: Any, chances: Any, query: Any) -> Any:
        corrected = [list(mine) for mine in chances]
        if trap.place == "element" and corrected and corrected[0]:
            corrected[0][0] = BAD[trap.value]()
        return corrected, corrected

    return {"correct": correct}


def _compressor(trap: Trap) -> dict[str, Any]:
    def compress(self: Any, exchanges: Any, target: Any, tokenizer: Any) -> Any:
        block = spoiled(trap, Block(BlockKind.TEXT, "What was said before."))
        return spoiled(trap, Message("user", (block,)))

    return {"compress": compress, "levels": frozenset({Level.FULL})}


def _gpu_backend(trap: Trap) -> dict[str, Any]:
    return {"devices": lambda self: [spoiled(trap, Device("card", 2**34, 2**33, "trap"))]}


def _tokenizer(trap: Trap) -> dict[str, Any]:
    def count(self: Any, texts: Any) -> Any:
        counts: list[Any] = [1 + len(text) // 4 for text in texts]
        return [*counts[1:], BAD[trap.value]()] if trap.place == "element" else counts

    return {"key": "o200k_base", "exact": True, "error": 0.0, "count": count}


def _scanner(trap: Trap) -> dict[str, Any]:
    def scan(self: Any, text: str, path: str) -> Any:
        return [(0, 1, BAD[trap.value]())] if trap.place == "element" else []

    return {"scan": scan}


def _redaction_rule(trap: Trap) -> dict[str, Any]:
    return {"rules": lambda self: [spoiled(trap, RedactionRule("trap", "trap_[a-z]{20}", ("trap_",)))]}


def _message_format(trap: Trap) -> dict[str, Any]:
    def read_messages(self: Any, items: Any, place: str) -> Any:
        blocks = (spoiled(trap, Block(BlockKind.TEXT, str(items))),)
        return [spoiled(trap, Message("user", blocks, 0, raw={}, original=blocks))]

    return {
        "list_key": "messages",
        "system_key": "system",
        "takes_text": False,
        "rules": FormatRules(),
        "paths": (),
        "sized_as": "",
        "cache_mark": "",
        "find_signs": lambda self, items, request: [spoiled(trap, FormatSign("a smell", 0, False))],
        "read_messages": read_messages,
        "write_messages": lambda self, messages, joined: [{"said": one.text} for one in messages],
        "read_system": lambda self, value: None,
        "write_system": lambda self, message: message.text,
        "mend": lambda self, messages: (messages, [spoiled(trap, Flaw(0, "smell", "it smells"))]),
        "image_tokens": lambda self, block, model: 1,
        "describe_error": lambda self, reason: {"error": reason},
        "with_window": lambda self, request, tokens: request,
    }


def _session_file(trap: Trap) -> dict[str, Any]:
    def read(self: Any, records: Any) -> Any:
        draft = TranscriptDraft()
        draft.add({"role": "user", "content": "hello"})
        return spoiled(trap, draft)

    return {
        "agent": "Trap",
        "message_format": "openai",
        "recognizes": lambda self, records: True,
        "read": read,
        "write": lambda self, transcript, document: "",
    }


class _Opened:
    """A store of no use, of either kind."""

    place = "trap"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given: None


def _store(trap: Trap) -> dict[str, Any]:
    return {"schemes": frozenset({"trap"}), "open": lambda self, address, **options: _Opened()}


GOOD: Mapping[PluginKind, Callable[[Trap], dict[str, Any]]] = {
    PluginKind.PROVIDER: _provider,
    PluginKind.SCORER: _scorer,
    PluginKind.REPRESENTER: _representer,
    PluginKind.WORTH_MODEL: _worth_model,
    PluginKind.PACKER: _packer,
    PluginKind.COMPRESSOR: _compressor,
    PluginKind.GPU_BACKEND: _gpu_backend,
    PluginKind.TOKENIZER: _tokenizer,
    PluginKind.SCANNER: _scanner,
    PluginKind.REDACTION_RULE: _redaction_rule,
    PluginKind.MESSAGE_FORMAT: _message_format,
    PluginKind.SESSION_FILE: _session_file,
    PluginKind.SESSION_STORE: _store,
    PluginKind.BLOB_STORE: _store,
}
