"""Scanners and rules for secrets that packages add: found by the host, set up by the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

from satchel import config as configuration
from satchel.config import Config
from satchel.host import Host, Loaded, PluginKind
from satchel.host.answers import check_spans
from satchel.host.registry import DISABLED
from satchel.installed import find_plugins, make_plugin
from satchel.private_files import cache_folder
from satchel.redaction import Scanner
from satchel.redaction.rules import RedactionRule, RuleSet
from satchel.redaction.scanning import MOST_FOUND, NO_SCANNERS, Scanners

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
    return Scanners(tuple(scanners), digest, _rule_set(rules))


def brings_rules(host: Host) -> bool:
    """Tell whether a plugin looks for secrets beside satchel's own rules."""
    return any(host.known(kind) for kind in _GUARDS)


def _make_enabled(host: Host, kind: PluginKind, config: Config) -> Iterator[tuple[Loaded, Any]]:
    for named in (one for one in host.known(kind) if one.enabled):
        loaded = host.find(kind, named.full_name)
        yield loaded, make_plugin(config, host, loaded)


def _rule_set(rules: Sequence[RedactionRule]) -> RuleSet | None:
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
    """Return the host, or one that ignores what only the workspace disables if that may be a scanner."""
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
