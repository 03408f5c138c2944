"""Split code and prose into terms, weigh a task's query, and count the terms in parts."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, groupby, pairwise, repeat
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar, cast

from satchel.parts import Lines, Part, SplitItem
from satchel.patterns import lazily

WORD = lazily(r"[^\W\d]\w+")
_BREAKS = "".join(chr(code) if re.match(r"\w", chr(code)) else " " for code in range(128))
"""For `str.translate` of an ASCII text: every character outside of words becomes a blank."""
_HUMPS = lazily(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_RUN = lazily(r"\w+")
_EAST_ASIAN = lazily(
    "[\u3041-\u3096\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Runs of kana, Han and Hangul, in which no blank marks the end of a word."""
_COMPOUND = r"\b(\w+(?:_\w+)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2,}[a-z]{2,}\w*)\b"
_MARKED = lazily(rf"`([^`\n]{{2,200}})`|{_COMPOUND}|\b(\w+)\(\)")
_COMPOUND_NAME = lazily(_COMPOUND)
_NUMBERED_NAME = lazily(
    r"(?<![\w./-])([A-Za-z]{1,12}(?=[-/])|[A-Za-z]{0,6}[A-Z]{2}[A-Za-z]{0,6}(?= ))"
    r"[-/ ]v?(\d{1,4})(?!\w|/|-\w)"
)
"""A name and its number: "HTTP/1.1", "UTF-8", "x-509", "OAuth 2"."""
_MOST_NUMBERS = 2
_OF_TYPES = frozenset("IT")
SHORTEST_WORD, LONGEST_WORD = 2, 80
_TITLE_FACTOR, _BELOW_FACTOR, _PASTED_FACTOR = 1.7, 0.68, 0.34
"""Factors for a term in the first line of a task, below it, and only in pasted code or output."""
_MARKED_FACTOR = 1.6
_FENCES = ("```", "~~~")
_PASTED = ("    ", "\t", "> ", ">>> ")
"""Beginnings of lines around code and output, and of lines with it."""
_LONGEST_TASK = 200_000
"""Characters of a task that are used for its query; the rest of a pasted log adds nothing."""


_ENDS_IN_IE = frozenset({"cookie", "movie", "calorie", "zombie", "selfie", "rookie", "hoodie", "genie"})
"""Words of five and more letters whose plural ends like that of words in `y`."""
_DIGITS = "0123456789"
_MOST_KNOWN = 200_000
"""Words that are cached; beyond that the vocabulary starts afresh."""


def fold(term: str) -> str:
    """Fold a plural: `parsers` -> `parser`, `entries` -> `entry`; short words and `ss` stay."""
    if len(term) < 4 or not term.endswith("s") or term.endswith(("ss", "us", "is")):
        return term
    if term.endswith("ies") and len(term) > 4 and term[:-1] not in _ENDS_IN_IE:
        return term[:-3] + "y"
    return term[:-1]


_STOP = Path(__file__).with_name("stop.txt").read_text("ascii").split()
STOP = frozenset([*_STOP, *map(fold, _STOP)])
"""Words that do not identify a place, as they are written and as terms."""


def split_words(words: Iterable[str]) -> list[tuple[str, ...]]:
    """Split each word into its folded terms, the whole word last where it has several parts."""
    listed = list(words)
    parted = _HUMPS.sub(" ", "\n".join(listed)).split("\n")  # at once: half the time of one call for each
    if len(parted) != len(listed):  # there are none, or one has a line feed
        parted = [_HUMPS.sub(" ", word) for word in listed]
    return [_list_terms(word, parts) for word, parts in zip(listed, parted, strict=True)]


def is_east_asian(term: str) -> bool:
    """Return whether a term is of a script without blanks between words, whose terms are pairs."""
    return _EAST_ASIAN.match(term) is not None


def _pair_up(run: re.Match[str]) -> str:
    """Return each two neighbors of a run, as analyzers for Chinese, Japanese and Korean do."""
    pairs = map("".join, pairwise(run[0]))
    return f" {' '.join(pairs) or run[0]} "


def _list_terms(word: str, parted: str) -> tuple[str, ...]:
    """Return the terms of a word that was parted by blanks."""
    if word.islower() and word.isalpha() and word.isascii():  # most words have one part
        return (fold(word),)
    whole = word.lower().strip("_")
    parted = (parted if word.isascii() else _EAST_ASIAN.sub(_pair_up, parted)).lower()
    pieces = parted.split()
    parts = dict.fromkeys(fold(part) for part in pieces if len(part) > 1)
    if len(pieces) > 1 and word.isascii():
        parts.update(dict.fromkeys(_join_pieces(pieces, word)))
    if len(parts) > 1 or (parts and next(iter(parts)) != fold(whole)):
        parts.pop(whole, None)
        return (*parts, whole)
    return tuple(parts) or (whole,)


def _join_pieces(pieces: Sequence[str], word: str) -> Iterator[str]:
    """Yield a lone letter with what comes after it, and a name with its number: `grpc`, `http2`, `oauth2`.

    They are pieces of `gRPCServer`, `Http2Connection` and `OAuth2Client`. The letters of interfaces and type
    parameters (`IClient`, `TKey`) say nothing. Words with many numbers are hashes and encoded data.
    """
    are_numbered = sum(map(str.isdecimal, pieces)) <= _MOST_NUMBERS
    lower = word.lower()
    joined = ""
    for before, piece in pairwise(pieces):
        if piece.isdecimal():
            if are_numbered and before.isalpha():
                yield (joined or before) + piece
            joined = ""
            continue
        is_letter = len(before) == 1 and before.isalpha() and piece.isalpha()
        at = lower.find(before + piece) if is_letter else -1  # -1 if "_" is between them
        joined = before + piece if at >= 0 else ""
        if joined and word[at] not in _OF_TYPES:
            yield joined


def find_numbered_names(text: str) -> list[str]:
    """Return the names of a text with a number that code writes in one word, `HTTP2` for "HTTP/2"."""
    return [f"{name}{number}" for name, number in _NUMBERED_NAME.findall(text)]


def find_compound_names(text: str) -> list[str]:
    """Return the names of several words in a text, `maxAge` and `max_age`, without outer underscores."""
    return [name.strip("_") for name in _COMPOUND_NAME.findall(text)]


def count_words(text: str) -> Counter[str]:
    """Count the words of a text unfolded; overlong ones are left out."""
    return drop_overlong(count_all_words(text))


def count_all_words(text: str) -> Counter[str]:
    """Count the matches of `WORD`, in an order that depends only on the text."""
    return Counter(WORD.findall(text))


def runs_of(text: str) -> list[str]:
    """Return the longest runs of letters, digits and underscores; ASCII needs no regex."""
    return text.translate(_BREAKS).split() if text.isascii() else _RUN.findall(text)


def drop_overlong(counts: Counter[str]) -> Counter[str]:
    """Remove the words that are longer than any identifier, and return the rest."""
    if max(map(len, counts), default=0) > LONGEST_WORD:
        for word in [word for word in counts if len(word) > LONGEST_WORD]:
            del counts[word]
    return counts


def count_terms(text: str) -> Counter[str]:
    """Count the folded terms of a text."""
    words = count_words(text)  # in the order of the text: sums depend on it
    terms: Counter[str] = Counter()
    for split, count in zip(split_words(words), words.values(), strict=True):
        for term in split:
            terms[term] += count
    return terms


def query_terms(text: str) -> dict[str, float]:
    """Weigh the terms of a task: 1 + log of the count, more in the title and where marked as code, less where
    nothing but pasted code and output has them.
    """
    text = text[:_LONGEST_TASK]
    title, _, rest = text.strip().partition("\n")
    marked = set(count_terms(" ".join(chain.from_iterable(_MARKED.findall(text)))))
    in_title = set(_count_query_terms(title))
    pasted, prose = separate_pastes(rest)
    written = set(count_terms("\n".join(prose))) if pasted else None

    def factor(term: str) -> float:
        if term in in_title:
            return _TITLE_FACTOR
        return _BELOW_FACTOR if written is None or term in written else _PASTED_FACTOR

    return {
        term: (1 + math.log(count)) * (_MARKED_FACTOR if term in marked else 1) * factor(term)
        for term, count in _count_query_terms(text).items()
        if term not in STOP and len(term) > 1
    }


def _count_query_terms(text: str) -> Counter[str]:
    """Count the terms of a text, and those of names that code writes in one word, `http2` for "HTTP/2"."""
    terms = count_terms(text)
    for split in split_words(find_numbered_names(text)):
        terms.update(term for term in split if term[-1:].isdecimal() and not term.isdecimal())
    return terms


def separate_pastes(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of pasted code and output in a text, and all others."""
    pasted: list[str] = []
    prose: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        else:
            (pasted if fenced or line.startswith(_PASTED) else prose).append(line)
    return pasted, prose


def inverse_document_frequency(documents: int, holding: int) -> float:
    """Return ln(1 + (N - n + .5) / (n + .5)), Robertson's weight kept above zero."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def normalize(scores: Mapping[str, float]) -> dict[str, float]:
    """Divide all scores by the largest."""
    largest = max(scores.values(), default=0.0)
    return (
        {key: score / largest for key, score in scores.items()} if largest > 0 else dict.fromkeys(scores, 0.0)
    )


class Terms(dict[str, Sequence[str]]):
    """The folded terms of words."""

    def __init__(self) -> None:
        super().__init__()
        self.joined: dict[str, str] = {}
        """The terms of each word, each followed by a blank."""

    def add(self, word: str, terms: Sequence[str]) -> None:
        """Add a word with its terms."""
        self.joined[word] = "".join([f"{term} " for term in terms])
        self[word] = terms

    def join_terms(self, words: Iterable[str]) -> str:
        """Return the terms of words in their order, each followed by a blank."""
        return "".join(map(self.joined.__getitem__, words))


class Vocabulary:
    """Caches the folded terms of words, because most words occur in many texts."""

    def __init__(self, most: int = _MOST_KNOWN) -> None:
        self._terms = Terms()
        self._most = most

    def knowing(self, words: Sequence[Iterable[str]]) -> Terms:
        """Return the cached terms, with those of these words; new words are split together."""
        known = self._terms
        fresh = set(filterfalse(known.__contains__, chain.from_iterable(words)))
        if len(known) + len(fresh) > self._most:
            known, fresh = Terms(), set().union(*words)  # not cleared: another thread may still use the old
        if fresh:
            _learn(known, fresh)
        self._terms = known
        return known


def _learn(known: Terms, fresh: Iterable[str]) -> None:
    """Split words that are new."""
    counted = {word: _trim_word(word) for word in fresh}
    held = {word: counts for word, counts in counted.items() if counts}
    for word in counted.keys() - held.keys():
        known.add(word, ())
    for word, terms in zip(held, split_words(held.values()), strict=True):
        known.add(word, terms)


@functools.cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of this process."""
    return Vocabulary()


def words_in(text: str) -> list[str]:
    """Return the words of a text, possibly with runs that have no terms, such as numbers."""
    return runs_of(text) if text.isascii() else WORD.findall(text)


def _trim_word(word: str) -> str:
    """Return the word in a run of letters, digits and "_", "" if there is none."""
    stripped = word.lstrip(_DIGITS)
    return stripped if SHORTEST_WORD <= len(stripped) <= LONGEST_WORD else ""


def place_terms(
    texts: Sequence[Iterable[str]], terms: Mapping[str, Sequence[str]]
) -> tuple[dict[str, list[int]], tuple[int, ...]]:
    """Return the texts that hold each term, and their lengths, from the words of texts and terms of words.

    For a term these are the numbers of the texts, each with its count: text, count, text, count, ...
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    lengths: list[int] = []
    for number, words in enumerate(texts):
        held = Counter(chain.from_iterable(map(terms.__getitem__, words)))
        lengths.append(held.total())
        rows = map(places.__getitem__, held)
        deque(map(list.extend, rows, zip(repeat(number), held.values(), strict=False)), maxlen=0)
    return dict(places), tuple(lengths)


T = TypeVar("T")

_NONE: Mapping[str, int] = MappingProxyType({})
"""The counts of a part without terms, like most parts of a pack."""
_MOST_MADE = 60
"""Most results kept with a split: a long-lived process gets many lists of terms."""


class TermStatistics:
    """The words of parts, and results of functions for the parts of an item, kept with its split."""

    def __init__(self) -> None:
        self._splits: dict[str, SplitItem] = {}

    def __len__(self) -> int:
        return len(self._splits)

    def learn(self, item: str, split: SplitItem) -> None:
        """Remember how an item was split, so that scorers can ask for the terms of its parts."""
        self._splits[item] = split

    def last_split(self, item: str) -> SplitItem | None:
        """Return an item's latest split, None if it was not split."""
        return self._splits.get(item)

    def of_split(self, split: SplitItem, name: str, make: Callable[[SplitItem], T]) -> T:
        """Return a function's result for an item's split, made once; `name` identifies the function."""
        return _again(split, name, make)

    def clear(self) -> None:
        """Forget everything."""
        self._splits.clear()

    def _runs(self, parts: Sequence[Part]) -> Iterator[tuple[tuple[Part, ...], SplitItem | None]]:
        """Yield the parts of each item in a row, with its split if there is one."""
        for item, run in groupby(parts, attrgetter("item")):
            yield tuple(run), self._splits.get(item)

    def of_items(self, parts: Sequence[Part], make: Callable[[Sequence[Part]], T]) -> list[T]:
        """Return a function's results for the parts of each item, in the order of the items.

        `make` is a module-level function that depends on nothing but the parts. It is called once for each
        item while its parts stay the same. Its results are shared, so callers must not change them.
        """
        return [
            _again(split, make, lambda split: make(split.parts))
            if split is not None and run == split.parts
            else make(run)
            for run, split in self._runs(parts)
        ]

    def term_counts(self, parts: Sequence[Part], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """Return for each part the count of each folded term; absent ones are left out."""
        asked = ("counts", tuple(terms))
        counted: list[Mapping[str, int]] = []
        for run, split in self._runs(parts):
            if split is None:
                counted += [{} for _ in run]
                continue
            known = _again(split, asked, lambda split: _counts(split, terms))
            counted += known if run == split.parts else _pick(run, split, known, {})
        return counted

    def vocabulary(self, parts: Sequence[Part]) -> list[Mapping[str, int]]:
        """Return for each part the count of every folded term in it."""
        counted: list[Mapping[str, int]] = []
        for run, split in self._runs(parts):
            known: dict[Lines, dict[str, int]] = {}
            if split is not None:
                known = _again(split, "vocabulary", lambda _: {})
                wanted = {part.lines for part in run} - known.keys()
                known.update(_count_terms_of_parts(split, wanted) if wanted else {})
            counted += [known.get(part.lines, {}) for part in run]
        return counted

    def holders(self, terms: Iterable[str], items: Collection[str]) -> dict[str, int]:
        """Return how many of the items, by id, hold each folded term."""
        counts = dict.fromkeys(terms, 0)
        asked = ("held", frozenset(counts))
        found = (
            _again(self._splits[item], asked, lambda split: tuple(counts.keys() & split.terms.keys()))
            for item in self._splits.keys() & items
        )
        return counts | Counter(chain.from_iterable(found))

    def lengths(self, parts: Sequence[Part]) -> list[int]:
        """Return the number of terms in each part."""
        lengths: list[int] = []
        for run, split in self._runs(parts):
            if split is None:
                lengths += [0] * len(run)
            else:
                lengths += split.lengths if run == split.parts else _pick(run, split, split.lengths, 0)
        return lengths


def _again(split: SplitItem, name: object, make: Callable[[SplitItem], T]) -> T:
    """Return a function's result for a split, made once; the name identifies the function."""
    if name not in split.made:
        if len(split.made) >= _MOST_MADE:
            split.made.clear()
        split.made[name] = make(split)
    return cast("T", split.made[name])


def _counts(split: SplitItem, terms: Iterable[str]) -> list[Mapping[str, int]]:
    """Return for each part of a split the count of each term."""
    counts: dict[int, dict[str, int]] = {}
    for term in terms:
        listed = split.terms.get(term, ())
        for at, count in zip(listed[::2], listed[1::2], strict=True):
            counts.setdefault(at, {})[term] = count
    return [counts.get(at, _NONE) for at in range(len(split.parts))]


def _count_terms_of_parts(split: SplitItem, wanted: Collection[Lines]) -> dict[Lines, dict[str, int]]:
    """Return the counts of all terms of the parts with the wanted lines."""
    found: dict[Lines, dict[str, int]] = {lines: {} for lines in wanted}
    places = {at: found[part.lines] for at, part in enumerate(split.parts) if part.lines in found}
    for term, listed in split.terms.items():
        for at, count in zip(listed[::2], listed[1::2], strict=True):
            if at in places:
                places[at][term] = count
    return found


def _pick(parts: Sequence[Part], split: SplitItem, values: Sequence[T], otherwise: T) -> list[T]:
    """Return the values of some parts of an item, found by their lines."""
    by_lines = {part.lines: value for part, value in zip(split.parts, values, strict=True)}
    return [by_lines.get(part.lines, otherwise) for part in parts]
