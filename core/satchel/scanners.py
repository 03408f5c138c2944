"""Scanners for secrets that packages add: found by the host, set up by the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from satchel import config as configuration
from satchel.host import Host, Kind
from satchel.host.answers import checked_spans
from satchel.host.registry import DISABLED
from satchel.private_files import cache_folder
from satchel.redaction.scanning import MOST_FOUND, NO_SCANNERS, Scanners

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Loaded
    from satchel.redaction import Scanner

_OF_WORKSPACES = frozenset({"satchel.toml", "pyproject.toml", "llm_context.json"})
"""Origins of settings that a cloned repository brings along."""


def installed_scanners(host: Host, config: Config) -> Scanners:
    """Make the scanners that are installed, with the settings of the person's configuration.

    A scanner guards what leaves the machine: a file of the workspace can't disable one, and one that
    fails, hangs or answers junk stops the run with a PluginError that names it.
    """
    guard = _guarding(host, config)
    tables = config.plugins.get(Kind.SCANNER.value, {})
    scanners: list[Scanner] = []
    keys: list[str] = []
    for named in (one for one in guard.known(Kind.SCANNER) if one.enabled):
        loaded = guard.find(Kind.SCANNER, named.full_name)
        table = tables.get(loaded.name) or tables.get(loaded.full_name) or {}
        made = guard.make(loaded, table, config.where(Kind.SCANNER.value, loaded.name))
        scanners.append(partial(_scanned, guard, loaded, made))
        keys.append(f"{loaded.full_name} {loaded.version} {getattr(made, 'version', '')} {made!r}")
    digest = blake2b("\n".join(keys).encode("utf-8", "replace"), digest_size=6).hexdigest() if keys else ""
    return Scanners(tuple(scanners), digest)


def own_scanners() -> Scanners:
    """Make the scanners for texts of no workspace (outputs, conversations), as the person's settings say."""
    host = Host.installed(cache_dir=cache_folder())
    if not host.known(Kind.SCANNER):
        return NO_SCANNERS
    config = configuration.load(None, env=os.environ)
    host = Host.installed(
        disable=config.disable, cache_dir=cache_folder(), deadline_seconds=config.deadline_seconds
    )
    return installed_scanners(host, config)


def _guarding(host: Host, config: Config) -> Host:
    """Return the host, or one without what the workspace alone disables, where that may be a scanner."""
    kept = tuple(
        name for name in config.disable if config.origins.get(f"disable.{name}") not in _OF_WORKSPACES
    )
    if kept == config.disable:
        return host
    if not host.entries_off and all(one.off != DISABLED for one in host.known(Kind.SCANNER)):
        return host
    return Host.installed(disable=kept, cache_dir=cache_folder(), deadline_seconds=config.deadline_seconds)


def _scanned(host: Host, loaded: Loaded, made: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = host.calls.chosen(
        loaded, partial(_checked, made.scan, text, path), stage="scan"
    )
    return found


def _checked(scan: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    answer: Iterable[object] = scan(text, path)
    return checked_spans(answer, len(text), most=MOST_FOUND)
