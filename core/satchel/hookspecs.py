"""The fifteen hooks: each takes nothing and returns classes, or a `Later` for a class; the host calls them.

Implement a hook with `@satchel.hookimpl` in the module that your entry point of the group
`satchel` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

import pluggy

if TYPE_CHECKING:
    from satchel.interfaces import (
        BlobStore,
        Compressor,
        GpuBackend,
        Later,
        MessageFormat,
        Observer,
        Packer,
        Provider,
        RedactionRules,
        Representer,
        Scanner,
        Scorer,
        SessionFile,
        SessionStore,
        Tokenizer,
        WorthModel,
    )

F = TypeVar("F", bound=Callable[..., object])

hookspec = pluggy.HookspecMarker("satchel")
_marker = pluggy.HookimplMarker("satchel")


def hookimpl(function: F) -> F:
    """Mark a function as the implementation of the hook of its name."""
    _marker(function)
    return function


@hookspec
def satchel_providers() -> Iterable[type[Provider] | Later]:  # type: ignore[empty-body]
    """Return classes that find context items.

    Called when something is packed.
    """


@hookspec
def satchel_scorers() -> Iterable[type[Scorer] | Later]:  # type: ignore[empty-body]
    """Return classes that say how much a part matters for a task.

    Called when something is packed or compacted.
    """


@hookspec
def satchel_representers() -> Iterable[type[Representer] | Later]:  # type: ignore[empty-body]
    """Return classes that split items into parts: one language, or one tool's output.

    Called when something is packed or squeezed.
    """


@hookspec
def satchel_worth_models() -> Iterable[type[WorthModel] | Later]:  # type: ignore[empty-body]
    """Return classes that correct how likely each part of a pack is needed.

    The one that the setting `worth_model` names is called when something is packed.
    """


@hookspec
def satchel_packers() -> Iterable[type[Packer] | Later]:  # type: ignore[empty-body]
    """Return packing strategies.

    Called when something is packed or compacted.
    """


@hookspec
def satchel_compressors() -> Iterable[type[Compressor] | Later]:  # type: ignore[empty-body]
    """Return compression strategies for exchanges that do not fit.

    Called when a conversation is compacted.
    """


@hookspec
def satchel_gpu_backends() -> Iterable[type[GpuBackend] | Later]:  # type: ignore[empty-body]
    """Return probes for graphics cards.

    Called when devices are listed or guarded, and when a window is sized and no memory was given.
    """


@hookspec
def satchel_tokenizers() -> Iterable[type[Tokenizer] | Later]:  # type: ignore[empty-body]
    """Return token counters.

    Called when a text must be counted whose count is not stored.
    """


@hookspec
def satchel_observers() -> Iterable[Observer | Callable[[], Observer] | Later]:  # type: ignore[empty-body]
    """Return callables, or classes of such, that receive the events of packs and compactions.

    Called when something was packed or compacted, before the first event is sent.
    """


@hookspec
def satchel_scanners() -> Iterable[type[Scanner] | Later]:  # type: ignore[empty-body]
    """Return classes that find secrets in addition to satchel's own rules.

    Called before the first text is read, by whatever shows or keeps text.
    """


@hookspec
def satchel_redaction_rules() -> Iterable[type[RedactionRules] | Later]:  # type: ignore[empty-body]
    """Return classes that bring rules of redaction in addition to satchel's own.

    Called before the first text is read, by whatever shows or keeps text.
    """


@hookspec
def satchel_message_formats() -> Iterable[type[MessageFormat] | Later]:  # type: ignore[empty-body]
    """Return classes that read and write the messages of a provider.

    Called before a conversation is read, whichever format it has.
    """


@hookspec
def satchel_session_files() -> Iterable[type[SessionFile] | Later]:  # type: ignore[empty-body]
    """Return classes that read and write the files in which an agent keeps its sessions.

    Called before a conversation is read that came as a file or on stdin.
    """


@hookspec
def satchel_session_stores() -> Iterable[type[SessionStore] | Later]:  # type: ignore[empty-body]
    """Return classes that open stores of sessions at addresses of their schemes.

    Called when a store is named by an address, such as `postgresql://host/database`, or by a folder.
    """


@hookspec
def satchel_blob_stores() -> Iterable[type[BlobStore] | Later]:  # type: ignore[empty-body]
    """Return classes that open stores of the archive's texts at addresses of their schemes.

    Called when the archive is named by an address, such as `s3://bucket/prefix`.
    """
