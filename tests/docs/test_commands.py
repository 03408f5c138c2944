"""No page shows a command line that the real parser refuses."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import pytest

from satchel import UsageError
from satchel.cli import COMMANDS, name_module
from satchel.cli.parsing import make, options_of
from satchel.cli.session import SUBCOMMANDS

from .pages import PAGES, ROOT, name_of, read, shell_lines

_VARIABLE = re.compile(r"[A-Z_]+=\S*")
_END = ("|", ">", "<", ";", "&&", "||", "2>&1")


def satchel_words(line: str) -> list[str]:
    """Return the words of the `satchel` call in a line of shell, [] where there is none."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return []
    while words and (_VARIABLE.fullmatch(words[0]) or words[0] == "time"):
        words.pop(0)
    for at, word in enumerate(words):
        if word == "satchel" and (at == 0 or words[at - 1] in ("|", "&&")):
            call = words[at + 1 :]
            return call[: next((i for i, w in enumerate(call) if w in _END or w[:2] == "2>"), len(call))]
    return []


def refused(words: list[str]) -> str:
    """Say why the parser refuses a call, "" where it does not."""
    if words[0] in ("help", "--version") or words[1:] == ["--help"]:
        return (
            ""
            if not words[1:] or words[0] == "--version" or {*words[1:], words[0]} & {*COMMANDS, "COMMAND"}
            else words[1]
        )
    if words[0] not in COMMANDS:
        return f"no command {words[0]}"
    module = importlib.import_module(name_module(words[0]))
    try:
        make(words[0], module.DESCRIPTION, module.EXAMPLES, module.fill).parse_words(words[1:])
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_command_lines_of_a_page_are_understood(page: Path) -> None:
    calls = [satchel_words(line) for line in shell_lines(page.read_text(encoding="utf-8"))]

    assert [(call, why) for call in calls if call and (why := refused(call))] == []


@pytest.mark.parametrize(
    "line",
    ["satchel pakc x", "satchel pack x --bugdet 3", "A=1 satchel why x | satchel expand", "satchel pack"],
)
def test_a_command_line_that_is_wrong_is_found(line: str) -> None:
    assert refused(satchel_words(line))


def test_the_pages_show_every_command() -> None:
    shown = {
        words[0]
        for page in PAGES
        for line in shell_lines(page.read_text("utf-8"))
        if (words := satchel_words(line))
    }

    assert set(COMMANDS) - shown == set()


def test_the_table_of_the_session_command_names_every_subcommand() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    section = page.partition("## `satchel session SUBCOMMAND`")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    named = {name for cell in first_cells for name in re.findall(r"`([a-z-]+)", cell)}

    assert set(SUBCOMMANDS) - named == set()


FOR_DEVELOPERS = {"CONTRIBUTING.md", "SECURITY.md"}
"""Pages that name options of pytest and of pip."""
OF_SERVERS = {"--kv-cache-dtype", "--gpu-memory-utilization"}
"""Options of servers of models, which pages about windows name."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_in_the_text_exist(page: Path) -> None:
    there = {"--version", "--help", "--debug", *OF_SERVERS}
    for name in COMMANDS:
        module = importlib.import_module(name_module(name))
        there |= {*options_of(make(name, module.DESCRIPTION, module.EXAMPLES, module.fill))}
    named = re.findall(r"`(?:satchel [^`]*?)?(--[a-z][a-z-]+)", page.read_text(encoding="utf-8"))

    assert [option for option in named if option not in there and page.name not in FOR_DEVELOPERS] == []


@pytest.mark.parametrize(
    ("page", "command"),
    [
        ("install", "uvx satchel pack"),
        ("set-up-a-project", "satchel init"),
        ("trust-instructions", "satchel trust AGENTS.md"),
        ("complete-words", "satchel completion bash"),
        ("pre-commit", "satchel config show"),
        ("github-action", "satchel pack"),
        ("container", "docker run"),
        ("use-from-an-mcp-client", "satchel mcp"),
        ("install-into-agents", "satchel install claude-code"),
        ("claude-code", "satchel install claude-code"),
        ("run-a-proxy", "satchel proxy --upstream"),
        ("use-in-langchain", "pip install satchel langchain"),
        ("use-in-openai-agents", "pip install satchel openai-agents"),
        ("use-in-pydantic-ai", "pip install satchel pydantic-ai"),
        ("use-in-llamaindex", "pip install satchel llama-index-core"),
        ("use-in-llm", "llm install llm-satchel"),
        ("use-in-smolagents", "pip install satchel smolagents"),
        ("use-in-google-adk", "pip install satchel google-adk"),
        ("use-in-haystack", "pip install satchel haystack-ai"),
        ("use-in-litellm", "pip install satchel 'litellm[proxy]'"),
    ],
)
def test_the_page_of_a_plug_begins_with_its_command(page: str, command: str) -> None:
    title, _, rest = read(f"how-to/{page}").partition("\n\n")

    assert title.startswith("# ")
    assert rest.startswith(f"    {command}")
