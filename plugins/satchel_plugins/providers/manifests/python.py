"""Python: pyproject.toml, requirements files, setup.cfg, setup.py, Pipfile, conda, and their lock files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import (
    Ecosystem,
    Lines,
    Reader,
    Requirement,
    Sort,
    Value,
    known_homes,
    values,
)

DISTRIBUTIONS = known_homes("python")
"""Of each module the distributions that may hold it, the likeliest first."""


_REQUIREMENT = lazily(
    r"\s*([A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?)\s*(\[[^\]\n]{0,200}\])?\s*([^;#\n]{0,400})(;[^#\n]{0,300})?"
)
_OPTION = lazily(r"\s*(-r|-c|--requirement|--constraint|-e|--editable)[\s=]+(\S{1,300})")
_EGG = lazily(r"#egg=([\w.-]{1,100})")
_RUNS = lazily(r"[-_.]+")
_IMPORT = lazily(
    r"^[ \t]{0,40}(?:from[ \t]{1,9}(\w[\w.]{0,199})[ \t]{1,9}import\b|import[ \t]{1,9}([^\n#;(]{1,300}))",
    re.MULTILINE,
)
_KEY = lazily(r"^([\w.-]{1,60})\s{0,9}=[ \t]*(.*)$")
_STRING = lazily(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|[\[\]{}]|#.*")
_LITERAL = lazily(
    r"\b(install_requires|tests_require|setup_requires|extras_require)\s{0,9}=\s{0,9}([\[{]|\w{1,60})"
)
_ITEM = lazily(r"^(\s*)-\s+[\"']?([^\"'\n#]{1,200})")
_REQUIREMENTS_NAME = lazily(
    r"(^|[-_.])(requirements?|constraints?|deps|dependencies)([-_.]|$)", re.IGNORECASE
)
_POETRY = ("tool", "poetry")
_GROUPED = frozenset({"project.optional-dependencies", "dependency-groups", "tool.pdm.dev-dependencies"})
_LISTS: Mapping[tuple[str, str], str] = {
    ("project", "dependencies"): "",
    ("build-system", "requires"): "build",
    ("tool.uv", "dev-dependencies"): "dev",
}
_PIPENV_TABLES: Mapping[str, str] = {"packages": "", "dev-packages": "dev"}


def normal(name: str) -> str:
    """Return a distribution's name as PEP 503 compares it."""
    return _RUNS.sub("-", name).lower()


def requirement(text: str, line: int, group: str = "") -> Requirement | None:
    """Read one requirement of PEP 508; None where it names nothing."""
    match = _REQUIREMENT.match(text)
    if match is None:
        return None
    name, extras, wanted, marker = match.groups(default="")
    wanted = wanted.split(" --hash")[0].split(" #")[0].strip().strip("()").rstrip("\\ ")
    if wanted and wanted[0] not in "<>=!~@" and " " not in match[0][: match.end(3)].strip():
        return None
    whole = f"{extras}{wanted}" + (f" for {marker[1:].strip()}" if marker.strip(" ;") else "")
    return Requirement(name, whole, line, group)


def _pyproject(text: str) -> Iterator[Requirement]:
    for value in values(text):
        entry = _standard(value) or _read_keyed(value) if value.key else None
        if entry is not None:
            yield entry


def _standard(value: Value) -> Requirement | None:
    """Read a requirement in one of the lists that hold such strings."""
    table = ".".join(value.table)
    if table in _GROUPED and not value.fields:
        return requirement(value.text, value.line, value.key[0])
    group = _LISTS.get((table, value.key[0]))
    return None if group is None else requirement(value.text, value.line, group)


def _read_keyed(value: Value) -> Requirement | None:
    """Read `name = "constraint"` and `name = {version = "constraint"}` of poetry and Pipenv."""
    if value.table[:2] == _POETRY:
        group, rest = _poetry_group(value.table[2:])
    else:
        group, rest = _PIPENV_TABLES.get(".".join(value.table[:1])), value.table[1:]
    if group is None:
        return None
    path = (*rest, *value.key)
    if not path or path[0] == "python" or path[1:] not in {(), ("version",), ("git",), ("path",), ("url",)}:
        return None
    told = value.fields
    wanted = told.get("version") or told.get("git") or told.get("path") or told.get("url") or ""
    return Requirement(path[0], wanted if told else value.text.removeprefix("*"), value.line, group)


def _poetry_group(table: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    if table[:1] == ("dependencies",):
        return "", table[1:]
    if table[:1] == ("dev-dependencies",):
        return "dev", table[1:]
    if table[:1] == ("group",) and table[2:3] == ("dependencies",):
        return table[1], table[3:]
    return None, ()


def _requirements(text: str) -> Iterator[Requirement]:
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        skip, continued = continued, line.rstrip().endswith("\\")
        option = _OPTION.match(line)
        if option:
            yield from _read_include(option[1], option[2], number)
        elif not skip and line.strip() and not line.lstrip().startswith(("#", "-")):
            entry = (
                requirement(line, number) if "://" not in line.partition("@")[0] else _from_url(line, number)
            )
            if entry is not None:
                yield entry


def _read_include(option: str, target: str, line: int) -> Iterator[Requirement]:
    if option in ("-r", "--requirement"):
        yield Requirement(target, "", line, sort=Sort.INCLUDE)
    elif option in ("-c", "--constraint"):
        yield Requirement(target, "", line, sort=Sort.INCLUDE_MANAGED)
    elif (entry := _from_url(target, line)) is not None:
        yield entry


def _from_url(text: str, line: int) -> Requirement | None:
    egg = _EGG.search(text[:2_000])
    return Requirement(egg[1], f"@ {text.strip().partition('#')[0]}", line) if egg else None


def _constraints(text: str) -> Iterator[Requirement]:
    for entry in _requirements(text):
        yield entry._replace(sort=Sort.MANAGED) if entry.sort is Sort.DECLARED else entry


def _setup_cfg(text: str) -> Iterator[Requirement]:
    section = key = ""
    for number, line in enumerate(text.split("\n"), 1):
        rest = line
        if line.startswith("["):
            section, key = line.strip().strip("[]"), ""
            continue
        if setting := _KEY.match(line[:1_000]):
            key, rest = setting[1], setting[2]
        group = _cfg_group(section, key)
        if group is None or not rest.strip() or rest.lstrip().startswith(("#", ";")):
            continue
        entry = requirement(rest, number, group)
        if entry is not None:
            yield entry


def _cfg_group(section: str, key: str) -> str | None:
    if section == "options":
        return {"install_requires": "", "tests_require": "test", "setup_requires": "build"}.get(key)
    return (key or None) if section == "options.extras_require" else None


def _setup_py(text: str) -> Iterator[Requirement]:
    """Read the literal lists that setup() is given; nothing is executed."""
    for match in _LITERAL.finditer(text):
        start, kind = match.start(2), match[1]
        if match[2][0] not in "[{":
            named = re.search(rf"^{re.escape(match[2])}\s{{0,9}}=\s{{0,9}}[\[{{]", text, re.MULTILINE)
            if named is None:
                continue
            start = named.end() - 1
        group = {"tests_require": "test", "setup_requires": "build", "extras_require": "extra"}.get(kind, "")
        yield from _strings(text, start, group)


def _strings(text: str, start: int, group: str) -> Iterator[Requirement]:
    """Yield the requirements in a literal list, or in the lists of a literal dict, up to its end."""
    depth, lines, extra = 0, Lines(text), group
    for piece in _STRING.finditer(text, start):
        if piece[0] in "[]{}":
            depth += 1 if piece[0] in "[{" else -1
            if depth <= 0:
                return
        elif written := piece[1] or piece[2]:
            line = lines.of(piece.start())
            if group == "extra" and depth == 1:
                extra = written
            elif (entry := requirement(written, line, extra)) is not None:
                yield entry


def _conda(text: str) -> Iterator[Requirement]:
    inside, outer = False, 0
    for number, line in enumerate(text.split("\n"), 1):
        item = _ITEM.match(line[:400])
        if line[:1].strip() and line[0] not in "-#":
            inside = line.startswith("dependencies:")
        elif inside and item and not item[2].rstrip().endswith(":"):
            name = item[2].rpartition("::")[2]
            outer = outer or len(item[1]) + 1
            entry = requirement(
                name.replace("=", " ==", 1) if re.match(r"[\w.-]+=\w", name) else name, number
            )
            if entry is not None and entry.name not in ("python", "pip"):
                yield entry


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2]
    if name in _READERS:
        return _READERS[name]
    stem, _, suffix = name.rpartition(".")
    if suffix in ("txt", "in", "pip") and (_REQUIREMENTS_NAME.search(stem) or _in_folder(path)):
        return _constraints if "constraint" in stem else _requirements
    return None


def _in_folder(path: str) -> bool:
    return path.rpartition("/")[0].rpartition("/")[2] in ("requirements", "reqs")


_READERS: Mapping[str, Reader] = {
    "pyproject.toml": _pyproject,
    "Pipfile": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "environment.yml": _conda,
    "environment.yaml": _conda,
}


def imports(text: str) -> Iterator[str]:
    """Yield the dotted names that a module imports, at any depth; relative ones are left out."""
    for match in _IMPORT.finditer(text):
        if match[1]:
            yield match[1]
        else:
            yield from (name.split()[0] for name in match[2].split(",") if name.split())


def candidates(imported: str) -> tuple[str, ...]:
    """Return the distributions that may hold a module: known ones, then those of its own name."""
    parts = imported.split(".")
    prefixes = [".".join(parts[:count]) for count in range(min(len(parts), 4), 0, -1)]
    known = chain.from_iterable(DISTRIBUTIONS.get(prefix, ()) for prefix in prefixes)
    return tuple(dict.fromkeys((*known, *(normal(prefix) for prefix in prefixes))))


_TABLES = lazily(r'\nname = "(?P<name>[^"\n]{1,200})"\r?\nversion = "(?P<version>[^"\n]{1,100})"')
_PIPENV = lazily(
    r'"(?P<name>[A-Za-z0-9][\w.-]{0,100})": ?\{[^{}]{0,20000}?"version": ?"==(?P<version>[^"\n]{1,100})"'
)
PYTHON = Ecosystem(
    name="python",
    suffixes=frozenset({"py", "pyi", "pyw", "ipynb"}),
    reader=_reader,
    locks={
        "uv.lock": (_TABLES,),
        "poetry.lock": (_TABLES,),
        "pdm.lock": (_TABLES,),
        "pylock.toml": (_TABLES,),
        "Pipfile.lock": (_PIPENV,),
    },
    imports=imports,
    candidates=candidates,
    normal=normal,
    manifest_of={
        "uv.lock": "pyproject.toml",
        "poetry.lock": "pyproject.toml",
        "pdm.lock": "pyproject.toml",
        "Pipfile.lock": "Pipfile",
    },
)
