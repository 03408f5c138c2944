"""The reference pages name everything there is."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from satchel.cli import COMMANDS, name_module
from satchel.cli.parsing import make, options_of
from satchel.config import KINDS, SETTINGS, Config
from satchel.schemas import read_schema

DOCS = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")


def parser_of(command: str) -> argparse.ArgumentParser:
    module = importlib.import_module(name_module(command))
    return make(command, module.DESCRIPTION, module.EXAMPLES, module.fill)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_in_the_reference(command: str) -> None:
    text = page("commands")
    shared, *sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    section = next(section for section in sections if section.startswith(f"`satchel {command}"))

    assert [option for option in options_of(parser_of(command)) if option not in shared + section] == []


def test_the_reference_names_no_option_that_is_not_there() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page("commands")))
    there = {option for name in COMMANDS for option in options_of(parser_of(name))}

    assert named - there == {"--version"}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_in_the_reference(setting: object) -> None:
    row = next(line for line in page("configuration").splitlines() if line.startswith(f"| `{setting.key}` "))  # type: ignore[attr-defined]

    assert setting.variable in row  # type: ignore[attr-defined]


def test_every_field_of_the_configuration_is_a_setting_or_made_by_loading() -> None:
    made = {"plugins", "origins", "warnings"}

    assert set(Config._fields) == made | {setting.name for setting in SETTINGS}


def test_every_kind_of_plugin_is_in_the_reference() -> None:
    assert [kind for kind in KINDS if f"`{kind}`" not in page("configuration")] == []


@pytest.mark.parametrize("name", ["pack", "why", "plugins", "session"])
def test_every_key_of_the_json_is_in_the_reference(name: str) -> None:
    section = page("json").split(f"## `{name}`")[1].split("\n## ")[0]

    assert [key for key in json.loads(read_schema(name))["properties"] if f"`{key}`" not in section] == []


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons = (DOCS / "explanation" / "dependencies.md").read_text(encoding="utf-8")

    names = [re.split("[<>=]", line)[0] for line in project["dependencies"]]

    assert [
        name for name in names if name.split("-")[:2] != ["tree", "sitter"] and f"`{name}`" not in reasons
    ] == []


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = [DOCS / "index.md", *(DOCS / "reference").glob("*.md"), DOCS.parent / "CONTRIBUTING.md"]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]

    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []
