"""How soon `satchel mcp` answers after an edit: `python docs/benchmarks/mcp_edits.py ROOT [ROUNDS]`.

A file of the workspace gets a line more before each call, and its old text back at the end.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

CALLS = {
    "pack": lambda at: {"task": f"the parser of the token fails {at}", "budget": 4_000},
    "search": lambda at: {"query": f"session token {at}"},
    "expand": lambda at: {"pointer": None},
}


def cpu_seconds(process: int) -> float:
    """Return the processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def server_of(process: int) -> int:
    """Return the process id of the server that this process started."""
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=True)  # noqa: S607
    return int(listed.stdout.split()[0])


async def main(root: Path, rounds: int) -> None:
    """Measure and print a table."""
    files = sorted(root.rglob("*.py"))
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "satchel", "mcp", "--root", str(root)], env=dict(os.environ)
    )
    async with Client(stdio_client(command)) as client:
        began = time.perf_counter()
        await client.call_tool("pack", CALLS["pack"](0))
        print(f"{len(files):,} files; the first answer after {time.perf_counter() - began:.2f} s\n")
        print("| tool, after an edit | median s | most s | cpu s |\n| --- | --- | --- | --- |")
        server = server_of(os.getpid())
        for name, make in CALLS.items():
            seconds, before = [], cpu_seconds(server)
            for at in range(rounds):
                path = files[(at * 37) % len(files)]
                text = path.read_bytes()
                path.write_bytes(text + f"\n# edited {at}\n".encode())
                given = make(at)
                if name == "expand":
                    given = {"pointer": path.relative_to(root).as_posix()}
                asked = time.perf_counter()
                answer = await client.call_tool(name, given)
                seconds.append(time.perf_counter() - asked)
                assert not answer.is_error, answer
                assert name != "expand" or f"# edited {at}" in str(answer.content)
                path.write_bytes(text)
                await asyncio.sleep(0.3)
            cpu = (cpu_seconds(server) - before) / rounds
            print(f"| {name} | {statistics.median(seconds):.3f} | {max(seconds):.3f} | {cpu:.3f} |", flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if sys.argv[2:] else 10))
