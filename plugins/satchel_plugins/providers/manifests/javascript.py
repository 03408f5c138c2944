"""JavaScript and TypeScript: package.json, and the lock files of npm, yarn and pnpm."""

from __future__ import annotations

from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Lines, Reader, Requirement, Sort, same

_SECTION = lazily(
    r'"((?:dev|peer|optional|bundled)?[dD]ependencies|resolutions|overrides|catalog)"\s{0,99}:\s{0,99}\{'
)
_PAIR = lazily(r'"((?:[^"\\\n]|\\.){1,214})"\s{0,99}:\s{0,99}(?:"((?:[^"\\\n]|\\.){0,300})"|\{)|[{}]')
_GROUPS = {
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}
_IMPORT = lazily(r"\b(?:from|import|require\s?\(|import\s?\()\s{0,9}[\"'`]([^\"'`\n\\]{1,214})[\"'`]")


def _package_json(text: str) -> Iterator[Requirement]:
    """Yield the pairs of the dependency tables, by a scan that also reads what is not quite JSON."""
    lines = Lines(text)
    for section in _SECTION.finditer(text):
        sort = Sort.MANAGED if section[1] in ("resolutions", "overrides", "catalog") else Sort.DECLARED
        depth = 1
        for pair in _PAIR.finditer(text, section.end()):
            if pair[1] is None or pair[2] is None:
                depth += -1 if pair[0] == "}" else 1
                if not depth:
                    break
            elif depth == 1:
                line = lines.of(pair.start())
                wanted = "" if pair[2] == "*" else pair[2]
                yield Requirement(pair[1], wanted, line, _GROUPS.get(section[1], ""), sort)


def _reader(path: str) -> Reader | None:
    return _package_json if path.rpartition("/")[2] == "package.json" else None


def imports(text: str) -> Iterator[str]:
    """Yield the modules that are imported or required, relative ones left out."""
    for match in _IMPORT.finditer(text):
        if match[1][0] not in "./#~" and not match[1].startswith(("node:", "@/")):
            yield match[1]


def candidates(imported: str) -> tuple[str, ...]:
    """Return the package of a module, and its type definitions."""
    parts = imported.split("/")
    name = "/".join(parts[: 2 if imported.startswith("@") else 1])
    typed = name[1:].replace("/", "__") if name.startswith("@") else name
    return (name, f"@types/{typed}")


_VERSION = (
    r'"\s{0,99}:\s{0,99}\{\s{0,99}(?:"name"\s{0,9}:\s{0,9}"[^"\n]{1,214}",\s{0,99})?'
    r'"version"\s{0,9}:\s{0,9}"(?P<version>[^"\n]{1,100})"'
)
_PACKAGE = r'(?P<name>(?:@[^"/\n]{1,100}/)?[^"/\n]{1,214})'
_NPM = lazily(rf"node_modules/{_PACKAGE}{_VERSION}")
_NPM_1 = lazily(rf'"{_PACKAGE}{_VERSION}')
_YARN = lazily(
    r'\n"?(?P<name>(?:@[^@\s"/]{1,100}/)?[^@\s"]{1,214})@[^\n]{1,4000}:\r?\n'
    r' {2}version:? "?(?P<version>[^"\s]{1,100})'
)
_PNPM = lazily(
    r"\n {2}'?/?(?P<name>(?:@[\w.-]{1,100}/)?[\w.-]{1,214})[@/]"
    r"(?P<version>\d[^:()_'\s]{0,100})[^\n]{0,2000}:[ \t\r]*\n"
)
JAVASCRIPT = Ecosystem(
    name="javascript",
    suffixes=frozenset({"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro"}),
    reader=_reader,
    locks={
        "package-lock.json": (_NPM, _NPM_1),
        "npm-shrinkwrap.json": (_NPM, _NPM_1),
        "yarn.lock": (_YARN,),
        "pnpm-lock.yaml": (_PNPM,),
    },
    imports=imports,
    candidates=candidates,
    normal=same,
)
