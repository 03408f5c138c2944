"""Measure the CPU seconds of each hook on a workspace: `python docs/benchmarks/hooks.py ROOT [ROUNDS]`.

The hook's own process and its children count; what the resident process takes is printed beside it.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

OUTPUT = "\n".join(f"tests/test_{at % 70}.py::test_case_{at} PASSED in {at / 100} s" for at in range(700))
WORDS = "parser error option retry client index decoder encoding socket thread lock header".split()  # noqa: SIM905


def told(root: Path, transcript: Path) -> Iterator[tuple[str, str, Callable[[int], dict[str, Any]]]]:
    """Yield a name, the event, and what the hook is told in each round."""
    yield (
        "a prompt",
        "user-prompt-submit",
        lambda at: {"prompt": f"the {WORDS[at % 12]} of {WORDS[at % 7]} fails"},
    )
    yield "small talk", "user-prompt-submit", lambda at: {"prompt": "thanks, go on"}
    yield "a session starts", "session-start", lambda at: {"source": "startup"}
    yield (
        "an output of 35 kB",
        "post-tool-use",
        lambda at: {"tool_name": "Bash", "tool_response": {"stdout": OUTPUT}},
    )
    yield (
        "a small output",
        "post-tool-use",
        lambda at: {"tool_name": "Bash", "tool_response": {"stdout": "ok"}},
    )
    yield "before a compaction", "pre-compact", lambda at: {"transcript_path": str(transcript)}
    yield "after a compaction", "session-start", lambda at: {"source": "compact"}


def run_hook(event: str, given: dict[str, Any]) -> tuple[float, int]:
    """Run a hook; return its CPU seconds and the bytes of its answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "satchel", "hook", event]
    ran = subprocess.run(  # noqa: S603 - this Python, on satchel
        command, input=json.dumps(given).encode(), capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.stderr:
        sys.stderr.buffer.write(ran.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, len(ran.stdout)


def resident_seconds(root: Path) -> float:
    """Return the CPU seconds that a workspace's resident process has taken, 0 where that is not told."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            if b"serve" in words and os.fsencode(root) in words:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return 0.0


def main() -> None:
    """Print a row for each hook."""
    root, rounds = Path(sys.argv[1]).resolve(), int((sys.argv[2:] or ["11"])[0])
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder) / "talk.jsonl"
        rows = [
            {"type": "user", "message": {"role": "user", "content": f"do {at}\n" * 90}} for at in range(900)
        ]
        transcript.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        given = {"session_id": "benchmark", "cwd": str(root)}
        run_hook(
            "user-prompt-submit", {**given, "prompt": "the parser of options"}
        )  # the index is warm from now on
        print(f"{'hook':<22}{'median CPU s':>14}{'resident s':>12}{'bytes':>8}")
        for name, event, tell in told(root, transcript):
            begun = resident_seconds(root)
            found = [run_hook(event, {**given, **tell(at)}) for at in range(rounds)]
            beside = (resident_seconds(root) - begun) / rounds
            median = statistics.median(seconds for seconds, _ in found)
            print(f"{name:<22}{median:>14.3f}{beside:>12.3f}{max(size for _, size in found):>8}")


if __name__ == "__main__":
    main()
