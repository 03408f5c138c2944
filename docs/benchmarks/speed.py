"""Measure speed beside ripgrep, repomix and aider: CPU time of processes that start and end, as ratios.

Run from the repository root: `python docs/benchmarks/speed.py FOLDER...`; each folder is a workspace of
your own. `--generate N` adds a repository of N files, made from the texts of the first folder with other
names in them. It prints Markdown. S is `rg -w return` over the same folder in the same run. Nothing is
written into the folders but for one line, which is taken back, in the measurement of one changed file.
"""

# ruff: noqa: S603, S607 - it runs programs that the reader has installed
from __future__ import annotations

import argparse
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TASKS = (
    "the login fails with a wrong password and nothing is logged",
    "options of the command line are parsed twice when a config file is given",
    "a timeout while reading leaves the connection open",
)
_WORDS = re.compile(r"\b[a-z]{4,}(?:_[a-z]+)+\b")
_RENAMED = 0.25
_SETTLED_SECONDS = 2.5
_LONG_RUNS = 3
"""Of what takes seconds, the median of so many runs; of aider's minutes one."""
_AIDER = (
    *("--show-repo-map", "--exit", "--map-tokens", "4096", "--model", "gpt-4o", "--yes-always"),
    *("--no-check-update", "--no-analytics", "--no-show-model-warnings", "--no-gitignore"),
)
_LONG_LIVED = """
import sys, time
import satchel
root, task, edited, line = sys.argv[1:5]
with satchel.watch(root) as watch:
    watch.pack(task)
    time.sleep(3)  # at its start a watch relies on no event
    times = []
    for number in range(9):
        if edited:
            with open(edited, "a") as file:
                file.write(f"{line}{number}\\n" if line else "\\n")
        begun = time.process_time()
        watch.pack(task)
        times.append(time.process_time() - begun)
print(sorted(times)[len(times) // 2])
"""


class Cost(NamedTuple):
    """What a process and its children cost."""

    seconds: float
    """User and system time."""
    megabytes: float
    """The largest resident set of one of them."""


def cost(command: Sequence[str], *, folder: Path, env: Mapping[str, str]) -> Cost:
    """Run a program to its end and return its cost; its output is thrown away."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            errors.seek(0)
            raise SystemExit(f"{command[0]} ended with {process.returncode}: {errors.read()[-400:]!r}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def median(command: Sequence[str], times: int, *, folder: Path, env: Mapping[str, str]) -> Cost:
    """Return the medians of several runs."""
    return _middle([cost(command, folder=folder, env=env) for _ in range(times)])


def _middle(costs: Sequence[Cost]) -> Cost:
    return Cost(*(statistics.median(values) for values in zip(*costs, strict=True)))


class Lab:
    """One workspace with a cache of its own."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.cache = cache
        self.env = {**os.environ, "SATCHEL_CACHE_DIR": str(cache)}
        self.rows: list[tuple[str, Cost]] = []

    def satchel(self, task: str, *options: str) -> Cost:
        """Return what one pack costs."""
        command = [sys.executable, "-m", "satchel", "pack", task, "--root", str(self.root), *options]
        return cost(command, folder=Path("/"), env=self.env)

    def cold(self) -> Cost:
        """Return what the first pack of all costs; nothing but the plugins' names is known before."""
        costs = []
        for _ in range(_LONG_RUNS):
            shutil.rmtree(self.cache, ignore_errors=True)
            cost([sys.executable, "-m", "satchel", "--version"], folder=Path("/"), env=self.env)
            costs.append(self.satchel(TASKS[0]))
        return _middle(costs)

    def other(self, times: int) -> Cost:
        """Return what a question costs that was never asked, of files that were split before."""
        self.satchel(TASKS[1])
        return _middle([self.satchel(TASKS[1], "--budget", str(15_900 + number)) for number in range(times)])

    def start(self) -> Cost:
        """Return what a pack of a folder with one file costs: the process, its imports, its plugins."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.py").write_text("def login(): ...\n")
            time.sleep(_SETTLED_SECONDS)  # what has just changed is looked at again
            command = [sys.executable, "-m", "satchel", "pack", TASKS[0], "--root", folder, "--budget"]
            budgets = [str(9_000 + number) for number in range(6)]
            costs = [cost([*command, budget], folder=Path("/"), env=self.env) for budget in budgets]
            return _middle(costs[1:])

    def measure(self, times: int) -> None:
        """Measure satchel cold, warm, after a change and in a long-lived process."""
        self.rows.append(("cold: index and pack", self.cold()))
        self.rows.append(("indexed, files of another task", self.satchel(TASKS[1])))
        warm, start = self.other(times), self.start()
        self.rows += [
            ("another question, nothing changed", warm),
            ("... the same of a folder with one file", start),
            ("... beyond it", Cost(warm.seconds - start.seconds, 0.0)),
        ]
        self.rows.append(("one file changed", self._after_an_edit(times)))
        for name, edited, line in (
            ("long-lived, nothing changed", "", ""),
            ("long-lived, a blank line added to a file", self._some_file(), ""),
            (
                "long-lived, a line of code added to a file",
                self._some_file(),
                "const timeout = readSource",
            ),
        ):
            self.rows.append((name, self._long_lived(edited, line)))

    def _some_file(self) -> str:
        known = [
            path for path in sorted(self.root.rglob("*.*")) if path.suffix in (".py", ".js", ".ts", ".go")
        ]
        listed = [path for path in known if path.is_file() and ".git" not in path.parts]
        return str(listed[len(listed) // 2]) if listed else ""

    def _after_an_edit(self, times: int) -> Cost:
        file = Path(self._some_file())
        before = file.read_bytes()
        costs = []
        try:
            for number in range(times):
                file.write_bytes(before + b"\n" * (number + 1))
                costs.append(self.satchel(TASKS[0]))
        finally:
            file.write_bytes(before)
        return _middle(costs)

    def _long_lived(self, edited: str, line: str) -> Cost:
        before = Path(edited).read_bytes() if edited else b""
        command = [sys.executable, "-c", _LONG_LIVED, str(self.root), TASKS[0], edited, line]
        try:
            done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True)
        finally:
            if edited:
                Path(edited).write_bytes(before)
        return Cost(float(done.stdout), 0.0)

    def peers(self) -> None:
        """Measure the peers that are installed."""
        with tempfile.TemporaryDirectory() as folder:
            if shutil.which("repomix"):
                command = ["repomix", "--no-security-check", "-o", f"{folder}/out.txt", str(self.root)]
                self.rows.append(("repomix", median(command, _LONG_RUNS, folder=Path(folder), env=self.env)))
            if shutil.which("aider"):
                self._aider(Path(folder))

    def _aider(self, work: Path) -> None:
        """Measure aider's repo map twice; what it leaves in the folder is removed."""
        before = set(self.root.glob(".aider*"))
        histories = [f"--{name}-history-file={work / name}" for name in ("chat", "input")]
        env = {**self.env, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        try:
            for name in ("aider's repo map, cold", "aider's repo map, again"):
                spent = cost(["aider", *_AIDER, *histories], folder=self.root, env=env)
                self.rows.append((name, spent))
        finally:
            for left in set(self.root.glob(".aider*")) - before:
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    def table(self) -> str:
        """Return the rows as Markdown, beside S."""
        scan = median(["rg", "-w", "return", str(self.root)], 5, folder=Path("/"), env=self.env)
        files = sum(1 for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        size = sum(path.stat().st_size for path in self.cache.rglob("*.sqlite*")) / 1e6
        scanned = f"S = {1000 * scan.seconds:.0f} ms"
        lines = [
            f"\n**{self.root.name}**: {files:,} files; {scanned}; index {size:.0f} MB\n",
            "| run | CPU s | in S | peak MB |\n|---|---|---|---|",
        ]
        for name, spent in self.rows:
            peak = f"{spent.megabytes:.0f}" if spent.megabytes else ""
            lines.append(f"| {name} | {spent.seconds:.2f} | {spent.seconds / scan.seconds:.1f} | {peak} |")
        return "\n".join(lines)


def generate(source: Path, target: Path, count: int) -> None:
    """Make a repository of `count` files: texts of `source` where every fourth snake_case name is another."""
    names = subprocess.run(["git", "ls-files"], cwd=source, capture_output=True, text=True, check=True)
    paths = [
        source / name for name in names.stdout.splitlines() if name.endswith((".py", ".js", ".md", ".yml"))
    ]
    texts = [(path, path.read_text(errors="replace")) for path in paths if path.stat().st_size < 20_000]
    for number in range(count):
        path, text = texts[number % len(texts)]
        renamed = _renamed(text, random.Random(number))  # noqa: S311
        place = target / f"copy{number // len(texts)}" / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(renamed)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Generate"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], cwd=target, check=True)


def _renamed(text: str, rng: random.Random) -> str:
    def another(word: re.Match[str]) -> str:
        return f"{word[0]}_{rng.randrange(40)}" if rng.random() < _RENAMED else word[0]

    return _WORDS.sub(another, text)


def main(arguments: Sequence[str]) -> None:
    """Print one table for each workspace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--generate", type=int, default=0, metavar="N")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--no-peers", action="store_true")
    args = parser.parse_args(arguments)
    if not shutil.which("rg"):
        raise SystemExit("ripgrep is what all times are compared with: install rg")
    print(f"Measured {time.strftime('%Y-%m-%d')}, CPython {platform.python_version()}.")
    with tempfile.TemporaryDirectory(prefix="satchel-speed-") as work:
        folders = [folder.resolve() for folder in args.folders]
        if args.generate:
            folders.append(Path(work, "generated"))
            generate(folders[0], folders[-1], args.generate)
        for folder in folders:
            lab = Lab(folder, Path(work, "cache"))
            lab.measure(args.times)
            if not args.no_peers:
                lab.peers()
            print(lab.table(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
