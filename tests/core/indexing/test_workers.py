"""Processes that split: whatever becomes of one, the others' work is done and nothing waits for ever."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import pytest

from satchel import SatchelError
from satchel.packing import Text, WorkerRequest, WorkerSettings, split_by
from satchel.workspace import Document

WORKER = """
import json, os, signal, sys, time
if json.loads(sys.stdin.readline())[0] == "full":
    print(json.dumps({"error": "the disk is full"}), flush=True)
for line in sys.stdin:
    names = [told[0] for told in json.loads(line)]
    if "killed" in names:
        os.kill(os.getpid(), signal.SIGKILL)
    if "hangs" in names:
        time.sleep(60)
    odd = [[name, "read", "is gone"] for name in names if name == "gone"]
    print(json.dumps({"problems": odd}), flush=True)
"""


EACH = 2_010
"""Bytes that a file counts for: its own ten, and its start."""


def texts(*names: str) -> list[Text]:
    return [Text(name, "files", name, "generic", Document(1, name, 10, "c", "text", 2)) for name in names]


def split(*batches: Sequence[Text], root: str = "", jobs: int = 2) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the problems, and how far the work was at each report."""
    told: list[tuple[int, int]] = []
    labour = WorkerSettings(jobs, command=(sys.executable, "-c", WORKER), batch_seconds=1.0, file_seconds=1.0)
    problems = split_by(
        batches,
        WorkerRequest(root, "key", {}),
        labour=labour,
        progress=lambda _, done, all_: told.append((done, all_)),
    )
    return [f"{one.plugin} {one.error}" for one in problems], told


def test_all_batches_are_handled() -> None:
    problems, told = split(texts("a", "b"), texts("c"), texts("d", "gone"))

    assert problems == ["gone is gone"]
    assert told[-1] == (5 * EACH, 5 * EACH)


def test_nothing_to_do_starts_no_process() -> None:
    assert split() == ([], [])


def test_a_file_that_ends_its_process_is_left_out_alone() -> None:
    problems, told = split(texts("a", "killed", "b"), texts("c"))

    assert problems == ["killed the process that split it ended with signal 9; left out"]
    assert told[-1] == (4 * EACH, 4 * EACH)


def test_a_file_that_hangs_is_given_up() -> None:
    begun = time.monotonic()

    problems, told = split(texts("hangs", "a"), texts("b"))

    assert [problem.split()[0] for problem in problems] == ["hangs"]
    assert told[-1] == (3 * EACH, 3 * EACH)
    assert time.monotonic() - begun < 30


def test_an_index_that_can_not_be_written_is_an_error() -> None:
    with pytest.raises(SatchelError, match="the disk is full"):
        split(texts("a"), root="full", jobs=1)


def test_a_program_that_can_not_be_started_is_an_error() -> None:
    labour = WorkerSettings(1, command=("/nowhere/python",))

    with pytest.raises(SatchelError, match="no worker can be started"):
        split_by([texts("a")], WorkerRequest("", "key", {}), labour=labour)


def test_an_interruption_ends_the_processes() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    labour = WorkerSettings(2, command=(sys.executable, "-c", WORKER))

    with pytest.raises(KeyboardInterrupt):
        split_by([texts("a"), texts("b")], WorkerRequest("", "key", {}), labour=labour, progress=interrupt)
