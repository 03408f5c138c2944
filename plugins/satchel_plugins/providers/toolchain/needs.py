"""Which tools a project needs, told by its files, and the versions that they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Return whether a version is one that is asked for, None where the question is not understood.

    Args:
        version: what is there.
        wanted: `>=3.11,<4`, `^18 || ^20`, `20.x`, `1.22`.
        is_floor: whether a bare version means that or newer (Go, Rust, Java), not that one.
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
"""In a workspace of several packages the version often stands in each of them, and not at the root."""


class Ask(NamedTuple):
    """A version that a file asks for."""

    tool: str
    wanted: str
    path: str
    line: int
    is_floor: bool


class _Sign(NamedTuple):
    """What a file of a name tells: the tools that it needs, and where the versions stand."""

    tools: tuple[str, ...]
    asks: tuple[tuple[str, str, bool], ...] = ()
    """Tool, pattern with one group, and whether a bare version means that or newer."""


_Q = r"\s{0,9}[\"']([^\"'\n]{1,60})[\"']"
_SIGNS: Mapping[str, _Sign] = {
    "pyproject.toml": _Sign(
        (),
        (("python", rf"^requires-python\s{{0,9}}={_Q}", False), ("python", rf"^python\s{{0,9}}={_Q}", False)),
    ),
    "setup.cfg": _Sign((), (("python", r"^python_requires\s{0,9}=\s{0,9}([^\n#]{1,60})", False),)),
    "setup.py": _Sign((), (("python", rf"\bpython_requires\s{{0,9}}={_Q}", False),)),
    "Pipfile": _Sign((), (("python", rf"^python_(?:full_)?version\s{{0,9}}={_Q}", False),)),
    "uv.lock": _Sign(("uv",)),
    "poetry.lock": _Sign(("poetry",)),
    ".python-version": _Sign((), (("python", r"\A\s{0,9}(\d[\w.]{0,20})", False),)),
    "package.json": _Sign(
        ("node", "npm"),
        (
            ("node", rf"\"engines\"\s{{0,9}}:\s{{0,9}}\{{[^{{}}]{{0,500}}?\"node\"\s{{0,9}}:{_Q}", False),
            ("npm", rf"\"engines\"\s{{0,9}}:\s{{0,9}}\{{[^{{}}]{{0,500}}?\"npm\"\s{{0,9}}:{_Q}", False),
            ("yarn", r"\"packageManager\"\s{0,9}:\s{0,9}\"yarn@([\w.]{1,30})", False),
            ("pnpm", r"\"packageManager\"\s{0,9}:\s{0,9}\"pnpm@([\w.]{1,30})", False),
        ),
    ),
    "yarn.lock": _Sign(("yarn",)),
    "pnpm-lock.yaml": _Sign(("pnpm",)),
    "bun.lockb": _Sign(("bun",)),
    "bun.lock": _Sign(("bun",)),
    ".nvmrc": _Sign(("node",), (("node", r"\A\s{0,9}v?(\d[\w.]{0,20})", False),)),
    ".node-version": _Sign(("node",), (("node", r"\A\s{0,9}v?(\d[\w.]{0,20})", False),)),
    "deno.json": _Sign(("deno",)),
    "go.mod": _Sign(
        ("go",),
        (("go", r"^go\s{1,9}(\d[\w.]{0,20})", True), ("go", r"^toolchain\s{1,9}go(\d[\w.]{0,20})", True)),
    ),
    "Cargo.toml": _Sign(("cargo", "rustc"), (("rustc", rf"^rust-version\s{{0,9}}={_Q}", True),)),
    "rust-toolchain.toml": _Sign(("rustc",), (("rustc", rf"^channel\s{{0,9}}={_Q}", False),)),
    "rust-toolchain": _Sign(("rustc",), (("rustc", r"\A\s{0,9}(\d[\w.]{0,20})", False),)),
    "pom.xml": _Sign(
        ("java", "mvn"),
        (
            (
                "java",
                r"<(?:java\.version|maven\.compiler\.(?:release|source)|release)>\s{0,9}([\d.]{1,20})",
                True,
            ),
        ),
    ),
    "build.gradle": _Sign(
        ("java", "gradle"),
        (
            ("java", r"JavaLanguageVersion\.of\((\d{1,3})\)", True),
            (
                "java",
                r"\bsourceCompatibility\s{0,9}=?\s{0,9}[\"']?(?:JavaVersion\.VERSION_)?([\d.]{1,20})",
                True,
            ),
        ),
    ),
    "Gemfile": _Sign(("ruby", "bundle"), (("ruby", rf"^\s{{0,9}}ruby[\s(]{_Q}", False),)),
    ".ruby-version": _Sign(("ruby",), (("ruby", r"\A\s{0,9}(?:ruby-)?(\d[\w.]{0,20})", False),)),
    "composer.json": _Sign(("php", "composer"), (("php", rf"\"php\"\s{{0,9}}:{_Q}", False),)),
    "global.json": _Sign(("dotnet",), (("dotnet", rf"\"version\"\s{{0,9}}:{_Q}", True),)),
    "*.csproj": _Sign(("dotnet",), (("dotnet", r"<TargetFrameworks?>\s{0,9}net(\d{1,3}\.\d{1,3})", True),)),
    "CMakeLists.txt": _Sign(
        ("cmake",),
        (("cmake", r"(?i:cmake_minimum_required)\s{0,9}\(\s{0,9}VERSION\s{1,9}([\d.]{1,20})", True),),
    ),
    "Makefile": _Sign(("make",)),
    "GNUmakefile": _Sign(("make",)),
    "makefile": _Sign(("make",)),
    "Dockerfile": _Sign(("docker",)),
    "compose.yaml": _Sign(("docker",)),
    "docker-compose.yml": _Sign(("docker",)),
    "justfile": _Sign(("just",)),
    ".tool-versions": _Sign(()),
    ".git": _Sign(("git",)),
}
TOOLS = frozenset(tool for sign in _SIGNS.values() for tool in sign.tools)
"""Tools that may be run; any other name is looked for and not run."""
_SIGNS_OF_KOTLIN = {"build.gradle.kts": "build.gradle"}
_ASDF = lazily(r"^(\w{2,20})[ \t]{1,9}(\d[\w.]{0,20})", re.MULTILINE)
_ASDF_NAMES = {"nodejs": "node", "golang": "go", "rust": "rustc", "maven": "mvn", "dotnet-core": "dotnet"}


def needs(workspace: Workspace) -> tuple[dict[str, str], list[Ask]]:
    """Return the tools that the project needs, each with the file that tells, and the versions asked for."""
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
    return "*.csproj" if name.endswith(".csproj") else name


def _telling(paths: Iterable[str]) -> Sequence[str]:
    """Return the shallowest files of each telling name, those of tests and examples left out."""
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
    except (OSError, WorkspaceError):  # what can't be read asks for nothing; the listing has said so
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
