"""The settings that satchel knows, the allowed values of each, and limits for workspaces."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

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
"""The setting for `use` in the table of a kind: `[compressor] use = "mask"`."""
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
        "edit_life": "edit_life",
    },
}
"""The settings in tables: `[session] store = "..."` is the setting `store`."""
SPELLED = {name: (table, key) for table, keys in TABLES.items() for key, name in keys.items()}
"""The table and the key of such a setting."""
OF_PERSON = frozenset(name for name, (table, _) in SPELLED.items() if table != "window") | {"trust"}
"""Settings that no file of a workspace may have: the place of a person's sessions, their retention, and
trusted plugins.
"""
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
    """The allowed values of a setting."""

    check: Callable[[object], object]
    """Returns the value in its final type; ValueError with the expected form."""
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
    """Return a table of numbers from 0 up by name, with at least one above 0."""

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


_KINDS = {
    "budget": ValueKind(
        budget,
        budget,
        {
            "oneOf": [
                {"type": "integer", "minimum": 1},
                {"type": "string", "pattern": "^([Aa]uto|[0-9][0-9_,.]*[kKmM]?)$"},
            ]
        },
    ),
    "text": ValueKind(_text, _text, {"type": "string"}),
    "name": ValueKind(_name, _name, {"type": "string"}),
    "names": ValueKind(
        _names, lambda text: _names(text.split(",")), {"type": "array", "items": {"type": "string"}}
    ),
    "flag": ValueKind(_flag, _flag_of_text, {"type": "boolean"}),
    "bytes": _number("a number of bytes", whole=True, minimum=-1),
    "limit": _number("a whole number, 0 for no limit", whole=True, minimum=0),
    "few": _number(
        f"a whole number from 1 to {_MOST_SNAPSHOTS:,}", whole=True, minimum=1, maximum=_MOST_SNAPSHOTS
    ),
    "share": _number("a share, more than 0 and at most 1", exclusiveMinimum=0, maximum=1),
    "share or none": _number("a share from 0 to 1", minimum=0, maximum=1),
    "margin": _number("a share from 0 up, less than 0.9", minimum=0, exclusiveMaximum=0.9),
    "factor": _number("a number from 0 to 1000", minimum=0, maximum=1000),
    "seconds": _number(
        f"a number of seconds, more than 0 and at most {_LONGEST_DEADLINE:.0f}",
        exclusiveMinimum=0,
        maximum=_LONGEST_DEADLINE,
    ),
    "shares": _table(CATEGORIES, "a table of shares, like {system = 0.1, results = 0.4}"),
    "floors": _table(CATEGORIES, "a table of tokens, like {dialog = 2000}"),
    "contributors": _table(CONTRIBUTORS, 'a table of shares, like {"working files" = 0.6, map = 0.1}'),
}
"""The allowed values of settings, by their kinds in `settings.json`."""


NOTHING: Mapping[str, Any] = MappingProxyType({})


class Config(NamedTuple):
    """Every setting, checked; a plugin's table is checked when the plugin is made."""

    budget: int | str = 16_000
    """Tokens, or `"auto"`."""
    model: str = ""
    vram_margin: int = -1
    """Bytes held back on each card, -1 for the default."""
    strategy: str = "hybrid"
    worth_model: str = "trees"
    """Name of a worth model, "" for none."""
    compressor: str = "hybrid"
    message_format: str = "openai"
    """Format for messages without a sign of any format."""
    fallback_compressor: str = "summarize"
    """Replaces a compressor that fails."""
    emergency_compressor: str = "truncate"
    """Compressor of a guard that has no time to ask a model."""
    compact_at: float = 1.0
    """Share of the budget from which a session's dialogue is compacted."""
    snapshots: int = 5
    """Number of snapshots kept of a session."""
    snapshot_at: float = 0.8
    """Share of the window from which a snapshot is taken, 0 for never."""
    store: str = ""
    """Place of sessions: a folder or an address, "" for a folder of each project."""
    session_days: int = 0
    session_count: int = 0
    session_bytes: int = 0
    """Bytes that `session prune`, and once a day `session add`, leave of a store; 0 is no limit."""
    session_spool: bool = False
    """Whether messages wait on this machine for a server that can't be reached."""
    shared_snapshots: str = ""
    """Address for shared snapshots, without secrets; "" for none."""
    archive: str = ""
    """Place of the archive: a folder or an address, "" for the state folder."""
    shared_index: str = ""
    """Address at which clones of a repository share their index, "" for none."""
    window_shares: Mapping[str, float] = MappingProxyType({})
    """Shares of a window by category; empty for the defaults, which are caps of CONTEXT alone."""
    window_floors: Mapping[str, float] = MappingProxyType({})
    """Tokens by category."""
    window_contributors: Mapping[str, float] = MappingProxyType({})
    """Shares of CONTEXT by contributor."""
    window_margin: float = 0.0
    """Share of a window's budget that stays empty."""
    half_life: float = 1800.0
    """Seconds after which a use of a file counts half in a session."""
    edit_life: float = 1.0
    """Factor for the lives of edits in a session's window."""
    tokenizer: str = "offline"
    disable: tuple[str, ...] = ()
    trust: tuple[str, ...] = ("satchel",)
    """Distributions whose plugins are called directly."""
    deadline_seconds: float = 10.0
    strict: bool = False
    plugins: Mapping[str, Mapping[str, Mapping[str, object]]] = MappingProxyType({})
    """Raw tables, by kind and name of the plugin."""
    origins: Mapping[str, str] = MappingProxyType({})
    """Dotted key to its origin: the file, the variable, `flag` or `default`; for a table, the files."""
    warnings: tuple[str, ...] = ()

    def table(self, kind: str, name: str) -> Mapping[str, object]:
        """Return the raw settings of a plugin, {} if there are none."""
        return self.plugins.get(kind, {}).get(name, NOTHING)

    def where(self, kind: str, name: str) -> str:
        """Return the files and options with a plugin's settings."""
        keys = [(kind, name), *((kind, name, key) for key in self.plugins.get(kind, {}).get(name, ()))]
        found = [self.origins.get(spell_key(key), "") for key in keys]
        return ", ".join(dict.fromkeys(one for several in found for one in several.split(", ") if one))

    def places(self, kind: str) -> Mapping[str, Mapping[str, str]]:
        """Return the place of each setting of a kind's plugins, by plugin and setting."""
        tables = self.plugins.get(kind, {})
        return {
            name: {key: self._place((kind, name, key)) for key in table} for name, table in tables.items()
        }

    def _place(self, key: tuple[str, ...]) -> str:
        return spell_place(self.origins.get(spell_key(key), "configuration"), key)


class Setting(NamedTuple):
    """A key of the configuration."""

    name: str
    default: object
    kind: ValueKind
    meaning: str
    other_variable: str = ""
    """The environment variable that sets it, if that is not the usual one."""

    @property
    def key(self) -> str:
        """Return its spelling in a file of the configuration."""
        return ".".join(SPELLED.get(self.name, (self.name,)))

    @property
    def variable(self) -> str:
        """Return the environment variable that sets it."""
        return self.other_variable or f"SATCHEL_{self.name.upper()}"


def _read_settings() -> Iterator[Setting]:
    """Yield the setting of each field of `Config` in `settings.json`, with the field's default."""
    table = json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8"))
    for name, (kind, meaning, *variable) in table.items():
        default = Config._field_defaults[name]
        default = dict(default) if isinstance(default, Mapping) else default
        yield Setting(name, default, _KINDS[kind], meaning, *variable)


SETTINGS = tuple(_read_settings())
BY_NAME = {setting.name: setting for setting in SETTINGS}


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean X?`, or "" if no known name is near."""
    near = spelling.nearest(name, known, cutoff=0.6)
    return f", did you mean {near}?" if near else ""


def format_value(value: object) -> str:
    """Return a value as one short line without control characters."""
    text = ascii(value) if isinstance(value, str) else str(value).replace("\n", " ")
    return text if len(text) <= 60 else f"{text[:57]}..."


def spell_key(key: Iterable[str]) -> str:
    """Return a key's path as TOML would spell it."""
    return ".".join(part if re.fullmatch(r"[\w-]+", part, re.ASCII) else quote_for_toml(part) for part in key)


def spell_place(origin: str, key: Iterable[str]) -> str:
    """Return a file and a key in it, or an option, as a person wrote them."""
    if origin == "--set":
        return f"{origin} {spell_key(key)}"
    table = ("tool", "satchel") if origin == "pyproject.toml" else ()
    return f"{origin}: {spell_key((*table, *key))}"


def quote_for_toml(text: str) -> str:
    """Return a text as TOML quotes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def find_objection(key: str, value: object, root: Path) -> str:
    """Return the reason a file inside the workspace may not set this, or "".

    A cloned repository is a stranger's text: it may select, weight and disable, nothing more.
    """
    words = set(re.split(r"[_\W]+", key.lower()))
    if words & _REDACTION_WORDS:
        return "a workspace can't change redaction"
    if words & _PROGRAM_WORDS and not isinstance(value, bool | int | float):
        return "a workspace can't name programs; set it in your user file"
    if any(_leaves(text, root) for text in _texts(value)):
        return "a workspace can't name files or addresses outside it; set it in your user file"
    inner = value.items() if isinstance(value, Mapping) else ()
    return next(filter(None, (find_objection(str(name), part, root) for name, part in inner)), "")


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
