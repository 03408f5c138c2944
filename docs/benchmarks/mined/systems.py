"""The systems that are asked: each gets a task, a tree and a budget, and answers with what it would show."""

# ruff: noqa: S603 - it runs programs that the reader has installed
from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mined.judging import Shown, split_plain
from mined.sources import is_source

SECONDS = 900
CONTEXT_LINES, BEST_LINES, KEYWORDS = 8, 12, 60
_LARGEST = 1_000_000
_CHARS_A_TOKEN = 12
_STOP = frozenset(  # words that say nothing about code
    """
    a an and any are as at be been but by can could do does for from had has have how if in into is it
    its like make more must new no not now of on only or other our set should so some such than that
    the their them then there these they this those to too use used using was we were what when where
    which while who why will with would you your
    """.split()  # noqa: SIM905 - one line a word is no easier to read
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEYWORD = re.compile(r"\w+(?:_\w+)+|[A-Za-z]{4,}\w*")


class Asked(NamedTuple):
    """A question: what the tools of the field are given."""

    text: str
    root: Path
    paths: tuple[str, ...]
    """The files of the tree, tests and documents included."""
    commit: str
    work: Path
    """A folder for what a system keeps between calls."""

    def sources(self) -> list[str]:
        """Return the source files that a fix could change; the simple systems look at no others."""
        return [path for path in self.paths if is_source(path)]

    def read(self, path: str) -> str:
        """Return a file's text, "" for a huge one."""
        file = self.root / path
        return file.read_text("utf-8", "replace") if file.stat().st_size < _LARGEST else ""


System = Callable[[Asked, int], Sequence[Shown]]


def installed(aider_python: str = "") -> dict[str, System]:
    """Return the systems that this machine has, by name."""
    python = aider_python or _python_of("aider")
    found: dict[str, System] = {"satchel": satchel}
    if shutil.which("rg"):
        found["ripgrep"] = ripgrep
    found["bm25"] = bm25
    if shutil.which("repomix"):
        found["repomix"] = repomix
    if python:
        found["aider"] = AiderMap(python)
    return found


def satchel(question: Asked, budget: int) -> list[Shown]:
    """Ask `satchel pack` of the environment that runs this."""
    command = [sys.executable, "-m", "satchel", "pack", "-", "--root", str(question.root)]
    cache = {"SATCHEL_CACHE_DIR": str(question.work / "satchel")}
    done = _run(
        [*command, "--budget", str(budget), "--format", "json"], question.work, stdin=question.text, env=cache
    )
    items = json.loads(done)["items"]
    return [
        Shown(str(item.get("path") or ""), "" if item["level"] == "pointer" else item["text"] or "")
        for item in items
    ]


def ripgrep(question: Asked, budget: int) -> list[Shown]:
    """Search the task's words as a person would, and show the lines around the hits of the best files."""
    words = [word for word in _KEYWORD.findall(question.text) if word.lower() not in _STOP]
    rarest_form = sorted(dict.fromkeys(words), key=lambda word: not _is_identifier(word))[:KEYWORDS]
    options = ["-o", "-n", "-i", "-F", "--no-heading", "--with-filename", "--no-config", "-M", "400"]
    hits = _hits(
        question, _run(["rg", *options, "-f", "-", "."], question.root, stdin="\n".join(rarest_form))
    )
    found_in = Counter(word for lines in hits.values() for word in set().union(*lines.values()))
    files = len(question.sources())
    weight = {word: math.log(1 + files / count) for word, count in found_in.items()}

    def worth(words: Iterable[str]) -> float:
        return sum(weight[word] for word in words)

    best = sorted(hits, key=lambda path: (-worth(set().union(*hits[path].values())), path))
    return _filled((Shown(path, _around(question.read(path), hits[path], worth)) for path in best), budget)


def bm25(question: Asked, budget: int) -> list[Shown]:
    """Rank whole files by BM25 (k1 1.2, b .75) over words, with identifiers also split into theirs."""
    documents = {path: Counter(split_words(question.read(path), cache=True)) for path in question.sources()}
    wanted = Counter(split_words(question.text))
    scores = bm25_scores(documents, {word: min(count, 3) for word, count in wanted.items()})
    best = sorted(scores, key=lambda path: (-scores[path], path))
    return _filled((Shown(path, question.read(path)) for path in best), budget)


def bm25_scores(documents: Mapping[str, Counter[str]], query: Mapping[str, float]) -> dict[str, float]:
    """Return the score of each document that has a word of the query (Robertson and Zaragoza, 2009)."""
    lengths = {name: counts.total() for name, counts in documents.items()}
    usual = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    scores: defaultdict[str, float] = defaultdict(float)
    for word, weight in query.items():
        holding = {name: counts[word] for name, counts in documents.items() if word in counts}
        rarity = math.log(1 + (len(documents) - len(holding) + 0.5) / (len(holding) + 0.5))
        for name, count in holding.items():
            longer = 1.2 * (0.25 + 0.75 * lengths[name] / usual)
            scores[name] += weight * rarity * count * 2.2 / (count + longer)
    return dict(scores)


def split_words(text: str, *, cache: bool = False) -> list[str]:
    """Return the words of a text in lower case, and the parts of those that are made of several."""
    return list(_split_words_once(text)) if cache else list(_split_words(text))


def repomix(question: Asked, budget: int) -> list[Shown]:
    """Cut repomix's pack of the whole tree; it takes no task."""
    done = question.work / f"repomix-{question.commit}.txt"
    if not done.exists():
        options = ["--style", "plain", "--no-security-check", "--quiet", "--no-file-summary"]
        _run(
            ["repomix", str(question.root), "-o", str(done), *options, "--no-directory-structure"],
            question.work,
        )
    with done.open(encoding="utf-8", errors="replace") as file:
        return split_plain(file.read(budget * _CHARS_A_TOKEN), question.paths)


class AiderMap:
    """aider's repo map, drawn in aider's own environment."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, question: Asked, budget: int) -> list[Shown]:
        """Ask for the map that aider would send with this message."""
        if self.process is None or self.process.poll() is not None:
            script = str(Path(__file__).with_name("repo_map.py"))
            self.process = subprocess.Popen(
                [self.python, script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        facts = {"text": question.text, "root": str(question.root), "paths": question.paths, "budget": budget}
        answer = _answer(self.process, json.dumps(facts))
        return split_plain(answer, question.paths)

    def close(self) -> None:
        """End aider's process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


def _answer(process: subprocess.Popen[str], request: str) -> str:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("aider's process has no pipes")
    process.stdin.write(request + "\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("map: "):
            return str(json.loads(line.removeprefix("map: ")))
    raise RuntimeError("aider's process ended")


def _python_of(program: str) -> str:
    """Return the interpreter in a script's first line, "" where the script is not installed."""
    script = shutil.which(program)
    if not script:
        return ""
    with Path(script).open(encoding="utf-8", errors="replace") as file:
        first = file.readline().removeprefix("#!").split()
    return first[0] if first else ""


def _run(
    command: Sequence[str], folder: Path, *, stdin: str = "", env: Mapping[str, str] | None = None
) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(env or {})},
            input=stdin.encode(),
            stdout=subprocess.PIPE,
            stderr=errors,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode not in (0, 1) or (done.returncode and command[0] != "rg"):
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip()[-300:]
            raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {last}")
    return done.stdout.decode("utf-8", "replace")


def _filled(output: Iterator[Shown], budget: int) -> list[Shown]:
    """Stop soon after the budget: what is over it is cut by the judge, for everybody alike."""
    kept: list[Shown] = []
    chars = 0
    for part in output:
        kept.append(part)
        chars += len(part.text)
        if chars > budget * _CHARS_A_TOKEN:
            break
    return kept


def _is_identifier(word: str) -> bool:
    return "_" in word or word[1:] != word[1:].lower()


def _hits(question: Asked, output: str) -> dict[str, dict[int, set[str]]]:
    """Return the words found, by file and line."""
    known = set(question.sources())
    hits: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in output.splitlines():
        path, _, rest = row.removeprefix("./").partition(":")
        number, _, word = rest.partition(":")
        if path in known and number.isdecimal():
            hits[path][int(number)].add(word.lower())
    return {path: dict(lines) for path, lines in hits.items()}


def _around(text: str, lines: Mapping[int, set[str]], worth: Callable[[Iterable[str]], float]) -> str:
    source = text.split("\n")
    best = sorted(lines, key=lambda number: (-worth(lines[number]), number))[:BEST_LINES]
    shown = {near for number in best for near in range(number - CONTEXT_LINES, number + CONTEXT_LINES + 1)}
    return "\n".join(source[number - 1] for number in sorted(shown) if 1 <= number <= len(source))


def _split_words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        low = word.lower()
        if low not in _STOP:
            yield low
        parts = [part.lower() for part in _HUMP.findall(word)]
        if len(parts) > 1:
            yield from (part for part in parts if len(part) > 1 and part not in _STOP)


@lru_cache(4_000)
def _split_words_once(text: str) -> tuple[str, ...]:
    return tuple(_split_words(text))
