"""Java, Kotlin, Scala, Groovy: pom.xml, Gradle's build files, version catalogs and lock files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import (
    MOST_ENTRIES,
    Ecosystem,
    Lines,
    Reader,
    Requirement,
    Sort,
    fields,
    known_homes,
    values,
)

_TAG = lazily(r"<(groupId|artifactId|version|scope)>\s{0,99}([^<\s]{1,200})\s{0,99}</")
_OUTER = lazily(r"<(dependency|parent|plugin)>|<properties>|</?dependencyManagement>|<!--")
_PROPERTY = lazily(r"<([\w.-]{1,100})>([^<\n]{1,200})</")
_LONGEST_ENTRY = 4_000
_LONGEST_PROPERTIES = 40_000
_CONFIGURATION = (
    r"\b(\w{0,40}(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[aA]nnotationProcessor|classpath|"
    r"kapt|ksp|developmentOnly))\b[ \t(]{1,9}(?:(?:enforcedPlatform|platform|project|kotlin)[ \t(]{1,9})?"
)
_GRADLE = re.compile(
    _CONFIGURATION + r"(?:[\"']([\w.-]{1,200}):([\w.-]{1,200})(?::([^\"'@:\n]{1,100}))?[^\"'\n]{0,100}[\"']"
    r"|libs\.([\w.]{1,100}))"
)
_MAP = lazily(
    _CONFIGURATION
    + r"group\s?[:=]\s?[\"']([\w.-]{1,200})[\"'],\s{0,9}name\s?[:=]\s?[\"']([\w.-]{1,200})[\"']"
    r"(?:,\s{0,9}version\s?[:=]\s?[\"']([^\"'\n]{1,100})[\"'])?"
)
_VARIABLE = lazily(
    r"^[ \t]{0,40}(?:ext\.|val |def |var )?(\w{1,60})\s?=\s?[\"']([\w.+-]{1,60})[\"']", re.MULTILINE
)
_IMPORT = lazily(r"^[ \t]{0,20}import\s{1,9}(?:static\s{1,9})?([\w.]{3,200})", re.MULTILINE)
_HOMES = known_homes("jvm")
_WORDS = lazily(r"[.\-_]")
_SCAFFOLD = frozenset(
    {"core", "api", "common", "commons", "starter", "all", "java", "kotlin", "jvm", "bom", "client", "jdk8"}
)


def _pom(text: str) -> Iterator[Requirement]:
    """Yield dependencies, managed ones, the parent and the properties; a scan, so no entity is expanded."""
    lines, managed, at = Lines(text), False, 0
    for _ in range(MOST_ENTRIES):
        outer = _OUTER.search(text, at)
        if outer is None:
            return
        at, line = outer.end(), lines.of(outer.start())
        if outer[0] == "<!--":
            at = _after(text, "-->", at)
        elif "Management" in outer[0]:
            managed = outer[0][1] != "/"
        elif outer[0] == "<properties>":
            at = _after(text, "</properties>", at)
            yield from _properties(text[outer.end() : min(at, outer.end() + _LONGEST_PROPERTIES)], line)
        else:
            at = _after(text, f"</{outer[1]}>", at) if outer[1] != "plugin" else at
            body = text[
                outer.end() : min(
                    at if outer[1] != "plugin" else at + 600, at + 600, outer.end() + _LONGEST_ENTRY
                )
            ]
            yield from _coordinates(outer[1], body, line, managed=managed)


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return len(text) if found < 0 else found + len(mark)


def _coordinates(tag: str, body: str, line: int, *, managed: bool) -> Iterator[Requirement]:
    told: dict[str, str] = {}
    for key, value in _TAG.findall(body.partition("<exclusions>")[0].partition("</plugin>")[0]):
        told.setdefault(key, value)
    if "artifactId" not in told or tag == "plugin":
        return
    group = told.get("groupId", "")
    name, version = f"{group}:{told['artifactId']}", told.get("version", "")
    if tag == "parent":
        yield Requirement(f"{group}:*", f"{version} by parent {told['artifactId']}", line, sort=Sort.MANAGED)
        yield Requirement("project.parent.version", version, line, sort=Sort.PROPERTY)
        return
    sort = Sort.MANAGED if managed else Sort.DECLARED
    scope = told.get("scope", "")
    yield Requirement(
        name, version, line, "" if scope == "compile" else scope, sort, alias=told["artifactId"]
    )


def _properties(body: str, line: int) -> Iterator[Requirement]:
    lines = Lines(body)
    for match in _PROPERTY.finditer(body):
        yield Requirement(match[1], match[2].strip(), line + lines.of(match.start()) - 1, sort=Sort.PROPERTY)


def _gradle(text: str) -> Iterator[Requirement]:
    found = [*_GRADLE.finditer(text), *_MAP.finditer(text)]
    lines = Lines(text)
    for match in sorted(found, key=lambda each: each.start()):
        if _is_comment(text, match.start()):
            continue
        line, group = lines.of(match.start()), _gradle_group(match[1])
        if match.re is _GRADLE and match[5]:
            yield Requirement(f"libs.{match[5]}", "", line, group)
            continue
        version = (match[4] or "").strip()
        wanted = f"${{{version.strip('${}')}}}" if "$" in version else version
        yield Requirement(f"{match[2]}:{match[3]}", wanted, line, group, alias=match[3])
    for number, match in enumerate(_VARIABLE.finditer(text)):
        if number >= MOST_ENTRIES:
            return
        yield Requirement(match[1], match[2], 0, sort=Sort.PROPERTY)


def _is_comment(text: str, at: int) -> bool:
    return text[max(text.rfind("\n", 0, at) + 1, at - 200) : at].lstrip().startswith(("//", "*"))


def _gradle_group(configuration: str) -> str:
    return "test" if configuration.startswith(("test", "androidTest")) else ""


def _catalog(text: str) -> Iterator[Requirement]:
    """Yield the libraries of a version catalog, their versions looked up in its first table."""
    versions: dict[str, str] = {}
    for value in values(text):
        if value.table == ("versions",) and len(value.key) == 1:
            versions[value.key[0]] = value.text
        elif value.table == ("libraries",) and value.key:
            entry = _library(value.text, versions, value.line)
            if entry is not None:
                yield entry._replace(alias=re.sub(r"[-_]", ".", value.key[0]))


def _library(text: str, versions: Mapping[str, str], line: int) -> Requirement | None:
    told = fields(text) if text.startswith("{") else {}
    if not told:
        group, _, rest = text.partition(":")
        name, _, version = rest.partition(":")
        return Requirement(f"{group}:{name}", version, line, sort=Sort.MANAGED) if name else None
    module = told.get("module") or f"{told.get('group', '')}:{told.get('name', '')}"
    version = told.get("version") or versions.get(told.get("version.ref") or told.get("ref", ""), "")
    return Requirement(module, version, line, sort=Sort.MANAGED) if len(module) > 1 else None


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2]
    if name.endswith((".gradle", ".gradle.kts")) and not name.startswith("settings."):
        return _gradle
    return _catalog if name.endswith(".versions.toml") else {"pom.xml": _pom}.get(name)


def imports(text: str) -> Iterator[str]:
    """Yield imported classes, those of the platform left out."""
    for name in _IMPORT.findall(text):
        if not name.startswith(("java.", "kotlin.", "scala.", "android.", "groovy.")):
            yield name.rstrip(".")


def candidates(imported: str) -> tuple[str, ...]:
    """Return the artifacts that are known to hold a class; others are told by their group."""
    parts = imported.split(".")
    for count in range(min(4, len(parts)), 0, -1):
        if known := _HOMES.get(".".join(parts[:count])):
            return known
    return ()


def owns(package: str, imported: str) -> bool:
    """Return whether a class belongs to an artifact: its group leads, and the artifact's own words follow."""
    group, _, artifact = package.partition(":")
    parts, wanted = imported.split("."), [part for part in group.split(".") if part]
    shared = 0
    while shared < min(len(parts), len(wanted)) and parts[shared] == wanted[shared]:
        shared += 1
    if (
        len(wanted) < 2
        or shared < min(len(wanted), 3)
        or (shared < len(wanted) and not group.startswith("org.spring"))
    ):
        return False
    own = {word for word in _WORDS.split(artifact) if word} - set(wanted) - _SCAFFOLD
    return not own or bool(own & {part.lower() for part in parts[shared:]})


_LOCK = lazily(r"^(?P<name>[\w.-]{1,200}:[\w.-]{1,200}):(?P<version>[^=\s]{1,100})=", re.MULTILINE)
JVM = Ecosystem(
    name="jvm",
    suffixes=frozenset({"java", "kt", "kts", "scala", "groovy"}),
    reader=_reader,
    locks={"gradle.lockfile": (_LOCK,), "buildscript-gradle.lockfile": (_LOCK,)},
    imports=imports,
    candidates=candidates,
    owns=owns,
)
