"""Find the language of a text, and translate its words into English."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from satchel.patterns import lazily
from satchel.questions.word_tables import read_table, read_words
from satchel.stems import stem
from satchel.workspace.index.terms import WORD

_ENGLISH = frozenset(
    "the is are how what where which do does i to of in a and for my can it this that with".split()  # noqa: SIM905
)
EAST_ASIAN = lazily(r"[぀-ヿ一-鿿]")
LEAST_PREFIX = 4
"""Least letters of a word that another one may begin with."""
_TELLING = 5
"""Words of a text from which a lack of common English words means another language."""
_FOREIGN = 0.15
"""Share of common English words below which a text is taken for another language."""
STOP = read_words("stop")
_COLUMNS = MappingProxyType(
    {"de": (1,), "es": (2, 3, 4), "fr": (2, 3, 4), "pt": (2, 3, 4), "ru": (5,)}  # Romance words are alike
)
"""Columns of the table of concepts with words of each language."""
_STOP_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {code: read_words(f"stop {code}") for code in _COLUMNS}
)
"""Words of grammar in other languages; some are English words too."""
STOP_ELSEWHERE = frozenset[str]().union(*_STOP_OF.values())
_OF_PARTICIPLE = lazily(
    r"^(ab|an|auf|aus|bei|ein|fest|fort|frei|her|hin|hinzu|los|mit|nach|um|unter|vor|weg|weiter|zu|zurück"
    r"|zusammen)?(?:ge|zu)(?=\w{3})"
)
"""Where a German verb takes "ge" or "zu": "ausgewählt", "auszuwählen"."""
_LEAST_INNER = 5
"""Least letters of a part of a German compound, such as "Konfigurationsdatei"."""
_SCRIPTS = MappingProxyType(
    {"ja": lazily(r"[぀-ヿ]"), "ko": lazily(r"[가-힣]"), "zh": lazily(r"[一-鿿]"), "ru": lazily(r"[а-яА-Я]")}
)
"""Letters that identify a language, the first that fits: Japanese has Chinese characters, too."""


def is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English, as far as its function words show."""
    words = WORD.findall(text.lower())
    if not text.isascii() and EAST_ASIAN.search(text) is not None:
        return True
    english = sum(word in STOP and word not in STOP_ELSEWHERE for word in words)
    other = _count_foreign(words)
    if english != other:
        return other > english
    return sum(word in _ENGLISH for word in words) < _FOREIGN * len(words)


def _count_foreign(words: Iterable[str]) -> int:
    """Return the number of words that are function words of another language, and not of English."""
    return sum(word in STOP_ELSEWHERE and word not in STOP for word in words)


@lru_cache(maxsize=1)
def _english_stems() -> frozenset[str]:
    """Return the stems of the English words of all concepts."""
    return frozenset(
        stem(word) for line in read_table("concepts.txt") for word in line.partition("|")[0].split()
    )


def is_in_english(text: str) -> bool:
    """Return whether a text is in English, or too short to decide."""
    return find_language(text) == "en" and not (len(WORD.findall(text)) > _TELLING and is_foreign(text))


def find_language(text: str) -> str:
    """Return the code of a text's language, English if nothing indicates another."""
    scripts = {} if text.isascii() else _SCRIPTS
    script = next((code for code, pattern in scripts.items() if pattern.search(text)), "")
    if script or not is_foreign(text):
        return script or "en"
    return next(iter(_find_likeliest(text)), "en")


def _find_likeliest(text: str) -> list[str]:
    """Return the languages with most of the function words in a text: several if they have equally many."""
    words = WORD.findall(text.lower())
    counts = {code: sum(word in stop for word in words) for code, stop in _STOP_OF.items()}
    most = max(counts.values())
    return [code for code, count in counts.items() if count == most > 0]


def translate(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the English stems of each word of a text that the table of concepts has in another language.

    Without function words of another language, English words keep their meanings: no file is a queue.
    """
    rows = [line.split("|") for line in read_table("concepts.txt")]
    if not text.isascii() and EAST_ASIAN.search(text) is not None:
        found = [row[0] for row in rows if any(word in text for word in " ".join(row[-2:]).split())]
    else:
        found = _find_said(rows, text)
    for english in found:
        yield tuple(dict.fromkeys(map(stem, english.split())))


def _find_said(rows: Sequence[Sequence[str]], text: str) -> list[str]:
    """Return the English words of the rows of the table of concepts that have a word of a text."""
    words = WORD.findall(text)
    plain = frozenset[str]() if _count_foreign(words) else _english_stems()
    said = [word for word in words if word not in STOP_ELSEWHERE and stem(word) not in plain]
    likeliest = ["ru"] if find_language(text) == "ru" else _find_likeliest(text) or ("de", "es")
    columns = sorted({at for code in likeliest for at in _COLUMNS[code]})
    starts = [[start for at in columns for start in row[at].split()] for row in rows]
    if "de" in likeliest:
        said += [_OF_PARTICIPLE.sub(r"\1", word) for word in said]
        said += _find_ends(said, [start for some in starts for start in some])
    return [
        row[0]
        for row, some in zip(rows, starts, strict=True)
        if any(_begins(word, start) for start in some for word in said)
    ]


def _begins(word: str, start: str) -> bool:
    return word == start or (len(start) >= LEAST_PREFIX and word.startswith(start))


def _find_ends(words: Iterable[str], starts: Sequence[str]) -> list[str]:
    """Return the ends of German compounds, from a known word after a known or unknown one: "datei"."""
    ends = []
    for word in words:
        known = max((len(start) for start in starts if _begins(word, start)), default=LEAST_PREFIX)
        places = (word.find(start, known) for start in starts if len(start) >= _LEAST_INNER)
        ends += [word[place:] for place in places if place > 0]
    return ends
