"""Which packages a task names, and whether it is about packages at all."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from satchel.plugin_api import STOP, lazily

_LONGEST_TASK = 20_000
_MOST_TOKENS = 400
_TOKEN = lazily(r"@?\w[\w./+:-]{0,150}")
_SCOPE = lazily(r"\A\s*[\w./-]+(\([^()\n]*\))?!?: ")
"""How titles of commits begin, `fix(parser): `: a place, and no package."""
_MARKED = lazily(r"`([^`\n]{1,150})`|\"([^\"\n]{1,100})\"|'([^'\n]{1,100})'")
_VERSIONED = lazily(r"(@?\w[\w./-]{0,100})(?:\[\w{1,40}\])?\s?(?:[=~<>^!]=?=?\s?|@|\s|\sv|@v)\d+(?:\.\d+)+")
_ASKS = lazily(
    r"\b(dependenc(y|ies)|packages?|librar(y|ies)|versions?|upgrad\w*|downgrad\w*|bump\w*|pin(s|ned|ning)?"
    r"|lock ?files?|install\w*|requirements?|vulnerab\w*|CVE-\d+|crates?|gems?|modules?"
    r"|npm|pip|cargo|maven|gradle|composer|nuget"
    r"|poetry|yarn|pnpm|deprecat\w*|incompatib\w*|compatib\w*|ImportError|ModuleNotFoundError|migrat\w*|third.party)\b",
    re.IGNORECASE,
)


_FUNCTION_WORDS = STOP | {"next"}
"""Words that name a package only where they are marked, even in a task about packages."""


@cache
def _plain_words() -> frozenset[str]:
    """Return words of everyday tasks that are packages too.

    One names a package where a task marks it, or is about packages.
    """
    return frozenset(Path(__file__).with_name("plain_words.txt").read_text(encoding="utf-8").split())


class Naming(NamedTuple):
    """What a task names."""

    asks: bool
    """Whether it is about packages, versions or installing."""
    tokens: frozenset[str]
    """Words that name a package wherever one is called so."""
    marked: frozenset[str]
    """Those that are marked as names: in quotes, beside a version, or not of letters alone."""

    @classmethod
    def of(cls, text: str) -> Naming:
        """Read a task."""
        text = _SCOPE.sub("", text[:_LONGEST_TASK])
        asks = _ASKS.search(text) is not None
        quoted = {one for found in _MARKED.findall(text) for one in found if one}
        versioned = {match[1] for match in _VERSIONED.finditer(text)}
        words = [word.rstrip(".:/-") for word in _TOKEN.findall(text)[:_MOST_TOKENS]]
        strange = {word for word in words if not word.isalpha() and not word.isdigit()}
        marked = frozenset(quoted | versioned | {bare for word in strange for bare in _bare(word)})
        vague = _FUNCTION_WORDS if asks else _FUNCTION_WORDS | _plain_words()
        plain = {word for word in words if word.lower() not in vague}
        return cls(asks, frozenset(plain | marked), marked)

    def names(self, alias: str) -> bool:
        """Return whether the task means a short name: a word of everyday tasks does not, unless marked."""
        if "/" in alias:
            return any("/" in token and f"/{token}/" in f"/{alias}/" for token in self.tokens)
        return alias in self.tokens and (alias.lower() not in _plain_words() or alias in self.marked)


def _bare(word: str) -> tuple[str, ...]:
    """Return a word, and what stands before its version or its attribute: `react@18`, `yaml.load`."""
    name = word[:1] + word[1:].partition("@")[0].partition("::")[0]
    return tuple(dict.fromkeys((word, name, name.partition(".")[0] if "/" not in name else name)))
