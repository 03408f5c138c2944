"""Outputs of test runners: pytest and unittest, jest, vitest and mocha, go test."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class Pytest(ToolOutput):
    """pytest and unittest."""

    name: ClassVar[str] = "output-pytest"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:py\.?test|unittest|tox|nox)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:Ran \d+ tests?|={3,} .*(?:test session|passed"
        r"|failed|errors?|no tests ran)|\d+ (?:passed|failed))"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^(?:=+ |)\d+ (?:passed|failed|errors?|skipped|deselected)\b.* in [\d.]+s"),
        Rule("verdict", r"^(?:Ran \d+ tests?\b|FAILED \(|OK(?: \(|$))"),
        Rule("failure", r"^(?:FAILED|ERROR) \S+::|^(?:FAIL|ERROR|UNEXPECTED SUCCESS): "),
        Rule("error", r"^E   (?:[\w.]+(?:Error|Exception|Exit)\b|assert |Failed:)"),
        Rule("error", r"^[A-Za-z_][\w.]*(?:Error|Exception): "),
        Rule("warning", r"^\s+\S+:\d+: \w*Warning: "),
        Rule("place", r"^\S+\.py:\d+: (?:\w+Error|\w+Exception|AssertionError)$"),
        Rule("detail", r"^E    {2,}(?:[-+?] |At index|Differing|Left|Right|Full diff)"),
        Rule("detail", r"^[-+] \S"),
        Rule("place", r"^  File \"(?!.*(?:/lib/python|site-packages))[^\"]+\", line \d+"),
        Rule("heading", r"^collected \d+ items"),
        Rule("noise", r" PASSED\b| \.\.\. ok$|^\S+\.py [.sx]+ +\[ *\d+%\]$"),
    )


@attrs.frozen(eq=False, repr=False)
class Jest(ToolOutput):
    """jest, vitest, mocha and what prints like them."""

    name: ClassVar[str] = "output-jest"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:jest|vitest|mocha|ava|playwright|cypress|npm (?:run )?test)\b"
    sure: ClassVar[str] = (
        r"(?m)^\s*(?:Tests?(?: Suites| Files)?[: ]\s*\d+ (?:failed"
        r"|passed)|\d+ (?:passing|failing|passed|failed))"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^\s*(?:Tests?|Test Suites|Test Files|Snapshots)[: ]\s*\d+ "),
        Rule("verdict", r"^\s*\d+ (?:passing|failing|passed|failed|flaky|pending)\b"),
        Rule("failure", r"^\s*(?:● (?!Console)\S.* › |FAIL +\S|[×✕✗] \S|\d+\) \S)"),
        Rule("error", r"^\s*(?:\w*(?:Error|Exception)(?: \[\w+\])?: )"),
        Rule("place", r"^\s*(?:❯ |at .*\(?)(?!.*(?:node_modules|node:|internal))\S*[\w/]\.\w+:\d+:\d+\)?$"),
        Rule("detail", r"^\s*(?:Expected|Received|expect\()|^\s*[-+] {1,12}\S"),
        Rule("noise", r"^\s*[✓√✔] "),
    )


@attrs.frozen(eq=False, repr=False)
class GoTest(ToolOutput):
    """go test."""

    name: ClassVar[str] = "output-go-test"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:go test|gotestsum)\b"
    sure: ClassVar[str] = r"(?m)^(?:ok  |FAIL|--- (?:FAIL|PASS)|PASS$|panic:)"
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^FAIL\t\S|^FAIL$"),
        Rule("failure", r"^\s*--- FAIL: "),
        Rule("error", r"^(?:\t?panic: |fatal error: |WARNING: DATA RACE)", 2),
        Rule("place", r"^\t(?!/usr/local/go/)\S+\.go:\d+ "),
        Rule("error", r"^\s+\S+_test\.go:\d+: ", 3),
        Rule("noise", r"^\s*(?:=== |--- PASS|--- SKIP|ok  |\?  )"),
    )
