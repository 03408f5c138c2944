"""Match parts with the words of a question: by their text, their names and the paths of their files."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from satchel.items import ContextItem
from satchel.packing.weighing.answer_settings import SETTINGS
from satchel.packing.weighing.backbone import (
    CALLED,
    find_code,
)
from satchel.packing.weighing.chances import WeighedItems
from satchel.packing.weighing.describing import (
    OF_DESIGN,
    OF_GRAMMAR,
    OF_SCREENS,
    PLAIN_WORD,
    drop_common_headings,
    is_on_looks,
    stem_page,
)
from satchel.packing.weighing.word_search import Phrase, find_holding
from satchel.parts import SplitItem, end_of_span
from satchel.patterns import lazily
from satchel.questions import Question
from satchel.questions.aims import Aim
from satchel.questions.languages import STOP
from satchel.questions.words import derived_from, forms_of, stem_all
from satchel.stems import stem
from satchel.workspace.files.kinds import DATA_ROWS, language_of
from satchel.workspace.index.ranking import Bm25, mean_length
from satchel.workspace.index.terms import WORD, inverse_document_frequency, split_words

_FURTHER = lazily(r"(?:\.\w+){2,}")
"""The rest of a name after a namespace: after `Loom` in `Loom.Cell.Server.init`."""
_OF_STOP = frozenset(map(stem, STOP))
_OF_FOLDER = frozenset({"index", "readme", "mod", "lib", "main", "__init__"})
"""Names of files whose subject is that of their folder."""
_ASKS_FOR_VALUES = frozenset({Aim.API, Aim.CONFIGURATION, Aim.HOW_TO})
_SETTING = lazily(r"--?[A-Za-z][\w-]*|[A-Z0-9]+(_[A-Z0-9]+)+")
"""An option, or a variable of the environment."""
_EXPLAINED = "="
"""Prefix of a literal as the term of parts that explain it, however long these are."""
_BEFORE, _EXPLAINING = 2, 4
"""Most words before a name on a line that explains it, such as a row of a table, and least words after it."""


class AnswerRow(NamedTuple):
    """The inputs of one part's score."""

    item: int
    length: int
    counts: Mapping[str, float]
    """Weighted counts of the question's stems."""


def find_common(items: WeighedItems, names: Collection[str], few: int) -> set[str]:
    """Return the names of functions that more than a few files define: only other words tell them apart."""
    defining = Counter(
        name
        for at in (find_code(items) if names else ())
        for name in {
            part.name.rpartition(".")[2] for part in items[at][1].parts if part.kind in CALLED
        }.intersection(names)
    )
    return {name for name, count in defining.items() if count > few}


def compile_literals(literals: Iterable[str]) -> dict[str, re.Pattern[str]]:
    """Return a pattern for each literal, as it is written; its key, in backticks, is no stem's.

    Code often defines an option without its hyphens: `flags.String("name", ...)`.
    """
    return {
        f"`{one}`": re.compile(
            rf"(?<![\w-]){re.escape(one)}(?![\w-])"
            + (rf"|[\"']{re.escape(one[2:])}[\"']" if one[:2] == "--" else "")
        )
        for one in literals
    }


def weigh_literals(literals: Iterable[str], question: Question) -> dict[str, float]:
    """Return the weights of literals, and of their explanations if a question asks for their values."""
    terms = dict.fromkeys(literals, SETTINGS.literal)
    if not _ASKS_FOR_VALUES.isdisjoint(question.aims):
        terms |= {f"{_EXPLAINED}{one}": SETTINGS.explained for one in terms}
    return terms


def _explains(pattern: re.Pattern[str], line: str) -> bool:
    """Return whether a line explains a literal: begins with it, followed by words that are no comment."""
    found = pattern.search(line)
    if found is None or len(PLAIN_WORD.findall(line[: found.start()])) > _BEFORE:
        return False
    return len(PLAIN_WORD.findall(line[found.end() :].partition(" #")[0])) >= _EXPLAINING


def count_literals(
    item: ContextItem,
    split: SplitItem,
    held: Mapping[str, Mapping[int, int]],
    literals: Mapping[str, re.Pattern[str]],
    read: Callable[[ContextItem], str],
    *,
    explained: dict[int, list[int]],
) -> dict[str, dict[int, float]]:
    """Return how often each part holds each literal, more if that is in its name or heading.

    The lines that explain one are added to those `explained` of each part. Rows of data explain nothing.
    """
    found: dict[str, dict[int, float]] = {}
    if language_of(item.path) in DATA_ROWS:
        return found
    lines: list[str] | None = None
    for name, pattern in literals.items():
        stems = {
            one for one in stem_all(name) if one not in _OF_STOP
        }  # `no` of `--no-root` is not looked for
        if not stems or not all(held.get(one) for one in stems):
            continue
        counts: dict[int, float] = found.setdefault(name, {})
        for at in sorted(set.intersection(*(set(held[one]) for one in stems))):
            if lines is None:
                lines = read(item).split("\n")
            first, last = split.parts[at].lines
            count = len(pattern.findall("\n".join(lines[first - 1 : last])))
            if count:
                counts[at] = counts.get(at, 0.0) + count
                is_setting = _SETTING.fullmatch(name.strip("`")) is not None
                rows = [n for n in range(first, last + 1) if is_setting and _explains(pattern, lines[n - 1])]
                if rows:
                    found.setdefault(f"{_EXPLAINED}{name}", {})[at] = 1.0
                    explained.setdefault(at, []).extend(rows)
        for at, part in enumerate(split.parts):
            named = pattern.search(part.name) if part.name else None
            if named is not None and not _FURTHER.fullmatch(part.name, named.end()):
                for inner in range(at, end_of_span(split.parts, at)):
                    counts[inner] = counts.get(inner, 0.0) + SETTINGS.heading
    return found


def compile_versions(question: Question) -> dict[str, re.Pattern[str]]:
    """Return a pattern for each version: `8.2` is also the beginning of `8.2.1`.

    "From 8.2 to 8.3" is about 8.3.
    """
    return {
        one: re.compile(
            rf"(?<![\d.]){re.escape(one)}(?!\d|(?:\.[\dx]{{1,4}})?[ \t]{{1,4}}to[ \t]{{1,4}}\S{{0,40}}\d)"
        )
        for one in question.versions
    }


def count_versions(
    split: SplitItem, lines: Sequence[str], versions: Mapping[str, re.Pattern[str]]
) -> dict[str, dict[int, int]]:
    """Return the parts about each version: with it in their heading, and all below that heading."""
    found: dict[str, dict[int, int]] = {}
    for name, pattern in versions.items():
        about: dict[int, int] = {}
        for at, part in enumerate(split.parts):
            if pattern.search(part.name or lines[part.lines[0] - 1]):
                about.update(dict.fromkeys(range(at, end_of_span(split.parts, at)), 1))
        found[name] = about
    return found


def count_phrases(
    item: ContextItem,
    split: SplitItem,
    held: Mapping[str, Mapping[int, int]],
    phrases: Mapping[str, Phrase],
    read: Callable[[ContextItem], str],
) -> dict[str, dict[int, int]]:
    """Return how often each part holds each phrase; a text is read only if a part has both words."""
    found: dict[str, dict[int, int]] = {}
    lines: list[str] | None = None
    for name, phrase in phrases.items():
        both = held.get(phrase.one, {}).keys() & held.get(phrase.other, {}).keys()
        for at in sorted(both):
            if lines is None:
                lines = read(item).split("\n")
            first, last = split.parts[at].lines
            count = phrase.count_in("\n".join(lines[first - 1 : last]))
            if count:
                found.setdefault(name, {})[at] = count
    return found


def count_stems(split: SplitItem, stemmed: Mapping[str, str]) -> dict[str, dict[int, int]]:
    """Return how often each part holds each stem, given the stems of terms: stem -> part -> count."""
    held: dict[str, dict[int, int]] = {}
    for term in stemmed.keys() & split.terms.keys():
        places = split.terms[term]
        counts = held.setdefault(stemmed[term], {})
        for part, count in zip(places[::2], places[1::2], strict=True):
            counts[part] = counts.get(part, 0) + count
    return held


_KEYWORDS = {
    **dict.fromkeys(
        ("javascript", "typescript", "tsx", "vue", "svelte"), frozenset(stem_all("export import"))
    ),
    **dict.fromkeys(("java", "kotlin", "scala", "go", "swift"), frozenset(stem_all("import package"))),
    "python": frozenset({"import"}),
    "dockerfile": frozenset(stem_all("add copy from run user")),
}
"""Stems of keywords that begin lines of a language, whatever their subject."""
_KEYWORD = lazily(
    r"[ \t]{0,40}((?:export|import|package)\b(?![ \t]{0,4}[(=:.])|(?:ADD|COPY|FROM|RUN|USER)(?=[ \t]))"
)


def ignore_keywords(
    item: ContextItem,
    split: SplitItem,
    held: dict[str, dict[int, int]],
    read: Callable[[ContextItem], str],
) -> frozenset[str]:
    """Subtract from the counts of stems the lines of code that begin with them as keywords.

    The stems that may be keywords in a file are returned.
    """
    kept = frozenset(held.keys() & _KEYWORDS.get(language_of(item.path), ()))
    if item.kind != "file" or not kept:
        return frozenset()
    lines = read(item).split("\n")
    for at, part in enumerate(split.parts):
        first, last = part.lines
        found = (_KEYWORD.match(line) for line in lines[first - 1 : last])
        for word, count in Counter(stem(one[1].lower()) for one in found if one).items():
            if word in kept and at in held[word]:
                held[word][at] -= count
    for word in kept:
        held[word] = {at: count for at, count in held[word].items() if count > 0}
    return kept


def find_stems(names: Iterable[str], wanted: Collection[str], begin: Iterable[str]) -> dict[str, list[str]]:
    """Return the wanted stems in each name that has any; `begin` are the beginnings of their words.

    All words go through one expression, which is several times faster than one call for each name.
    """
    words = {name: WORD.findall(name.replace(".", " ")) for name in find_holding(list(names), begin)}
    listed = list(dict.fromkeys(chain.from_iterable(words.values())))
    stems = {
        word: _match_stems([stem(part) for part in parts], wanted)
        for word, parts in zip(listed, split_words(listed), strict=True)
    }
    held = {name: [one for word in mine for one in stems[word]] for name, mine in words.items()}
    return {name: mine for name, mine in held.items() if mine}


def _match_stems(stems: Sequence[str], wanted: Collection[str]) -> list[str]:
    """Return the wanted stems of a word's parts, and the wanted phrases of two adjacent ones."""
    phrases = (f"{one} {other}" for one, other in pairwise(stems))
    return [one for one in (*stems, *phrases) if one in wanted]


def make_rows(
    at: int,
    split: SplitItem,
    held: Mapping[str, Mapping[int, float]],
    terms: Mapping[str, float],
    *,
    in_names: Sequence[Sequence[str]],
    titled: Mapping[str, int] | None = None,
) -> list[AnswerRow]:
    """Return a row for each part, an empty one if only `titled` parts count and no heading or path fits.

    `in_names` are the terms in each part's name, `titled` the number of pages with each heading.
    """
    counts: list[defaultdict[str, float]] = [defaultdict(float) for _ in split.parts]
    for term in terms.keys() & held.keys():
        for part, count in held[term].items():
            counts[part][term] += count
    path = split.parts[0].path if split.parts else ""
    wanted = terms.keys() - OF_SCREENS if titled else terms.keys()
    words = stem_page(path, titled) if titled else stem_path(path)
    in_path = Counter(one for one in words if one in wanted)
    if titled:
        in_names = drop_common_headings(path, split.parts, in_names, titled)
        in_path = Counter() if is_on_looks(path, split.parts) else in_path
    fitting = set(range(len(counts)))
    if titled and not in_path.keys() & {*stem_path(path.rpartition("/")[2])}:
        fitting = set(range(len(counts))[: SETTINGS.beginning]) if in_path else set()
    are_rows = bool(split.parts) and language_of(split.parts[0].path) in DATA_ROWS
    for part, mine in enumerate(counts):
        for term, count in in_path.items() if not (are_rows and part) else ():
            mine[term] += SETTINGS.path * count
        found = in_names[part] if not (titled and _is_deep(split, part)) else ()
        for inner in range(part, end_of_span(split.parts, part)) if found else ():
            fitting.add(inner)
            for term in found:
                counts[inner][term] += SETTINGS.heading
    return [
        AnswerRow(at, split.lengths[part], mine if part in fitting else {})
        for part, mine in enumerate(counts)
    ]


def raise_headings(
    splits: Iterable[SplitItem], raw: list[float], question: Question, weights: Mapping[str, float]
) -> None:
    """Raise the scores of sections whose headings have words of the question and no others: "Timeouts"."""
    own = (question.own - OF_DESIGN) or question.own
    asked = sum(weights.get(one, 0.0) for one in sorted(own))
    for at, part in enumerate(part for split in splits for part in split.parts):
        if raw[at] and asked and part.kind == "section":
            words = {*stem_all(part.name)} - OF_GRAMMAR
            if words and words <= own:
                raw[at] *= 1 + SETTINGS.pure * sum(weights.get(one, 0.0) for one in sorted(words)) / asked


def _is_deep(split: SplitItem, at: int) -> bool:
    """Return whether a part is in a section of a chapter, so that its heading is about that chapter."""
    first = split.parts[at].lines[0]
    return sum(part.span[1] >= first for part in split.parts[:at]) > 1


def stem_path(path: str) -> list[str]:
    """Return the stems of the words in a path."""
    return stem_all(path.replace("/", " ").replace(".", " ").replace("-", " ").replace("_", " "))


def _find_rarest(word: str, term: str, rarity: Mapping[str, float]) -> float:
    """Return how rare a word's synonym may be; "subcommand" is as rare as "command"."""
    most = 1.0 if term in derived_from(word) else SETTINGS.rarest
    return most * rarity.get(word, math.inf)


def weigh_terms(
    rows: Sequence[AnswerRow],
    terms: Mapping[str, float],
    rarity: Mapping[str, float],
    groups: Mapping[str, str],
) -> dict[str, float]:
    """Return each stem's weight times its rarity: of its commonest word, or among the parts at hand.

    A verb's form is as common as the commonest of its forms, a word derived from one of the question no
    rarer than that, and other synonyms not much rarer: "got" says no more than "get", "subcommand" no more
    than "command", and "rotate" little more than "log".
    """
    common: dict[str, float] = {}
    for word, value in rarity.items():
        common[stem(word)] = min(value, common.get(stem(word), value))
    holding = Counter(term for row in rows for term in row.counts)
    found = {
        term: common.get(term, inverse_document_frequency(len(rows), holding[term]))
        for term in terms
        if term in holding
    }
    capped = {
        term: min(value, _find_rarest(groups.get(term, term), term, found)) for term, value in found.items()
    }
    return {
        term: terms[term] * min(capped[one] for one in (term, *forms_of(term)) if one in capped)
        for term in capped
    }


def score_rows(
    rows: Sequence[AnswerRow],
    worths: Mapping[str, float],
    groups: Mapping[str, str],
    code: Collection[int],
) -> list[float]:
    """Return the score of each row by BM25: of a word and its synonyms, only the best match counts.

    In items of `code`, very short parts gain nothing by their length.
    """
    formula, average = Bm25(SETTINGS.saturation, SETTINGS.length), mean_length([row.length for row in rows])
    scores = []
    for row in rows:
        if not row.counts:
            scores.append(0.0)
            continue
        damping = formula.damping(max(row.length / average, SETTINGS.shortest if row.item in code else 0.0))
        best: dict[str, float] = {}
        for term, count in sorted(row.counts.items()):
            group = groups.get(term, term)
            held = formula.saturate(count, formula.saturation if term.startswith(_EXPLAINED) else damping)
            best[group] = max(best.get(group, 0.0), worths[term] * held)
        scores.append(sum(best.values()))
    return scores


def score_names(splits: Sequence[SplitItem], terms: Mapping[str, float], own: Collection[str]) -> list[float]:
    """Return how well each file's own name fits.

    That is the rarity of its words among all names, times their share of the name and of the question.
    """
    names = [set(stem_all(_name_of(split))) for split in splits]
    holding = Counter(one for name in names for one in name)
    rarity = {one: inverse_document_frequency(len(names), holding[one]) for one in terms if one in holding}
    asked = max(len(own), 1)
    return [
        sum(terms[one] * rarity[one] for one in sorted(name & rarity.keys()))
        / max(len(name), 1)
        * min(1.0, sum(terms[one] for one in sorted(name & rarity.keys())) / asked)
        for name in names
    ]


def _name_of(split: SplitItem) -> str:
    folder, _, name = (split.parts[0].path if split.parts else "").rpartition("/")
    own = name.lstrip(".").partition(".")[0]
    if own.lower() in _OF_FOLDER and folder:
        own = folder.rpartition("/")[2]
    return own.replace("-", " ")


def spread(mine: Sequence[float], split: SplitItem, *, given: float) -> list[float]:
    """Return the scores of a file's parts with shares of their neighbours' scores and of the file's best.

    An empty file has no scores.
    """
    if not mine:
        return []
    is_small = sum(part.tokens for part in split.parts) < SETTINGS.small_tokens
    share = max(SETTINGS.file, SETTINGS.small_file) if is_small else SETTINGS.file
    base = share * max(mine, default=0.0) + given
    return [
        score + SETTINGS.neighbours * max(before, after) + base
        for before, score, after in zip([0.0, *mine[:-1]], mine, [*mine[1:], 0.0], strict=True)
    ]
