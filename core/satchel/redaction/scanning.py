"""The gate for text: nothing that a workspace, a command or a conversation holds is shown but through here.

Whoever reads text hands it to `Scanners.redact` before anybody else sees it, with the plugins that find
secrets beside what satchel finds; what satchel tells in its own words goes through `without_secrets`. No
other module calls the rules: a test holds that.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel import __version__

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host, Loaded
    from satchel.redaction import Redacted, Scanner
    from satchel.redaction.prefilter import Looks

MOST_FOUND = 100_000
"""Spans that a scanner may find in one text."""
_OF_WORKSPACES = frozenset({"satchel.toml", "pyproject.toml", "llm_context.json"})
"""Origins of settings that a cloned repository brings along."""
_RULES = "redaction"
"""The folder of what decides which texts hold a secret,"""
_READING = ("files/kinds", "files/encodings", "files/contents", "files/texts", "index/documents")
"""what turns the bytes of a file into text, in `workspace`,"""
_SHOWING = ("escaping.py", "paths.py")
"""and how a text is shown."""


class Scanners(NamedTuple):
    """The scanners of a run; a run without any has the empty one."""

    found: tuple[Scanner, ...] = ()
    key: str = ""
    """Changes with what is installed: texts that were kept are kept under it."""

    def redact(self, text: str, *, path: str = "", looks: Looks | None = None) -> Redacted:
        """Return what `redact` does, with what the scanners find beside it."""
        from satchel.redaction import redact  # the rules: a run that reads nothing new does without

        return redact(text, path=path, scanners=self.found, looks=looks)


NO_SCANNERS = Scanners()


def without_secrets(text: str) -> str:
    """Return words that satchel tells (an error, a setting, a problem) without the secrets they repeat."""
    return NO_SCANNERS.redact(text).text


@cache
def rules_version() -> int:
    """Return a number from 0 to 2**24 - 1 that changes with the code of the rules.

    What was kept under other rules may hold what these would take out, and is never believed.
    """
    here = Path(__file__).parent.parent
    files = [*(here / "workspace" / f"{name}.py" for name in _READING), *(here / name for name in _SHOWING)]
    files += sorted((here / _RULES).glob("*.py"))
    digest = blake2b(__version__.encode(), digest_size=3)
    for file in files:
        if file.exists():  # an installation may hold compiled files alone: those change with its version
            digest.update(file.read_bytes())
    return int.from_bytes(digest.digest(), "big")


def installed_scanners(host: Host, config: Config) -> Scanners:
    """Make the scanners that are installed, with the settings of the person's configuration.

    A scanner guards what leaves the machine: a file of the workspace can't disable one, and one that
    fails, hangs or answers junk stops the run with a PluginError that names it.
    """
    from satchel.host import Kind

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
    import os

    from satchel import config as configuration
    from satchel.host import Host, Kind
    from satchel.private_files import cache_folder

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
    from satchel.host import Host as Anew
    from satchel.host import Kind
    from satchel.host.registry import DISABLED
    from satchel.private_files import cache_folder

    kept = tuple(
        name for name in config.disable if config.origins.get(f"disable.{name}") not in _OF_WORKSPACES
    )
    if kept == config.disable:
        return host
    if not host.entries_off and all(one.off != DISABLED for one in host.known(Kind.SCANNER)):
        return host
    return Anew.installed(disable=kept, cache_dir=cache_folder(), deadline_seconds=config.deadline_seconds)


def _scanned(host: Host, loaded: Loaded, made: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = host.calls.chosen(
        loaded, partial(_checked, made.scan, text, path), stage="scan"
    )
    return found


def _checked(scan: Any, text: str, path: str) -> list[tuple[int, int, str]]:
    from satchel.host.answers import checked_spans

    answer: Iterable[object] = scan(text, path)
    return checked_spans(answer, len(text), most=MOST_FOUND)
