"""Reads a local server's window and how much of it is used: llama-server and Ollama, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from satchel.errors import UsageError
from satchel.sizing.models.opening import ServerError, ask, ask_any, ollama_address

_WITHOUT_SLOTS = (403, 404, 501)
"""How a llama-server that was started with --no-slots answers, by version."""


Cells = tuple[int | None, int | None]
"""What a server reports as used of its window, and its window; None where it reports nothing."""


def check_window_name(window: str) -> str:
    """Return the text that names a window; raise UsageError where it names none."""
    parts = urlsplit(window)
    if window.startswith("ollama:") and window != "ollama:":
        return window
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"--window {window!r:.60} is neither http://HOST:PORT nor ollama:NAME")
    return window


def cells(window: str) -> Cells:
    """Return the cells of `ollama:NAME` or of a llama-server's URL; its fullest slot counts.

    Raises ServerError where the server can't be asked, UsageError where `window` names none.
    """
    if check_window_name(window).startswith("ollama:"):
        return _ollama(window.removeprefix("ollama:"))
    return _llama(window.rstrip("/"))


def _ollama(name: str) -> Cells:
    url = f"{ollama_address()}/api/ps"
    listed = ask(url).get("models")
    if not isinstance(listed, list):
        raise ServerError(url, "there is no 'models' in the answer")
    wanted = {name, f"{name}:latest"}
    for model in listed:
        if isinstance(model, dict) and wanted & {model.get("name"), model.get("model")}:
            return None, _whole(model, "context_length")
    raise ServerError(url, f"{name!r} is not loaded, start it with: ollama run {name}")


def _llama(url: str) -> Cells:
    slots = _slots(url)
    told = [(_used(slot), _whole(slot, "n_ctx")) for slot in slots]
    known = [(used / window, used, window) for used, window in told if used is not None and window]
    if known:
        _, used, full = max(known)
        return used, full
    settings = ask(f"{url}/props").get("default_generation_settings")
    window = _whole(settings, "n_ctx") if isinstance(settings, dict) else None
    if window is None:
        raise ServerError(f"{url}/props", "there is no default_generation_settings.n_ctx in the answer")
    return None, window


def _slots(url: str) -> Sequence[Mapping[str, Any]]:
    """Return the slots, () where the server was started with --no-slots."""
    try:
        answer = ask_any(f"{url}/slots")
    except ServerError as error:
        if error.status in _WITHOUT_SLOTS:
            return ()
        raise
    if not isinstance(answer, list):
        raise ServerError(f"{url}/slots", "the answer is not a list of slots")
    return [slot for slot in answer if isinstance(slot, dict)]


def _used(slot: Mapping[str, Any]) -> int | None:
    """Return the cells that a slot uses; the names of the fields changed with the server's versions."""
    past = _whole(slot, "n_past")
    if past is not None:
        return past
    prompt = _whole(slot, "n_prompt_tokens")
    if prompt is None:
        return None
    following = slot.get("next_token")
    if isinstance(following, list):
        following = following[0] if following else None
    decoded = _whole(following, "n_decoded") if isinstance(following, dict) else _whole(slot, "n_decoded")
    return prompt + (decoded or 0)


def _whole(table: Mapping[str, Any], key: str) -> int | None:
    value = table.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
