"""Outputs of compilers: cargo and rustc, gcc and clang with make, javac with maven and gradle."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class Cargo(ToolOutput):
    """cargo and rustc."""

    name: ClassVar[str] = "output-cargo"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:cargo|rustc)\b"
    sure: ClassVar[str] = (
        r"(?m)^(?:error(?:\[E\d+\])?: |warning: |test result: |[ \t]+(?:Compiling|Finished|Checking) )"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^test result: |^error: (?:could not compile|aborting|test failed|\d+ )"),
        Rule("verdict", r"^warning: .* generated \d+ warnings?"),
        Rule("error", r"^error(?:\[E\d+\])?: "),
        Rule("warning", r"^warning(?:\[\w+\])?: "),
        Rule("failure", r"^test \S+(?: - .*)? \.\.\. FAILED"),
        Rule("error", r"^thread '.*' (?:\(\d+\) )?panicked at ", 3),
        Rule("place", r"^\s*--> "),
        Rule("detail", r"^\s*\| .*\^+ (?!\s*$)\S|^help: |^\s*= (?:help|note): "),
        Rule("noise", r"^test \S+ \.\.\. ok$|^\s+\d+: |^\s+at /rustc/|^stack backtrace:"),
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
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^(?:g?make|ninja)(?:\[\d+\])?: .*(?:Error|stop|not remade)|^\d+ errors? generated"),
        Rule("error", r"^\S+:\d+(?::\d+)?: (?:fatal )?error: |undefined reference to|^CMake Error", 2),
        Rule("warning", r"^\S+:\d+(?::\d+)?: warning: |^CMake Warning"),
        Rule("place", r"required from here$"),
        Rule("noise", r"^\s*(?:\[ *\d+%?[\]/]|(?:gcc|g\+\+|cc|c\+\+|clang\S*) .* -c )"),
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
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule(
            "verdict",
            r"^\d+ (?:error|warning)s?$|^BUILD "
            r"|\bBUILD (?:SUCCESS|FAILURE)|^\d+ actionable tasks",
        ),
        Rule("verdict", r"Tests run: \d+.*Failures: \d+|^\d+ tests completed"),
        Rule("failure", r"^> Task \S+ FAILED|<<< (?:FAILURE|ERROR)!| > .* FAILED$"),
        Rule("error", r"^\S+\.(?:java|kt):\d+: error: |^e: |^\[ERROR\] \S+\.(?:java|kt|scala):", 2),
        Rule("warning", r"^\S+\.(?:java|kt):\d+: warning: |^w: "),
        Rule("detail", r"^\s+(?:symbol|location|found|required|reason): "),
        Rule("error", r"^\s*(?:Caused by: |\* What went wrong:)", 2),
        Rule("place", r"^\s+at (?!(?:java|javax|jdk|sun|org\.(?:junit|gradle|apache))\.)\S+\(\w+\.\w+:\d+\)"),
        Rule("noise", r"^> Task \S+(?: UP-TO-DATE| NO-SOURCE| FROM-CACHE)?$|^\[INFO\] (?:Download|-{5,}$)"),
    )
