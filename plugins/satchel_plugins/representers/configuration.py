"""Splits configuration: TOML, YAML, JSON, INI, .env, Dockerfiles and Makefiles, by their top-level keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import attrs

from satchel.plugin_api import ContextItem, Part, lazily, lines_of
from satchel_plugins.representers.partition import Definition, Outline, tidy

_FORMATS: Mapping[str, str] = {
    "toml": "toml", "lock": "toml", "yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json",
    "json5": "json", "webmanifest": "json", "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "env",
    "env": "env", "example": "env", "mk": "make", "mak": "make", "dockerfile": "docker",
    "desktop": "ini", "service": "ini", "gitconfig": "ini", "ipynb": "json", "geojson": "json",
}  # fmt: skip
_FILES: Mapping[str, str] = {
    "Makefile": "make", "makefile": "make", "GNUmakefile": "make", "Dockerfile": "docker",
    "Containerfile": "docker", "Pipfile": "toml", "Cargo.lock": "toml", "poetry.lock": "toml",
    ".env": "env", ".editorconfig": "ini", ".gitconfig": "ini", ".flake8": "ini", ".pylintrc": "ini",
    ".coveragerc": "ini", ".npmrc": "env", ".prettierrc": "json", ".eslintrc": "json", ".babelrc": "json",
    "composer.lock": "json", "Pipfile.lock": "json", "flake.lock": "json", "yarn.lock": "yaml",
    ".clang-format": "yaml", ".clang-tidy": "yaml",
}  # fmt: skip
_SAMPLE = lazily(r"(?<=[^.])\.(?:sample|example|dist|defaults?)$")
"""The ending of a sample's name: `app.conf.sample` is split like `app.conf`."""
_TOML = lazily(r"\s*\[\[?\s*([^\[\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_INI = lazily(r"\[([^\]]+)\]")
_BANNER = lazily(r"[#;]{4,200}[ \t]{1,20}(\w[^#;]{1,60}?)[ \t]{1,20}[#;]{4,200}[ \t]*$")
_RULE = lazily(r"[#;][ \t]?[-=*#~_]{8,200}[ \t]*$")
_TITLE = lazily(r"[#;][ \t]{1,20}(\w[^#;]{1,60}?)[ \t#;]*$")
_YAML = lazily(r"(?:---\s+)?([\"']?[^\s#\-\[\]{},:\"'&*!|>%@`][^#]*?[\"']?)\s*:(?:\s|$)")
_YAML_ITEM = lazily(r"- +(.{1,60})")
_INSIDE = frozenset({"", " ", "\t", "#"})
"""Beginnings of lines without a key or item: most lines of YAML are indented."""
_JSON = lazily(r"(\s*)\"((?:[^\"\\]|\\.){1,100})\"\s*:")
_ENV = lazily(r"(?:export\s+)?([A-Za-z_][\w.\-]*)\s*[=:]")
_DOCKER = lazily(r"\s*(FROM\b.*|[A-Z]+)\b", re.IGNORECASE)
_MAKE = lazily(
    r"([^\s:#=][^:#=]*?)\s*::?(?![=:])|(?:export\s+)?define\s+(\S+)|(?:export\s+)?([\w.]+)\s*[:?+!]{0,2}="
)
_MULTILINE = lazily(r'"""|\'\'\'')
_LONGEST_LINE = 2_000


@attrs.frozen(eq=False, repr=False)
class Configuration:
    """Top-level tables, keys, sections, targets and instructions of configuration files."""

    name, version = "configuration", "2"

    def claims(self, item: ContextItem) -> float:
        """Return 0.8 for a file with the name or suffix of a format, else 0."""
        return 0.8 if _format_of(item.path) else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return one part per top-level key; runs of short ones are one block."""
        from satchel_plugins.representers.partition import PartSizes, partition

        text = item.text or ""
        lines = [line.rstrip("\r") for line in lines_of(text)]
        form = _format_of(item.path)
        found = _FINDERS[form](lines) if form else ()
        return partition(text, Outline(tuple(_spread(lines, found))), PartSizes(small=0, whole=80, block=60))


def _format_of(path: str) -> str:
    """Return the format of a file by its name, "" if that shows none."""
    name = _SAMPLE.sub("", path.rpartition("/")[2])
    if name in _FILES:
        return _FILES[name]
    if name.startswith((".env", "Dockerfile.", "Makefile.")):
        return {".": "env", "D": "docker", "M": "make"}[name[0]]
    return _FORMATS.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


_Key = tuple[int, str, str]
"""Line, kind and name."""


def _spread(lines: Sequence[str], found: Iterator[_Key] | Sequence[_Key]) -> Iterator[Definition]:
    """Yield each key as a definition that runs to the line before the next one's comment."""
    keys = list(found)
    starts = [_first_comment_line(lines, number) for number, _, _ in keys]
    for at, (number, kind, name) in enumerate(keys):
        last = starts[at + 1] - 1 if at + 1 < len(keys) else len(lines)
        while last > number and not lines[last - 1].strip():
            last -= 1
        yield Definition(tidy(name), kind, starts[at], max(last, number), (number, number))


def _first_comment_line(lines: Sequence[str], number: int) -> int:
    while number > 1 and lines[number - 2].startswith(("#", ";", "//")):
        number -= 1
    return number


_ENTRY = lazily(r"\s*name\s*=\s*[\"']([^\"']+)")


def _entry(lines: Sequence[str], number: int, table: str) -> str:
    """Return a table's name, with the `name` on the line after it if it is one of many."""
    named = _ENTRY.match(lines[number]) if number < len(lines) else None
    return f"{table} {named[1]}" if named and lines[number - 1].lstrip().startswith("[[") else table


def _toml(lines: Sequence[str]) -> Iterator[_Key]:
    """Yield tables, and the keys before the first one."""
    tables, string = False, ""
    for number, line in enumerate(lines, 1):
        if not string and (table := _TOML.match(line)) and "=" not in table[1].partition('"')[0]:
            tables = True
            yield number, "table", _entry(lines, number, table[1])
        elif not string and not tables and (key := _ENV.match(line)):
            yield number, "key", key[1]
        for quotes in _MULTILINE.findall(line[:_LONGEST_LINE]):
            string = "" if string == quotes else string or quotes


def _ini(lines: Sequence[str]) -> Iterator[_Key]:
    """Yield the sections, and the banners in comments that are headings of files without sections."""
    for number, line in enumerate(lines, 1):
        if section := _INI.match(line) or _BANNER.match(line) or _find_title(lines, number):
            yield number, "section", section[1]


def _find_title(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """Return a title in a comment between two rules: `# NETWORK` between two `#------`."""
    if not (1 < number < len(lines)) or not _RULE.match(lines[number - 2]) or not _RULE.match(lines[number]):
        return None
    return _TITLE.match(lines[number - 1])


def _yaml(lines: Sequence[str]) -> Iterator[_Key]:
    """Yield the keys at the left edge, and the items of a list there."""
    for number, line in enumerate(lines, 1):
        if line[:1] in _INSIDE:
            continue
        if key := _YAML.match(line[:_LONGEST_LINE]):
            yield number, "key", key[1].strip("\"'")
        elif item := _YAML_ITEM.match(line):
            yield number, "item", item[1]


def _json(lines: Sequence[str]) -> Iterator[_Key]:
    """Yield the keys that are indented like the first one, outside strings on one line."""
    indent: str | None = None
    for number, line in enumerate(lines, 1):
        key = _JSON.match(line[:_LONGEST_LINE])
        if key is None:
            continue
        indent = key[1] if indent is None else indent
        if key[1] == indent:
            yield number, "key", key[2]


def _env(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines, 1):
        if key := _ENV.match(line):
            yield number, "key", key[1]


def _docker(lines: Sequence[str]) -> Iterator[_Key]:
    """Yield the build stages and the instructions, continued lines left aside."""
    continued = False
    for number, line in enumerate(lines, 1):
        match = None if continued or line.lstrip().startswith("#") else _DOCKER.match(line)
        if match:
            stage = match[1].upper().startswith("FROM")
            yield number, "stage" if stage else "key", match[1] if stage else match[1].upper()
        continued = line.rstrip().endswith("\\")


def _make(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines, 1):
        match = None if line.startswith(("\t", " ", "#")) else _MAKE.match(line[:_LONGEST_LINE])
        if match:
            kind = "target" if match[1] else "function" if match[2] else "key"
            yield number, kind, match[1] or match[2] or match[3]


_FINDERS = {
    "toml": _toml, "ini": _ini, "yaml": _yaml, "json": _json, "env": _env, "docker": _docker, "make": _make,
}  # fmt: skip
