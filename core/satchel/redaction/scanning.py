"""Redact all text before it is shown or stored, with satchel's rules and scanner plugins.

Code that reads text passes it to `Scanners.redact` before any other use; satchel's own messages go through
`redact_secrets`. No other module calls the rules: a test checks that.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from satchel import __version__
from satchel.redaction import Redacted, Scanner
from satchel.redaction.rules import RuleSet

MOST_FOUND = 100_000
"""Most spans that a scanner may find in one text."""
_RULES = "redaction"
"""The folder with the code that finds secrets,"""
_READING = (
    *("files/kinds.py", "files/languages.txt", "files/contents.py", "files/texts.py"),
    "index/documents.py",
)
"""the modules of `workspace` that decode files into text,"""
_SHOWING = ("escaping.py", "paths.py")
"""and the modules that make text safe to show."""


class Scanners(NamedTuple):
    """The scanners and rules of a run beside satchel's own; empty if there are none."""

    found: tuple[Scanner, ...] = ()
    key: str = ""
    """Changes with the installed scanners and rules; part of the key of cached texts."""
    rules: RuleSet | None = None
    """Rules beside those that ship with satchel."""

    def redact(self, text: str, *, path: str = "", needed: range | None = None) -> Redacted:
        """Redact a text with the rules and the scanners, or as much of it as is `needed`."""
        from satchel.redaction import redact  # a run that reads nothing new does without

        return redact(text, path=path, scanners=self.found, more=self.rules, needed=needed)


NO_SCANNERS = Scanners()


def redact_secrets(text: str) -> str:
    """Redact a message of satchel's (an error, a setting, a problem), which may quote secrets."""
    return NO_SCANNERS.redact(text).text


@cache
def rules_version() -> int:
    """Return a number from 0 to 2**24 - 1 that changes with the code of the rules.

    Texts cached under other rules may contain what these redact, and are never used.
    """
    here = Path(__file__).parent.parent
    files = [*(here / "workspace" / name for name in _READING), *(here / name for name in _SHOWING)]
    files += sorted(one for one in (here / _RULES).iterdir() if one.suffix in (".py", ".toml", ".txt"))
    digest = blake2b(__version__.encode(), digest_size=3)
    for file in files:
        if file.exists():  # an installation may have only compiled files, which change with the version
            digest.update(file.read_bytes())
    return int.from_bytes(digest.digest(), "big")
