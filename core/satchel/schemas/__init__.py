"""The published JSON Schemas of commands' output, as files of the distribution."""

from __future__ import annotations


def read_schema(name: str) -> str:
    """Return the text of a schema, by the name of its file: `pack`, `why`, `window` and so on."""
    from importlib.resources import files

    return files("satchel.schemas").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
