"""Two gauges that never trigger each other's column: cells used of a window, free memory against a margin.

An engine allocates weights, cache and compute buffers when it loads a model, so its memory does not
grow with the conversation: only other processes change what is free, and only the conversation
changes how many cells are used.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import attrs

from satchel.errors import UsageError
from satchel.patterns import lazily
from satchel.sizing.models.opening import ServerError, ask, ask_any, ollama_address

CELLS = "cells"
MEMORY = "memory"


class PressureLevel(enum.IntEnum):
    """The level of a gauge; each has one action in each column."""

    CALM = 0
    FIRST = 1
    """Cells: compact. Memory: report."""
    SECOND = 2
    """Cells: compact to low water, no summaries. Memory: re-pack for a smaller window, then reload."""
    LAST = 3
    """Cells: verified snapshot, then the promised parts only. Memory: verified snapshot, then unload."""


@attrs.frozen
class Limits:
    """The thresholds of the levels."""

    cells: tuple[float, float, float] = (0.80, 0.90, 0.95)
    """Shares of the window."""
    margin_bytes: int = 512 << 20
    """Free memory that other processes and the driver's pools may take."""
    margins: tuple[float, float, float] = (1.0, 1 / 2, 1 / 8)
    """Shares of the margin, below which each level of memory begins."""
    low_water: float = 0.60
    """Share of the window that a compaction to low water leaves."""
    cooldown_seconds: float = 30.0
    """How long a level stays silent after a report, so that flapping memory fires once."""
    least_window: int = 2_048
    """Tokens below which no reload is requested."""


class Reading(NamedTuple):
    """The values at one moment; None if the source has none."""

    used: int | None = None
    """Tokens in the window, including those about to be sent."""
    window: int | None = None
    """Tokens that the window holds."""
    free_bytes: int | None = None
    """Free memory of the fullest device."""


def cells_level(reading: Reading, limits: Limits) -> PressureLevel:
    """Return the level of the cells gauge, calm if the cells are unknown."""
    if reading.used is None or not reading.window or reading.window < 0:
        return PressureLevel.CALM
    return PressureLevel(sum(reading.used >= share * reading.window for share in limits.cells))


def memory_level(reading: Reading, limits: Limits) -> PressureLevel:
    """Return the level of the memory gauge, calm if the memory is unknown."""
    free = reading.free_bytes
    if free is None:
        return PressureLevel.CALM
    return PressureLevel(sum(free < share * limits.margin_bytes for share in limits.margins))


def smaller_window(reading: Reading, limits: Limits, *, bytes_per_token: float) -> int | None:
    """Return the window whose cache would leave the margin free, None if that is too small.

    Cells are allocated in steps of 256, as llama.cpp pads them; without a cache size per token, three
    quarters of the window are taken.
    """
    window, free = reading.window, reading.free_bytes
    if window is None or free is None:
        return None
    missing = max(0, limits.margin_bytes - free)
    wanted = window - missing / bytes_per_token if bytes_per_token > 0 else window * 3 / 4
    padded = min(int(wanted), window - 256) // 256 * 256
    return padded if padded >= limits.least_window else None


_WITHOUT_SLOTS = (403, 404, 501)
"""Answers of a llama-server that was started with --no-slots, by version."""


Cells = tuple[int | None, int | None]
"""A server's used cells of its window, and its window; None if unknown."""


def check_window_name(window: str) -> str:
    """Return the text that names a window; raise UsageError if it names none."""
    parts = urlsplit(window)
    if window.startswith("ollama:") and window != "ollama:":
        return window
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"--window {window!r:.60} is neither http://HOST:PORT nor ollama:NAME")
    return window


def cells(window: str) -> Cells:
    """Return the cells of `ollama:NAME` or of a llama-server's URL; its fullest slot counts.

    Raises ServerError if the server can't be asked, UsageError if `window` names none.
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
    """Return the slots, () if the server was started with --no-slots."""
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


MOST_CHARACTERS = 4 << 20
"""Most characters of a log that are read, from its end: the cause of a process's end comes last."""


class OutOfMemory(NamedTuple):
    """Memory ran out."""

    kind: str
    """`cuda`, `hip`, `metal`, `vulkan`, `jetson`, `engine` (its own allocation) or `system`."""
    line: str
    """The line that says so, at most 300 characters."""
    recoverable: bool
    """Whether the engine continues by itself."""


_ROWS = Path(__file__).with_name("out_of_memory.txt").read_text("utf-8").splitlines()
_KINDS = tuple(
    (kind, lazily(rule, re.IGNORECASE | re.MULTILINE))
    for kind, _, rule in (row.partition(": ") for row in _ROWS)
)
_GENERAL = lazily(
    r"(?:error|fatal|panic|failed|exception|terminat|abort)[^\n]{0,200}\bout of memory\b"
    r"|\bout of memory\b[^\n]{0,80}(?:error|abort|exit|kill)",
    re.IGNORECASE,
)
_GOES_ON = lazily(
    r"retrying without pipeline parallelism|falling back to cpu|retrying with (?:fewer|smaller)",
    re.IGNORECASE,
)
_NOT_IT = lazily(
    r"\b(?:no|without|avoid\w*|prevent\w*|never|if|when|0|zero) (?:an? |any )?(?:cuda )?(?:out of memory|oom)"
    r"|out[ _]of[ _]memory\w*\W*(?:test\w*\W*)?(?:passed|ok\b|\.\.\. ok)|test\w*out_of_memory\w*\s+PASSED",
    re.IGNORECASE,
)


def out_of_memory(text: str) -> OutOfMemory | None:
    """Return the last sign in a log that memory ran out, None if there is none.

    Only real messages of engines, drivers and kernels count, not the words alone. Exit code 137 of a
    process without any text is the kernel's too, which no text can show.
    """
    recent = text[-MOST_CHARACTERS:]
    goes_on = False
    for line in reversed(recent.splitlines()):
        goes_on = goes_on or bool(_GOES_ON.search(line[:2_000]))
        kind = _kind(line[:2_000])
        if kind:
            return OutOfMemory(kind, line.strip()[:300], goes_on)
    return None


def _kind(line: str) -> str:
    if "memory" not in line.lower() and not _WORTH.search(line):
        return ""
    if _NOT_IT.search(line):
        return ""
    named = next((kind for kind, rule in _KINDS if rule.search(line)), "")
    return named or ("engine" if _GENERAL.search(line) else "")


_WORTH = lazily(r"malloc|alloc|status 5|oom|killed|NvMap|ErrorOutOf", re.IGNORECASE)


_TOLERANCE = 0.02
"""Share by which two counts of one prompt differ without a cut: templates, special tokens."""
_SLACK_TOKENS = 16


class Truncation(NamedTuple):
    """A server evaluated fewer tokens than it was sent."""

    sent: int
    evaluated: int

    @property
    def lost(self) -> int:
        """Return the tokens that the model never saw."""
        return self.sent - self.evaluated


def truncation(sent: int, evaluated: int, *, cached: int = 0, error: float = 0.0) -> Truncation | None:
    """Return the cut, None if the server evaluated everything.

    `sent` is one's own count of the whole prompt and `error` its relative error (0 if exact);
    `cached` are tokens that the server took from its cache in addition to those evaluated. A server
    may count more than was sent (its template), never less without a cut.
    """
    seen = evaluated + cached
    allowed = sent * (1 - _TOLERANCE - error) - _SLACK_TOKENS
    return Truncation(sent, seen) if seen < allowed else None
