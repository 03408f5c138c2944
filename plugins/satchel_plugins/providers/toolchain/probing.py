"""Asks tools outside the workspace for their versions: no shell, little environment, two seconds."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from satchel.patterns import lazily

LIMIT_SECONDS = 2.0
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {"go": ("version",), "java": ("-version",)}
KNOWN = frozenset(
    [
        "bun",
        "bundle",
        "cargo",
        "cmake",
        "composer",
        "deno",
        "docker",
        "dotnet",
        "git",
        "go",
        "gradle",
        "java",
        "just",
        "make",
        "mvn",
        "node",
        "npm",
        "php",
        "pnpm",
        "poetry",
        "ruby",
        "rustc",
        "uv",
        "yarn",
    ]
)
"""Tools that may be run; any other name is looked for and not run."""
_QUIET = {
    "LC_ALL": "C",
    "GOTOOLCHAIN": "local",
    "GOENV": "off",
    "NO_UPDATE_NOTIFIER": "1",
    "COREPACK_ENABLE_NETWORK": "0",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
    "DOTNET_NOLOGO": "1",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
    "RUSTUP_AUTO_INSTALL": "0",
    "COMPOSER_NO_INTERACTION": "1",
}
_VERSION = lazily(r"\d{1,6}(?:\.\d{1,9}){1,5}")
_SHORT_VERSION = lazily(r"\bversion\s\"?(\d{1,6})\b")
_MOST_OUTPUT = 4_096
_CACHE = "tools.json"


def find(name: str, root: Path, search: str) -> Path | None:
    """Return a tool of this name on the search path whose real place is outside the root, None without one.

    Entries of the search path that are relative, or lie in the root, are left out.
    """
    if name not in KNOWN:
        return None
    for entry in search.split(os.pathsep):
        for suffix in ("", ".exe") if os.name == "nt" else ("",):
            place = os.path.join(entry, name + suffix)
            if os.access(place, os.X_OK) and os.path.isfile(place) and _is_outside(entry, place, root):
                return Path(place)
    return None


def _is_outside(entry: str, place: str, root: Path) -> bool:
    """Tell whether neither a tool nor the entry of the search path, an absolute one, lies in the root."""
    return os.path.isabs(entry) and not (_is_inside(Path(entry), root) or _is_inside(Path(place), root))


def _is_inside(path: Path, root: Path) -> bool:
    """Return whether a path, or what it leads to, lies in the root."""
    return path.is_relative_to(root) or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def versions(tools: Mapping[str, Path], root: Path, cache: Path) -> dict[str, str]:
    """Return the version of each tool, "" where it tells none in time; known ones are not asked again."""
    stamps = {name: _stamp(path) for name, path in tools.items()}
    known = _load(cache / _CACHE)
    fresh = {name: path for name, path in tools.items() if stamps[name] not in known}
    if fresh:
        known |= {stamps[name]: version for name, version in _ask(fresh, root).items() if version}
        _save(cache / _CACHE, known)
    return {name: known.get(stamps[name], "") for name in tools}


def _stamp(path: Path) -> str:
    """Return a key that changes when the tool does."""
    real = os.path.realpath(path)
    try:
        told = os.stat(real)
    except OSError:  # gone meanwhile: asking it will tell
        return f"{path}|{real}"
    return f"{path}|{real}|{told.st_mtime_ns}|{told.st_size}"


def _ask(tools: Mapping[str, Path], root: Path) -> dict[str, str]:
    """Run all of the tools side by side and return what they say, until the time is up."""
    env = _environment(root)
    running = {
        name: process for name, path in tools.items() if (process := _start(name, path, env)) is not None
    }
    until = time.monotonic() + LIMIT_SECONDS
    return {name: _answer(process, max(0.05, until - time.monotonic())) for name, process in running.items()}


def _environment(root: Path) -> dict[str, str]:
    """Return a search path without the workspace, and the home that version managers need."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    outside = [entry for entry in entries if os.path.isabs(entry) and not _is_inside(Path(entry), root)]
    kept = {key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ}
    home = os.environ.get("HOME", "")
    if home and not _is_inside(Path(home), root):
        kept["HOME"] = home
    return kept | _QUIET | {"PATH": os.pathsep.join(outside)}


def _start(name: str, path: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(  # noqa: S603 - a known tool outside the workspace, fixed arguments
            [str(path), *_ARGUMENTS.get(name, ("--version",))],
            cwd=os.path.abspath(os.sep),
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError:  # no program for this machine: as good as absent
        return None


def _answer(process: subprocess.Popen[bytes], seconds: float) -> str:
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return ""
    if process.returncode != 0:
        return ""
    text = output[:_MOST_OUTPUT].decode("utf-8", "replace")
    found = _VERSION.search(text)
    short = None if found else _SHORT_VERSION.search(text)
    return found[0] if found else short[1] if short else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a tool and what it started."""
    with contextlib.suppress(OSError):  # it ended by itself
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _load(path: Path) -> dict[str, str]:
    """Return the versions that are known, {} where the file is damaged or somebody else's."""
    try:
        told = path.stat()
        if not stat.S_ISREG(told.st_mode) or (hasattr(os, "getuid") and told.st_uid != os.getuid()):
            return {}
        held: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    pairs: Iterable[tuple[object, object]] = held.items() if isinstance(held, dict) else ()
    return {
        key: version
        for key, version in pairs
        if isinstance(key, str) and isinstance(version, str) and _VERSION.fullmatch(version)
    }


def _save(path: Path, known: Mapping[str, str]) -> None:
    """Write the file as a whole; where that fails the tools are asked again next time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as written:
            json.dump(dict(sorted(known.items())), written)
        os.replace(written.name, path)
