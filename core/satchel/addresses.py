"""Addresses of stores, such as `postgresql://host/database`: the plugin of their scheme opens them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from satchel.errors import UsageError
from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host, PluginKind

_SCHEME = lazily(r"([a-z][a-z0-9+.-]+)://", re.ASCII | re.IGNORECASE)
_SECRET_KEY = lazily(r"([?&][^=&]*(?:pass|secret|token|key|sas)[^=&]*=)[^&]*", re.IGNORECASE)
_DATABASES: Mapping[str, str] = MappingProxyType(
    {"postgres": "satchel-postgres", "postgresql": "satchel-postgres"}
)
"""The package of satchel's own that keeps sessions and texts at a scheme."""
_FILES = frozenset({"abfs", "az", "file", "gcs", "gs", "memory", "s3", "sftp"})
"""Schemes at which satchel-fsspec keeps texts; no plugin keeps sessions there."""


SESSIONS, TEXTS = "sessions", "the archive"
"""The content of an address, in the words of an error."""


def scheme_of(place: str | Path | None) -> str:
    """Return the scheme of an address in small letters, "" for a folder."""
    found = _SCHEME.match(place) if isinstance(place, str) else None
    return found[1].lower() if found else ""


def hide_password(address: str) -> str:
    """Return an address without its password and without values of parameters that may be secrets."""
    scheme, sign, rest = address.partition("://")
    if not sign:
        return address
    person, at, place = rest.rpartition("@")
    user, shown = person.partition(":")[0], _SECRET_KEY.sub(r"\1...", place)
    return f"{scheme}://{user}{at}{shown}"


def find_opener(kind: PluginKind, scheme: str, host: Host | None = None) -> Any:
    """Return the plugin of a kind that opens addresses of a scheme, with its settings; None if there is none.

    Built-in plugins are asked first: third-party packages are imported only for other schemes.

    Raises:
        PluginError: the plugin fails.
    """
    from satchel.installed import make_plugin

    config = _load_config()
    for asked in (host,) if host else _open_hosts(config):
        for loaded in asked.loaded(kind, {scheme}):
            if scheme in loaded.cls.schemes:
                return make_plugin(config, asked, loaded)
    return None


def list_schemes(kind: PluginKind, host: Host | None = None) -> list[str]:
    """Return the schemes that installed plugins of a kind open."""
    hosts = (host,) if host else _open_hosts(_load_config())
    return sorted({scheme for one in hosts for loaded in one.loaded(kind) for scheme in loaded.cls.schemes})


def make_scheme_error(address: str, what: str, known: Iterable[str]) -> UsageError:
    """Return the error for an address that no installed plugin opens."""
    scheme = scheme_of(address)
    package = _DATABASES.get(scheme, "satchel-fsspec" if scheme in _FILES and what != SESSIONS else "")
    step = f"pip install {package}" if package else "install a package that brings one"
    listed = ", ".join(f"{one}://" for one in known) or "none"
    return UsageError(
        f"{hide_password(address)}: no installed plugin keeps {what} at {scheme}://; {step}, "
        f"name a folder, or use one of the schemes known here: {listed}"
    )


def _load_config() -> Config:
    from satchel import config as configuration

    return configuration.load(None, env=os.environ)


def _open_hosts(config: Config) -> Iterable[Host]:
    from satchel.host.loading import find_entries
    from satchel.host.registry import Host, HostOptions
    from satchel.installed import find_plugins
    from satchel.private_files import cache_folder

    entries = find_entries(cache_folder()).entries
    own = HostOptions(config.disable, cache_dir=cache_folder(), deadline_seconds=None)
    yield Host([entry for entry in entries if entry.distribution in config.trust], options=own)
    yield find_plugins(config)
