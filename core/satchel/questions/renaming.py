"""Find the names whose every use a task is about: names to rename, remove, deprecate, or look for."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain
from typing import NamedTuple

from satchel.patterns import lazily
from satchel.questions.words import is_common_word
from satchel.references.mentions import CODE_LIKE
from satchel.workspace.files.kinds import language_of
from satchel.workspace.index.terms import STOP, WORD, split_words

_LONGEST_TITLE, _LONGEST = 200, 600
"""Most characters of the first line and of all lines of such a task: a longer text says more than that."""
_MOST = 5
_NAME = r"-{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|-)[A-Za-z_$][\w$]*)*"
_KIND = (
    r"(?:options?|settings?|flags?|arguments?|args?|param(?:eter)?s?|fields?|keys?|props?|propert(?:y|ies)"
    r"|attributes?|methods?|functions?|funcs?|class(?:es)?|types?|interfaces?|structs?|enums?|traits?"
    r"|const(?:ant)?s?|variables?|vars?|hooks?|helpers?|macros?|symbols?|names?|features?|identifiers?|commands?)"
)
_BEFORE = (
    r"(?:(?:the|an?|our|all|every|any|my|its|die|der|das|den|la|el|los|las|les?|os?)\s+)*(?:(?:deprecated|old|unused|legacy|public|private|global|internal"
    r"|config(?:uration)?|cli|command[- ]line|env(?:ironment)?|of|uses?|usages?|calls?|references?|to)\s+)*"
)
_VERBS = (
    r"(?:(?:renam|remov|delet|deprecat|replac|inlin|eliminat)(?:e|es|ed|ing)|drop(?:s|ped|ping)?"
    r"|get(?:ting)? rid of"
    r"|umbenennen|entferne|renombrar?|eliminar?|renomme[rz]?|supprime[rz]?)"
)


def _name_pattern(end: str = "") -> str:
    """Return a pattern for a name with its kind beside it, in groups whose names have this end."""
    return (
        rf"(?P<kind{end}>{_KIND}\s+)?(?P<quote{end}>[`'\"]?)(?P<name{end}>{_NAME})(?P<called{end}>\(\))?"
        rf"(?P=quote{end})(?P<after{end}>\s+{_KIND}\b)?"
    )


_CHANGED = lazily(rf"(?i)\b{_VERBS}\s+{_BEFORE}{_name_pattern()}")
_GONE = lazily(
    rf"(?i){_name_pattern()}\s+(?:is|are|was|were|(?:has|have) been|will be|got|became)\s+"
    r"(?:now\s+|being\s+|finally\s+)?"
    r"(?:deprecated\b|obsolete\b|(?:removed|dropped|deleted|renamed|replaced|gone)\s+"
    r"(?:in|since|with|as of|from)\s+(?:[\w.-]+\s+){0,2}?v?\d)"
)
"""A name that others deprecate, or that a version of theirs removes: its uses are to change."""
_REPLACED = lazily(rf"(?i)\b(?:instead of|rather than)\s+{_BEFORE}{_name_pattern()}")
_WITHIN = lazily(
    rf"\s+(?:from|of|in|on)\s+(?:the\s+)?(?P<quote>[`'\"]?)(?P<name>{_NAME})(?P<called>\(\))?(?P=quote)"
)
_FROM = lazily(
    r"(?i)\s+from\s+(?:(?:the|an?|our|all|every)\s+)?(?P<mark>[`'\"]?)(?P<words>@?[\w./-]+(?:\s+[\w./-]+){0,2})(?P=mark)"
    r"(?=\s*(?:$|[,.;:()]|\b(?:and|as|since|because|to|when|for|in|if|so|by|on)\b))"
)
_OTHER = rf"[`'\"]?{_NAME}(?:\(\))?[`'\"]?"
_ARROW = lazily(rf"(?P<quote>[`'\"]?)(?P<name>{_NAME})(?P<called>\(\))?(?P=quote)\s*(?:->|→|=>)\s*{_OTHER}")
_NEW_NAME = lazily(
    rf"\s+(?:to|into|as)\s+{_OTHER}\s*(?:\Z|[.,;:!?)]|(?:everywhere|in|across|and|throughout)\b)"
)
_LOOKED_FOR = lazily(
    r"(?i)\b(?:(?:all|every|the|find|list|show)\s+)+"
    r"(?:uses?|usages?|callers?|references?|occurrences?|call sites?)\s+(?:of|to)\s+"
    + _BEFORE
    + _name_pattern()
    + rf"|\b(?:who|what)\s+(?:calls|uses|references|imports|depends on)\s+(?:the\s+)?{_name_pattern('2')}"
    + rf"|\bwhere\s+(?:is|are|do we use|does anything use)\s+(?:the\s+)?{_name_pattern('3')}"
    + r"\s+(?:used|called|referenced|imported)\b"
)
_LOOKING = ("use", "usage", "call", "referenc", "occurrence", "import", "depends on")
_CHANGING = (
    "renam", "remov", "delet", "deprecat", "replac", "inlin", "elimina", "drop", "rid of", "obsolete", "gone",
    "umbenennen", "entferne", "renombr", "renomme", "supprime",
)  # fmt: skip
_LIKENING = ("like", "similar", "analogous", "model", "next to", "beside", "wie", "como", "comme")
"""Words of these three kinds of titles: without any of them no expression is tried, since each takes 4 ms to
compile."""
_LIKE = lazily(
    r"(?i)\W*(?:please |i (?:want|need) to |let's )?(?:add|introduce|implement|create|support)\b.{0,120}?"
    r"\b(?:like|similar to|analogous to|modell?ed on|next to|beside|wie|como|comme)\s+"
    + _BEFORE
    + _name_pattern()
)
"""An order for one more of something: each place of its model needs another."""
_ALONE = lazily(rf"\s*(?P<mark>`?)(?P<name>{_NAME})(?:\(\))?(?P=mark)\s*[?.]?\s*")
_PLAIN = lazily(r"[A-Za-z]?[a-z]+(?:-[a-z]+)*|[A-Z]{1,5}")
"""Words that may be no name of code."""
_KINDS = lazily(
    rf"(?i)(?:{_KIND}|deprecated|old|unused|legacy|public|private|global|internal|code|it|this|that|static|abstract"
    r"|virtual|async|final|default|new|same|whole|current|first|last|wrong|empty|single|nested|optional|required"
    r"|remaining|existing|custom|original|other|previous|another|given|dead|duplicated?|redundant|unnecessary)\Z"
)
"""Words beside a kind that are no names."""
_INDEFINITE = lazily(r"(?i)\b(?:an?|any|every)\s")
"""An indefinite word: "remove a method" names no method."""


class ChangePlace(NamedTuple):
    """Where a task changes a name: in a definition, or in the files whose paths have some words."""

    name: str
    """The definition, or the words."""
    is_definition: bool

    def is_in(self, path: str, terms: Collection[str]) -> bool:
        """Return whether a file with these terms may hold the place."""
        known = terms if self.is_definition else {*chain(*split_words(WORD.findall(path)))}
        return {*terms_of(self.name)}.issubset(known)


def find_names_to_change(text: str) -> tuple[str, ...]:
    """Return the names that a task renames, removes, replaces or deprecates, or whose uses it asks for.

    A plain word counts only in backticks, with brackets, or beside its kind: "remove the minify option".
    """
    title = text.strip().partition("\n")[0]
    if (alone := _ALONE.fullmatch(text)) and (alone["mark"] or not _PLAIN.fullmatch(alone["name"])):
        return () if language_of(alone["name"]) else (alone["name"],)
    if len(title) > _LONGEST_TITLE or len(text) > _LONGEST:
        return ()
    found: dict[str, None] = {}
    is_renaming = False
    changes, likens, looks = (
        any(word in title.lower() for word in words) for words in (_CHANGING, _LIKENING, _LOOKING)
    )
    for match in _CHANGED.finditer(title) if changes else ():
        renames = match[0].lower().startswith(("renam", "umben", "renom"))
        is_renaming |= renames
        kind = match["kind"] or match["after"] or (renames and _NEW_NAME.match(title, match.end()))
        is_one = not _INDEFINITE.search(title[match.start() : match.start("name")])
        _add(found, match["name"], match["quote"] or match["called"], is_a_thing=bool(kind) and is_one)
    for match in _GONE.finditer(title) if changes else ():
        _add(found, match["name"], match["quote"] or match["called"], is_a_thing=False)
    for match in _ARROW.finditer(title) if is_renaming else ():
        _add(found, match["name"], "->", is_a_thing=False)
    for match in _LIKE.finditer(title) if likens else ():
        is_last = title[match.end() : match.end() + 1] in (":", ",", ".", "?", "")
        is_rare = is_last and not is_common_word(match["name"])
        _add(found, match["name"], match["quote"] or match["called"], is_a_thing=is_rare)
    for match in _LOOKED_FOR.finditer(title) if looks else ():
        for end in ("", "2", "3"):
            if name := match[f"name{end}"]:
                is_a_thing = bool(match[f"kind{end}"] or match[f"after{end}"])
                _add(found, name, match[f"quote{end}"] or match[f"called{end}"], is_a_thing=is_a_thing)
    return tuple(found)[:_MOST]


def looks_for_uses(text: str) -> bool:
    """Return whether a task only looks for the uses of names, and changes none."""
    title = text.strip().partition("\n")[0]
    if _ALONE.fullmatch(text):
        return True
    return any(word in title.lower() for word in _LOOKING) and _LOOKED_FOR.search(title) is not None


def find_change_place(text: str) -> ChangePlace | None:
    """Return the place in which a task changes a name, None if it tells none.

    It is `render` in "remove `raw` from `render`", and "page cache" in "remove `raw` from the page cache".
    """
    title = text.strip().partition("\n")[0][:_LONGEST_TITLE]
    for match in _CHANGED.finditer(title):
        found = _WITHIN.match(title, match.end())
        if found and (found["quote"] or found["called"] or CODE_LIKE.search(found["name"])):
            return ChangePlace(found["name"], is_definition=True)
        if found := _FROM.match(title, match.end()):
            words = found["words"].rpartition("/")[2]
            return None if _KINDS.match(words) else ChangePlace(words, is_definition=False)
    return None


def find_replaced_names(text: str) -> tuple[str, ...]:
    """Return the names that a task wants replaced: `strpos` in "use str_contains instead of strpos()"."""
    title = text.strip().partition("\n")[0][:_LONGEST_TITLE]
    found: dict[str, None] = {}
    if "instead of" in title or "rather than" in title:
        for match in _REPLACED.finditer(title):
            _add(found, match["name"], match["quote"] or match["called"], is_a_thing=False)
    return tuple(found)[:_MOST]


def is_plain_word(name: str, text: str) -> bool:
    """Return whether a name is a word like any other, and not marked as a name in a text."""
    marked = (f"`{name}`", f"'{name}'", f'"{name}"', f"{name}()", f"`{name}()`")
    return _PLAIN.fullmatch(name) is not None and not any(mark in text for mark in marked)


def last_of(name: str) -> str:
    """Return the last part of a dotted name, itself if it has none: `total` of `Cart.total`."""
    return re.split(r"\.|::|#|->", name)[-1]


def compile_use(name: str) -> re.Pattern[str]:
    """Return a pattern that finds a name as a whole; only the last part of a dotted name counts."""
    return re.compile(rf"(?<![\w$]){re.escape(last_of(name))}(?![\w$])")


def term_of(name: str) -> str:
    """Return the folded term that every text with a name holds."""
    return "".join(terms_of(last_of(name))[-1:])


def terms_of(name: str) -> list[str]:
    """Return the folded term of each word of a dotted name: `cart` and `total` of `Cart.total`."""
    return [terms[-1] for terms in split_words(WORD.findall(name))]


def _add(found: dict[str, None], name: str, mark: str | None, *, is_a_thing: bool) -> None:
    is_name = bool(mark) or name.startswith("-") or CODE_LIKE.search(name) is not None
    if not is_name and (not is_a_thing or len(name) < 3 or _KINDS.match(name) or name.lower() in STOP):
        return
    if len(name.strip("-")) > 2:
        found[name] = None
