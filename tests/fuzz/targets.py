"""What is fuzzed: readers and splitters, each with what must hold for any bytes at all.

`fuzz.py` feeds them from atheris, `test_targets.py` from hypothesis and from the inputs that once failed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from satchel import ContextItem, SatchelError
from satchel.config.files import of_person, of_workspace
from satchel.host import check_parts
from satchel.packing import cover_lines
from satchel.paths import inside
from satchel.plugin_api import KnownPaths, decode, find_frames, lines_of, safe_text
from satchel.pointers import parse
from satchel.redaction import redact
from satchel.references import find_pins, make_task
from satchel.workspace import Scope, count_words, is_excluded, read_blame, read_patch, read_rules, read_status
from satchel_plugins.providers import ECOSYSTEMS, find_locked, read_report
from satchel_plugins.providers.toolchain.needs import satisfies
from satchel_plugins.representers import REPRESENTERS

Target = Callable[[bytes], None]
PATHS = ("src/app.py", "src/shop/cart.py", "README.md", "a b/ü.ts", "x", "tests/test_cart.py", "go.mod")
MANIFESTS = (
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "environment.yml",
    "package.json",
    "pnpm-workspace.yaml",
    "go.mod",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "gradle/libs.versions.toml",
    "Gemfile",
    "x.gemspec",
    "composer.json",
    "app.csproj",
    "packages.config",
    "Directory.Packages.props",
)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def decoding(data: bytes) -> None:
    """Decode any bytes: what comes out can be written, and binary has no text."""
    decoded = decode(data)
    decoded.text.encode("utf-8", "surrogatepass")
    assert decoded.text == "" or decoded.encoding != "binary"
    count_words(decoded.text)


def ignore_files(data: bytes) -> None:
    """Read rules and ask them about a path from the same bytes."""
    rules, _, path = data.rpartition(b"\n\n")
    chain = (Scope(b"", read_rules(rules or data)),)
    for asked in (path.strip(b"/") or b"a/b.c", b"src/app.py", b"build/x/y.o"):
        is_excluded(chain, asked, is_folder=False)
        is_excluded(chain, asked, is_folder=True)


def git_output(data: bytes) -> None:
    """Read what git prints: a patch, a status, a blame."""
    for diff in read_patch(data):
        diff.path.encode("utf-8", "surrogateescape")
    read_status(data, "")
    read_blame(data)


def references(data: bytes) -> None:
    """Find what a task names, and resolve pins: only errors that the caller can be told."""
    text = _text(data)
    task = make_task(text, PATHS)
    assert all(reference.path in ("", *PATHS) for reference in task.references)
    try:
        find_pins(text, make_paths())
    except SatchelError:
        return


def make_paths() -> KnownPaths:
    """Return the paths of a small workspace."""
    return KnownPaths(PATHS)


def pointers(data: bytes) -> None:
    """Read a pointer: what is read again is the same, what is none is a PointerError."""
    for written in (_text(data), f"satchel://{_text(data)}"):
        try:
            pointer = parse(written)
        except SatchelError:
            continue
        assert pointer.lines[0] <= pointer.lines[1]
        if pointer.path.strip("/"):  # no path of a workspace is written as slashes alone
            assert parse(pointer.uri()).path == pointer.path


def paths(data: bytes) -> None:
    """Resolve a path below a root: it stays there, or is refused."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        try:
            found = inside(root, data.decode("utf-8", "surrogateescape"))
        except (SatchelError, ValueError):
            return
        assert found == root or root in found.parents
    assert safe_text(_text(data)).isprintable()


def tracebacks(data: bytes) -> None:
    """Find the frames of tracebacks in any text."""
    assert all(frame.line >= 0 for frame in find_frames(_text(data)))


def configuration(data: bytes) -> None:
    """Read configuration files: errors are told, none is raised."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("satchel.toml", "pyproject.toml", "llm_context.json"):
            (Path(folder) / name).write_bytes(data)
        of_person(Path(folder) / "satchel.toml")
        of_workspace(Path(folder))


def manifests(data: bytes) -> None:
    """Read all manifests and lock files, and what sources import."""
    text = _text(data)
    for ecosystem in ECOSYSTEMS:
        for name in filter(ecosystem.declares, MANIFESTS):
            found = ecosystem.find_declarations(name, text)
            assert all(0 < entry.line <= text.count("\n") + 1 for entry in found)
        for patterns in ecosystem.locks.values():
            find_locked(text, patterns)
        for imported in ecosystem.imports(text)[:50]:
            ecosystem.candidates(imported)
    version, _, wanted = text[:400].partition(" ")
    satisfies(version, wanted)


def reports(data: bytes) -> None:
    """Read the reports of builds, tests and checkers."""
    for kind in ("log", "junit", "sarif", "coverage"):
        read_report(kind, _text(data))


def splitting(data: bytes) -> None:
    """Split with every representer: parts in order, that cover the lines exactly."""
    text = decode(data).text
    count = len(lines_of(text))
    for representer in [later.load() for later in REPRESENTERS]:
        path = f"x.{data[:1].hex()}"
        item = ContextItem(id="file:x", kind="file", provider="", title="x", path=path, text=text)
        parts = check_parts(representer().split(item), text)
        covered = cover_lines(parts, count)
        assert [line for part in covered for line in range(part.lines[0], part.lines[1] + 1)] == list(
            range(1, count + 1)
        )


def redaction(data: bytes) -> None:
    """Redact any text: it keeps its lines, and redacting again changes nothing."""
    text = _text(data)
    once = redact(text)
    assert once.text.count("\n") == text.count("\n")
    assert redact(once.text).text == once.text


TARGETS: Mapping[str, Target] = {
    target.__name__: target
    for target in (
        decoding,
        ignore_files,
        git_output,
        references,
        pointers,
        paths,
        tracebacks,
        configuration,
        manifests,
        reports,
        splitting,
        redaction,
    )
}
