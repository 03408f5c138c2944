"""The configuration: read once from flags, environment and files, each value with its origin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.config.files import (
    OLD_TOOL,
    ConfigEntry,
    ConfigSource,
    of_assignments,
    of_learned,
    of_person,
    of_workspace,
)
from satchel.config.values import (
    BY_NAME,
    KINDS,
    NOTHING,
    SETTINGS,
    Config,
    dotted,
    nearest,
    shown,
    spell_place,
)
from satchel.errors import ConfigError, in_few_lines
from satchel.private_files import user_config_file

if TYPE_CHECKING:
    from satchel.host import Host

__all__ = [
    "ASSIGNMENTS",
    "KINDS",
    "LEARNED",
    "SETTINGS",
    "Config",
    "load",
    "schema",
    "unknown_tables",
    "user_path",
]

_FOLDERS = ("CACHE_DIR", "STATE_DIR", "SET", "PLUGIN_FILES", "MCP_TOKEN")
"""Variables without the `SATCHEL_` that are not settings."""
LEARNED = "learned.toml"
"""The file beside the person's own into which `satchel learn` writes weights."""
ASSIGNMENTS = "SATCHEL_SET"
"""The variable with lines of `KEY=VALUE` that stand over every file; `--set` adds to it."""
_MOST_HINTS = 20


def load(
    root: Path | None,
    *,
    env: Mapping[str, str],
    flags: Mapping[str, object] = NOTHING,
    user_file: Path | None = None,
) -> Config:
    """Read the configuration of a workspace, or of the person alone where `root` is None.

    Flags stand over `SATCHEL_*`, `satchel.toml`, `[tool.satchel]` of pyproject.toml,
    `llm_context.json`, the person's file, what `satchel learn` wrote beside it and the defaults, key by
    key. A flag that is None was not given. Raise ConfigError with every unknown key, ill-typed value and
    broken file at once.
    """
    readings = [
        *of_learned((user_path() if user_file is None else user_file).with_name(LEARNED)),
        of_person(user_path() if user_file is None else user_file),
        *(of_workspace(root) if root is not None else ()),
        _of_environment(env),
        _of_flags(flags),
        of_assignments(env.get(ASSIGNMENTS, "")),
    ]
    errors = [error for reading in readings for error in reading.errors]
    if errors:
        raise ConfigError(errors)
    warnings = tuple(line for reading in readings for line in in_few_lines(reading.warnings))
    return _settle_budget([entry for reading in readings for entry in reading.entries], warnings)


def _settle_budget(entries: Sequence[ConfigEntry], warnings: tuple[str, ...]) -> Config:
    merged = _merge_entries(entries, warnings)
    if merged.budget != "auto" or merged.model or merged.origins.get("budget") != OLD_TOOL:
        return merged
    # A project of the older tool names no model: its window can't be asked, its other size holds.
    told = f"{OLD_TOOL}: autoSize: needs a model, use --budget auto --model NAME"
    return _merge_entries(
        [one for one in entries if (one.value, one.origin) != ("auto", OLD_TOOL)], (told, *warnings)
    )


def user_path() -> Path:
    """Return where the person's own file stands."""
    return user_config_file()


def unknown_tables(config: Config, host: Host) -> list[str]:
    """Return a warning for each table of a plugin that is not installed, with the nearest name."""
    from satchel.host import PluginKind

    # What an entry point would bring that is off is not known: its table may well be right.
    if host.entries_off:
        return []
    warnings: list[str] = []
    for kind, tables in config.plugins.items():
        known = {name for plugin in host.known(PluginKind(kind)) for name in (plugin.name, plugin.full_name)}
        for name in tables:
            if name not in known:
                hint = nearest(name, known) if len(warnings) < _MOST_HINTS else ""  # each takes .1 ms
                place = spell_place(config.where(kind, name), (kind, name))
                warnings.append(f"{place}: is not installed{hint}")
    return list(in_few_lines(warnings))


def schema(host: Host | None = None) -> dict[str, Any]:
    """Return a JSON Schema of `satchel.toml`, with the tables of the host's plugins."""
    from satchel.config.describing import described

    return described(host)


def _of_environment(env: Mapping[str, str]) -> ConfigSource:
    entries: list[ConfigEntry] = []
    errors: list[str] = []
    for setting in SETTINGS:
        text = env.get(setting.variable, "")
        if not text.strip():
            continue
        try:
            entries.append(ConfigEntry((setting.name,), setting.kind.from_text(text), setting.variable))
        except ValueError as error:
            errors.append(f"{setting.variable}: {error}, not {shown(text)}")
    return ConfigSource(tuple(entries), tuple(errors), tuple(_misspelt(env)))


def _misspelt(env: Mapping[str, str]) -> Iterator[str]:
    known = {setting.variable.removeprefix("SATCHEL_"): setting.variable for setting in SETTINGS}
    for name in sorted(env):
        word = name.removeprefix("SATCHEL_")
        is_odd = word != name and word not in known and word not in _FOLDERS
        hint = nearest(word, known) if is_odd else ""
        if hint:
            yield f"{name}: unknown variable{hint.replace('mean ', 'mean SATCHEL_')}"


def _of_flags(flags: Mapping[str, object]) -> ConfigSource:
    entries: list[ConfigEntry] = []
    errors: list[str] = []
    for name, value in flags.items():
        if value is None:
            continue
        try:
            entries.append(ConfigEntry((name,), BY_NAME[name].kind.check(value), "flag"))
        except KeyError:
            errors.append(f"--{name}: unknown flag{nearest(name, BY_NAME)}")
        except ValueError as error:
            errors.append(f"--{name}: {error}, not {shown(value)}")
    return ConfigSource(tuple(entries), tuple(errors))


def _merge_entries(entries: Iterable[ConfigEntry], warnings: tuple[str, ...]) -> Config:
    """Lay the entries over the defaults, the weakest first; `disable` adds up instead."""
    values = {setting.name: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    plugins: dict[str, dict[str, dict[str, object]]] = {}
    for entry in entries:
        if len(entry.key) == 1:
            name = entry.key[0]
            values[name], origins[name] = _over(entry, values[name], origins[name])
            if name == "disable" and isinstance(entry.value, tuple):
                origins.update((f"disable.{one}", entry.origin) for one in entry.value)
            continue
        table = plugins.setdefault(entry.key[0], {}).setdefault(entry.key[1], {})
        if len(entry.key) == 3:
            table[entry.key[2]] = entry.value
            origins[dotted(entry.key)] = entry.origin
            continue
        before = origins.get(dotted(entry.key))
        origins[dotted(entry.key)] = f"{before}, {entry.origin}" if before else entry.origin
    settings: dict[str, Any] = values
    return Config(**settings, plugins=plugins, origins=origins, warnings=warnings)


def _over(entry: ConfigEntry, value: object, origin: str) -> tuple[object, str]:
    if entry.key != ("disable",) or not isinstance(value, tuple) or not isinstance(entry.value, tuple):
        return entry.value, entry.origin
    names = tuple(dict.fromkeys((*value, *entry.value)))
    return names, entry.origin if origin == "default" else f"{origin}, {entry.origin}"
