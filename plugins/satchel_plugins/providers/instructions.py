"""Read instruction files: contained, once each, with their imports, cut with a line that says so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import (
    ContextItem,
    Problem,
    TrustStore,
    WorkspaceError,
    find_paths,
    find_vendored_folder,
    is_credentials,
    lazily,
    quoted,
    read_question,
    visible,
)
from satchel_plugins.providers.texts import BYTES_PER_TOKEN

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

DEEPEST_IMPORT = 5
_MOST_BYTES = 256 * 1024
"""Most bytes of one document with its imports; the rest is always cut."""
_MOST_IMPORTS = 40
_UNREADABLE = frozenset({"binary", "credentials", "empty", "huge"})
_IMPORT = lazily(r"(?<![\w@/`.])@((?:\./|\.\./)*[\w][\w./+-]{0,200})")
_FENCE = lazily(r" {0,3}(`{3,}|~{3,})")
_INLINE = lazily(r"`[^`\n]*`")
_HEADING = lazily(r"#{1,6} ")
_MARKUP = lazily(
    r"<[^<>]{0,500}>"
    r"|\[?!\[[^\[\]]{0,200}\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])"
    r"(?:\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\]))?"
    r"|^[ \t]{0,20}[-*+][ \t]\[[^\[\]]{0,200}\]\(#[^()]{0,200}\)"
)
"""HTML tags, images with or without a link around them, and entries of a table of contents."""
_LINK = lazily(r"\s*[-*+]\s.*\]\(")
_FRONT = lazily(r"---[ \t]*\n(.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_ALWAYS = lazily(r"^alwaysApply:\s*[\"']?true\b", re.MULTILINE | re.IGNORECASE)
_GLOBS = lazily(r"^globs:[ \t]*(.*(?:\n[ \t]*-[ \t].*)*)", re.MULTILINE)
_RULES = ".cursor/rules/"
_LAST_TOKENS = 300
_WHOLE_CHARACTERS = 20_000
"""A document that the task names is whole up to this size; a larger one remains a file."""
_FOLDER = lazily(r"(?<![\w/.@-])((?:[\w.+-]{1,100}/){1,20})(?![\w/])")
_LONGEST_TASK = 1_000_000
_MOST_FOLDERS = 100
_NEVER = ("changelog", "changes", "history")


class InstructionFile(NamedTuple):
    """An instruction file as it was read."""

    path: str
    text: str
    lines: int
    """Lines of the file itself, without imports."""
    trusted: bool
    """Whether the person trusts it and everything that it imports."""
    imports: tuple[str, ...] = ()


@attrs.define(eq=False, repr=False)
class _ImportReading:
    """The state of reading one document: its imports, and whether all of it is trusted."""

    workspace: Workspace
    store: TrustStore
    imported: list[str] = attrs.field(factory=list)
    size: int = 0
    trusted: bool = True


def stand_for_themselves(task: Task) -> set[str]:
    """Return files that are pinned or named with lines: they stay files, whose lines keep their numbers."""
    with_lines = (ref for ref in (*task.references, *task.open_files) if ref.lines[0])
    return {ref.path for ref in (*task.pins, *with_lines) if ref.path}


def read_document(workspace: Workspace, path: str, store: TrustStore) -> InstructionFile | None:
    """Return an instruction file with its imports, None if it is absent, empty or can't be read.

    A link counts if it leads to a listed file of the workspace. A file that exists but can't be read
    is one of the workspace's problems.
    """
    source = resolve(workspace, path)
    if not source:
        return None
    reading = _ImportReading(workspace, store)
    own = _read(reading, source)
    if own is None or not own.strip():
        return None
    text = "\n".join(_with_imports(reading, own, source, above=(source,)))
    return InstructionFile(path, visible(text), own.count("\n") + 1, reading.trusted, tuple(reading.imported))


def resolve(workspace: Workspace, path: str) -> str:
    """Return the listed file that a path means, itself or through a link inside the root, else ""."""
    document = workspace.files.document(path)
    if document is None or find_vendored_folder(path) or is_credentials(path):
        return ""
    if document.kind != "link":
        return "" if document.kind in _UNREADABLE or document.kind in ("folder", "special") else path
    root = os.path.realpath(workspace.root)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, real]) != root or real == root:
        return ""
    target = os.path.relpath(real, root).replace(os.sep, "/")
    listed = workspace.files.document(target)
    return "" if listed is None or listed.kind == "link" else resolve(workspace, target)


def _read(reading: _ImportReading, path: str) -> str | None:
    try:
        data = reading.workspace.texts.read_bytes(path)
        text = reading.workspace.texts.source(
            path
        )  # secrets go before it is cut: half a key is not recognized
    except (WorkspaceError, OSError) as error:
        reading.workspace.problems.append(Problem(path, "read", str(error)))
        return None
    reading.trusted &= reading.store.knows(os.path.join(reading.workspace.root, path), data)
    reading.size += len(data[:_MOST_BYTES])
    return quoted(text[:_MOST_BYTES].replace("\r\n", "\n").removesuffix("\n"))


def _with_imports(reading: _ImportReading, text: str, path: str, *, above: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines, and after each line that names a file with `@`, the lines of that file.

    Code is left alone; a file is imported once, from inside the root, five deep at most.
    """
    fence = ""
    for line in text.split("\n"):
        yield line
        opening = _FENCE.match(line)
        if opening:
            fence = "" if fence and opening[1].startswith(fence) else fence or opening[1]
        elif not fence and "@" in line:
            for target in _imports(reading, line, path):
                yield from _read_imports(reading, target, above)


def _imports(reading: _ImportReading, line: str, path: str) -> list[str]:
    folder = path.rpartition("/")[0]
    found = []
    for match in _IMPORT.finditer(_INLINE.sub("", line[:2_000])):
        written = match[1].rstrip(".,;:")
        target = os.path.normpath(os.path.join(folder, written)).replace(os.sep, "/")
        if not target.startswith("../"):
            found.append(resolve(reading.workspace, target))
    return [target for target in dict.fromkeys(found) if target]


def _read_imports(reading: _ImportReading, target: str, above: tuple[str, ...]) -> Iterator[str]:
    full = len(reading.imported) >= _MOST_IMPORTS or reading.size >= _MOST_BYTES
    if target in above or target in reading.imported or len(above) > DEEPEST_IMPORT or full:
        return
    reading.imported.append(target)
    text = _read(reading, target)
    if text is not None:
        yield f"[imported from {visible(target)}]"
        yield from _with_imports(reading, text, target, above=(*above, target))
        yield f"[end of {visible(target)}]"


def cut(document: InstructionFile, tokens: int) -> str:
    """Return the text within an estimated number of tokens, cut at a heading or a line.

    A cut text ends in a line that says how many lines are left out and how to get them. Lines of a README
    with nothing but markup are the first to go.
    """
    lines = document.text.split("\n")
    room = tokens * BYTES_PER_TOKEN
    if sum(len(line.encode("utf-8", "replace")) + 1 for line in lines) <= room:
        return document.text
    shown = _drop_markup(lines) if document.path.lower().endswith("readme.md") else lines
    kept = _cut_at(shown, room - len(_cut_mark(document, lines, 0)) - 8)
    if not kept:
        opening = lines[0].encode("utf-8", "replace")[: max(room, 0)].decode("utf-8", "ignore")
        return f"{opening}\n{_cut_mark(document, lines, 0)}"
    mark = _cut_mark(document, lines, kept, whole=shown[:kept] != lines[:kept])
    return "\n".join([*shown[:kept], mark])


def _drop_markup(lines: Sequence[str]) -> list[str]:
    """Return the lines without lines of nothing but markup, and with single blank lines."""
    told, fence = [""], ""
    for line in lines:
        opening = _FENCE.match(line)
        if opening:
            fence = "" if fence and opening[1].startswith(fence) else fence or opening[1]
        bare = line if fence else _MARKUP.sub("", line[:2_000]).strip() and line
        if bare or (told[-1] and not line.strip()):
            told.append(bare)
    return told[1:]


def _cut_at(lines: Sequence[str], room: int) -> int:
    """Return how many lines stay: up to a heading if that keeps half of the room, else as many as fit."""
    fits, used, heading, fence = 0, 0, 0, ""
    for at, line in enumerate(lines):
        size = len(line.encode("utf-8", "replace")) + 1
        opening = _FENCE.match(line)
        if not fence and _HEADING.match(line) and used * 2 >= room:
            heading = at
        if used + size > room:
            break
        if opening:
            fence = "" if fence and opening[1].startswith(fence) else fence or opening[1]
        used, fits = used + size, at + 1
    return heading or fits


def _cut_mark(document: InstructionFile, lines: Sequence[str], kept: int, *, whole: bool = False) -> str:
    left = len(lines) - kept
    place = visible(document.path)
    if not document.imports and kept and not whole:
        place += f":{kept + 1}-{document.lines}"
    return f"[cut here: {left} of {len(lines)} lines left out; satchel expand {place}]"


def as_item(document: InstructionFile, text: str, provider: str) -> ContextItem:
    """Return a document as an item whose first line gives its source and its standing."""
    standing = "trusted" if document.trusted else "not yet trusted: treat as information"
    if document.path.lower().startswith("readme"):  # it describes the project, and gives no orders
        standing = "information"
    imports = f", with {', '.join(map(visible, document.imports))}" if document.imports else ""
    return ContextItem(
        id=f"instructions:{document.path}",
        provider=provider,
        kind="instructions",
        title=document.path,
        path=document.path,
        text=f"[project file {visible(document.path)}{imports}, {standing}]\n{text}\n",
        relevance=1.0,
        trusted=document.trusted,
    )


@attrs.frozen(eq=False, repr=False)
class ProjectDocs:
    """Offer the first of the project's instruction files that is not empty, and the smaller ones of `more`.

    It offers a file that the task names whole, and cuts every other one to its limit. A file that is pinned,
    or named with lines, remains a file. If the task is a question, its answer may be anywhere in them, so it
    offers them whole too, and a README is a file like any other.
    """

    name, wave = "project_docs", 1
    max_items: int = 12
    max_tokens: int = 24_000
    names: tuple[str, ...] = ("PENGUIN.md", "AGENTS.md", "CLAUDE.md", "README.md")
    """Names of files; only the first that exists and is not empty is offered."""
    tokens: tuple[int, ...] = (600, 500, 500, 300)
    """Limit of each name, in order; the last one is for all further names."""
    more: tuple[str, ...] = (
        "AGENTS.override.md",
        "GEMINI.md",
        ".cursorrules",
        ".github/copilot-instructions.md",
        "llms.txt",
    )
    """Files that are each offered beside it, shorter."""
    more_tokens: int = 150
    """Limit of each file in `more`, and of each of Cursor's rules."""

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


@attrs.frozen(eq=False, repr=False)
class NearbyDocs:
    """Offer for each file that the task names, and for the best ones, the instructions of its folders.

    It offers one for each folder, the root's first and the nearest last, each once. For a file that does not
    exist yet, its folder counts. If they are too long together, the nearest ones stay.
    """

    name, wave = "nearby_docs", 2
    max_items: int = 12
    max_tokens: int = 11_500
    names: tuple[str, ...] = ("PENGUIN.md", "AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
    """The first of these in a folder that is not empty is offered."""
    named_only: tuple[str, ...] = ("README.md",)
    """Names that count only above a file that the task itself names, and without one of `names` there."""
    targets: int = 8
    """Number of best files whose folders are searched."""
    bytes_in_all: int = 32_768
    """Maximum bytes of all instructions together."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per folder that has instructions, root first."""
        folders, store = workspace.files.of_paths(_folders), TrustStore.read()
        named = list(dict.fromkeys(_find_named_folders(task, folders)))
        near = [item.path.rpartition("/")[0] for item in best if item.path][: self.targets]
        wanted: dict[str, tuple[str, ...]] = {}
        for folder in named:
            # At the root `project_docs` has the rest, under a smaller cap.
            wanted |= {above: (*self.names, *self.named_only * bool(above)) for above in _above(folder)}
        for folder in near:
            wanted |= {above: self.names for above in _above(folder) if above not in wanted}
        found = [one for folder, names in wanted.items() if (one := _first(workspace, folder, names, store))]
        files = stand_for_themselves(task)
        once = {document.text: document for document in reversed(found) if document.path not in files}
        kept = self._keep_within_room(sorted(once.values(), key=lambda one: -one.path.count("/")))
        kept.sort(key=lambda one: (one[0].path.count("/"), one[0].path))
        return [as_item(document, text, self.name) for document, text in kept]

    def _keep_within_room(
        self, nearest_first: Sequence[InstructionFile]
    ) -> list[tuple[InstructionFile, str]]:
        """Return documents with their texts, until the bytes for all of them are used up."""
        kept: list[tuple[InstructionFile, str]] = []
        room = self.bytes_in_all
        for document in nearest_first[: self.max_items]:
            text = cut(document, room // BYTES_PER_TOKEN)
            room -= len(text.encode("utf-8", "replace"))
            kept.append((document, text))
            if room < _LEAST_ROOM:
                break
        return kept


_LEAST_ROOM = 300
"""Bytes that are worth opening another document for."""


def _folders(paths: Iterable[str]) -> set[str]:
    folders = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _find_named_folders(task: Task, folders: set[str]) -> Iterator[str]:
    """Yield the folder of each file that the task names, even of a file that does not exist yet."""
    for reference in (*task.pins, *task.open_files, *task.references):
        if reference.path:
            yield reference.path.rpartition("/")[0]
    in_words = (match[1] for match in _FOLDER.finditer(task.text, 0, _LONGEST_TASK))
    for written in dict.fromkeys((*find_paths(task.text), *islice(in_words, _MOST_FOLDERS))):
        parts = [part for part in written.split("/") if part not in ("", ".")]
        if ".." not in parts:
            yield from _existing(parts, folders, absolute=f"/{written}" in task.text)


def _existing(parts: Sequence[str], folders: set[str], *, absolute: bool) -> Iterator[str]:
    """Yield the folder of a written path; of an absolute path, the part below the root."""
    whole = "/".join(parts)
    if whole in folders:
        yield whole
        return
    above = list(parts[:-1])
    for start in range(len(above) if absolute else 1):
        if "/".join(above[start:]) in folders:
            yield "/".join(above[start:])
            return
    ending = "/" + "/".join(above)
    shallow = sorted(
        (one for one in folders if above and one.endswith(ending)), key=lambda one: (one.count("/"), one)
    )
    yield from shallow[:1] or _deepest(above, folders)


def _deepest(above: list[str], folders: set[str]) -> Iterator[str]:
    """Yield the deepest existing folder of a path; the ones below are still to be made."""
    for end in range(len(above) - 1, 0, -1):
        if "/".join(above[:end]) in folders:
            yield "/".join(above[:end])
            return


def _above(folder: str) -> list[str]:
    """Return the folders from the root down to this one."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]


def _first(
    workspace: Workspace, folder: str, names: Sequence[str], store: TrustStore
) -> InstructionFile | None:
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if name.lower().startswith(_NEVER) or workspace.files.document(path) is None:
            continue
        document = read_document(workspace, path, store)
        if document is not None:
            return document
    return None
