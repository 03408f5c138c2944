"""The published JSON Schemas of what commands print, as files of the distribution."""

from __future__ import annotations


def published(name: str) -> str:
    """Return the text of a schema: `pack`, `why`, `suggest`, `compact`, `plugins`, `gpu`, `size` or `session`."""
    from importlib.resources import files

    return files("satchel.schemas").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
