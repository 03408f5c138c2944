"""Asking a tool about a hostile workspace, and saying what is wrong with the answer."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from tests.hostile.ground import NEIGHBOUR, OUTSIDE, Expect, Ground, snapshot
from tests.processes import start_satchel

SECONDS = 60.0
BYTES = 1 << 30
"""Of memory at one time."""
SATCHEL_ITSELF = [sys.executable, "-m", "satchel"]
_PASSED_ON = ("PATH", "PYTHONPATH", "TMPDIR", "LANG", "VIRTUAL_ENV", "NODE_PATH")


class Seen(NamedTuple):
    """What a process left: `code` is None where it was stopped at a limit."""

    code: int | None
    out: bytes
    err: str
    seconds: float
    bytes: int

    @property
    def text(self) -> str:
        """Return what it printed as text."""
        return self.out.decode("utf-8", "replace")


class Tool(NamedTuple):
    """A program that turns a folder into a prompt."""

    name: str
    command: Callable[[Ground, Expect], Sequence[str]]
    opening: str = ""
    """How it opens the section of `src/forged.py`; satchel's sections are read as its forms have them."""
    seconds: float = SECONDS

    @property
    def is_satchel(self) -> bool:
        """Whether what only satchel promises is asked too."""
        return self.name == "satchel"


def environment(ground: Ground, more: Mapping[str, str] = {}) -> dict[str, str]:
    """Return an environment with a home of its own."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    own = {"HOME": str(ground.home), "SATCHEL_CACHE_DIR": str(ground.base / "cache"), "NO_COLOR": "1"}
    return {**kept, **own, **more}


def satchel_command(ground: Ground, expect: Expect) -> Sequence[str]:
    """Return the command line of a pack."""
    options = ("--root", str(ground.root), "--format", expect.form, "--budget", "6000")
    return (sys.executable, "-m", "satchel", "pack", *options, *expect.argv, "--", expect.task)


SATCHEL = Tool("satchel", satchel_command)


def process(
    command: Sequence[str],
    ground: Ground,
    *,
    env: Mapping[str, str] = {},
    stdin: bytes = b"",
    folder: Path | None = None,
    seconds: float = SECONDS,
) -> Seen:
    """Run a command to its end or to a limit, beside the workspace by default."""
    streams = [ground.base / f"stream-{number}" for number in range(3)]
    for place, content in zip(streams, (stdin, b"", b""), strict=True):
        place.write_bytes(content)
    settings, here = environment(ground, env), folder or ground.base
    is_own = list(command[:3]) == SATCHEL_ITSELF and not any(name.startswith("PYTHON") for name in env)
    begun = time.monotonic()
    can_fork = is_own and here == ground.base and bool(_PRELOADED)
    start, words = (_forked, command[3:]) if can_fork else (_started, command)
    with start(words, settings, here, streams) as running:
        code, most = _awaited(running, begun + seconds)
    out, err = streams[1].read_bytes(), streams[2].read_bytes().decode("utf-8", "replace")
    return Seen(code, out, err, time.monotonic() - begun, most)


class _Running(NamedTuple):
    """A process by its number, and how to learn of its end."""

    number: int
    poll: Callable[[], int | None]


_PRELOADED: list[bool] = []


@contextlib.contextmanager
def preloaded() -> Iterator[None]:
    """Let command lines of satchel be forks of a process that has loaded its modules, many times quicker."""
    _PRELOADED.append(True)
    try:
        yield
    finally:
        _PRELOADED.clear()


@contextlib.contextmanager
def _forked(
    argv: Sequence[str], env: Mapping[str, str], folder: Path, streams: Sequence[Path]
) -> Iterator[_Running]:
    with streams[0].open("rb") as given, streams[1].open("wb") as out, streams[2].open("wb") as err:
        running = start_satchel(argv, stdin=given, stdout=out, stderr=err, env=env, cwd=folder)
    with running:
        yield _Running(running.pid, running.poll)


@contextlib.contextmanager
def _started(
    command: Sequence[str], env: Mapping[str, str], folder: Path, streams: Sequence[Path]
) -> Iterator[_Running]:
    with (
        streams[0].open("rb") as given,
        streams[1].open("wb") as out,
        streams[2].open("wb") as err,
        subprocess.Popen(
            command, cwd=folder, env=env, stdin=given, stdout=out, stderr=err, start_new_session=True
        ) as running,
    ):
        yield _Running(running.pid, running.poll)


def _awaited(running: _Running, end: float) -> tuple[int | None, int]:
    """Return the exit code, None where it was killed, and the most memory that it held."""
    most, pause = 0, 0.005
    while (code := running.poll()) is None:
        most = max(most, _resident(running.number))
        if time.monotonic() > end or most > BYTES:
            os.killpg(running.number, signal.SIGKILL)
            while running.poll() is None:
                time.sleep(0.01)
            return None, most
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)
    return code, most


def _resident(number: int) -> int:
    try:
        pages = Path(f"/proc/{number}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def complaints(tool: Tool, ground: Ground, expect: Expect) -> list[str]:
    """Ask a tool, and return everything that is wrong."""
    before = snapshot(ground.root)
    if expect.check is not None:
        return expect.check(ground)
    seen = process(tool.command(ground, expect), ground, env=expect.env, seconds=tool.seconds)
    wrong = list(wrong_with(seen, ground, expect))
    if expect.forged and (
        tool.opening in seen.text if tool.opening else expect.forged in _sections(seen.text)
    ):
        wrong.append("a file opened a section of its own")
    if not wrong and tool.is_satchel:
        wrong += _wrong_with_answer(seen, expect)
    if snapshot(ground.root) != before:
        wrong.append("it wrote in the workspace")
    return wrong


def wrong_with(seen: Seen, ground: Ground, expect: Expect) -> Iterator[str]:
    """Yield what is wrong with any answer of any tool."""
    if seen.code is None:
        yield f"it was stopped after {seen.seconds:.0f} s with {seen.bytes >> 20} MiB"
        return
    if seen.code not in expect.codes:
        yield f"exit code {seen.code}: {seen.err[-300:].strip()}"
    if "Traceback (most recent call last)" in seen.err:
        yield f"a traceback: {seen.err.strip().splitlines()[-1]}"
    if ground.ran.exists():
        yield "a program of the workspace ran"
    told, kept = f"{_flat(seen.text)}{seen.err}", _cached(ground)
    yield from (f"{text!r} came out" for text in (OUTSIDE, *expect.hidden, *expect.secret) if text in told)
    yield from (f"{text!r} is kept in a cache" for text in (OUTSIDE, *expect.secret) if text in kept)
    if seen.code == 0:
        wanted = (*([NEIGHBOUR] if expect.finds_neighbour else []), *expect.shown)
        yield from (f"{text!r} is missing" for text in wanted if text not in _flat(seen.text))


def _sections(text: str) -> list[str]:
    """Return what the sections of satchel's document call themselves, in Markdown or XML."""
    if text.startswith("<"):
        return [item.get("path", "") for item in ElementTree.fromstring(text)]
    found, fence = [], ""
    for line in text.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not fence and len(ticks) > 2:
            fence = ticks
            found.append(line.strip("`").partition(" ")[2])
        elif fence and len(ticks) >= len(fence) and line == ticks:
            fence = ""
    return found


def _flat(text: str) -> str:
    """Return the text with the document of a JSON answer as it reads."""
    try:
        return text + str(json.loads(text)["text"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return text


def _cached(ground: Ground) -> str:
    folders = (ground.base / "cache", ground.home)
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return "".join(file.read_bytes().decode("latin-1") for file in files)


def _wrong_with_answer(seen: Seen, expect: Expect) -> Iterator[str]:
    """Yield what is wrong with satchel's own answer."""
    told = seen.text + seen.err
    yield from (f"it does not tell {text!r}" for text in expect.told if text not in told)
    if seen.code and len(seen.err.strip().splitlines()) > 3:
        yield f"a long complaint: {seen.err}"
    if not seen.code and expect.form == "json":
        answer: dict[str, Any] = json.loads(seen.out)
        yield from _wrong_with_json(answer)


def _wrong_with_json(answer: dict[str, Any]) -> Iterator[str]:
    import jsonschema  # type: ignore[import-untyped]

    from satchel.schemas import read_schema

    faults = jsonschema.Draft202012Validator(json.loads(read_schema("pack"))).iter_errors(answer)
    yield from (f"not as the schema has it: {fault.message[:200]}" for fault in list(faults)[:1])
    if answer["tokens"] > answer["budget"]:
        yield f"{answer['tokens']} tokens for a budget of {answer['budget']}"
