"""The plugins that ship with satchel: a table of contents, each plugin imported on use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from satchel.plugin_api import hookimpl

if TYPE_CHECKING:
    from satchel.plugin_api import Later


def _offer(package: str, table: str) -> Callable[[], Iterable[Later]]:
    """Return a hook that imports the table of a package on the host's request."""

    def offer() -> Iterable[Later]:
        found: Iterable[Later] = getattr(importlib.import_module(f"{__name__}.{package}"), table)
        return found

    return hookimpl(offer)


satchel_providers = _offer("providers", "PROVIDERS")
satchel_scorers = _offer("scorers", "SCORERS")
satchel_representers = _offer("representers", "REPRESENTERS")
satchel_packers = _offer("packers", "PACKERS")
satchel_tokenizers = _offer("tokenizers", "TOKENIZERS")
satchel_gpu_backends = _offer("gpus", "GPU_BACKENDS")
satchel_compressors = _offer("compressors", "COMPRESSORS")
satchel_session_stores = _offer("stores", "SESSION_STORES")
satchel_worth_models = _offer("worth_models", "WORTH_MODELS")
satchel_session_files = _offer("session_files", "SESSION_FILES")
satchel_message_formats = _offer("formats", "MESSAGE_FORMATS")
