"""How manifests and lock files of each ecosystem name packages, and how its sources import them: patterns.

Nothing is parsed and nothing is run; every pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from satchel.plugin_api import lazily

MOST_ENTRIES = 5_000
"""Entries that are taken from one manifest; no person writes more."""
_LONGEST_NOTE = 60
_MOST_VERSIONS = 20
"""Of one package in one lock file."""
_USERINFO = lazily(r"(?<=://)[^/@\s]{1,500}@")
_VERSION = lazily(r"\bversion\s?=\s?[\"']([^\"'\n]{1,100})[\"']")
_MAVEN_PAIR = lazily(r"</groupId>\s*<artifactId>")
_VARIABLE = lazily(r"\$?[({]?([A-Za-z][\w.-]{0,60})[)}]?")
"""A version that another line of the manifest tells."""
_MOST_VARIABLES = 100
_JOINS = lazily(r"[-_.]+")
_WORDS = lazily(r"(?<=[a-z0-9])(?=[A-Z])")
_KEYS = frozenset(
    """
    branch default-features extras features git markers optional package path python rev source tag url
    version workspace
    """.split()  # noqa: SIM905
)
"""Keys of tables that tell more of one package."""


class Manifest(NamedTuple):
    """A kind of manifest."""

    files: re.Pattern[str]
    """Finds its path."""
    entry: re.Pattern[str]
    """Finds a package: its name and what is wanted of it, in the first two groups or in the next two."""
    section: re.Pattern[str] | None = None
    """Finds the texts, its first group, in which packages are declared; None for all of it."""
    comment: re.Pattern[str] | None = None


class Entry(NamedTuple):
    """A line of a manifest or of a lock file."""

    name: str
    wanted: str
    """Constraint or version, "" for any."""
    line: int


class Ecosystem(NamedTuple):
    """How one language's world writes down and uses packages."""

    name: str
    suffixes: frozenset[str]
    manifests: tuple[Manifest, ...]
    locks: Mapping[str, tuple[re.Pattern[str], ...]]
    """By a lock file's name the forms that it may have: of each package `name` and `version`."""
    imported: tuple[re.Pattern[str], ...]
    joint: str
    """What stands between the words of an import."""

    def declares(self, path: str) -> bool:
        """Return whether a path is that of a manifest."""
        return any(one.files.search(path) for one in self.manifests)

    def find_declarations(self, path: str, text: str) -> list[Entry]:
        """Return the packages that a manifest declares."""
        kinds = [one for one in self.manifests if one.files.search(path)]
        found = chain.from_iterable(_iter_declarations(one, text) for one in kinds)
        return sorted(islice(found, MOST_ENTRIES), key=lambda entry: entry.line)

    def imports(self, text: str) -> list[str]:
        """Return what a source text imports, as it is written, each once."""
        found = (next(filter(None, match.groups())) for one in self.imported for match in one.finditer(text))
        words = (name.split() for some in found for name in some.split(","))
        return list(dict.fromkeys(one[0].strip(".;") for one in words if one))

    def candidates(self, imported: str) -> list[str]:
        """Return normal names of packages that an import may mean, the likeliest first."""
        parts = [part for part in imported.split(self.joint) if part]
        prefixes = [parts[:count] for count in range(min(len(parts), 8), 0, -1)]
        known = (_homes(self.name).get(self.joint.join(some), ()) for some in prefixes)
        names = [name for some in known for name in some]
        if self.joint == "\\":  # Monolog\Handler -> monolog/handler, monolog/monolog
            words = [_WORDS.sub("-", part).lower() for part in parts]
            names += [f"{words[0]}/{word}" for word in (*words[1:], *words[:1])] if words else []
        for some in prefixes:
            names.append(self.joint.join(some))
            names.append(_WORDS.sub("-", "-".join(some)))
        return list(dict.fromkeys(map(normal, names)))


def normal(name: str) -> str:
    """Return the form in which names are compared."""
    return _JOINS.sub("-", name).lower()


@cache
def _homes(ecosystem: str) -> Mapping[str, tuple[str, ...]]:
    """Return of each import the packages that may hold it, likeliest first, as `homes.txt` has them."""
    sections = Path(__file__).with_name("homes.txt").read_text("utf-8").split("[")
    rows = next((one for one in sections if one.startswith(f"{ecosystem}]")), "").split()[1:]
    cells = (row.partition("=") for row in rows)
    return {imported: tuple(packages.split(",")) for imported, _, packages in cells}


def tidy(text: str) -> str:
    """Return a constraint on one short line, without the user and password that a URL may hold."""
    told = _VERSION.search(text) if text.startswith("{") else None
    plain = " ".join(_USERINFO.sub("", told[1] if told else text[:1_000]).split()).strip("\"', ")
    plain = "" if plain in ("*", "true") else plain
    return plain if len(plain) <= _LONGEST_NOTE else f"{plain[: _LONGEST_NOTE - 3]}..."


def _iter_declarations(kind: Manifest, text: str) -> Iterator[Entry]:
    plain = kind.comment.sub(lambda found: " " * len(found[0]), text) if kind.comment else text
    lines, known = Lines(text), dict[str, str]()
    sections = [one.span(1) for one in kind.section.finditer(plain)] if kind.section else [(0, len(text))]
    for start, end in sections:
        for found in kind.entry.finditer(plain[start:end]):
            at = 1 if found[1] else 3
            name, wanted = found[at], found[at + 1] or ""
            if name not in _KEYS:
                variable = _VARIABLE.fullmatch(wanted)
                if variable and wanted not in known and len(known) < _MOST_VARIABLES:
                    known[wanted] = _find_value(variable[1], text)
                wanted = tidy(known.get(wanted) or wanted)
                yield Entry(_MAVEN_PAIR.sub(":", name), wanted, lines.of(start + found.start(at)))


def _find_value(name: str, text: str) -> str:
    """Return the version that a manifest gives a name, "" without one."""
    found = re.search(rf"\b{re.escape(name)}\b[>\s=\"']{{1,9}}(\d[\w.+-]{{0,60}})", text)
    return found[1] if found else ""


class Lines:
    """Line numbers of rising offsets, each found from the one before."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def of(self, offset: int) -> int:
        """Return the line, counted from 1, of an offset that is not below the last one asked for."""
        self._line += self._text.count("\n", self._at, offset)
        self._at = max(offset, self._at)
        return self._line


def find_locked(text: str, patterns: Sequence[re.Pattern[str]]) -> dict[str, list[Entry]]:
    """Return the packages of a lock file by normal name: each version once, those inside others last."""
    pattern = next((one for one in patterns if one.search(text)), None)
    found: dict[str, list[Entry]] = {}
    inner: dict[str, list[Entry]] = {}
    lines = Lines(text)
    for match in pattern.finditer(text) if pattern is not None else ():
        start, name = match.start("name"), normal(match["name"])
        versions = (inner if text.startswith("/node_modules/", start - 14) else found).setdefault(name, [])
        if len(versions) < _MOST_VERSIONS and all(one.wanted != match["version"] for one in versions):
            versions.append(Entry(match["name"], match["version"], lines.of(start)))
    return {name: [*found.get(name, ()), *inner.get(name, ())] for name in {**found, **inner}}


_HASH = lazily(r"(?m)(?:^|[ \t])#[^\n]*")
_SLASHES = lazily(r"(?m)(?:^|[ \t])//[^\n]*")
_MARKUP = lazily(r"<!--(?:[^-]|-(?!->)){0,100000}(?:-->|\Z)")
_LISTED = lazily(r"(?:^|(?<=\n))[ \t]*([A-Za-z0-9][\w.-]{0,99})(?![\w.-]*[:/])([^\n;]{0,300})")
_QUOTED = r"[\"']([A-Za-z0-9][\w.-]{0,99})([^\"'\n]{0,300})[\"']"
_ARRAY = r"((?:[^\]\"'\n#]|\"[^\"\n]*\"|'[^'\n]*'|\n){0,40000})"


def _find_tables(names: str) -> re.Pattern[str]:
    """Return what finds the tables of TOML with such a word in their names."""
    return lazily(rf"(?m)^(?=\[\[?[^\]\n]{{0,99}}(?:{names})\b)(\[[^\n]*\n(?:(?!\[)[^\n]*\n?){{0,3000}})")


_TOML = lazily(r"(?:^|/)(?:pyproject\.toml|Pipfile)$")
_KEYED = lazily(
    r"(?m)^\[[^\]\n]{0,60}dependencies\.([\w-]+)\]()"
    r"|^[ \t]*[\"']?([A-Za-z0-9][\w-]*)[\"']?(?:\.(?:workspace|version))?[ \t]*=[ \t]*(?!\[)([^\n]{0,300})"
)
_JSON_PAIR = lazily(r'"([^"\\\n]{1,214})"\s{0,99}:\s{0,99}"([^"\\\n]{0,300})"')
_NPM_VERSION = (
    r'"\s{0,99}:\s{0,99}\{\s{0,99}(?:"name"\s{0,9}:\s{0,9}"[^"\n]{1,214}",\s{0,99})?'
    r'"version"\s{0,9}:\s{0,9}"(?P<version>[^"\n]{1,100})"'
)
_NPM_PACKAGE = r'(?P<name>(?:@[^"/\n]{1,100}/)?[^"/\n]{1,214})'
_NPM = (lazily(rf"node_modules/{_NPM_PACKAGE}{_NPM_VERSION}"), lazily(rf'"{_NPM_PACKAGE}{_NPM_VERSION}'))
_TOML_LOCK = (lazily(r'\nname = "(?P<name>[^"\n]{1,200})"\r?\nversion = "(?P<version>[^"\n]{1,100})"'),)
_GRADLE_LOCK = (lazily(r"(?m)^(?P<name>[\w.-]{1,200}:[\w.-]{1,200}):(?P<version>[^=\s]{1,100})="),)
_GEM_LOCK = (lazily(r"\n {4}(?P<name>[\w.-]{1,100}) \((?P<version>[^)\n]{1,60})\)"),)

PYTHON = Ecosystem(
    "python",
    frozenset({"py", "pyi", "pyw", "ipynb"}),
    (
        Manifest(
            lazily(
                r"(?:^|/)(?:requirements|reqs)/[^/]+\.(?:txt|in|pip)$"
                r"|(?i:(?:^|[-_./])(?:requirements?|constraints?|deps|dependencies)(?:[-_.][^/]*)?\.(?:txt|in|pip)$)"
            ),
            _LISTED,
            comment=_HASH,
        ),
        Manifest(
            lazily(r"(?:^|/)(?:pyproject\.toml|Pipfile|setup\.py)$"),
            lazily(_QUOTED),
            lazily(
                r"(?m)^[ \t]*(?:dependencies|requires|\w+_requires|extras_require|dev-dependencies)[ \t]*="
                rf"[ \t]*[\[{{]{_ARRAY}"
            ),
            _HASH,
        ),
        Manifest(
            _TOML,
            lazily(_QUOTED),
            _find_tables(r"optional-dependencies|dependency-groups|dev-dependencies"),
            _HASH,
        ),
        Manifest(_TOML, _KEYED, _find_tables(r"dependencies|packages"), _HASH),
        Manifest(
            lazily(r"(?:^|/)setup\.cfg$"),
            lazily(r"(?:\A|(?<=\n))[ \t]*([A-Za-z0-9][\w.-]{0,99})(?![\w.-]*[ \t]*=[^=])([^\n;]{0,300})"),
            lazily(
                r"(?m)^(?:(?:install|tests|setup)_requires[ \t]*=|\[options\.extras_require\])"
                r"((?:[^\n]*\n?)(?:[ \t]+[^\n]*\n?|\w+ *= *\n){0,999})"
            ),
            _HASH,
        ),
        Manifest(
            lazily(r"(?:^|/)environment\.ya?ml$"),
            lazily(
                r"(?m)^[ \t]*-[ \t]+[\"']?(?:[\w-]+::)?([A-Za-z0-9][\w.-]{0,99})(?![\w.-]*:)([^\n\"']{0,200})"
            ),
            lazily(r"(?m)^dependencies:[ \t]*\n((?:[ \t-][^\n]*\n?|\n){0,3000})"),
            _HASH,
        ),
    ),
    {
        **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"), _TOML_LOCK),
        "Pipfile.lock": (
            lazily(
                r'"(?P<name>[A-Za-z0-9][\w.-]{0,100})": ?\{[^{}]{0,20000}?"version": ?"=='
                r'(?P<version>[^"\n]{1,100})"'
            ),
        ),
    },
    (
        lazily(
            r"(?m)^[ \t]{0,40}(?:from[ \t]{1,9}(\w[\w.]{0,199})[ \t]{1,9}import\b"
            r"|import[ \t]{1,9}([^\n#;(]{1,300}))"
        ),
    ),
    ".",
)
JAVASCRIPT = Ecosystem(
    "javascript",
    frozenset({"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"}),
    (
        Manifest(
            lazily(r"(?:^|/)package\.json$"),
            _JSON_PAIR,
            lazily(
                r'"(?:(?:dev|peer|optional|bundled)?[dD]ependencies|resolutions|overrides|catalog)"\s{0,99}:\s{0,99}'
                r"\{([^{}]{0,200000})"
            ),
        ),
    ),
    {
        "package-lock.json": _NPM,
        "npm-shrinkwrap.json": _NPM,
        "yarn.lock": (
            lazily(
                r'\n"?(?P<name>(?:@[^@\s"/]{1,100}/)?[^@\s"]{1,214})@[^\n]{1,4000}:\r?\n'
                r' {2}version:? "?(?P<version>[^"\s]{1,100})'
            ),
        ),
        "pnpm-lock.yaml": (
            lazily(
                r"\n {2}'?/?(?P<name>(?:@[\w.-]{1,100}/)?[\w.-]{1,214})[@/]"
                r"(?P<version>\d[^:()_'\s]{0,100})[^\n]{0,2000}:[ \t\r]*\n"
            ),
        ),
    },
    (
        lazily(
            r"\b(?:from|import|require\s?\(|import\s?\()\s{0,9}[\"'`](?![./#~]|node:|@/)([^\"'`\n\\,\s]{1,214})[\"'`]"
        ),
    ),
    "/",
)
GO = Ecosystem(
    "go",
    frozenset({"go"}),
    (
        Manifest(
            lazily(r"(?:^|/)go\.mod$"),
            lazily(
                r"(?m)^[ \t]*(?:require[ \t]+|replace[ \t]+)?([\w-]{1,99}\.[\w./~!+-]{1,300})[ \t]+"
                r"(v\d[^\n]{0,99}|=>[^\n]{1,300})"
            ),
        ),
    ),
    {"go.sum": (lazily(r"(?m)^(?P<name>[^\s]{1,300}) (?P<version>v[^\s/]{1,100}) h1:"),)},
    (
        lazily(
            r"(?m)^(?:import[ \t]{1,9}|[ \t]{1,9})(?:[\w.]{1,100}[ \t]{1,9})?"
            r"\"([\w-]{1,99}\.[^\"\n\s]{1,300})\"[ \t]*(?:$|//)"
        ),
    ),
    "/",
)
RUST = Ecosystem(
    "rust",
    frozenset({"rs"}),
    (Manifest(lazily(r"(?:^|/)Cargo\.toml$"), _KEYED, _find_tables("dependencies"), _HASH),),
    {"Cargo.lock": _TOML_LOCK},
    (
        lazily(
            r"(?:\buse\s{1,9}(?:::)?|\bextern\s{1,9}crate\s{1,9}|(?<![\w:.$]))"
            r"(?!(?:crate|self|super|std|core|alloc)\b)([a-z_]\w{0,63})(?=::|;|\s{1,9}as\b)"
        ),
    ),
    "::",
)
JVM = Ecosystem(
    "jvm",
    frozenset({"java", "kt", "kts", "scala", "groovy"}),
    (
        Manifest(
            lazily(r"(?:^|/)pom\.xml$"),
            lazily(
                r"<groupId>([\w.-]{1,200}</groupId>\s{0,99}<artifactId>[\w.-]{1,200})</artifactId>"
                r"(?:\s{0,99}<version>([^<\n]{1,100}))?"
            ),
            comment=_MARKUP,
        ),
        Manifest(
            lazily(r"(?:\.gradle(?:\.kts)?|\.versions\.toml)$"),
            lazily(
                r"[\"']([A-Za-z][\w.-]{0,200}:[\w.-]{1,200})"
                r"(?:[\"'],[ \t]*version(?:\.ref)?[ \t]*=[ \t]*[\"']|:|(?=[\"']))"
                r"([^\"'@:\n]{0,100})"
            ),
            comment=_SLASHES,
        ),
    ),
    {"gradle.lockfile": _GRADLE_LOCK, "buildscript-gradle.lockfile": _GRADLE_LOCK},
    (
        lazily(
            r"(?m)^[ \t]{0,20}import\s{1,9}(?:static\s{1,9})?"
            r"(?!java\.|kotlin\.|scala\.|android\.|groovy\.)([\w.]{3,200})"
        ),
    ),
    ".",
)
RUBY = Ecosystem(
    "ruby",
    frozenset({"rb", "rake", "ru", "erb"}),
    (
        Manifest(
            lazily(r"(?:^|/)(?:Gemfile|gems\.rb)$|\.gemspec$"),
            lazily(
                r"(?m)^[ \t]*(?:gem|\w{1,20}\.add_(?:runtime_|development_)?dependency)[\s(]\s{0,9}"
                r"[\"']([\w.-]{1,100})[\"'](?:,[ \t]*([\"'][^#\n]{0,300}))?"
            ),
        ),
    ),
    {"Gemfile.lock": _GEM_LOCK, "gems.locked": _GEM_LOCK},
    (
        lazily(r"(?m)^[ \t]{0,40}require\s{0,3}\(?\s{0,3}[\"']([\w./-]{1,200})[\"']"),
        lazily(r"(?<![\w:.])([A-Z]\w{2,60})(?=::|\.)"),
    ),
    "/",
)
PHP = Ecosystem(
    "php",
    frozenset({"php", "phtml"}),
    (
        Manifest(
            lazily(r"(?:^|/)composer\.json$"),
            _JSON_PAIR,
            lazily(r'"require(?:-dev)?"\s{0,99}:\s{0,99}\{([^{}]{0,200000})'),
        ),
    ),
    {
        "composer.lock": (
            lazily(
                r'"name"\s{0,9}:\s{0,9}"(?P<name>[\w.-]{1,100}/[\w.-]{1,100})",\s{0,99}'
                r'"version"\s{0,9}:\s{0,9}"(?P<version>[^"\n]{1,100})"'
            ),
        )
    },
    (
        lazily(r"(?m)^[ \t]{0,20}use\s{1,9}(?:function\s{1,9}|const\s{1,9})?\\?([A-Za-z_][\w\\]{1,200})"),
        lazily(r"(?<![\w\\])\\([A-Z]\w{1,60}\\[\w\\]{1,200})"),
    ),
    "\\",
)
DOTNET = Ecosystem(
    "dotnet",
    frozenset({"cs", "fs", "vb", "razor", "cshtml"}),
    (
        Manifest(
            lazily(r"\.(?:cs|fs|vb)proj$|(?:^|/)(?:packages\.config|Directory\.(?:Packages|Build)\.props)$"),
            lazily(
                r"<(?:(?:Global)?Package(?:Reference|Version)|package)\s[^<>]{0,300}?(?:Include|Update|id)\s?=\s?"
                r"\"([^\"\n]{1,200})\"(?:[^<>]{0,300}?(?i:version)\s?=\s?\"([^\"\n]{1,100}))?"
            ),
            comment=_MARKUP,
        ),
    ),
    {
        "packages.lock.json": (
            lazily(
                r'"(?P<name>[A-Za-z][\w.-]{1,100})"\s{0,9}:\s{0,9}\{\s{0,99}"type"\s{0,9}:\s{0,9}"[A-Za-z]{1,30}",'
                r'\s{0,99}(?:"requested"\s{0,9}:\s{0,9}"[^"\n]{1,100}",\s{0,99})?"resolved"\s{0,9}:\s{0,9}'
                r'"(?P<version>[^"\n]{1,100})"'
            ),
        )
    },
    (
        lazily(
            r"(?m)^[ \t]{0,20}(?:global\s{1,9})?(?:using|open|Imports)\s{1,9}(?:static\s{1,9})?"
            r"(?:\w{1,60}\s?=\s?)?(?!System\b)([A-Z][\w.]{1,200})"
        ),
    ),
    ".",
)
ECOSYSTEMS = (PYTHON, JAVASCRIPT, GO, RUST, JVM, RUBY, PHP, DOTNET)
