"""The vocabularies of toktok: their ranks and tables, and how little text is split and merged into tokens."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

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
# is not such a mark).
_SAFE_END = lazily(r"(?:[^\s/](?=\n)|[\s!-&(-/:-@\[-`{-~、。，！？；：](?=[^\W_]))")


def cut(text: str, piece_chars: int = PIECE_CHARS) -> list[str]:
    """Return pieces of at most `piece_chars` characters that make up `text`, () for an empty one.

    Cuts are made where both vocabularies part a text in any case; if the last 32,768 characters of a piece
    have no such place (one endless word), at the full size: then a count may be 1 more.
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


# Of what `keep_ranks` writes: no other content is believed, whoever wrote it.
_RANKS_SHA256 = {
    "cl100k_base": "160f827eaa38a039872564e04148e6502b033867ed3b4f3b07dbac5b582744fb",
    "o200k_base": "e1e5f267a29a65e9d559d67ae485b6f1e625be24d332ddbf3b5723091b449ca8",
}
_BETWEEN, _AFTER_ROW = b"\xff", b"\xfe"
"""Bytes that are not in UTF-8, so no token that holds one is ever part of a text."""
_ROWS = 1 << 14
"""Rows of the file, by the checksum of a token: a text of a few thousand characters needs few of them."""
_MOST_BYTES = 16 << 20
NO_RANK = "none"
"""The rank of other texts, after those of all tokens."""


class Ranks(dict[str, str]):
    """The ranks of tokens in six digits; a token is a text of one character for each of its bytes (Latin-1).

    A row of the file is read on the first use of one of its tokens: reading all takes a tenth of a second.
    """

    def __init__(self, rows: Sequence[bytes] = ()) -> None:
        super().__init__()
        self._rows = list(rows)

    def __missing__(self, token: str) -> str:
        at = crc32(token.encode("latin-1")) % _ROWS
        if self._rows[at]:
            fields = self._rows[at].decode("latin-1").split(_BETWEEN.decode("latin-1"))
            self.update(zip(fields[::2], fields[1::2], strict=True))
            self._rows[at] = b""
        return self.setdefault(token, NO_RANK)


def read_ranks(encoding: str, folder: Path) -> Ranks | None:
    """Return the ranks that `keep_ranks` wrote, None if the folder does not have them."""
    data = _read_ranks(encoding, folder)
    return Ranks(data.split(_AFTER_ROW)) if data is not None else None


def keep_ranks(encoding: str, folder: Path) -> None:
    """Write the tokens of toktok's vocabulary if they are missing; raise OSError if that fails."""
    if _read_ranks(encoding, folder) is None:
        rows: list[list[bytes]] = [[] for _ in range(_ROWS)]
        for rank, token in enumerate(tokens_of(encoding)):
            if _BETWEEN not in token and _AFTER_ROW not in token:
                rows[crc32(token) % _ROWS] += [token, b"%06d" % rank]
        make_private_folder(folder)
        with replacing(folder / _file_name(encoding), durable=False) as file:
            file.write(_AFTER_ROW.join(map(_BETWEEN.join, rows)))


def _read_ranks(encoding: str, folder: Path) -> bytes | None:
    try:
        data = read_private(folder / _file_name(encoding), most_bytes=_MOST_BYTES)
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == _RANKS_SHA256[encoding] else None


def _file_name(encoding: str) -> str:
    return f"{encoding}.tokens"


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
    """Return the first of `folders` with the official table, None if none has it."""
    return next((folder for folder in folders if _is_official(folder, encoding)), None)


def cache_folders(environment: Mapping[str, str], own: Path) -> Iterator[Path]:
    """Yield the folder that the person named for tiktoken's tables, if any, then satchel's `own`.

    tiktoken's usual one is in the folder for temporary files, where anybody may write: it is not read.
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


def store_table(encoding: str, table: bytes, folder: Path) -> None:
    """Write `table` under tiktoken's name, whole or not at all; raise OSError if that is impossible."""
    make_private_folder(folder)
    with replacing(folder / table_name(encoding), durable=False) as file:
        file.write(table)


def read_table(encoding: str, folder: Path) -> bytes:
    """Return the official table from a folder that has it; raise OSError if it is gone or another one."""
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


def tokens_of(encoding: str) -> Sequence[bytes]:
    """Return the tokens of toktok's vocabulary by rank; raise SatchelError if toktok is not installed."""
    try:
        import toktok
    except ImportError as missing:
        raise SatchelError(
            f"tiktoken: no table of {encoding} is at hand and toktok-rs, which holds one, is not installed; "
            f"put the official table into TIKTOKEN_CACHE_DIR as {table_name(encoding)}"
        ) from missing
    tokens: Sequence[bytes] = toktok._encoding(encoding).token_byte_values()
    return tokens


_LONGEST_TOKEN = 128
"""Bytes of the longest token of both vocabularies."""
_MOST_MERGED = 150_000
"""Characters that are merged here in all: about as long as a table of toktok takes to load."""
_CONTRACTION = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))"
_LONG_S = "\u017f"
"""Means an s in a contraction, for a pattern that looks at no case."""


class TooMuchError(Exception):
    """The text is too much for plain Python, or has characters on which Unicode's tables may differ."""


class Letters(NamedTuple):
    """Characters beyond ASCII by their class in a pattern."""

    upper: str = ""
    lower: str = ""
    number: str = ""
    mark: str = ""
    space: str = ""


def sort(characters: Collection[str]) -> Letters:
    """Sort characters beyond ASCII; raise TooMuchError for one whose Unicode class has changed."""
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
    """Return the pattern that parts a text for o200k_base, with its non-ASCII characters in the letters."""
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
    """Return the pattern that parts a text for cl100k_base, with its non-ASCII characters in the letters."""
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
    """The tokens of each piece that was asked for."""

    def __init__(self, ranks: Ranks) -> None:
        super().__init__()
        self._ranks = ranks
        self._merged = 0

    def __missing__(self, piece: str) -> int:
        token = piece if piece.isascii() else piece.encode().decode("latin-1")
        if self._ranks[token] == NO_RANK:
            self._merged += len(token)
            if self._merged > _MOST_MERGED:
                raise TooMuchError
        self[piece] = count = count_merged(token, self._ranks)
        return count


def count_merged(token: str, ranks: Ranks) -> int:
    """Return the tokens of a text of bytes, after merging neighbours of least rank."""
    if ranks[token] != NO_RANK:
        return 1
    rank, size = ranks.__getitem__, len(token)
    after, before = list(range(1, size + 1)), list(range(-1, size))
    heap = [(rank(token[at : at + 2]), at, at + 2) for at in range(size - 1)]
    heapify(heap)
    left = size
    while heap and (found := heappop(heap))[0] != NO_RANK:
        _, start, end = found
        middle = after[start]
        if middle in (0, size) or after[middle] != end:  # one of both was merged meanwhile
            continue
        after[start], after[middle], before[end] = end, 0, start
        left -= 1
        for first, last in ((start, after[end] if end < size else 0), (before[start], end)):
            if first >= 0 and 0 < last - first <= _LONGEST_TOKEN:
                heappush(heap, (rank(token[first:last]), first, last))
    return left


MOST_CHARACTERS = 2_500_000
"""Characters counted here in all: by then toktok would have loaded its table and counted them."""


class QuickCounter:
    """Counts of one vocabulary, remembered by piece."""

    def __init__(self, encoding: str, ranks: Ranks) -> None:
        self._pattern_of = PATTERNS[encoding]
        self._counts = PieceCounts(ranks)
        self._plain = self._pattern_of(Letters())
        self._known: frozenset[str] = frozenset()
        self._pattern = self._plain
        self._seen = 0

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text; raise TooMuchError if toktok should be asked."""
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
    """Return a counter if the folder has the vocabulary's ranks: one for all of a process."""
    counter = _counter(encoding, folder)
    if counter is None:
        _counter.cache_clear()  # the ranks may be kept later
    return counter


@functools.cache
def _counter(encoding: str, folder: Path) -> QuickCounter | None:
    ranks = read_ranks(encoding, folder)
    return QuickCounter(encoding, ranks) if ranks is not None else None


def _with_no_half(text: str) -> str:
    """Return a text as `well_formed` does if it has a half of a surrogate pair."""
    with contextlib.suppress(UnicodeEncodeError):
        text.encode()
        return text
    return repair_surrogates(text)
