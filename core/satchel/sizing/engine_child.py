"""Asks an installed llama-cpp-python for the memory of a run: a program of its own, because the engine may
abort.

Reads one object of JSON from stdin and writes one to stdout; imports nothing of satchel's.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

LAST_LINES = 3
BREAKDOWN = ("llama_get_memory_breakdown", "_Z26llama_get_memory_breakdownPK13llama_context")
MOST_BUFFERS = 64


class _Map(ctypes.Structure):
    """A std::map of libstdc++, as a function returns it."""

    _fields_ = (
        ("compare", ctypes.c_size_t),
        ("color", ctypes.c_size_t),
        ("root", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("last", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
    )


class _EngineNode(ctypes.Structure):
    """A node of it: a type of buffers and three sizes."""

    _fields_ = (
        ("color", ctypes.c_size_t),
        ("parent", ctypes.c_void_p),
        ("left", ctypes.c_void_p),
        ("right", ctypes.c_void_p),
        ("buffer", ctypes.c_void_p),
        ("sizes", ctypes.c_size_t * 3),
    )


def main() -> int:
    """Answer the question on stdin."""
    print(json.dumps(_answer(json.load(sys.stdin))))
    return 0


def _answer(asked: Mapping[str, Any]) -> dict[str, object]:
    try:
        package = importlib.import_module("llama_cpp")
    except ImportError as error:
        return {"missing": str(error)}
    except (OSError, RuntimeError, AttributeError) as error:
        return {"error": f"can't be loaded: {error}"}
    version = str(getattr(package, "__version__", "of unknown version"))
    engine = importlib.import_module("llama_cpp.llama_cpp")
    known = hasattr(getattr(engine, "llama_model_params", None), "no_alloc")
    if not known or _function(engine, BREAKDOWN) is None:
        return {"old": version}
    return {"version": version, **_simulate(engine, asked)}


def _function(engine: Any, names: Sequence[str]) -> Any:
    """Return the first function of the library that has one of the names, None if there is none."""
    # The sizes come as a C++ map: only the layout of libstdc++ is known.
    if not sys.platform.startswith("linux"):
        return None
    library = getattr(engine, "_lib", None)
    return next((getattr(library, name) for name in names if hasattr(library, name)), None)


def _simulate(engine: Any, asked: Mapping[str, Any]) -> dict[str, object]:
    """Load the model without its weights, open a context, and return the engine's messages."""
    said: list[str] = []

    def hear(_level: int, text: bytes, _data: object) -> None:
        said.append(text.decode(errors="replace"))

    heard = engine.llama_log_callback(hear)
    engine.llama_log_set(heard, ctypes.c_void_p(0))
    engine.llama_backend_init()
    of_model, of_context = engine.llama_model_default_params(), engine.llama_context_default_params()
    _fill(of_model, asked["model_params"])
    _fill(of_context, asked["context_params"])
    model = engine.llama_model_load_from_file(asked["path"].encode(), of_model)
    context = engine.llama_init_from_model(model, of_context) if model else None
    lines = "".join(said).splitlines()
    if not context:
        return {"error": "; ".join(line.strip() for line in lines[-LAST_LINES:]) or "refuses the model"}
    return {"buffers": _buffers(engine, context)}


def _buffers(engine: Any, context: object) -> list[tuple[str, int, int, int]]:
    """Return the name of each buffer and its bytes of weights, of caches, for computing."""
    breakdown, named = _function(engine, BREAKDOWN), engine._lib.ggml_backend_buft_name
    breakdown.argtypes, breakdown.restype = [ctypes.c_void_p], _Map
    named.argtypes, named.restype = [ctypes.c_void_p], ctypes.c_char_p
    table = breakdown(context)
    pending: list[int | None] = [table.root]
    found: list[tuple[str, int, int, int]] = []
    while pending and len(found) <= min(table.count, MOST_BUFFERS):
        address = pending.pop()
        if address:
            node = _EngineNode.from_address(address)
            pending += (node.left, node.right)
            found.append((named(node.buffer).decode(errors="replace"), *node.sizes))
    return found


def _fill(params: Any, values: Mapping[str, object]) -> None:
    """Set the fields that this version has."""
    for name, value in values.items():
        if hasattr(params, name):
            setattr(params, name, value)


if __name__ == "__main__":
    raise SystemExit(main())
