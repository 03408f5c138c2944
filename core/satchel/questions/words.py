"""Find the words that an answer may use: the question's words, their forms, synonyms, and expressions."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from satchel.patterns import lazily
from satchel.questions.languages import LEAST_PREFIX, STOP, is_foreign, is_in_english, translate
from satchel.questions.orders import ORDER_VERBS
from satchel.questions.word_tables import read_pairs, read_table, read_words
from satchel.stems import beginnings, stem
from satchel.workspace.index.terms import WORD, find_numbered_names, fold, split_words

_SYNONYM, _FURTHER, _ABBREVIATED, _COLLOQUIAL, _DERIVED, _TOOL = 0.35, 0.5, 0.7, 0.4, 0.7, 0.5
TRANSLATION, EXPRESSION = 0.8, 0.7
"""Weights of words that the question does not have, relative to 1 for its own."""
_COMPOUND = 1.3
"""Weight of two words that code writes as one, and of an expression's only meaning: it says both."""
_HYPHENATED = lazily(r"\w+(?:[-']\w+)*")
_SIDE_BY_SIDE = lazily(r"(?<![\w-])(?=([a-z]{3,})[ -]([a-z]{3,})(?![\w-]))")
_WITH_PARTICLE = 2
"""Number of words in a verb with a particle: the verb alone means something else."""
PARTICLES = read_words("particles")
_DETERMINERS = frozenset(
    {"the", "a", "an", "my", "our", "your", "its", "their", "this", "that", "these", "each", "every"}
)
_GAP, _GAP_IN_LONGER = 2, 1
"""Most words between the two of an expression, "turn the cache off", and between words of a longer one."""
_NOT = lazily(r"n['’]t\b|(?<=\bdo)nt\b|(?<=\bdoes)nt\b|(?<=\bis)nt\b")
"""A form of "not" in expressions: "isn't used" means "is not used"."""
VAGUE_WEIGHT, SLIGHT_WEIGHT = 0.5, 0.25
"""Weights of own words that say little, and of words that say next to nothing."""
_LAST = chr(sys.maxunicode)
LONG_FORMS = read_pairs("abbreviations.txt")
_TOOLS = read_pairs("tools.txt")
"""Programs that a question about a subject may mean."""


def stem_all(text: str) -> list[str]:
    """Return the stems of a text's words, identifiers split, in order."""
    return [stem(part) for parts in split_words(WORD.findall(text)) for part in parts]


def stem_parts(name: str) -> list[str]:
    """Return the stems of the words in a name, without the stem of the whole name if it has parts."""
    words, whole = stem_all(name), stem(name.strip("_").lower())
    return [one for one in words if one != whole] or words


def find_short_forms(stems: AbstractSet[str]) -> set[str]:
    """Return the abbreviations of words with these stems: `cmd` for `command`."""
    return {short for short, long in LONG_FORMS.items() if not stems.isdisjoint(stem_all(long))}


def find_terms(
    text: str, own: Collection[str], vague: Collection[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the stems of a question's words and of their translations, long forms and synonyms.

    `vague` words have no synonyms: "how do popups work" is not about background workers.
    """
    terms: dict[str, float] = {}
    groups: dict[str, str] = {term: term for term in own}
    low = text.lower()
    if is_foreign(low):
        found = list(translate(low))
        for stems in found:
            _raise_translated(terms, groups, stems)
        meant = [stems[0] for stems in found]
        _add_forms(terms, groups, meant, TRANSLATION)
        _add_related(
            terms, groups, meant, {one: _find_synonyms(one) for one in meant}, TRANSLATION * _SYNONYM
        )
    raise_weights(terms, own, 1.0)
    clear = [term for term in own if term not in vague]
    _add_related(terms, groups, clear, {term: _find_synonyms(term) for term in clear}, _SYNONYM)
    for word in WORD.findall(low):
        if word in LONG_FORMS:
            raise_weights(terms, stem_all(LONG_FORMS[word]), _ABBREVIATED)
    for name in find_numbered_names(text):
        first, *_, joined = stem_all(name)
        _add_related(terms, groups, own, {first: [joined]}, _COMPOUND)
    if is_in_english(text):
        _add_forms(terms, groups, own, 1.0)
        _add_related(terms, groups, own, _join_words(low), _COMPOUND)
        _add_expressions(terms, groups, low)
    return terms, groups


def add_tools(terms: dict[str, float], text: str) -> None:
    """Add the programs that the words of a text may mean."""
    for word, tools in _TOOLS.items():
        if word in text.lower() or stem(word) in terms:
            raise_weights(terms, stem_all(tools), _TOOL)


def find_tools(stems: Collection[str]) -> set[str]:
    """Return the stems of the programs that these words may mean."""
    return {one for word, tools in _TOOLS.items() if stem(word) in stems for one in stem_all(tools)}


def names_tools(stems: AbstractSet[str]) -> bool:
    """Return whether one of these words names a development tool, or a matter of such tools."""
    return not stems.isdisjoint(_of_tools())


@lru_cache(maxsize=1)
def _of_tools() -> frozenset[str]:
    """Return the stems of all words of the table of tools."""
    return frozenset(stem_all(" ".join((*_TOOLS, *_TOOLS.values()))))


def _join_words(text: str) -> dict[str, list[str]]:
    """Return by stem the words joined with the word before, as code writes them: `filename`."""
    joined: dict[str, list[str]] = {}
    for one, other in _SIDE_BY_SIDE.findall(text):
        if one not in STOP:
            joined.setdefault(stem(other), []).append(stem(fold(one) + other))
    return joined


def _add_related(
    terms: dict[str, float],
    groups: dict[str, str],
    own: Iterable[str],
    related: Mapping[str, Iterable[str]],
    weight: float,
) -> None:
    """Add the words related to the words of a question, each in the group of the closest one."""
    for term in own:
        found = sorted(related.get(term, ()))
        closer = [
            one for one in found if one not in groups or (groups[one] != one and terms.get(one, 0.0) < weight)
        ]
        raise_weights(terms, found, weight)
        groups.update(dict.fromkeys(closer, term))


def _add_forms(
    terms: dict[str, float], groups: dict[str, str], words: Collection[str], weight: float
) -> None:
    """Add code's words for English words of this weight, the other forms of verbs, and derived words."""
    _add_related(terms, groups, words, {one: _find_colloquial(one) for one in words}, weight * _COLLOQUIAL)
    _add_related(terms, groups, words, _read_forms("verbs.txt"), weight)
    _add_related(terms, groups, words, _read_forms("derived.txt"), weight * _DERIVED)


def _add_expressions(terms: dict[str, float], groups: dict[str, str], text: str) -> None:
    """Add the meanings of expressions.

    A verb that says something else without its particle counts less: "thrown away" asks about no exception.
    """
    said = _HYPHENATED.findall(_NOT.sub(" not", text))
    for words in (said, *(word.split("-") for word in said if "-" in word)):
        _add_expressions_of(terms, groups, words)


def _add_expressions_of(terms: dict[str, float], groups: dict[str, str], said: Sequence[str]) -> None:
    """Add the meanings of the expressions in these words."""
    words = [basic_forms(stem(word)) for word in said]
    for row in _find_expressions({form for forms in words for form in forms}):
        expression, meanings = _read_expression(row)
        places = _find_expression(words, expression)
        if not places or (places[-1] - places[0] >= len(places) and _is_preposition(said, places[-1])):
            continue
        own = [one for place in places for one in sorted(words[place]) if one in terms]
        has_particle = len(expression) == _WITH_PARTICLE and expression[1] in PARTICLES
        says_all = len(meanings) == 1 and groups.get(meanings[0]) != meanings[0] and not has_particle
        raise_weights(terms, meanings, _COMPOUND if says_all else EXPRESSION)
        if has_particle:
            vague = [one for one in own if not any(_is_meant(one, meaning) for meaning in meanings)]
            forms = terms.keys() & {form for one in vague for form in (one, *forms_of(one))} - {*meanings}
            compound = stem(row.partition("|")[0].replace(" ", ""))  # "times out" is `timeout`, and no time
            left = SLIGHT_WEIGHT if compound in meanings else VAGUE_WEIGHT
            raise_weights(terms, [compound] if compound in meanings else [], 1.0)
            terms.update((form, min(terms[form], left)) for form in forms)
            related = [term for term, word in groups.items() if word in vague and term not in own]
            terms.update((one, min(terms[one], SLIGHT_WEIGHT)) for one in related if one not in meanings)
        name = own[0] if own else meanings[0]
        groups.update((one, groups.get(name, name)) for one in meanings if one not in groups)


def _is_preposition(words: Sequence[str], at: int) -> bool:
    """Return whether a word belongs to the words after it: "log lines in my table" logs nobody in."""
    return words[at] in PARTICLES and not _DETERMINERS.isdisjoint(words[at + 1 : at + 2])


def _is_meant(term: str, meaning: str) -> bool:
    """Return whether a word of an expression has its meaning: "log" alone does not mean "login"."""
    return meaning.startswith(term) if len(term) >= LEAST_PREFIX else meaning == term


def _find_expression(words: Sequence[frozenset[str]], expression: tuple[str, ...]) -> tuple[int, ...]:
    """Return the first places of an expression's words with few others between them."""
    reach = _GAP if len(expression) == _WITH_PARTICLE else _GAP_IN_LONGER
    for start, forms in enumerate(words):
        if expression[0] not in forms:
            continue
        places = [start]
        for wanted in expression[1:]:
            after = range(places[-1] + 1, min(places[-1] + 2 + reach, len(words)))
            found = next((at for at in after if wanted in words[at]), None)
            if found is None:
                break
            places.append(found)
        else:
            return tuple(places)
    return ()


def raise_weights(terms: dict[str, float], stems: Iterable[str], weight: float) -> None:
    """Let each of these stems have at least this weight."""
    for one in stems:
        terms[one] = max(terms.get(one, 0.0), weight)


def _raise_translated(terms: dict[str, float], groups: dict[str, str], stems: tuple[str, ...]) -> None:
    groups.update((one, stems[0]) for one in stems if one not in groups)
    raise_weights(terms, stems[:1], TRANSLATION)
    raise_weights(terms, stems[1:], TRANSLATION * _FURTHER)


def is_common_word(word: str) -> bool:
    """Return whether an English word is in the tables of this package, in any form."""
    if word in STOP or word in ORDER_VERBS:
        return True
    pattern = re.compile(rf"\b{re.escape(stem(word))}(e?s|e?d|ing|e|y|ies)?\b")
    return any(
        pattern.search(line.partition("|")[0] if name == "concepts.txt" else line)
        for name in ("concepts.txt", "verbs.txt", "colloquial.txt", "expressions.txt")
        for line in read_table(name)
        if word[:LEAST_PREFIX] in line
    )


@lru_cache(maxsize=1_024)
def _find_synonyms(stemmed: str) -> frozenset[str]:
    """Return the stems of the other English words for the concepts of a stem."""
    (begins,) = beginnings([stemmed])
    near = (line.partition("|")[0].split() for line in read_table("concepts.txt") if begins in line)
    stems = {one for words in near if stemmed in (row := set(map(stem, words))) for one in row}
    return frozenset(stems - {stemmed})


def forms_of(stemmed: str) -> tuple[str, ...]:
    """Return the stems of the other forms of a stem's irregular verb, if any."""
    return _read_forms("verbs.txt").get(stemmed, ())


def derived_from(stemmed: str) -> tuple[str, ...]:
    """Return the stems of words derived from the word with this stem, or that it is derived from, if any."""
    return _read_forms("derived.txt").get(stemmed, ())


def basic_forms(stemmed: str) -> frozenset[str]:
    """Return a stem, and the stem of the basic form if it is a form of an irregular verb."""
    return frozenset((stemmed, _basic_form_of().get(stemmed, stemmed)))


@lru_cache(maxsize=1)
def _basic_form_of() -> Mapping[str, str]:
    """Return the stem of the basic form by each form of an irregular verb."""
    rows = [tuple(map(stem, line.split())) for line in read_table("verbs.txt")]
    return {form: forms[0] for forms in reversed(rows) for form in forms}


@lru_cache
def _read_forms(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the other forms of each form in a table's rows, as stems, the first of its row first."""
    forms: dict[str, tuple[str, ...]] = {}
    for line in read_table(table):
        stems = tuple(dict.fromkeys(map(stem, line.split())))
        for one in stems:
            forms[one] = tuple(other for other in stems if other != one)
    return forms


@lru_cache(maxsize=1_024)
def _find_colloquial(stemmed: str) -> tuple[str, ...]:
    """Return the stems of code's words for a colloquial word."""
    (begins,) = beginnings([stemmed])
    near = (line.partition("|") for line in read_table("colloquial.txt") if begins in line)
    found = (meanings for words, _, meanings in near if stemmed in map(stem, words.split()))
    meanings = dict.fromkeys(map(stem, " ".join(found).split()))
    return tuple(one for one in meanings if one != stemmed)


def _find_expressions(stems: Collection[str]) -> list[str]:
    """Return the rows of expressions whose first word has one of these stems, in alphabetical order."""
    rows = read_table("expressions.txt")  # in order of their first words
    near = (rows[bisect_left(rows, one) : bisect_left(rows, one + _LAST)] for one in beginnings(stems))
    return sorted({row for some in near for row in some if stem(row.partition(" ")[0]) in stems})


@lru_cache(maxsize=1_024)
def _read_expression(row: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of an expression and its meanings, as stems."""
    words, _, meanings = row.partition("|")
    return tuple(map(stem, words.split())), tuple(dict.fromkeys(map(stem, meanings.split())))
