"""Turn terminal output into plain lines, and redact long outputs quickly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from satchel.escaping import COLOUR, SEQUENCES, apply_backspaces
from satchel.patterns import lazily
from satchel.redaction.scanning import NO_SCANNERS, Scanners
from satchel.redaction.streaming import WindowSizes, redact_stream

_CONTROLS = lazily(r"[\x00-\x07\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_INTRODUCERS = lazily(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
_RULE_MARKS = "=-_*~^#.+─━═—┄┈╌⎯·•"
_RULE = lazily(rf"([{re.escape(_RULE_MARKS)}])\1{{5,}}")
_RULES = tuple(mark * 6 for mark in _RULE_MARKS)
CARETS = lazily(r"\s+(?:[|│] *)?[\^~][\^~ \-]*")
"""A compiler's marks below a line of code; their beginning and end carry the meaning."""
_PROGRESS = {ord(character): None for character in "0123456789 =#>█▉▊▋▌▍▎▏░▒▓━╸╺"}
"""Differences between frames that say the same: numbers, and the length of a bar."""
_JUNK = lazily(r"[\x01-\x06\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")
_SHORTEST_JUNK, _SAMPLE = 16, 4_096
BINARY = "[binary]"
"""Replacement for a line that is mostly unreadable and twice as long as this word."""
_FRAMES = 4_000
"""Frames of one line that are searched for words that the last frame lacks."""

Matters = Callable[[str], bool]


def clean_lines(lines: Sequence[str], matters: Matters) -> list[str]:
    """Return lines as `clean_line` does, except that lines without hidden characters keep trailing blanks.

    Colours are removed from all lines at once: most lines with hidden characters have only these.
    """
    plain = COLOUR.sub("", "\n".join(lines)).split("\n") if any("\x1b" in line for line in lines) else lines
    return [
        line if line.isprintable() else bare.rstrip() if _is_readable(bare) else clean_line(line, matters)
        for line, bare in zip(lines, plain, strict=True)
    ]


def _is_readable(line: str) -> bool:
    """Return whether nothing in a line without colours is left to clean."""
    return line.isprintable() or ("\ufffd" not in line and line.replace("\t", "").isprintable())


def clean_line(line: str, matters: Matters) -> str:
    """Return the last screen state of a line, with earlier frames for which `matters` is true."""
    if "\r" in line:
        line = _last_frame(line, matters)
    if _INTRODUCERS.search(line):
        line = _strip_sequences(line)
    if "\b" in line:
        line = apply_backspaces(line)
    if not line.isprintable():
        line = BINARY if _is_junk(line[:_SAMPLE]) and not matters(line) else _CONTROLS.sub("", line)
    return line.rstrip()


def _strip_sequences(line: str) -> str:
    """Return a line without terminal sequences; most lines have only colours, a third of the work."""
    plain = COLOUR.sub("", line)
    return SEQUENCES.sub("", line) if _INTRODUCERS.search(plain) else plain


def _is_junk(line: str) -> bool:
    """Return whether a quarter of a line is not text; zeros don't count: UTF-16 text is half zeros."""
    return len(line) >= _SHORTEST_JUNK and 4 * len(_JUNK.findall(line)) > len(line) - line.count("\0")


def shorten_rules(line: str) -> str:
    """Return a line with rules such as `======` cut to three marks, except carets."""
    return shorten_all_rules([line])[0]


def shorten_all_rules(lines: Sequence[str]) -> list[str]:
    """Return lines as `shorten_rules` does: a text of many lines without a rule is told quickly."""
    text = "\n".join(lines)
    short = _RULE.sub(r"\1\1\1", text).split("\n") if any(map(text.__contains__, _RULES)) else lines
    return [
        line if ("^" in line or "~" in line) and CARETS.fullmatch(line) else bare.rstrip()
        for line, bare in zip(lines, short, strict=True)
    ]


def _last_frame(line: str, matters: Matters) -> str:
    frames = [frame for frame in line.split("\r") if frame.strip()]
    if len(frames) < 2:
        return frames[0] if frames else ""
    return "  ".join([*_lost(frames, matters), frames[-1]])


def _lost(frames: list[str], matters: Matters) -> Iterator[str]:
    """Yield each frame that adds something to the last one, once."""
    known = {frames[-1].translate(_PROGRESS)}
    for frame in frames[:_FRAMES]:
        shape = frame.translate(_PROGRESS)
        if shape not in known:
            known.add(shape)
            if matters(SEQUENCES.sub("", frame)):
                yield frame


def is_binary(text: str) -> bool:
    """Return whether text is mostly unreadable: control characters and bytes that are not UTF-8."""
    sample = text[:4_096]
    strange = sum(char < " " or "\x7f" <= char < "\xa0" or char == "\ufffd" for char in sample)
    strange -= sum(map(sample.count, "\n\r\t\x1b\b"))
    return strange * 8 > len(sample) > 0


class Hider:
    """Removes secrets from outputs, whole ones or streams.

    No line is assumed clean because similar lines are: each is searched.
    """

    def __init__(self, scanners: Scanners = NO_SCANNERS) -> None:
        self._scanners = scanners

    def hide(self, text: str, needed: range | None = None) -> str:
        """Return a text without its secrets, as `redact` does, with the same number of lines."""
        return self._scanners.redact(text, needed=needed).text

    def stream(self, texts: Iterable[str], sizes: WindowSizes | None = None) -> Iterator[str]:
        """Yield a stream of text without its secrets, independent of how it is split into pieces."""
        return redact_stream(texts, self.hide, sizes)
