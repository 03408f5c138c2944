"""Find the sections of a text that a question names: definitions, sections of pages, files of diffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from satchel.output.asking import Question
from satchel.output.families import BLAME, DIFF, FILE, PROSE, STEPS, OutputFamily
from satchel.output.naming import LISTED
from satchel.patterns import lazily

_LISTED = lazily(rf"{LISTED}|\^?[0-9a-f]{{7,40}} [^(]{{0,200}}\(.{{1,80}} \d{{4}}-\d\d-\d\d [^)]{{0,40}}\) ?")
"""The text before the code of a line: its number, or its author."""
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|abstract|async|final|pub(?:\([a-z]+\))?|unsafe"
    r"|override|virtual|inline|extern|sealed|partial|data|const|declare)\s+)*"
)
_DEFINES = lazily(
    rf"(?P<indent>\s*){_MODIFIERS}(?:(?:def|class|func|function|fn|interface|struct|enum|trait|type|module|namespace|object"
    r"|record|protocol|macro_rules!)\s+(?:\([^)]{0,80}\)\s*)?\*?(?P<named>[\w$]+)"
    r"|(?:const|let|var)\s+(?P<variable>[\w$]+)\s*[=:]"
    r"|(?P<constant>[A-Z_][A-Z0-9_]{2,})\s*(?::[^=]{1,60})?=(?!=)"
    r"|(?:[\w<>\[\],*&:?.]+\s+)+[*&]?(?P<called>\w+)\s*\([^;]*\)\s*(?:const\s*)?\{\s*$)"
)
_FUNCTION = lazily(r"= ?(?:async )?(?:function\b|\([^=]*\) ?(?::[^=]{1,80})?=>|\w+ =>|\(\s*$)")
"""The beginning of a function that is assigned to a variable."""
_NO_NAMES = frozenset("if for while switch catch return else elif match with new await yield".split())  # noqa: SIM905
_DECORATOR = lazily(r"\s*(?:@\w|#\[)")
_CLOSES = lazily(r"\s*[)\]}]")
_HEADING = lazily(r"(#{1,6})\s+(\S.*)")
_FENCE = lazily(r"\s*(?:```|~~~)")
_FILE_HEADER = lazily(r"diff --git \"?a/(.+?)\"? \"?b/")
_LONG, _BEGINNING = 100, 30
"""Lines of a section whose beginning alone is shown first; and the number of these lines."""
_STUB = 3
"""Lines of a definition with hardly any content: one of several signatures."""
_MOST_SECTIONS = 12
_OF_NAME, _OF_PARTS, _OF_WORD, _INSIDE = 3.0, 1.5, 1.0, 2.0
"""Worth of a section that is requested by its name, by the words in its name, by a word; and the gain of one
inside another requested one.
"""


class Section(NamedTuple):
    """Lines below a head that describes them, from 0."""

    head: int
    end: int
    """The line after the last one."""
    first: int
    """The beginning of decorators above the head."""
    parents: tuple[int, ...] = ()
    """Heads of the sections around it."""


def find_asked_sections(family: OutputFamily, lines: Sequence[str], question: Question) -> list[Section]:
    """Return the sections that a question names, the best first."""
    if family not in (FILE, BLAME, PROSE, STEPS) or not question:
        return []
    bare = [_strip(line) for line in lines]
    worths: dict[int, float] = {}
    sections: dict[int, Section] = {}
    for section, named in (*_iter_definitions(bare), *_iter_headings(bare)):
        sections[section.head] = section
        worths[section.head] = weigh_name(named, question)
    asked = {head for head, worth in worths.items() if worth}
    for head in asked:
        worths[head] += _INSIDE * any(parent in asked for parent in sections[head].parents)
    best = max(worths.values(), default=0.0)
    found = [sections[head] for head in asked if worths[head] * 2 > best]
    found.sort(key=lambda one: (-worths[one.head], one.end - one.head <= _STUB, one.head))
    return found[:_MOST_SECTIONS]


def beginning_of(section: Section) -> range:
    """Return the lines of a section to show first: all of them, unless there are very many."""
    end = section.end if section.end - section.first <= _LONG else section.head + _BEGINNING
    return range(section.first, end)


def find_files(family: OutputFamily, lines: Sequence[str]) -> list[str]:
    """Return the file of each line of a diff, "" for other texts."""
    if family is not DIFF:
        return [""] * len(lines)
    found: list[str] = []
    file = ""
    for line in lines:
        if line.startswith("diff "):
            file = find_changed_file(line) or file
        found.append(file)
    return found


def find_changed_file(line: str) -> str:
    """Return the file whose part of git's diff begins with a line, "" for other lines."""
    header = _FILE_HEADER.match(line)
    return header[1] if header else ""


def _strip(line: str) -> str:
    """Return a line of code without the prefix of a listing."""
    listed = _LISTED.match(line)
    return line[listed.end() :] if listed else line


def _iter_definitions(lines: Sequence[str]) -> Iterator[tuple[Section, str]]:
    """Yield definitions with their names, each with its parents."""
    opened: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        defined = read_definition(line) if line.strip() else None
        if defined is None:
            continue
        name, indent, _ = defined
        while opened and opened[-1][1] >= indent:
            opened.pop()
        first = at
        while first and _DECORATOR.match(lines[first - 1]):
            first -= 1
        end = _find_end(lines, at, indent)
        yield Section(at, end, first, tuple(head for head, _ in opened)), name
        opened.append((at, indent))


class DefinedName(NamedTuple):
    """The name that a line of code begins to define."""

    name: str
    indent: int
    """Columns before it, a tab as 4."""
    is_value: bool
    """Whether it is a variable or a constant that holds no function."""


def read_definition(line: str) -> DefinedName | None:
    """Return the definition in a line, in the common languages, None if there is none."""
    found = _DEFINES.match(line)
    if found is None:
        return None
    value = found["variable"] or found["constant"]
    name = found["named"] or value or found["called"]
    if name in _NO_NAMES:
        return None
    is_value = value is not None and _FUNCTION.search(line, found.end() - 1) is None
    return DefinedName(name, len(found["indent"].expandtabs(4)), is_value)


def _find_end(lines: Sequence[str], head: int, indent: int) -> int:
    """Return the line after a definition: after its indented lines, and its closing line."""
    end = head + 1
    for at in range(head + 1, len(lines)):
        line = lines[at].expandtabs(4)
        if not line.strip():
            continue
        own = len(line) - len(line.lstrip())
        if own < indent or (own == indent and not _CLOSES.match(line)):
            break
        end = at + 1
        if own == indent and not line.rstrip().endswith((":", "{", "(", "[")):
            break
    return end


def _iter_headings(lines: Sequence[str]) -> Iterator[tuple[Section, str]]:
    """Yield the sections of a page with their headings."""
    headings: list[tuple[int, int, str]] = []
    fenced = False
    for at, line in enumerate(lines):
        fenced = fenced is not (_FENCE.match(line) is not None)
        heading = None if fenced else _HEADING.match(line)
        if heading:
            headings.append((at, len(heading[1]), heading[2]))
    for nth, (at, level, text) in enumerate(headings):
        ends = (later for later, depth, _ in headings[nth + 1 :] if depth <= level)
        yield Section(at, next(ends, len(lines)), at), text


def weigh_name(name: str, question: Question) -> float:
    """Return the worth of a section for its name, 0 if the question does not name it."""
    if name.lower().strip("_") in question.tokens:
        return _OF_NAME if name in question.names or "_" in name.strip("_") else _OF_WORD
    words = Question(name).words
    if words and words <= question.joined:
        return _OF_PARTS if len(words) > 1 else _OF_WORD
    return 0.0
