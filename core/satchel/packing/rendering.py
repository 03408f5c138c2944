"""Render the chosen options as one document whose lines were all counted before the choice.

A document consists of pieces that end in a line feed and follow a line that ends in a letter or a
digit, so their counts add up exactly (`docs/explanation/architecture.md`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar, NamedTuple, Protocol

import attrs

from satchel.errors import UnknownNameError, WorkspaceError
from satchel.escaping import visible
from satchel.items import ContextItem
from satchel.packing.ladders import ItemLadder
from satchel.packing.representing import NOT_XML, finish, piece, stretches_of
from satchel.parts import NO_LINES, Lines, Part, SplitItem, Stretches, lines_of
from satchel.paths import path_address, safe_text, words_address
from satchel.patterns import lazily
from satchel.questions.aims import is_readme
from satchel.runs import WorkspaceRun
from satchel.spelling import format_count
from satchel.workspace.files.kinds import language_of

_XML_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
)
_OUTSIDE = {"]]>": "]]]]>&gt;<![CDATA[", "<": "]]>&lt;<![CDATA["}
_GAP = "..."
_NUMBERED = frozenset({"file", "instructions"})
"""Kinds of items whose lines can have numbers: the text of files."""
_LONGEST_NOTED = 80
"""Most characters of a name where an item is only named."""
_TITLED = frozenset({"section", "comment"})
"""Kinds of parts whose names are titles, written in a markup."""
_MARKED = lazily(r"[`\]<*{]")
_ROLE = lazily(r"(?::[a-z:]{1,24})?:[a-z-]{1,24}:`(?P<text>[^`]+)`")
_LINK = lazily(
    r"!?\[(?!redacted:)(?P<text>[^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*(?:\)|\Z)|\[[^\[\]]*\])?"
)
"""A link in Markdown; a long heading may end inside it."""
_MARKUP = lazily(r"`+|\*{2,3}|</?[a-zA-Z][^<>]*>|\s*\{[#.:][^{}]*\}\s*$")
_QUOTED = lazily(r"@@N(?: end)?|\.\.\.")
_ORDER = {
    "instructions": 0,
    "overview": 1,
    "tree": 1,
    "file": 2,
    "note": 3,
    "dependency": 4,
    "environment": 5,
}
"""Kinds in document order; all others come last, by address."""
_COUNTS_VERSION = 1
"""Change it whenever the same lines would be shown in another way."""


class Rendered(NamedTuple):
    """One item as rendered in the document."""

    ladder: ItemLadder
    option: int
    body: str
    """Its lines and mark lines, without its opening and closing lines."""


class DocumentForm(Protocol):
    """The format of a document."""

    name: str
    first_mark: bool

    def lead(self, task: str) -> str:
        """Return the task in its form above the document."""
        ...

    def prologue(self) -> str:
        """Return the first lines of the document."""
        ...

    def opening(self, item: ContextItem, split: SplitItem) -> str:
        """Return the line that opens an item; it ends in a letter or a digit unless a mark line follows."""
        ...

    def closing(self, item: ContextItem, split: SplitItem) -> str:
        """Return the line that closes an item."""
        ...

    def pointer(self, item: ContextItem, note: str) -> str:
        """Return the address line of an item that is not shown."""
        ...

    def map(self, lines: Sequence[str]) -> str:
        """Return the map, the lines below the prologue that say where to start."""
        ...

    def epilogue(self) -> str:
        """Return the last lines of the document."""
        ...

    def escape(self, text: str) -> str:
        """Return text escaped for the document."""
        ...

    def numbers(self, item: ContextItem) -> bool:
        """Return whether each line of an item has its number before it."""
        ...

    def mark(self, item: ContextItem, split: SplitItem, first: int) -> str:
        """Return the line above a run of lines that does not follow the run before it, "" for none."""
        ...

    def end(self, item: ContextItem, split: SplitItem) -> str:
        """Return the line that says that an item goes on below its shown lines."""
        ...

    def show(self, item: ContextItem, lines: Sequence[str], first: int, last: int) -> str:
        """Return lines `first` to `last`, counted from 1, as the document shows them."""
        ...

    def source(self, text: str) -> str:
        """Return the escaped text of an item that is shown whole, without additions of the form."""
        ...


class _LineMarks:
    """Mark lines with the number of the line that follows."""

    marks: ClassVar[str] = (
        "A line @@N means: line N follows, what came before it is left out; @@N end: the rest up to line N"
        " is left out"
    )

    def numbers(self, item: ContextItem) -> bool:
        """Number no lines."""
        return False

    def mark(self, item: ContextItem, split: SplitItem, first: int) -> str:
        """Name the line that follows."""
        return f"{split.sigil}{first}\n"

    def end(self, item: ContextItem, split: SplitItem) -> str:
        """Name the last line of the item."""
        return f"{split.sigil}{_last_line(split)} end\n"

    def escape(self, text: str) -> str:
        """Return the text unchanged."""
        return text

    def show(self, item: ContextItem, lines: Sequence[str], first: int, last: int) -> str:
        """Show them as they are."""
        return self.escape(piece(lines, first, last))

    def source(self, text: str) -> str:
        """Return the text."""
        return text


class _Numbers(_LineMarks):
    """The number of each line of a file and a tab before it, as `cat -n` writes them.

    Each line begins with a digit, so the counts of lines add up exactly.
    """

    marks = (
        f"Each line of a file begins with its number and a tab, and {_GAP} means that lines are left out."
        f" Elsewhere a{_LineMarks.marks[1:]}"
    )

    def numbers(self, item: ContextItem) -> bool:
        """Number the lines of files."""
        return item.kind in _NUMBERED

    def mark(self, item: ContextItem, split: SplitItem, first: int) -> str:
        """Return dots, but nothing above the first line."""
        if not self.numbers(item):
            return super().mark(item, split, first)
        return f"{_GAP}\n" if first > 1 else ""

    def end(self, item: ContextItem, split: SplitItem) -> str:
        """Return dots and the item's last line."""
        return f"{_GAP} {_last_line(split)}\n" if self.numbers(item) else super().end(item, split)

    def show(self, item: ContextItem, lines: Sequence[str], first: int, last: int) -> str:
        """Put its number before each line."""
        if not self.numbers(item):
            return super().show(item, lines, first, last)
        numbered = enumerate(lines[first - 1 : last], start=first)
        return self.escape("".join(f"{number}\t{line}\n" for number, line in numbered))

    def source(self, text: str) -> str:
        """Take the numbers away."""
        return "".join(line.partition("\t")[2] + "\n" for line in lines_of(text))


class Markdown(_LineMarks):
    """Fenced blocks with the path after the language."""

    name = "markdown"
    first_mark = False

    def lead(self, task: str) -> str:
        """Write a heading above the task."""
        return f"# Task\n\n{task.strip()}\n\n# Context\n\n"

    def prologue(self) -> str:
        """Explain mark lines."""
        marks = _QUOTED.sub(r"`\g<0>`", self.marks)
        return f"Context for the task. {marks}\n"

    def opening(self, item: ContextItem, split: SplitItem) -> str:
        """Open a fence that no line inside can close."""
        label = f"{split.fence}{_language(item)} {address(item)}"
        if item.kind == "instructions" and is_readme(item.path):  # it orders nothing
            return f"{label} page of the project\n"
        if item.kind == "instructions":
            return f"{label} instructions, {'trusted' if item.trusted else 'not trusted'}\n"
        if label[-1].isascii() and label[-1].isalnum():
            return f"{label}\n"
        return f"{label} {'file' if _is_path(item) else 'item'}\n"

    def closing(self, item: ContextItem, split: SplitItem) -> str:
        """Close the fence."""
        return f"{split.fence}\n"

    def pointer(self, item: ContextItem, note: str) -> str:
        """Write a list entry."""
        return f"- {address(item)}: {safe_text(note)}\n"

    def map(self, lines: Sequence[str]) -> str:
        """Write a list."""
        return "".join(["Where to start, best first\n", *(f"- {line}\n" for line in lines)])

    def epilogue(self) -> str:
        """Add nothing."""
        return ""


class NumberedMarkdown(_Numbers, Markdown):
    """Fenced blocks whose files have line numbers."""

    name = "markdown with line numbers"


class Xml(_LineMarks):
    """One element per item, its text as character data."""

    name = "xml"
    first_mark = True

    def lead(self, task: str) -> str:
        """Write an element of character data."""
        return f"<task><![CDATA[\n{self.escape(task.strip())}\n]]></task>\n"

    def prologue(self) -> str:
        """Open the document."""
        marks = self.marks.removeprefix("A line ")
        return f'<context marks="{marks}">\n'

    def opening(self, item: ContextItem, split: SplitItem) -> str:
        """Open the element and its character data."""
        return f"<item {_attributes(item)}><![CDATA[\n"

    def closing(self, item: ContextItem, split: SplitItem) -> str:
        """Close both."""
        return "]]></item>\n"

    def pointer(self, item: ContextItem, note: str) -> str:
        """Write an empty element."""
        return f"<pointer {_attributes(item)} note={_quote_attribute(safe_text(note))}/>\n"

    def map(self, lines: Sequence[str]) -> str:
        """Write an element of character data."""
        return "".join(["<map><![CDATA[\n", *(f"{self.escape(line)}\n" for line in lines), "]]></map>\n"])

    def epilogue(self) -> str:
        """Close the document."""
        return "</context>\n"

    def escape(self, text: str) -> str:
        """Escape characters that XML forbids, our own tags, and the end of character data."""
        return NOT_XML.sub(_as_data, text)

    def source(self, text: str) -> str:
        """Take the mark line above line 1 away."""
        return text.partition("\n")[2]


class NumberedXml(_Numbers, Xml):
    """Elements whose files have line numbers."""

    name = "xml with line numbers"


def _as_data(bad: re.Match[str]) -> str:
    if bad[0] in _OUTSIDE:
        return _OUTSIDE[bad[0]]
    return f"\\u{{{ord(bad[0]):x}}}"


def _is_path(item: ContextItem) -> bool:
    return item.kind in ("file", "folder", "instructions")


def address(item: ContextItem) -> str:
    """Return an item's address in a Markdown document: a path, or words that can't be taken for a path."""
    return path_address(item.title) if _is_path(item) else words_address(item.title, item.kind)


def _attributes(item: ContextItem) -> str:
    path = f"path={_quote_attribute(safe_text(item.title))}"
    if item.kind == "instructions":
        return f'{path} kind="instructions" trusted="{"yes" if item.trusted else "no"}"'
    return path if _is_path(item) else f"{path} kind={_quote_attribute(safe_text(item.kind))}"


def _language(item: ContextItem) -> str:
    """Return the name after the fence: the file's language, or the kind of text that a provider supplied."""
    if item.kind in ("file", "instructions"):
        return language_of(item.path) or "text"
    return "diff" if item.kind == "diff" else "text"


def stable_order(item: ContextItem) -> tuple[int, str, str]:
    """Return a sort key that puts items that change least first and items specific to the task last."""
    return (_ORDER.get(item.kind, len(_ORDER)), item.path or item.title, item.id)


def _quote_attribute(text: str) -> str:
    return f'"{text.translate(_XML_ENTITIES)}"'


FORMS: tuple[DocumentForm, ...] = (Markdown(), Xml())
_NUMBERING: tuple[DocumentForm, ...] = (NumberedMarkdown(), NumberedXml())


def find_form(name: str, *, line_numbers: bool = False) -> DocumentForm:
    """Return the form with a name, or its variant with line numbers in files."""
    wanted = f"{name} with line numbers" if line_numbers else name
    for form in (*FORMS, *_NUMBERING):
        if form.name == wanted:
            return form
    raise UnknownNameError("format", name, [form.name for form in FORMS])


def body_of(ladder: ItemLadder, option: int, *, text: str, form: DocumentForm) -> str:
    """Return the text that an option shows of an item, each run of lines after its mark line."""
    lines, split, item = lines_of(text), ladder.split, ladder.item
    rendered = []
    before = -2 if form.first_mark else -1
    for at, is_body in ladder.parts_in(option).items():
        part = split.parts[at]
        first, last = part.lines if is_body else part.head
        if not (is_body and before == at - 1):
            rendered.append(form.mark(item, split, first))
        rendered.append(form.show(item, lines, first, last))
        before = at if is_body else -2
    if rendered and before != len(split.parts) - 1:
        rendered.append(form.end(item, split))
    return "".join(rendered)


def _last_line(split: SplitItem) -> int:
    return split.parts[-1].lines[1] if split.parts else 0


def document(form: DocumentForm, shown: Sequence[Rendered], pointers: Sequence[str], map_: str = "") -> str:
    """Join the map, the rendered items, in the given order, and the address lines into one text."""
    pieces = [form.prologue(), map_]
    for one in shown:
        pieces += [form.opening(one.ladder.item, one.ladder.split), one.body]
        pieces.append(form.closing(one.ladder.item, one.ladder.split))
    return "".join([*pieces, *pointers, form.epilogue()])


def shorten_name(part: Part, most: int) -> str:
    """Return the name of a part as plain text in at most `most` characters.

    A heading loses its markup and its end; a qualified name loses its owners.
    """
    is_title = part.kind in _TITLED or (part.kind == "block" and " " in part.name)  # of a long section
    plain = _strip_markup(visible(" ".join(part.name.split()))) if is_title else safe_text(part.name)
    if len(plain) <= most:
        return plain
    if not is_title and " " not in (own := plain.rpartition(".")[2] or plain):
        return own if len(own) <= most else f"{own[: most - len(_GAP)]}{_GAP}"
    kept = plain[: most - len(_GAP) + 1]
    words = kept.rpartition(" ")[0]
    kept = words if len(words) >= most // 2 else kept[:-1]
    return f"{kept.rstrip(' ,:;(-')}{_GAP}"


def _strip_markup(name: str) -> str:
    """Return the visible text of a heading: no links, roles, tags, anchors and marks of emphasis."""
    if not _MARKED.search(name):
        return name
    plain = _ROLE.sub(_read_role, name)
    plain = _LINK.sub(r"\g<text>", plain)
    plain = _MARKUP.sub("", plain)
    return " ".join(plain.split()) or name


def _read_role(role: re.Match[str]) -> str:
    """Return the visible text of a role of reStructuredText, for a `~` target its last name."""
    text = role["text"].partition(" <")[0]
    return text[1:].rpartition(".")[2] if text.startswith("~") else text


def note(split: SplitItem) -> str:
    """Describe an item briefly: its number of lines and first names."""
    named = {part.name: part for part in split.parts if part.name and part.head != NO_LINES}
    listed = ", ".join(shorten_name(part, _LONGEST_NOTED) for part in [*named.values()][:4])
    count = _last_line(split)
    return format_count(count, "line") + (f" {listed}" if listed else "")


def recount(run: WorkspaceRun, item: ContextItem, split: SplitItem, form: DocumentForm) -> SplitItem:
    """Return a split with its counts in a form; a text that the form leaves alone keeps its own."""
    is_numbered = form.numbers(item)
    if not is_numbered and (split.plain or not form.first_mark):
        return split
    try:
        if is_numbered:
            return _count_numbered(run, item, split, form)
        shown = attrs.evolve(item, text=form.escape(run.text(item)))
    except WorkspaceError as error:  # it vanished: rendering would fail too, and the pack is repeated
        run.workspace.forget(item.path, str(error))
        return split
    return attrs.evolve(finish(shown, split.parts, run.counter), terms=split.terms, lengths=split.lengths)


def _count_numbered(run: WorkspaceRun, item: ContextItem, split: SplitItem, form: DocumentForm) -> SplitItem:
    """Add up the counts of numbered lines: each begins with a digit, so no token reaches across."""
    sums = [*accumulate(_count_lines(run, item, form), initial=0)]
    mark = run.counter.count([form.mark(item, split, 2)])[0]

    def count(lines: Lines) -> int:
        return sums[lines[1]] - sums[lines[0] - 1]

    def above(lines: Lines) -> int:
        return mark if lines[0] > 1 else 0

    def count_part(part: Part) -> Part:
        tokens, head = count(part.lines), part.head
        return part._replace(
            tokens=tokens,
            joined_tokens=tokens,
            head_tokens=0 if head == NO_LINES else count(head) + above(head),
            mark_tokens=above(part.lines),
        )

    stretches = stretches_of(run, split)
    rows = tuple(
        row._replace(tokens=count(row.lines), joined_tokens=count(row.lines), mark_tokens=above(row.lines))
        for row in stretches.rows
    )
    return attrs.evolve(
        split,
        parts=tuple(map(count_part, split.parts)),
        stretches=Stretches(rows, stretches.terms),
        stored=("", ""),
    )


def _count_lines(run: WorkspaceRun, item: ContextItem, form: DocumentForm) -> Sequence[int]:
    """Return the tokens of each numbered line, from the index where they are stored."""
    place = item.content, f"{form.name} {_COUNTS_VERSION}|{run.counter.key}"
    store = run.workspace.index.store
    rows = store.rows("SELECT parts FROM parts WHERE content = ? AND key = ?", place) if item.content else []
    if rows:
        stored: list[int] = json.loads(str(rows[0][0]))
        return stored
    lines = lines_of(run.text(item))
    counts = run.counter.fresh([form.show(item, lines, at, at) for at in range(1, len(lines) + 1)])
    if item.content:
        row = (*place, json.dumps(counts, separators=(",", ":")), b"")
        insert = "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)"
        store.remember(lambda connection: connection.execute(insert, row))
    return counts
