"""Representers of command output: compilers, installers, linters, test runners, version control."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import attrs

from satchel.plugin_api import ContextItem, Part

_HEAD = 20_000
"""Characters at the beginning and at the end of an output in which a tool is recognised."""
_LONGEST = 400


class OutputRule(NamedTuple):
    """What lines like this are."""

    kind: str
    """`verdict`, `failure`, `error`, `warning`, `detail`, `heading` or `noise`."""
    pattern: str
    below: int = 0
    """How many lines that follow it are needed with it; a line with a rule of its own is none of them."""


@attrs.frozen
class ToolOutput:
    """A representer of one family of tools: a subclass gives a name, what to recognise, and rules.

    Where an output does not hold `sure`, nothing is said about it, and it is judged as any other.
    """

    version: ClassVar[str] = "1"
    command: ClassVar[str]
    """A pattern that is found in the command line."""
    sure: ClassVar[str]
    """A pattern that is found in every output of these tools that is worth reading so."""
    rules: ClassVar[tuple[OutputRule, ...]]

    def claims(self, item: ContextItem) -> float:
        """Return 0.9 for outputs of the command, 0.6 for what looks like one, else 0."""
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
class Json(ToolOutput):
    """JSON that is printed over several lines."""

    name: ClassVar[str] = "output-json"
    command: ClassVar[str] = r"\bjq\b|\.json\b|--(?:output|format)[ =]json|-o json\b"
    sure: ClassVar[str] = r"(?m)\A\s*[\[{]\s*$"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("error", r"^\s*\"(?:error|errors|exception|reason|message)\": (?!null|\[\]|\{\}|\"\")\S"),
        OutputRule("heading", r"^(?: {2}|\t)\"[^\"]{1,60}\": "),
    )


@attrs.frozen(eq=False, repr=False)
class Csv(ToolOutput):
    """CSV and TSV: the first line names the columns."""

    name: ClassVar[str] = "output-csv"
    command: ClassVar[str] = r"\.[ct]sv\b"
    sure: ClassVar[str] = r"\A(?:[^,\n]*,){2,}[^,\n]*\n|\A(?:[^\t\n]*\t){2,}"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("heading", r"^[A-Za-z_]\w*(?:[,;\t][A-Za-z_]\w*){2,}$"),
    )


@attrs.frozen(eq=False, repr=False)
class Logs(ToolOutput):
    """Logs whose lines have a time and a level."""

    name: ClassVar[str] = "output-logs"
    command: ClassVar[str] = r"\.log\b|\b(?:journalctl|dmesg|logs)\b"
    sure: ClassVar[str] = (
        r"(?m)^.{0,60}\d\d:\d\d:\d\d.{0,60}\b(?:INFO|WARN|WARNING|ERROR|DEBUG|info|warn|error|debug)\b"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule(
            "error",
            r"^.{0,100}?[\s\[\"=](?:FATAL|CRITICAL|PANIC"
            r"|ERROR|fatal|critical|panic|error)[\s\]\":]",
        ),
        OutputRule("warning", r"^.{0,100}?[\s\[\"=](?:WARN|WARNING|warn|warning)[\s\]\":]"),
        OutputRule("place", r"^  File \"(?!.*(?:/lib/python|site-packages))[^\"]+\", line \d+"),
    )


@attrs.frozen(eq=False, repr=False)
class Cargo(ToolOutput):
    """cargo and rustc."""

    name: ClassVar[str] = "output-cargo"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:cargo|rustc)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:error(?:\[E\d+\])?: |warning: |test result: |[ \t]+(?:Compiling|Finished|Checking) )"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^test result: |^error: (?:could not compile|aborting|test failed|\d+ )"),
        OutputRule("verdict", r"^warning: .* generated \d+ warnings?"),
        OutputRule("error", r"^error(?:\[E\d+\])?: "),
        OutputRule("warning", r"^warning(?:\[\w+\])?: "),
        OutputRule("failure", r"^test \S+(?: - .*)? \.\.\. FAILED"),
        OutputRule("error", r"^thread '.*' (?:\(\d+\) )?panicked at ", 3),
        OutputRule("place", r"^\s*--> "),
        OutputRule("detail", r"^\s*\| .*\^+ (?!\s*$)\S|^help: |^\s*= (?:help|note): "),
        OutputRule("noise", r"^test \S+ \.\.\. ok$|^\s+\d+: |^\s+at /rustc/|^stack backtrace:"),
    )


@attrs.frozen(eq=False, repr=False)
class Gcc(ToolOutput):
    """gcc, clang, and make, cmake and ninja around them."""

    name: ClassVar[str] = "output-gcc"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])(?:[\w.-]*(?:gcc|g\+\+|clang(?:\+\+)?)"
        r"|cc|c\+\+|make|cmake|ninja|meson)(?:-[\d.]+)?(?:\s|$)"
    )
    sure: ClassVar[str] = r"(?m): (?:fatal )?(?:error|warning): |\*\*\* |^CMake |^ninja: "
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule(
            "verdict", r"^(?:g?make|ninja)(?:\[\d+\])?: .*(?:Error|stop|not remade)|^\d+ errors? generated"
        ),
        OutputRule("error", r"^\S+:\d+(?::\d+)?: (?:fatal )?error: |undefined reference to|^CMake Error", 2),
        OutputRule("warning", r"^\S+:\d+(?::\d+)?: warning: |^CMake Warning"),
        OutputRule("place", r"required from here$"),
        OutputRule("noise", r"^\s*(?:\[ *\d+%?[\]/]|(?:gcc|g\+\+|cc|c\+\+|clang\S*) .* -c )"),
    )


@attrs.frozen(eq=False, repr=False)
class Jvm(ToolOutput):
    """javac, maven, gradle and sbt."""

    name: ClassVar[str] = "output-jvm"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:javac|kotlinc|mvnw?|gradlew?|sbt|ant)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:BUILD |\[(?:INFO|ERROR|WARNING|info|error)\]"
        r"|\S+\.(?:java|kt):\d+: |> Task |\d+ (?:error|warning)s?$)"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule(
            "verdict",
            r"^\d+ (?:error|warning)s?$|^BUILD "
            r"|\bBUILD (?:SUCCESS|FAILURE)|^\d+ actionable tasks",
        ),
        OutputRule("verdict", r"Tests run: \d+.*Failures: \d+|^\d+ tests completed"),
        OutputRule("failure", r"^> Task \S+ FAILED|<<< (?:FAILURE|ERROR)!| > .* FAILED$"),
        OutputRule("error", r"^\S+\.(?:java|kt):\d+: error: |^e: |^\[ERROR\] \S+\.(?:java|kt|scala):", 2),
        OutputRule("warning", r"^\S+\.(?:java|kt):\d+: warning: |^w: "),
        OutputRule("detail", r"^\s+(?:symbol|location|found|required|reason): "),
        OutputRule("error", r"^\s*(?:Caused by: |\* What went wrong:)", 2),
        OutputRule(
            "place", r"^\s+at (?!(?:java|javax|jdk|sun|org\.(?:junit|gradle|apache))\.)\S+\(\w+\.\w+:\d+\)"
        ),
        OutputRule(
            "noise", r"^> Task \S+(?: UP-TO-DATE| NO-SOURCE| FROM-CACHE)?$|^\[INFO\] (?:Download|-{5,}$)"
        ),
    )


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
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^(?:added|removed|changed|up to date|audited) .*|^\d+ (?:\w+ )*vulnerabilit"),
        OutputRule(
            "error", r"^npm (?:error|ERR!) (?:code|missing:|invalid:|peer|Could not|Found:|notarget|404)"
        ),
        OutputRule("error", r"\b(?:UNMET(?! OPTIONAL)|invalid:|extraneous|ERESOLVE|ELIFECYCLE)\b"),
        OutputRule("heading", r"^[├└+`][─-]+[┬─]? \S"),
        OutputRule("warning", r"^npm warn deprecated| WARN  deprecated"),
        OutputRule("noise", r"^Progress: |npm (?:error|ERR!) A complete log"),
    )


@attrs.frozen(eq=False, repr=False)
class Pip(ToolOutput):
    """pip, poetry and uv."""

    name: ClassVar[str] = "output-pip"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:pip[\d.]*|poetry|uv|conda|mamba)\b"
    sure: ClassVar[str] = (
        r"(?m)^\s*(?:Collecting |Successfully |ERROR: |Requirement already|Building wheel|Resolving |error: )"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^Successfully (?:installed|uninstalled|built)|^\s*Would install "),
        OutputRule("error", r"^ERROR: |^\s*\S+:\d+:\d+: (?:fatal )?error: |^\s*error: command "),
        OutputRule("warning", r"^WARNING: |\b\w+Warning: "),
        OutputRule("detail", r" depends on .*[<>=!~]=?|^\s+The user requested |^\s+building '"),
        OutputRule(
            "noise", r"^\s*(?:Downloading|Using cached|Requirement already|copying |creating |running )"
        ),
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
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^\d+ upgraded, \d+ newly installed"),
        OutputRule("error", r"^(?:E|dpkg): |^ .* : (?:Depends|Breaks|Conflicts): "),
        OutputRule("warning", r"^W: "),
        OutputRule("heading", r"^(?:The following .*|Suggested packages|Recommended packages):$", 1),
        OutputRule("noise", r"^(?:Inst|Conf|Get:\d+|Hit:\d+|Selecting|Preparing|Unpacking|Setting up) "),
    )


@attrs.frozen(eq=False, repr=False)
class EslintTsc(ToolOutput):
    """tsc, eslint and stylelint."""

    name: ClassVar[str] = "output-eslint-tsc"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:tsc|eslint|stylelint)\b"
    sure: ClassVar[str] = (
        r"(?m)error TS\d+|^\s*\d+:\d+\s+(?:error|warning|✖)\s|^Found \d+ errors?|^✖ \d+ problems?"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^✖ \d+ problems?|^Found \d+ errors? in "),
        OutputRule("error", r"Parsing error|error TS(?:1\d{3}|2307|2304)\b"),
        OutputRule("detail", r"^  (?:Type|Property|Types|The) '?\S.* (?:is|are) "),
    )


@attrs.frozen(eq=False, repr=False)
class RuffMypy(ToolOutput):
    """ruff, flake8, pylint, mypy and pyright."""

    name: ClassVar[str] = "output-ruff-mypy"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:ruff|flake8|pylint|d?mypy|(?:based)?pyright)\b"
    sure: ClassVar[str] = r"(?m)^\s*\S+:\d+(?::\d+)?: |^Found \d+ |^\s+--> \S+:\d+|^\d+ errors?, "
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule(
            "verdict", r"^Found \d+ (?:errors?|issues?)|^\d+ errors?, \d+ warnings?|rated at [\d.-]+/10"
        ),
        OutputRule("heading", r"^\[\*\] \d+ fixable|^No fixes available"),
        OutputRule(
            "error",
            r": (?:SyntaxError|invalid-syntax|E999|F821"
            r"|error: (?:Name|Cannot find|invalid syntax))",
        ),
    )


@attrs.frozen(eq=False, repr=False)
class Listings(ToolOutput):
    """grep, find, ls, tree and du."""

    name: ClassVar[str] = "output-listings"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:[ef]?grep|rg|ag|find|fd|ls|tree|du|df|stat|wc)(?:\s|$)"
    sure: ClassVar[str] = r"(?m)^\S.*\S$"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("error", r"^(?:\S+: )?(?:grep|find|rg|ls|du|tree): "),
        OutputRule("verdict", r"^\d+ director(?:y|ies)(?:, \d+ files?)?$|^\s*\d+ total$"),
        OutputRule("heading", r"^[\w./@~-]+/[\w./@~-]+:$"),
    )


@attrs.frozen(eq=False, repr=False)
class Docker(ToolOutput):
    """docker, podman and compose."""

    name: ClassVar[str] = "output-docker"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])(?:docker|podman"
        r"|docker-compose|buildx?)\b"
    )
    sure: ClassVar[str] = (
        r"(?m)^(?:#\d+ |Step \d+|ERROR: |Error |\S+ {2,}\| |CONTAINER ID|REPOSITORY|Sending build| => )"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^(?:Successfully (?:built|tagged)|ERROR: failed to solve)"),
        OutputRule("error", r"^(?:#\d+ )?(?:[\d.]+ )?(?:ERROR|error|E): ", 1),
        OutputRule("heading", r"^(?:CONTAINER ID|REPOSITORY|NAME) {2,}|^Step \d+/\d+ : FROM"),
        OutputRule("noise", r"^#\d+ (?:sha256:|extracting|transferring|DONE|CACHED)|^ => (?:CACHED|=> )"),
    )


@attrs.frozen(eq=False, repr=False)
class Pytest(ToolOutput):
    """pytest and unittest."""

    name: ClassVar[str] = "output-pytest"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:py\.?test|unittest|tox|nox)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:Ran \d+ tests?|={3,} .*(?:test session|passed"
        r"|failed|errors?|no tests ran)|\d+ (?:passed|failed))"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^(?:=+ |)\d+ (?:passed|failed|errors?|skipped|deselected)\b.* in [\d.]+s"),
        OutputRule("verdict", r"^(?:Ran \d+ tests?\b|FAILED \(|OK(?: \(|$))"),
        OutputRule("failure", r"^(?:FAILED|ERROR) \S+::|^(?:FAIL|ERROR|UNEXPECTED SUCCESS): "),
        OutputRule("error", r"^E   (?:[\w.]+(?:Error|Exception|Exit)\b|assert |Failed:)"),
        OutputRule("error", r"^[A-Za-z_][\w.]*(?:Error|Exception): "),
        OutputRule("warning", r"^\s+\S+:\d+: \w*Warning: "),
        OutputRule("place", r"^\S+\.py:\d+: (?:\w+Error|\w+Exception|AssertionError)$"),
        OutputRule("detail", r"^E    {2,}(?:[-+?] |At index|Differing|Left|Right|Full diff)"),
        OutputRule("detail", r"^[-+] \S"),
        OutputRule("place", r"^  File \"(?!.*(?:/lib/python|site-packages))[^\"]+\", line \d+"),
        OutputRule("heading", r"^collected \d+ items"),
        OutputRule("noise", r" PASSED\b| \.\.\. ok$|^\S+\.py [.sx]+ +\[ *\d+%\]$"),
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
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^\s*(?:Tests?|Test Suites|Test Files|Snapshots)[: ]\s*\d+ "),
        OutputRule("verdict", r"^\s*\d+ (?:passing|failing|passed|failed|flaky|pending)\b"),
        OutputRule("failure", r"^\s*(?:● (?!Console)\S.* › |FAIL +\S|[×✕✗] \S|\d+\) \S)"),
        OutputRule("error", r"^\s*(?:\w*(?:Error|Exception)(?: \[\w+\])?: )"),
        OutputRule(
            "place", r"^\s*(?:❯ |at .*\(?)(?!.*(?:node_modules|node:|internal))\S*[\w/]\.\w+:\d+:\d+\)?$"
        ),
        OutputRule("detail", r"^\s*(?:Expected|Received|expect\()|^\s*[-+] {1,12}\S"),
        OutputRule("noise", r"^\s*[✓√✔] "),
    )


@attrs.frozen(eq=False, repr=False)
class GoTest(ToolOutput):
    """go test."""

    name: ClassVar[str] = "output-go-test"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:go test|gotestsum)\b"
    sure: ClassVar[str] = r"(?m)^(?:ok  |FAIL|--- (?:FAIL|PASS)|PASS$|panic:)"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^FAIL\t\S|^FAIL$"),
        OutputRule("failure", r"^\s*--- FAIL: "),
        OutputRule("error", r"^(?:\t?panic: |fatal error: |WARNING: DATA RACE)", 2),
        OutputRule("place", r"^\t(?!/usr/local/go/)\S+\.go:\d+ "),
        OutputRule("error", r"^\s+\S+_test\.go:\d+: ", 3),
        OutputRule("noise", r"^\s*(?:=== |--- PASS|--- SKIP|ok  |\?  )"),
    )


@attrs.frozen(eq=False, repr=False)
class GitDiff(ToolOutput):
    """git diff and show."""

    name: ClassVar[str] = "output-git-diff"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:git (?:-\S+ )*(?:diff|show)|diff)\b"
    sure: ClassVar[str] = r"(?m)^(?:diff --git |@@ -\d|--- )"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("verdict", r"^ \d+ files? changed"),
        OutputRule("heading", r"^(?:deleted|new) file mode|^rename (?:from|to) |^Binary files "),
        OutputRule("noise", r"^index [0-9a-f]+\.\.|^--- (?:a/|/dev)"),
    )


@attrs.frozen(eq=False, repr=False)
class GitLog(ToolOutput):
    """git log, reflog and blame."""

    name: ClassVar[str] = "output-git-log"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])git (?:-\S+ )*(?:log"
        r"|reflog|blame|shortlog)\b"
    )
    sure: ClassVar[str] = r"(?m)^[|* \\/]*(?:commit )?\^?[0-9a-f]{7,40}\b"
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("error", r"^[|* ]*    (?:Revert |.*(?:BREAKING CHANGE|SECURITY|CVE-\d))"),
        OutputRule("verdict", r"^ \d+ files? changed, \d{3,}"),
        OutputRule("noise", r"^[|* ]*(?:Merge: |index )"),
    )


@attrs.frozen(eq=False, repr=False)
class GitStatus(ToolOutput):
    """git status, merge, rebase, pull and push."""

    name: ClassVar[str] = "output-git-status"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])git (?:-\S+ )*(?:status|merge|rebase"
        r"|pull|push|fetch|cherry-pick|stash|checkout|switch)\b"
    )
    sure: ClassVar[str] = (
        r"(?m)^(?:On branch |CONFLICT|Auto-merging|error: |fatal: |To |remote: |\s+modified: |HEAD detached)"
    )
    rules: ClassVar[tuple[OutputRule, ...]] = (
        OutputRule("failure", r"^CONFLICT \("),
        OutputRule("error", r"^(?:error|fatal): | ! \[(?:remote )?rejected\]|^remote: (?:error|fatal)"),
        OutputRule("verdict", r"^Automatic merge failed|^Successfully rebased|^Your branch (?:is|and) "),
        OutputRule(
            "heading",
            r"^(?:On branch|HEAD detached|Changes "
            r"|Untracked files|Unmerged paths|Ignored files)",
        ),
        OutputRule("noise", r"^  \(use \"git "),
    )
