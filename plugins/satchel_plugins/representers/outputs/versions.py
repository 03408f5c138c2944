"""Outputs of git: diffs, logs and blame, status."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class GitDiff(ToolOutput):
    """git diff and show."""

    name: ClassVar[str] = "output-git-diff"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:git (?:-\S+ )*(?:diff|show)|diff)\b"
    sure: ClassVar[str] = r"(?m)^(?:diff --git |@@ -\d|--- )"
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^ \d+ files? changed"),
        Rule("heading", r"^(?:deleted|new) file mode|^rename (?:from|to) |^Binary files "),
        Rule("noise", r"^index [0-9a-f]+\.\.|^--- (?:a/|/dev)"),
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
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("error", r"^[|* ]*    (?:Revert |.*(?:BREAKING CHANGE|SECURITY|CVE-\d))"),
        Rule("verdict", r"^ \d+ files? changed, \d{3,}"),
        Rule("noise", r"^[|* ]*(?:Merge: |index )"),
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
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("failure", r"^CONFLICT \("),
        Rule("error", r"^(?:error|fatal): | ! \[(?:remote )?rejected\]|^remote: (?:error|fatal)"),
        Rule("verdict", r"^Automatic merge failed|^Successfully rebased|^Your branch (?:is|and) "),
        Rule(
            "heading",
            r"^(?:On branch|HEAD detached|Changes "
            r"|Untracked files|Unmerged paths|Ignored files)",
        ),
        Rule("noise", r"^  \(use \"git "),
    )
