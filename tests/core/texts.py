"""Texts, parts and counters that property tests are fed with."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from satchel import ContextItem, Part
from satchel.plugin_api import lines_of
from satchel.tokens import Counter
from satchel.workspace import IndexStore

_LINES = (
    "",
    "",
    " ",
    "\t",
    "   \t",
    "/",
    "//",
    "/* a */",
    "// b",
    " /x",
    "/*",
    "*/",
    "}",
    "});",
    "def f(x):",
    "    return x",
    "x = 1",
    "```",
    "````py",
    "   ```",
    "@@12",
    "@@@3",
    "@@",
    "]]>",
    "<![CDATA[",
    "&amp;",
    "\r",
    "a\r",
    "\rb",
    "\r\r",
    "\x0c",
    "\x0cclass",
    "\x00\x01",
    "\x85",
    "\u2028",
    "\u2003",
    "\u3000\u00a0",
    "\u1680",
    "\u202f",
    "\u200b",
    "\x1c",
    "\ufeff",
    "\ufffe",
    "123",
    "don't",
    "日本",
    "é",
    "\U0001f469\u200d",
    "#",
    "-",
    ");",
    "...",
)

odd_lines = st.sampled_from(_LINES) | st.text(
    st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8
)
odd_texts = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(odd_lines, max_size=14),
    st.sampled_from(["", "\n", "\n\n"]),
)


@st.composite
def parts_of(draw: st.DrawFn, text: str) -> list[Part]:
    """Draw parts of a text as a representer may answer them: gaps, heads, spans and names."""
    count = len(lines_of(text))
    cuts = sorted(draw(st.sets(st.integers(1, count), max_size=6) if count else st.just(set())))
    parts = []
    for first, after in zip(cuts, [*cuts[1:], count + 1][: len(cuts)], strict=True):
        last = draw(st.integers(first, max(first, after - 1)))
        start = draw(st.integers(first, last))
        head = (start, draw(st.integers(start, last))) if draw(st.booleans()) else (0, 0)
        parts.append(
            Part("function", draw(st.sampled_from(["", "f", "C.f"])), (first, last), head, (first, count))
        )
    return parts


def exact_counter(store: IndexStore | None = None) -> Counter:
    """Return a counter with the real vocabulary."""
    import toktok

    def count(texts: Sequence[str]) -> list[int]:
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return list(toktok.batch_count(whole, "o200k_base"))

    return Counter("o200k", count, store or IndexStore.open(None))


def letter_counter(store: IndexStore | None = None) -> tuple[Counter, list[str]]:
    """Return a counter of letters, and a list of everything that it was asked to count."""
    asked: list[str] = []

    def count(texts: Sequence[str]) -> list[int]:
        asked.extend(texts)
        return [len(text) for text in texts]

    return Counter("letters", count, store or IndexStore.open(None)), asked


def file_item(text: str, path: str = "src/a.py") -> ContextItem:
    """Return a file's item with its text."""
    return ContextItem(f"file:{path}", "files", "file", title=path, path=path, text=text, content="0" * 32)
