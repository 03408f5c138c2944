"""Guess the encoding of text that is neither UTF-8 nor UTF-16: East Asian and Cyrillic code pages.

A guess is accepted only if all bytes decode, encoding them again gives the same bytes, and most letters are
common in such text. All other text counts as Western.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from satchel.patterns import lazily

_OPENING_BYTES = 16_384
_HIGH = lazily(rb"[\x80-\xff]+")
_LEAST_IN_RUNS = 0.5
"""Share of bytes above 127 that have a neighbour above 127: next to none in Western text."""
_LEAST_KANA = 0.2
_LEAST_COMMON = 0.75
_RUSSIAN = {"cp1251": b"\xee\xe5\xe0\xe8\xed\xf2\xf1\xf0", "koi8-r": b"\xcf\xc5\xc1\xc9\xce\xd4\xd3\xd2"}
"""The eight commonest letters of Russian, about 60 % of its text."""
_LEAST_RUSSIAN = 0.45
_WIDE_BOMS = ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"))


def utf32_of(data: bytes) -> tuple[str, bytes]:
    """Return the UTF-32 encoding and the text's bytes, from a byte order mark or its zero bytes; else ""."""
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark) and len(data) % 4 == 0:
            return name, data[4:]
    if len(data) % 4 or len(data) < 8 or b"\0\0" not in data[:4]:
        return "", data
    opening = data[: _OPENING_BYTES // 4 * 4]
    zeros = [opening[place::4].count(0) / (len(opening) // 4) for place in range(4)]
    return _wide_order(zeros), data


def _wide_order(zeros: Sequence[float]) -> str:
    """Return the encoding from the share of zeros at each of four places, "" if it is not UTF-32."""
    if zeros[3] == 1 and zeros[2] >= 0.9 and not zeros[0]:
        return "utf-32-le"
    return "utf-32-be" if zeros[0] == 1 and zeros[1] >= 0.9 and not zeros[3] else ""


def guess(body: bytes) -> str:
    """Return the likeliest encoding of a text, "" for a Western one."""
    opening = body[:_OPENING_BYTES]
    runs = _HIGH.findall(opening)
    high = sum(map(len, runs))
    if not high or sum(len(run) for run in runs if len(run) > 1) < _LEAST_IN_RUNS * high:
        return ""
    for name, is_likely in _LIKELY:
        letters = _letters(opening, name)
        if letters and is_likely(letters):
            return name
    return _cyrillic(b"".join(runs))


def _letters(opening: bytes, name: str) -> str:
    """Return the letters above U+02FF, "" if the bytes do not decode."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(opening)
    except UnicodeDecodeError:
        return ""
    return "".join([character for character in text if character > "\u02ff" and character.isalpha()])


def _share(letters: str, is_common: Callable[[str], bool]) -> float:
    return sum(map(is_common, letters)) / len(letters)


def _is_japanese(letters: str) -> bool:
    kana = _share(letters, lambda letter: "\u3041" <= letter <= "\u30fe")
    return kana >= _LEAST_KANA and not _share(letters, lambda letter: "\uff61" <= letter <= "\uff9f") > 0.1


def _is_korean(letters: str) -> bool:
    return _share(letters, lambda letter: "\uac00" <= letter <= "\ud7a3") >= 0.9


def _is_simplified(letters: str) -> bool:
    return _share(letters, lambda letter: 0xB0 <= letter.encode("gb18030")[0] <= 0xD7) >= _LEAST_COMMON


def _is_traditional(letters: str) -> bool:
    return _share(letters, lambda letter: 0xA4 <= letter.encode("big5")[0] <= 0xC6) >= _LEAST_COMMON


_LIKELY: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("euc_jp", _is_japanese),
    ("cp932", _is_japanese),
    ("euc_kr", _is_korean),
    ("gb2312", _is_simplified),
    ("big5", _is_traditional),
    ("gb18030", _is_simplified),
)


def _cyrillic(high: bytes) -> str:
    shares = {name: sum(map(high.count, letters)) / len(high) for name, letters in _RUSSIAN.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _LEAST_RUSSIAN else ""
