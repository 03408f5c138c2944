"""Packages in use: what the task names and files import, found in manifests and lock files."""

from __future__ import annotations

from satchel.plugin_api import lazily

_ASIDE = lazily(r"(^|/)(tests?|testdata|fixtures?|__tests__|specs?|examples?|samples?|templates?|docs?)/")


def is_aside(path: str) -> bool:
    """Return whether a manifest is one of a test, an example or the docs: it counts for files beside it."""
    return _ASIDE.search(path) is not None
