"""The configuration: read once from flags, environment and files, each value with its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.config.files import (
    OLD_TOOL,
    ConfigEntry,
    ConfigSource,
    load_lessons,
    of_assignments,
    of_person,
    of_workspace,
)
from satchel.config.values import (
    BY_NAME,
    KINDS,
    NOTHING,
    SETTINGS,
    Config,
    format_value,
    nearest,
    spell_key,
    spell_place,
)
from satchel.errors import ConfigError, SatchelError, in_few_lines
from satchel.host.kinds import PluginKind
from satchel.private_files import user_config_file

if TYPE_CHECKING:
    from satchel.host import Host, Loaded

__all__ = [
    "ASSIGNMENTS",
    "KINDS",
    "LEARNED",
    "SETTINGS",
    "Config",
    "check_tables",
    "load",
    "schema",
    "user_path",
]

_FOLDERS = ("CACHE_DIR", "STATE_DIR", "SET", "PLUGIN_FILES", "MCP_TOKEN")
"""Variables without the `SATCHEL_` that are not settings."""
LEARNED = "learned.toml"
"""The file beside the person's own for weights from `satchel learn`."""
ASSIGNMENTS = "SATCHEL_SET"
"""The variable with lines of `KEY=VALUE` that override every file; `--set` adds to it."""
_MOST_HINTS = 20


def load(
    root: Path | None,
    *,
    env: Mapping[str, str],
    flags: Mapping[str, object] = NOTHING,
    user_file: Path | None = None,
    find_more: Callable[[Config], Sequence[str]] = lambda _: (),
) -> Config:
    """Read the configuration of a workspace, or of the person alone where `root` is None.

    Flags stand over `SATCHEL_*`, `satchel.toml`, `[tool.satchel]` of pyproject.toml,
    `llm_context.json`, the person's file, what `satchel learn` wrote beside it and the defaults, key by
    key. A flag that is None was not given. Raise ConfigError with every unknown key, ill-typed value and
    broken file at once, and what `find_more` tells of the rest.
    """
    readings = [
        *load_lessons((user_path() if user_file is None else user_file).with_name(LEARNED)),
        of_person(user_path() if user_file is None else user_file),
        *(of_workspace(root) if root is not None else ()),
        _of_environment(env),
        _of_flags(flags),
        of_assignments(env.get(ASSIGNMENTS, "")),
    ]
    errors = [error for reading in readings for error in reading.errors]
    warnings = tuple(line for reading in readings for line in in_few_lines(reading.warnings))
    config = _settle_budget([entry for reading in readings for entry in reading.entries], warnings)
    if errors:
        raise ConfigError([*errors, *find_more(config)])
    return config


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
    """Return the path of the person's own file."""
    return user_config_file()


def check_tables(config: Config, host: Host) -> list[str]:
    """Check the tables of plugins, including those that a command does not use.

    Returns:
        A warning for each table of a file whose plugin is not installed, with the nearest name.

    Raises:
        ConfigError: a plugin has no such setting, or `--set` names one that is not installed.
    """
    warnings: list[str] = []
    errors: list[str] = []
    for kind, tables in config.plugins.items():
        plugins = host.known(PluginKind(kind))
        known = {name: plugin for plugin in plugins for name in (plugin.full_name, plugin.name)}
        for name, table in tables.items():
            if name in known:
                errors += _find_wrong_keys(known[name], table, config.places(kind)[name], host)
                continue
            if host.entries_off:
                continue  # what an entry point would bring that is off is not known: it may well be right
            hint = nearest(name, known) if len(warnings) < _MOST_HINTS else ""  # each takes .1 ms
            place = spell_place(config.where(kind, name), (kind, name))
            (errors if place.startswith("--set") else warnings).append(f"{place} is not installed{hint}")
    if errors:
        raise ConfigError(errors)
    return list(in_few_lines(warnings))


def _find_wrong_keys(
    plugin: Loaded, table: Mapping[str, object], places: Mapping[str, str], host: Host
) -> Sequence[str]:
    """Return the errors in a plugin's table; () if the plugin is off or can't be loaded."""
    from satchel.host.settings import structure_settings

    try:
        cls = host.find(plugin.kind, plugin.full_name).cls if plugin.enabled and table else None
        if isinstance(cls, type):  # an observer may be a function
            structure_settings(cls, table, places, plugin.kind)
    except ConfigError as error:
        return error.errors
    except SatchelError:
        pass
    return ()


def schema(host: Host | None = None) -> dict[str, Any]:
    """Return a JSON Schema of `satchel.toml`, with the tables of the host's plugins."""
    from satchel.config.describing import describe_settings

    return describe_settings(host)


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
            errors.append(f"{setting.variable}: {error}, not {format_value(text)}")
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
            errors.append(f"--{name}: {error}, not {format_value(value)}")
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
            origins[spell_key(entry.key)] = entry.origin
            continue
        before = origins.get(spell_key(entry.key))
        origins[spell_key(entry.key)] = f"{before}, {entry.origin}" if before else entry.origin
    settings: dict[str, Any] = values
    return Config(**settings, plugins=plugins, origins=origins, warnings=warnings)


def _over(entry: ConfigEntry, value: object, origin: str) -> tuple[object, str]:
    if entry.key != ("disable",) or not isinstance(value, tuple) or not isinstance(entry.value, tuple):
        return entry.value, entry.origin
    names = tuple(dict.fromkeys((*value, *entry.value)))
    return names, entry.origin if origin == "default" else f"{origin}, {entry.origin}"
