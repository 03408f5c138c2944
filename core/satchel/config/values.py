"""The settings that satchel knows, what each may be, and what a workspace may not say."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from satchel import spelling
from satchel.host.kinds import PluginKind
from satchel.patterns import lazily

KINDS = tuple(kind.value for kind in PluginKind)
"""Kinds of plugins, by the names of their tables."""

USED = {
    "compressor": "compressor",
    "message_format": "message_format",
    "packer": "strategy",
    "tokenizer": "tokenizer",
    "worth_model": "worth_model",
}
"""The setting that `use` in the table of a kind stands for: `[compressor] use = "mask"`."""
TABLES = {
    "session": {
        "store": "store",
        "days": "session_days",
        "count": "session_count",
        "bytes": "session_bytes",
        "spool": "session_spool",
        "share_snapshots": "shared_snapshots",
    },
    "archive": {"store": "archive"},
    "index": {"store": "shared_index"},
    "window": {
        "shares": "window_shares",
        "floors": "window_floors",
        "contributors": "window_contributors",
        "margin": "window_margin",
        "half_life": "half_life",
    },
}
"""The settings that stand in a table: `[session] store = "..."` is the setting `store`."""
SPELLED = {name: (table, key) for table, keys in TABLES.items() for key, name in keys.items()}
"""The table and the key in which such a setting stands."""
OF_PERSON = frozenset(name for name, (table, _) in SPELLED.items() if table != "window") | {"trust"}
"""Settings that no file of a workspace may have: where a person's sessions go, how long they stay, and whose
plugins are trusted."""
_BUDGET = lazily(r"(\d{1,3}(?:[_,]\d{3})+|\d{1,12})(?:\.(\d{1,3}))?([km]?)", re.ASCII | re.IGNORECASE)
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
# Beyond this the clocks of some systems overflow; nobody waits for a plugin for a day.
_LONGEST_DEADLINE = 86_400.0
_MOST_SNAPSHOTS = 10_000

_PROGRAM_WORDS = frozenset(
    {"command", "commands", "program", "executable", "binary", "shell", "exec", "argv", "interpreter"}
)
_REDACTION_WORDS = frozenset(
    {"redact", "redaction", "redactions", "secret", "secrets", "scanner", "scanners"}
)


def budget(value: object) -> int | str:
    """Return tokens, or `"auto"`; `16k` is 16,000; ValueError for anything else."""
    if isinstance(value, str):
        return _budget_of_text(value.strip().lower())
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("expected a whole number of tokens, like 16000 or '16k', or 'auto'")
    if value < 1:
        raise ValueError("expected at least 1 token")
    return value


def _budget_of_text(text: str) -> int | str:
    if text == "auto":
        return text
    found = _BUDGET.fullmatch(text)
    if not found or (found[2] and not found[3]):
        raise ValueError("expected a whole number of tokens, like 16000 or '16k', or 'auto'")
    whole = int(re.sub("[_,]", "", found[1]))
    part = int((found[2] or "0").ljust(3, "0"))
    return budget((whole * 1000 + part) * _FACTORS[found[3]] // 1000)


class ValueKind(NamedTuple):
    """What a setting may be."""

    check: Callable[[object], object]
    """Returns the value in its final type; ValueError with what was expected."""
    from_text: Callable[[str], object]
    """The same, from an environment variable."""
    schema: Mapping[str, object]


_BOUNDS = {
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "exclusiveMaximum": operator.lt,
}
_MOST = 1 << 60


def _number(expected: str, *, whole: bool = False, **bounds: float) -> ValueKind:
    """Return a number within bounds, as a JSON schema names them."""

    def _check(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise ValueError(f"expected {expected}")
        if not abs(value) < _MOST or not all(_BOUNDS[name](value, bound) for name, bound in bounds.items()):
            raise ValueError(f"expected {expected}")
        return value if whole else float(value)

    def _read(text: str) -> object:
        try:
            number = int(text) if whole else float(text)
        except ValueError:
            raise ValueError(f"expected {expected}") from None
        return _check(number)

    return ValueKind(_check, _read, {"type": "integer" if whole else "number", **bounds})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text in quotes")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected a name in quotes")
    return value.strip()


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise ValueError('expected a list of names, like ["churn"]')
    return tuple(dict.fromkeys(name.strip() for name in value if name.strip()))


CATEGORIES = ("system", "context", "dialog", "results")
CONTRIBUTORS = ("working files", "retrieval", "map", "docs")


def _table(names: tuple[str, ...], expected: str) -> ValueKind:
    """Return a table of numbers from 0 up by name, of which one at least is more than 0."""

    def _check(value: object) -> Mapping[str, float]:
        table = value if isinstance(value, dict) else None
        if table is None or any(
            isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf
            for number in table.values()
        ):
            raise ValueError(f"expected {expected}")
        for name in table:
            if name not in names:
                raise ValueError(f"{name!r} is not one of {', '.join(names)}{nearest(str(name), names)}")
        if table and not any(table.values()):
            raise ValueError("expected a number above 0")
        return dict(table)

    def _read(text: str) -> object:
        """Read `system=0.2, dialog=0.6`."""
        table = {}
        for part in filter(str.strip, text.split(",")):
            name, _, number = part.partition("=")
            try:
                table[name.strip()] = float(number)
            except ValueError:
                raise ValueError("expected a number") from None
        return _check(table)

    number = {"type": "number", "minimum": 0}
    return ValueKind(_check, _read, {"type": "object", "additionalProperties": number})


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _flag_of_text(text: str) -> bool:
    word = text.strip().lower()
    if word not in _TRUE + _FALSE:
        raise ValueError(f"expected one of {', '.join(_TRUE + _FALSE)}")
    return word in _TRUE


_BUDGETS = ValueKind(
    budget,
    budget,
    {
        "oneOf": [
            {"type": "integer", "minimum": 1},
            {"type": "string", "pattern": "^([Aa]uto|[0-9][0-9_,.]*[kKmM]?)$"},
        ]
    },
)
_TEXT = ValueKind(_text, _text, {"type": "string"})
_NAME = ValueKind(_name, _name, {"type": "string"})
_NAMES = ValueKind(
    _names, lambda text: _names(text.split(",")), {"type": "array", "items": {"type": "string"}}
)
_FLAG = ValueKind(_flag, _flag_of_text, {"type": "boolean"})
_BYTES = _number("a number of bytes", whole=True, minimum=-1)
_LIMIT = _number("a whole number, 0 for no limit", whole=True, minimum=0)
_FEW = _number(
    f"a whole number from 1 to {_MOST_SNAPSHOTS:,}", whole=True, minimum=1, maximum=_MOST_SNAPSHOTS
)
_SHARE = _number("a share, more than 0 and at most 1", exclusiveMinimum=0, maximum=1)
_SHARE_OR_NONE = _number("a share from 0 to 1", minimum=0, maximum=1)
_LESS_THAN_ALL = _number("a share from 0 up, less than 0.9", minimum=0, exclusiveMaximum=0.9)
_SECONDS = _number(
    f"a number of seconds, more than 0 and at most {_LONGEST_DEADLINE:.0f}",
    exclusiveMinimum=0,
    maximum=_LONGEST_DEADLINE,
)


class Setting(NamedTuple):
    """A key of the configuration."""

    name: str
    default: object
    kind: ValueKind
    meaning: str
    other_variable: str = ""
    """The environment variable that sets it, where that is not the usual one."""

    @property
    def key(self) -> str:
        """Return how a file of the configuration spells it."""
        return ".".join(SPELLED.get(self.name, (self.name,)))

    @property
    def variable(self) -> str:
        """Name the environment variable that sets it."""
        return self.other_variable or f"SATCHEL_{self.name.upper()}"


SETTINGS = (
    Setting("budget", 16_000, _BUDGETS, "Tokens that a pack may cost; `auto` asks the model's window"),
    Setting("model", "", _TEXT, "Model that the window is for: a name, a `.gguf` file or `ollama:NAME`"),
    Setting(
        "vram_margin",
        -1,
        _BYTES,
        "Bytes held back on each card with `auto` and a local model; -1 for 512 MiB and 1 %",
    ),
    Setting("strategy", "hybrid", _NAME, "Packing strategy, the name of a packer"),
    Setting(
        "worth_model",
        "trees",
        _TEXT,
        "What corrects the worth of parts, the name of a worth model; empty for nothing",
    ),
    Setting(
        "compressor",
        "hybrid",
        _NAME,
        "What is done with the parts of a dialogue that are left out, the name of a compressor",
    ),
    Setting("fallback_compressor", "summarize", _NAME, "The compressor that stands in for one that fails"),
    Setting(
        "emergency_compressor", "truncate", _NAME, "The compressor of a guard that has no time to ask a model"
    ),
    Setting(
        "compact_at", 1.0, _SHARE, "Share of the budget from which the dialogue of a session is compacted"
    ),
    Setting("snapshots", 5, _FEW, "Snapshots of a session that are kept, the newest"),
    Setting(
        "snapshot_at",
        0.8,
        _SHARE_OR_NONE,
        "Share of the window from which a snapshot of a session is taken, 0 for never",
    ),
    Setting(
        "store",
        "",
        _TEXT,
        "Where sessions are kept, a folder or an address; a folder for each project by default",
    ),
    Setting(
        "session_days",
        0,
        _LIMIT,
        "Days without a new node from which `session prune` removes a session, 0 for no limit",
    ),
    Setting(
        "session_count",
        0,
        _LIMIT,
        "Sessions of a store that `session prune` leaves, the newest, 0 for no limit",
    ),
    Setting(
        "session_bytes", 0, _LIMIT, "Bytes of sessions that `session prune` leaves in a store, 0 for no limit"
    ),
    Setting(
        "session_spool",
        default=False,
        kind=_FLAG,
        meaning="Keep messages on this machine while the store can't be reached, and send them later",
    ),
    Setting(
        "shared_snapshots",
        "",
        _TEXT,
        "Address where `session snapshot` puts each snapshot for others, without secrets; none by default",
    ),
    Setting(
        "archive",
        "",
        _TEXT,
        "Where the archive's texts are kept, a folder or an address; your state folder by default",
    ),
    Setting(
        "shared_index",
        "",
        _TEXT,
        "Address where `satchel index` shares what it reads with other clones; none by default",
    ),
    Setting(
        "window_shares",
        {},
        _table(CATEGORIES, "a table of shares, like {system = 0.1, results = 0.4}"),
        "Shares of a window: system, context, dialog, results; what is chosen keeps those that are given",
    ),
    Setting(
        "window_floors",
        {},
        _table(CATEGORIES, "a table of tokens, like {dialog = 2000}"),
        "Tokens that a category has at least in a window that is large enough for all of them",
    ),
    Setting(
        "window_contributors",
        {},
        _table(CONTRIBUTORS, 'a table of shares, like {"working files" = 0.6, map = 0.1}'),
        "Shares of what is packed from a workspace: working files, retrieval, map, docs",
    ),
    Setting("window_margin", 0.0, _LESS_THAN_ALL, "Share of the budget that stays empty"),
    Setting("half_life", 1800.0, _SECONDS, "Seconds after which the use of a file counts half in a session"),
    Setting(
        "message_format", "openai", _NAME, "The format in which messages are read that show no sign of any"
    ),
    Setting("tokenizer", "offline", _NAME, "Tokenizer that counts"),
    Setting(
        "disable",
        (),
        _NAMES,
        "Plugins or distributions that stay off; the lists of all places are added up",
        other_variable="SATCHEL_DISABLE_PLUGINS",
    ),
    Setting(
        "trust",
        ("satchel",),
        _NAMES,
        "Distributions whose plugins are called directly, without copies, wrappers and a child process",
    ),
    Setting("deadline_seconds", 10.0, _SECONDS, "Seconds that one call of a plugin may take"),
    Setting("strict", default=False, kind=_FLAG, meaning="End with exit code 3 where there were problems"),
)

BY_NAME = {setting.name: setting for setting in SETTINGS}


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean X?`, or "" where no known name is near."""
    near = spelling.nearest(name, known, cutoff=0.6)
    return f", did you mean {near}?" if near else ""


def shown(value: object) -> str:
    """Return a value as one short line without control characters."""
    text = ascii(value) if isinstance(value, str) else str(value).replace("\n", " ")
    return text if len(text) <= 60 else f"{text[:57]}..."


def dotted(key: Iterable[str]) -> str:
    """Return a key's path as TOML would spell it."""
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.ASCII) else quoted(part) for part in key)


def quoted(text: str) -> str:
    """Return a text as TOML quotes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def forbidden(key: str, value: object, root: Path) -> str:
    """Return why a file inside the workspace may not say this, or "".

    A cloned repository is a stranger's text: it may select, weight and disable, nothing more.
    """
    words = set(re.split(r"[_\W]+", key.lower()))
    if words & _REDACTION_WORDS:
        return "a workspace can't change redaction"
    if words & _PROGRAM_WORDS and not isinstance(value, bool | int | float):
        return "a workspace can't name programs, set it in your user file"
    if any(_leaves(text, root) for text in _texts(value)):
        return "a workspace can't name files or addresses outside it, set it in your user file"
    inner = value.items() if isinstance(value, Mapping) else ()
    return next(filter(None, (forbidden(str(name), part, root) for name, part in inner)), "")


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for part in value for text in _texts(part)] if isinstance(value, list | tuple) else []


def _leaves(text: str, root: Path) -> bool:
    if text.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:[\\/]|[a-z+.-]+://", text, re.IGNORECASE):
        return True
    if "\0" in text or ".." in re.split(r"[\\/]", text):
        return True
    place = root / text
    return place.is_symlink() and not place.resolve().is_relative_to(root.resolve())
