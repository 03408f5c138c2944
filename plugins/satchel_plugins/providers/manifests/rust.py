"""Rust: Cargo.toml with what its workspace hands down, and Cargo.lock."""

from __future__ import annotations

from collections.abc import Iterator

from satchel.plugin_api import lazily
from satchel_plugins.providers.manifests.records import Ecosystem, Reader, Requirement, Sort, values

_TABLES = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}
_USE = lazily(
    r"(?:\buse\s{1,9}(?:::)?|\bextern\s{1,9}crate\s{1,9}|(?<![\w:.$]))([a-z_]\w{0,63})(?=::|;|\s{1,9}as\b)"
)
_LOCAL = frozenset({"crate", "self", "super", "std", "core", "alloc"})


def normal(name: str) -> str:
    """Return a crate's name as its code writes it."""
    return name.replace("-", "_").lower()


def _cargo(text: str) -> Iterator[Requirement]:
    """Yield each crate once for each table; `[dependencies.name]` and `name.workspace = true` too."""
    seen: set[tuple[str, ...]] = set()
    for value in values(text):
        place = _place(value.table)
        if place is None or not value.key:
            continue
        group, sort, rest = place
        path = [*rest, *value.key]
        if len(path) > 2 or (len(path) == 2 and path[1] not in _FIELDS):
            continue
        told = {path[1]: value.text} if len(path) == 2 else value.fields
        if (*value.table, path[0]) in seen:
            continue
        seen.add((*value.table, path[0]))
        wanted = _read_wanted(told) if told or value.text.startswith("{") else value.text
        name = told.get("package", path[0])
        yield Requirement(name, wanted, value.line, group, sort, alias=path[0] if name != path[0] else "")


_FIELDS = ("version", "workspace", "git", "path", "package")


def _place(table: tuple[str, ...]) -> tuple[str, Sort, tuple[str, ...]] | None:
    """Return group, sort and the rest of a table's name, None where it holds no dependencies."""
    if table[:1] == ("target",):
        table = table[2:]
    if table[:2] == ("workspace", "dependencies"):
        return "", Sort.MANAGED, table[2:]
    return (_TABLES[table[0]], Sort.DECLARED, table[1:]) if table and table[0] in _TABLES else None


def _read_wanted(told: dict[str, str]) -> str:
    if told.get("workspace") == "true":
        return ""
    if "version" in told:
        return told["version"]
    return next((f"{key} {told[key]}" for key in ("git", "path") if key in told), "")


def _reader(path: str) -> Reader | None:
    return _cargo if path.rpartition("/")[2] == "Cargo.toml" else None


def imports(text: str) -> Iterator[str]:
    """Yield the first names of paths: crates among modules, which the manifest tells apart."""
    yield from dict.fromkeys(name for name in _USE.findall(text) if name not in _LOCAL)


def candidates(imported: str) -> tuple[str, ...]:
    """Return the crate of a name."""
    return (imported,)


_LOCK = lazily(r'\nname = "(?P<name>[^"\n]{1,200})"\r?\nversion = "(?P<version>[^"\n]{1,100})"')
RUST = Ecosystem(
    name="rust",
    suffixes=frozenset({"rs"}),
    reader=_reader,
    locks={"Cargo.lock": (_LOCK,)},
    imports=imports,
    candidates=candidates,
    normal=normal,
    bare_is_exact=False,
)
