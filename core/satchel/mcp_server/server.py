"""The protocol's side of the server: handlers of the official SDK over the answers, on stdio or on HTTP."""

from __future__ import annotations

import contextvars
import hmac
import json
import mimetypes
import secrets
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from satchel import __version__
from satchel.cli.setup import LOOPBACK
from satchel.cli.streams import tell
from satchel.errors import SatchelError, UsageError
from satchel.mcp_server.answers import (
    INSTRUCTIONS,
    TOOLS,
    Answers,
    check_arguments,
    explain_error,
    find_tool,
)
from satchel.mcp_server.workspaces import CancelledCallError, ToolRequest, Workspaces
from satchel.paths import absolute, path_address
from satchel.pointers import Pointer
from satchel.redaction.scanning import redact_secrets

if TYPE_CHECKING:
    import socket

    from mcp.shared._stream_protocols import ReadStream, WriteStream

_NOT_JSON = "json_invalid"
"""Pydantic's name of the error."""


class AnsweringStream:
    """The messages of a stream; other lines are answered with an error of JSON-RPC."""

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


T = TypeVar("T")
Context = ServerRequestContext[Any, Any]
_PROGRESS_SECONDS = 0.2
_ROOTS_SECONDS = 10.0
"""Time limit for a client to send its roots."""
_ROOTS_FRESH_SECONDS = 60.0
_LIST_SECONDS = 5.0
"""How long a list of files waits for a workspace that is being opened."""
_PAGE = 200
_ROOTS_KEY = "roots"
_ALWAYS = {"anthropic/alwaysLoad": True}
"""Asks a client that loads tools on demand to load these at once."""
_OFFERED: dict[str, Any] = json.loads(Path(__file__).with_name("offered.json").read_text("utf-8"))
_PROMPTS = types.ListPromptsResult(prompts=_OFFERED["prompts"])
_TEMPLATES = types.ListResourceTemplatesResult(resource_templates=_OFFERED["resourceTemplates"])


class RootsNeededError(Exception):
    """The client has to send its roots, and then to call again (protocol 2026-07-28)."""


class _ClientRoots:
    """The folders to serve: those of the client, or the server's own if it names none.

    Args:
        own: the folders that the server was started for.
        shared: whether several clients use it: then the roots of one are requested in every call, and only
            those within `own` count.
    """

    def __init__(self, own: Sequence[Path], *, shared: bool) -> None:
        self._own, self._shared = tuple(own), shared
        self._told: tuple[Path, ...] | None = None
        self._told_at = 0.0

    @property
    def are_told(self) -> bool:
        """Return whether the client has sent its folders."""
        return self._told is not None

    def can_tell(self, ctx: Context) -> bool:
        """Return whether a client can send its folders."""
        capabilities = ctx.session.client_capabilities
        return capabilities is not None and capabilities.roots is not None

    def known(self) -> tuple[Path, ...]:
        """Return the folders that are known without asking."""
        return self._told or self._own

    async def find(self, ctx: Context, params: types.InputResponseRequestParams | None) -> tuple[Path, ...]:
        """Return the folders of the client, or those of the server if it names none.

        Raises:
            RootsNeededError: the client must be asked.
        """
        if not self.can_tell(ctx):
            return self._own
        told = (params.input_responses or {}).get(_ROOTS_KEY) if params is not None else None
        if isinstance(told, types.ListRootsResult):
            return self._take(told)
        is_fresh = self.are_told and time.monotonic() - self._told_at < _ROOTS_FRESH_SECONDS
        if is_fresh and not self._shared:
            return self.known()
        if not ctx.session.can_send_request:
            raise RootsNeededError
        try:
            asked = await ctx.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                request_read_timeout_seconds=_ROOTS_SECONDS,
                metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
            )
        except MCPError as error:
            tell(f"satchel: the client did not send its roots: {error}; serving those of --root")
            return self._own
        return self._take(asked)

    def _take(self, told: types.ListRootsResult) -> tuple[Path, ...]:
        folders = tuple(folder for root in told.roots if (folder := folder_of(str(root.uri))) is not None)
        if self._shared:  # over a network nobody widens what the server was started for
            inside = [one for one in folders if any(one.is_relative_to(root) for root in self._own)]
            return tuple(inside) or self._own
        self._told, self._told_at = folders, time.monotonic()
        return self.known()

    async def forget(self, ctx: Context, params: types.NotificationParams | None) -> None:
        """Ask again next time: the client says that its folders have changed."""
        self._told = None


class McpServer:
    """Tools, resources and prompts for one client over stdio, or for several over HTTP.

    Args:
        answers: answers the calls.
        workspaces: the folders that stay open.
        roots: the folders to serve if the client names none.
        shared: whether several clients use it: then the roots of one are requested in every call, and only
            those within `roots` count.
    """

    def __init__(
        self, answers: Answers, workspaces: Workspaces, roots: Sequence[Path], *, shared: bool = False
    ) -> None:
        self._answers, self._workspaces = answers, workspaces
        self._roots = _ClientRoots(roots, shared=shared)
        self.server: Server[Any] = Server(
            "satchel",
            version=__version__,
            title="satchel",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots.forget
        )

    async def serve_stdio(self) -> None:
        """Serve the client at the other end of stdin and stdout, until it closes them."""
        async with stdio_server() as (read, write):
            await self.server.run(
                AnsweringStream(read, write), write, self.server.create_initialization_options()
            )

    async def _list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._warm_up(ctx)
        return types.ListToolsResult(tools=list_tools())

    def _warm_up(self, ctx: Context) -> None:
        """Begin to open the workspace while the client is still listing tools."""
        if self._roots.can_tell(ctx) and not self._roots.are_told:
            return  # it would be the wrong one
        for root in self._roots.known()[:1]:
            if root.is_dir():
                self._workspaces.of(root).begin()

    async def _call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            tool = find_tool(params.name)
        except UsageError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        try:
            check_arguments(tool, params.arguments or {})
            roots = await self._roots.find(ctx, params)
            answer = await self._work(ctx, partial(self._answers.answer, tool, params.arguments or {}, roots))
        except RootsNeededError:
            return _ask_roots()
        except SatchelError as error:
            return _fail(explain_error(error))
        except CancelledCallError:
            raise
        except Exception as error:  # a fault of ours: the model gets one line, the log all of it
            tell(f"satchel: {params.name}: {type(error).__name__}: {error}")
            return _fail(f"{params.name} failed: {type(error).__name__}: {error}")
        content = [text for text in (answer.text, answer.notes) if text] or ["(empty)"]
        meta = {"satchel": dict(answer.facts)} if answer.facts else None
        return types.CallToolResult(content=[types.TextContent(text=text) for text in content], _meta=meta)

    async def _work(self, ctx: Context, work: Callable[[ToolRequest], T]) -> T:
        """Do work in a thread; report its progress, and drop it if the client cancels."""
        call, progress = ToolRequest(), _ClientProgress(ctx)
        done: T | _ToolFailure = _ToolFailure(CancelledCallError())
        await progress.tell("begin")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(progress.follow, call)
            try:
                done = await anyio.to_thread.run_sync(_catch, work, call, abandon_on_cancel=True)
            finally:
                call.cancel()
                tasks.cancel_scope.cancel()
        await progress.tell("done")
        if isinstance(done, _ToolFailure):
            raise done.error
        return done

    async def _list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List the files of the workspace, or none while a large one is being opened for the first time."""
        cursor = params.cursor if params is not None else None
        if cursor is not None and not cursor.isdecimal():
            raise MCPError(types.INVALID_PARAMS, f"cursor {cursor!r} is not from this server")
        first = int(cursor or 0)
        paths = await self._list_paths(ctx)
        page = paths[first : first + _PAGE]
        more = str(first + _PAGE) if first + _PAGE < len(paths) else None
        return types.ListResourcesResult(resources=list(map(_describe_file, page)), next_cursor=more)

    async def _list_paths(self, ctx: Context) -> Sequence[str]:
        try:
            roots = await self._roots.find(ctx, None)
        except RootsNeededError:  # lists can't ask for them
            return ()
        if not roots or not roots[0].is_dir():
            return ()
        workspace = self._workspaces.of(roots[0])
        opened = await anyio.to_thread.run_sync(workspace.wait, _LIST_SECONDS, abandon_on_cancel=True)
        return opened.paths() if opened is not None else ()

    async def _list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return _TEMPLATES

    async def _read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        uri = str(params.uri)
        try:
            roots = await self._roots.find(ctx, params)
            text = await self._work(ctx, partial(self._answers.read, uri, roots))
        except RootsNeededError:
            return _ask_roots()
        except SatchelError as error:
            raise MCPError(types.INVALID_PARAMS, redact_secrets(explain_error(error))) from None
        contents = types.TextResourceContents(uri=uri, mime_type=_mime_type(urlsplit(uri).path), text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return _PROMPTS

    async def _get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        given = dict(params.arguments or {})
        if params.name == "review":
            asked = f"Review the changes since {given.get('since', '')}: mistakes, missing tests, risks."
            given.setdefault("task", asked)
        elif params.name != "context":
            raise MCPError(
                types.INVALID_PARAMS, f"no prompt is called {params.name!r}; they are context, review"
            )
        else:
            given.pop("since", None)
        try:
            if params.name == "review" and not given.get("since", "").strip():
                raise UsageError("review: 'since' is missing. Name a commit or a branch, like main.")
            arguments = check_arguments(find_tool("pack"), given)
            roots = await self._roots.find(ctx, params)
            bundle = await self._work(ctx, partial(self._answers.pack, arguments, roots))
        except RootsNeededError:
            return _ask_roots()
        except SatchelError as error:
            raise MCPError(types.INVALID_PARAMS, redact_secrets(explain_error(error))) from None
        said = types.TextContent(text=f"{bundle.task}\n\n{bundle.text}")
        return types.GetPromptResult(
            description=f"{bundle.tokens} tokens of context",
            messages=[types.PromptMessage(role="user", content=said)],
        )


class _ToolFailure(NamedTuple):
    """A call that failed in its thread."""

    error: Exception


def _catch(work: Callable[[ToolRequest], T], call: ToolRequest) -> T | _ToolFailure:
    """Do work; errors are returned, because a task group would wrap them."""
    try:
        return work(call)
    except Exception as error:
        return _ToolFailure(error)


class _ClientProgress:
    """Reports a call's progress to a client that requested it; the numbers only grow, even after restarts."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._steps = -1

    async def tell(self, message: str, done: int = 0, total: int = 0) -> None:
        """Report one step."""
        self._steps = max(self._steps + 1, done)
        known = total if total >= self._steps else None
        await self._ctx.session.report_progress(self._steps, known, message)

    async def follow(self, call: ToolRequest) -> None:
        """Report each further progress of the call."""
        told: tuple[str, int] | None = None
        while True:
            await anyio.sleep(_PROGRESS_SECONDS)
            if call.stage and (call.stage, call.done) != told:
                told = (call.stage, call.done)
                await self.tell(f"{call.stage} {call.done:,}", call.done, call.total)


def list_tools() -> list[types.Tool]:
    """Return the definitions of the tools."""
    return [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.schema(),
            annotations=types.ToolAnnotations(
                title=tool.title, read_only_hint=True, idempotent_hint=True, open_world_hint=False
            ),
            _meta=_ALWAYS,
        )
        for tool in TOOLS
    ]


def folder_of(uri: str) -> Path | None:
    """Return the folder of a root's `file://` URI, None if it is not one of this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = absolute(Path(url2pathname(parts.path))).resolve()
    return path if path.is_dir() else None


def _describe_file(path: str) -> types.Resource:
    return types.Resource(
        uri=Pointer(path).uri(), name=path_address(path), mime_type=_mime_type(unquote(path))
    )


def _mime_type(path: str) -> str:
    guessed = mimetypes.guess_type(path)[0] or ""
    return guessed if guessed.startswith("text/") else "text/plain"


def _ask_roots() -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests={_ROOTS_KEY: types.ListRootsRequest()})


def _fail(reason: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=redact_secrets(reason))], is_error=True)


PATH = "/mcp"
_TOKEN_BYTES = 24


def make_token() -> str:
    """Return a new token."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


async def serve_http(server: McpServer, listening: socket.socket, token: str) -> None:
    """Serve clients until the process is stopped."""
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
