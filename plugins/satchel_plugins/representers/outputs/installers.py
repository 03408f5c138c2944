"""Outputs of package managers: npm, yarn and pnpm; pip, poetry and uv; apt."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class Npm(ToolOutput):
    """npm, yarn, pnpm and bun."""

    name: ClassVar[str] = "output-npm"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])(?:npm|yarn|pnpm|bun) (?:ci|i|install|add|ls|list|audit|update|outdated|why)\b"
    )
    sure: ClassVar[str] = (
        r"(?m)^(?:npm |[├└+`]|added \d+|up to date| ?(?:WARN|ERR)|error |warning |Progress: |\S+@[\d.]+)"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^(?:added|removed|changed|up to date|audited) .*|^\d+ (?:\w+ )*vulnerabilit"),
        Rule("error", r"^npm (?:error|ERR!) (?:code|missing:|invalid:|peer|Could not|Found:|notarget|404)"),
        Rule("error", r"\b(?:UNMET(?! OPTIONAL)|invalid:|extraneous|ERESOLVE|ELIFECYCLE)\b"),
        Rule("heading", r"^[├└+`][─-]+[┬─]? \S"),
        Rule("warning", r"^npm warn deprecated| WARN  deprecated"),
        Rule("noise", r"^Progress: |npm (?:error|ERR!) A complete log"),
    )


@attrs.frozen(eq=False, repr=False)
class Pip(ToolOutput):
    """pip, poetry and uv."""

    name: ClassVar[str] = "output-pip"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:pip[\d.]*|poetry|uv|conda|mamba)\b"
    sure: ClassVar[str] = (
        r"(?m)^\s*(?:Collecting |Successfully |ERROR: |Requirement already|Building wheel|Resolving |error: )"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^Successfully (?:installed|uninstalled|built)|^\s*Would install "),
        Rule("error", r"^ERROR: |^\s*\S+:\d+:\d+: (?:fatal )?error: |^\s*error: command "),
        Rule("warning", r"^WARNING: |\b\w+Warning: "),
        Rule("detail", r" depends on .*[<>=!~]=?|^\s+The user requested |^\s+building '"),
        Rule("noise", r"^\s*(?:Downloading|Using cached|Requirement already|copying |creating |running )"),
    )


@attrs.frozen(eq=False, repr=False)
class Apt(ToolOutput):
    """apt, dpkg and their kin."""

    name: ClassVar[str] = "output-apt"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:apt(?:-get|itude)?|dpkg|dnf|yum)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:Reading package lists"
        r"|E: |Inst |Setting up |dpkg: )"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^\d+ upgraded, \d+ newly installed"),
        Rule("error", r"^(?:E|dpkg): |^ .* : (?:Depends|Breaks|Conflicts): "),
        Rule("warning", r"^W: "),
        Rule("heading", r"^(?:The following .*|Suggested packages|Recommended packages):$", 1),
        Rule("noise", r"^(?:Inst|Conf|Get:\d+|Hit:\d+|Selecting|Preparing|Unpacking|Setting up) "),
    )
