"""Link what asks for a path over HTTP with what serves it: strings in code, and the paths of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from satchel.errors import WorkspaceError
from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of
from satchel.workspace.index.documents import NAME
from satchel.workspace.index.terms import WORD, split_words

if TYPE_CHECKING:
    from satchel.workspace import Workspace

_METHODS = r"(?:get|post|put|patch|delete|head|options)"
_FILLED = lazily(r"[$#]\{[^{}\n]*\}")
"""What a string is filled with: `${host}/api/send`."""
_ASKED = lazily(r"[\"'`](?:https?://[^\s/\"'`]+|:_)?(/[A-Za-z:{][^\s\"'`?#,;()]*)[\"'`?#]")
_QUOTED = lazily(r"[\"'`](?:[A-Z]{3,7} )?(/[\w:<{\[*][^\s\"'`]*)[\"'`]")
_REGISTERING = lazily(
    rf"(?i)(?:@(?:\w+\.)?(?:{_METHODS}|route|api_route|websocket|request)(?:mapping)?"
    rf"|^[ \t]*{_METHODS}(?=[ \t]+$)"
    rf"|\b(?:\w*(?:app|router|routes?|server|mux|group|blueprint|engine|fastify|_bp)|[reg]|bp)"
    rf"(?:\.|::|->)(?:map)?(?:{_METHODS}|all|use|route|any|handle(?:func)?)"
    rf"|\.(?:route|handle(?:func)?)(?=\())"
    rf"[ \t]*\(?\s*(?:(?:value|path)\s*=\s*)?$"
)
"""What stands before a path that something serves: a decorator, an annotation, a call on a router, a verb."""
_BEFORE = 80
"""Letters in which that stands."""
_LISTED = lazily(r"path\(\s*[\"']\^?(?P<path>[\w<][^\s\"'$]*)")
"""The same in a list of paths that begin without a slash."""
_OF_FILE = lazily(
    r"(?:^|/)(?:(?:app/(?P<app>.+)/route|routes/(?P<kit>.+)/\+server|pages/(?P<pages>api/.+)"
    r"|server/(?P<nuxt>api/.+?)(?:\.(?:get|post|put|patch|delete))?))\.[cm]?[jt]sx?$"
)
"""Files that serve what their path says."""
_IN_ROUTES = ("/route.", "/+server.", "api/")
_PREFIX = lazily(r"(?i)api|v\d+")
_PLACEHOLDER = lazily(r"[:{}<>*\[\]$]")
_HANDLERS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "default", "handler"})
_CALL = lazily(r"\b([A-Za-z_]\w{3,})[ \t]*\(")
_MOST_ASKED, _MOST_READ, _MOST_SERVING, _MOST_FILES = 60, 12, 3, 24
"""Paths that are looked for; files that are read for one; files that serve one; all files that are found."""

T = TypeVar("T")
Segments = tuple[str, ...]
"""Names between the slashes of a path, "*" for one that a request fills in."""


class Served(NamedTuple):
    """A path that something serves."""

    segments: Segments
    line: int = 0
    """The line that says so, from 1; 0 where the path of the file does."""


def find_asked(text: str) -> list[Segments]:
    """Return the paths in the strings of a text that may be asked for over HTTP, each once."""
    if "/" not in text:
        return []
    found = map(_split, _ASKED.findall(_FILLED.sub(":_", text)))
    return list(dict.fromkeys(one for one in found if any(name != "*" for name in one)))


def find_served(path: str, text: str) -> Iterator[Served]:
    """Yield the paths that a file serves, by its own path or else by what its text registers."""
    if own := read_route(path):
        yield Served(own)
        return
    matches = [
        found
        for found in _QUOTED.finditer(text)
        if _REGISTERING.search(
            text[max(text.rfind("\n", 0, found.start()) + 1, found.start() - _BEFORE) : found.start()]
        )
    ]
    for found in (*matches, *_LISTED.finditer(text)):
        if segments := _split(found[1]):
            yield Served(segments, text.count("\n", 0, found.start(1)) + 1)


@lru_cache(maxsize=65_536)
def read_route(path: str) -> Segments:
    """Return the path that a file serves by where it lies; () for any other file."""
    found = _OF_FILE.search(path) if any(name in path for name in _IN_ROUTES) else None
    if found is None:
        return ()
    names = next(filter(None, found.groups())).removesuffix("/index").split("/")
    return _split("/".join(name for name in names if name[:1] not in "(@"))


def is_handler(name: str) -> bool:
    """Tell whether a function of a file that serves its path answers requests."""
    return name.rpartition(".")[2] in _HANDLERS


def rate_match(asked: Segments, served: Segments) -> int:
    """Return by how many names a served path is the one that is asked for; 0 if it is another.

    Where a router is mounted, and of which path a client begins, is said elsewhere: one may be the end of the
    other, by two names or more.
    """
    pairs = list(zip(reversed(asked), reversed(served), strict=False))
    if any("*" not in pair and pair[0] != pair[1] for pair in pairs):
        return 0
    named = sum("*" not in pair for pair in pairs)
    return named if len(asked) == len(served) or named > 1 else 0


def find_best(asked: Segments, served: Iterable[tuple[Segments, T]], most: int) -> Sequence[T]:
    """Return what serves a path best; nothing where more than `most` do alike."""
    last = asked[-1]
    rated = [
        ((rate_match(asked, one), len(one) == len(asked)), what)
        for one, what in served
        if one[-1] == last or one[-1] == "*" or last == "*"
    ]
    best = max((rate for rate, _ in rated), default=(0, False))
    found = list(dict.fromkeys(what for rate, what in rated if rate == best and rate[0]))
    return found if len(found) <= most else ()


def _split(path: str) -> Segments:
    """Return the names of a path, without `api` and a version at its beginning: clients often add these."""
    names = [name for name in path.strip("/").split("/") if name]
    while len(names) > 1 and _PREFIX.fullmatch(names[0]):
        del names[0]
    return tuple("*" if _PLACEHOLDER.search(name) else name.lower() for name in names)


def find_serving_files(texts: Iterable[str], workspace: Workspace) -> list[str]:
    """Return the files that serve the paths for which texts ask, and those that define what these call."""
    documents = workspace.index.documents
    routes = [(segments, path) for path in documents if (segments := read_route(path))]
    asked = list(dict.fromkeys(one for text in texts for one in find_asked(text)))[:_MOST_ASKED]
    serving: dict[str, None] = {}
    rest: list[Segments] = []
    for one in asked:
        found = find_best(one, routes, _MOST_SERVING)
        serving.update(dict.fromkeys(found))
        rest += [] if found else [one]
    held = workspace.index.postings_of({term_of(name) for one in rest for name in one if name != "*"})
    by_id = workspace.index.numbered.by_id
    known: dict[str, list[tuple[Segments, str]]] = {}
    for one in rest:
        ids = set.intersection(*(set(held[term_of(name)]) for name in one if name != "*"))
        paths = sorted(by_id[id_].path for id_ in ids if id_ in by_id)
        paths = [path for path in paths if place_of(path) is FilePlace.CODE]
        for path in paths if len(paths) <= _MOST_READ else ():
            if path not in known:
                known[path] = [
                    (served.segments, path) for served in find_served(path, _read(path, workspace))
                ]
            serving.update(dict.fromkeys(find_best(one, known[path], 1)))
    return [*serving, *_find_defining(list(serving), workspace)][:_MOST_FILES]


def _find_defining(paths: Sequence[str], workspace: Workspace) -> list[str]:
    """Return the files that define what some files call, where few define it."""
    names = dict.fromkeys(name.lower() for path in paths for name in _CALL.findall(_read(path, workspace)))
    by_id = workspace.index.numbered.by_id
    held = workspace.index.postings_of(names, NAME)
    found = [sorted(by_id[id_].path for id_ in held[name] if id_ in by_id) for name in names]
    return [path for few in found if len(few) <= _MOST_SERVING for path in few if path not in paths]


def _read(path: str, workspace: Workspace) -> str:
    try:
        return workspace.texts.read_ahead(path)
    except WorkspaceError:
        return ""


def term_of(name: str) -> str:
    """Return the term by which the index knows a name."""
    return split_words(WORD.findall(name) or [name])[0][-1]
