"""Outputs of linters and type checkers: tsc and eslint, ruff, flake8 and mypy."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class EslintTsc(ToolOutput):
    """tsc, eslint and stylelint."""

    name: ClassVar[str] = "output-eslint-tsc"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:tsc|eslint|stylelint)\b"
    sure: ClassVar[str] = (
        r"(?m)error TS\d+|^\s*\d+:\d+\s+(?:error|warning|✖)\s|^Found \d+ errors?|^✖ \d+ problems?"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^✖ \d+ problems?|^Found \d+ errors? in "),
        Rule("error", r"Parsing error|error TS(?:1\d{3}|2307|2304)\b"),
        Rule("detail", r"^  (?:Type|Property|Types|The) '?\S.* (?:is|are) "),
    )


@attrs.frozen(eq=False, repr=False)
class RuffMypy(ToolOutput):
    """ruff, flake8, pylint, mypy and pyright."""

    name: ClassVar[str] = "output-ruff-mypy"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:ruff|flake8|pylint|d?mypy|(?:based)?pyright)\b"
    sure: ClassVar[str] = r"(?m)^\s*\S+:\d+(?::\d+)?: |^Found \d+ |^\s+--> \S+:\d+|^\d+ errors?, "
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^Found \d+ (?:errors?|issues?)|^\d+ errors?, \d+ warnings?|rated at [\d.-]+/10"),
        Rule("heading", r"^\[\*\] \d+ fixable|^No fixes available"),
        Rule(
            "error",
            r": (?:SyntaxError|invalid-syntax|E999|F821"
            r"|error: (?:Name|Cannot find|invalid syntax))",
        ),
    )
