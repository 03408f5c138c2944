"""What the project tells everybody who works on it: the instruction file at the root, and similar files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, Problem, TrustStore, lazily, read_question
from satchel_plugins.providers.instructions import (
    InstructionFile,
    as_item,
    cut,
    read_document,
    stand_for_themselves,
)

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_LINK = lazily(r"\s*[-*+]\s.*\]\(")
_FRONT = lazily(r"---[ \t]*\n(.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_ALWAYS = lazily(r"^alwaysApply:\s*[\"']?true\b", re.MULTILINE | re.IGNORECASE)
_GLOBS = lazily(r"^globs:[ \t]*(.*(?:\n[ \t]*-[ \t].*)*)", re.MULTILINE)
_RULES = ".cursor/rules/"
_LAST_TOKENS = 300
_WHOLE_CHARACTERS = 20_000
"""A document that the task names stands whole up to this size; a larger one is left to be a file."""


@attrs.frozen(eq=False, repr=False)
class ProjectDocs:
    """Offer the first of the project's instruction files that holds something, and its smaller kin.

    A file that the task names is offered whole, every other one is cut to its cap. What is pinned, or
    named with lines, is left to be a file. A question may be answered anywhere in them, so for one they are
    offered whole too, and a README is a file like any other.
    """

    name, wave = "project_docs", 1
    max_items: int = 12
    max_tokens: int = 24_000
    names: tuple[str, ...] = ("PENGUIN.md", "AGENTS.md", "CLAUDE.md", "README.md")
    """Only the first that is there and not empty is offered."""
    tokens: tuple[int, ...] = (600, 500, 500, 300)
    """Cap of each name, in order; the last one counts for names beyond."""
    more: tuple[str, ...] = (
        "AGENTS.override.md",
        "GEMINI.md",
        ".cursorrules",
        ".github/copilot-instructions.md",
        "llms.txt",
    )
    """Each of these is offered beside it, shorter."""
    more_tokens: int = 150
    """Cap of each file in `more`, and of each of Cursor's rules."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per document, an override first; equal texts once."""
        named, files = _find_named(task), stand_for_themselves(task)
        asks = bool(read_question(task.text).certainty)
        seen: set[str] = set()
        for document, cap in self._documents(workspace, named):
            is_large = len(document.text) > _WHOLE_CHARACTERS
            is_answer = asks and document.path.lower().endswith("readme.md")
            if (
                document.text in seen
                or document.path in files
                or is_answer
                or (document.path in named and is_large)
            ):
                continue
            seen.add(document.text)
            stands_whole = document.path in named or (asks and not is_large)
            yield as_item(document, document.text if stands_whole else cut(document, cap), self.name)

    def _documents(self, workspace: Workspace, named: set[str]) -> Iterator[tuple[InstructionFile, int]]:
        store = TrustStore.read()
        if store.problem:
            workspace.problems.append(Problem("trust", "read", store.problem))
        shallow = workspace.files.of_paths(_shallow)
        # A name that is spelled as configured wins over one in other letters.
        spelled = {path.lower(): path for path in shallow} | dict(zip(shallow, shallow, strict=True))
        overrides = [name for name in self.more if ".override." in name]
        beside = [name for name in self.more if name not in overrides]
        caps = [*self.tokens, *([self.tokens[-1] if self.tokens else _LAST_TOKENS] * len(self.names))]

        def read(names: Iterable[str], caps: Iterable[int]) -> Iterator[tuple[InstructionFile, int]]:
            for name, cap in zip(names, caps, strict=False):
                path = spelled.get(name, spelled.get(name.lower(), name))
                document = read_document(workspace, path, store)
                if document is not None:
                    yield _links(document) if path.endswith("llms.txt") else document, cap

        yield from read(overrides, repeat(self.more_tokens))
        yield from islice(read(self.names, caps), 1)
        yield from read(beside, repeat(self.more_tokens))
        yield from ((rule, self.more_tokens) for rule in _rules(workspace, named, store))


def _shallow(paths: Iterable[str]) -> list[str]:
    """Return the paths at the top and in its folders."""
    return [path for path in paths if path.count("/") <= 1]


def _rule_paths(paths: Iterable[str]) -> list[str]:
    """Return the files with Cursor's rules."""
    return sorted(path for path in paths if path.startswith(_RULES) and path.endswith(".mdc"))


def _find_named(task: Task) -> set[str]:
    return {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}


def _links(document: InstructionFile) -> InstructionFile:
    """Keep of an `llms.txt` its title, its headings and the links: it is a list of pointers."""
    lines = [line for line in document.text.split("\n") if line[:1] in ("#", ">") or _LINK.match(line)]
    return document._replace(text="\n".join(lines) or document.text, lines=len(lines))


def _rules(workspace: Workspace, named: set[str], store: TrustStore) -> Iterator[InstructionFile]:
    """Yield Cursor's rules that always apply, or whose globs match a file that the task names."""
    for path in workspace.files.of_paths(_rule_paths):
        document = read_document(workspace, path, store)
        if document is None:
            continue
        front = _FRONT.match(document.text)
        body = document.text[front.end() :].strip("\n") if front else document.text
        if front and body.strip() and _applies(front[1], named):
            yield document._replace(text=body, lines=body.count("\n") + 1)


def _applies(front: str, named: set[str]) -> bool:
    if _ALWAYS.search(front):
        return True
    listed = _GLOBS.search(front)
    written = re.split(r"[,\n]", listed[1].strip().strip("[]")) if listed else []
    globs = [glob.strip().removeprefix("- ").strip().strip("\"'") for glob in written]
    # Cursor matches `*.py` in every folder, as git's ignore files do.
    deep = [glob if "/" in glob else f"**/{glob}" for glob in globs if glob]
    from satchel.plugin_api import match_paths

    return any(match_paths(glob, named) for glob in deep)
