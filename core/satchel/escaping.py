r"""Make text safe to show: hidden characters become visible, and nothing can imitate satchel's marks."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from satchel.patterns import lazily

CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+"
"""Colours and moves of the cursor, without the character that ends them."""
_TEXT = r"[^\x07\x1b\x90\x98\x9c-\x9f\n\r]*+"
END_OF_STRING = r"(?:\x07|\x1b\\|\x9c)"
STRING = rf"\x1b[\]PX^_]{_TEXT}{END_OF_STRING}"
"""Titles, links and other strings that end properly."""
_WIDE_STRING = rf"(?<![\x80\u20ac])[\x90\x98\x9d-\x9f]{_TEXT}{END_OF_STRING}"
"""The same in their 8-bit form; after these two characters it is a wrongly decoded quotation mark."""
SEQUENCE = rf"{CSI}[@-~]?|{STRING}|{_WIDE_STRING}|\x1b[\]PX^_][^\x07\x1b\n\r]*+|\x1b[ -/]*+[0-~]?"
"""All of them, cut off or not: a string without an end takes the rest of its line."""
SEQUENCES = lazily(SEQUENCE)
COLOUR = lazily(r"\x1b\[[0-9;]*+m")
"""One colour: most sequences are such, and they are found in a third of the time."""


def apply_backspaces(line: str) -> str:
    """Obey backspaces, as spinners use them."""
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""The inside of a set: control, format and default-ignorable characters, except those with a shape."""
_RUN = lazily(f"[{HIDDEN}]+")
_LONE_RETURNS = lazily(r"(?<!\r)\r++(?!\n)")
_BAD_ASCII = bytes((set(range(32)) | {127}) - set(b"\t\n\r"))
_SEEN_ASCII = bytes(set(range(128)) - set(_BAD_ASCII))

_PICTURE = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001fbff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINING = (
    "\u0600-\u060b\u060d-\u061b\u061d-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1a20-\u1aaf"
    "\u1b00-\u1bff\ua840-\ua8ff\ua980-\ua9df\uaa00-\uaadf\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
"""Scripts whose letters change shape with their neighbours: Arabic, Syriac, Indic, Myanmar, Mongolian."""
_KEPT_WAYS = "|".join(
    (
        r"(?:\A|(?<=\n))\x0c(?=\r?\n|\Z)",
        f"(?<=[{_PICTURE}])[\ufe0e\ufe0f](?![{HIDDEN}])",
        "(?<=[#*0-9])\ufe0f(?=\u20e3)",
        f"(?<=[{_PICTURE}])\ufe0f?\u200d(?=[{_PICTURE}])",
        f"(?:(?<=[{_JOINING}])[\u200c\u200d]|(?<=\\w)\u200c(?=[{_JOINING}]))(?![{HIDDEN}])",
        f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef](?![{HIDDEN}])",
        "(?<=[\u1820-\u18aa])[\u180b-\u180f](?![\u180b-\u180f])",
        "(?<=\U0001f3f4)\U000e0067\U000e0062"
        "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f",
    )
)
"""Invisible runs that belong to the visible character before them, such as the flag of Wales."""


def visible(text: str) -> str:
    r"""Return `text` with every character that hides or reorders something shown as `\u{...}`.

    Tabs, line feeds and the carriage return before one stay; any other carriage return overprints
    its line on a terminal, so it is shown. If nothing is hidden, the same object is returned.
    """
    if _has_lone_returns(text):
        text = _LONE_RETURNS.sub(_spell_run, text)
    return _RUN.sub(_judge_run, text) if _has_hidden(text) else text


def hides(text: str) -> bool:
    """Return whether any character is hidden, or a carriage return lacks its line feed; fast."""
    return _has_lone_returns(text) or _has_hidden(text)


def _has_lone_returns(text: str) -> bool:
    return "\r" in text and text.count("\r") != text.count("\r\n")


def _has_hidden(text: str) -> bool:
    """Return whether the expression finds any character of the text, testing each once."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _SEEN_ASCII)
    if not rest:
        return False
    return _RUN.search("".join(set(rest.decode("utf-8", "surrogatepass")))) is not None


def visible_path(path: str) -> str:
    """Return a path for JSON: line ends and broken bytes, which JSON escapes by itself, stay."""
    if path.isascii() and path.isprintable():
        return path
    return "".join(
        [
            character if character in "\n\r\t" or "\ud800" <= character <= "\udfff" else visible(character)
            for character in path
        ]
    )


def escape_for_json(text: str) -> str:
    r"""Return JSON with each remaining hidden character as `\uXXXX`; it means the same."""
    return text if text.isascii() else _RUN.sub(_json_escapes, text)


def is_hidden(character: str) -> bool:
    """Return whether a lone character would be invisible."""
    return _RUN.match(character) is not None


@cache
def _compile_kept_ways() -> re.Pattern[str]:
    return re.compile(_KEPT_WAYS)  # large, and few texts hide anything


def _judge_run(run: re.Match[str]) -> str:
    kept = _compile_kept_ways().match(run.string, run.start())
    return run[0] if kept is not None and kept.end() == run.end() else _spell_run(run)


def _json_escapes(run: re.Match[str]) -> str:
    units = run[0].encode("utf-16-be", "surrogatepass")
    return "".join([f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)])


def _spell_run(run: re.Match[str]) -> str:
    return "".join([f"\\u{{{ord(character):x}}}" for character in run[0]])


_GAPS = lazily(r"^@(?=@+\d)", re.MULTILINE)
_REDACTED = lazily(r"\[(redacted:[a-z0-9-]{1,40}:[0-9a-f]{4}\])")
_SECRET = "[redacted:"  # noqa: S105 (the opening of a mark, no password)
_STANDING = lazily(
    r"^\[(?=(?:project file|imported from|cut here:) |end of (?:[^\s\]]{1,4096}\]|[^\n\]]{0,4096}[./]))",
    re.MULTILINE,
)
"""The end of an import names a path: `[end of the story]` is not a mark."""


def escape_for_document(text: str) -> str:
    """Return a text as a document may show it: nothing hides in it, no line looks like a mark line."""
    text = visible(text)
    return _GAPS.sub(r"\\u{40}", text) if "@@" in text else text


def escape_marks(text: str, genuine: Collection[str] = ()) -> str:
    """Return a text without redaction marks except the `genuine` ones, which redaction made itself."""
    if _SECRET not in text:
        return text
    return _REDACTED.sub(lambda mark: mark[0] if mark[0] in genuine else f"\\u{{5b}}{mark[1]}", text)


def marks_in(text: str) -> list[str]:
    """Return the redaction marks of a text."""
    return [mark[0] for mark in _REDACTED.finditer(text)] if _SECRET in text else []


def quoted(text: str) -> str:
    """Return instructions in which no line looks like a mark of their origin, or of a cut."""
    return _STANDING.sub(r"\\u{5b}", visible(text))
