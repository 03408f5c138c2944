"""Try to make a session lose, double or serve damaged what it has acknowledged, and count the failures.

Run from the repository root: `python docs/benchmarks/killing.py [--rounds N] [--seed N] [TRIAL...]`.

    kill      SIGKILL of `session add` and of a process that adds in a loop, at random times
    faults    each open, write, sync, truncation, link, rename and removal of `session add` and of
              `session snapshot` fails once (strace -e inject, EIO and ENOSPC)
    races     eight processes, and eight threads, write to one session
    damage    a byte flipped, a page zeroed, a file cut short, at random places of each file
    million   1,000,000 messages: open, the last 50, the pins; times are medians of CPU time
"""

# ruff: noqa: S101, S311, S603 - it starts and kills what it tests, at random times
from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel import SatchelError
from satchel.session.session import Session

SATCHEL = (sys.executable, "-m", "satchel")
_STRACE = ("strace", "-f", "-qq", "-o")
_CALLS = (
    "openat",
    "pwrite64",
    "write",
    "fsync",
    "fdatasync",
    "ftruncate",
    "unlink",
    "rename",
    "link",
    "mkdir",
)
_LOOP = """
import sys
from satchel.session.session import Session
with Session.open("s", store=sys.argv[1], create=True) as session:
    for at in range(100_000):
        text = f"{sys.argv[2]}-{at}"
        node = session.add({"role": "user", "content": text})
        sys.stdout.write(f"{node.id} {text}\\n")
        sys.stdout.flush()
"""


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder that goes away again."""
    made = Path(tempfile.mkdtemp(prefix="satchel-killing-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def contents(store: Path) -> list[tuple[str, str]]:
    """Return id and text of each message, oldest first, all verified."""
    with Session.open("s", store=store) as session:
        return [(node.id, node.body["content"]) for node in session.message_nodes()]


def complaints(store: Path, acknowledged: list[tuple[str, str]]) -> list[str]:
    """Tell what is lost, doubled or out of order."""
    try:
        there = contents(store) if acknowledged or (store / "sessions.sqlite").exists() else []
    except SatchelError as error:
        return [f"can't be read: {error}"] if acknowledged else []
    counts = Counter(text for _, text in there)
    lost = [text for _, text in acknowledged if not counts[text]]
    doubled = [text for text, count in counts.items() if count > 1]
    kept = set(acknowledged)
    order = [pair for pair in there if pair in kept] == acknowledged
    return (
        [f"lost {lost[:3]}"] * bool(lost)
        + [f"doubled {doubled[:3]}"] * bool(doubled)
        + ["the order changed"] * (not order and not lost)
    )


def kill(rounds: int, draw: random.Random) -> Iterator[list[str]]:
    """Yield the complaints of each round: half kill one command, half a process that adds in a loop."""
    with folder() as store:
        acknowledged: list[tuple[str, str]] = []
        for number in range(rounds):
            if number % 2:
                acknowledged += _killed_loop(store, f"loop{number}", draw.uniform(0.12, 0.5))
            else:
                acknowledged += _killed_command(store, f"one{number}", draw.uniform(0.0, 0.5))
            yield complaints(store, acknowledged)


def _killed_loop(store: Path, name: str, seconds: float) -> list[tuple[str, str]]:
    process = subprocess.Popen([sys.executable, "-c", _LOOP, store, name], stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(seconds, lambda: process.send_signal(signal.SIGKILL))
    timer.start()
    out, _ = process.communicate()
    timer.cancel()
    lines = [line.split() for line in out.splitlines(keepends=True) if line.endswith("\n")]
    return [(one[0], one[1]) for one in lines]


def _killed_command(store: Path, text: str, seconds: float) -> list[tuple[str, str]]:
    process = subprocess.Popen(_add(store, text), stdout=subprocess.PIPE, text=True)
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return []
    return [(out.strip(), text)] if process.returncode == 0 else []


def _add(store: Path, text: str) -> list[str]:
    where = ["--store", str(store), "--session", "s"]
    return [*SATCHEL, "session", "add", *where, "--role", "user", "--text", text]


def faults(rounds: int, draw: random.Random) -> Iterator[list[str]]:
    """Yield the complaints for each call of `session add` and `session snapshot` that fails once."""
    if not shutil.which("strace"):
        print("faults: strace is not installed", file=sys.stderr)
        return
    for fresh in (True, False):
        for call in _CALLS:
            for nth in range(1, 1 + rounds):
                found = [_fault(call, nth, error, fresh=fresh) for error in ("EIO", "ENOSPC")]
                yield from (wrong for happened, wrong in found if happened)
                if not all(happened for happened, _ in found):
                    break
    for call in ("write", "fsync", "link", "unlink", "mkdir"):
        for nth in range(1, 1 + rounds):
            happened, wrong = _snapshot_fault(call, nth)
            if not happened:
                break
            yield wrong


def _fault(call: str, nth: int, error: str, *, fresh: bool) -> tuple[bool, list[str]]:
    """Return whether the call came to that number, and what went wrong."""
    with folder() as place:
        store, log = place / "store", place / "strace.log"
        kept = [] if fresh else [(_said(_add(store, "before")), "before")]
        inject = (*_STRACE, str(log), "-P", str(store), *_paths(store))
        traced = [*inject, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={nth}"]
        ended = subprocess.run([*traced, *_add(store, "now")], capture_output=True, text=True, timeout=120)
        happened = log.exists() and "INJECTED" in log.read_text("utf-8", "replace")
        found = [f"{call} {nth} {error}: a traceback"] if "Traceback" in ended.stderr else []
        if ended.returncode == 0:
            kept.append((ended.stdout.strip(), "now"))
        elif not ended.stderr.startswith("satchel: ") or ended.stderr.count("\n") != 1:
            found.append(f"{call} {nth} {error}: {ended.stderr!r}")
        found += [f"{call} {nth} {error}: {what}" for what in complaints(store, kept)]
        after = (_said(_add(store, "after")), "after")
        found += [f"{call} {nth} {error}, then: {what}" for what in complaints(store, [*kept, after])]
        return happened, found


def _snapshot_fault(call: str, nth: int) -> tuple[bool, list[str]]:
    """Return whether a call of a second snapshot came to that number, and what went wrong."""
    with folder() as store:
        _said(_add(store, "one"))
        where = ["--store", str(store), "--session", "s"]
        _said([*SATCHEL, "session", "snapshot", *where])
        _said(_add(store, "two"))
        log = store.parent / f"{store.name}.log"
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when={nth}"]
        taken = [*SATCHEL, "session", "snapshot", "--keep", "1", *where]
        ended = subprocess.run(
            [*_STRACE, str(log), *inject, *taken], capture_output=True, text=True, timeout=120
        )
        happened = "INJECTED" in log.read_text("utf-8", "replace")
        log.unlink()
        wrong = ["a traceback"] if "Traceback" in ended.stderr else []
        restored = subprocess.run(
            [*SATCHEL, "session", "restore", *where], capture_output=True, text=True, timeout=120, check=False
        )
        if restored.returncode:
            wrong.append(f"no snapshot is left: {restored.stderr!r}")
        if ended.returncode == 0 and "2 messages" not in restored.stdout:
            wrong.append(f"exit code 0, but {restored.stdout!r}")
        return happened, [f"snapshot: {call} {nth}: {what}" for what in wrong]


def _paths(store: Path) -> list[str]:
    names = ("", "-wal", "-shm", "-journal", "-count")
    return [word for name in names for word in ("-P", str(store / f"sessions.sqlite{name}"))]


def _said(command: list[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return ended.stdout.strip()


def races(rounds: int, draw: random.Random) -> Iterator[list[str]]:
    """Yield the complaints after eight processes, then eight threads, wrote at once."""
    for _ in range(max(1, rounds // 20)):
        with folder() as store:
            script = _LOOP.replace("100_000", "25")
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", script, store, f"p{at}"], stdout=subprocess.PIPE, text=True
                )
                for at in range(8)
            ]
            said = [line.split() for writer in writers for line in writer.communicate()[0].splitlines()]
            yield _all_there(store, [(one[0], one[1]) for one in said], 8 * 25)
        with folder() as store:
            yield _all_there(store, _threads(store), 8 * 25)


def _threads(store: Path) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = []

    def write(name: int) -> None:
        for at in range(25):
            text = f"t{name}-{at}"
            said.append((session.add({"role": "user", "content": text}).id, text))

    with Session.open("s", store=store, create=True) as session:
        threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return said


def _all_there(store: Path, said: list[tuple[str, str]], count: int) -> list[str]:
    there = contents(store)
    wrong = [] if sorted(there) == sorted(said) else ["what is there is not what was acknowledged"]
    for writer in {text.partition("-")[0] for _, text in there}:
        own = [int(text.partition("-")[2]) for _, text in there if text.startswith(f"{writer}-")]
        wrong += [] if own == sorted(own) else [f"the order of {writer} changed"]
    return wrong + ([] if len(there) == count == len(set(there)) else [f"{len(there)} of {count} are there"])


def damage(rounds: int, draw: random.Random) -> Iterator[list[str]]:
    """Yield the complaints for each file that was damaged: an answer must be right, or a clear error."""
    with folder() as place:
        whole = place / "whole"
        process = subprocess.Popen(
            [sys.executable, "-c", _LOOP, whole, "m"], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        said = [process.stdout.readline().split() for _ in range(120)]
        process.kill()
        process.communicate()
        expected = [(one[0], one[1]) for one in said]
        for _ in range(rounds):
            store = place / "damaged"
            shutil.copytree(whole, store)
            what = _damaged(store, draw)
            yield [f"{what}: {wrong}" for wrong in _served(store, expected)]
            shutil.rmtree(store)


def _damaged(store: Path, draw: random.Random) -> str:
    file = draw.choice([path for path in store.iterdir() if path.stat().st_size and "-shm" not in path.name])
    content = bytearray(file.read_bytes())
    way = draw.choice(("flip", "zero", "cut"))
    at = draw.randrange(len(content))
    if way == "flip":
        content[at] ^= 1 << draw.randrange(8)
    elif way == "zero":
        start = at // 4096 * 4096
        content[start : start + 4096] = bytes(len(content[start : start + 4096]))
    else:
        del content[at:]
    file.write_bytes(content)
    return f"{way} {file.name} at {at}"


def _served(store: Path, expected: list[tuple[str, str]]) -> list[str]:
    """Return what is wrong with the answer for a damaged store; an error in one line is right."""
    show = [*SATCHEL, "session", "show", "--store", str(store), "--session", "s", "--format", "json"]
    ended = subprocess.run(show, capture_output=True, text=True, timeout=120)
    if ended.returncode:
        one_line = ended.stderr.startswith("satchel: ") and ended.stderr.count("\n") == 1
        return [] if one_line and not ended.stdout else [f"exit {ended.returncode}: {ended.stderr[-300:]!r}"]
    answer = json.loads(ended.stdout)
    ids = [one["id"] for one in answer["metadata"]]
    there = list(zip(ids, [message["content"] for message in answer["messages"]], strict=True))
    return (
        []
        if there[: len(expected)] == expected
        else [f"{len(there)} served, not those that were acknowledged"]
    )


def million(rounds: int, draw: random.Random) -> Iterator[list[str]]:
    """Print how long a session of a million messages takes to open and to answer."""
    with folder() as store:
        began = time.process_time()
        with Session.open("s", store=store, create=True) as session:
            for block in range(1_000):
                session.record_many(
                    [("message", {"role": "user", "content": f"message {block}-{at}"}) for at in range(1_000)]
                )
                if block % 10 == 0:
                    session.record("pin", {"path": f"{block}.py"})
        size = sum(path.stat().st_size for path in store.iterdir())
        print(f"million: made in {time.process_time() - began:.0f} s of CPU time, {size / 1e6:.0f} MB")
        asks: dict[str, Callable[[Session], object]] = {
            "open": lambda session: session.id,
            "open and the last 50": lambda session: session.messages(last=50),
            "open and 100 pins": lambda session: session.happenings("pin"),
            "open and count": lambda session: session.count(),
            "open and add": lambda session: session.add({"role": "user", "content": "one more"}),
        }
        for name, ask in asks.items():
            seconds = statistics.median(_timed(store, ask) for _ in range(9))
            print(f"million: {name}: {1000 * seconds:.1f} ms")
        yield []


def _timed(store: Path, ask: Callable[[Session], object]) -> float:
    began = time.process_time()
    with Session.open("s", store=store) as session:
        ask(session)
    return time.process_time() - began


TRIALS = {"kill": kill, "faults": faults, "races": races, "damage": damage, "million": million}


def main() -> int:
    """Run the trials that are named, all by default."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"of {', '.join(TRIALS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.environ.setdefault("SATCHEL_STATE_DIR", tempfile.gettempdir())
    failures = 0
    for name in args.trials or TRIALS:
        rounds = list(TRIALS[name](args.rounds, random.Random(args.seed)))
        wrong = [what for found in rounds for what in found]
        failures += len(wrong)
        print(f"{name}: {len(rounds)} rounds, {len(wrong)} failures", *wrong[:20], sep="\n  ", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
