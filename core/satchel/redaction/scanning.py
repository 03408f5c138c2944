"""The gate for text: nothing that a workspace, a command or a conversation holds is shown but through here.

Whoever reads text hands it to `Scanners.redact` before anybody else sees it, with the plugins that find
secrets beside what satchel finds; what satchel tells in its own words goes through `without_secrets`. No
other module calls the rules: a test holds that.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel import __version__

if TYPE_CHECKING:
    from satchel.redaction import Redacted, Scanner
    from satchel.redaction.prefilter import Looks

MOST_FOUND = 100_000
"""Spans that a scanner may find in one text."""
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
