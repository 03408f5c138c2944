""".NET: project files, central versions, packages.config and packages.lock.json."""

from __future__ import annotations

import re
from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import (
    Ecosystem,
    Lines,
    Reader,
    Requirement,
    Sort,
    known_homes,
)

_REFERENCE = lazily(
    r"<(PackageReference|GlobalPackageReference|PackageVersion|package)\s{1,99}([^<>]{1,600}?)(/?)>|<!--"
)
_ATTRIBUTE = lazily(r"\b(Include|Update|Version|VersionOverride|id|version)\s?=\s?\"([^\"\n]{1,200})\"")
_CHILD = lazily(r"\s{0,99}<Version>\s{0,9}([^<\s]{1,100})")
_PROPERTY = lazily(r"<([A-Z]\w{1,80}Version)>([^<\n]{1,80})</")
_USING = lazily(
    r"^[ \t]{0,20}(?:global\s{1,9})?(?:using|open|Imports)\s{1,9}(?:static\s{1,9})?"
    r"(?:\w{1,60}\s?=\s?)?([A-Z][\w.]{1,200})",
    re.MULTILINE,
)
_KNOWN = known_homes("dotnet")


def _project(text: str) -> Iterator[Requirement]:
    lines, at = Lines(text), 0
    while (match := _REFERENCE.search(text, at)) is not None:
        at = match.end()
        if match[0] == "<!--":
            at = _end_of_comment(text, at)
            continue
        name, wanted = _read_reference(match, text)
        if name:
            sort = Sort.MANAGED if match[1] == "PackageVersion" else Sort.DECLARED
            yield Requirement(
                name, re.sub(r"^\$\((\w+)\)$", r"${\1}", wanted), lines.of(match.start()), sort=sort
            )
    for told_property in _PROPERTY.finditer(text):
        yield Requirement(told_property[1], told_property[2], 0, sort=Sort.PROPERTY)


def _end_of_comment(text: str, at: int) -> int:
    """Return where a comment ends that is open at `at`; one that nothing closes takes the rest."""
    closed = text.find("-->", at)
    return len(text) if closed < 0 else closed


def _read_reference(match: re.Match[str], text: str) -> tuple[str, str]:
    """Return name and version of a reference, from its attributes or the child that follows; "" for none."""
    told: dict[str, str] = dict(_ATTRIBUTE.findall(match[2]))
    name = told.get("Include") or told.get("Update") or told.get("id", "")
    child = None if match[3] else _CHILD.match(text, match.end())
    version = told.get("VersionOverride") or told.get("Version") or told.get("version")
    return name, version or (child[1] if child else "")


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2]
    known = name in ("packages.config", "Directory.Packages.props", "Directory.Build.props")
    return _project if known or name.endswith((".csproj", ".fsproj", ".vbproj")) else None


def imports(text: str) -> Iterator[str]:
    """Yield the namespaces that a file uses, the platform's own left out."""
    for name in _USING.findall(text):
        if name != "System" and not name.startswith("System."):
            yield name


def candidates(imported: str) -> tuple[str, ...]:
    """Return the packages that a namespace may come from: known ones, then its own prefixes."""
    parts = imported.split(".")
    prefixes = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    known = next((_KNOWN[prefix] for prefix in prefixes if prefix in _KNOWN), ())
    return tuple(dict.fromkeys((*known, *(prefix.lower() for prefix in prefixes))))


def owns(package: str, imported: str) -> bool:
    """Return whether a package's abstractions or extensions hold a namespace."""
    bare = package.lower().removesuffix(".abstractions").removesuffix(".core")
    return bool(bare) and f"{imported.lower()}.".startswith(f"{bare}.")


_LOCK = lazily(
    r'"(?P<name>[A-Za-z][\w.-]{1,100})"\s{0,9}:\s{0,9}\{\s{0,99}"type"\s{0,9}:\s{0,9}"[A-Za-z]{1,30}",\s{0,99}'
    r'(?:"requested"\s{0,9}:\s{0,9}"[^"\n]{1,100}",\s{0,99})?"resolved"\s{0,9}:\s{0,9}"(?P<version>[^"\n]{1,100})"'
)
DOTNET = Ecosystem(
    name="dotnet",
    suffixes=frozenset({"cs", "fs", "vb", "razor", "cshtml"}),
    reader=_reader,
    locks={"packages.lock.json": (_LOCK,)},
    imports=imports,
    candidates=candidates,
    owns=owns,
)
