"""Streamable HTTP on loopback, for who knows the token."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from typing import TYPE_CHECKING, Any

import uvicorn

from satchel.errors import SatchelError

if TYPE_CHECKING:
    from satchel.mcp_server.server import McpServer

HOST = "127.0.0.1"
PATH = "/mcp"
_TOKEN_BYTES = 24


def make_token() -> str:
    """Return a new token."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def bind(port: int) -> socket.socket:
    """Return a socket that listens on a port of loopback, on a free one for 0.

    Raises:
        SatchelError: the port is taken, or may not be used.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere it would let another process listen on the same port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # who reads the address can connect at once
    except OSError as error:
        listening.close()
        raise SatchelError(
            f"can't listen on {HOST}:{port}: {error.strerror or error}; name another --http PORT"
        ) from error
    return listening


async def serve_http(server: McpServer, listening: socket.socket, token: str) -> None:
    """Serve clients until the process is told to end."""
    app = Guarded(server.server.streamable_http_app(streamable_http_path=PATH, host=HOST), token)
    settings = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    await uvicorn.Server(settings).serve(sockets=[listening])


class Guarded:
    """An ASGI application that answers only requests with the token."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it with 401."""
        if scope["type"] != "http" or self._is_known(scope["headers"]):
            await self._app(scope, receive, send)
            return
        body = b'{"error": "invalid_token", "error_description": "send Authorization: Bearer TOKEN"}'
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"www-authenticate", b'Bearer error="invalid_token"'),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _is_known(self, headers: list[tuple[bytes, bytes]]) -> bool:
        given = [value for name, value in headers if name.lower() == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)
