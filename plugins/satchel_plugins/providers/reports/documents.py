"""XML and JSON of strangers, read without entities, document types, endless depth or size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from xml.parsers import expat

LARGEST = 4_000_000
"""Characters of a report that is read at all."""
_DEEPEST = 60
_MOST_NODES = 200_000


class ReportElement:
    """An XML element; slots, because a coverage report has a hundred thousand."""

    __slots__ = ("attributes", "children", "pieces", "tag")

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[ReportElement] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """The text directly in it."""
        return "".join(self.pieces)

    def all(self, tag: str) -> Iterator[ReportElement]:
        """Yield the elements of this name below it, in order."""
        waiting = [*reversed(self.children)]
        while waiting:
            node = waiting.pop()
            if node.tag == tag:
                yield node
            waiting.extend(reversed(node.children))


class RefusedError(ValueError):
    """A document that nobody needs: it declares entities, or is too large or too deep."""


def parse_xml(text: str) -> ReportElement | None:
    """Return the root element, None for what is damaged or refused."""
    if len(text) > LARGEST:
        return None
    try:
        return _ReportTree().parsed(text)
    except (expat.ExpatError, RefusedError, ValueError):
        return None


def parse_json(text: str) -> object:
    """Return what a JSON text holds, None for what is damaged, too large or too deep."""
    if len(text) > LARGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _ReportTree:
    """Builds nodes while expat reads."""

    def __init__(self) -> None:
        self.top = ReportElement("", {})
        self.open = [self.top]
        self.count = 0

    def parsed(self, text: str) -> ReportElement | None:
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._refuse
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 (it takes no keywords)
        return self.top.children[0] if self.top.children else None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) > _DEEPEST or self.count > _MOST_NODES:
            raise RefusedError("too deep or too many elements")
        node = ReportElement(tag.rpartition(" ")[2], attributes)
        self.open[-1].children.append(node)
        self.open.append(node)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _characters(self, text: str) -> None:
        self.open[-1].pieces.append(text)

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        # Cobertura names a document type without entities of its own; it is never fetched.
        if internal:
            raise RefusedError("declares entities")

    def _refuse(self, *declared: object) -> None:
        raise RefusedError("declares entities")
