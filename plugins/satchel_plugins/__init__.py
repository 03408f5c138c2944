"""The plugins that ship with satchel: a table of contents, each kind imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel import hookimpl

if TYPE_CHECKING:
    from satchel import Compressor, GpuBackend, Packer, Provider, Representer, Scorer, Tokenizer


@hookimpl
def satchel_providers() -> Iterable[type[Provider]]:
    """Return the providers."""
    from satchel_plugins.providers import PROVIDERS

    return PROVIDERS


@hookimpl
def satchel_scorers() -> Iterable[type[Scorer]]:
    """Return the scorers."""
    from satchel_plugins.scorers import SCORERS

    return SCORERS


@hookimpl
def satchel_representers() -> Iterable[type[Representer]]:
    """Return the representers."""
    from satchel_plugins.representers import REPRESENTERS

    return REPRESENTERS


@hookimpl
def satchel_packers() -> Iterable[type[Packer]]:
    """Return the packers."""
    from satchel_plugins.packers import PACKERS

    return PACKERS


@hookimpl
def satchel_tokenizers() -> Iterable[type[Tokenizer]]:
    """Return the tokenizers."""
    from satchel_plugins.tokenizers import TOKENIZERS

    return TOKENIZERS


@hookimpl
def satchel_gpu_backends() -> Iterable[type[GpuBackend]]:
    """Return the probes for graphics cards."""
    from satchel_plugins.gpus import GPU_BACKENDS

    return GPU_BACKENDS


@hookimpl
def satchel_compressors() -> Iterable[type[Compressor]]:
    """Return the compressors of conversations."""
    from satchel_plugins.compressors import COMPRESSORS

    return COMPRESSORS
