"""The nine kinds of plugins: their hooks, their methods, and what a class of each must have."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple, Protocol


class Kind(enum.StrEnum):
    """What a plugin is; the value is also the name of its config table."""

    PROVIDER = "provider"
    SCORER = "scorer"
    REPRESENTER = "representer"
    PACKER = "packer"
    COMPRESSOR = "compressor"
    GPU_BACKEND = "gpu_backend"
    TOKENIZER = "tokenizer"
    OBSERVER = "observer"
    SCANNER = "scanner"

    @property
    def hook(self) -> str:
        """Name the hook that returns plugins of this kind."""
        return f"satchel_{self.value}s"

    @property
    def methods(self) -> tuple[str, ...]:
        """Name the methods that the host calls."""
        return _METHODS[self]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Name what a class must have beside its methods and its name."""
        return _ATTRIBUTES.get(self, ())


_METHODS = {
    Kind.PROVIDER: ("gather",),
    Kind.SCORER: ("score",),
    Kind.REPRESENTER: ("claims", "split"),
    Kind.PACKER: ("pack",),
    Kind.COMPRESSOR: ("compress",),
    Kind.GPU_BACKEND: ("devices",),
    Kind.TOKENIZER: ("count",),
    Kind.OBSERVER: ("__call__",),
    Kind.SCANNER: ("scan",),
}
_ATTRIBUTES = {
    Kind.PROVIDER: ("wave", "max_items", "max_tokens"),
    Kind.SCORER: ("kinds", "grain", "weight"),
    Kind.REPRESENTER: ("version",),
    Kind.TOKENIZER: ("key", "exact", "error"),
}


class Origin(Protocol):
    """Whatever can be named as the source of a call: a plugin, or the entry point that brings plugins."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def distribution(self) -> str:
        """The installed distribution that it is from."""
        ...

    @property
    def version(self) -> str:
        """That distribution's version, "" where unknown."""
        ...

    @property
    def builtin(self) -> bool:
        """Whether it ships with satchel."""
        ...


class Loaded(NamedTuple):
    """A plugin whose class was returned by a hook and has the shape of its kind."""

    kind: Kind
    name: str
    cls: Any
    """The class, or a `Later` that names it; of an observer, whatever was returned."""
    distribution: str
    version: str = ""
    builtin: bool = False
    off: str = ""
    """Why it takes no part unless it is asked for by its full name; "" where it does."""

    @property
    def enabled(self) -> bool:
        """Whether it takes part without being asked for."""
        return not self.off

    @property
    def full_name(self) -> str:
        """Name it so that no other distribution's plugin can be meant."""
        return f"{self.distribution}:{self.name}"
