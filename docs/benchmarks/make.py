"""Make the tables and plots of docs/benchmarks.md again.

Run from the repository root: `python docs/benchmarks/make.py [TABLE...] [--repo PATH]... [--folder PATH]...`
Without names it makes all for which it has what they need: `--repo` gives git repositories to mine,
`--folder` gives working folders to measure speed and alarms on. `--check TABLE` makes one and compares it
with the page.
"""

# ruff: noqa: S603 - it runs the scripts beside it
from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mined.sample import generate

import satchel

HERE = Path(__file__).parent
PAGE = HERE.parent / "benchmarks.md"
RESULTS = HERE / "results"
TABLES = ("sample", "retrieval", "speed", "killing", "packing", "secrets", "hostile", "guarding")
NEEDS = {"retrieval": "repo", "speed": "folder", "killing": "folder"}


def commands(args: argparse.Namespace, work: Path) -> Mapping[str, Sequence[str]]:
    """Return the script and the arguments that make each table."""
    repos = [text for path in args.repo for text in ("--repo", str(path))]
    folders = [str(path) for path in args.folder]
    again = ("--again", args.again) if args.again else ()
    small = ("--tasks", "8", "--budgets", "300,1200", "--systems", "satchel,bm25")
    return {
        "sample": ("retrieval.py", "--repo", str(work / "office"), *small, "--out", str(work)),
        "retrieval": ("retrieval.py", *repos, "--tasks", str(args.tasks), *again, "--out", str(RESULTS)),
        "speed": ("speed.py", *folders),
        "killing": ("killing_index.py", *folders),
        "packing": ("packing.py", "2000"),
        "secrets": ("redaction.py", *folders),
        "hostile": ("hostile.py",),
        "guarding": ("guarding.py", "20000"),
    }


def made(name: str, args: argparse.Namespace) -> str:
    """Run a table's script and return what it prints."""
    with tempfile.TemporaryDirectory(prefix="satchel-benchmarks-") as work:
        if name == "sample":
            generate(Path(work, "office"))
        script, *options = commands(args, Path(work))[name]
        command = [sys.executable, str(HERE / script), *options]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, encoding="utf-8", check=False, cwd=HERE.parents[1]
        )
    if done.returncode:
        raise SystemExit(f"{script} ended with {done.returncode}: {name} stays as it was")
    dated = (
        ""
        if name == "sample"
        else f"Made {time.strftime('%Y-%m-%d')} with satchel {satchel.__version__}.\n\n"
    )
    return dated + tidy(done.stdout, args.folder)


def tidy(text: str, folders: Sequence[Path]) -> str:
    """Return what a script printed with names for folders, and without comments, which would end a table."""
    for folder in folders:
        text = text.replace(f"| {folder} |", f"| {folder.name} |")
    lines = [line for line in text.strip().splitlines() if not line.startswith("<!--")]
    return "\n".join(lines) + "\n"


def region(page: str, name: str) -> tuple[int, int]:
    """Return where a table begins and ends in the page."""
    start, end = f"<!-- made: {name} -->\n", f"<!-- end: {name} -->"
    if page.count(start) != 1 or page.count(end) != 1:
        raise SystemExit(f"{PAGE.name} needs one line `{start.strip()}` and one line `{end}` after it")
    return page.index(start) + len(start), page.index(end)


def replaced(page: str, name: str, text: str) -> str:
    """Return the page with another text between the marks of a table."""
    start, end = region(page, name)
    return f"{page[:start]}\n{text}\n{page[end:]}"


def differences(page: str, name: str, text: str) -> list[str]:
    """Return the lines that differ from the page's, as a diff; nothing where the table is the same."""
    start, end = region(page, name)
    there, now = page[start:end].strip().splitlines(), text.strip().splitlines()
    return list(difflib.unified_diff(there, now, "docs/benchmarks.md", "made now", lineterm=""))


def check(name: str, args: argparse.Namespace) -> None:
    """Compare one table with the page; end with exit code 1 and a diff where they differ."""
    if lines := differences(PAGE.read_text(encoding="utf-8"), name, made(name, args)):
        again = f"python docs/benchmarks/make.py {name}"
        raise SystemExit("\n".join([*lines, f"{name} is another table now: if that is meant, run {again}"]))
    print(f"{name}: as the page says")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--repo", type=Path, action="append", default=[], help="for retrieval")
    parser.add_argument("--folder", type=Path, action="append", default=[], help="for speed and secrets")
    parser.add_argument("--tasks", type=int, default=15, help="commits of each repository (15)")
    parser.add_argument("--again", default="", help="retrieval: ask these systems, keep the others' answers")
    parser.add_argument("--check", choices=TABLES)
    args = parser.parse_args(arguments)
    if unknown := set(args.tables) - {*TABLES}:
        parser.error(f"no table is called {', '.join(sorted(unknown))}; there are: {', '.join(TABLES)}")
    args.repo = [path.absolute() for path in args.repo]
    args.folder = [path.absolute() for path in args.folder]
    return args


def main(arguments: Sequence[str]) -> None:
    """Make the tables that are asked for, one after the other, and write each into the page."""
    args = parse(arguments)
    if args.check:
        check(args.check, args)
        return
    for name in args.tables or TABLES:
        need = NEEDS.get(name)
        if need and not getattr(args, need):
            print(f"{name} stays as it was: give it --{need} PATH", file=sys.stderr)
            continue
        text = made(name, args)
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")
        print(f"{name}: made", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
