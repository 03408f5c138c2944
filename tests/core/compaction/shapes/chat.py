"""Odd conversations as OpenAI's chat has them."""

from __future__ import annotations

import json

from .parts import IMAGE, LAST, LONG, Json, nested


def call(id_: Json, name: Json = "bash", arguments: Json = '{"path": "src/a.py"}') -> Json:
    """Return a call of a function."""
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def asked(*calls: Json, said: Json = None) -> Json:
    """Return a message of the model's with calls."""
    return {"role": "assistant", "content": said, "tool_calls": list(calls)}


def told(id_: Json, said: Json = LONG) -> Json:
    """Return a result."""
    return {"role": "tool", "tool_call_id": id_, "content": said}


def said(content: Json = LONG, role: Json = "assistant", **more: Json) -> Json:
    """Return a message with any content."""
    return {"role": role, "content": content, **more}


_BEGUN = [{"role": "system", "content": "be careful"}, {"role": "user", "content": "fix src/app.py"}]
_STEPS = {
    "parallel calls, results in another order": [
        asked(call("a"), call("b"), call("c")),
        *(told("c"), told("a"), told("b", "ok")),
    ],
    "100 parallel calls": [
        asked(*(call(f"c{at}") for at in range(100))),
        *(told(f"c{at}", LONG[:400]) for at in reversed(range(100))),
    ],
    "a user between results": [asked(call("a"), call("b")), told("a"), said("wait", "user"), told("b")],
    "system and developer in the middle": [said(), said("no tabs", "system"), said("no blanks", "developer")],
    "an id used six times": [one for _ in range(6) for one in (asked(call("same")), told("same"))],
    "an id used twice in one message": [asked(call("x"), call("x")), told("x"), told("x")],
    "a result before its call": [told("x"), asked(call("x"))],
    "a result alone": [told("x")],
    "a call alone": [asked(call("x"))],
    "ids that are empty": [asked(call(""), call("")), told(""), said(role="tool")],
    "ids that are numbers": [asked(call(5)), told(5)],
    "an id of 100,000 characters": [asked(call("x" * 100_000)), told("x" * 100_000)],
    "lists without content": [said([]), said([], "user"), said(), said([{"type": "text", "text": ""}])],
    "no content": [said(None), said(None, "user")],
    "blanks beside calls": [
        one for at in range(4) for one in (asked(call(f"c{at}"), said="\n \t\n"), told(f"c{at}"))
    ],
    "blank texts": [said("  \n", "user"), said(), said("\n", "user")],
    "halves of pairs": [
        said("\ud800 " + LONG),
        asked(call("\udfff", "\ud800", '{"a": "\ud800"}')),
        told("\udfff"),
    ],
    "one message larger than the window": [said(LONG * 20, "user")],
    "numbers that are none": [
        asked(call("n", arguments='{"x": NaN, "y": 1e999999, "z": ' + "9" * 5000 + "}")),
        told("n"),
    ],
    "deep arguments": [asked(call("n", arguments='{"x":' + "[" * 100_000 + "]" * 100_000 + "}")), told("n")],
    "many arguments": [
        asked(call("n", arguments=json.dumps({f"k{at}": at for at in range(9_000)}))),
        told("n"),
    ],
    "arguments that break off": [asked(call("n", arguments='{"path": "a')), told("n")],
    "arguments as an object": [asked(call("n", arguments={"a": float("nan"), "b": 10**5000})), told("n")],
    "no arguments": [asked(call("n", arguments=None)), told("n")],
    "no function": [asked({"id": "n", "type": "function"}), told("n")],
    "no name": [asked(call("n", None)), told("n")],
    "calls that are a word": [said(tool_calls="many"), told("n")],
    "calls that are an object": [said(tool_calls={"a": 1})],
    "calls that are junk": [said(tool_calls=[None, 5, "x", {}])],
    "an empty list of calls": [said(tool_calls=[])],
    "a custom tool": [
        asked({"id": "n", "type": "custom", "custom": {"name": "sh", "input": LONG}}),
        told("n"),
    ],
    "a custom tool without input": [asked({"id": "n", "type": "custom"}), told("n")],
    "functions of old": [
        said(None, function_call={"name": "f", "arguments": "{}"}),
        {"role": "function", "name": "f", "content": LONG},
    ],
    "contents that are not texts": [said(5), said(True, "user")],
    "a content that is an object": [said({"type": "text", "text": LONG})],
    "contents in contents": [
        said([["x"], None, 7, {"type": "text"}, {"type": "text", "text": None}], "user")
    ],
    "deep contents": [said(nested(100_000), "user")],
    "a deep key of a part": [said([{"type": "text", "text": LONG, "x": nested(100_000)}], "user")],
    "keys that are not texts": [{1: 2, None: 3, **said()}],
    "no role": [{"role": None, "content": LONG}, {"content": "y"}],
    "an image in a result": [
        asked(call("i")),
        told("i", [{"type": "image_url", "image_url": {"url": IMAGE}}, {"type": "text", "text": LONG}]),
    ],
    "images that are junk": [said([{"type": "image_url", "image_url": None}, {"type": "image_url"}], "user")],
    "sound": [said([{"type": "input_audio", "input_audio": {"data": "A" * 9_000, "format": "wav"}}], "user")],
    "sound of the model's": [said(None, audio={"id": "a", "data": "A" * 9_000, "transcript": LONG})],
    "files": [
        said([{"type": "file", "file": {"file_data": "data:application/pdf;base64," + "A" * 9_000}}], "user"),
        said([{"type": "file", "file": None}, {"type": "file"}, {"type": "video_url"}], "user"),
    ],
    "refusals": [said(None, refusal=LONG), said([{"type": "refusal", "refusal": LONG}])],
    "citations": [said(annotations=[{"type": "url_citation", "url_citation": {"url": "u"}}])],
    "names": [said(LONG, "user", name="Ann"), said(LONG, "user", name=5)],
    "thoughts": [said("so", reasoning_content=LONG), said(LONG, reasoning_details=[{"x": 1}])],
    "usage of any size": [
        said(usage={"prompt_tokens": 10**400}),
        said("x", usage={"prompt_tokens": float("nan")}),
    ],
    "usage that is a word": [said(usage="x")],
    "line ends of all kinds": [said(LONG.replace("\n", "\r\n") + "x\ry\n\r\n")],
    "zeros and terminal codes": [said("\0" * 500 + "\u202e\x1b[31m" + LONG)],
    "marks of satchel's own": [said("[satchel: 5 of 9 messages cut]", "user"), said("[satchel 12]\n" + LONG)],
    "a line of a megabyte": [asked(call("a")), told("a", "error x=1," * 100_000)],
    "a word of a megabyte": [asked(call("a")), told("a", "a" * 1_000_000)],
    "line feeds only": [asked(call("a")), told("a", "\n" * 500_000)],
    "quotes only": [said("'" * 200_000 + '"a' * 100_000)],
}
CHAT = {name: [*_BEGUN, *steps, LAST] for name, steps in _STEPS.items()} | {
    "a system message alone": [said(LONG, "system")],
    "sixty system messages": [*(said(f"rule {at}", "system") for at in range(60)), LAST],
    "answers alone": [said(), said()],
    "no user": [said("x", "system"), said()],
    "two hundred users": [said(LONG[:300], "user") for _ in range(200)],
    "a system message larger than the window": [said(LONG * 20, "system"), LAST],
    "a first message larger than the window": [said(LONG * 20, "user"), said("ok"), LAST],
    "a tuple": (said("x", "user"), said(), LAST),
    "words": ["a", "b"],
    "a word": "hello",
    "a number": 5,
    "nothing": None,
    "no messages": [],
    "an empty request": {},
    "a request without a list": {"messages": None},
    "a request with an object": {"messages": {"role": "user"}},
    "three hundred tools": {
        "messages": [said("x", "user"), said(), LAST],
        "tools": [{"type": "function", "function": {"name": f"f{at}"}} for at in range(300)],
    },
    "tools that are a word": {"messages": [said("x", "user"), said(), LAST], "tools": "many"},
    "a deep request": {"messages": [said("x", "user"), said(), LAST], "metadata": nested(100_000)},
    "many unknown keys": [said("x", "user"), {**said(), **{f"k{at}": at for at in range(20_000)}}, LAST],
}
