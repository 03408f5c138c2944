"""Answer what a client writes to stdin that is not a message, and go on with the next line."""

from __future__ import annotations

import contextvars
from types import TracebackType
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.message import SessionMessage

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_NOT_JSON = "json_invalid"
"""Pydantic's name of the error."""


class AnsweringStream:
    """The messages of a stream; lines that are none are answered with an error of JSON-RPC."""

    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage]
    ) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> contextvars.Context | None:
        """The context in which the last message was sent."""
        context: contextvars.Context | None = getattr(self._read, "last_context", None)
        return context

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        while isinstance(item := await self._read.receive(), Exception):
            answer = describe_line(item)
            if answer is not None:
                await self._write.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> AnsweringStream:
        """Return itself."""
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        """Return the next message, until the client closes its end."""
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AnsweringStream:
        """Return itself."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """Close the stream."""
        await self.aclose()


def describe_line(error: Exception) -> types.JSONRPCError | None:
    """Return the error of JSON-RPC for a line that is not a message, None for an empty line."""
    found: list[dict[str, Any]] = getattr(error, "errors", list)()
    if any(one["type"] == _NOT_JSON for one in found):
        if not str(found[0]["input"]).strip():
            return None
        reason = str(found[0]["msg"]).removeprefix("Invalid JSON: ")
        return _make_error(types.PARSE_ERROR, f"the line is not JSON: {reason}", None)
    ids = [one["input"]["id"] for one in found if isinstance(one["input"], dict) and "id" in one["input"]]
    id_ = ids[0] if ids and isinstance(ids[0], int | str) and not isinstance(ids[0], bool) else None
    return _make_error(types.INVALID_REQUEST, "the line is not a request, a notification or a response", id_)


def _make_error(code: int, message: str, id_: int | str | None) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id_, error=types.ErrorData(code=code, message=message))
