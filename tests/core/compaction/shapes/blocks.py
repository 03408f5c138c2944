"""Odd conversations as Anthropic has them."""

from __future__ import annotations

from .parts import LAST, LONG, Json, nested


def text(said: str = LONG) -> Json:
    """Return a block of text."""
    return {"type": "text", "text": said}


def use(id_: str, given: Json = None, **more: Json) -> Json:
    """Return a call."""
    return {"type": "tool_use", "id": id_, "name": "bash", "input": {} if given is None else given, **more}


def result(id_: str, content: Json = LONG, **more: Json) -> Json:
    """Return a result."""
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def model(*blocks: Json) -> Json:
    """Return a message of the model's."""
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Json) -> Json:
    """Return a message of the user's."""
    return {"role": "user", "content": list(blocks)}


_KEPT = {"cache_control": {"type": "ephemeral"}}
_THOUGHT = {"type": "thinking", "thinking": LONG, "signature": "sig" * 100}
_SEALED = {"type": "redacted_thinking", "data": "xx" * 500}
_PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 9_000}}
_PLAIN = {"type": "text", "media_type": "text/plain", "data": LONG}
_FOUND = {"type": "search_result", "source": "u", "title": "t", "content": [text()]}
_STEPS = {
    "thoughts, calls and an image in a result": [
        model(_THOUGHT, _SEALED, text("so"), use("t1"), use("t2", {"p": LONG})),
        user(result("t2", [_PNG, text()]), result("t1", is_error=True), text("and then?")),
        model(text("done")),
    ],
    "thoughts alone": [model(_THOUGHT), LAST, model(_SEALED)],
    "thoughts last": [model(_THOUGHT, use("t")), user(result("t"))],
    "tools of the provider": [
        model(
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s",
                "content": [{"encrypted_content": "E" * 900}],
            },
            {**text(), "citations": [{"type": "char_location"}]},
        )
    ],
    "a container": [
        model(
            {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": LONG}},
            {"type": "code_execution_tool_result", "tool_use_id": "s", "content": {"stdout": LONG}},
            {"type": "container_upload", "file_id": "f"},
        )
    ],
    "a server of tools": [
        model(
            {"type": "mcp_tool_use", "id": "m", "name": "e", "server_name": "s", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "m", "is_error": False, "content": [text()]},
        )
    ],
    "a result of the provider's alone": [
        model(
            {"type": "web_search_tool_result", "tool_use_id": "none", "content": {"error_code": "x"}}, text()
        )
    ],
    "what is to be cached": [
        one
        for at in range(5)
        for one in (model(use(f"t{at}", **_KEPT)), user(result(f"t{at}", [{**text(), **_KEPT}], **_KEPT)))
    ],
    "no blocks": [model(), user()],
    "a result alone": [user(result("zz"))],
    "a result behind a text": [model(use("t")), user(text("first"), result("t"))],
    "results in two messages": [model(use("t"), use("u")), user(result("t")), user(result("u"))],
    "two users, two answers": [user(text()), LAST, model(text()), model(text())],
    "100 parallel calls": [
        model(*(use(f"t{at}") for at in range(100))),
        user(*(result(f"t{at}", LONG[:400]) for at in reversed(range(100)))),
    ],
    "an id used five times": [one for _ in range(5) for one in (model(use("same")), user(result("same")))],
    "inputs that are not objects": [
        model(use("t", "word"), {"type": "tool_use", "id": "u"}),
        user({"type": "tool_result", "tool_use_id": "t"}, result("u", [])),
    ],
    "a result that is an object": [model(use("t")), user(result("t", {"a": LONG}))],
    "documents": [
        user(
            {"type": "document", "source": _PLAIN, "title": "t", "citations": {"enabled": True}},
            {"type": "document", "source": {"type": "base64", "data": "A" * 9_000}},
            {"type": "document", "source": {"type": "content", "content": [text()]}},
            {"type": "document"},
        )
    ],
    "what was found": [user(_FOUND, text("x")), model(use("t")), user(result("t", [_FOUND]))],
    "images that are junk": [
        user({"type": "image"}, {"type": "image", "source": {"type": "base64", "data": 5}})
    ],
    "blocks that are words": [model("x", LONG)],
    "an unknown block, nested deeply": [model({"type": "new", "x": nested(100_000)}, text())],
    "a summary of the provider's": [model({"type": "compaction", "content": LONG})],
}
BLOCKS = {
    name: {"system": "be careful", "messages": [user(text("fix it")), *steps, model(text()), LAST]}
    for name, steps in _STEPS.items()
} | {
    "system as blocks": {"system": [{**text("x"), **_KEPT}], "messages": [LAST, model(text()), LAST]},
    "no system blocks": {"system": [], "messages": [LAST, model(text()), LAST]},
    "system is nothing": {"system": None, "messages": [LAST, model(text()), LAST]},
    "system is an object": {"system": {"a": 1}, "messages": [LAST, model(text()), LAST]},
    "an answer first": {"messages": [model(text()), LAST, model(text())]},
}
