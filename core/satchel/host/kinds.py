"""The fifteen kinds of plugins: their hooks, methods and required attributes."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol


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
        return _METHODS[self]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the attributes that a class must have besides its methods and its name."""
        return _ATTRIBUTES.get(self, ())

    @property
    def optional(self) -> tuple[str, ...]:
        """Return the attributes that a class may leave out; a wrapper gives them their usual values."""
        return _OPTIONAL.get(self, ())

    @property
    def answers(self) -> tuple[str, ...]:
        """Return the methods of what a plugin of this kind opens, () where it opens nothing."""
        return _ANSWERS.get(self, ())


_METHODS = {
    PluginKind.PROVIDER: ("gather",),
    PluginKind.SCORER: ("score",),
    PluginKind.REPRESENTER: ("claims", "split"),
    PluginKind.WORTH_MODEL: ("correct",),
    PluginKind.PACKER: ("pack",),
    PluginKind.COMPRESSOR: ("compress",),
    PluginKind.GPU_BACKEND: ("devices",),
    PluginKind.TOKENIZER: ("count",),
    PluginKind.OBSERVER: ("__call__",),
    PluginKind.SCANNER: ("scan",),
    PluginKind.REDACTION_RULE: ("rules",),
    PluginKind.MESSAGE_FORMAT: (
        *("find_signs", "read_messages", "write_messages", "read_system", "write_system", "mend"),
        *("image_tokens", "describe_error", "with_window"),
    ),
    PluginKind.SESSION_FILE: ("recognizes", "read", "write"),
    PluginKind.SESSION_STORE: ("open",),
    PluginKind.BLOB_STORE: ("open",),
}
_ATTRIBUTES = {
    PluginKind.PROVIDER: ("wave", "max_items", "max_tokens"),
    PluginKind.SCORER: ("kinds", "grain", "weight"),
    PluginKind.REPRESENTER: ("version",),
    PluginKind.TOKENIZER: ("key", "exact", "error"),
    PluginKind.MESSAGE_FORMAT: (
        "list_key",
        "system_key",
        "takes_text",
        "rules",
        "paths",
        "sized_as",
        "cache_mark",
    ),
    PluginKind.SESSION_FILE: ("agent", "message_format"),
    PluginKind.SESSION_STORE: ("schemes",),
    PluginKind.BLOB_STORE: ("schemes",),
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
        """That distribution's version, "" where unknown."""
        ...

    @property
    def builtin(self) -> bool:
        """Whether it ships with satchel: only messages tell."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether it is called directly, without copies, wrappers and a child process."""
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
    """Whether it ships with satchel: only messages tell."""
    trusted: bool = False
    """Whether the person trusts its distribution: it is called directly, without copies and wrappers."""
    off: str = ""
    """Why it is off unless called by its full name; "" if it is on."""

    @property
    def enabled(self) -> bool:
        """Whether it takes part by default."""
        return not self.off

    @property
    def full_name(self) -> str:
        """Return the name that is unique across distributions."""
        return f"{self.distribution}:{self.name}"
