"""The application of `satchel proxy`: forward requests, with conversations that fit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from satchel.compaction.conversations import Conversations
from satchel.compaction.windows import count_cut
from satchel.conversation import Formats
from satchel.errors import BudgetError, SatchelError
from satchel.guarding import truncation
from satchel.installed import find_user_formats
from satchel.interfaces import MessageFormat
from satchel.patterns import lazily
from satchel.spelling import format_count
from satchel.tokens.models import Model, find_known

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_HOP_BY_HOP = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
        *("transfer-encoding", "upgrade", "host", "content-length"),
    }
)
"""Headers of one connection, which are not forwarded."""
_SECONDS = 600.0
"""How long a server may be silent: a local model reads a long window for minutes."""
_END = 65_536
"""Bytes at the end of an answer that are searched for the server's count."""

_UPSTREAM_ERROR = "api_error"
"""Type of an error that is the server's own, with OpenAI's and Anthropic's APIs alike."""


class ProxySettings(NamedTuple):
    """The settings of a proxy."""

    upstream: str
    """Address of the server, like `https://api.anthropic.com`."""
    budget: int = 0
    """Maximum tokens of a request; 0 for the rest of the model's window."""
    window: int = 0
    """Tokens of the model's window; 0 for that of the model that a request names."""
    is_sized: bool = False
    """Whether the window of a model of Ollama is the largest that fits on the cards, as in `size`."""
    num_ctx: int = 0
    """Window to request from Ollama if the client names none; 0 for `window`."""
    most: int = 500
    """Conversations whose state is kept."""
    folder: str = ""
    """Where the states are saved, to be found after a restart; "" to keep them in memory alone."""


Say = Callable[[str], None]


def make_app(settings: ProxySettings, say: Say) -> Starlette:
    """Return the application.

    Args:
        settings: of the proxy.
        say: is called with a line about each request that was changed or failed; never with its content.
    """
    proxy = _Proxy(settings, say)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
        timeout = httpx.Timeout(_SECONDS, connect=10.0)
        async with httpx.AsyncClient(
            timeout=timeout, limits=limits, follow_redirects=False, trust_env=False
        ) as client:
            for name in list(client.headers):  # a client that names no encodings can't read any
                del client.headers[name]
            proxy.client = client
            yield

    return Starlette(routes=[Route("/{path:path}", proxy.answer, methods=list(_METHODS))], lifespan=lifespan)


class _ForwardedRequest(NamedTuple):
    """A request as it is forwarded."""

    content: bytes
    tokens: int
    """Tokens that were sent, 0 if they were not counted."""


class _Proxy:
    """Forwards requests to a server."""

    def __init__(self, settings: ProxySettings, say: Say) -> None:
        self.settings = settings
        self.say = say
        self.formats = find_user_formats()
        self.client: httpx.AsyncClient | None = None
        self.windows: dict[str, asyncio.Task[int]] = {}
        """Windows of local models, each found once: another one would make Ollama load the model anew."""
        self.conversations = Conversations(settings.folder, budget=1, most=settings.most, save_uncut=False)

    async def answer(self, request: Request) -> Response:
        """Forward a request, and return its answer as it arrives."""
        path, content = request.url.path, await request.body()
        form = form_of(path, self.formats) if request.method == "POST" else None
        prepared = _ForwardedRequest(content, 0)
        if form is not None:
            try:
                prepared = await self._prepare(content, form, request.headers)
            except BudgetError as error:
                self.say(f"satchel: {path}: {error}")
                return JSONResponse(form.describe_error(str(error)), status_code=400)
            except SatchelError as error:
                self.say(f"satchel: {path}: forwarded unchanged: {error}")
        return await self._hand_on(request, prepared)

    async def _prepare(
        self, content: bytes, form: MessageFormat, headers: Mapping[str, str]
    ) -> _ForwardedRequest:
        """Return a request with a conversation that fits; the same bytes if nothing changes."""
        try:
            body = json.loads(content)
        except ValueError:
            return _ForwardedRequest(content, 0)  # the server says what is wrong with it
        if not isinstance(body, dict):
            return _ForwardedRequest(content, 0)
        window = self.settings.window
        if self.settings.is_sized and form.sized_as:
            window = await self._find_window(form.sized_as, str(body.get("model", "")))
        wanted = self.settings.num_ctx or window
        named = form.with_window(body, wanted) if wanted else body
        body, is_changed = named, named != body
        room = room_of(body, budget=self.settings.budget, window=window)
        if not room:
            return _ForwardedRequest(_dump(body) if is_changed else content, 0)
        model = str(body.get("model", ""))
        options: dict[str, Any] = {"budget": room, "format": form.name}
        if find_known_model(model) is not None:
            options["model"] = model
        made = await self.conversations.awindow(body, headers=headers, **options)
        if made.cut:
            cut = format_count(count_cut(made.cut), "message")
            self.say(f"satchel: {cut} cut, {made.tokens:,} of {room:,} tokens sent")
        is_changed = is_changed or made.messages != body
        return _ForwardedRequest(_dump(made.messages) if is_changed else content, made.tokens)

    async def _find_window(self, prefix: str, model: str) -> int:
        """Return the window of a local model that fits on the cards, 0 if unknown."""
        if model not in self.windows:
            self.windows[model] = asyncio.create_task(
                asyncio.to_thread(_size_window, prefix, model, self.say)
            )
        return await asyncio.shield(self.windows[model])

    async def _hand_on(self, request: Request, prepared: _ForwardedRequest) -> Response:
        assert self.client is not None  # noqa: S101 (the application's lifespan opens it)
        path = request.url.path
        query = f"?{request.url.query}" if request.url.query else ""
        headers = [(name, value) for name, value in request.headers.items() if name not in _HOP_BY_HOP]
        sent = self.client.build_request(
            request.method,
            f"{self.settings.upstream.rstrip('/')}{path}{query}",
            headers=headers,
            content=prepared.content or None,
        )
        try:
            got = await self.client.send(sent, stream=True)
        except httpx.HTTPError as error:
            upstream = hide_credentials(self.settings.upstream)
            reason = f"{upstream} does not answer: {type(error).__name__}"
            self.say(f"satchel: {path}: {reason}")
            form = form_of(path, self.formats) or self.formats.default
            return JSONResponse(describe_upstream_error(form, reason), status_code=502)
        kind = _WholeAnswer if "content-length" in got.headers else StreamingResponse
        answer = kind(self._pass_on(got, path, prepared.tokens), status_code=got.status_code)
        answer.raw_headers = [
            (name, value) for name, value in got.headers.raw if name.decode().lower() not in _HOP_BY_HOP
        ]
        if "content-length" in got.headers:
            answer.raw_headers.append((b"content-length", got.headers["content-length"].encode()))
        return answer

    async def _pass_on(self, got: httpx.Response, path: str, tokens: int) -> AsyncIterator[bytes]:
        """Yield an answer's bytes as they arrive; a server that breaks off ends the client's stream too."""
        start, end = b"", b""
        try:
            async for piece in got.aiter_raw():
                start = start if len(start) >= _END else (start + piece)[:_END]
                end = (end + piece)[-_END:]
                yield piece
        except httpx.HTTPError as error:
            self.say(f"satchel: {path}: the server broke off its answer: {type(error).__name__}")
            raise
        finally:
            await got.aclose()
        counted = find_server_count(start + end) if not got.headers.get("content-encoding") else None
        if got.is_success and is_silent_cut(tokens, counted):
            self.say(
                f"satchel: {path}: {tokens:,} tokens were sent, the server read {counted:,}: it cut them"
            )


class _WholeAnswer(StreamingResponse):
    """An answer of a known length: it is there at once, so nothing waits for its client to go away."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.stream_response(send)


def _size_window(prefix: str, model: str, say: Say) -> int:
    from satchel import config as configuration
    from satchel.host import Host
    from satchel.private_files import cache_folder
    from satchel.sizing.sizing import window_of

    try:
        config = configuration.load(None, env=os.environ)
        tokens = window_of(f"{prefix}{model}", Host.installed(cache_dir=cache_folder()), config)
    except SatchelError as error:
        say(f"satchel: {model}: its window is not known; give it with --window N: {error}")
        return 0
    say(f"satchel: {model}: a window of {tokens:,} tokens fits")
    return tokens


def describe_upstream_error(form: MessageFormat, reason: str) -> Any:
    """Return the body of an answer for an unreachable server, in the form of a format's errors.

    It does not refuse the request: a client should try again, not shorten its conversation.
    """
    body = form.describe_error(reason)
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return body
    of_upstream = {**error, **({"type": _UPSTREAM_ERROR} if "type" in error else {})}
    return {**body, "error": {key: None if key == "code" else value for key, value in of_upstream.items()}}


def hide_credentials(address: str) -> str:
    """Return scheme, host and port of an address: the rest may be a secret."""
    url = httpx.URL(address)
    return f"{url.scheme}://{url.host}" + (f":{url.port}" if url.port else "")


def _dump(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


_COUNTED = lazily(rb'"(?:prompt_eval_count|prompt_tokens|input_tokens)"\s*:\s*(\d+)')
_CACHED = lazily(rb'"(?:cache_read_input_tokens|cache_creation_input_tokens)"\s*:\s*(\d+)')
_ANSWER_KEYS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_LEAST_ANSWER = 1_024
"""Tokens reserved for an answer if neither the request nor the model limits its length."""
_LARGEST_SHARE = 0.5
"""Largest share of the window that is reserved for an answer."""
_DIFFER = 0.28
"""Greatest share by which a server's count differs from ours: tokenizers differ, nothing else."""
_LEAST_SENT = 2_000


def form_of(path: str, formats: Formats) -> MessageFormat | None:
    """Return the format of the conversations that a path takes, None for other paths."""
    plain = f"/{path.strip('/')}"
    return next((form for form in formats if any(plain.endswith(f"/{end}") for end in form.paths)), None)


@lru_cache(maxsize=256)
def find_known_model(name: str) -> Model | None:
    """Return the model called `name`, None if unknown; each name is looked up once."""
    return find_known(name)


def room_of(body: Mapping[str, Any], *, budget: int, window: int) -> int:
    """Return the most tokens of a request, 0 for no limit.

    Args:
        body: the request, which may name a model and the most tokens of its answer.
        budget: most tokens of a request; 0 for the rest of the window.
        window: tokens of the model's window; 0 for that of the model, if it is known.
    """
    if budget:
        return budget
    options = body.get("options")
    asked = options.get("num_ctx") if isinstance(options, dict) else None
    reply = next((body[key] for key in _ANSWER_KEYS if isinstance(body.get(key), int)), 0)
    if isinstance(asked, int) and asked > 0:
        window = asked
    if not window:
        model = find_known_model(str(body.get("model", "")))
        if model is None:
            return 0
        window = model.context_tokens
        reply = reply or (model.reply_tokens or 0)
    reply = min(max(reply, _LEAST_ANSWER), int(window * _LARGEST_SHARE))
    return max(1, window - reply)


def find_server_count(end: bytes) -> int | None:
    """Return the server's count of the request's tokens; `end` is the end of its answer."""
    found = _COUNTED.findall(end)
    if not found:
        return None
    return max(map(int, found)) + sum(map(int, _CACHED.findall(end)))


def is_silent_cut(sent: int, counted: int | None) -> bool:
    """Return whether a server read so few of the sent tokens that it must have cut the request."""
    return (
        counted is not None and sent >= _LEAST_SENT and truncation(sent, counted, error=_DIFFER) is not None
    )
