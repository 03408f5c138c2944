"""Representers of command output: apt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import attrs

from satchel.plugin_api import ContextItem, Part

_HEAD = 20_000
"""Characters at the beginning and at the end of an output that are searched to recognise a tool."""
_LONGEST = 400


class OutputRule(NamedTuple):
    """The meaning of lines that match a pattern."""

    kind: str
    """`verdict`, `failure`, `error`, `warning`, `detail`, `heading` or `noise`."""
    pattern: str
    below: int = 0
    """How many lines that follow it are needed with it; a line with its own rule does not count."""


@attrs.frozen
class ToolOutput:
    """A representer of one family of tools: a subclass gives a name, patterns to recognise it, and rules.

    An output without a match of `sure` is judged like any other.
    """

    version: ClassVar[str] = "1"
    command: ClassVar[str]
    """A pattern that is found in the command line."""
    sure: ClassVar[str]
    """A pattern found in every output of these tools that is worth reading by their rules."""
    rules: ClassVar[tuple[OutputRule, ...]]

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for an output of the command, 0.6 for a text that looks like one, else 0."""
        if item.kind != "output":
            return 0.0
        if re.search(self.command, item.title):
            return 0.9
        text = item.text or ""
        return 0.6 if not item.title and re.search(self.sure, text[:_HEAD] + "\n" + text[-_HEAD:]) else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return a part for each line that a rule knows, with the lines that it needs."""
        text = item.text or ""
        return list(self._parts(text.split("\n"))) if re.search(self.sure, text) else []

    def _parts(self, lines: Sequence[str]) -> Iterator[Part]:
        table = re.compile("|".join(f"(?P<r{at}>{rule.pattern})" for at, rule in enumerate(self.rules)))
        found = [table.search(line[:_LONGEST]) for line in lines]
        last = 0
        for number, match in enumerate(found, start=1):
            if match is None or match.lastgroup is None or number <= last:
                continue
            rule = self.rules[int(match.lastgroup[1:])]
            last = _end(lines, found, number, rule.below)
            yield Part(rule.kind, "", (number, last), (number, number))


def _end(lines: Sequence[str], found: Sequence[re.Match[str] | None], number: int, below: int) -> int:
    """Return the last line that belongs to a line."""
    last = number
    while last < min(len(lines), number + below) and found[last] is None and lines[last].strip():
        last += 1
    return last


@attrs.frozen(eq=False, repr=False)
class Apt(ToolOutput):
    """apt, dpkg and similar tools."""

    name: ClassVar[str] = "output-apt"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:apt(?:-get|itude)?|dpkg|dnf|yum)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:Reading package lists"
        r"|E: |Inst |Setting up |dpkg: )"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("heading", r"^(?:The following .*|Suggested packages|Recommended packages):$", 1),
        OutputRule("noise", r"^(?:Inst|Conf|Get:\d+|Hit:\d+|Selecting|Preparing|Unpacking|Setting up) "),
    )
