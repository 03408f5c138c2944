"""Tells a tool's version from the files that it was installed with, so that nothing has to run.

A version manager puts a launcher of its own in the place of many tools (rustup, asdf, volta, corepack). Such
a launcher writes settings, makes folders or downloads the tool before it says a word: it is never run. What
it would start is looked up in the manager's own files instead.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_MOST_BYTES = 4 << 20
_VERSION = r"(\d{1,6}(?:\.\d{1,9}){0,5})"
_ASDF_NAMES = {"node": "nodejs", "go": "golang", "rustc": "rust", "cargo": "rust", "mvn": "maven"}
_BUNDLED = {"npm": "nodejs", "bundle": "ruby"}
_PACKAGES = frozenset({"npm", "pnpm", "yarn"})
"""Tools that are packages of npm: `package.json` above the program tells the version."""


class Installed(NamedTuple):
    """What the files tell of a tool."""

    version: str = ""
    program: Path | None = None
    """What may be run to ask for the version; None where nothing may."""


def look(name: str, place: Path) -> Installed:
    """Return what the files around a tool tell of it; a launcher of a version manager is not to be run."""
    real = Path(os.path.realpath(place))
    if _is_rustup(name, place, real):
        return _of_rustup(name)
    if place.parent.name == "shims":
        return _of_shims(name, place.parent.parent)
    if real.name.startswith("volta"):
        return Installed(_of_volta(name, place.parent.parent))
    if name not in real.name.lower():  # another launcher: snap, mise, a multi-call program
        return Installed()
    return _installed(name, real)


def _installed(name: str, real: Path) -> Installed:
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
    """Tell whether a tool is rustup under another name: a link to it, the same file, or a copy."""
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
            return _installed(name, real) if is_tool else Installed()
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
    """Return what a file holds, "" where there is none; a pipe in its place holds nothing."""
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(number, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""
