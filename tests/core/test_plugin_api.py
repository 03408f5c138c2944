"""One module has all that a plugin may import; its names are there, and are those that `satchel` has."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

from tests.docs.pages import ROOT

import satchel
import satchel_plugins
from satchel import plugin_api

SCRIPT = ROOT / "docs/reference/plugin_api.py"

PLUGINS = Path(satchel_plugins.__file__).parent


def imported() -> set[str]:
    """Return what the built-in plugins import of the module."""
    return {
        alias.name
        for path in PLUGINS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "satchel.plugin_api"
        for alias in node.names
    }


def test_every_name_is_there() -> None:
    assert [name for name in plugin_api.__all__ if getattr(plugin_api, name, None) is None] == []


def test_names_that_satchel_has_are_the_same_objects() -> None:
    shared = set(plugin_api.__all__) & set(satchel.__all__)

    assert len(shared) > 20
    assert [name for name in shared if getattr(plugin_api, name) is not getattr(satchel, name)] == []


def test_built_ins_import_what_is_there() -> None:
    assert imported() - set(plugin_api.__all__) == set()


def test_the_page_is_what_the_source_says() -> None:
    script = runpy.run_path(str(SCRIPT))

    assert script["page"]() == SCRIPT.with_name("plugin-api.md").read_text("utf-8"), f"run python {SCRIPT}"
