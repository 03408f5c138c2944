"""Odd conversations as OpenAI's Responses have them."""

from __future__ import annotations

from .parts import IMAGE, LONG, Json, nested


def item(type_: Json, **more: Json) -> Json:
    """Return an item."""
    return {"type": type_, **more}


def pair(call_id: str, output: Json = LONG) -> list[Json]:
    """Return a call and its output."""
    return [
        item("function_call", id=f"fc_{call_id}", call_id=call_id, name="bash", arguments='{"p": 1}'),
        item("function_call_output", call_id=call_id, output=output),
    ]


def thought(id_: str, **more: Json) -> Json:
    """Return sealed thoughts."""
    return item("reasoning", id=id_, summary=[], encrypted_content="E" * 4_000, **more)


def answer(*parts: Json) -> Json:
    """Return a message of the model's."""
    return item("message", role="assistant", id="m", content=list(parts))


_SAID = {"type": "output_text", "text": LONG, "annotations": []}
_STEPS = {
    "thoughts before calls": [one for at in range(8) for one in (thought(f"rs_{at}"), *pair(f"c{at}"))],
    "thoughts in plain words": [item("reasoning", id="r", summary=[{"type": "summary_text", "text": LONG}])],
    "thoughts without what they led to": [thought("r"), {"role": "user", "content": "y"}, thought("r2")],
    "tools of the provider": [
        item("web_search_call", id="ws", status="completed", action={"type": "search", "query": "x"}),
        answer(_SAID),
        item("computer_call", id="cc", call_id="k", action={}, pending_safety_checks=[]),
        item("computer_call_output", call_id="k", output={"type": "computer_screenshot", "image_url": IMAGE}),
        item("item_reference", id="abc"),
        item("code_interpreter_call", id="ci", code=LONG, outputs=[]),
        item("image_generation_call", id="ig", result="A" * 9_000),
        item("file_search_call", id="fs", queries=[], results=[{"text": LONG}]),
    ],
    "a server of tools": [
        item("mcp_list_tools", id="m", server_label="s", tools=[{"name": "t"}]),
        item("mcp_call", id="mc", server_label="s", name="t", arguments="{}", output=LONG),
        item("mcp_approval_request", id="ar", server_label="s", name="t", arguments="{}"),
        item("mcp_approval_response", approval_request_id="ar", approve=True),
    ],
    "shells and patches": [
        item("local_shell_call", id="l", call_id="c", action={"type": "exec", "command": ["ls"]}),
        item("local_shell_call_output", id="o", call_id="c", output=LONG),
        item("shell_call", call_id="s", action={"commands": ["ls"]}),
        item("shell_call_output", call_id="s", output=[{"stdout": LONG, "stderr": ""}]),
        item("apply_patch_call", call_id="p", operation={"type": "update_file", "path": "a", "diff": LONG}),
        item("apply_patch_call_output", call_id="p", status="completed", output="ok"),
    ],
    "a custom tool": [
        item("custom_tool_call", call_id="c", name="n", input=LONG),
        item("custom_tool_call_output", call_id="c", output=LONG),
    ],
    "an output of parts": pair(
        "c",
        [
            {"type": "input_text", "text": LONG},
            {"type": "input_image", "image_url": IMAGE},
            {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA"},
        ],
    ),
    "an output alone, a call alone": [pair("none")[1], pair("c")[0]],
    "an id used five times": [one for _ in range(5) for one in pair("same")],
    "100 parallel calls": [
        *(pair(f"c{at}")[0] for at in range(100)),
        *(pair(f"c{at}", LONG[:400])[1] for at in reversed(range(100))),
    ],
    "a refusal": [answer({"type": "refusal", "refusal": LONG}, _SAID)],
    "system and developer in the middle": [
        {"role": "developer", "content": [{"type": "input_text", "text": "no tabs"}]},
        answer(_SAID),
        {"role": "system", "content": "s"},
    ],
    "a summary of the provider's": [item("compaction", encrypted_content="E" * 9_000)],
    "an unknown item, nested deeply": [item("new", x=nested(100_000)), answer(_SAID)],
    "junk": [None, 5, "x", {}, item(None), item(7), {"role": "user"}],
}
_BEGUN, _LAST = {"role": "user", "content": "fix src/app.py"}, {"role": "user", "content": "and now?"}
ITEMS = {
    name: {"model": "gpt-5", "instructions": "be careful", "input": [_BEGUN, *steps, answer(_SAID), _LAST]}
    for name, steps in _STEPS.items()
} | {
    "a part of it is with the provider": {
        "previous_response_id": "resp_1",
        "input": [pair("before")[1], answer(_SAID), _LAST],
    },
    "all of it is with the provider": {
        "conversation": {"id": "c"},
        "input": [pair("before")[1], answer(_SAID), _LAST],
    },
    "a word": {"model": "m", "input": LONG},
    "no items": {"input": []},
    "nothing": {"input": None},
    "instructions as a list": {
        "instructions": [{"role": "system", "content": "x"}],
        "input": [_BEGUN, answer(_SAID)],
    },
}
