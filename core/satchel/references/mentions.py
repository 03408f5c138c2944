"""Find references to files, lines, symbols and numbers in all written forms, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from urllib.parse import unquote

from satchel.items import Reference
from satchel.parts import NO_LINES, Lines
from satchel.patterns import lazily
from satchel.references.paths import PAGE, KnownPaths, nearest_first
from satchel.references.tracebacks import find_frames
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS

SUFFIX = (
    r"(?::(?P<first>\d{1,7})(?::\d{1,5}\b)?(?:-(?P<last>\d{1,7})(?::\d{1,5})?)?"
    r"|#L(?P<from>\d{1,7})(?:C\d{1,5})?(?:-L?(?P<to>\d{1,7})(?:C\d{1,5})?)?"
    r"|\((?P<row>\d{1,7})(?:[,:]\d{1,5})?\)"
    r"|`?,? (?:on |at )?lines? (?P<line>\d{1,7})(?: ?(?:-|–|to|and) ?(?P<until>\d{1,7}))?"
    r"(?!\d| (?:of|in) `?[\w@\\-]{0,100}[./])"
    r"|(?:::|#)(?P<symbol>[A-Za-z_][\w.:]{0,150}))?"
)
_PATH = lazily(
    r"(?:\blines? (?P<before>\d{1,7})(?: ?(?:-|–|to) ?(?P<upto>\d{1,7}))? (?:of|in) `?)?"
    r"(?<![\w/\\.@-])@?(?P<path>(?:[A-Za-z]:)?[/\\]?(?:[\w.+-]{1,100}[/\\]){0,20}[\w.+-]{0,99}[\w+-])"
    + SUFFIX
    + r"(?![\w/])"
)
_ODD = lazily(
    r"(?<!\S)[`(\"']?@?(?P<path>[^\s\[\]$~=@`\"'(]{0,200}[\[$~=@(][^\s`\"']{1,200}?)"
    + SUFFIX
    + r"[.,;:!?)]{0,3}(?![^\s`\"'])"
)
_SPACED = lazily(rf"@?(?P<quote>[\"'`])(?P<path>[^\n\"'`]{{1,300}})(?P=quote){SUFFIX}")
_PAGE_NAME = lazily(
    rf"(?<![\w/.@-])(?P<name>{PAGE}|(?i:{PAGE})(?=\.(?:{DOCUMENT_ENDINGS})\b))"
    rf"(?:\.(?:{DOCUMENT_ENDINGS}))?(?![\w/-]|\.\w)"
)
"""A page of the project, as people write its name."""
_URL = lazily(r"https?://[^\s<>\"'`)\]]{1,500}")
_IN_URL = lazily(r"/(?:blob|blame|raw|edit|src)/(?P<path>[^?#]{1,400})(?:\?[^#]{0,200})?" + SUFFIX)
_SYMBOL = lazily(r"(?<![\w/])([A-Za-z_]\w{0,79}(?:(?:\.|::|#)[A-Za-z_]\w{0,79}){0,6})(?![\w/])")
_QUOTED = lazily(
    r"`([^`\n]{2,200})`|\"([^\"\n]{4,200})\"|(?<!\w)'([^'\n]{4,200})'(?!\w)|“([^“”\n]{4,200})”|‘([^‘’\n]{4,200})’"
)
_MESSAGE = lazily(
    r"(?im)^[> ]{0,8}(?:[\w./\\-]{1,60}:\s+)?"
    r"(?:[\w.:]{0,120}(?:error|exception|panic|fatal|failure|failed|warning)(?:[ \[]\w{1,12}\]?)?) ?:\s+"
    r"(?P<told>[^\n]{12,400})"
)
_VALUES = lazily(
    r"\s*[:;]\s+|[\"'`“”‘’<>()\[\]{}]|(?<!\w)[-+]?\d[\w.,]*|\s[-–—]\s|\.\.\.|\.(?=\s|$)|\S*[/\\]\S+|\S*_\S+"
)
_MOST_MESSAGES, _TELLING = 3, 12
"""Messages of a task that are searched for, and the fewest characters of a piece to match word for word."""
_NUMBER = lazily(r"(?<!\w)(?:#|[Gg][Hh]-)(\d{1,7})\b")
CODE_LIKE = lazily(r"\w_\w|_\w\w|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|[A-Z]{2}[a-z]{2}|\w\w\.\w|\w\.\w\w|::|#")
IDENTIFIER = lazily(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(\(\))?")
_EXTENSIONLESS = frozenset(
    {"Brewfile", "Caddyfile", "Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "LICENSE", "Makefile"}
    | {"Pipfile", "Podfile", "Procfile", "Rakefile", "Vagrantfile", "justfile"}
)
_LONGEST_TASK = 1_000_000
"""Most characters searched at each end of a longer text."""
_MOST = 400
_MOST_GLOBS = 10
_MOST_CANDIDATES = 20
_MOST_SORTED = 200
_MOST_FRAMES = 100


def find_references(text: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Return the references in a text, each once, at most 400; frames first, each before its callers."""
    found: dict[Reference, None] = {}
    for reference in _find_all(_clip_text(text), paths):
        found[reference] = None
        if len(found) >= _MOST:
            break
    return tuple(found)


def find_paths(text: str) -> list[str]:
    """Return the paths with folders in a text, existing or not, at most 400."""
    matches = _PATH.finditer(text[:_LONGEST_TASK])
    written = (match["path"].replace("\\", "/").removeprefix("./") for match in matches)
    found = {path.lstrip("/"): None for path in written if "/" in path}
    return list(found)[:_MOST]


def _clip_text(text: str) -> str:
    if len(text) <= 2 * _LONGEST_TASK:
        return text
    return f"{text[:_LONGEST_TASK]}\n{text[-_LONGEST_TASK:]}"


def _find_all(text: str, paths: KnownPaths) -> Iterator[Reference]:
    """Search for one form after another; matches of one are blanked for the next."""
    references, spans = _resolve_frames(text, paths)
    yield from references
    text = _blank_spans(text, spans)
    references, spans = _find_links(text, paths)
    yield from references
    text = _blank_spans(text, spans)
    quoted = list(_find_quotations(text, paths))
    references, spans = _resolve_paths(text, paths)
    yield from references
    yield from quoted
    text_beside = _blank_spans(text, spans)
    for match in _PAGE_NAME.finditer(text_beside):
        yield from (Reference(match[0], "path", path) for path in paths.find_page(match["name"]))
    yield from _find_symbols(text_beside, paths)
    yield from _find_messages(text)
    for match in _NUMBER.finditer(text):
        yield Reference(match[0], "number", name=str(int(match[1])))


def _blank_spans(text: str, spans: Sequence[Lines]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        pieces += (text[at:start], " " * (end - max(start, at)))
        at = max(at, end)
    return "".join((*pieces, text[at:]))


def _resolve_frames(text: str, paths: KnownPaths) -> tuple[list[Reference], list[Lines]]:
    references: list[Reference] = []
    spans: list[Lines] = []
    for _, trace in groupby(find_frames(text), key=lambda frame: frame.trace):
        for frame in trace:
            spans.append((frame.start, frame.start + len(frame.text)))
            if len(references) < _MOST_FRAMES:
                found = paths.find_frame(frame.path)[:3]
                lines = (frame.line, frame.line)
                references += [Reference(frame.text, "path", path, lines) for path in found if frame.line]
    return references, spans


def _find_links(text: str, paths: KnownPaths) -> tuple[list[Reference], list[Lines]]:
    """Find files in URLs of a repository's pages; the spans include all URLs."""
    references: list[Reference] = []
    spans: list[Lines] = []
    for match in _URL.finditer(text):
        spans.append(match.span())
        inner = _IN_URL.search(match[0])
        if inner is not None:
            found = paths.find_loosely(unquote(inner["path"].partition("/")[2]))
            references += [Reference(match[0], "path", path, lines_in(inner)) for path in found[:1]]
    return references, spans


def _resolve_paths(text: str, paths: KnownPaths) -> tuple[list[Reference], list[Lines]]:
    """Find written paths; unambiguous ones help to choose between several files for others."""
    named: dict[str, tuple[re.Match[str], list[str]]] = {}
    spans: list[Lines] = []
    for match in _match_paths(text):
        found = named[match[0]][1] if match[0] in named else _candidates(match, paths)
        if found:
            named[match[0]] = (match, found[:_MOST_SORTED])
            spans.append(match.span())
            if len(named) >= _MOST:
                break
    folders = {found[0].rpartition("/")[0] for _, found in named.values() if len(found) == 1}
    references: dict[Reference, None] = {}
    for match, found in named.values():
        for path in nearest_first(found, folders)[:_MOST_CANDIDATES]:
            references.update(dict.fromkeys(_make_references(match, path)))
    return list(references), spans


def _match_paths(text: str) -> Iterator[re.Match[str]]:
    """Find possible paths, with each form only if the text has a character that it needs."""
    if any(quote in text for quote in "\"'`"):
        yield from _SPACED.finditer(text)
    yield from _PATH.finditer(text)
    if any(mark in text for mark in "[$~=@("):
        yield from _ODD.finditer(text)


def _candidates(match: re.Match[str], paths: KnownPaths) -> list[str]:
    written, form = match["path"], match.re.groupindex
    if "quote" in form and match[0][0] != "@" and " " not in written:
        return []
    if "before" not in form:  # in quotes, or with unusual characters
        return paths.find(written)
    if not _may_be_path(match[0], written):
        return []
    return paths.find_loosely(written)


def _make_references(match: re.Match[str], path: str) -> Iterator[Reference]:
    text, groups = match[0].strip(), match.groupdict()
    yield Reference(text, "path", path, lines_in(match))
    if symbol := groups.get("symbol"):
        yield Reference(text, "symbol", path, name=normalize_name(symbol.rstrip(".:")))


def _may_be_path(written: str, path: str) -> bool:
    has_shape = "/" in path or "\\" in path or "." in path.strip(".")
    return has_shape or written.startswith("@") or path in _EXTENSIONLESS


def lines_in(match: re.Match[str]) -> Lines:
    """Return the line range of a match, whatever its form."""
    groups = match.groupdict()
    ranges = (("first", "last"), ("from", "to"), ("row", "row"), ("line", "until"), ("before", "upto"))
    for first, last in ranges:
        if groups.get(first):
            start = int(groups[first])
            return (start, max(start, int(groups.get(last) or start))) if start else NO_LINES
    return NO_LINES


def normalize_name(name: str) -> str:
    """Write `Class::method` and `Class#method` as `Class.method`."""
    return re.sub(r"::|#", ".", name)


def _find_symbols(text: str, paths: KnownPaths) -> Iterator[Reference]:
    for match in _SYMBOL.finditer(text):
        if CODE_LIKE.search(match[1]) or text[match.end() : match.end() + 2] == "()":
            yield from _resolve_name(match[1], normalize_name(match[1]), paths)


def _resolve_name(text: str, name: str, paths: KnownPaths) -> Iterator[Reference]:
    """Yield a symbol, and the file that the start of a dotted name means."""
    names = name.split(".")
    path, count = paths.find_module(names) if len(names) > 1 else ("", 0)
    if path:
        yield Reference(text, "path", path)
    rest = ".".join(names[count:])
    if rest:
        yield Reference(text, "symbol", path, name=rest)


def _find_quotations(text: str, paths: KnownPaths) -> Iterator[Reference]:
    written = dict.fromkeys(
        next(filter(None, match.groups()), "").strip() for match in _QUOTED.finditer(text)
    )
    globs = [quoted for quoted in written if is_glob(quoted)]
    for quoted in written:
        if IDENTIFIER.fullmatch(quoted) is not None:
            yield from _resolve_name(quoted, normalize_name(quoted.removesuffix("()")), paths)
        elif len(quoted) > 3 and not is_glob(quoted) and not paths.find(quoted):
            yield Reference(quoted, "string")
    for glob in globs[:_MOST_GLOBS]:
        yield from (Reference(glob, "glob", path) for path in paths.glob(glob))


def _find_messages(text: str) -> Iterator[Reference]:
    """Yield the constant pieces of a pasted error message, without the inserted values."""
    messages = (match["told"] for match in islice(_MESSAGE.finditer(text), _MOST_MESSAGES))
    said = (piece.strip(" ,.!?-") for message in messages for piece in _VALUES.split(message))
    telling = (piece for piece in said if len(piece) >= _TELLING and " " in piece)
    yield from (Reference(piece, "string") for piece in dict.fromkeys(telling))


def is_glob(quoted: str) -> bool:
    """Return whether a quoted text is a glob rather than a text with a star."""
    return "*" in quoted and " " not in quoted and ("/" in quoted or "." in quoted)
