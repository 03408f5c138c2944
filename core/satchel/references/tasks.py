"""Make a task: resolve its references and pins against the paths of a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from satchel.errors import PointerError
from satchel.items import Reference, Task
from satchel.parts import NO_LINES, Part
from satchel.patterns import lazily
from satchel.references.mentions import (
    CODE_LIKE,
    IDENTIFIER,
    SUFFIX,
    find_references,
    is_glob,
    lines_in,
    normalize_name,
)
from satchel.references.paths import KnownPaths
from satchel.references.tracebacks import find_frames
from satchel.workspace.git.repository import Commit

_HEADING = lazily(r"#{1,6}\s+(?P<title>\S.{0,80})|(?:[-*]\s+)?\*\*(?P<bold>[^*]{1,80})\*\*:?\s*")
_PLACES = frozenset(
    "environment env version versions extensions screenshots screenshot checklist pip".split()  # noqa: SIM905
)
"""Words in headings of sections that describe the environment, not the problem."""
_BESIDE = _PLACES | frozenset(
    "and or of your project info information details system operating os installed packages list".split()  # noqa: SIM905
)
"""Words allowed beside them, with one other word: the name of the project, or of installed software."""
_VERBS = frozenset(
    "add bump change check compare drop fix handle new parse print remove set show support use".split()  # noqa: SIM905
)
_ASKING = lazily(
    r"(?i)(?:(?:a|the|short|brief|bug|feature|detailed)\s+)*(?:summary|description|report|request)"
    r"|describe (?:the|your) .+|(?:steps |how )*to reproduce.*|reproduc\w+.*|steps.*"
    r"|(?:expected|actual|current|observed) .{0,30}|what (?:happened|you expected|did you).*"
    r"|minimal .{0,40}|mcve.*|additional .*|anything else.*|(?:possible|proposed) .{0,30}"
    r"|(?:error )?logs?.{0,20}|problem(?: description)?|bug|context|alternatives?.{0,40}|is your feature .*"
)
"""A heading that asks for text below it."""
_DONE = lazily(r"\s*[-*]\s*\[[xX]\]\s")
_VERSION = lazily(
    r"\s*(?:[-*]\s)?\s*[\w.\-]{1,60}(?: version| implementation)?\s*(?:==|[:\s])\s*"
    r"(?:v?\d+(?:\.[\w+\-]+)+|None)(?:[\s,;(\[].{0,80})?"
)
_SYSTEM = lazily(
    r"(?i)\s*(?:[-*]\s+)?(?:os|operating system|\w{1,20} (?:versions?|extensions|implementation)|extra tools)"
    r"\s*:.{0,80}"
)
_EMPTY = lazily(r"(?i)\s*(?:no|n/a|none|nothing|_no response_)\.?\s*|[-\s]{8,}")
_INSTALLING = ("Installing collected packages", "Successfully installed", "Requirement already satisfied")
_LONGEST = 300
"""Longest line that is checked as a heading or a version."""


_LABEL = lazily(
    r"(?i)^\s*[\[(]?(feature( request)?|bug( report)?|enhancement|proposal|question|issue|rfe|rfc)s?[\])]?"
    r"\s*(:|-(?=\s)|(?<=[\])]))\s*"
)
"""The kind of a report at the beginning of its title: "Feature request: ", "[Bug] "."""


@lru_cache(maxsize=2)
def strip_boilerplate(text: str) -> str:
    """Remove hidden comments, sections on versions, ticked boxes and empty answers from a task.

    In the first line only a label of its kind is removed: "feature request: ".
    """
    first, *lines = _strip_comments(text.strip()).split("\n")
    kept = [_LABEL.sub("", first, count=1) or first]
    elsewhere, fenced = False, False
    for line in lines:
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        title = "" if fenced and not elsewhere else _title(line)
        if title:
            elsewhere = _tells_where(title)
        elif "</details>" in line:
            elsewhere = False
        if not elsewhere and not _ASKING.fullmatch(title) and not _says_nothing(line):
            kept.append(line)
    return "\n".join(kept)


def _strip_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept.append(text[at:begin])
        at = end + 3
    return "".join([*kept, text[at:]])


def _title(line: str) -> str:
    """Return the text of a heading, "" for any other line."""
    match = _HEADING.fullmatch(line.rstrip()) if len(line) <= _LONGEST else None
    return (match["title"] or match["bold"] or "").strip(" #:") if match else ""


def _tells_where(title: str) -> bool:
    """Return whether a heading asks for versions and the like, with at most one other word."""
    words = [word for word in re.split(r"\W+", title.lower()) if word]
    others = [word for word in words if word not in _BESIDE]
    asks = not _PLACES.isdisjoint(words) or {"your", "project"} <= set(words)
    return asks and len(others) <= 1 and _VERBS.isdisjoint(others)


def _says_nothing(line: str) -> bool:
    if line.startswith(_INSTALLING):
        return True
    if not line.strip() or len(line) > _LONGEST:
        return False
    known = (_VERSION, _SYSTEM, _EMPTY)
    return _DONE.match(line) is not None or any(one.fullmatch(line.rstrip()) for one in known)


_PIN = lazily(rf"@?(?P<quote>[\"'`]?)(?P<path>.+?)(?P=quote){SUFFIX}", re.DOTALL)
_NUMBER = lazily(r"(?:#|[Gg][Hh]-)(\d{1,7})")
_CLASS = lazily(r"[A-Z]\w*[a-z]\w*")
_SEPARATOR = lazily(r"\s*[,\n]\s*|\s+")
_LONGEST_PIN = 10_000


def make_task(
    text: str, paths: KnownPaths | Iterable[str], *, pins: Sequence[str] = (), open_files: Sequence[str] = ()
) -> Task:
    """Make a task from its text, resolving its references against the workspace's paths."""
    known = paths if isinstance(paths, KnownPaths) else KnownPaths(paths)
    return Task(
        text=text,
        references=_find_relevant(text, known),
        pins=tuple(chain.from_iterable(find_pins(pin, known) for pin in pins)),
        open_files=tuple(find_pin(name, known) for name in open_files),
    )


def _find_relevant(text: str, known: KnownPaths) -> tuple[Reference, ...]:
    """Return the references of a task; from lists of versions and the like only paths and frames."""
    found = find_references(text, known)
    if not found or "\n" not in text:
        return found

    asked = strip_boilerplate(text)
    named = set(found if asked == text else find_references(asked, known))
    return tuple(ref for ref in found if ref in named or "/" in ref.text or ref.lines != NO_LINES)


def find_commits(commits: Sequence[Commit], number: str) -> list[Commit]:
    """Return the commits whose message mentions an issue or a change by its number: `#123`, `GH-123`."""
    mention = re.compile(rf"(?<!\w)(?:#|gh-|issues?[ /]|pull/)0*{int(number)}(?!\d)", re.IGNORECASE)
    return [commit for commit in commits if mention.search(f"{commit.subject}\n{commit.body}")]


def find_pin(written: str, paths: KnownPaths) -> Reference:
    """Resolve a reference to one file or one symbol.

    Raises:
        PointerError: it matches nothing in the workspace, or several things.
    """
    first, *more = find_pins(written, paths)
    if more:
        raise PointerError(written, f"means {1 + len(more)} things where one must be named")
    return first


def find_pins(written: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Resolve a pin of any form: a path with or without lines, a glob, a list, a symbol, a traceback.

    A symbol is returned with kind `symbol` and, if unknown, no path: `resolve_symbol` finds its lines.
    `#123` is returned with kind `number`.

    Raises:
        PointerError: no file of the workspace matches, or one name matches several files.
    """
    pin = written.strip()[:_LONGEST_PIN]
    found = _resolve_one(written, pin, paths) or _resolve_several(written, pin, paths)
    if not found:
        near = paths.nearest(pin)
        hint = f"; did you mean {near}?" if near else ""
        if not hint and pin.isidentifier():
            hint = f"; for the function write {pin}()"
        raise PointerError(written, "no such file in the workspace" + hint)
    return found


def resolve_symbol(pin: Reference, parts: Mapping[str, Sequence[Part]]) -> tuple[Reference, ...]:
    """Turn a symbol pin into pins of the lines that define it; `parts` are those of each path.

    Definitions of the full name take precedence over those that only end in it.

    Raises:
        PointerError: none of the parts defines it.
    """
    defined = [
        (symbol.name == pin.name, path, symbol.lines)
        for path, own in parts.items()
        for symbol in chain.from_iterable(part.symbols for part in own)
        if pin.path in ("", path) and f".{symbol.name}".endswith(f".{pin.name}")
    ]
    whole = any(is_whole for is_whole, _, _ in defined)
    settled = {
        Reference(pin.text, "path", path, lines, pin.name): None
        for is_whole, path, lines in defined
        if is_whole or not whole
    }
    if not settled:
        raise PointerError(pin.text, "no file in the workspace defines a symbol of that name")
    return tuple(settled)


def _resolve_one(written: str, pin: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Resolve one path, glob, number or symbol; return () for any other text."""
    if paths.find(pin):
        return (Reference(written, "path", _single_file(written, pin, paths)),)
    match = _PIN.fullmatch(pin)
    path = match["path"] if match else pin
    if match is not None and paths.find(path) and ".." not in path.split("/"):
        return (_of_path(written, match, paths),)
    if is_glob(path):
        return tuple(Reference(written, "glob", found) for found in paths.glob(path))
    if number := _NUMBER.fullmatch(pin):
        return (Reference(written, "number", name=str(int(number[1]))),)
    return _symbol(written, pin.strip("`@"), paths)


def _single_file(written: str, path: str, paths: KnownPaths) -> str:
    """Return the only file that a path means: the exact match, else the only path that ends in it."""
    found = paths.find(path)
    exact = [one for one in found if one == path.removeprefix("./")]
    if len(found) > 1 and not exact:
        raise PointerError(written, f"several files are called that: {', '.join(found[:5])}")
    return (exact or found)[0]


def _of_path(written: str, match: re.Match[str], paths: KnownPaths) -> Reference:
    path = _single_file(written, match["path"], paths)
    if symbol := match["symbol"]:
        return Reference(written, "symbol", path, name=normalize_name(symbol))
    return Reference(written, "path", path, lines_in(match))


def _symbol(written: str, name: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Resolve a name that can only be a symbol: `login()`, `Session.close`, `read_all`, `Cart`."""
    if IDENTIFIER.fullmatch(name) is None:
        return ()
    plain = normalize_name(name.removesuffix("()"))
    names = plain.split(".")
    path, count = paths.find_module(names) if len(names) > 1 else ("", 0)
    if path and count == len(names):
        return (Reference(written, "path", path),)
    if not path and not _is_symbol(name, plain, paths):
        return ()
    return (Reference(written, "symbol", path, name=".".join(names[count:])),)


def _is_symbol(name: str, plain: str, paths: KnownPaths) -> bool:
    if name.endswith("()") or "::" in name or "#" in name:
        return True
    names = plain.split(".")
    if len(names) > 1:
        return any(_CLASS.fullmatch(one) for one in names[:-1])
    near = paths.nearest(plain).rpartition("/")[2].partition(".")[0]
    if paths.is_folder(plain) or (near and near.lower() != plain.lower()):
        return False
    return bool(_CLASS.fullmatch(plain) or CODE_LIKE.search(plain))


def _resolve_several(written: str, pin: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Resolve a list of pins, or the files named in a text such as a traceback."""
    if find_frames(pin) or pin.startswith(("http://", "https://")):
        return tuple(ref for ref in find_references(pin, paths) if ref.path and ref.kind == "path")
    pieces = [piece for piece in _SEPARATOR.split(pin) if piece]
    if len(pieces) < 2:
        return _resolve_foreign(written, pin, paths)
    found = [_resolve_one(piece, piece, paths) for piece in pieces]
    missing = next((piece for piece, own in zip(pieces, found, strict=True) if not own), None)
    if missing is not None and any(found):
        raise PointerError(missing, "no such file in the workspace")
    return () if missing is not None else tuple(dict.fromkeys(chain.from_iterable(found)))


def _resolve_foreign(written: str, pin: str, paths: KnownPaths) -> tuple[Reference, ...]:
    """Resolve an absolute path from another machine by its longest suffix of two or more components."""
    match = _PIN.fullmatch(pin)
    if match is None or not re.match(r"[/\\]|[A-Za-z]:[/\\]", match["path"]):
        return ()
    found = paths.find_loosely(match["path"])
    components = re.split(r"[/\\]", match["path"])
    shared = [path for path in found if path.split("/")[-2:] == components[-2:] and "/" in path]
    return (Reference(written, "path", shared[0], lines_in(match)),) if len(shared) == 1 else ()
