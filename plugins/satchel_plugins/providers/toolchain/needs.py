"""The tools that a project needs by its files, and the versions that these ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import WorkspaceError, lazily
from satchel_plugins.providers.packages import is_aside

if TYPE_CHECKING:
    from satchel.plugin_api import Workspace


_VERSION = lazily(r"\d{1,9}(?:\.\d{1,9}){0,5}")
_CLAUSE = lazily(r"(>=|<=|==|!=|~=|~>|\^|~|>|<|=)?\s*v?(\d[\w.*+-]{0,40})")
_LONGEST = 200

Numbers = tuple[int, ...]


def numbers(version: str) -> Numbers:
    """Return the leading numbers of a version: (20, 11, 1) of `v20.11.1-pre`."""
    found = _VERSION.search(version[:_LONGEST])
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def satisfies(version: str, wanted: str, *, is_floor: bool = False) -> bool | None:
    """Return whether a version satisfies the wanted one, None if that is not understood.

    Args:
        version: the installed version.
        wanted: `>=3.11,<4`, `^18 || ^20`, `20.x`, `1.22`.
        is_floor: whether a bare version means that or newer (Go, Rust, Java), not exactly that.
    """
    there = numbers(version)
    answers = [_all(there, part, is_floor) for part in wanted[:_LONGEST].split("||")]
    if not there or None in answers:
        return None
    return True in answers


def _all(there: Numbers, wanted: str, is_floor: bool) -> bool | None:  # noqa: FBT001 - private, passed on
    clauses = [(found[1] or "", found[2]) for found in _CLAUSE.finditer(wanted)]
    if not clauses or _CLAUSE.sub("", wanted).strip(" ,*"):
        return None
    return all(_one(there, sign or (">=" if is_floor else ""), text) for sign, text in clauses)


def _one(there: Numbers, sign: str, text: str) -> bool:
    asked = numbers(text)
    width = max(len(there), len(asked))
    left, right = _pad(there, width), _pad(asked, width)
    if sign in ("", "=", "=="):
        return there[: len(asked)] == asked
    if sign == "!=":
        return there[: len(asked)] != asked
    if sign in (">=", ">", "<=", "<"):
        return {">=": left >= right, ">": left > right, "<=": left <= right, "<": left < right}[sign]
    return left >= right and there[: _count_kept(sign, asked)] == asked[: _count_kept(sign, asked)]


def _count_kept(sign: str, asked: Numbers) -> int:
    """Return how many leading numbers stay: one for `^1.2`, two for `~1.2`, all but the last for `~> 1.2`."""
    if sign == "^":
        return next((at + 1 for at, number in enumerate(asked) if number), len(asked))
    return max(1, len(asked) - 1) if sign in ("~=", "~>") else min(2, len(asked))


def _pad(version: Numbers, width: int) -> Numbers:
    return version + (0,) * (width - len(version))


_LARGEST = 256 * 1024
_MOST_FILES = 30
_MOST_OF_A_NAME = 3
"""Most files of one name: in a workspace of several packages, each often has the version, not the root."""


class Ask(NamedTuple):
    """A version that a file asks for."""

    tool: str
    wanted: str
    path: str
    line: int
    is_floor: bool


class _Sign(NamedTuple):
    """The meaning of a file's name: the tools that the file needs, and patterns for their versions."""

    tools: tuple[str, ...]
    asks: tuple[tuple[str, str, bool], ...] = ()
    """Tool, pattern with one group, and whether a bare version means that or newer."""


_QUOTED = r"\s{0,9}[\"']([^\"'\n]{1,60})[\"']"


def _read_signs() -> dict[str, _Sign]:
    """Return the rows of `signs.txt` by the names of files."""
    found: dict[str, _Sign] = {}
    name = ""
    for row in Path(__file__).with_name("signs.txt").read_text("utf-8").splitlines():
        if row.startswith("    "):
            tool, _, expression = row.strip().partition(" ")
            ask = (tool.rstrip("+"), expression.replace("<quoted>", _QUOTED), tool.endswith("+"))
            found[name] = found[name]._replace(asks=(*found[name].asks, ask))
        elif not row.startswith("#"):
            name, _, tools = row.partition(":")
            found[name] = _Sign(tuple(tools.split()))
    return found


_SIGNS = _read_signs()
TOOLS = frozenset(tool for sign in _SIGNS.values() for tool in sign.tools)
"""Tools that may be run; any other name is looked for and not run."""
_NAMED_FREELY = frozenset({"csproj", "gemspec"})
_SIGNS_OF_KOTLIN = {"build.gradle.kts": "build.gradle"}
_ASDF = lazily(r"^(\w{2,20})[ \t]{1,9}(\d[\w.]{0,20})", re.MULTILINE)
_ASDF_NAMES = {"nodejs": "node", "golang": "go", "rust": "rustc", "maven": "mvn", "dotnet-core": "dotnet"}


def needs(workspace: Workspace) -> tuple[dict[str, str], list[Ask]]:
    """Return the tools that the project needs, each with its file, and the versions asked for."""
    tools: dict[str, str] = {}
    asks: list[Ask] = []
    answered: set[str] = set()
    for path in workspace.files.of_paths(_telling):
        name = _key(path)
        for tool in _SIGNS[name].tools:
            tools.setdefault(tool, path)
        if name not in answered and (found := list(_asks(workspace, path, name))):
            answered.add(name)
            asks += found
    for ask in asks:
        tools.setdefault(ask.tool, ask.path)
    if workspace.git is not None:
        tools["git"] = ".git"
    return tools, asks


def _key(path: str) -> str:
    name = path.rpartition("/")[2]
    name = _SIGNS_OF_KOTLIN.get(name, name)
    stem, _, suffix = name.rpartition(".")
    return f"*.{suffix}" if stem and suffix in _NAMED_FREELY else name


def _telling(paths: Iterable[str]) -> Sequence[str]:
    """Return the shallowest files of each telling name, without tests and examples."""
    by_name: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        name = _key(path)
        if name in _SIGNS and not is_aside(path):
            by_name.setdefault(name, []).append((path.count("/"), path))
    shallow = sorted(each for found in by_name.values() for each in sorted(found)[:_MOST_OF_A_NAME])
    return [path for _, path in shallow][:_MOST_FILES]


def _asks(workspace: Workspace, path: str, name: str) -> Iterator[Ask]:
    document = workspace.files.document(path)
    if document is None or document.size > _LARGEST or not (_SIGNS[name].asks or name == ".tool-versions"):
        return
    try:
        text = workspace.texts.read(path)
    except (OSError, WorkspaceError):  # an unreadable file asks for nothing; the listing reports it
        return
    if name == ".tool-versions":
        for found in _ASDF.finditer(text):
            yield _ask(_ASDF_NAMES.get(found[1], found[1]), text, found, path=path, group=2)
    for tool, pattern, is_floor in _SIGNS[name].asks:
        match = re.search(pattern, text, re.MULTILINE)
        if match is not None:
            yield _ask(tool, text, match, path=path, group=1)._replace(is_floor=is_floor)


def _ask(tool: str, text: str, match: re.Match[str], *, path: str, group: int) -> Ask:
    line = text.count("\n", 0, match.start(group)) + 1
    return Ask(tool, " ".join(match[group].split()), path, line, is_floor=False)
