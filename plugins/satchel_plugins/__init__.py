"""The plugins that ship with satchel: a table of contents, each plugin imported when it is needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from satchel.plugin_api import hookimpl

if TYPE_CHECKING:
    from satchel.plugin_api import Later


@hookimpl
def satchel_providers() -> Iterable[Later]:
    """Return the providers."""
    from satchel_plugins.providers import PROVIDERS

    return PROVIDERS


@hookimpl
def satchel_scorers() -> Iterable[Later]:
    """Return the scorers."""
    from satchel_plugins.scorers import SCORERS

    return SCORERS


@hookimpl
def satchel_representers() -> Iterable[Later]:
    """Return the representers."""
    from satchel_plugins.representers import REPRESENTERS

    return REPRESENTERS


@hookimpl
def satchel_packers() -> Iterable[Later]:
    """Return the packers."""
    from satchel_plugins.packers import PACKERS

    return PACKERS


@hookimpl
def satchel_tokenizers() -> Iterable[Later]:
    """Return the tokenizers."""
    from satchel_plugins.tokenizers import TOKENIZERS

    return TOKENIZERS


@hookimpl
def satchel_gpu_backends() -> Iterable[Later]:
    """Return the probes for graphics cards."""
    from satchel_plugins.gpus import GPU_BACKENDS

    return GPU_BACKENDS


@hookimpl
def satchel_compressors() -> Iterable[Later]:
    """Return the compressors of conversations."""
    from satchel_plugins.compressors import COMPRESSORS

    return COMPRESSORS


@hookimpl
def satchel_session_stores() -> Iterable[Later]:
    """Return the stores of sessions."""
    from satchel_plugins.stores import SESSION_STORES

    return SESSION_STORES


@hookimpl
def satchel_worth_models() -> Iterable[Later]:
    """Return the models of worth."""
    from satchel_plugins.worth_models import WORTH_MODELS

    return WORTH_MODELS


@hookimpl
def satchel_session_files() -> Iterable[Later]:
    """Return the session files of agents."""
    from satchel_plugins.session_files import SESSION_FILES

    return SESSION_FILES


@hookimpl
def satchel_message_formats() -> Iterable[Later]:
    """Return the formats of messages."""
    from satchel_plugins.formats import MESSAGE_FORMATS

    return MESSAGE_FORMATS
