"""The fifteen kinds of plugins: their hooks, methods and required attributes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple, Protocol

from satchel import interfaces


class PluginKind(enum.StrEnum):
    """The kind of a plugin; the value is also the name of its config table."""

    PROVIDER = "provider"
    SCORER = "scorer"
    REPRESENTER = "representer"
    WORTH_MODEL = "worth_model"
    PACKER = "packer"
    COMPRESSOR = "compressor"
    GPU_BACKEND = "gpu_backend"
    TOKENIZER = "tokenizer"
    OBSERVER = "observer"
    SCANNER = "scanner"
    REDACTION_RULE = "redaction_rule"
    MESSAGE_FORMAT = "message_format"
    SESSION_FILE = "session_file"
    SESSION_STORE = "session_store"
    BLOB_STORE = "blob_store"

    @property
    def hook(self) -> str:
        """Return the name of the hook for plugins of this kind."""
        return f"satchel_{self.value}s"

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the names of the methods that the host calls."""
        return _read_members(self)[0]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the attributes that a class must have besides its methods and its name."""
        return _read_members(self)[1]

    @property
    def optional(self) -> tuple[str, ...]:
        """Return the attributes that a class may leave out; a wrapper gives them their usual values."""
        return _OPTIONAL.get(self, ())

    @property
    def optional_methods(self) -> tuple[str, ...]:
        """Return the methods that a class may leave out."""
        return ("reason",) if self is PluginKind.SCORER else ()

    @property
    def answers(self) -> tuple[str, ...]:
        """Return the methods of objects that a plugin of this kind opens, () if it opens nothing."""
        return _ANSWERS.get(self, ())


PROTOCOLS: Mapping[PluginKind, type] = {
    PluginKind.PROVIDER: interfaces.Provider,
    PluginKind.SCORER: interfaces.ExplainingScorer,
    PluginKind.REPRESENTER: interfaces.Representer,
    PluginKind.WORTH_MODEL: interfaces.WorthModel,
    PluginKind.PACKER: interfaces.Packer,
    PluginKind.COMPRESSOR: interfaces.Compressor,
    PluginKind.GPU_BACKEND: interfaces.GpuBackend,
    PluginKind.TOKENIZER: interfaces.Tokenizer,
    PluginKind.SCANNER: interfaces.Scanner,
    PluginKind.REDACTION_RULE: interfaces.RedactionRules,
    PluginKind.MESSAGE_FORMAT: interfaces.MessageFormat,
    PluginKind.SESSION_FILE: interfaces.SessionFile,
    PluginKind.SESSION_STORE: interfaces.SessionStore,
    PluginKind.BLOB_STORE: interfaces.BlobStore,
}
_OPTIONAL = {
    PluginKind.PACKER: ("weights", "whole"),
    PluginKind.COMPRESSOR: ("share", "levels"),
    PluginKind.SCANNER: ("version",),
}
_ANSWERS = {
    PluginKind.SESSION_STORE: ("reading", "writing", "close"),
    PluginKind.BLOB_STORE: ("put", "get", "touch", "list", "delete", "close"),
}


@cache
def _read_members(kind: PluginKind) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the methods and the attributes that the protocol of a kind requires, also an observer's."""
    if kind is PluginKind.OBSERVER:
        return ("__call__",), ()
    methods, attributes = [], []
    for protocol in reversed(PROTOCOLS[kind].__mro__[:-3]):  # without Protocol, Generic and object
        members = vars(protocol)
        methods += [name for name, one in members.items() if isinstance(one, FunctionType)]
        attributes += members.get("__annotations__", ())
        attributes += [name for name, one in members.items() if isinstance(one, property)]
    left_out = {"name", *kind.optional, *kind.optional_methods}
    return (
        tuple(name for name in methods if name[0] != "_" and name not in left_out),
        tuple(name for name in attributes if name not in left_out),
    )


class Origin(Protocol):
    """The source of a call: a plugin, or an entry point that provides plugins."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def distribution(self) -> str:
        """The installed distribution that it comes from."""
        ...

    @property
    def version(self) -> str:
        """That distribution's version, "" if unknown."""
        ...

    @property
    def builtin(self) -> bool:
        """Return whether it ships with satchel: this matters only in messages."""
        ...

    @property
    def trusted(self) -> bool:
        """Return whether it is called directly, without copies, wrappers or a child process."""
        ...


class Loaded(NamedTuple):
    """A plugin whose class was returned by a hook and has the shape of its kind."""

    kind: PluginKind
    name: str
    cls: Any
    """The class, or a `Later` that names it; for an observer, whatever the hook returned."""
    distribution: str
    version: str = ""
    builtin: bool = False
    """Whether it ships with satchel: this matters only in messages."""
    trusted: bool = False
    """Whether the person trusts its distribution: it is called directly, without copies and wrappers."""
    off: str = ""
    """Why it is off unless called by its full name; "" if it is on."""

    @property
    def enabled(self) -> bool:
        """Return whether it takes part by default."""
        return not self.off

    @property
    def full_name(self) -> str:
        """Return the name that is unique across distributions."""
        return f"{self.distribution}:{self.name}"
