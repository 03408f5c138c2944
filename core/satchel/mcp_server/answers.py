"""The tools and their arguments; the answer to a call, within a number of tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from satchel.compaction.measuring import count
from satchel.errors import BudgetError, PointerError, SatchelError, UsageError
from satchel.host import Host
from satchel.mcp_server.workspaces import ToolRequest, Workspaces
from satchel.output.squeezing import BUDGET as SQUEEZED
from satchel.output.squeezing import Squeezed, squeeze_stream
from satchel.packing.bundle import Bundle, PackOptions
from satchel.packing.expanding import expand
from satchel.packing.explaining import why
from satchel.packing.searching import Place, search
from satchel.pointers import Pointer, parse
from satchel.redaction.scanning import redact_secrets
from satchel.shared_archive import open_archive
from satchel.spelling import agree, format_count, nearest
from satchel.tokens.models import describe_doubt, find_or_estimate


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
        near = nearest(name, _BY_NAME, cutoff=0.6)
        hint = f", did you mean {near}?" if near else ";"
        raise UsageError(f"no tool is called {name!r}{hint} the tools are {', '.join(_BY_NAME)}")
    return tool


_OTHER_NAMES = {
    "query": ("words", "q", "pattern"),
    "pointer": ("path", "uri", "file"),
    "ref": ("path", "pointer", "file", "symbol"),
    "text": ("output", "content"),
    "question": ("for", "task", "query"),
}
"""Names that models use for an argument of another name."""


def check_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; null means absent, and numbers and lists may come as texts.

    A well-known other name of an argument is accepted.

    Raises:
        UsageError: one is unknown, missing or of a wrong type; the message says how to fix it.
    """
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in tool.properties.keys() - arguments.keys():
        for other in _OTHER_NAMES.get(name, ()):
            if other in arguments and other not in tool.properties:
                arguments[name] = arguments.pop(other)
                break
    for name in arguments:
        if name not in tool.properties:
            near = nearest(name, tool.properties, cutoff=0.6)
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


PACKED = 8_000
"""Default budget of a pack."""
_NOTES = 200
"""Tokens held back for remarks beside a text."""
_PLACES = 10
_MOST_LISTED = 5


class ToolAnswer(NamedTuple):
    """The answer of a tool: a text, and remarks on it."""

    text: str
    notes: str = ""
    facts: Mapping[str, Any] = {}
    """For programs; models do not see it."""


class Answers:
    """The tools of a server.

    Args:
        workspaces: the folders that stay open.
        open_host: makes the plugins for texts that are of no workspace.
        most: most tokens of an answer.
    """

    def __init__(self, workspaces: Workspaces, open_host: Callable[[], Host], most: int) -> None:
        self._workspaces = workspaces
        self._open_host = open_host
        self.most = most
        self._lock = threading.Lock()
        self._host: Host | None = None

    def answer(
        self, tool: Tool, given: Mapping[str, Any], roots: Sequence[Path], call: ToolRequest
    ) -> ToolAnswer:
        """Answer a call.

        Raises:
            SatchelError: it can't be answered; the message says what is wrong.
            CancelledCallError: the call was cancelled meanwhile.
        """
        arguments = check_arguments(tool, given)
        work = {
            "pack": self._pack,
            "expand": self._expand,
            "search": self._search,
            "why": self._why,
            "squeeze": self._squeeze,
            "count": self._count_tokens,
        }[tool.name]
        return work(arguments, roots, call)

    def read(self, uri: str, roots: Sequence[Path], call: ToolRequest) -> str:
        """Return the text of a resource.

        Raises:
            PointerError: there is no such resource.
        """
        with self._workspaces.use("", roots, call) as watch:
            return expand(uri, watch, budget=self.most)

    def pack(self, arguments: Mapping[str, Any], roots: Sequence[Path], call: ToolRequest) -> Bundle:
        """Return the pack for checked arguments of `pack`."""
        budget = min(arguments.get("budget", PACKED), max(1, self.most - _NOTES))
        options = PackOptions(since=arguments.get("since", ""))
        with self._workspaces.use(arguments.get("root", ""), roots, call) as watch:
            return watch.pack(
                arguments["task"], budget=budget, pins=arguments.get("pins", ()), options=options
            )

    def _pack(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        bundle = self.pack(arguments, roots, call)
        listed = bundle.to_dict(detail="compact", text=False)
        notes = [f"{bundle.tokens} of {bundle.budget} tokens."]
        if arguments.get("budget", 0) > bundle.budget:
            notes.append(f"This server answers with at most {self.most} tokens; expand shows more.")
        left = sum(listed.get("left_out", {}).values())
        notes += (
            [f"{format_count(left, 'file')} {agree(left, 'was', 'were')} left out; search finds them."]
            if left
            else []
        )
        notes += [f"Problem: {problem}" for problem in listed.get("problems", ())][:_MOST_LISTED]
        if not bundle.text:
            notes.append("Nothing fits: give a larger budget, or another task.")
        return ToolAnswer(bundle.text, " ".join(notes), listed)

    def _expand(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        most = max(1, self.most - _NOTES)
        budget, level = min(arguments.get("budget", most), most), arguments.get("level")
        if parse(arguments["pointer"]).blob:
            squeezed = self._expand_blob(arguments["pointer"], roots, call, budget)
            return ToolAnswer(squeezed.text, _note_gaps(squeezed), {"tokens": squeezed.tokens})
        with self._workspaces.use(arguments.get("root", ""), roots, call) as watch:
            text = expand(arguments["pointer"], watch, level=level, budget=None if level else budget)
            if not level and text != (whole := expand(arguments["pointer"], watch)):
                lines = whole.count("\n")
                if whole.startswith(text.rpartition("\n[")[0] or "\n"):
                    return ToolAnswer(
                        text, f"The beginning, to keep to {budget} tokens; its last line says so."
                    )
                return ToolAnswer(
                    text, f"An outline of {lines} lines, to keep to {budget} tokens; ask for fewer lines."
                )
        return self._clip(ToolAnswer(text), budget)

    def _expand_blob(self, pointer: str, roots: Sequence[Path], call: ToolRequest, budget: int) -> Squeezed:
        """Return an archived text, squeezed if it is longer than the budget."""
        if pointer.startswith("blob:"):  # of the archive alone
            text = expand(pointer)
        else:
            with self._workspaces.use("", roots, call) as watch:
                text = expand(pointer, watch)
        tokens = self._count(text)
        return Squeezed(text, tokens) if tokens <= budget else self._shorten(text, budget=budget)

    def _search(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        with self._workspaces.use(arguments.get("root", ""), roots, call) as watch:
            found = search(arguments["query"], watch, limit=arguments.get("limit", _PLACES))
        if not found:
            return ToolAnswer(
                "Nothing found. Try other words, or one identifier alone.", facts={"places": []}
            )
        facts = {"places": [{"pointer": one.pointer, "name": one.name, "score": one.score} for one in found]}
        return self._clip(ToolAnswer("".join(map(_describe_place, found)), facts=facts), self.most)

    def _why(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        from satchel.view.packs import as_text

        budget = arguments.get("budget", min(PACKED, self.most))
        with self._workspaces.use(arguments.get("root", ""), roots, call) as watch:
            explained = why(arguments["ref"], arguments["task"], watch, budget=budget)
        facts = {"pointer": explained.pointer, "kept": explained.kept, "rank": explained.rank}
        return self._clip(ToolAnswer(redact_secrets(as_text(explained)), facts=facts), self.most)

    def _squeeze(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        call.check()
        most = max(1, self.most - _NOTES)
        budget = arguments.get("budget", None if most >= SQUEEZED else most)
        squeezed = self._shorten(
            arguments["text"],
            budget=None if budget is None else min(budget, most),
            command=arguments.get("command", ""),
            exit_code=arguments.get("exit_code"),
            question=arguments.get("question", ""),
        )
        facts = {"tokens": squeezed.tokens, "pointer": squeezed.pointer, "lines": squeezed.lines}
        return ToolAnswer(squeezed.text, _note_gaps(squeezed), facts)

    def _shorten(
        self,
        text: str,
        *,
        budget: int | None,
        command: str = "",
        exit_code: int | None = None,
        question: str = "",
    ) -> Squeezed:
        from satchel.installed import make_user_scanners
        from satchel.output.reading import Plugins

        archive = open_archive(None, make_user_scanners())
        return squeeze_stream(
            [text.encode("utf-8", "replace")],
            command=command,
            exit_code=exit_code,
            question=question,
            budget=budget,
            archive=archive,
            plugins=Plugins(self._plugins()),
        )

    def _count_tokens(
        self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest
    ) -> ToolAnswer:
        named = [name for name in ("text", "pointer", "messages") if name in arguments]
        if len(named) != 1:
            given = " and ".join(named) or "none of them"
            raise UsageError(f"count takes one of 'text', 'pointer' and 'messages', not {given}.")
        what = arguments[named[0]]
        if named == ["pointer"]:
            with self._workspaces.use(arguments.get("root", ""), roots, call) as watch:
                what = expand(arguments["pointer"], watch)
        model = arguments.get("model", "")
        tokens = self._count(what, model)
        is_exact = not model or find_or_estimate(model, warns=False).exact
        said = f"{tokens} tokens" if is_exact else f"about {tokens} tokens"
        return ToolAnswer(said, describe_doubt(model) if model else "", {"tokens": tokens})

    def _count(self, what: Any, model: str = "") -> int:
        return count(what, model=model, host=self._plugins())

    def _plugins(self) -> Host:
        with self._lock:
            if self._host is None:
                self._host = self._open_host()
            return self._host

    def _clip(self, answer: ToolAnswer, most: int) -> ToolAnswer:
        """Return the answer with as many of its lines as fit."""
        text = answer.text
        if len(text) <= most or self._count(text) <= most:  # a token has a character at least
            return answer
        lines, room = text.splitlines(keepends=True), max(1, most - _NOTES)
        while len(lines) > 1 and self._count("".join(lines)) > room:
            lines = lines[: len(lines) * 9 // 10]
        note = f"Cut after {len(lines)} of {len(text.splitlines())} lines. Ask for less, like fewer lines."
        return answer._replace(text="".join(lines), notes=note)


def _describe_place(place: Place) -> str:
    """Return a place in a few lines, its pointer first."""
    address = Pointer(place.path, place.lines).short()
    head = f"{address} {place.name}".rstrip()
    return "".join([f"{head}\n", *(f"  {hit.line}: {hit.text}\n" for hit in place.hits)])


def _note_gaps(squeezed: Squeezed) -> str:
    if not squeezed.gaps or not squeezed.pointer:
        return ""
    gap = squeezed.gaps[0]
    example = f"{squeezed.pointer}:{gap.first}-{gap.last}"
    return f"{format_count(squeezed.lines, 'line')}; expand shows what is cut, like {example}."


_MENDING: tuple[tuple[type[SatchelError], str], ...] = (
    (PointerError, "search finds places; a new pack has new pointers."),
    (BudgetError, "Give a larger budget, or pin lines instead of files."),
)


def explain_error(error: SatchelError) -> str:
    """Return an error with advice, for a model."""
    told = str(error).replace("; see satchel help", "")
    for kind, mending in _MENDING:
        if isinstance(error, kind):
            return f"{told}{'' if told.endswith(('.', '?')) else '.'} {mending}"
    return told
