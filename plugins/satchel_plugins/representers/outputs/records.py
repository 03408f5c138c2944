"""Outputs of data: JSON, CSV, logs with levels."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class Json(ToolOutput):
    """JSON that is printed over several lines."""

    name: ClassVar[str] = "output-json"
    command: ClassVar[str] = r"\bjq\b|\.json\b|--(?:output|format)[ =]json|-o json\b"
    sure: ClassVar[str] = r"(?m)\A\s*[\[{]\s*$"
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("error", r"^\s*\"(?:error|errors|exception|reason|message)\": (?!null|\[\]|\{\}|\"\")\S"),
        Rule("heading", r"^(?: {2}|\t)\"[^\"]{1,60}\": "),
    )


@attrs.frozen(eq=False, repr=False)
class Csv(ToolOutput):
    """CSV and TSV: the first line names the columns."""

    name: ClassVar[str] = "output-csv"
    command: ClassVar[str] = r"\.[ct]sv\b"
    sure: ClassVar[str] = r"\A(?:[^,\n]*,){2,}[^,\n]*\n|\A(?:[^\t\n]*\t){2,}"
    rules: ClassVar[tuple[Rule, ...]] = (Rule("heading", r"^[A-Za-z_]\w*(?:[,;\t][A-Za-z_]\w*){2,}$"),)


@attrs.frozen(eq=False, repr=False)
class Logs(ToolOutput):
    """Logs whose lines have a time and a level."""

    name: ClassVar[str] = "output-logs"
    command: ClassVar[str] = r"\.log\b|\b(?:journalctl|dmesg|logs)\b"
    sure: ClassVar[str] = (
        r"(?m)^.{0,60}\d\d:\d\d:\d\d.{0,60}\b(?:INFO|WARN|WARNING|ERROR|DEBUG|info|warn|error|debug)\b"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "error",
            r"^.{0,100}?[\s\[\"=](?:FATAL|CRITICAL|PANIC"
            r"|ERROR|fatal|critical|panic|error)[\s\]\":]",
        ),
        Rule("warning", r"^.{0,100}?[\s\[\"=](?:WARN|WARNING|warn|warning)[\s\]\":]"),
        Rule("place", r"^  File \"(?!.*(?:/lib/python|site-packages))[^\"]+\", line \d+"),
    )
