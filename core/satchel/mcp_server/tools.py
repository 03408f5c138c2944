"""What the tools are called, what they take, and the check of what a model passes to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from satchel.errors import UsageError
from satchel.spelling import nearest


class Tool(NamedTuple):
    """A tool as clients list it."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    """JSON Schema of each argument."""
    required: Sequence[str]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its arguments."""
        made: dict[str, Any] = {"type": "object", "properties": dict(self.properties)}
        if self.required:
            made["required"] = list(self.required)
        return {**made, "additionalProperties": False}


TOOLS = tuple(Tool(**one) for one in json.loads(Path(__file__).with_name("tools.json").read_text("utf-8")))
_BY_NAME = {tool.name: tool for tool in TOOLS}
INSTRUCTIONS = (
    "satchel finds what matters in this workspace and keeps it within a token budget. Begin with pack and "
    "the task in plain words. Where a text was cut, expand brings back the lines of its pointer. Give "
    "squeeze the output of long commands."
)


def find_tool(name: str) -> Tool:
    """Return the tool of a name.

    Raises:
        UsageError: there is none; the message names them all.
    """
    tool = _BY_NAME.get(name)
    if tool is None:
        near = nearest(name, _BY_NAME)
        hint = f", did you mean {near}?" if near else ";"
        raise UsageError(f"no tool is called {name!r}{hint} the tools are {', '.join(_BY_NAME)}")
    return tool


_OTHER_NAMES = {
    "query": ("words", "q", "pattern"),
    "pointer": ("path", "uri", "file"),
    "ref": ("path", "pointer", "file", "symbol"),
    "text": ("output", "content"),
}
"""Names that models use for an argument of another name."""


def check_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; null stands for none, and numbers and lists may come as texts.

    A well-known other name of an argument is taken for it.

    Raises:
        UsageError: one is unknown, missing or of a wrong type; the message says how to mend it.
    """
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in tool.properties.keys() - arguments.keys():
        for other in _OTHER_NAMES.get(name, ()):
            if other in arguments and other not in tool.properties:
                arguments[name] = arguments.pop(other)
                break
    for name in arguments:
        if name not in tool.properties:
            near = nearest(name, tool.properties)
            hint = f", did you mean {near!r}?" if near else "."
            raise UsageError(
                f"{tool.name} has no argument {name!r}{hint} It takes {', '.join(tool.properties)}."
            )
    for name in tool.required:
        value = arguments.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            what = "is empty" if name in arguments else "is missing"
            says = tool.properties[name].get("description", "")
            raise UsageError(f"{tool.name}: {name!r} {what}. {says}")
    return {name: _check_value(tool, name, value) for name, value in arguments.items()}


def _check_value(tool: Tool, name: str, value: Any) -> Any:
    schema = tool.properties[name]
    kind = schema["type"]
    if kind == "integer":
        return _check_number(tool, name, value)
    if kind == "array":
        return _check_list(tool, name, value)
    if not isinstance(value, str):
        raise UsageError(f"{tool.name}: {name!r} must be a string, not {_shorten(value)}.")
    if "enum" in schema and value not in schema["enum"]:
        near = nearest(value, schema["enum"])
        hint = f" Did you mean {near!r}?" if near else ""
        raise UsageError(
            f"{tool.name}: {name!r} must be one of {', '.join(schema['enum'])}, not {_shorten(value)}.{hint}"
        )
    return value


def _check_number(tool: Tool, name: str, value: Any) -> int:
    schema = tool.properties[name]
    least, most = schema.get("minimum"), schema.get("maximum")
    number = _read_number(value)
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        bounds = "" if least is None else f" from {least} up"
        bounds = bounds if most is None else f" from {least} to {most}"
        raise UsageError(f"{tool.name}: {name!r} must be a whole number{bounds}, not {_shorten(value)}.")
    return number


def _read_number(value: Any) -> int | None:
    """Return a whole number, also of a text like `8000` or `8k`; None if it is not one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        digits = value.strip().lower().replace(",", "").replace("_", "")
        thousands = digits.endswith("k")
        digits = digits.removesuffix("k")
        if digits.isascii() and digits.isdecimal() and len(digits) < 12:
            return int(digits) * (1_000 if thousands else 1)
    return None


def _check_list(tool: Tool, name: str, value: Any) -> list[Any]:
    kind = tool.properties[name]["items"]["type"]
    wanted: type = str if kind == "string" else dict
    items = [value] if isinstance(value, wanted) else value
    if not isinstance(items, list) or not all(isinstance(item, wanted) for item in items):
        what = "strings" if kind == "string" else "objects"
        raise UsageError(f"{tool.name}: {name!r} must be a list of {what}, not {_shorten(value)}.")
    return items


def _shorten(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."
