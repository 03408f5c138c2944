"""Packages in use: what the task names and files import, found in manifests and lock files."""

from __future__ import annotations

from collections.abc import Iterable

from satchel.plugin_api import lazily

_ASIDE = lazily(r"(^|/)(tests?|testdata|fixtures?|__tests__|specs?|examples?|samples?|templates?|docs?)/")
_SUFFIXES = frozenset(
    """
    toml txt in pip gradle kts gemspec csproj fsproj vbproj props lock lockfile json mod sum cfg yml yaml
    locked xml config
    """.split()  # noqa: SIM905
)
_FILES = frozenset({"Pipfile", "Gemfile", "gems.rb", "setup.py"})


def is_aside(path: str) -> bool:
    """Return whether a manifest is one of a test, an example or the docs: it counts for files beside it."""
    return _ASIDE.search(path) is not None


def find_manifests(paths: Iterable[str]) -> list[str]:
    """Return the paths that by their names may be manifests or lock files of any ecosystem."""
    named = ((path, path.rpartition("/")[2]) for path in paths)
    return [path for path, name in named if name in _FILES or name.rpartition(".")[2] in _SUFFIXES]
