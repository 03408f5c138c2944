"""Kill satchel at random moments while it indexes, and compare what is left with a fresh index.

Run from the repository root: `python docs/benchmarks/killing_index.py FOLDER... [--rounds N]`; a folder is a
workspace of your own, which is only read: edits are made in a copy of its first files. In each round files
of the copy are edited, added and removed, an indexing process is killed (SIGKILL), and the index is
compared with a fresh one. Two processes index at once in every third round. It prints Markdown.
"""

# ruff: noqa: S603, S311 - it runs this very Python; nothing here is secret
from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from satchel import Workspace
from satchel.workspace.index.documents import Index

_INDEX = "import sys; from satchel import Workspace; Workspace.open(sys.argv[1]).close()"
_MOST_FILES = 400
Contents = Mapping[str, object]


def started(root: Path, cache: Path) -> subprocess.Popen[bytes]:
    """Start a process that brings the index up to date."""
    env = {**os.environ, "SATCHEL_CACHE_DIR": str(cache)}
    return subprocess.Popen([sys.executable, "-c", _INDEX, str(root)], env=env, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process, and stop where it failed by itself."""
    _, errors = process.communicate()
    if process.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(f"indexing ended with {process.returncode}: {errors[-600:].decode()}")


def contents(root: Path, cache: Path) -> Contents:
    """Return what the index says, without the numbers that it gives to documents and words."""
    workspace = Workspace.open(root, cache_dir=cache)
    index = workspace.index
    paths = {document.id: path for path, document in index.documents.items()}
    told: dict[str, object] = {path: document[2:] for path, document in index.documents.items()}
    told |= _holders_by_term(index, paths)
    problems = [str(problem) for problem in workspace.problems]
    workspace.close()
    if problems:
        raise SystemExit(f"problems: {problems[:3]}")
    return {key: value for key, value in told.items() if value}


def _holders_by_term(index: Index, paths: Mapping[int, str]) -> dict[str, frozenset[tuple[str, int]]]:
    """Return the documents that hold each term, and how often; of those that are there."""
    found: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for term, id_, count in index.store.rows("SELECT term, doc, count(*) FROM places GROUP BY term, doc"):
        if id_ in paths:
            found[f"\0{term}"].add((paths[cast("int", id_)], cast("int", count)))
    return {term: frozenset(holders) for term, holders in found.items()}


def edit(files: list[Path], rng: random.Random) -> None:
    """Edit, add and remove some files."""
    for file in rng.sample(files, min(len(files), 12)):
        match rng.randrange(3):
            case 0 if file.exists():
                file.write_bytes(file.read_bytes() + f"\nword_{rng.randrange(10**6)} = 1\n".encode())
            case 1:
                file.with_name(f"new_{rng.randrange(50)}.py").write_text(f"def made_{rng.random()}(): ...\n")
            case 2 if file.exists():
                file.unlink()


def round_of(root: Path, cache: Path, rng: random.Random, *, number: int, seconds: float) -> int:
    """Kill one or two processes at random moments, and return how many were still at work."""
    if number % 5 == 0:
        shutil.rmtree(cache, ignore_errors=True)
    running = [started(root, cache) for _ in range(2 if number % 3 == 0 else 1)]
    killed = 0
    for process in running:
        time.sleep(rng.random() * seconds)
        killed += process.poll() is None
        process.kill()
        finished(process)
    return killed


def copied(source: Path, target: Path) -> list[Path]:
    """Copy the first files of a workspace as a plain folder."""
    entries = [entry for entry in Workspace.open(source).files.entries() if entry.kind == "file"]
    for entry in entries[:_MOST_FILES]:
        (target / entry.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / entry.path, target / entry.path)
    return [target / entry.path for entry in entries[:_MOST_FILES]]


def row(source: Path, rounds: int) -> str:
    """Kill and compare, and return a row of the table; an index that differs ends the program."""
    rng = random.Random(len(source.name))
    killed = 0
    with tempfile.TemporaryDirectory(prefix="satchel-killing-") as work:
        root, cache = Path(work, "root"), Path(work, "cache")
        files = copied(source, root)
        begun = time.monotonic()
        finished(started(root, Path(work, "first")))
        seconds = time.monotonic() - begun
        for number in range(rounds):
            edit(files, rng)
            killed += round_of(root, cache, rng, number=number, seconds=seconds)
            fresh = Path(work, f"fresh{number}")
            if contents(root, cache) != contents(root, fresh):
                raise SystemExit(f"round {number}: the index differs from a fresh one")
            shutil.rmtree(fresh)
    return f"| {source.name} | {len(files):,} | {rounds} | {killed} | 0 |"


def main(arguments: Sequence[str]) -> None:
    """Print a row for each workspace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=100)
    args = parser.parse_args(arguments)
    print("| workspace | files | rounds | killed at work | rounds in which the index differed |")
    print("|---|---|---|---|---|")
    for folder in args.folders:
        print(row(folder.resolve(), args.rounds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
