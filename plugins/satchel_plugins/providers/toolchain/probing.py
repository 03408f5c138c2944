"""Find the versions of tools outside the workspace: from files if possible, else by running them within 2 s.

A tool that is asked gets an empty home that is removed afterwards, may write no byte into any file, and finds
no network.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from satchel.plugin_api import lazily, make_private_folder, read_record, write_record
from satchel_plugins.providers.toolchain.needs import TOOLS

_MOST_BYTES = 4 << 20
_VERSION = r"(\d{1,6}(?:\.\d{1,9}){0,5})"
_ASDF_NAMES = {"node": "nodejs", "go": "golang", "rustc": "rust", "cargo": "rust", "mvn": "maven"}
_BUNDLED = {"npm": "nodejs", "bundle": "ruby"}
_PACKAGES = frozenset({"npm", "pnpm", "yarn"})
"""Tools that are packages of npm: `package.json` above the program has the version."""


class Installed(NamedTuple):
    """A tool as its files describe it."""

    version: str = ""
    program: Path | None = None
    """The program to run for the version; None if nothing may be run."""


def look(name: str, place: Path) -> Installed:
    """Return a tool as the files around it describe it; a version manager's launcher must not be run."""
    real = Path(os.path.realpath(place))
    if _is_rustup(name, place, real):
        return _of_rustup(name)
    if place.parent.name == "shims":
        return _of_shims(name, place.parent.parent)
    if real.name.startswith("volta"):
        return Installed(_of_volta(name, place.parent.parent))
    if name not in real.name.lower():  # another launcher: snap, mise, a multi-call program
        return Installed()
    return _read_installed(name, real)


def _read_installed(name: str, real: Path) -> Installed:
    if name in _PACKAGES:
        package, version = _package(real)
        if package:
            return Installed(version if package == name else "")  # corepack downloads the others
    reader = _READERS.get(name)
    return Installed(reader(real) if reader else "", real)


def _package(real: Path) -> tuple[str, str]:
    """Return name and version of the npm package that a program is part of."""
    for folder in real.parents[:4]:
        try:
            held: object = json.loads(_text(folder / "package.json") or "null")
        except (ValueError, RecursionError):
            held = None
        if isinstance(held, dict) and isinstance(held.get("name"), str):
            return held["name"], _first(rf"\A{_VERSION}", str(held.get("version", "")))
    return "", ""


def _of_go(real: Path) -> str:
    return _first(rf"\Ago{_VERSION}", _text(real.parent.parent / "VERSION"))


def _of_java(real: Path) -> str:
    return _first(rf'^JAVA_VERSION="{_VERSION}', _text(real.parent.parent / "release"))


def _of_jar(jar: str) -> Callable[[Path], str]:
    def version(real: Path) -> str:
        found = (_first(rf"\A{jar}-{_VERSION}\.jar\Z", name) for name in _names(real.parent.parent / "lib"))
        return next(filter(None, found), "")

    return version


def _of_dotnet(real: Path) -> str:
    kits = [name for name in _names(real.parent / "sdk") if re.fullmatch(_VERSION, name)]
    return max(kits, key=_numbers, default="")


_READERS: Mapping[str, Callable[[Path], str]] = {
    "dotnet": _of_dotnet,
    "go": _of_go,
    "gradle": _of_jar("gradle-core"),
    "java": _of_java,
    "mvn": _of_jar("maven-core"),
}


def _is_rustup(name: str, place: Path, real: Path) -> bool:
    """Return whether a tool is rustup under another name: a link to it, the same file, or a copy."""
    if name not in ("cargo", "rustc"):
        return False
    if real.name.startswith("rustup"):
        return True
    try:
        return os.stat(real.with_name("rustup" + real.suffix)).st_size == os.stat(place).st_size
    except OSError:
        return False


def _of_rustup(name: str) -> Installed:
    """Return the version of rustup's default toolchain."""
    home = _folder("RUSTUP_HOME", ".rustup")
    chosen = _first(r'^default_toolchain\s*=\s*"([\w.-]{1,100})"', _text(home / "settings.toml"))
    folder = home / "toolchains" / chosen
    if not chosen or not folder.is_dir():
        return Installed()
    manifest = _text(folder / "lib/rustlib/multirust-channel-manifest.toml")
    version = _first(rf'^\[pkg\.rust\]\s*^version\s*=\s*"{_VERSION}', manifest)
    return Installed(version or _first(rf"\A{_VERSION}-", chosen), folder / "bin" / name)


def _of_shims(name: str, manager: Path) -> Installed:
    """Return the version that asdf, or a manager made like rbenv, starts outside of any project."""
    wanted = _BUNDLED.get(name) or _ASDF_NAMES.get(name, name)
    line = _first(rf"^{wanted}[ \t]+([\w.-]{{1,60}})", _text(_home() / ".tool-versions"))
    chosen = line or _first(r"\A\s*([\w.-]{1,60})", _text(manager / "version"))
    for folder in (manager / "installs" / wanted / chosen, manager / "versions" / chosen):
        if chosen and folder.is_dir():
            real = Path(os.path.realpath(folder / "bin" / name))
            is_tool = name in real.name.lower() and real.is_file()
            return _read_installed(name, real) if is_tool else Installed()
    return Installed()


def _of_volta(name: str, manager: Path) -> str:
    try:
        held: object = json.loads(_text(manager / "tools/user/platform.json") or "null")
    except (ValueError, RecursionError):
        return ""
    found = held.get(name) if isinstance(held, dict) else None
    if name in ("node", "npm") and isinstance(held, dict) and isinstance(held.get("node"), dict):
        found = held["node"].get("runtime" if name == "node" else "npm")
    return _first(rf"\A{_VERSION}\Z", found) if isinstance(found, str) else ""


def _folder(variable: str, usual: str) -> Path:
    chosen = os.environ.get(variable, "")
    return Path(chosen) if os.path.isabs(chosen) else _home() / usual


def _home() -> Path:
    return Path(os.path.expanduser("~"))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _names(folder: Path) -> Iterator[str]:
    try:
        yield from sorted(os.listdir(folder))
    except OSError:  # installed in another way
        return


def _text(path: Path) -> str:
    """Return the text of a file, "" if there is none; a pipe in its place has no text."""
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(number, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


LIMIT_SECONDS = 2.0
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {"go": ("version",), "java": ("-XX:-UsePerfData", "-version")}
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
    "PYTHONDONTWRITEBYTECODE": "1",
}
_HOMES = (
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_NOWHERE = "http://127.0.0.1:9"
_WRITE_NOTHING = ("/bin/sh", "-c", 'trap "" XFSZ; ulimit -c 0; ulimit -f 0; exec "$@"', "sh")
"""Starts a program with a limit of 0 bytes for every file that it writes; pipes have none."""
_PROBING_VERSION = lazily(r"\d{1,6}(?:\.\d{1,9}){1,5}")
_SHORT_VERSION = lazily(r"\bversion\s\"?(\d{1,6})\b")
_MOST_OUTPUT = 4_096
_CACHE = "tools.json"


def find(name: str, root: Path, search: str) -> Path | None:
    """Return a tool of this name on the search path whose real place is outside the root, None without one.

    Entries of the search path that are relative, or in the root, are left out.
    """
    if name not in TOOLS:
        return None
    for entry in search.split(os.pathsep):
        for suffix in ("", ".exe") if os.name == "nt" else ("",):
            place = os.path.join(entry, name + suffix)
            if os.access(place, os.X_OK) and os.path.isfile(place) and _is_outside(entry, place, root):
                return Path(place)
    return None


def _is_outside(entry: str, place: str, root: Path) -> bool:
    """Return whether an entry of the search path is absolute, and neither it nor the tool is in the root."""
    return os.path.isabs(entry) and not (_is_inside(Path(entry), root) or _is_inside(Path(place), root))


def _is_inside(path: Path, root: Path) -> bool:
    """Return whether a path or its target is in the root."""
    return path.is_relative_to(root) or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def versions(tools: Mapping[str, Path], root: Path, cache: Path) -> dict[str, str]:
    """Return the version of each tool, "" if it is not found in time.

    Files come first; a program that must be run is run once, and again when it has changed.
    """
    seen = {name: look(name, path) for name, path in tools.items()}
    programs = {
        name: told.program
        for name, told in seen.items()
        if told.program is not None and not told.version and not _is_inside(told.program, root)
    }
    stamps = {name: _stamp(path) for name, path in programs.items()}
    known = _load(cache / _CACHE) if programs else {}
    fresh = {name: path for name, path in programs.items() if stamps[name] not in known}
    if fresh:
        known |= {stamps[name]: version for name, version in _ask(fresh, root, cache).items() if version}
        write_record(cache / _CACHE, known)
    return {name: told.version or known.get(stamps.get(name, ""), "") for name, told in seen.items()}


def _stamp(path: Path) -> str:
    """Return a key that changes when the tool does."""
    real = os.path.realpath(path)
    try:
        told = os.stat(real)
    except OSError:  # gone meanwhile: running it will show
        return f"{path}|{real}"
    return f"{path}|{real}|{told.st_mtime_ns}|{told.st_size}"


def _ask(tools: Mapping[str, Path], root: Path, cache: Path) -> dict[str, str]:
    """Run all tools in parallel and return their answers, until the time is up."""
    with _passing_folder(cache) as folder:
        env = _environment(root, folder)
        started = {name: _start(name, path, env, folder) for name, path in tools.items()}
        running = {name: process for name, process in started.items() if process is not None}
        until = time.monotonic() + LIMIT_SECONDS
        return {
            name: _answer(process, max(0.05, until - time.monotonic())) for name, process in running.items()
        }


@contextlib.contextmanager
def _passing_folder(cache: Path) -> Iterator[str]:
    """Make the empty folder that tools take for the home and the current one, and remove it after them.

    It is in the cache folder if that can be written: many tools look for settings in the folders above,
    and in that for temporary files anybody may have put some.
    """
    try:
        make_private_folder(cache)
        made = tempfile.mkdtemp(prefix="home-", dir=cache)
    except OSError:
        made = tempfile.mkdtemp(prefix="satchel-")
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _environment(root: Path, folder: str) -> dict[str, str]:
    """Return a search path without the workspace, a home that is gone soon, and no way to a network."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    outside = [entry for entry in entries if os.path.isabs(entry) and not _is_inside(Path(entry), root)]
    kept = {key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ}
    homes = dict.fromkeys(_HOMES, folder)
    return kept | _QUIET | dict.fromkeys(_PROXIES, _NOWHERE) | homes | {"PATH": os.pathsep.join(outside)}


def _start(name: str, path: Path, env: Mapping[str, str], folder: str) -> subprocess.Popen[bytes] | None:
    limited = _WRITE_NOTHING if os.name == "posix" else ()
    try:
        return subprocess.Popen(  # noqa: S603 - a known tool outside the workspace, fixed arguments
            [*limited, str(path), *_ARGUMENTS.get(name, ("--version",))],
            cwd=folder,
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
    found = _PROBING_VERSION.search(text)
    short = None if found else _SHORT_VERSION.search(text)
    return found[0] if found else short[1] if short else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a tool and its child processes."""
    with contextlib.suppress(OSError):  # it ended by itself
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _load(path: Path) -> dict[str, str]:
    """Return the versions that are known."""
    return {
        key: version
        for key, version in read_record(path).items()
        if isinstance(version, str) and _PROBING_VERSION.fullmatch(version)
    }
