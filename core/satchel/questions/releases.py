"""Find out whether a text is about a release or an upgrade, and its versions."""

from __future__ import annotations

from satchel.patterns import lazily

RELEASES = lazily(
    r"(?i)\b(new|changed?|changes|changelog|release notes?|breaking|what breaks|deprecated|removed|added"
    r"|fixed)\b.*?"
    r"(?<![\w.])v?\d+\.\d+"
)
"""A question about a release: a version, and an event in it."""
_OF_RELEASE = lazily(
    r"(?i)\s*(all |the )?(breaking |notable |important )?"
    r"(changes|changelog|release notes|news|deprecations|removals)\b.{0,30}(?<![\w.])v?\d+\.\d+[\w.]*\s*$"
)
"""The same without the form of a question."""
UPGRADES = lazily(
    r"(?i)\b(upgrad|migrat|updat|mov(e|ing)|switch|port(ing)?\b|go(ing)?\b|chang).{0,40}?"
    r"(?<![\w.])(v\d+|v?\d+\.[\dx]|(from|to|version|release)( [a-z][\w.-]*)? \d+\b)"
    r"|\b(upgrade|upgrading|migration|migrating) (notes?|guide|instructions|steps)\b"
)
"""A question about an upgrade: moving to a version."""
_BROKE_SINCE = lazily(
    r"(?i)(^|[.,;:!?)]\s+|\b(and|but|that|since|also) )(after|since) (the |an? |i |we )*"
    r"(upgrad(e|ed|ing)|updat(e|ed|ing)|migrat(ed|ing)|bump(ed|ing)?)\b"
    r"|\b(upgrad|updat|migrat|bump)\w* .*\b(broke|breaks|broken) (?!change|by\b|in\b)"
)
"""The version since which something fails: such a report needs the code at fault, not a guide."""
_ASKS_FOR_GUIDE = lazily(
    r"(?i)\b(what (else )?(changed|breaks|is new|must|do)|how (do|to|can|should))\b|breaking change"
)
_UPGRADE_ALONE = lazily(
    r"(?i)^\W*((upgrade|migrate|move|switch|go) from\b.{0,40}?\bto\b.{0,20}\d"
    r"|(upgrad|migrat)ing\b.*\bfrom\b.*\d"
    r"|(upgrade|upgrading|migration|migrating) (notes?|guide|instructions|steps)\b)"
)
"""The same without the form of a question."""
_TARGET = lazily(r"(?i)\bfrom\b.{0,25}?(?P<old>\d[\w.]*).{0,10}?\bto\b.{0,25}?(?P<new>v?\d)")
"""An upgrade's target after "to": entries on the version before that are no help."""
_UPGRADED = lazily(
    r"(?i)\b(?:upgrad(?:e|ing)|migrat(?:e|ing)|updat(?:e|ing)|bump(?:ing)?) (?:from )?"
    r"(?!(?:from|to|the|this|it|version|v?\d)\b)(?P<what>[a-z@][\w./-]*\w) (?=from\b|to\b|v?\d)"
)
"""The product of an upgrade: "upgrade rails to 8.1"."""
OF_UPGRADES = "upgrade upgrading migrate migration breaking"
"""Words of pages on upgrades."""
_MAJOR = lazily(r"(?i)\b(?:from|to|version|release)(?: [a-z][\w.-]*)? v?(\d+)(?![\w.]*\w)")
_VERSION = lazily(r"(?i)(?<![\w.])(?:v?(\d+\.\d+(?:\.\d+)*)|v(\d+)|v?(\d+)\.x)(?![\w.]*\w)")
SINCE = lazily(
    r"(?i)\b(which|what) (version|release)s?\b.*?"
    r"(?<!be )\b(added|introduced|appear(ed)?|(be)?came|changed?|removed|fixed|deprecated|land(ed)?|new)\b"
    r"|\b(added|introduced|removed|fixed|deprecated|landed)\b.*?\b(which|what) (version|release)s?\b"
    r"|\bsince (when|(which|what) (version|release))\b"
)
"""A question for the version in which something came or went."""
LATEST = lazily(
    r"\b(what('?s| is| was| has)?( new| changed)?|new|changes|changed|changelog|news|notes)\b.*"
    r"\b(latest|last|newest|most recent|current) (release|version)\b"
)
"""A question about the newest entry of a changelog."""
RELEASING = lazily(
    r"\b(new|next|a|each|every|the) releases? (\w+ )?"
    r"(written|made|cut|published|prepared|announced|done|shipped)\b"
    r"|\b(make|cut|publish|prepare|do|ship|tag)(ing)? (a|the|new|next|another) (new |next )?releases?\b"
    r"|\breleas(e|ing) (process|procedure|checklist|steps|a new version)\b"
    r"|\b(carr(y|ies)|holds?|contains?|bump(ed|s|ing)?|tells?) the (new )?version\b"
)
"""A question about how to release the project."""


def names_release(title: str) -> bool:
    """Return whether a line names the changes of a release, or an upgrade, without the form of a question."""
    return _OF_RELEASE.match(title) is not None or _UPGRADE_ALONE.match(title) is not None


def tells_of_breakage(text: str) -> bool:
    """Return whether a text says since which upgrade something fails, and asks for no guide."""
    return _BROKE_SINCE.search(text) is not None and _ASKS_FOR_GUIDE.search(text) is None


def is_about_upgrade(text: str) -> bool:
    """Return whether a text is about moving to a version."""
    return UPGRADES.search(text) is not None


def find_product(text: str) -> str:
    """Return the name of the product to upgrade, "" if a text names none."""
    found = _UPGRADED.search(text)
    return found["what"] if found is not None else ""


def find_versions(text: str, *, is_upgrade: bool) -> tuple[str, ...]:
    """Return the versions that a question names; for an upgrade from one to another, only the target."""
    found = ["".join(groups) for groups in _VERSION.findall(text)]
    if is_upgrade:
        found += _MAJOR.findall(text)
        target = _TARGET.search(text)
        old = target["old"].rstrip(".x") if target else ""
        found = [one for one in found if one != old] or found
    return tuple(dict.fromkeys(found))
