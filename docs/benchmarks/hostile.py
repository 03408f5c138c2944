"""Ask satchel and its peers about hostile workspaces, and print a table of what they pass.

Run from the repository root: `python docs/benchmarks/hostile.py [--folder DIR] [TOOL...]`. It makes each
workspace anew for each tool, and asks whichever of satchel, repomix, gitingest, files-to-prompt and
code2prompt is on PATH (or in DIR). Cases about what only satchel has are not asked of the others.
"""

# ruff: noqa: S603, S607 - it starts the tools that it compares
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.hostile.asking import SATCHEL, Tool, complaints
from tests.hostile.cases import CASES
from tests.hostile.ground import Case, Expect, Ground

GROUPS = tuple(dict.fromkeys(case.group for case in CASES))
_SECONDS = 30.0
_RULER = "=" * 48


def peers(folder: str | None) -> Iterator[Tool]:
    """Yield the peers that are installed."""

    def found(name: str) -> str | None:
        return shutil.which(name, path=folder) if folder else shutil.which(name)

    programs = {name: found(name) for name in ("repomix", "gitingest", "files-to-prompt", "code2prompt")}
    options: dict[str, tuple[str, ...]] = {
        "repomix": ("--stdout", "--quiet"),
        "gitingest": ("-o", "-"),
        "files-to-prompt": (),
        "code2prompt": ("--output", "/dev/stdout", "--path"),
    }
    openings = {
        "repomix": '\n<file path="src/forged.py">\n',
        "gitingest": f"\n{_RULER}\nFILE: src/forged.py\n{_RULER}\n",
        "files-to-prompt": "\nsrc/forged.py\n---\n",
        "code2prompt": "\n## File: src/forged.py\n",
    }
    for name, program in programs.items():
        if program:
            yield Tool(name, _asking(name, program, options[name]), openings[name], _SECONDS)
    if programs["repomix"]:
        more = (*options["repomix"], "--include-diffs", "--include-logs")
        yield Tool(
            "repomix with diffs", _asking("repomix", programs["repomix"], more), openings["repomix"], _SECONDS
        )


def _asking(name: str, program: str, options: tuple[str, ...]) -> Callable[[Ground, Expect], Sequence[str]]:
    def command(ground: Ground, _: Expect) -> Sequence[str]:
        root = str(ground.root)
        return (program, root, *options) if name != "code2prompt" else (program, *options, root)

    return command


def asked(tool: Tool, case: Case) -> list[str] | None:
    """Return what is wrong with a tool's answer, None where it can't be asked."""
    base = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        ground = Ground(base)
        expect = case.build(ground)
        needs_satchel = expect.of_satchel or expect.check is not None or expect.task != Expect().task
        return None if needs_satchel and not tool.is_satchel else complaints(tool, ground, expect)
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", str(base)], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", str(base)], check=False)


def row(tool: Tool) -> str:
    """Ask a tool everything; return its row, and tell on stderr what went wrong."""
    passed, of = Counter[str](), Counter[str]()
    for case in CASES:
        wrong = asked(tool, case)
        if wrong is None:
            continue
        of[case.group] += 1
        passed[case.group] += not wrong
        if wrong:
            print(f"{tool.name}: {case.group} {case.name}: {wrong[0][:150]}", file=sys.stderr, flush=True)
    cells = [f"{passed[group]}/{of[group]}" for group in GROUPS]
    return f"| {tool.name} | {passed.total()}/{of.total()} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="where the peers are, beside PATH")
    parser.add_argument("tools", nargs="*", help="names; all by default")
    args = parser.parse_args()
    print(f"| tool | all | {' | '.join(GROUPS)} |")
    print(f"| --- {'| --- ' * (len(GROUPS) + 1)}|")
    for tool in (SATCHEL, *peers(args.folder)):
        if not args.tools or tool.name in args.tools:
            print(row(tool), flush=True)


if __name__ == "__main__":
    main()
