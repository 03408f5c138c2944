"""Answer the call of a tool and the reading of a resource, within a number of tokens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from satchel.compaction.measuring import count
from satchel.errors import BudgetError, PointerError, SatchelError, UsageError
from satchel.host import Host
from satchel.mcp_server.tools import Tool, check_arguments
from satchel.mcp_server.workspaces import ToolRequest, Workspaces, choose_root
from satchel.output.squeezing import BUDGET as SQUEEZED
from satchel.output.squeezing import Squeezed, squeeze_stream
from satchel.packing.bundle import Bundle, PackOptions
from satchel.packing.expanding import expand
from satchel.packing.explaining import why
from satchel.packing.searching import Place, search
from satchel.pointers import Pointer, parse
from satchel.redaction.scanning import redact_secrets
from satchel.shared_archive import open_archive

PACKED = 8_000
"""Default budget of a pack."""
_NOTES = 200
"""Tokens held back for what is said beside a text."""
_PLACES = 10
_MOST_LISTED = 5


class ToolAnswer(NamedTuple):
    """What a tool answers: a text, and what there is to say about it."""

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
            PointerError: there is none.
        """
        root = choose_root("", roots)
        with self._workspaces.of(root).use(call) as watch:
            return expand(uri, watch, budget=self.most)

    def pack(self, arguments: Mapping[str, Any], roots: Sequence[Path], call: ToolRequest) -> Bundle:
        """Return the pack for checked arguments of `pack`."""
        budget = min(arguments.get("budget", PACKED), max(1, self.most - _NOTES))
        options = PackOptions(since=arguments.get("since", ""))
        root = choose_root(arguments.get("root", ""), roots)
        with self._workspaces.of(root).use(call) as watch:
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
        notes += [f"{left} files were left out; search finds them."] if left else []
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
        root = choose_root(arguments.get("root", ""), roots)
        with self._workspaces.of(root).use(call) as watch:
            text = expand(arguments["pointer"], watch, level=level, budget=None if level else budget)
            if not level and text != (whole := expand(arguments["pointer"], watch)):
                lines = whole.count("\n")
                return ToolAnswer(
                    text, f"An outline of {lines} lines, to keep to {budget} tokens; ask for fewer lines."
                )
        return self._clip(ToolAnswer(text), budget)

    def _expand_blob(self, pointer: str, roots: Sequence[Path], call: ToolRequest, budget: int) -> Squeezed:
        """Return an archived text, squeezed where it is longer than the budget."""
        if pointer.startswith("blob:"):  # of the archive alone
            text = expand(pointer)
        else:
            with self._workspaces.of(choose_root("", roots)).use(call) as watch:
                text = expand(pointer, watch)
        tokens = self._count(text)
        return Squeezed(text, tokens) if tokens <= budget else self._shorten(text, budget=budget)

    def _search(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        root = choose_root(arguments.get("root", ""), roots)
        with self._workspaces.of(root).use(call) as watch:
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
        root = choose_root(arguments.get("root", ""), roots)
        with self._workspaces.of(root).use(call) as watch:
            explained = why(arguments["ref"], arguments["task"], watch, budget=budget)
        facts = {"pointer": explained.pointer, "kept": explained.kept, "rank": explained.rank}
        return self._clip(ToolAnswer(redact_secrets(as_text(explained)), facts=facts), self.most)

    def _squeeze(self, arguments: dict[str, Any], roots: Sequence[Path], call: ToolRequest) -> ToolAnswer:
        call.check()
        budget = min(arguments.get("budget", SQUEEZED), max(1, self.most - _NOTES))
        squeezed = self._shorten(
            arguments["text"],
            budget=budget,
            command=arguments.get("command", ""),
            exit_code=arguments.get("exit_code"),
        )
        facts = {"tokens": squeezed.tokens, "pointer": squeezed.pointer, "lines": squeezed.lines}
        return ToolAnswer(squeezed.text, _note_gaps(squeezed), facts)

    def _shorten(
        self, text: str, *, budget: int, command: str = "", exit_code: int | None = None
    ) -> Squeezed:
        from satchel.output.reading import Plugins
        from satchel.scanners import make_user_scanners

        archive = open_archive(None, make_user_scanners())
        return squeeze_stream(
            [text.encode("utf-8", "replace")],
            command=command,
            exit_code=exit_code,
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
            with self._workspaces.of(choose_root(arguments.get("root", ""), roots)).use(call) as watch:
                what = expand(arguments["pointer"], watch)
        tokens = self._count(what, arguments.get("model", ""))
        return ToolAnswer(f"{tokens} tokens", facts={"tokens": tokens})

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
    return f"{squeezed.lines} lines; expand shows what is cut, like {example}."


_MENDING: tuple[tuple[type[SatchelError], str], ...] = (
    (PointerError, "search finds places; a new pack has new pointers."),
    (BudgetError, "Give a larger budget, or pin lines instead of files."),
)


def explain_error(error: SatchelError) -> str:
    """Return an error with what to do about it, for a model."""
    told = str(error).replace("; see satchel help", "")
    for kind, mending in _MENDING:
        if isinstance(error, kind):
            return f"{told}{'' if told.endswith(('.', '?')) else '.'} {mending}"
    return told
