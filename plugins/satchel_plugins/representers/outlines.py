"""Finds definitions, imports and uses line by line, in languages without a grammar."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.plugin_api import Part, lazily, lines_of
from satchel_plugins.representers.languages import (
    KINDS,
    LOCAL,
    CodeLanguage,
    Rule,
    find_language,
    keyword_rule,
)
from satchel_plugins.representers.partition import CALLABLES, Definition, Outline, partition

_LONGEST_LINE = 400
_LONGEST_CLAUSES = 60
"""Most lines of a function's clauses that are joined into one definition."""
_LONGEST_ANNOTATION = 12
_LONGEST_IMPORT = 80
_NO_HEAD = frozenset(("", *"})]/,;=<>|&?!\\"))
"""Characters that do not begin a line with a definition."""
_METHOD = lazily(r"(?<=\w)::(?=\w)|(?<=\w):(?=[A-Za-z_]\w*$)")
"""The separator of a type and its method in Lua, or of two modules: `Picker:new`, `Mojo::Cookie`."""
_TYPE_ARGUMENTS = lazily(r"<[^<>]*(?:<[^<>]*>[^<>]*){0,4}>\??(?=\.)|\?(?=\.)")
"""Marks after the name of a type before a method: `List<T>.second`, `String?.orEmpty`."""
_PLAIN_LABEL = frozenset({"variable", "output", "resource"})
"""Kinds of blocks whose labels alone are their names."""
_COMMENT_MARKS = r"//|/\*|\*|#(?![({?_^])|--|;|%[% ]|\{\{-?[ \t]?/\*"
_ANNOTATION_MARKS = r"@|\[<|-spec\b|-doc\b"
_COMMENT = lazily(rf"\s*(?:{_COMMENT_MARKS})")
_ANNOTATION = lazily(rf"\s*(?:{_ANNOTATION_MARKS})")
_DOCUMENT = lazily(rf"\s*(?:{_COMMENT_MARKS}|{_ANNOTATION_MARKS}|\(\*|\{{-|<#|\"\"\"|=)")
_BELONGS_ABOVE = lazily(
    r"[)}\]]|\{$|@?(?i:end)(?:(?i:function|macro)\s*\([^()\n]{0,60}\)|\b)[;,.)]{0,4}\s*(?:(?:#|--|%).*)?$"
)
"""A line that closes the definition above it, or the brace that opens its body."""
_STATEMENT = lazily(
    r"\s*(?:#\s*(?:import|include|r|load|requires?|endif)\b(?!.*[:.]$)|@(?:end|import|class)\b)"
)
"""A statement that begins like a comment or an annotation."""
_BRACKETS = frozenset(")}]{")
"""Brackets that close only a part of a definition if indented text goes on below."""
_DOLLARS = lazily(r"\$\w{0,60}\$")
_BEGIN = lazily(r"(?i)begin\b(?!\s*(?:;|tran|work))")
_END = lazily(r"(?i)end\s*(?:;|\$\$|//|/)?\s*;?$")


class _HeadLine(NamedTuple):
    """The line that begins a definition."""

    number: int
    level: int
    kind: str
    name: str


def plain_parts(text: str, path: str = "") -> list[Part]:
    """Return the parts of a text without a grammar; `path` shows which outline may fit."""
    return partition(text, outline(text, path) if path else Outline())


def outline(text: str, path: str) -> Outline:
    """Return the outline of apparent definitions in `text`; `path` shows its language."""
    language = find_language(path)
    if language is None:
        return Outline()
    lines = lines_of(text)
    hidden = _find_hidden(lines, language.blocks)
    seen = ["" if number in hidden else line for number, line in enumerate(lines, 1)] if hidden else lines
    levels = _find_levels(seen, language)
    found = list(_find_definitions(seen, language.rules, levels, hidden))
    if language.has_clauses:
        found = _join_clauses(found)
    imports = list(_find_imports(seen, language))
    return Outline(found, imports, tuple(_find_uses(seen, language, imports)))


def keyword_definitions(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the definitions with a keyword such as `def`, `func` or `class`, in any language."""
    return _find_definitions(lines, (keyword_rule(),), [_indent(line) for line in lines], {})


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _find_hidden(lines: Sequence[str], blocks: Mapping[str, str]) -> dict[int, int]:
    """Map the lines inside of long comments and texts to the lines that begin these."""
    hidden: dict[int, int] = {}
    began, closing = 0, ""
    for number, line in enumerate(lines, 1) if blocks else ():
        if closing:
            hidden[number] = began
            closing = "" if closing in line else closing
            continue
        for opening, close in blocks.items():
            at = line.find(opening)
            if at >= 0 and _is_opening(line, at, opening) and close not in line[at + len(opening) :]:
                began, closing = number, close
                break
    return hidden


def _is_opening(line: str, at: int, mark: str) -> bool:
    """Return whether a mark begins a long comment: at the margin, or after a space outside of others."""
    if mark[0] in "=_":
        return at == 0
    is_free = mark[0] in "\"'" or at == 0 or line[at - 1].isspace()
    return is_free and not _COMMENT.match(line[:at])


def _find_levels(lines: Sequence[str], language: CodeLanguage) -> list[int]:
    """Return the level of indentation of each line."""
    if language.is_in_statements:
        return list(_find_statements(lines))
    margin = language.margin
    if margin is None:
        return [_indent(line) for line in lines]
    return [0 if margin.match(line) else 1 + _indent(line) for line in lines]


def _find_statements(lines: Sequence[str]) -> Iterator[int]:
    """Yield 0 for a line that begins a statement of SQL, 1 for one that goes on with it."""
    begins, depth, quote = True, 0, ""
    for line in lines:
        stripped = line.strip()
        yield 0 if begins else 1
        if not stripped or stripped.lower().startswith(("--", "/*", "delimiter")):
            continue
        for mark in _DOLLARS.findall(stripped):
            quote = mark if not quote else "" if mark == quote else quote
        is_end = _END.match(stripped) is not None and (
            depth > 0 or (quote == "$$" and stripped.endswith("$$"))
        )
        if is_end:
            depth, quote = max(0, depth - 1), ""
        elif not quote and _BEGIN.match(stripped):
            depth += 1
        is_closed = stripped.endswith(";") or stripped.lower() in ("go", "/", "//", "$$") or is_end
        begins = is_closed and not quote and not depth


def _find_definitions(
    lines: Sequence[str], rules: Sequence[Rule], levels: Sequence[int], hidden: Mapping[int, int]
) -> Iterator[Definition]:
    """Yield a definition for each line that begins one; it ends before the next line as far out."""
    heads = [
        head
        for number, line in enumerate(lines, 1)
        if line.strip()[:1] not in _NO_HEAD and (head := _head(number, line, rules, levels[number - 1]))
    ]
    begins = {head.number for head in heads}
    ends = _find_ends(lines, levels, begins, hidden)
    scopes: list[_HeadLine] = []
    for head in heads:
        while scopes and (scopes[-1].level >= head.level or ends[scopes[-1].number] < head.number):
            scopes.pop()
        around = scopes[-1] if scopes else None
        name = _name_within(head, around, lines[head.number - 1])
        if name:
            scopes.append(head._replace(name=name))
            first = _first_documentation_line(lines, head.number, hidden, begins)
            yield Definition(name[:200], head.kind, first, ends[head.number], (head.number, head.number))


def _head(number: int, line: str, rules: Sequence[Rule], level: int) -> _HeadLine | None:
    if len(line) > _LONGEST_LINE:
        return None
    behind = -1
    for rule in rules:
        if rule.behind and behind < 0:
            modifiers = rule.behind.match(line)
            behind = modifiers.end() if modifiers else 0
        match = rule.pattern.match(line, behind) if rule.behind else rule.pattern.match(line)
        if match is not None:
            word = " ".join(match["kind"].lower().split()) if "kind" in match.re.groupindex else ""
            if rule.has_labels:
                return _HeadLine(number, 0, KINDS.get(word, rule.kind), _name_block(word, match["name"]))
            return _HeadLine(number, level, KINDS.get(word, rule.kind), _clean(match["name"]))
    return None


def _clean(name: str) -> str:
    """Return a name without quotes, parentheses and arguments of types."""
    name = name.strip(' \t"`[]')
    if name.startswith("'") or (name.startswith("(") and name.endswith(")")):
        name = name.strip("'() ")
    elif "(" in name and ")" not in name:
        name = name.replace("(", "")
    return _TYPE_ARGUMENTS.sub("", _METHOD.sub(".", name))


def _name_within(head: _HeadLine, around: _HeadLine | None, line: str) -> str:
    """Return the full name of a definition within another one, "" if it is not one there."""
    if head.kind == "constructor" and head.name[:1].isupper():
        owner = around.name.rpartition(".")[2] if around else ""
        if head.name.partition(".")[0] != owner or not owner:
            return ""
        head = head._replace(name=head.name.partition(".")[2] or owner)
    if around is None:
        return head.name
    is_local = around.kind in CALLABLES and LOCAL.match(line)
    return "" if is_local else f"{around.name}.{head.name}"


def _name_block(kind: str, labels: str) -> str:
    """Return the address of a block: `aws_instance.web`, `data.aws_ami.linux`, `module.network`, `locals`."""
    named = ".".join(label.strip('"') for label in labels.split())
    return named if named and kind in _PLAIN_LABEL else f"{kind}.{named}".rstrip(".")


def _find_ends(
    lines: Sequence[str], levels: Sequence[int], heads: set[int], hidden: Mapping[int, int]
) -> dict[int, int]:
    """Map each head to its last line: until the text is as far out again, closing lines included."""
    ends: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    last_words = skipped = 0
    for number, (line, level) in enumerate(zip(lines, levels, strict=True), 1):
        stripped = line.strip()
        if not stripped:
            last_words = number if hidden.get(number, skipped) != skipped else last_words
            continue
        is_outside = bool(waiting) and level <= waiting[-1][1] and number not in heads
        if is_outside and _COMMENT.match(stripped):
            skipped = number
            continue
        while waiting and level <= waiting[-1][1]:
            is_closed = level == waiting[-1][1] and _BELONGS_ABOVE.match(stripped) is not None
            if is_closed and stripped[0] in _BRACKETS:
                break
            ends[waiting.pop()[0]] = number if is_closed else last_words
            if is_closed:
                break
        if number in heads:
            waiting.append((number, level))
        last_words = number
    return ends | {head: last_words for head, _ in waiting}


def _first_documentation_line(
    lines: Sequence[str], number: int, hidden: Mapping[int, int], begins: Collection[int]
) -> int:
    """Return the first of the comment and annotation lines directly above line `number`."""
    first = number
    level = _indent(lines[number - 1])
    while first > 1:
        above = hidden.get(first - 1, first - 1)
        if above in begins or _STATEMENT.match(lines[above - 1]):
            break
        if not _DOCUMENT.match(lines[above - 1]):
            above = _first_annotation_line(lines, above, level)
        if not above:
            break
        first = above
    return first


def _first_annotation_line(lines: Sequence[str], number: int, level: int) -> int:
    """Return the first line of the annotation that goes on to line `number`, 0 if there is none."""
    for at in range(number, max(0, number - _LONGEST_ANNOTATION), -1):
        line = lines[at - 1]
        if not line.strip():
            return 0
        if _indent(line) <= level and not line.lstrip().startswith((")", "]", "}")):
            return at if at < number and _ANNOTATION.match(line) else 0
    return 0


def _join_clauses(found: Sequence[Definition]) -> list[Definition]:
    """Return the definitions with successive ones of one name joined, if the result is not long."""
    joined: list[Definition] = []
    for each in found:
        before = joined[-1] if joined else None
        if before and before.name == each.name and each.last - before.first < _LONGEST_CLAUSES:
            joined[-1] = before._replace(last=each.last)
        else:
            joined.append(each)
    return joined


def _find_imports(lines: Sequence[str], language: CodeLanguage) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each import."""
    if language.imports is None:
        return
    until = 0
    for number, line in enumerate(lines, 1):
        if number > until and language.imports.match(line):
            until = number
            level = _indent(line)
            for at, below in enumerate(lines[number : number + _LONGEST_IMPORT], number + 1):
                is_inside = _indent(below) > level or (until > number and below.startswith((")", "}", "]")))
                if below.strip() and not is_inside:
                    break
                until = at if below.strip() else until
            yield number, until


def _find_uses(
    lines: Sequence[str], language: CodeLanguage, imports: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """Yield the names outside of comments that look like called functions or types."""
    if language.uses is None:
        return
    importing = {number for first, last in imports for number in range(first, last + 1)}
    for number, line in enumerate(lines, 1):
        if len(line) <= _LONGEST_LINE and number not in importing and not _COMMENT.match(line):
            for match in language.uses.finditer(line):
                if match.lastindex:
                    yield number, match[match.lastindex]
