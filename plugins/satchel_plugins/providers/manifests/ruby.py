"""Ruby: Gemfile, gemspecs and Gemfile.lock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Reader, Requirement, known_homes

_GEM = lazily(r"\s*gem[\s(]\s{0,9}[\"']([\w.-]{1,100})[\"']([^#\n]{0,400})")
_SPEC = lazily(
    r"\s*\w{1,20}\.add_(runtime_|development_)?dependency[\s(]\s{0,9}[\"']([\w.-]{1,100})[\"']([^#\n]{0,400})"
)
_VERSION = lazily(r"[\"']((?:[~<>=!]{1,2}\s?)?\d[^\"'\n]{0,60})[\"']")
_SOURCE = lazily(r"\b(git|github|path)(?::|\s?=>)\s{0,3}[\"']([^\"'\n]{1,200})")
_GROUP = lazily(r"\s*group\b[\s(]([^\n]{1,200})\bdo\b")
_INLINE = lazily(r"\bgroups?(?::|\s?=>)\s{0,3}\[?\s?:(\w{1,40})")
_REQUIRE = lazily(r"^[ \t]{0,40}require\s{0,3}\(?\s{0,3}[\"']([\w./-]{1,200})[\"']", re.MULTILINE)
_CONSTANTS = lazily(r"(?<![\w:.])([A-Z]\w{2,60})(?=::|\.)")
_KNOWN = known_homes("ruby")
_WORDS = lazily(r"(?<=[a-z0-9])(?=[A-Z])")


def _gemfile(text: str) -> Iterator[Requirement]:
    group = ""
    for number, full in enumerate(text.split("\n"), 1):
        line = full[:1_000]
        if opened := _GROUP.match(line):
            group = ", ".join(re.findall(r":(\w+)", opened[1]))
        elif line.rstrip() == "end":
            group = ""
        elif gem := _GEM.match(line):
            inline = _INLINE.search(gem[2])
            yield Requirement(gem[1], _read_wanted(gem[2]), number, inline[1] if inline else group)
        elif spec := _SPEC.match(line):
            yield Requirement(
                spec[2], _read_wanted(spec[3]), number, "dev" if spec[1] == "development_" else ""
            )


def _read_wanted(rest: str) -> str:
    versions = _VERSION.findall(rest)
    source = _SOURCE.search(rest)
    return ", ".join(versions) if versions or not source else f"{source[1]} {source[2]}"


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2]
    return _gemfile if name in ("Gemfile", "gems.rb") or name.endswith(".gemspec") else None


def imports(text: str) -> Iterator[str]:
    """Yield what is required, and constants that other code opens: most gems are loaded for the program."""
    yield from _REQUIRE.findall(text)
    for constant in dict.fromkeys(_CONSTANTS.findall(text)):
        yield _WORDS.sub("_", constant).lower()


def candidates(imported: str) -> tuple[str, ...]:
    """Return the gems that a required path may belong to."""
    first = imported.partition("/")[0]
    known = (*_KNOWN.get(imported, ()), *_KNOWN.get(first, ()))
    return tuple(dict.fromkeys((*known, imported.replace("/", "-"), first, first.replace("_", "-"))))


_LOCK = lazily(r"\n {4}(?P<name>[\w.-]{1,100}) \((?P<version>[^)\n]{1,60})\)")
RUBY = Ecosystem(
    name="ruby",
    suffixes=frozenset({"rb", "rake", "ru", "erb"}),
    reader=_reader,
    locks={"Gemfile.lock": (_LOCK,), "gems.locked": (_LOCK,)},
    imports=imports,
    candidates=candidates,
)
