"""Packages in use: named in the task or imported by files, found in manifests and lock files."""

from __future__ import annotations

from collections.abc import Iterable

from satchel.plugin_api import lazily

_ASIDE = lazily(r"(^|/)(tests?|testdata|fixtures?|__tests__|specs?|examples?|samples?|templates?|docs?)/")
_FILES = frozenset(
    """
    pyproject.toml Pipfile setup.py setup.cfg environment.yml environment.yaml uv.lock poetry.lock
    pdm.lock pylock.toml Pipfile.lock package.json package-lock.json npm-shrinkwrap.json yarn.lock
    pnpm-lock.yaml go.mod go.sum Cargo.toml Cargo.lock pom.xml gradle.lockfile
    buildscript-gradle.lockfile Gemfile gems.rb Gemfile.lock gems.locked composer.json composer.lock
    packages.config packages.lock.json Directory.Packages.props Directory.Build.props
    """.split()  # noqa: SIM905
)
_ENDINGS = (".txt", ".in", ".pip", ".gradle", ".gradle.kts", ".versions.toml", ".gemspec", "proj")
_LISTED = lazily(r"(?i)req|constraint|dep")
"""Words in the paths of lists that are manifests only by their names: `dev-requirements.txt`."""


def is_aside(path: str) -> bool:
    """Return whether a manifest is of a test, an example or the docs: it counts for files beside it."""
    return _ASIDE.search(path) is not None


def find_manifests(paths: Iterable[str]) -> list[str]:
    """Return the paths that by their names may be manifests or lock files of any ecosystem."""
    return [
        path
        for path in paths
        if path.rpartition("/")[2] in _FILES
        or (path.endswith(_ENDINGS) and (not path.endswith(_ENDINGS[:3]) or _LISTED.search(path)))
    ]
