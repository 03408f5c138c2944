"""Find the model that a person named: a file, a folder, Ollama's name, a server's address."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast

from satchel.errors import SatchelError
from satchel.sizing.models.gguf import SPLIT, TYPES, Header, HeaderError, TensorInfo, read_gguf, row_bytes
from satchel.sizing.models.huggingface import read_folder
from satchel.spelling import join_reason

TIME_LIMIT_SECONDS = 5.0
LARGEST_ANSWER = 1 << 27
OLLAMA_ADDRESS = "http://127.0.0.1:11434"
_KINDS = {kind.name.upper(): kind for kind in TYPES.values()}


class ServerError(SatchelError):
    """A server did not answer, or not as its interface says."""

    def __init__(self, address: str, reason: str, *, status: int = 0) -> None:
        self.address, self.reason, self.status = address, reason, status
        super().__init__(join_reason(address, reason))


class RunningServer(NamedTuple):
    """A running server's facts about its window."""

    context: int
    """Tokens of one slot."""
    slots: int
    model_path: str
    build: str


def ollama_address(env: Mapping[str, str] | None = None) -> str:
    """Return the address of Ollama: `OLLAMA_HOST`, else its default."""
    host = (os.environ if env is None else env).get("OLLAMA_HOST", "").strip().rstrip("/")
    if not host:
        return OLLAMA_ADDRESS
    address = host if "://" in host else f"http://{host}"
    rest = address.split("://", 1)[1]
    everywhere = "0.0.0.0"  # noqa: S104  a server listens there, nobody can be asked there
    return address.replace(everywhere, "127.0.0.1") if ":" in rest else f"{address}:11434"


def ask(address: str, *, body: object = None, seconds: float = TIME_LIMIT_SECONDS) -> Mapping[str, object]:
    """Return the JSON object in a server's answer; one line of error for anything else."""
    answer = ask_any(address, body=body, seconds=seconds)
    if not isinstance(answer, dict):
        raise ServerError(address, "did not answer with a JSON object")
    return cast("Mapping[str, object]", answer)


def ask_any(address: str, *, body: object = None, seconds: float = TIME_LIMIT_SECONDS) -> object:
    """Return the JSON value in a server's answer; a body is posted.

    Raises ServerError in one line, with the `status` of the answer if there is one.
    """
    import http.client
    import urllib.error
    import urllib.request

    data = None if body is None else json.dumps(body).encode()
    try:
        # The callers make the address from a person's input; `_checked` lets only http through.
        request = urllib.request.Request(_check_address(address), data, {"Content-Type": "application/json"})  # noqa: S310
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=seconds) as answer:
            text = answer.read(LARGEST_ANSWER + 1)
    except urllib.error.HTTPError as error:
        told = f"answers {error.code}: {_describe_answer(error.read(2000))}"
        raise ServerError(address, told, status=error.code) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        reason = getattr(reason, "strerror", None) or reason
        raise ServerError(address, f"does not answer ({reason}); is the server running?") from error
    if len(text) > LARGEST_ANSWER:
        raise ServerError(address, "sent more than 128 MiB")
    return _parse(address, text)


def _check_address(address: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise ValueError("only http and https addresses are asked")
    return address


def _parse(address: str, text: bytes) -> object:
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ServerError(address, "did not answer with JSON") from error
    return parsed


def _describe_answer(text: bytes) -> str:
    try:
        parsed = json.loads(text)
        found = parsed.get("error") if isinstance(parsed, dict) else None
        found = found.get("message") if isinstance(found, dict) else found
    except (ValueError, RecursionError):
        found = None
    return " ".join(str(found or text.decode("utf-8", "replace")).split())[:200] or "nothing"


def read_ollama(name: str, address: str | None = None) -> Header:
    """Return the header of a model that Ollama has."""
    address = address or ollama_address()
    shown = ask(f"{address}/api/show", body={"model": name, "verbose": True})
    source = f"ollama:{name}"
    info = shown.get("model_info")
    if not isinstance(info, dict):
        raise HeaderError(source, "Ollama's answer has no model_info")
    values: dict[str, object] = {}
    for key, value in info.items():
        values[str(key)] = tuple(value) if isinstance(value, list) else value
    listed = shown.get("tensors")
    if not isinstance(listed, list) or not listed:
        raise HeaderError(source, "Ollama's answer has no tensors, it needs version 0.5.8 or newer")
    return Header(source, values, tuple(_tensor(source, entry) for entry in listed))


def _tensor(source: str, entry: object) -> TensorInfo:
    fields = entry if isinstance(entry, dict) else {}
    name, shape, kind = fields.get("name"), fields.get("shape"), _KINDS.get(str(fields.get("type")).upper())
    sized = (
        isinstance(shape, list)
        and 0 < len(shape) < 5
        and all(isinstance(x, int) and 0 < x < 1 << 40 for x in shape)
    )
    if not isinstance(name, str) or not sized or kind is None:
        raise HeaderError(source, f"Ollama's answer has a tensor {str(entry)[:80]!r}")
    sizes = [int(x) for x in cast("list[int]", shape)]
    count = 1
    for size in sizes[1:]:
        count *= size
    return TensorInfo(name, tuple(sizes), kind.name, row_bytes(kind, sizes[0]) * count)


def read_llama_server(address: str) -> RunningServer:
    """Return the window of a running llama-server."""
    address = address.rstrip("/")
    told = ask(f"{address}/props")
    settings = told.get("default_generation_settings")
    context = settings.get("n_ctx") if isinstance(settings, dict) else None
    slots = told.get("total_slots", 1)
    if not isinstance(context, int) or isinstance(context, bool) or context < 1:
        raise ServerError(address, "/props has no default_generation_settings.n_ctx; is it a llama-server?")
    path, build = told.get("model_path"), told.get("build_info")
    return RunningServer(
        context,
        slots if isinstance(slots, int) and slots > 0 else 1,
        path if isinstance(path, str) else "",
        build if isinstance(build, str) else "",
    )


OLLAMA = "ollama:"


def open_model(name: str) -> Header:
    """Return the header of the model called `name`; a server's address is not one."""
    if name.startswith(OLLAMA):
        if not name.removeprefix(OLLAMA):
            raise HeaderError(name, "names no model of Ollama; write ollama:NAME")
        return read_ollama(name.removeprefix(OLLAMA))
    path = Path(name)
    try:
        if path.is_dir():
            return _in_folder(path)
        return read_gguf(path)
    except FileNotFoundError:
        raise HeaderError(
            name, "no such file; name a .gguf file, a folder, ollama:NAME or a server's address"
        ) from None
    except OSError as error:
        raise HeaderError(name, error.strerror or str(error)) from error
    except ValueError as error:
        raise HeaderError(name, f"is not a usable path: {error}") from error


def _in_folder(folder: Path) -> Header:
    if (folder / "config.json").is_file():
        return read_folder(folder)
    files = sorted(folder.glob("*.gguf"))
    heads = [file for file in files if not SPLIT.match(file.name) or "-00001-of-" in file.name]
    models = [file for file in heads if not file.name.startswith("mmproj")]
    if len(models) == 1:
        return read_gguf(models[0])
    found = ", ".join(file.name for file in models[:5]) or "no model"
    raise HeaderError(
        str(folder), f"holds {found}; name one .gguf file, or a folder with config.json and safetensors"
    )
