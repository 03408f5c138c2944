"""Finds what only decorates a page: badges, logos, images of sponsors, with the markup around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, groupby

from satchel.plugin_api import NO_LINES, Part, lazily

_MARKUP = (
    r"</?(?:a|abbr|b|big|br|center|div|em|figure|figcaption|font|h[1-6]|hr|i|img|kbd|li|nobr|p|picture|small"
    r"|source|span|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul)\b[^<>]*>"
)
_UNSEEN = lazily(
    r"<!--(?:(?!-->|<!--).){0,4000}-->"
    r"|<a\b[^<>]*>(?:(?!</a>|<a\b|<img\b).){0,400}<img\b(?:(?!</a>|<a\b).){0,1000}</a>"
    rf"|{_MARKUP}"
    r"|!\[[^\[\]\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*){0,4}\)|\[[^\[\]\n]*\])"
    r"|\](?:\([^()\s]*\)|\[[^\[\]\n]*\])|^\[[^\[\]\n]+\]:[^\n]*|&\w{1,20};"
    r"|^\.\. (?:\|[^|\n]+\| )?image::[^\n]*(?:\n[ \t]+:[^\n]*)*",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
"""What a reader of the rendered page does not read: tags, images, links that show one, targets, comments."""
_IMAGE = lazily(r"(?i)<img\b|!\[|\bimage::")
_WORD = lazily(r"\w{2,}")
_FENCE = lazily(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_FEW_WORDS = 3
"""Words between two decorations that belong to them: "powered by", "special thanks to"."""
_SLOGAN = 0.25
"""Share of a long line that a reader reads if it decorates."""
_LEAST = 200
"""Characters of a decoration that is worth a part of its own."""


def split_off_decoration(text: str, lines: Sequence[str], parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a page, with what decorates it in parts of its own, of the kind `decoration`."""
    heads = [range(part.head[0], part.head[1] + 1) for part in parts if part.head != NO_LINES]
    found = list(_find_decoration(text, lines, {number for head in heads for number in head}))
    split: list[Part] = []
    for part in parts:
        split += _split(part, [(max(first, part.lines[0]), last) for first, last in found])
    return split


def _find_decoration(text: str, lines: Sequence[str], headings: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of each run that shows images and hardly a word, and no heading."""
    if not _IMAGE.search(text):
        return
    fenced = _FENCE.sub(lambda match: re.sub(r"[^\n]+", "fenced text of a block", match[0]), text)
    seen = _UNSEEN.sub(lambda match: "\n" * match[0].count("\n"), fenced).split("\n")
    words = [
        0 if _is_advertisement(line, written) else len(_WORD.findall(line))
        for line, written in zip(seen, lines, strict=False)
    ]
    for number in headings:
        words[number - 1] = _FEW_WORDS + 1
    for begin, end in _join_runs(words, lines):
        while begin < end and not lines[begin - 1].strip():
            begin += 1
        shown = "\n".join(lines[begin - 1 : end])
        if len(shown) >= _LEAST and _IMAGE.search(shown):
            yield begin, end


def _is_advertisement(seen: str, line: str) -> bool:
    """Tell whether a long line is nearly all markup around an image, like a sponsor's with its slogan."""
    return (
        len(line) >= _LEAST and len(seen.strip()) <= _SLOGAN * len(line) and _IMAGE.search(line) is not None
    )


def _join_runs(words: Sequence[int], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield first and last lines of runs without words; a few words between two of them belong to them."""
    groups = [len(list(group)) for _, group in groupby(words, key=bool)]
    ends = [*accumulate(groups)]
    runs = [range(end - size, end) for size, end in zip(groups, ends, strict=True)]
    joined: list[range] = []
    for at, run in enumerate(runs):
        if not words[run.start]:
            joined.append(run)
        elif not (
            joined
            and sum(words[run.start : run.stop]) <= _FEW_WORDS
            and all(_is_marked(lines, side) for side in (joined[-1], *runs[at + 1 : at + 2]))
        ):
            yield from _span(joined)
            joined = []
    yield from _span(joined)


def _span(runs: Sequence[range]) -> Iterator[tuple[int, int]]:
    if runs:
        yield runs[0].start + 1, runs[-1].stop


def _is_marked(lines: Sequence[str], run: range) -> bool:
    return any(lines[at].strip() for at in run)


def _split(part: Part, found: Sequence[tuple[int, int]]) -> Iterator[Part]:
    """Yield a part in pieces: the lines that decorate, and those between them."""
    first, until = part.lines
    piece = part
    for begin, last in found:
        end = min(last, until)
        if begin > end:
            continue
        if begin > first:
            yield _cut(piece, first, begin - 1)
        yield Part("decoration", "", (begin, end))
        first, piece = end + 1, Part("block", part.name, NO_LINES, symbols=part.symbols)
    if first <= until:
        yield _cut(piece, first, until)


def _cut(part: Part, first: int, last: int) -> Part:
    """Return the lines `first` to `last` of a part; one that opens a section knows how far that goes."""
    symbols = tuple(one for one in part.symbols if first <= one.lines[0] <= last)
    opens = part.kind == "section" and part.lines[1] > last
    span = part.lines if opens and part.span == NO_LINES else part.span
    return part._replace(lines=(first, last), symbols=symbols, span=span)
