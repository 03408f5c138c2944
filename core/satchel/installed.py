"""Find the installed plugins; make the host, the tokenizer and the formats of a configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.config import Config
from satchel.host import Host, Loaded, PluginKind
from satchel.host.answers import check_spans
from satchel.host.registry import DISABLED
from satchel.private_files import cache_folder
from satchel.redaction import Scanner
from satchel.redaction.rules import RedactionRule, RuleSet
from satchel.redaction.scanning import MOST_FOUND, NO_SCANNERS, Scanners

if TYPE_CHECKING:
    from satchel.conversation import Formats
    from satchel.conversation.transcripts import Transcript
    from satchel.interfaces import SessionFile, Tokenizer
    from satchel.tokens.models import Model

_NOTHING: Mapping[str, object] = MappingProxyType({})


def find_plugins(
    config: Config, *, without: Iterable[str] = (), announce: Callable[[str], None] | None = None
) -> Host:
    """Return a host with the installed plugins.

    Args:
        config: the disabled plugins, the trusted distributions, and the deadline of a call.
        without: names that stay off besides those that the configuration disables.
        announce: gets the line about a distribution's first use; None writes it to stderr.
    """
    return Host.installed(
        disable=(*config.disable, *without),
        cache_dir=cache_folder(),
        announce=announce,
        deadline_seconds=config.deadline_seconds,
        trusted=config.trust,
    )


def make_plugin(config: Config, host: Host, loaded: Loaded, defaults: Mapping[str, object] = _NOTHING) -> Any:
    """Make a plugin with its configured settings, over `defaults`.

    Raises:
        ConfigError: its settings are wrong.
        PluginError: it can't be made.
    """
    kind, name = str(loaded.kind), table_name(config, loaded)
    return host.make(loaded, {**defaults, **config.table(kind, name)}, config.places(kind).get(name, {}))


def make_plugins(
    config: Config, host: Host, kind: PluginKind, kinds: Collection[str] | None = None
) -> list[tuple[Loaded, Any]]:
    """Make every active plugin of a kind; one that can't be made is recorded in the host's problems.

    Plugins that declare other `kinds` of items may be left out.
    """
    tables = config.plugins.get(str(kind), {})
    return host.make_all(kind, tables, config.places(str(kind)), kinds=kinds)


def make_tokenizer(config: Config, host: Host, model: Model | None = None) -> tuple[Loaded, Tokenizer]:
    """Make the configured tokenizer; one of several vocabularies has that of the model.

    Raises:
        UnknownNameError: no tokenizer of that name is installed.
        ConfigError: its settings are wrong.
    """
    loaded = host.find(PluginKind.TOKENIZER, config.tokenizer)
    defaults = _NOTHING
    if model is not None and has_setting(loaded, "encoding"):
        defaults = {"encoding": model.encoding}
    return loaded, make_plugin(config, host, loaded, defaults)


def has_setting(loaded: Loaded, name: str) -> bool:
    """Return whether a plugin has a setting: a tokenizer of several vocabularies has `encoding`."""
    import attrs

    return any(field.name == name for field in attrs.fields(loaded.cls))


def table_name(config: Config, loaded: Loaded) -> str:
    """Return the name of a plugin's settings table: its full name if that has a table."""
    return loaded.full_name if config.table(str(loaded.kind), loaded.full_name) else loaded.name


def list_read_only(config: Config, host: Host) -> list[str]:
    """Return the paths and globs of read-only files in the settings of providers."""
    providers = host.loaded(PluginKind.PROVIDER)
    return [one for each in providers for named in read_only_settings(config, each).values() for one in named]


def read_only_settings(config: Config, loaded: Loaded) -> dict[str, list[str]]:
    """Return the settings of a provider for read-only files, with their values."""
    import attrs

    named: tuple[str, ...] = getattr(loaded.cls, "read_only_settings", ())
    fields, table = attrs.fields_dict(loaded.cls), config.table("provider", table_name(config, loaded))
    values = {name: table.get(name, fields[name].default) for name in named}
    return {
        name: [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
        for name, value in values.items()
    }


_GUARDS = (PluginKind.SCANNER, PluginKind.REDACTION_RULE)
_OF_WORKSPACES = frozenset({"satchel.toml", "pyproject.toml", "llm_context.json"})
"""Origins of settings that come from a cloned repository."""


def make_scanners(host: Host, config: Config) -> Scanners:
    """Make the installed scanners and rules, with the settings of the user's configuration.

    They guard what leaves the machine: a workspace file can't disable one, and one that fails, hangs or gives
    an invalid answer stops the run with a PluginError that names it.
    """
    guard = _scanner_host(host, config)
    scanners: list[Scanner] = []
    rules: list[RedactionRule] = []
    keys: list[str] = []
    for loaded, made in _make_enabled(guard, PluginKind.SCANNER, config):
        scanners.append(partial(_scan, guard, loaded, made))
        keys.append(f"{loaded.full_name} {loaded.version} {getattr(made, 'version', '')} {made!r}")
    for loaded, made in _make_enabled(guard, PluginKind.REDACTION_RULE, config):
        brought: tuple[RedactionRule, ...] = guard.calls.call_or_raise(loaded, made.rules, stage="rules")
        rules += brought
        keys += map(repr, brought)
    digest = blake2b("\n".join(keys).encode("utf-8", "replace"), digest_size=6).hexdigest() if keys else ""
    return Scanners(tuple(scanners), digest, _make_rule_set(rules))


def brings_rules(host: Host) -> bool:
    """Return whether a plugin looks for secrets besides satchel's own rules."""
    return any(host.known(kind) for kind in _GUARDS)


def _make_enabled(host: Host, kind: PluginKind, config: Config) -> Iterator[tuple[Loaded, Any]]:
    for named in (one for one in host.known(kind) if one.enabled):
        loaded = host.find(kind, named.full_name)
        yield loaded, make_plugin(config, host, loaded)


def _make_rule_set(rules: Sequence[RedactionRule]) -> RuleSet | None:
    if not rules:
        return None
    from satchel.redaction.rules import RuleSet

    return RuleSet(rules)


def make_user_scanners() -> Scanners:
    """Make the scanners for texts outside workspaces (outputs, conversations), with the user's settings."""
    host = Host.installed(cache_dir=cache_folder())
    if not brings_rules(host):
        return NO_SCANNERS
    config = configuration.load(None, env=os.environ)
    return make_scanners(find_plugins(config), config)


def _scanner_host(host: Host, config: Config) -> Host:
    """Return the host, or one that ignores the workspace's disabling if that may be of a scanner."""
    kept = tuple(
        name for name in config.disable if config.origins.get(f"disable.{name}") not in _OF_WORKSPACES
    )
    if kept == config.disable:
        return host
    if not host.entries_off and all(one.off != DISABLED for kind in _GUARDS for one in host.known(kind)):
        return host
    return find_plugins(config._replace(disable=kept))


def _scan(host: Host, loaded: Loaded, made: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = host.calls.call_or_raise(
        loaded, partial(_scan_and_check, made.scan, text, path), stage="scan"
    )
    return found


def _scan_and_check(scan: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    answer: Iterable[object] = scan(text, path)
    return check_spans(answer, len(text), most=MOST_FOUND)


def find_formats(host: Host, config: Config | None = None) -> Formats:
    """Return the formats of a host's plugins; one that can't be made is among the host's problems.

    Raises:
        ConfigError: the settings of one are wrong.
    """
    from satchel.conversation import Formats

    settings = config or Config()
    formats = [made for _, made in make_plugins(settings, host, PluginKind.MESSAGE_FORMAT)]

    def make_session_files() -> list[SessionFile]:
        return [made for _, made in make_plugins(settings, host, PluginKind.SESSION_FILE)]

    return Formats(formats, settings.message_format, make_session_files)


def find_user_formats() -> Formats:
    """Return the installed formats, with the settings of the person's configuration."""
    config = configuration.load(None, env=os.environ)
    return find_formats(find_plugins(config), config)


def read_transcript(
    data: bytes | str,
    *,
    name: str = "the session file",
    host: Host | None = None,
    config: Config | None = None,
) -> Transcript:
    """Read the session file of an agent, JSON Lines or JSON; nothing is redacted.

    Args:
        data: the content of the file.
        name: its name in errors.
        host: the plugins, which know the agents; all installed ones by default.
        config: their settings.

    Raises:
        ConversationError: it is not JSON, not a known agent's, or none of its records is a message.
    """
    from satchel.conversation.transcripts import parse_transcript

    return parse_transcript(data, find_formats(host or find_plugins(config or Config()), config), name)
