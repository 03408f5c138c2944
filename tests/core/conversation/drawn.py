"""Hypothesis strategies: messages as each provider writes them, sound and broken, with keys nobody knows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXTS = st.sampled_from(["hi", "fix the bug in a.py", " ", "", "\ud800x", "é\n\n", "[satchel", "ok "])
IDS = st.sampled_from(["a", "b", "c", "d", ""])
ODD: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["x_note", "y"]), st.sampled_from([None, 1.5, "z", [1], {"k": []}]), max_size=1
)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAgCAYAAAC"


def with_odd(plain: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Add a key to some objects that no provider has."""
    return st.builds(lambda value, odd: {**odd, **value}, plain, ODD)


def shaped(optional: dict[str, Any] | None = None, **facts: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Draw objects with these keys; a value is a strategy, or stands as it is."""
    fixed = {
        key: value if isinstance(value, st.SearchStrategy) else st.just(value) for key, value in facts.items()
    }
    return with_odd(st.fixed_dictionaries(fixed, optional=optional or {}))


def listed(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(parts, max_size=3)


TEXT_PART = shaped(type="text", text=TEXTS, optional={"cache_control": st.just({"type": "ephemeral"})})
IMAGE_URL = shaped(type="image_url", image_url=st.just({"url": f"data:image/png;base64,{PNG}"}))
SOURCE = shaped(type="base64", media_type="image/png", data=PNG)
ARGUMENTS = st.sampled_from(["{}", "", '{"path": "a.py"}', "{broken", "[1]"])

_function = shaped(name=st.sampled_from(["read", "write", ""]), arguments=ARGUMENTS)
_custom = shaped(type="custom", id=IDS, custom=shaped(name="sh", input=TEXTS))
_call = st.one_of(shaped(type="function", id=IDS, function=_function), _custom)
OPENAI = st.one_of(
    shaped(role=st.sampled_from(["system", "developer"]), content=TEXTS),
    shaped(role="user", content=st.one_of(TEXTS, st.none(), listed(st.one_of(TEXT_PART, IMAGE_URL)))),
    shaped(
        role="assistant",
        content=st.one_of(TEXTS, st.none()),
        optional={
            "tool_calls": listed(_call),
            "reasoning_content": TEXTS,
            "refusal": st.one_of(TEXTS, st.none()),
            "function_call": shaped(name="old", arguments=ARGUMENTS),
        },
    ),
    shaped(role="tool", tool_call_id=IDS, content=st.one_of(TEXTS, listed(TEXT_PART))),
    shaped(role="function", name="old", content=TEXTS),
)

_result = shaped(
    type="tool_result",
    tool_use_id=IDS,
    optional={
        "content": st.one_of(TEXTS, listed(st.one_of(TEXT_PART, shaped(type="image", source=SOURCE)))),
        "is_error": st.booleans(),
    },
)
_document = shaped(type="document", source=st.just({"type": "text", "data": "a page"}), title="t")
_user_part = st.one_of(TEXT_PART, _result, shaped(type="image", source=SOURCE), _document, shaped(type="odd"))
_use = shaped(
    type="tool_use", id=IDS, name=st.sampled_from(["read", ""]), optional={"input": st.just({"a": 1})}
)
_said_part = st.one_of(
    TEXT_PART,
    _use,
    shaped(type="thinking", thinking="hm", signature="c2ln"),
    shaped(type="redacted_thinking", data="c2Vj"),
    shaped(type="server_tool_use", id=IDS, name="web_search", input=st.just({})),
    shaped(type="web_search_tool_result", tool_use_id=IDS, content=st.just([])),
)
ANTHROPIC = st.one_of(
    shaped(role="user", content=st.one_of(TEXTS, listed(_user_part))),
    shaped(role="assistant", content=st.one_of(TEXTS, listed(_said_part))),
    shaped(role="system", content=TEXTS),
)

_input = shaped(type="input_text", text=TEXTS)
_shot = st.just({"type": "computer_screenshot", "image_url": "https://example.org/s.png"})
RESPONSES = st.one_of(
    shaped(role=st.sampled_from(["user", "system", "developer", "assistant"]), content=TEXTS),
    shaped(
        type="message",
        role="user",
        content=listed(st.one_of(_input, shaped(type="input_image", file_id="f"))),
    ),
    shaped(
        type="message",
        role="assistant",
        id="msg",
        content=listed(shaped(type="output_text", text=TEXTS, annotations=st.just([{"index": 1}]))),
    ),
    shaped(type="function_call", id="fc", call_id=IDS, name="read", arguments=ARGUMENTS),
    shaped(type="function_call_output", call_id=IDS, output=st.one_of(TEXTS, listed(_input))),
    shaped(type="custom_tool_call", call_id=IDS, name="sh", input=TEXTS),
    shaped(type="custom_tool_call_output", call_id=IDS, output=TEXTS),
    shaped(type="computer_call", id="cu", call_id=IDS, action=st.just({"type": "click"})),
    shaped(type="computer_call_output", call_id=IDS, output=_shot),
    shaped(type="reasoning", id="rs", summary=listed(shaped(type="summary_text", text=TEXTS))),
    shaped(
        type=st.sampled_from(["web_search_call", "file_search_call", "mcp_call", "from_tomorrow"]), id="ws"
    ),
    shaped(type="mcp_approval_request", id=IDS, name="f", arguments="{}"),
    shaped(type="mcp_approval_response", approval_request_id=IDS, approve=st.booleans()),
)

_asked = shaped(
    function=shaped(name=st.sampled_from(["read", "write"]), arguments=st.just({"path": "a"})),
    optional={"id": IDS},
)
OLLAMA = st.one_of(
    shaped(
        role=st.sampled_from(["user", "system"]), content=TEXTS, optional={"images": listed(st.just(PNG))}
    ),
    shaped(role="assistant", content=TEXTS, optional={"tool_calls": listed(_asked), "thinking": TEXTS}),
    shaped(
        role="tool", content=TEXTS, optional={"tool_name": st.just("read"), "images": listed(st.just(PNG))}
    ),
)

ITEMS = {"openai": OPENAI, "anthropic": ANTHROPIC, "responses": RESPONSES, "ollama": OLLAMA}
_OUTSIDE: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "anthropic": ("system", st.one_of(TEXTS, listed(TEXT_PART), st.none())),
    "responses": ("instructions", st.one_of(TEXTS, st.none())),
}


@st.composite
def documents(draw: st.DrawFn, form: str = "") -> tuple[str, Any]:
    """Draw a format and a document in it: a bare list, or a request."""
    form = form or draw(st.sampled_from(sorted(ITEMS)))
    items = draw(st.lists(ITEMS[form], max_size=8))
    if draw(st.booleans()):
        return form, items
    where, value = _OUTSIDE.get(form, ("", st.none()))
    outside = {where: draw(value)} if where else {}
    key = "input" if form == "responses" else "messages"
    return form, {"model": "m", **outside, key: items, "temperature": 0.5}


_KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "tool_calls",
        "id",
        "text",
        "function",
        "input",
        "output",
        "system",
        "messages",
    ]
)
_WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "text",
        "image",
        "tool_use",
        "tool_result",
        "function_call",
        "reasoning",
        "message",
    ]
)
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=25,
)
