"""Which words of a task may name a package, and whether the task is about packages at all."""

from __future__ import annotations

import re
from typing import NamedTuple

from satchel.patterns import lazily

_LONGEST_TASK = 20_000
_MOST_TOKENS = 400
_TOKEN = lazily(r"@?\w[\w./+:-]{0,150}")
_MARKED = lazily(r"`([^`\n]{1,150})`|\"([^\"\n]{1,100})\"|'([^'\n]{1,100})'")
_VERSIONED = lazily(r"(@?\w[\w./-]{0,100})(?:\[\w{1,40}\])?\s?(?:[=~<>^!]=?=?\s?|@|\s|\sv|@v)\d+(?:\.\d+)+")
_ASKS = lazily(
    r"\b(dependenc(y|ies)|packages?|librar(y|ies)|versions?|upgrad\w*|downgrad\w*|bump\w*|pin(s|ned|ning)?"
    r"|lock ?files?|install\w*|requirements?|vulnerab\w*|CVE-\d+|crates?|gems?|modules?"
    r"|npm|pip|cargo|maven|gradle|composer|nuget"
    r"|poetry|yarn|pnpm|deprecat\w*|incompatib\w*|compatib\w*|ImportError|ModuleNotFoundError|migrat\w*|third.party)\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(
    """
    accept access action adapter address api app arch args array assert async auth autoload axis backend
    base basic batch binary body bootstrap bot build bus cache call channel chart check class cli click
    client clock cluster code color colors command common compress concurrent config connect console
    container context control convert cookie core cors crypto csv cursor data database date debug decimal
    deep delay diff docs document domain dot download driver drop edit email encoding engine env error
    errors escape event events exec express extra factory faker fast feed field file files filter flag flags
    flash flow font forever form format forms frame framework fs glob global go graph grid group hash header
    help history hook html http icon image images import index inflection ini input inspect int interface
    invoke java jobs join json key kind label language layer layout level lib library limit line link list
    loader local lock log logger logging login logs mail main map mark markdown marker math media memory
    menu merge message meta method mime mixin mobile mock model models module moment money monitor mustache
    name native net network node notify number object open option order os package packaging page parallel
    parse parser path pattern performance phone php pipe plugin pool popper port print process progress
    progressbar promise prompt proto proxy pull purl python query queue random range raw read record
    redirect reflect regex release render report request requests resource response retry rich ring roles
    route router rows ruby rules run runtime rust safe sample scale schema scope screen script sdk search
    secret select semver send server service session set setup shell signal simple site six slim sort source
    space spec split sql stack standard state static status storage store stream string style styles sync
    sys system table tables tag tags task template term terminal test tests text theme thread time timeout
    token tokens tool toolkit tools tooltip trace tracing transform tree trim tty type types unit update
    upload uri url user users util utils uuid validate validator value vault version video view views
    virtual wait watch web websocket wheel which window words work workers wrapper writer xml yaml zip
    """.split()  # noqa: SIM905 (a list of 300 quoted words is no text to read)
)
"""Words of everyday tasks that are packages too: one where a task marks them or is about packages."""


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
        text = text[:_LONGEST_TASK]
        asks = _ASKS.search(text) is not None
        quoted = {one for found in _MARKED.findall(text) for one in found if one}
        versioned = {match[1] for match in _VERSIONED.finditer(text)}
        words = [word.rstrip(".:/-") for word in _TOKEN.findall(text)[:_MOST_TOKENS]]
        strange = {word for word in words if not word.isalpha() and not word.isdigit()}
        marked = frozenset(quoted | versioned | {bare for word in strange for bare in _bare(word)})
        plain = {word for word in words if asks or word.lower() not in _PLAIN}
        return cls(asks, frozenset(plain | marked), marked)

    def names(self, alias: str) -> bool:
        """Return whether the task means a short name: a word of everyday tasks does not, unless marked."""
        if "/" in alias:
            return any("/" in token and f"/{token}/" in f"/{alias}/" for token in self.tokens)
        return alias in self.tokens and (alias.lower() not in _PLAIN or alias in self.marked)


def _bare(word: str) -> tuple[str, ...]:
    """Return a word, and what stands before its version or its attribute: `react@18`, `yaml.load`."""
    name = word[:1] + word[1:].partition("@")[0].partition("::")[0]
    return tuple(dict.fromkeys((word, name, name.partition(".")[0] if "/" not in name else name)))
