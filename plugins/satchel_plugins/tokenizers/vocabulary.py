"""The vocabularies that come with satchel: their ranks, and how a text is split and merged into tokens."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from satchel.plugin_api import (
    SatchelError,
    cache_folder,
    lazily,
    make_private_folder,
    open_nonblocking,
    read_private,
    replacing,
)

PIECE_CHARS = 3 * 2**16
"""Characters a piece has at most. Divisible by 3 and by powers of two, so that a run of one digit or
of one other character, which offers no place to cut, is cut where a token ends anyway."""

_SEARCHED_CHARS = 2**15

# Read backwards: a character that begins a line and joins no newline before it; or a blank or mark
# right after a letter or digit. Both vocabularies always part a text there ("'" joins letters, so it
# is no such mark).
_SAFE_END = lazily(r"(?:[^\s/](?=\n)|[\s!-&(-/:-@\[-`{-~、。，！？；：](?=[^\W_]))")


def cut(text: str, piece_chars: int = PIECE_CHARS) -> list[str]:
    """Return pieces of at most `piece_chars` characters that make up `text`, () for an empty one.

    Cuts are made where both vocabularies part a text in any case; where the last 32,768 characters
    of a piece hold no such place (one endless word), at the full size: then a count may be 1 more.
    """
    pieces = []
    start = 0
    while len(text) - start > piece_chars:
        end = _safe_end(text, start, start + piece_chars)
        pieces.append(text[start:end])
        start = end
    if start < len(text):
        pieces.append(text[start:])
    return pieces


def _safe_end(text: str, start: int, limit: int) -> int:
    lowest = max(start, limit - _SEARCHED_CHARS)
    # one character beyond the limit: what follows a cut decides whether it is safe
    backwards = text[lowest : limit + 1][::-1]
    found = _SAFE_END.search(backwards)
    end = limit - found.start() if found else limit
    return end if end > start else limit


def repair_surrogates(text: str) -> str:
    """Return `text` with each half of a broken surrogate pair replaced by U+FFFD, as tiktoken does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# Of the two files of each vocabulary: no other content is believed, whoever wrote it.
_SHA256 = {
    "cl100k_base.ascii": "8a8164b8410796a27cb08ebb989a09e26cb87e5f0def143aeb26f8b3d40fe01b",
    "cl100k_base.other": "aa3ef7cc9d4c26d49d5effb4d05d9f477bc5ca5275181ba84e89601c5de1678a",
    "o200k_base.ascii": "faaedee4a725d8ebf18547ff07343e51f5e9d3e2b956b2e01e5881068023d89f",
    "o200k_base.other": "6b161f78bd0789bcc9341dc34f8c37608d681fbb3c8bea07e2b8245d7f64b1c1",
}
_INSTALLED = Path(__file__).with_name("vocabularies")
_BETWEEN = b"\xff"
"""No byte of UTF-8, so no token that holds it is ever part of a text."""
_SIZE = 4
"""Bytes before the tokens in a file, which say how long they are together."""
_RANK = 3
"""Bytes of each rank behind them, the lowest first."""
_FEW = 10_000
_MOST_BYTES = 16 << 20


class Ranks:
    """The ranks of tokens, each a text of one character for each of its bytes (Latin-1).

    The first are looked up among sorted tokens, which are soon read. A dictionary is ten times as fast, but
    takes as long to make as `_FEW` looks and more.
    """

    def __init__(self, tokens: Sequence[str], numbers: Sequence[int]) -> None:
        self._tokens, self._numbers = tokens, numbers
        self._looks = 0
        self._all: dict[str, int] | None = None

    def rank(self, token: str, none: int) -> int:
        """Return the rank of a token, or `none` where it is no token."""
        if self._all is not None:
            return self._all.get(token, none)
        self._looks += 1
        if self._looks >= _FEW:
            self._all = dict(zip(self._tokens, self._numbers, strict=True))
        at = bisect_left(self._tokens, token)
        return self._numbers[at] if at < len(self._tokens) and self._tokens[at] == token else none


def ranks_of(encoding: str, *, plain: bool, folder: Path) -> Ranks | None:
    """Return the ranks of all tokens in ASCII, or of all others; None where no such file is at hand."""
    data = _read(_file_name(encoding, plain=plain), folder)
    if data is None:
        return None
    end = _SIZE + int.from_bytes(data[:_SIZE], "little")
    tokens = data[_SIZE:end].decode("latin-1").split("\xff")
    return Ranks(tokens, _read_numbers(data[end:]))


def _read_numbers(data: bytes) -> array[int]:
    """Read numbers of `_RANK` bytes each."""
    size = array("I").itemsize
    wide = bytearray(len(data) // _RANK * size)
    for place in range(_RANK):
        wide[place::size] = data[place::_RANK]
    numbers = array("I", bytes(wide))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def are_at_hand(encoding: str, folder: Path) -> bool:
    """Tell whether the two files of a vocabulary are installed or kept, and are what they should be."""
    return all(_read(_file_name(encoding, plain=plain), folder) is not None for plain in (False, True))


def keep_ranks(encoding: str, tokens: Sequence[bytes], folder: Path) -> None:
    """Write the two files of a vocabulary, given its tokens by rank; raise OSError where they can't be."""
    make_private_folder(folder)
    for plain in (False, True):
        ranks = {token: rank for rank, token in enumerate(tokens) if token.isascii() is plain}
        listed = sorted(token for token in ranks if _BETWEEN not in token)
        joined = _BETWEEN.join(listed)
        numbers = (ranks[token].to_bytes(_RANK, "little") for token in listed)
        data = b"".join([len(joined).to_bytes(_SIZE, "little"), joined, *numbers])
        with replacing(folder / _file_name(encoding, plain=plain), durable=False) as file:
            file.write(data)


def _read(name: str, folder: Path) -> bytes | None:
    for read in (
        (_INSTALLED / name).read_bytes,
        partial(read_private, folder / name, most_bytes=_MOST_BYTES),
    ):
        with contextlib.suppress(OSError):
            data = read()
            if hashlib.sha256(data).hexdigest() == _SHA256[name]:
                return data
    return None


def _file_name(encoding: str, *, plain: bool) -> str:
    return f"{encoding}.{'ascii' if plain else 'other'}"


# sha256 of the files that OpenAI publishes; tiktoken demands the same ones
_TABLES_SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
# tiktoken names a cached table by the sha1 of the address that it would be fetched from
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


def table_name(encoding: str) -> str:
    """Return the file name that tiktoken looks for in its cache folder."""
    return hashlib.sha1(_ADDRESS.format(encoding).encode(), usedforsecurity=False).hexdigest()


def find_table(encoding: str, folders: Iterator[Path]) -> Path | None:
    """Return the first of `folders` that holds the official table, None where none does."""
    return next((folder for folder in folders if _is_official(folder, encoding)), None)


def cache_folders(environment: Mapping[str, str], own: Path) -> Iterator[Path]:
    """Yield the folder that the person named for tiktoken's tables, if they did, then satchel's `own`.

    tiktoken's usual one lies in the folder for temporary files, where anybody may write: it is not read.
    """
    named = environment.get("TIKTOKEN_CACHE_DIR") or environment.get("DATA_GYM_CACHE_DIR")
    if named:
        yield Path(named)
    yield own


def own_folder() -> Path:
    """Return the folder of rebuilt tables in the user's cache."""
    return cache_folder() / "tiktoken"


def rebuild_table(encoding: str) -> bytes:
    """Return the official table, made from toktok's vocabulary; raise SatchelError if it is not that."""
    import base64

    table = b"".join(
        base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens_of(encoding))
    )
    if hashlib.sha256(table).hexdigest() != _TABLES_SHA256[encoding]:
        raise SatchelError(
            f"tiktoken: the table of {encoding} rebuilt from the installed toktok-rs is not the official "
            "one; install toktok-rs 0.3.0, or put the official table into TIKTOKEN_CACHE_DIR"
        )
    return table


def tokens_in(table: bytes) -> list[bytes]:
    """Return the tokens of an official table, by rank."""
    import binascii

    return [binascii.a2b_base64(line.partition(b" ")[0]) for line in table.splitlines()]


def store_table(encoding: str, table: bytes, folder: Path) -> None:
    """Write `table` under tiktoken's name, whole or not at all; raise OSError where that can't be done."""
    make_private_folder(folder)
    with replacing(folder / table_name(encoding), durable=False) as file:
        file.write(table)


def read_table(encoding: str, folder: Path) -> bytes:
    """Return the official table from a folder that has it; raise OSError where it is gone or another one."""
    place = folder / table_name(encoding)
    with open(place, "rb", opener=open_nonblocking) as file:
        data = file.read(_MOST_BYTES + 1)
    if hashlib.sha256(data).hexdigest() != _TABLES_SHA256[encoding]:
        raise OSError(errno.EINVAL, "is not the official table", str(place))
    return data


def _is_official(folder: Path, encoding: str) -> bool:
    try:
        return bool(read_table(encoding, folder))
    except OSError:
        return False


def tokens_of(encoding: str) -> Iterator[bytes]:
    """Yield the tokens of toktok's vocabulary by rank; raise SatchelError where toktok is not installed."""
    try:
        import toktok
    except ImportError as missing:
        raise SatchelError(
            f"tiktoken: no table of {encoding} is at hand and toktok-rs, which holds one, is not installed; "
            f"put the official table into TIKTOKEN_CACHE_DIR as {table_name(encoding)}"
        ) from missing
    vocabulary = toktok._encoding(encoding)
    for rank in range(vocabulary.n_vocab):
        try:
            yield vocabulary.decode_single_token_bytes(rank)
        except KeyError:  # the first gap parts the ranks from the special tokens
            return


_LONG = 60
"""Characters of a piece from which a heap finds the next merge sooner than a look at all pairs."""
_LONGEST_TOKEN = 128
"""Bytes of the longest token of both vocabularies."""
_MOST_MERGED = 150_000
"""Characters that are merged here in all: about as long as a table of toktok takes to load."""
NO_TOKEN = 1 << 60
"""The rank of what is no token."""
_CONTRACTION = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))"
_LONG_S = "\u017f"
"""Means an s in a contraction, for a pattern that looks at no case."""


Rank = Callable[[str, int], int]
"""Returns the rank of a token, or the number given where it is none."""


class TooMuchError(Exception):
    """The text is more than plain Python should count, or holds what Unicode's tables may differ on."""


class Letters(NamedTuple):
    """Characters beyond ASCII by what a pattern takes them for."""

    upper: str = ""
    lower: str = ""
    number: str = ""
    mark: str = ""
    space: str = ""


def sort(characters: Collection[str]) -> Letters:
    """Sort characters beyond ASCII; raise TooMuchError for one that Unicode took for something else once."""
    from unicodedata import category, ucd_3_2_0

    kinds: dict[str, list[str]] = {field: [] for field in (*Letters._fields, "both", "other")}
    for one in sorted(characters):
        now = category(one)
        kind = _kind(one, now)
        if one == _LONG_S or now == "Cn" or kind != _kind(one, ucd_3_2_0.category(one)):
            raise TooMuchError
        kinds[kind].append(one)
    both = "".join(kinds["both"])
    found = Letters(*("".join(kinds[field]) for field in Letters._fields))
    return found._replace(upper=found.upper + both, lower=found.lower + both)


def _kind(character: str, category: str) -> str:
    if category[0] == "Z" or character == "\x85":
        return "space"
    if category[0] in "NM":
        return "number" if category[0] == "N" else "mark"
    letters = {"Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "both", "Lo": "both"}
    return letters.get(category, "other")


def o200k_pattern(letters: Letters) -> re.Pattern[str]:
    """Return what parts a text for o200k_base, where all characters beyond ASCII are among the letters."""
    upper, lower = f"[A-Z{letters.upper}{letters.mark}]", f"[a-z{letters.lower}{letters.mark}]"
    known = f"a-zA-Z0-9{letters.upper}{letters.lower}{letters.number}"
    space = rf"\s{letters.space}"
    return re.compile(
        rf"[^\r\n{known}]?{upper}*{lower}+{_CONTRACTION}?"
        rf"|[^\r\n{known}]?{upper}+{lower}*{_CONTRACTION}?"
        rf"|[0-9{letters.number}]{{1,3}}"
        rf"| ?[^{space}{known}]+[\r\n/]*"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+",
        re.ASCII,
    )


def cl100k_pattern(letters: Letters) -> re.Pattern[str]:
    """Return what parts a text for cl100k_base, where all characters beyond ASCII are among the letters."""
    letter = f"a-zA-Z{letters.upper}{letters.lower}"
    known = f"{letter}0-9{letters.number}"
    space = rf"\s{letters.space}"
    return re.compile(
        rf"{_CONTRACTION}"
        rf"|[^\r\n{known}]?[{letter}]+"
        rf"|[0-9{letters.number}]{{1,3}}"
        rf"| ?[^{space}{known}]+[\r\n]*"
        rf"|[{space}]*[\r\n]+|[{space}]+(?![^{space}])|[{space}]+",
        re.ASCII,
    )


PATTERNS: Mapping[str, Callable[[Letters], re.Pattern[str]]] = {
    "o200k_base": o200k_pattern,
    "cl100k_base": cl100k_pattern,
}


class PieceCounts(dict[str, int]):
    """The tokens of each piece that was asked for.

    `rank` knows the tokens in ASCII; `other` is asked for what knows all others when the first such piece
    comes.
    """

    def __init__(self, rank: Rank, other: Callable[[], Rank]) -> None:
        super().__init__()
        self._rank, self._other = rank, other
        self._rank_of_any: Rank | None = None
        self._merged = 0

    def __missing__(self, piece: str) -> int:
        if self._rank(piece, NO_TOKEN) != NO_TOKEN:
            self[piece] = 1
            return 1
        token = piece.encode().decode("latin-1")
        self._merged += len(token)
        if self._merged > _MOST_MERGED:
            raise TooMuchError
        rank = self._rank if piece.isascii() else self._any()
        self[piece] = count = (
            count_merged(token, rank) if len(token) < _LONG else count_merged_by_heap(token, rank)
        )
        return count

    def _any(self) -> Rank:
        if self._rank_of_any is None:
            plain, other = self._rank, self._other()
            self._rank_of_any = lambda token, none: (plain if token.isascii() else other)(token, none)
        return self._rank_of_any


def count_merged(token: str, rank: Rank) -> int:
    """Return how many tokens a text of bytes is, once the neighbours of least rank were merged."""
    if rank(token, NO_TOKEN) != NO_TOKEN:
        return 1
    parts = list(token)
    pairs = [rank(one + after, NO_TOKEN) for one, after in pairwise(parts)]
    while pairs and (least := min(pairs)) != NO_TOKEN:
        at = pairs.index(least)
        parts[at] += parts.pop(at + 1)
        del pairs[at]
        if at < len(pairs):
            pairs[at] = rank(parts[at] + parts[at + 1], NO_TOKEN)
        if at:
            pairs[at - 1] = rank(parts[at - 1] + parts[at], NO_TOKEN)
    return len(parts)


def count_merged_by_heap(token: str, rank: Rank) -> int:
    """Return what `merged` does, in time that grows little faster than the text."""
    size = len(token)
    after, before = list(range(1, size + 1)), list(range(-1, size))
    heap = [(rank(token[at : at + 2], NO_TOKEN), at, at + 2) for at in range(size - 1)]
    heapify(heap)
    left = size
    while heap and (found := heappop(heap))[0] != NO_TOKEN:
        _, start, end = found
        middle = after[start]
        if middle in (0, size) or after[middle] != end:  # one of both was merged meanwhile
            continue
        after[start], after[middle], before[end] = end, 0, start
        left -= 1
        for first, last in ((start, after[end] if end < size else 0), (before[start], end)):
            if first >= 0 and 0 < last - first <= _LONGEST_TOKEN:
                heappush(heap, (rank(token[first:last], NO_TOKEN), first, last))
    return left


MOST_CHARACTERS = 2_000_000
"""That are counted here in all; what is more, toktok counts sooner, its table and all."""


class QuickCounter:
    """Counts of one vocabulary, remembered by piece."""

    def __init__(self, encoding: str, ranks: Ranks, folder: Path) -> None:
        self._pattern_of = PATTERNS[encoding]
        self._counts = PieceCounts(ranks.rank, lambda: _others(encoding, folder))
        self._plain = self._pattern_of(Letters())
        self._known: frozenset[str] = frozenset()
        self._pattern = self._plain
        self._seen = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; raise TooMuchError where toktok should be asked."""
        self._seen += sum(map(len, texts))
        if self._seen > MOST_CHARACTERS:
            raise TooMuchError
        count, find = self._counts.__getitem__, self._plain.findall
        counts = [sum(map(count, find(text))) if text.isascii() else -1 for text in texts]
        others = {at: _with_no_half(texts[at]) for at, found in enumerate(counts) if found < 0}
        self._learn(frozenset("".join(others.values())))
        for at, text in others.items():
            counts[at] = sum(map(count, self._pattern.findall(text)))
        return counts

    def _learn(self, characters: frozenset[str]) -> None:
        strange = {one for one in characters - self._known if not one.isascii()}
        if strange:
            known = self._known | strange
            self._pattern = self._pattern_of(sort(known))
            self._known = known


def quick_counter(encoding: str, folder: Path) -> QuickCounter | None:
    """Return a counter where the folder has the vocabulary's ranks: one for all of a process."""
    counter = _counter(encoding, folder)
    if counter is None:
        _counter.cache_clear()  # the ranks may be kept later
    return counter


@functools.cache
def _counter(encoding: str, folder: Path) -> QuickCounter | None:
    ranks = ranks_of(encoding, plain=True, folder=folder)
    return QuickCounter(encoding, ranks, folder) if ranks is not None else None


def _others(encoding: str, folder: Path) -> Rank:
    ranks = ranks_of(encoding, plain=False, folder=folder)
    if ranks is None:
        raise TooMuchError
    return ranks.rank


def _with_no_half(text: str) -> str:
    """Return a text as `well_formed` does where it holds a half of a surrogate pair."""
    with contextlib.suppress(UnicodeEncodeError):
        text.encode()
        return text
    return repair_surrogates(text)
