"""Recognize additions of one more of a kind in tasks and commit messages: an option, a command, a rule."""

from __future__ import annotations

from typing import NamedTuple

from satchel.patterns import lazily
from satchel.questions.word_tables import read_words

_LONGEST_TITLE = 200
_ADDS = lazily(
    r"(?i)\W*(?:\[[^\]\n]{1,40}\]:?\s*|[\w./-]+(?:\([\w,./ *-]+\))?!?: )?"
    r"(?:(?:please|i (?:want|need) to|we (?:should|need to)|let['’]?s|(?:could|can|would) (?:you|we)"
    r"(?: please)?) )?"
    r"(?:add|adds|added|adding|introduce[sd]?|implement(?:s|ed)?|create[sd]?|provide[sd]?|support(?:s|ed)?|new)\b"
)
FLAG, OPTION = "flag", "option"
"""Kinds of things set on the command line, and of things set there or elsewhere."""
_KINDS = {
    **dict.fromkeys(("flag", "switch"), FLAG),
    **dict.fromkeys(("option", "setting", "preference"), OPTION),
    **dict.fromkeys(("command", "subcommand"), "command"),
    **dict.fromkeys(("rule", "cop", "lint", "check"), "rule"),
    **{kind: kind for kind in read_words("added kinds")},
}
"""Words for kinds that a project has many of, each named in several places."""
_KIND = "|".join(f"{kind}(?:es|s)?" for kind in sorted(_KINDS, key=len, reverse=True))
_PREPOSITION = r"(?:for|to|of|with|from|in|on|when|that|which|via|by|so|as|if|called|named|and|or)"
_OF_KIND = lazily(
    rf"(?i)\s+(?:support for )?(?:(?!{_PREPOSITION}\s)[`'\"]*[\w./:-]+[`'\"]*(?:\(\))?\s+){{0,5}}?"
    rf"(?P<kind>{_KIND})(?=\W*$|[,:;()`#]|\.(?!\w)|\s+(?:{_PREPOSITION}\b|[`'\"(\[#-]))"
)
"""The kind of the addition, and no word of another thing: "a rule for names", not "rule names"."""
_LONG_OPTION = lazily(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OF_OTHERS = lazily(
    r"(?i)(?<!support )\b(?:for|to|of|with|from|in|on|when|about|alias(?:es)?|tests?|docs?|documentation"
    r"|help)\b"
)
"""Words before an option that make the addition something about it: "add tests for --wait"."""
_NAME = (
    r"[`'\"]{1,2}(?P<quoted%s>[A-Za-z][\w.:-]{2,39})(?:\(\))?[`'\"]{1,2}"
    r"|(?P<code%s>\b[a-z]\w*_\w+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[A-Za-z]{3,}(?=\(\)))"
    r"|(?P<proper%s>\b(?=[A-Za-z0-9]*[a-z])[A-Z][A-Za-z0-9]{2,})"
)
_BESIDE = lazily(
    rf"(?:{_NAME % ((1,) * 3)}) (?:(?:config|configuration|cli|environment|env) )?(?P<after>(?i:{_KIND}))\b"
    rf"|\b(?P<before>(?i:{_KIND})) (?:(?:for|with|called|named) )?(?:{_NAME % ((2,) * 3)})"
)


OWN_PLACES = "and, unlike others of its kind, in:"
"""The line in a list of an addition's places above the places that nothing else of its kind has."""


class Addition(NamedTuple):
    """One more of a kind, and its names."""

    kind: str
    """The kind, as in `_KINDS`."""
    names: tuple[str, ...]
    """Names beside the kind, or options; () if there are none."""

    def is_example_for(self, other: Addition) -> bool:
        """Return whether one more of the other's kind goes to the same places; an option may be a flag."""
        return self.kind == other.kind or (self.kind, other.kind) == (FLAG, OPTION)


def read_addition(text: str) -> Addition | None:
    """Return the addition in the first line of a task or a commit's message, None if there is none."""
    title = text.strip().partition("\n")[0]
    begin = _ADDS.match(title) if len(title) <= _LONGEST_TITLE else None
    if begin is None:
        return None
    if options := _LONG_OPTION.findall(title):
        before = title[begin.end() : title.index(options[0])]
        return None if _OF_OTHERS.search(before) else Addition(FLAG, tuple(options))
    of_kind = _OF_KIND.match(title, begin.end())
    if of_kind is None:
        return None
    kind = _name_kind(of_kind["kind"])
    for found in _BESIDE.finditer(title, begin.end()):
        if _name_kind(found["after"] or found["before"]) == kind:
            written = (found[f"{form}{place}"] for form in ("quoted", "code", "proper") for place in (1, 2))
            return Addition(kind, tuple(name for name in written if name))
    return Addition(kind, ())


def _name_kind(word: str) -> str:
    low = word.lower()
    return next(_KINDS[one] for one in (low, low.removesuffix("s"), low.removesuffix("es")) if one in _KINDS)
