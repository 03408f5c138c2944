"""Cut a text of any size into pieces whose counts add up, and mend text that is no valid Unicode."""

from __future__ import annotations

from satchel.patterns import lazily

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


def well_formed(text: str) -> str:
    """Return `text` with each half of a broken surrogate pair replaced by U+FFFD, as tiktoken does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
