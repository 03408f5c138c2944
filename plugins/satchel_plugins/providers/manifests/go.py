"""Go: go.mod and go.sum."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Reader, Requirement, Sort, same

_REQUIRE = lazily(
    r"\s*(?:require\s+)?([\w.~-]{1,100}(?:/[\w.~!+-]{1,100}){0,20})\s+(v\S{1,100})\s*(//\s*indirect)?"
)
_REPLACE = lazily(r"\s*(?:replace\s+)?(\S{1,300})(?:\s+v\S{1,100})?\s+=>\s+(\S{1,300}(?:\s+v\S{1,100})?)")
_BLOCK = lazily(r"\s*(require|replace|exclude|retract|tool)\s*\(")
_IMPORTS = lazily(r"^import\s{0,9}\(([^)]{0,20000})\)", re.MULTILINE)
_IMPORT = lazily(r"^import\s{1,9}(?:[\w.]{1,100}\s{1,9})?\"([^\"\n]{1,300})\"", re.MULTILINE)
_STRING = lazily(r"\"([^\"\n]{1,300})\"")
_MAJOR = lazily(r"/v\d+$|\.v\d+$")


def _go_mod(text: str) -> Iterator[Requirement]:
    block = ""
    for number, full in enumerate(text.split("\n"), 1):
        line = full[:1_000]
        if opened := _BLOCK.match(line):
            block = opened[1]
        elif line.strip() == ")":
            block = ""
        elif (block == "replace" or line.startswith("replace")) and (replaced := _REPLACE.match(line)):
            yield Requirement(replaced[1], f"replaced by {replaced[2]}", number, sort=Sort.MANAGED)
        elif (block == "require" or line.startswith("require")) and (required := _REQUIRE.match(line)):
            sort = Sort.INDIRECT if required[3] else Sort.DECLARED
            yield Requirement(required[1], required[2], number, sort=sort, alias=_short(required[1]))


def _short(module: str) -> str:
    """Return the name by which code knows a module: the last part without its major version."""
    return _MAJOR.sub("", module).rpartition("/")[2]


def _reader(path: str) -> Reader | None:
    return _go_mod if path.rpartition("/")[2] == "go.mod" else None


def imports(text: str) -> Iterator[str]:
    """Yield the import paths that begin with a host."""
    blocks = [path for block in _IMPORTS.findall(text) for path in _STRING.findall(block)]
    yield from (path for path in (*blocks, *_IMPORT.findall(text)) if "." in path.partition("/")[0])


def candidates(imported: str) -> tuple[str, ...]:
    """Return the modules that may hold a package: its path and all that lie above it."""
    parts = imported.split("/")
    return tuple("/".join(parts[:count]) for count in range(len(parts), 0, -1))


_SUM = lazily(r"^(?P<name>[^\s]{1,300}) (?P<version>v[^\s/]{1,100}) h1:", re.MULTILINE)
GO = Ecosystem(
    name="go",
    suffixes=frozenset({"go"}),
    reader=_reader,
    locks={"go.sum": (_SUM,)},
    imports=imports,
    candidates=candidates,
    normal=same,
)
