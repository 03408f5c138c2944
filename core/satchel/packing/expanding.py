"""Expand a pointer to its text, in full or at a level: files, parts, commits, and changes."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from satchel.errors import PointerError, UnknownNameError, UsageError, WorkspaceError
from satchel.escaping import escape_for_document
from satchel.items import ContextItem, Level
from satchel.packing.ladders import Appraisal, ItemFrame, ItemLadder, Step, build
from satchel.packing.rendering import Markdown, body_of, note
from satchel.packing.representing import split_all
from satchel.packing.resolving import find_definitions
from satchel.packing.weighing.worth import body_worths, chances, head_worths
from satchel.parts import NO_LINES, Part, SplitItem, lines_of
from satchel.paths import path_address, safe_text
from satchel.patterns import lazily
from satchel.pointers import Pointer, parse
from satchel.references.paths import KnownPaths
from satchel.runs import RunKeywords, RunLender, WorkspaceRun, run_of
from satchel.shared_archive import open_archive
from satchel.spelling import format_count, refuse_unknown
from satchel.workspace.files.contents import decode, describe_special, text_of
from satchel.workspace.files.kinds import PROSE, classify, is_binary, is_credentials, language_of
from satchel.workspace.index.store import find_blob, key_of_name, report_damage

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.host import Host
    from satchel.workspace.git.patches import FileDiff
    from satchel.workspace.git.repository import Commit, Git
    from satchel.workspace.index.documents import Document

_LEVELS = (Level.FULL, Level.SYMBOLS, Level.HEADERS, Level.POINTER)
"""From most to least detail, in the order that a budget tries them."""
_LISTED = 8
"""Definitions of one name that are listed."""
_SUGGESTED = 2
"""Most places of a name that are suggested."""
_PAGES = PROSE | {"html"}
"""Languages whose headings are suggested only if no code defines the name."""
_LISTED_OF_FOLDER = 200
"""Most lines of a folder's list."""
_BETWEEN = 2
"""Most lines between definitions of one name that are shown as one: overloads, a getter and its setter."""
_COMMIT = lazily(r"commit ([0-9a-f]{7,64})")
"""The name of a commit in a pack."""
_READABLE = ("text", "generated", "minified", "lockfile", "huge", "empty")


@report_damage()
def expand(
    pointer: str,
    root: str | Path | RunLender = ".",
    *,
    level: str | None = None,
    budget: int | None = None,
    raw: bool = False,
    store: str | Path | None = None,
    **opening: Unpack[RunKeywords],
) -> str:
    """Return the text of a pointer, with secrets redacted.

    Args:
        pointer: `satchel://file/src/app.py?lines=10-40&v=1a2b3c4d`, `src/app.py:10-40`, `blob:HASH:1-20`,
            `commit:ID`, `satchel://diff/src/app.py`, a pack's name for an item that is no file (`last
            commits of src/app.py`), or a definition: `Class.method`, `path::name`, `module:Class.method`.
        root: the workspace's folder, or a `Watch` of it.
        level: pointer, headers, symbols, excerpt, full or diff; full by default.
        budget: most tokens of the answer; the most detailed level that fits is returned. For a text without
            definitions that is its beginning, with a last line that names the lines shown.
        raw: the source: hidden characters unchanged, and no line feed added at the end.
        store: the folder of the archive that `blob:` pointers are of; the user's by default.
        opening: `config`, by default read as `pack` does, and `host`, all installed plugins by default.

    Raises:
        PointerError: its target does not exist, has changed, or can't be shown.
        UnknownNameError: unknown level.
        UsageError: a budget below 1.
    """
    refuse_unknown("expand", opening, RunKeywords)
    if budget is not None and budget < 1:
        raise UsageError(f"budget must be a whole number of tokens from 1 up, not {budget}")
    asked = parse(pointer)
    archived = _read_archive(pointer, store) if asked.blob and budget is None else None
    if archived is not None:
        return archived
    with run_of(root, wanted=[asked.path], **opening) as run:
        if asked.blob and (archived := _read_archive(pointer, store)) is not None:
            return _cut_to(run, archived, budget)
        return _expand(run, pointer, level=level, budget=budget, raw=raw)


def count_levels(
    pointers: Sequence[str],
    root: str | Path = ".",
    *,
    config: Config | None = None,
    host: Host | None = None,
) -> dict[str, dict[str, int]]:
    """Return the tokens of each pointer's text by level, from least to most; the whole file is `full`.

    A pointer whose file is gone, has changed or can't be shown is not in the answer.

    Args:
        pointers: addresses of files.
        root: the workspace's folder.
        config: the configuration; by default read as `pack` does.
        host: the plugins; all installed ones by default.
    """
    with run_of(root, config=config, host=host) as run:
        items: dict[str, ContextItem] = {}
        for written in pointers:
            with contextlib.suppress(PointerError):
                item = find_item(run, parse(written), written)
                items |= {} if item.note else {written: item}
        splits = split_all(run, list(items.values()))
        found: dict[str, dict[str, int]] = {}
        for written, item in items.items():
            texts = {
                str(level): at_level(run, item, splits[item.id], level=level)
                for level in (Level.HEADERS, Level.SYMBOLS)
            }
            texts[str(Level.FULL)] = run.workspace.texts.read(item.path)
            counted = map(run.to_model_tokens, run.counter.count(list(texts.values())))
            found[written] = dict(zip(texts, counted, strict=True))
        return found


def _read_archive(written: str, store: str | Path | None) -> str | None:
    """Return the text of a blob from an archive, None if it is not there.

    Raises:
        PointerError: it is of the archive alone, and not there.
    """
    pointer, archive = parse(written), open_archive(store)
    if not archive.has(pointer.blob) and not written.startswith("blob:"):
        return None
    return archive.read(pointer)


def _expand(run: WorkspaceRun, written: str, *, level: str | None, budget: int | None, raw: bool) -> str:
    pointer = parse(written)
    if pointer.blob:
        return _read_blob(run, pointer.blob, written, budget=budget)
    if pointer.commit:
        with_diffs = level is not None and _level(level) is Level.DIFF
        return _cut_to(run, read_commit(run, pointer.commit, written, with_diffs=with_diffs), budget)
    if pointer.since:
        return _cut_to(run, show_change(run, pointer, written), budget)
    if (named := _read_named(run, pointer, written)) is not None:
        return _cut_to(run, named, budget)
    if (past := _read_gone(run, pointer, written, level=level)) is not None:
        return _cut_to(run, past, budget)
    pointer = _locate(run, pointer, written)
    known = run.workspace.files.document(pointer.path.rstrip("/"))
    if known is None and (listed := list_folder(run, pointer.path)):
        return _cut_to(run, listed, budget)
    item = find_item(run, pointer, written)
    if item.note:
        return Markdown().pointer(item, item.note)
    asked = _level(level) if level else None
    if raw and budget is None and asked in (None, Level.FULL):
        return _raw(run, item, pointer, written=written)
    whole = "".join(
        f"{line}\n" for line in _lines(run.workspace.texts.read(item.path), pointer, written=written)
    )
    if budget is None and asked in (None, Level.FULL):
        return whole
    if asked is Level.DIFF:
        return difference(run, item)
    levels = (asked,) if asked else _LEVELS
    return _at_some_level(run, item, pointer, whole=whole, levels=levels, budget=budget)


def _read_named(run: WorkspaceRun, pointer: Pointer, written: str) -> str | None:
    """Return the text of an item that a pack named in words, such as `last commits of a.py`, else None.

    A commit is read anew; any other item is as in the last pack with it.
    """
    name = written.strip()
    if not any(map(str.isspace, name)) or run.workspace.files.document(pointer.path) is not None:
        return None
    if commit := _COMMIT.fullmatch(name):
        return read_commit(run, commit[1], written, with_diffs=False)
    store = run.workspace.index.store
    hash_ = find_blob(store, key_of_name(name))
    return find_blob(store, hash_) if hash_ is not None else None


def _read_gone(run: WorkspaceRun, pointer: Pointer, written: str, *, level: str | None) -> str | None:
    """Return the text or the diff of a file that no longer exists, None if the path exists.

    Raises:
        PointerError: it can't be shown, or has changed.
    """
    path = pointer.path.rstrip("/")
    if ("/" not in path and "." not in path) or run.workspace.files.document(path) is not None:
        return None
    if level is not None and _level(level) is Level.DIFF:
        return show_change(run, Pointer(path, since="HEAD"), written) or None
    text = read_gone(run, path)
    if text is None or pointer.version:
        return None
    return "".join(f"{line}\n" for line in _lines(text, pointer, written=written))


def _locate(run: WorkspaceRun, pointer: Pointer, written: str) -> Pointer:
    """Return a pointer, or the lines of a definition if it names one instead of a file.

    Raises:
        PointerError: several definitions have that name.
    """
    path = pointer.path.rstrip("/")
    if run.workspace.files.document(path) is not None or path in {
        one.path for one in run.workspace.files.vendored
    }:
        return pointer
    try:
        found = find_definitions(run, pointer.path)
    except PointerError as error:
        if written.startswith("commit:"):
            told = "neither a commit nor a definition; a commit is named by 7 or more digits of its id"
            raise PointerError(written, told) from error
        if ":" in pointer.path:
            raise
        return _as_file(run, pointer)
    first, last = min(one.lines[0] for one in found), max(one.lines[1] for one in found)
    own = {at for one in found for at in range(one.lines[0], one.lines[1] + 1)}
    if len({one.path for one in found}) > 1 or last - first >= len(own) + _BETWEEN * (len(found) - 1):
        places = [Pointer(one.path, one.lines).short() for one in found]
        more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
        raise PointerError(written, f"several are called that: {', '.join(places[:_LISTED])}{more}")
    return Pointer(found[0].path, (first, last))


def _as_file(run: WorkspaceRun, pointer: Pointer) -> Pointer:
    """Return a pointer to the only file whose path ends in the pointer's, if there is exactly one."""
    found = KnownPaths(run.workspace.index.documents).find(pointer.path)
    return pointer._replace(path=found[0]) if len(found) == 1 else pointer


def _at_some_level(
    run: WorkspaceRun,
    item: ContextItem,
    pointer: Pointer,
    *,
    whole: str,
    levels: Sequence[Level],
    budget: int | None,
) -> str:
    """Return the text at the first level that fits, or the beginning of a text without definitions.

    Raises:
        PointerError: not even its address fits, or the only level asked for doesn't.
    """
    split = split_all(run, [item])[item.id]
    texts: list[str] = []
    for level in levels:
        if level is Level.EXCERPT:
            return excerpt(run, item, split, budget=budget)
        if level is Level.POINTER and budget is not None and texts and not any(texts[1:]):
            begun = _begin(run, whole, pointer._replace(path=item.path), budget)
            if begun:
                return begun
        text = whole if level is Level.FULL else at_level(run, item, split, level=level, lines=pointer.lines)
        is_shown = bool(text) or len(levels) == 1 or not whole
        if is_shown and (budget is None or run.counter.count([text])[0] <= budget):
            return text
        texts.append(text)
    room = format_count(budget or 0, "token")
    if len(levels) == 1:
        raise PointerError(pointer.short(), f"costs more than {room} at level {levels[0]}")
    raise PointerError(pointer.short(), f"not even its address fits in {room}")


def _begin(run: WorkspaceRun, text: str, pointer: Pointer, budget: int) -> str:
    """Return the first lines that fit, and a line that names them; "" if nothing fits.

    If the first line is too long, as much of it as fits.
    """
    lines = text.split("\n")[:-1]
    before = max(1, pointer.lines[0]) - 1

    def begin(count: int) -> str:
        rest = pointer._replace(lines=(before + count + 1, before + len(lines)), version="").short()
        said = f"line {before + 1}" if count == 1 else f"lines {before + 1}-{before + count}"
        shown = "".join(f"{line}\n" for line in lines[:count])
        of_all = f" of {len(lines):,}" if pointer.lines == NO_LINES else ""
        return f"{shown}[{said}{of_all}; expand {rest} shows the rest]\n"

    def begin_line(count: int) -> str:
        place = pointer._replace(lines=(before + 1, before + 1), version="").short()
        said = f"the first {count:,} of {len(lines[0]):,} characters of line {before + 1}"
        return f"{lines[0][:count]}\n[{said}; expand {place} shows all of it]\n"

    return _find_most(run, begin, len(lines) - 1, budget) or _find_most(
        run, begin_line, len(lines[0]) - 1, budget
    )


def _find_most(run: WorkspaceRun, begin: Callable[[int], str], most: int, budget: int) -> str:
    """Return the text of the largest number, from 1 to `most`, that fits in a budget, "" if none fits."""
    least, found = 1, ""
    while least <= most:
        middle = (least + most) // 2
        text = begin(middle)
        if run.counter.fresh([text])[0] <= budget:
            least, found = middle + 1, text
        else:
            most = middle - 1
    return found


def _raw(run: WorkspaceRun, item: ContextItem, pointer: Pointer, *, written: str) -> str:
    """Return the source: hidden characters unchanged, no line end if the file has none."""
    text = run.workspace.texts.source(item.path)
    lines = _lines(text, pointer, written=written)
    is_open = not text.endswith("\n") and (pointer.lines == NO_LINES or pointer.lines[1] > text.count("\n"))
    return "\n".join(lines) + ("" if is_open else "\n")


def _read_blob(run: WorkspaceRun, hash_: str, written: str, *, budget: int | None) -> str:
    """Return a text that a pack kept, cut after a line if it costs more than `budget` tokens."""
    text = find_blob(run.workspace.index.store, hash_)
    if text is None:
        raise PointerError(written, "is not kept any more; pack again")
    return _cut_to(run, text, budget)


def _cut_to(run: WorkspaceRun, text: str, budget: int | None) -> str:
    """Return the first lines of a text that fit in `budget` tokens."""
    lines = lines_of(text)
    while budget is not None and lines and run.counter.fresh(["\n".join(lines) + "\n"])[0] > budget:
        lines = lines[: len(lines) * 9 // 10]
    return "".join(f"{line}\n" for line in lines)


def excerpt(run: WorkspaceRun, item: ContextItem, split: SplitItem, *, budget: int | None) -> str:
    """Return heads, and as many bodies as fit in `budget` tokens, by default half of the whole text."""
    equal = chances(split.parts, [1.0] * len(split.parts))
    total = sum(equal) or 1.0
    shares = [chance / total for chance in equal]
    appraisal = Appraisal(body_worths(split.parts, shares, shares), head_worths(split.parts, shares), 0.0)
    ending = run.counter.count([Markdown().end(item, split)])[0]
    ladder = build(item, split, appraisal, frame=ItemFrame(0, 0, end_mark=ending))
    room = ladder.options[-1].tokens // 2 if budget is None else budget
    fitting = [at for at, option in enumerate(ladder.options) if option.tokens <= room]
    return body_of(ladder, fitting[-1], text=run.workspace.texts.read(item.path), form=Markdown())


def _explain_missing(run: WorkspaceRun, path: str) -> str:
    """Return why a path has no document: it is not there, is ignored, or can't be read."""
    place = run.workspace.root / path
    if path and ".." not in path.split("/") and not path.startswith("/") and os.path.isfile(place):
        if not os.access(place, os.R_OK):
            return f"can't be read: {os.strerror(errno.EACCES)}"
        return "is ignored, by git or by .satchelignore, so satchel does not read it"
    near = _suggest(run, path)
    return "no such file or definition in the workspace" + (f"; did you mean {near}?" if near else "")


def find_item(run: WorkspaceRun, pointer: Pointer, written: str) -> ContextItem:
    """Return the file of a pointer as an item; if it has no text, its note says so."""
    path = pointer.path.rstrip("/")
    if path in {vendored.path for vendored in run.workspace.files.vendored}:
        return ContextItem(f"vendored:{path}", "files", "folder", title=f"{path}/", note="vendored folder")
    document = run.workspace.files.document(path)
    if document is None:
        raise PointerError(written, _explain_missing(run, path))
    if document.kind == "credentials":
        raise PointerError(written, "holds credentials, which are never shown")
    if pointer.version and not document.content.startswith(pointer.version):
        raise PointerError(written, f"changed since: it is v={document.content[:8]} now")
    special = describe_special(run.workspace, path) or f"{document.kind}, {document.size} bytes"
    note = "" if document.kind in _READABLE else special
    return ContextItem(
        f"file:{path}", "files", "file", title=path, path=path, content=document.content, note=note
    )


def _suggest(run: WorkspaceRun, path: str) -> str:
    """Return suggestions for a missing name: the class or the method of `Class.method`, a similar path."""
    pieces = path.split(".")
    owner = ".".join(pieces[:-1])
    if owner and not language_of(path) and all(map(str.isidentifier, pieces)):
        for name in (owner, pieces[-1]):
            with contextlib.suppress(PointerError):
                found = find_definitions(run, name)
                code = [one for one in found if language_of(one.path) not in _PAGES] or found
                places = [Pointer(one.path, one.lines).short() for one in code[:_SUGGESTED]]
                return f"{name} in {' or '.join(places)}"
    return KnownPaths(run.workspace.index.documents).nearest(path)


def list_folder(run: WorkspaceRun, path: str) -> str:
    """Return the content of a folder, one line for each file and folder, "" if there is no such folder.

    The first line says how to expand an entry.
    """
    folder = "" if path in (".", "./", "/") else f"{path.strip('/').removeprefix('./')}/"
    inside = {one: doc for one, doc in run.workspace.index.documents.items() if one.startswith(folder)}
    if not inside:
        return ""
    files = {one: doc for one, doc in inside.items() if "/" not in one[len(folder) :]}
    folders = Counter(one[len(folder) :].split("/")[0] for one in inside if one not in files)
    example = Pointer(min(files, default=f"{folder}{min(folders, default='')}")).short()
    held = f"{path_address(folder or '.')} has {format_count(len(inside), 'file')}"
    lines = [f"{held}; one of them: satchel expand {example}"]
    lines += [
        f"{Pointer(f'{folder}{name}').short()}/ {format_count(count, 'file')}"
        for name, count in sorted(folders.items())
    ]
    lines += [f"{Pointer(one).short()} {_describe_size(doc)}" for one, doc in sorted(files.items())]
    left = len(lines) - _LISTED_OF_FOLDER
    if left > 0:
        lines = [*lines[:_LISTED_OF_FOLDER], f"and {left} more"]
    return "".join(f"{line}\n" for line in lines)


def _describe_size(document: Document) -> str:
    kind = "" if document.kind == "text" else f"{document.kind}, "
    return f"{kind}{format_count(document.size, 'byte')}"


def _lines(text: str, pointer: Pointer, *, written: str) -> Sequence[str]:
    lines = lines_of(text)
    if pointer.lines == NO_LINES:
        return lines
    first, last = pointer.lines
    if first > len(lines):
        raise PointerError(written, f"the file has {format_count(len(lines), 'line')}")
    return lines[first - 1 : last]


def _level(name: str) -> Level:
    known = [str(level) for level in Level]
    if name not in known:
        raise UnknownNameError("level", name, known)
    return Level(name)


def at_level(
    run: WorkspaceRun, item: ContextItem, split: SplitItem, *, level: Level, lines: tuple[int, int] = NO_LINES
) -> str:
    """Return an item's text at a level; parts outside `lines` are left out."""
    if level is Level.POINTER:
        return Markdown().pointer(item, note(split))
    if level is Level.HEADERS:  # a mark line may cost more than the short definition that it replaces
        return min((_show_steps(run, item, split, one, lines) for one in (level, Level.SYMBOLS)), key=len)
    return _show_steps(run, item, split, level, lines)


def _show_steps(
    run: WorkspaceRun, item: ContextItem, split: SplitItem, level: Level, lines: tuple[int, int]
) -> str:
    within = [
        at
        for at, part in enumerate(split.parts)
        if lines == NO_LINES or (part.lines[0] <= lines[1] and lines[0] <= part.lines[1])
    ]
    steps = tuple(step for at in within for step in _steps(split.parts, at, level))
    ladder = ItemLadder(item, split, steps, ())
    return body_of(ladder, len(steps), text=run.workspace.texts.read(item.path), form=Markdown())


def _steps(parts: Sequence[Part], at: int, level: Level) -> list[Step]:
    part = parts[at]
    if level is Level.FULL:
        return [Step(at, body=True)]
    short = part.head == NO_LINES and bool(part.name) and part.kind != "block"
    if level is Level.HEADERS and "." in part.name:
        return []
    if short:
        return [Step(at, body=True)]
    return [Step(at, body=False)] if part.head != NO_LINES else []


def find_commit(run: WorkspaceRun, digits: str, written: str) -> Commit:
    """Return the commit whose id begins with these digits, in HEAD's history or else anywhere in git.

    Raises:
        PointerError: there is none, or several.
    """
    found = [one for one in run.workspace.history.commits() if one.sha.startswith(digits)]
    try:
        if not found and run.workspace.git is not None:
            found = run.workspace.git.log(1, head=run.workspace.git.resolve(digits))
    except WorkspaceError as error:
        raise PointerError(written, "no such commit in this repository") from error
    if len(found) != 1:
        raise PointerError(
            written, "several commits begin so" if found else "no such commit in this repository"
        )
    return found[0]


def read_commit(run: WorkspaceRun, digits: str, written: str, *, with_diffs: bool = False) -> str:
    """Return a commit's day, id, message, and its files or their diffs, with secrets redacted.

    Raises:
        PointerError: there is no such commit, or git fails.
    """
    found = find_commit(run, digits, written)
    day = time.strftime("%Y-%m-%d", time.gmtime(max(found.time, 0)))
    files = "".join(f"  {safe_text(path)}\n" for path in found.paths)
    parts = [f"{day} {found.sha} {found.subject}\n", f"{found.body}\n" if found.body else ""]
    if with_diffs:
        git = _need_git(run, written)
        parent = git.revisions.find_parent(found.sha)
        diffs = _read_diffs(git, parent, found.sha, written)
        parts.append("".join(_show_file(run, diff, parent, found.sha) for diff in diffs))
    else:
        parts.append(f"files:\n{files}" if files else "")
    return run.workspace.redactor.show("\n".join(filter(None, parts)))


def show_change(run: WorkspaceRun, pointer: Pointer, written: str) -> str:
    """Return the changes in a file, "" without any.

    Raises:
        PointerError: there is no such commit, or git fails.
    """
    git = _need_git(run, written)
    try:
        since = pointer.since if pointer.since == "HEAD" else git.resolve(pointer.since)
        until = git.resolve(pointer.until) if pointer.until else ""
    except WorkspaceError as error:
        raise PointerError(written, error.reason) from error
    if since == "HEAD" and not git.head():
        return ""
    diffs = _read_diffs(git, since, until, written)
    found = [diff for diff in diffs if pointer.path == diff.path]
    found = found or [diff for diff in diffs if pointer.path == diff.old_path]
    if not found and not until and pointer.path in run.workspace.files.untracked():
        return _show_untracked(run, pointer.path)
    return run.workspace.redactor.show(_show_file(run, found[0], since, until)) if found else ""


def _show_untracked(run: WorkspaceRun, path: str) -> str:
    """Return the diff of an untracked file, or the reason why it can't be shown."""
    document = run.workspace.files.document(path)
    kind = document.kind if document is not None else "empty"
    if kind in ("credentials", "binary", "empty"):
        return f"--- /dev/null\n+++ b/{safe_text(path)}\n{kind}, not shown\n"
    return difference(run, ContextItem(f"file:{path}", "files", "file", title=path, path=path))


def difference(run: WorkspaceRun, item: ContextItem) -> str:
    """Return the changes of a file since HEAD as a unified diff, "" if there are none."""
    import difflib

    before = run.workspace.git.show("HEAD", item.path) if run.workspace.git is not None else None
    old = (
        lines_of(escape_for_document(run.workspace.redactor.redact(text_of(item.path, before), item.path)))
        if before
        else []
    )
    new = lines_of(run.workspace.texts.read(item.path))
    path = safe_text(item.path)
    names = (f"HEAD/{path}" if before is not None else "/dev/null", path)
    return "".join(f"{line}\n" for line in difflib.unified_diff(old, new, *names, lineterm=""))


def read_gone(run: WorkspaceRun, path: str) -> str | None:
    """Return the last committed text of a file that no longer exists, None if it was never committed.

    Raises:
        PointerError: it can't be shown.
    """
    git = run.workspace.git
    if git is None or not git.head() or not git.choose_visible([path]):
        return None
    try:
        holder = git.revisions.find_last_holder(path)
        data = git.show(holder, path) if holder else None
    except WorkspaceError as error:
        raise PointerError(path, error.reason) from error
    if data is None:
        return None
    if is_credentials(path) or str(classify(path, data)) == "credentials":
        raise PointerError(path, "holds credentials, which are never shown")
    if is_binary(data):
        item = ContextItem(f"file:{path}", "git", "file", title=path)
        return Markdown().pointer(item, f"deleted, binary, {len(data)} bytes")
    return escape_for_document(run.workspace.redactor.redact(text_of(path, data), path))


def _need_git(run: WorkspaceRun, written: str) -> Git:
    if run.workspace.git is None:
        raise PointerError(written, "the workspace is not a git repository")
    return run.workspace.git


def _read_diffs(git: Git, since: str, until: str, written: str) -> list[FileDiff]:
    try:
        return git.diff(since, until=until)
    except WorkspaceError as error:
        raise PointerError(written, error.reason) from error


def _show_file(run: WorkspaceRun, diff: FileDiff, since: str, until: str) -> str:
    """Return a file's diff, or only its header with the reason if it can't be shown."""
    reason = _find_reason(run, diff)
    if reason or not diff.hunks:
        return diff.header() + (f"{reason}\n" if reason else "")
    text = decode(b"".join(hunk.text for hunk in diff.hunks)).text
    history = run.workspace.history
    return diff.header() + history.show_diff(
        text, diff.path, before=since, old_path=diff.old_path, after=until
    )


def _find_reason(run: WorkspaceRun, diff: FileDiff) -> str:
    sides = [
        b"\n".join(line[1:] for hunk in diff.hunks for line in hunk.text.split(b"\n") if line[:1] == mark)
        for mark in (b"-", b"+")
    ]
    paths = (diff.old_path or diff.path, diff.path)
    document = run.workspace.files.document(diff.path)
    kinds = {str(classify(path, side)) for path, side in zip(paths, sides, strict=True) if side}
    kinds |= {str(document.kind)} if document is not None else set()
    if any(map(is_credentials, paths)) or "credentials" in kinds:
        return "credentials, not shown"
    return "binary, not shown" if diff.binary or "binary" in kinds else ""
