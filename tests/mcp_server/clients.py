"""`satchel mcp` with the SDK's client at the other end: over stdio, over HTTP, and in one process."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.processes import Forked, start_satchel

from satchel import Host
from satchel.mcp_server.answers import Answers
from satchel.mcp_server.server import McpServer
from satchel.mcp_server.workspaces import Workspaces

MODES = ("legacy", "auto")
"""The handshake of 2025, and discovery of 2026."""


def environment() -> dict[str, str]:
    """Return the environment of the test: the SDK hands over only a little of it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}


def roots_of(*folders: Path) -> Any:
    """Return a callback of a client that has these roots."""

    async def told(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in folders])

    return told


@contextlib.asynccontextmanager
async def over_stdio(
    root: Path, *options: str, mode: str = "auto", roots: Sequence[Path] = ()
) -> AsyncIterator[Client]:
    """Start a server in a folder and connect to it."""
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "satchel", "mcp", *options], cwd=root, env=environment()
    )
    with anyio.fail_after(60):
        async with Client(
            started, mode=mode, list_roots_callback=roots_of(*roots) if roots else None
        ) as client:
            yield client


@contextlib.asynccontextmanager
async def in_process(
    root: Path, *, mode: str = "auto", most: int = 10_000, roots: Sequence[Path] = ()
) -> AsyncIterator[Client]:
    """Connect to a server in this process, for what does not depend on how it is reached."""
    workspaces = Workspaces(lambda _: Host.installed())
    server = McpServer(Answers(workspaces, Host.installed, most), workspaces, [root])
    try:
        with anyio.fail_after(60):
            told = roots_of(*roots) if roots else None
            async with Client(server.server, mode=mode, list_roots_callback=told) as client:
                yield client
    finally:
        workspaces.close()


class Served(NamedTuple):
    """A server over HTTP."""

    url: str
    token: str
    process: subprocess.Popen[bytes] | Forked


@contextlib.contextmanager
def serving(root: Path, *options: str, token: str = "", home: Path | None = None) -> Iterator[Served]:
    """Start a server over HTTP in a folder, on a free port; `home` is for one that several tests share."""
    env = environment() | ({"SATCHEL_MCP_TOKEN": token} if token else {})
    if home is not None:
        env |= {"HOME": str(home), "SATCHEL_CACHE_DIR": str(home / "kept")}
        env |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
    process = start_satchel(["mcp", "--http", "0", *options], cwd=root, env=env, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        told = process.stderr.readline().decode()
        url = re.search(r"http://\S+", told)
        assert url, told + process.stderr.read().decode()
        made = token or process.stderr.readline().decode().split()[-1]
        yield Served(url[0], made, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.stderr.close()


@contextlib.asynccontextmanager
async def over_http(
    served: Served, *, mode: str = "auto", roots: Sequence[Path] = ()
) -> AsyncIterator[Client]:
    """Connect to a server over HTTP."""
    headers = {"Authorization": f"Bearer {served.token}"}
    with anyio.fail_after(60):
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(served.url, http_client=http)
            async with Client(
                transport, mode=mode, list_roots_callback=roots_of(*roots) if roots else None
            ) as client:
                yield client


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run a test's coroutine."""
    anyio.run(work)


def said(result: Any) -> str:
    """Return all text of a result."""
    return "\n".join(block.text for block in result.content)
