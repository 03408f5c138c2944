"""The system, the interpreter and the tools that the project needs, beside the versions that it asks for."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import Aim, ContextItem, cache_folder, lazily, read_question
from satchel_plugins.providers.texts import within
from satchel_plugins.providers.toolchain.needs import TOOLS, Ask, needs, satisfies

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_ASKS = lazily(
    r"\b(buil[dt]\w*|compil\w*|install\w*|versions?|upgrad\w*|downgrad\w*|environment|set ?up|toolchain"
    r"|interpreter|ci|docker\w*|deploy\w*|packaging|linux|windows|macos|darwin|platform|architecture"
    r"|python ?\d[\d.]*|node(js)? ?\d[\d.]*|java ?\d[\d.]*|go ?1\.\d+|rustc?|cargo|npm|yarn|pnpm|maven"
    r"|gradle|dotnet|makefile|venv|requires?.python|incompatib\w*|unsupported)\b",
    re.IGNORECASE,
)
_AIMS = frozenset({Aim.CONFIGURATION, Aim.DECLARED})
_OF_VERSIONS = lazily(r"\b(versions?|minim(um|al)|oldest|lowest|newest|least|requir|support)", re.IGNORECASE)
_LONGEST_TASK = 20_000
_MOST_TOOLS = 10
_MOST_ASKS = 3
_OPENING = "what builds and runs this project, with versions:"


@attrs.frozen(eq=False, repr=False)
class Environment:
    """Offer one short item; tools are asked for their versions only if the task is about running things.

    Only tools outside the workspace are run, and nothing of the environment is shown but versions. If the
    installed files of a tool contain its version, it is not run at all.
    """

    name, wave = "environment", 1
    max_items: int = 1
    max_tokens: int = 200
    asked: float = 0.8
    """Relevance if the task is about running things."""
    aside: float = 0.1
    """Relevance if it is not."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the item, () if neither the task nor the workspace asks for tools."""
        tools, asks = needs(workspace)
        is_asked = _ASKS.search(task.text[:_LONGEST_TASK]) is not None
        if not is_asked and set(tools) <= {"git"}:
            return []
        lines = [_OPENING, f"system: {_system()}"]
        if is_asked:
            found = _find_versions(tools, workspace)
            lines += [_line("python", platform.python_version(), asks, place=" (runs satchel)")]
            lines += [_line(tool, found.get(tool), asks) for tool in _others(tools)]
        else:
            lines += [f"{ask.tool} {_describe_ask(ask)}" for ask in dict.fromkeys(asks)]
        text = within("".join(f"{line}\n" for line in lines), self.max_tokens)
        return [
            ContextItem(
                id="environment:tools",
                provider=self.name,
                kind="environment",
                title="environment",
                text=text,
                relevance=self.asked if is_asked else self.aside,
                is_answer=_tells_version(task.text[:_LONGEST_TASK], {ask.tool for ask in asks}),
            )
        ]


def _tells_version(text: str, tools: Collection[str]) -> bool:
    """Return whether a task asks for the needed version of one of the tools in the project's files."""
    if not tools or not _OF_VERSIONS.search(text) or _AIMS.isdisjoint(read_question(text).aims):
        return False
    return re.search(rf"\b({'|'.join(map(re.escape, tools))})(js)?[\d.]*\b", text, re.IGNORECASE) is not None


def _find_versions(tools: Mapping[str, str], workspace: Workspace) -> dict[str, str]:
    """Return the versions of the tools that are installed, "" for an unknown version."""
    from satchel_plugins.providers.toolchain.probing import find, versions

    search = os.environ.get("PATH", os.defpath)
    places = {
        tool: path for tool in _others(tools) if (path := find(tool, workspace.root, search)) is not None
    }
    return versions(places, workspace.root, cache_folder())


def _system() -> str:
    """Return the name and version of the system, without the machine's name."""
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:  # not a Linux of today
        name = f"{platform.system()} {platform.mac_ver()[0] or platform.win32_ver()[0]}".strip()
    return f"{name[:60]}, {platform.system()} {platform.machine()}"


def _others(tools: Mapping[str, str]) -> Sequence[str]:
    return [tool for tool in tools if tool != "python"][:_MOST_TOOLS]


def _line(tool: str, version: str | None, asks: Sequence[Ask], *, place: str = "") -> str:
    """Return `node 20.11.1; asked for >=22 in package.json:7: does not fit`."""
    mine = [ask for ask in dict.fromkeys(asks) if ask.tool == tool][:_MOST_ASKS]
    if tool not in TOOLS and tool != "python":  # nobody looked for it
        return f"{tool} {'; '.join(map(_describe_ask, mine))}"
    there = f"{tool} not found" if version is None else f"{tool} {version or 'of unknown version'}{place}"
    return "; ".join([there, *(f"{_describe_ask(ask)}{_verdict(version, ask)}" for ask in mine)])


def _describe_ask(ask: Ask) -> str:
    floor = " or newer" if ask.is_floor and ask.wanted[:1].isdigit() else ""
    return f"asked for {ask.wanted}{floor} in {ask.path}:{ask.line}"


def _verdict(version: str | None, ask: Ask) -> str:
    if not version:
        return ""
    old = "1." if ask.tool == "java" else ""  # Java 8 calls itself 1.8
    there, wanted = version.removeprefix(old), ask.wanted.removeprefix(old)
    return ": does not fit" if satisfies(there, wanted, is_floor=ask.is_floor) is False else ""
