"""Control sequences of terminals (ECMA-48): what a screen obeys and does not show."""

from __future__ import annotations

from satchel.patterns import lazily

CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+"
"""Colours, moves of the cursor: then comes their last character."""
_TEXT = r"[^\x07\x1b\x90\x98\x9c-\x9f\n\r]*+"
END_OF_STRING = r"(?:\x07|\x1b\\|\x9c)"
STRING = rf"\x1b[\]PX^_]{_TEXT}{END_OF_STRING}"
"""Titles, links and other strings that are ended as they should be."""
_WIDE_STRING = rf"(?<![\x80\u20ac])[\x90\x98\x9d-\x9f]{_TEXT}{END_OF_STRING}"
"""The same, introduced by 8 bits; behind these two characters it is a quotation mark, wrongly decoded."""
SEQUENCE = rf"{CSI}[@-~]?|{STRING}|{_WIDE_STRING}|\x1b[\]PX^_][^\x07\x1b\n\r]*+|\x1b[ -/]*+[0-~]?"
"""All of them, cut off or not: a string that does not end takes its line."""
SEQUENCES = lazily(SEQUENCE)


def erased(line: str) -> str:
    """Obey backspaces, as spinners use them."""
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)
