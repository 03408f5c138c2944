"""Grow the trees that correct the chances of parts, from what the commits of repositories touched.

Run from the repository root, with `pip install lightgbm`, in two steps:

    python docs/benchmarks/growing.py collect --repo PATH [--repo PATH]... --tasks 40 --out rows
    python docs/benchmarks/growing.py grow rows --out plugins/satchel_plugins/worth_models/trees.json

The first mines tasks as `retrieval.py` does, weighs each one's tree at the parent commit and writes what
`satchel_plugins.worth_models.trees` says of the likeliest parts beside what the commit touched, a
file for each task.
The second writes the names of the repositories into the file of trees, so that a benchmark on one of them is
recognized as no test. It tells first how well trees do on repositories that they were not grown from (cross entropy of
the lines and of the definitions that were touched, in nats, before and after), then grows them from all.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy

sys.path.insert(0, str(Path(__file__).parent))
from mined.judging import definitions_touched, lines_touched
from mined.mining import MinedTask, mine, repository_name
from mined.mining import Tree as CheckedOut

from satchel.packing.weighing.appraising import estimate_chances
from satchel.packing.pipeline import PackSettings, run_pack
from satchel.packing.rendering import find_form
from satchel.packing.representing import split_all
from satchel.parts import NO_LINES
from satchel.runs import WorkspaceRun, open_run
from satchel_plugins.worth_models.trees import NAMES, Tree, as_tree, rows, sum_trees

BUDGET = 4_000
"""Tokens of the packs that are looked at: what is worth most matters most where room is tight."""
LEAVES, TREES, RATE, LEAST_IN_LEAF, L2 = 8, 100, 0.1, 60, 3.0
FOLDS = 5
_FEATURE_SHARE, _ROW_SHARE, _LEAST_CURVATURE = 0.5, 0.8, 0.5


class Table(NamedTuple):
    """What is known of one task's likeliest parts."""

    repository: str
    """Its name, as `repository_name` tells it."""
    commit: str
    numbers: Any
    """A row for each part, as `NAMES` says: an array of float32."""
    logits: Any
    """Logarithms of their chances, up to a sum that is the same for all."""
    lines: Any
    """Each part's share of the lines that the commit touched."""
    definitions: Any
    """Each head's share of the definitions that it touched; of a part without one, the part's."""


def tabled(run: WorkspaceRun, task: MinedTask, repository: str) -> Table | None:
    """Weigh a working tree for a task; None where nothing that the commit touched is among the likeliest."""
    outcome = run_pack(run, task.text, PackSettings(find_form("markdown"), run.config.strategy, BUDGET))
    scored = outcome.weighed.scored
    splits = split_all(run, [one.item for one in scored])
    items = [(one, splits[one.item.id]) for one in scored if one.item.id in splits]
    query = run.workspace.ranking.query(outcome.weighed.task)
    chances = estimate_chances(items, query)
    table = rows(items, chances, query)
    lines, definitions = [], []
    for row in table:
        scored, split = items[row.item]
        part = split.parts[row.part]
        lines.append(lines_touched(task.gold, scored.item.path, part.lines))
        introduced = part.lines if part.head == NO_LINES else part.head
        definitions.append(definitions_touched(task.gold, scored.item.path, introduced))
    if not sum(lines):
        return None
    return Table(
        repository,
        task.commit,
        numpy.array([row.numbers for row in table], numpy.float32),
        numpy.array([math.log(chances[row.item][row.part]) for row in table]),
        numpy.array(lines),
        numpy.array(definitions),
    )


def collect(
    repositories: Sequence[Path], folder: Path, *, tasks: int, seed: int, seconds: float = math.inf
) -> None:
    """Write a table for each task that the repositories' commits pose and that has none yet.

    A repository whose tasks take more than some seconds is left after these.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for repository in repositories:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="satchel-growing-") as work:
            tree = CheckedOut(repository, Path(work, "tree"))
            for task in mine(repository, tasks, seed=seed):
                if (folder / f"{task.commit}.npz").exists():
                    continue
                if time.monotonic() - start > seconds:
                    break
                tree.move_to(task.parent)
                run = open_run(tree.folder)
                try:
                    table = tabled(run, task, repository_name(repository))
                finally:
                    run.workspace.close()
                if table is not None:
                    numpy.savez_compressed(folder / f"{task.commit}.npz", **table._asdict())
                print(f"{repository}: {task.commit[:10]}", file=sys.stderr, flush=True)


class Model(NamedTuple):
    """Trees as the plugin `trees` reads them: of lines, and what definitions have beside them."""

    lines: list[Any]
    definitions: list[Any]


class _Target(NamedTuple):
    """What the chances of one task's parts should be."""

    numbers: Any
    logits: Any
    shares: Any


def grow(tables: Sequence[Table]) -> Model:
    """Return trees for lines, and trees for definitions on top of them."""
    of_lines = _grown([_target(table, table.lines) for table in tables])
    trees = list(map(as_tree, of_lines))
    targets = [
        _target(table._replace(logits=table.logits + _said(table, trees)), table.definitions)
        for table in tables
        if sum(table.definitions)
    ]
    return Model(of_lines, _grown(targets))


def _target(table: Table, touched: Any) -> _Target:
    return _Target(table.numbers, table.logits, touched / sum(touched))


def _said(table: Table, trees: Sequence[Tree]) -> Any:
    return numpy.array([sum_trees(numbers, trees) for numbers in table.numbers.tolist()])


def _grown(targets: Sequence[_Target]) -> list[Any]:
    import lightgbm

    sizes = [len(target.numbers) for target in targets]
    group = numpy.repeat(numpy.arange(len(targets)), sizes)
    starts = numpy.concatenate([[0], numpy.cumsum(sizes)[:-1]])
    touched = numpy.concatenate([target.shares for target in targets])

    def gradient(logits: Any, _: Any) -> tuple[Any, Any]:
        """Of the cross entropy between the chances of a task's parts and what was touched."""
        grown = numpy.exp(logits - numpy.maximum.reduceat(logits, starts)[group])
        shares = grown / numpy.add.reduceat(grown, starts)[group]
        return shares - touched, numpy.maximum(shares * (1 - shares), 1e-4)

    data = lightgbm.Dataset(
        numpy.concatenate([target.numbers for target in targets]),
        touched,
        init_score=numpy.concatenate([target.logits for target in targets]),
        params={"max_bin": 127},
    )
    settings = {
        "objective": gradient, "learning_rate": RATE, "num_leaves": LEAVES, "lambda_l2": L2,
        "min_data_in_leaf": LEAST_IN_LEAF, "min_sum_hessian_in_leaf": _LEAST_CURVATURE,
        "feature_fraction": _FEATURE_SHARE, "bagging_fraction": _ROW_SHARE, "bagging_freq": 1,
        "num_threads": 1, "verbose": -1, "seed": 7, "deterministic": True, "max_bin": 127,
    }  # fmt: skip
    model = lightgbm.train(settings, data, TREES).dump_model()
    return [_stored(tree["tree_structure"]) for tree in model["tree_info"]]


def _stored(node: dict[str, Any]) -> Any:
    if "leaf_value" in node and "split_feature" not in node:
        return round(node["leaf_value"], 5)
    below, above = _stored(node["left_child"]), _stored(node["right_child"])
    return [node["split_feature"], float(f"{node['threshold']:.6g}"), below, above]


def held_out(tables: Sequence[Table]) -> list[tuple[float, float]]:
    """Return the mean cross entropy of lines and of definitions, before and after correction.

    Each repository's chances are corrected by trees grown from others.
    """
    names = sorted({table.repository for table in tables})
    random.Random(1).shuffle(names)  # noqa: S311 - nothing secret
    entropies: tuple[list[tuple[float, float]], ...] = ([], [])
    for fold in range(FOLDS):
        apart = set(names[fold::FOLDS])
        model = grow([table for table in tables if table.repository not in apart])
        lines, definitions = (list(map(as_tree, trees)) for trees in model)
        for table in tables:
            if table.repository not in apart:
                continue
            of_lines = table.logits + _said(table, lines)
            mended = (of_lines, of_lines + _said(table, definitions))
            for touched, after, found in zip(table[-2:], mended, entropies, strict=True):
                if sum(touched):
                    found.append((_entropy(table.logits, touched), _entropy(after, touched)))
    return [tuple(map(statistics.mean, zip(*found, strict=True))) for found in entropies]


def _entropy(logits: Any, touched: Any) -> float:
    shares = numpy.exp(logits - logits.max())
    return float(-(touched / sum(touched) * numpy.log(shares / shares.sum())).sum())


def _collected(folder: Path) -> list[Table]:
    tables = []
    for path in sorted(folder.glob("*.npz")):
        with numpy.load(path) as stored:
            names = (str(stored["repository"]), str(stored["commit"]))
            tables.append(Table(*names, *(stored[name] for name in Table._fields[2:])))
    return tables


def _written(model: Model, tables: Sequence[Table]) -> str:
    """Return the file of trees, one on a line."""
    commits = Counter(sorted(table.repository for table in tables))
    grown_from = f"{len(tables)} commits of {len(commits)} repositories"
    about = (
        f'"grown_from": {json.dumps(grown_from)},\n"repositories": {json.dumps(commits)},\n'
        f'"features": {json.dumps(NAMES)}'
    )
    kinds = [
        f'"{name}": [\n' + ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in trees) + "\n]"
        for name, trees in model._asdict().items()
    ]
    return "{" + ",\n".join([about, *kinds]) + "}\n"


def main() -> None:
    """Run the step that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    collecting = steps.add_parser("collect")
    collecting.add_argument("--repo", type=Path, action="append", required=True)
    collecting.add_argument("--tasks", type=int, default=40)
    collecting.add_argument("--seed", type=int, default=0)
    collecting.add_argument("--seconds", type=float, default=math.inf)
    collecting.add_argument("--out", type=Path, required=True)
    growing = steps.add_parser("grow")
    growing.add_argument("rows", type=Path)
    growing.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    if asked.step == "collect":
        collect(asked.repo, asked.out, tasks=asked.tasks, seed=asked.seed, seconds=asked.seconds)
        return
    tables = _collected(asked.rows)
    for name, entropies in zip(Model._fields, held_out(tables), strict=True):
        print("cross entropy of {} touched, before and after: {:.3f} {:.3f}".format(name, *entropies))
    asked.out.write_text(_written(grow(tables), tables), "utf-8")


if __name__ == "__main__":
    main()
