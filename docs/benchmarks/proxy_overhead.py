"""What `satchel proxy` adds to a request: `python docs/benchmarks/proxy_overhead.py [REQUESTS]`.

A server on loopback answers at once; each conversation is asked directly and through the proxy in turns, so
that both meet the same load. `added` is the median of the difference on the clock, `cpu` the proxy's own
processor time for a request.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

BUDGET = 24_000
AT_ONCE = 200
ANSWER = json.dumps(
    {"choices": [{"message": {"role": "assistant", "content": "ok"}}], "usage": {"prompt_tokens": 1}}
).encode()


async def upstream(scope: Any, receive: Any, send: Any) -> None:
    """Read a request and answer it."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": ANSWER})


def talk(turns: int, name: str = "") -> list[dict[str, str]]:
    """Return a conversation of about 200 tokens a turn."""
    made = [{"role": "system", "content": f"Be brief. {name}"}]
    for turn in range(turns):
        made.append({"role": "user", "content": f"What does step {turn} of the build do? " * 4})
        made.append(
            {"role": "assistant", "content": f"Step {turn} compiles module {turn} and links it. " * 14}
        )
    return [*made, {"role": "user", "content": f"What does step {turns} of the build do? " * 4}]


def growing(first: int, requests: int, name: str) -> Iterator[list[dict[str, str]]]:
    """Yield a conversation that gets one turn longer each time."""
    for turns in range(first, first + requests):
        yield talk(turns, name)


def start(*command: str, env: dict[str, str] | None = None) -> tuple[subprocess.Popen[str], str]:
    """Start a server; return it and its address, which it tells on stderr."""
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    assert running.stderr is not None
    for line in running.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return running, found[0]
    raise SystemExit("a server did not start")


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process and of the children that it waited for."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(
    direct: str, proxied: str, process: int, talks: list[list[dict[str, str]]]
) -> tuple[float, float, float]:
    """Return the median, the 95th percentile of what is added, and the proxy's processor time, in ms a request."""
    added, before = [], 0.0
    with httpx.Client(timeout=120) as client:
        for at, messages in enumerate(talks):
            body, times = json.dumps({"model": "m", "messages": messages}), []
            for address in (direct, proxied):
                began = time.perf_counter()
                client.post(f"{address}/v1/chat/completions", content=body).raise_for_status()
                times.append(time.perf_counter() - began)
            if at == 1:  # the first request loads what all others need
                before = cpu_seconds(process)
            if at > 1:
                added.append(1_000 * (times[1] - times[0]))
    cpu = 1_000 * (cpu_seconds(process) - before) / len(added)
    return statistics.median(added), sorted(added)[int(0.95 * len(added))], cpu


async def ask_at_once(address: str) -> tuple[float, int]:
    """Ask of many conversations at once; return the seconds, and how many were answered."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=120, limits=limits) as client:
        bodies = [{"model": "m", "messages": talk(20, f"of {at}")} for at in range(AT_ONCE)]
        began = time.perf_counter()
        asked = [client.post(f"{address}/v1/chat/completions", json=body) for body in bodies]
        answers = await asyncio.gather(*asked)
        return time.perf_counter() - began, sum(one.status_code == 200 for one in answers)


def main(requests: int) -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "SATCHEL_CACHE_DIR": f"{folder}/cache", "SATCHEL_STATE_DIR": f"{folder}/state"}
        server, direct = start(sys.executable, __file__, "--upstream")
        command = [
            sys.executable,
            "-m",
            "satchel",
            "proxy",
            "--upstream",
            direct,
            "--port",
            "0",
            "--budget",
            str(BUDGET),
        ]
        proxy, proxied = start(*command, env=env)
        assert proxy.stderr is not None
        os.set_blocking(proxy.stderr.fileno(), False)  # noqa: FBT003
        rows = {
            "a short conversation, no cut": list(growing(4, requests, "short")),
            "half the budget, no cut": list(growing(50, requests, "half")),
            "over the budget: cut, or what was cut goes on": list(growing(150, requests, "over")),
            "each a new one over the budget: cut": [talk(150, f"new {at}") for at in range(requests)],
        }
        try:
            print("| conversation | added, ms | 95 of 100 below | cpu, ms |\n| --- | --- | --- | --- |")
            for name, talks in rows.items():
                median, high, cpu = measure(direct, proxied, proxy.pid, talks)
                print(f"| {name} | {median:.1f} | {high:.1f} | {cpu:.1f} |", flush=True)
            seconds, answered = asyncio.run(ask_at_once(proxied))
            print(f"\n{answered} of {AT_ONCE} requests at once were answered in {seconds:.1f} s")
        finally:
            for one in (proxy, server):
                one.terminate()
                one.wait(20)


if __name__ == "__main__":
    if sys.argv[1:] == ["--upstream"]:
        import uvicorn

        uvicorn.run(upstream, host="127.0.0.1", port=0, log_level="info", access_log=False)
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 40)
