"""Streamable HTTP on loopback, for clients that know the token."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING, Any

import uvicorn

from satchel.cli.setup import LOOPBACK

if TYPE_CHECKING:
    import socket

    from satchel.mcp_server.server import McpServer

PATH = "/mcp"
_TOKEN_BYTES = 24


def make_token() -> str:
    """Return a new token."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


async def serve_http(server: McpServer, listening: socket.socket, token: str) -> None:
    """Serve clients until the process is told to end."""
    app = Guarded(server.server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK), token)
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
