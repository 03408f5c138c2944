"""PHP: composer.json and composer.lock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Lines, Reader, Requirement, known_homes

_SECTION = lazily(r'"require(-dev)?"\s{0,99}:\s{0,99}\{')
_PAIR = lazily(r'"([\w.-]{1,100}/[\w.-]{1,100})"\s{0,99}:\s{0,99}"([^"\n]{0,200})"|\}')
_USE = lazily(
    r"^[ \t]{0,20}use\s{1,9}(?:function\s{1,9}|const\s{1,9})?\\?([A-Za-z_][\w\\]{1,200})", re.MULTILINE
)
_QUALIFIED = lazily(r"(?<![\w\\])\\([A-Z]\w{1,60}\\[\w\\]{1,200})")
_KNOWN = known_homes("php")
_WORDS = lazily(r"(?<=[a-z0-9])(?=[A-Z])")


def _composer(text: str) -> Iterator[Requirement]:
    lines = Lines(text)
    for section in _SECTION.finditer(text):
        for pair in _PAIR.finditer(text, section.end()):
            if pair[1] is None:
                break
            yield Requirement(
                pair[1], pair[2].removeprefix("*"), lines.of(pair.start()), "dev" if section[1] else ""
            )


def _reader(path: str) -> Reader | None:
    return _composer if path.rpartition("/")[2] == "composer.json" else None


def imports(text: str) -> Iterator[str]:
    """Yield the names that a file uses from other namespaces."""
    yield from dict.fromkeys((*_USE.findall(text), *_QUALIFIED.findall(text)))


def candidates(imported: str) -> tuple[str, ...]:
    """Return the packages that a class may come from: known ones, then vendor/name by the namespace."""
    parts = imported.split("\\")
    known = next(
        (_KNOWN[prefix] for count in (3, 2, 1) if (prefix := "\\".join(parts[:count])) in _KNOWN), ()
    )
    kebab = [_WORDS.sub("-", part).lower() for part in parts]
    guessed = [
        f"{vendor}/{'-'.join(kebab[1:count])}"
        for count in (2, 3, 4)
        for vendor in kebab[:1]
        if len(kebab) >= count
    ]
    flat = [f"{kebab[0]}/{kebab[2]}"] if len(kebab) > 3 else []
    return tuple(dict.fromkeys((*known, *guessed, *flat)))


_LOCK = lazily(
    r'"name"\s{0,9}:\s{0,9}"(?P<name>[\w.-]{1,100}/[\w.-]{1,100})",\s{0,99}"version"\s{0,9}:\s{0,9}"(?P<version>[^"\n]{1,100})"'
)
PHP = Ecosystem(
    name="php",
    suffixes=frozenset({"php", "phtml"}),
    reader=_reader,
    locks={"composer.lock": (_LOCK,)},
    imports=imports,
    candidates=candidates,
)
