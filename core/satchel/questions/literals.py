"""Find the names that a text writes as code, and hide its paths of files."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.aims import FilePlace, place_of
from satchel.questions.words import LONG_FORMS
from satchel.workspace.files.kinds import language_of

_FILE = lazily(r"(?<![\w/.@-])(?:[A-Za-z]:)?[\w./\\@+~-]{0,200}[\w+-]\.\w{1,12}(?![\w/])")
"""A possible path of a file, to be judged by its ending."""
_PRODUCTS = frozenset({"node.js"})
"""Names with a full stop whose words count for the aims of a question."""
_LITERAL = lazily(
    r"`([^`\n]{2,60})`|(?<![\w-])(--?[A-Za-z][\w-]*)|(?<![\w./@-])([A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+)(?![\w/-])"
    r"|(?<!\w)(\w+(?:_\w+)+|[a-z]\w*[a-z][A-Z]\w*|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]{2,}(?:[-/]\d{1,4})?)(?!\w)"
    r"|(?<!\w)(\w{2,})(?=!?\((?!s\)|e?s\)))|(?<![\w/])@([A-Za-z]\w+)"
)
"""A name in a question written as in code: backticks, options, identifiers, capitals, and calls."""
_DOTTED = lazily(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+")
_NO_NAMES = frozenset({"com", "org", "net", "io", "dev", "app", "js", "api"})
"""Last parts of names with a full stop that are of hosts and products, and not of code."""
_KINDS_OF_NAMES = (
    "class|struct|type|interface|trait|enum|protocol|module|object|record|macro|namespace|component"
)
_NAMED = lazily(
    rf"(?<=[\w,] )([A-Z][\w.]*\w) (?:{_KINDS_OF_NAMES})\b|\b(?:{_KINDS_OF_NAMES}) ([A-Z][\w.]*\w)"
    r"|\b(?i:api|methods?|members?|fields?|properties|functions|interface|signature|parameters?|params"
    r"|arguments?|args|constructor)"
    r" (?:of|for|on) (?:the )?([A-Z][\w.]*\w)"
    r"|\b(?i:methods|members|fields|properties|functions|attributes) (?:does|do|has)"
    r" (?:the |an? )?([A-Z][\w.]*\w)"
)
"""A word that is a name by the words beside it: "the Queue class", "methods of Queue"."""

_ADDRESS = lazily(r"https?://[^\s)>\]]+")


def hide_paths(text: str) -> str:
    """Return a text without addresses and paths of files: `go` in `reader.go` says nothing about Go.

    Pages on contributing or changes, like `CHANGELOG.md`, stay: the question is about them.
    """
    without = _ADDRESS.sub("x", text) if "://" in text else text
    return _FILE.sub(lambda found: "x" if _is_hidden(found[0]) else found[0], without)


def _is_hidden(written: str) -> bool:
    """Return whether a possible path is of a file that is not itself the subject of the question."""
    path = written.replace("\\", "/")
    if not language_of(path) or path.lower() in _PRODUCTS:
        return False
    return "/" in path or place_of(path) not in (FilePlace.CONTRIBUTING, FilePlace.CHANGES)


def find_literals(text: str) -> tuple[str, ...]:
    """Return the names that a text writes as code: `--budget`, `sendFile`, `SET`."""
    found = [match[match.lastindex or 0] for match in _LITERAL.finditer(text)]
    found = [one for one in found if "." not in one or not _is_file_or_host(one)]
    found += [one.rpartition(".")[2] for one in found if _DOTTED.fullmatch(one)]
    found += [match[match.lastindex or 0] for match in _NAMED.finditer(text)]
    return tuple(dict.fromkeys(one for one in found if one.lower() not in {*LONG_FORMS, "api"}))


def _is_file_or_host(name: str) -> bool:
    """Return whether a name with a full stop is of a file or a host, and not of code."""
    return language_of(name) != "" or name.rpartition(".")[2].lower() in _NO_NAMES
