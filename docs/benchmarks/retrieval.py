"""Measure what a packed context holds of what real commits changed, beside the tools of the field.

Run from the repository root, on repositories of your own:
`python docs/benchmarks/retrieval.py --repo PATH [--repo PATH]...`. It mines tasks from their commits, asks
each system that is installed (satchel, ripgrep, bm25, repomix, aider), cuts every answer at the budget
in o200k tokens, prints Markdown and writes retrieval.json and retrieval.svg into `--out`. Your repository
is read only: each tree is made in a temporary folder, with one branch at the parent commit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from mined.judging import NOTHING, Score, average, cut, judge
from mined.mining import MinedTask, Tree, git, mine
from mined.plots import Panel, draw
from mined.systems import AiderMap, Asked, System, installed

import satchel

BUDGETS = (4_000, 16_000, 32_000)
NAMES = ("satchel", "ripgrep", "bm25", "repomix", "aider")


class Row(NamedTuple):
    """One answer: whose, to what, in which budget, how good; `error` is "" where there was one."""

    repository: str
    commit: str
    system: str
    budget: int
    score: Score
    seconds: float
    error: str = ""


def measure(
    repository: Path, systems: Mapping[str, System], *, tasks: int, budgets: Sequence[int], seed: int = 0
) -> Iterator[Row]:
    """Yield the score of each answer to the tasks that the repository's commits pose."""
    mined = mine(repository, tasks, seed=seed)
    if not mined:
        raise SystemExit(
            f"no commit of {repository} fits: it takes one, no merge, that changes 1 to 8 existing source"
            " files and has a message of 8 words or more that names none of them"
        )
    with tempfile.TemporaryDirectory(prefix="satchel-retrieval-") as work:
        tree = Tree(repository, Path(work, "tree"))
        for number, task in enumerate(mined, 1):
            told = f"{name_of(repository)}: task {number} of {len(mined)}, {task.commit[:10]}"
            print(told, file=sys.stderr, flush=True)
            paths = tuple(tree.move_to(task.parent))
            question = Asked(task.text, tree.folder, paths, task.parent, Path(work, "kept"))
            for name, system in systems.items():
                for budget in budgets:
                    yield _answer(
                        name_of(repository), name, system, task=task, question=question, budget=budget
                    )


def _answer(
    repository: str, name: str, system: System, *, task: MinedTask, question: Asked, budget: int
) -> Row:
    start = time.perf_counter()
    try:
        output = system(question, budget)
        seconds, error = time.perf_counter() - start, ""
        score = judge(cut(output, budget), task.gold, question.read)
    except (OSError, RuntimeError, ValueError, KeyError, subprocess.SubprocessError) as fault:
        seconds, score, error = time.perf_counter() - start, NOTHING, str(fault) or type(fault).__name__
        print(f"{name} failed on {task.commit[:10]}: {error}", file=sys.stderr)
    return Row(repository, task.commit, name, budget, score, seconds, error)


def name_of(repository: Path) -> str:
    """Return what a repository is called: the name of its folder."""
    return repository.absolute().name.removesuffix(".git") or "repository"


def table(rows: Sequence[Row], title: str) -> str:
    """Return a Markdown table with a line for each system and budget; all shares in percent."""
    tasks = len({(row.repository, row.commit) for row in rows})
    lines = [
        f"**{title}**, {tasks} tasks\n",
        "| system | budget | file | symbol | gold lines | mean | precision | MRR | files shown |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (system, budget), scores in grouped(rows).items():
        file, symbol, line, mean, mrr = average(scores)
        known = [score.precision for score in scores if score.precision is not None]
        precision = f"{100 * sum(known) / len(known):.0f}" if known else "-"
        shares = " | ".join(f"{100 * share:.0f}" for share in (file, symbol, line))
        files = sorted(score.files for score in scores)[len(scores) // 2]
        found = f"**{100 * mean:.0f}** | {precision} | {mrr:.2f} | {files}"
        lines.append(f"| {system} | {budget:,} | {shares} | {found} |")
    if failed := sum(bool(row.error) for row in rows):
        lines.append(f"\n{failed} answers failed and count as nothing shown.")
    return "\n".join(lines) + "\n"


def grouped(rows: Sequence[Row]) -> dict[tuple[str, int], list[Score]]:
    """Return the scores by system and budget, in the order in which they came."""
    groups: dict[tuple[str, int], list[Score]] = {}
    for row in sorted(rows, key=lambda row: (NAMES.index(row.system), row.budget)):
        groups.setdefault((row.system, row.budget), []).append(row.score)
    return groups


def plot(rows: Sequence[Row]) -> str:
    """Return the plot of the mean and of gold lines by budget."""
    averages = {key: average(scores) for key, scores in grouped(rows).items()}
    panels = (("mean of file, symbol and line recall, %", 3), ("gold lines, %", 2))
    systems = dict.fromkeys(system for system, _ in averages)
    return draw(
        [
            Panel(
                title,
                {name: {b: v[place] for (s, b), v in averages.items() if s == name} for name in systems},
            )
            for title, place in panels
        ]
    )


def report(rows: Sequence[Row]) -> str:
    """Return a table for each repository, and one for all where there are several."""
    names = list(dict.fromkeys(row.repository for row in rows))
    tables = [table([row for row in rows if row.repository == name], name) for name in names]
    return "\n".join([*([table(rows, "all")] if len(names) > 1 else []), *tables])


def as_json(rows: Sequence[Row]) -> str:
    """Return everything that was measured."""
    answers = [
        {**row._asdict(), "score": row.score._asdict(), "seconds": round(row.seconds, 2)} for row in rows
    ]
    facts = {"schema": 1, "satchel": satchel.__version__, "measured": time.strftime("%Y-%m-%d")}
    return json.dumps({**facts, "answers": answers}, indent=1) + "\n"


def from_json(text: str) -> list[Row]:
    """Return what an earlier run measured."""
    return [Row(**{**answer, "score": Score(**answer["score"])}) for answer in json.loads(text)["answers"]]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repo", type=Path, action="append", required=True, metavar="PATH")
    parser.add_argument("--tasks", type=int, default=15, metavar="N", help="commits of each repository (15)")
    parser.add_argument("--budgets", type=_budgets, default=BUDGETS, metavar="N,N", help="4000,16000,32000")
    parser.add_argument("--systems", default=",".join(NAMES), metavar="NAME,NAME", help=",".join(NAMES))
    parser.add_argument("--seed", type=int, default=0, help="another draw of commits")
    parser.add_argument("--aider-python", default="", help="the Python that has aider, if not on PATH")
    parser.add_argument(
        "--again",
        default="",
        metavar="NAME,NAME",
        help="ask these only: take the others from DIR/retrieval.json",
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="for JSON and SVG (here)")
    args = parser.parse_args(arguments)
    args.systems, args.again = args.systems.split(","), args.again.split(",") if args.again else []
    if unknown := {*args.systems, *args.again} - {*NAMES}:
        parser.error(f"no system is called {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
    return args


def _budgets(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(number) for number in text.split(",")))


def ask(args: argparse.Namespace) -> list[Row]:
    """Ask each system that is wanted and installed; keep the answers that stand in an earlier report."""
    systems = wanted_systems(args.again or args.systems, installed(args.aider_python))
    try:
        asked = [
            row
            for repository in args.repo
            for row in measure(repository, systems, tasks=args.tasks, budgets=args.budgets, seed=args.seed)
        ]
    finally:
        for system in systems.values():
            if isinstance(system, AiderMap):
                system.close()
    earlier = Path(args.out, "retrieval.json")
    known = from_json(earlier.read_text(encoding="utf-8")) if args.again and earlier.exists() else []
    return asked + kept(known, asked)


def wanted_systems(wanted: Sequence[str], there: Mapping[str, System]) -> dict[str, System]:
    """Return the systems to ask; say on stderr which are not installed."""
    for name in wanted:
        if name not in there:
            print(f"{name} is not installed: left out", file=sys.stderr)
    return {name: there[name] for name in wanted if name in there}


def kept(known: Sequence[Row], asked: Sequence[Row]) -> list[Row]:
    """Return the earlier answers of other systems to the same questions."""
    posed = {(row.repository, row.commit, row.budget) for row in asked}
    systems = {row.system for row in asked}
    return [
        row
        for row in known
        if row.system not in systems and (row.repository, row.commit, row.budget) in posed
    ]


def main(arguments: Sequence[str]) -> None:
    """Measure, print the tables, write the files."""
    args = parse(arguments)
    for repository in args.repo:
        try:
            git(repository, "rev-parse", "HEAD")
        except (OSError, subprocess.CalledProcessError):
            raise SystemExit(f"no git repository with a commit: {repository}") from None
    rows = ask(args)
    args.out.mkdir(parents=True, exist_ok=True)
    Path(args.out, "retrieval.json").write_text(as_json(rows), encoding="utf-8")
    Path(args.out, "retrieval.svg").write_text(plot(rows), encoding="utf-8")
    print(report(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
