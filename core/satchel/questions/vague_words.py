"""Lower the weights of words that say little about the subject of a question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set

from satchel.patterns import lazily
from satchel.questions.aims import Aim
from satchel.questions.words import SLIGHT_WEIGHT, VAGUE_WEIGHT, basic_forms, forms_of
from satchel.stems import stem

_COUNT = lazily(r"\b(two|three|four|five|six|seven|eight|nine|ten|both|several)\s+\w{3,}s\b")
"""A number of things in a question: "between two devices" is about devices."""
_VAGUE = frozenset(
    map(
        stem,
        """
        find decide determine know figure work look go take come perform deal try live reside choose pick use
        implement new handle
        """.split(),  # noqa: SIM905
    )
)
"""Words of questions about anything: "where does it find the adapter" asks about adapters."""
_AGENT = lazily(r"\b\w{2,}(?:er|or)s?\b")
"""A doer, which is no vague word: a worker, the finder."""
OF_EXTENDING = frozenset(
    map(stem, "add new create write make implement define introduce build custom develop author".split())  # noqa: SIM905
)
"""Words that ask how to make something new."""
_SUPPORT, _SUPPORTING = stem("support"), lazily(r"(?i)\badd(?:ing)? (?:the )?support (?:for|of)\b")
"""A form of adding something: "add support for a new format"."""
_ASKED_DEED = lazily(
    r"(?i)\bhow (?:do|can|could|should|would|to) (?:(?:i|we|you|one|people|users) )?"
    r"(write|create|implement|change|define|declare)\b"
)
"""Verbs that ask how to make or set something; something made permanent exists already."""
_MET = lazily(
    r"(?i)\bwhy (?:do|does|did|am|are) (?:i|we|you|users|people) (?:\w+ ){0,2}?"
    r"(get|getting|see|seeing|receive|receiving|hit|hitting)\b"
)
"""Verbs for meeting an error: "why do I get a 403" is about forbidden things."""
_NAMED_OPTION = lazily(
    r"(?i)\bthe (?!(?:default|following|same|new|other|first|last|command|config|right|cli|only)\b)"
    r"[`'\"]?[\w.-]{2,}[`'\"]? (option|setting|flag|parameter|argument|property|attribute|directive)\b"
)
"""The kind of what a question names: "what does the wait option do" is about `wait`."""
_SIGNATURE = stem("signature")
_MOVING = frozenset(
    map(stem, "travel get go flow pass make find end reach come become turn move land".split())  # noqa: SIM905
)
"""Verbs of movement: "how does a job get from the table to a process" is not about `get`."""


def find_vague_stems(text: str) -> Set[str]:
    """Return the vague stems of a text, which fit any subject."""
    return _VAGUE - _stem_agents(text)


def _stem_agents(text: str) -> set[str]:
    return {stem(word) for word in _AGENT.findall(text.lower())}


def lower_vague_words(
    terms: dict[str, float], groups: Mapping[str, str], text: str, *, is_about_way: bool
) -> None:
    """Lower the weights of vague words of a text, and of verbs of movement if it asks for a way."""
    vague = find_vague_stems(text)
    terms.update((term, VAGUE_WEIGHT) for term in terms if not vague.isdisjoint(basic_forms(term)))
    terms.update((stem(word), SLIGHT_WEIGHT) for word in _COUNT.findall(text.lower()))
    if is_about_way:
        terms.update((term, SLIGHT_WEIGHT) for term in terms if _is_moving(groups.get(term, term)))


def lower_by_aims(
    terms: dict[str, float], groups: Mapping[str, str], aims: Collection[Aim], text: str
) -> None:
    """Lower the weights of words that only express the aims of a question."""
    if Aim.EXTENDING in aims and Aim.CONTRIBUTING in aims:  # the aim says it already
        terms.update((term, SLIGHT_WEIGHT) for term in terms if term.startswith("contribut"))
    if Aim.API in aims:  # a signature is not about signing
        forms = [term for term in terms if groups.get(term) == _SIGNATURE]
        terms.update((term, SLIGHT_WEIGHT * terms[term]) for term in forms)
    if Aim.EXTENDING in aims:  # pages have these words about everything
        said_of_all = OF_EXTENDING | {_SUPPORT} if _SUPPORTING.search(text) else OF_EXTENDING
        said_of_all = said_of_all - _stem_agents(text)  # a maker is a thing
        verbs = [term for term in terms if groups.get(term, term) in said_of_all]
        terms.update((term, SLIGHT_WEIGHT * terms[term]) for term in verbs)
    elif named := _NAMED_OPTION.search(text):
        kind = stem(named[1].lower())
        forms = [term for term in terms if groups.get(term, term) == kind]
        terms.update((term, SLIGHT_WEIGHT * terms[term]) for term in forms)
    elif asked := _ASKED_DEED.search(text) or _MET.search(text):
        _lower_deed(terms, groups, stem(asked[1].lower()))


def _lower_deed(terms: dict[str, float], groups: Mapping[str, str], deed: str) -> None:
    """Lower the weights of a verb that asks how to make something, and of its synonyms.

    "How do I write a test" asks about tests.
    """
    forms = {deed, *forms_of(deed)}
    lowered = [term for term in terms if term in forms or groups.get(term) in forms]
    terms.update((term, SLIGHT_WEIGHT * terms[term]) for term in lowered)


def _is_moving(stemmed: str) -> bool:
    return not _MOVING.isdisjoint(basic_forms(stemmed))


def is_vague(stemmed: str) -> bool:
    """Return whether a word says so little that it makes no phrase with the word beside it."""
    return _is_moving(stemmed) or not _VAGUE.isdisjoint(basic_forms(stemmed))
