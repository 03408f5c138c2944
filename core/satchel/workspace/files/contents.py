"""Read a file of the workspace safely, and decode its bytes to text."""

from __future__ import annotations

import codecs
import errno
import json
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import WorkspaceError
from satchel.open_flags import BINARY, CLOSE_ON_EXEC, DIRECTORY, NO_FOLLOW, NON_BLOCKING
from satchel.paths import path_address, safe_text
from satchel.patterns import lazily
from satchel.workspace.files.kinds import (
    HUGE_BYTES,
    Kind,
    classify,
    guess,
    guess_utf16,
    is_binary,
    utf32_of,
)

if TYPE_CHECKING:
    from satchel.workspace import Workspace

LARGEST_NOTEBOOK = 64 * 1024 * 1024
"""Bytes; a larger notebook is listed but not read."""
_MOST_LINES = 30
_MOST_LETTERS = 2_000
_CELL_LINE = lazily(r"^#(?= %% \[\d)", re.MULTILINE)
_COLOURS = lazily(r"\x1b\[[\d;]{0,40}m")
_WORD = lazily(r"[\w./+-]{1,60}")


def read_link(root: Path, path: str) -> str:
    """Return the target of a symbolic link with `/` between folders, "" if it is not one."""
    try:
        return os.readlink(root / path).replace(os.sep, "/")
    except OSError:  # it is gone or another kind of file since it was listed
        return ""


def is_notebook(path: str) -> bool:
    """Return whether a file should be a notebook, by its path."""
    return path.lower().endswith(".ipynb")


def notebook_text(text: str) -> str | None:
    """Return the cells of a notebook as text, None if the text is not a notebook."""
    try:
        notebook: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = _cells(notebook)
    if cells is None:
        return None
    lines = [line for number, cell in enumerate(cells, start=1) for line in _render_cell(cell, number)]
    return "\n".join([*lines, ""])


def _cells(notebook: object) -> list[Mapping[str, object]] | None:
    """Return the cells: version 4 has them at the top, version 3 in worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    places = [notebook, *(sheets if isinstance(sheets, list) else [])]
    lists = [
        place["cells"] for place in places if isinstance(place, dict) and isinstance(place.get("cells"), list)
    ]
    return [cell for cells in lists for cell in cells if isinstance(cell, dict)] if lists else None


def _render_cell(cell: Mapping[str, object], number: int) -> Iterator[str]:
    yield f"# %% [{number}] {_safe_word(cell.get('cell_type'))}"
    yield from _lines(_join_field(cell.get("source", cell.get("input"))))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            yield from _output(output, f"# %% [{number}] output")


def _output(output: Mapping[str, object], title: str) -> Iterator[str]:
    data = output.get("data")
    media = data if isinstance(data, dict) else {}
    text = _join_field(output.get("text") or media.get("text/plain") or output.get("traceback"))
    if text.strip():
        yield from _shorten_output(_COLOURS.sub("", text), title)
    for kind, body in media.items():
        if kind != "text/plain" and not (kind == "text/html" and text.strip()):
            yield f"{title} {_safe_word(kind)}, {_size(kind, _join_field(body)):,} bytes, not shown"


def _shorten_output(text: str, title: str) -> Iterator[str]:
    lines = _lines(text[:_MOST_LETTERS])[:_MOST_LINES]
    left = len(text) - sum(len(line) + 1 for line in lines)
    yield title
    yield from lines
    if left > 1:
        yield f"{title} goes on, {left:,} characters not shown"


def _lines(text: str) -> list[str]:
    return _CELL_LINE.sub(r"\\u{23}", text).rstrip("\n").split("\n") if text else []


def _join_field(value: object) -> str:
    """Return a field that the format writes as a string or as a list of lines."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return _join_field("".join(_strings(value))) if isinstance(value, list) else ""


def _strings(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _size(kind: str, body: str) -> int:
    """Return the size of a media body in bytes; base64 writes three bytes as four letters."""
    return len(body) * 3 // 4 if kind.startswith("image/") and not kind.endswith("svg+xml") else len(body)


def _safe_word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "cell"


_LEAST_READ = 65_536
READ_LIMIT = 8 * HUGE_BYTES
# Windows has none of these flags; there only the real path is checked.
_NO_LINK = NO_FOLLOW | CLOSE_ON_EXEC
_FILE_FLAGS = os.O_RDONLY | _NO_LINK | NON_BLOCKING | BINARY
_FOLDER_FLAGS = os.O_RDONLY | _NO_LINK | DIRECTORY
_MULTIBYTE = lazily(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_NO_CONTROL_80 = bytes(set(range(256)) - set(range(0x80, 0xA0)))
_DECLARED = lazily(
    rb"\A(?:[^\n]{0,400}\n)?[ \t\f]*(?:#|//|/\*)[^\n]{0,200}?coding[:=][ \t]*"
    rb"((?:cp|windows-|iso-?8859-|koi8-|gb|big5|euc[-_]|shift[-_]|mac-)[-\w]{0,20})",
    re.IGNORECASE,
)


class Decoded(NamedTuple):
    """A file's bytes as text; if they are not text, `encoding` is "binary" and `text` is empty."""

    text: str
    encoding: str


def read_bytes(root: Path, path: str, limit: int = READ_LIMIT) -> bytes:
    """Return the content of the regular file at the workspace path `path`.

    A link at the end of the path is refused, and a linked folder on the way if it leads out of the root.
    Nothing blocks: FIFOs, devices and sockets are refused. Raises WorkspaceError, also if the file has more
    than `limit` bytes.
    """
    try:
        descriptor, is_linkless = _open_file(root, path)
    except OSError as error:
        reason = "is a link" if error.errno in (errno.ELOOP, errno.EMLINK) else describe_refusal(error)
        raise WorkspaceError(safe_text(path), reason) from error
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise WorkspaceError(safe_text(path), "is not a regular file")
        if facts.st_size > limit:
            raise WorkspaceError(safe_text(path), f"has more than {limit:,} bytes")
        if not is_linkless and not _is_inside(root, path, descriptor):
            raise WorkspaceError(safe_text(path), f"leads out of {root} through a link")
        return _read(path, descriptor, facts.st_size, limit=limit)
    except OSError as error:
        raise WorkspaceError(safe_text(path), describe_refusal(error)) from error
    finally:
        os.close(descriptor)


def decode(data: bytes, *, is_text: bool = False) -> Decoded:
    """Return the text of a file: UTF-8, UTF-16, UTF-32, a declared or guessed encoding, else a Western one.

    A byte order mark is dropped. A UTF-8 text with a few broken bytes stays UTF-8, with marks in their place.
    `is_text` says that `is_binary` has already returned False.
    """
    wide, body = utf32_of(data)
    text = _try(body, wide) if wide else None
    if text is not None:
        return Decoded(text, wide)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decode_utf16(data[2:], "utf-16-le" if data[0] == 0xFF else "utf-16-be")
    if b"\0" in data:
        guessed = guess_utf16(data)
        return _decode_utf16(data, guessed) if guessed else Decoded("", "binary")
    if not is_text and is_binary(data):
        return Decoded("", "binary")
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return Decoded(body.decode(), "utf-8" if len(body) == len(data) else "utf-8-sig")
    except UnicodeDecodeError:
        return _decode_other(body)


def text_of(path: str, data: bytes, *, is_text: bool = False) -> str:
    """Return the text of a file: the cells of a notebook, else what `decode` returns.

    Lines end with line feeds, even if the file has only carriage returns. `is_text` is as for `decode`.
    """
    text = decode(data, is_text=is_text).text
    cells = notebook_text(text) if is_notebook(path) else None
    if cells is not None:
        return cells
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def kind_of(path: str, data: bytes) -> Kind:
    """Return the kind of a file; a notebook is judged by the text of its cells."""
    kind = classify(path, data)
    if kind not in (Kind.HUGE, Kind.MINIFIED, Kind.TEXT) or not is_notebook(path):
        return kind
    cells = notebook_text(decode(data).text)
    return kind if cells is None else classify(path.removesuffix(".ipynb"), cells.encode("utf-8", "replace"))


def size_limit_of(path: str) -> int:
    """Return the most bytes of a file that is read for the index; a larger file is only listed."""
    return LARGEST_NOTEBOOK if is_notebook(path) else READ_LIMIT


def open_folder(root: Path, path: str, *, step: int = 64) -> int:
    """Open the folder at the workspace path `path`, however deep, and return its descriptor.

    It goes `step` folders at a time, so that a path longer than the system's limit can be opened. The last
    folder of a step must not be a link, so a step of 1 follows no link at all. Raises OSError.
    """
    parts = path.split("/") if path else []
    current = os.open(root, os.O_RDONLY | DIRECTORY)
    for start in range(0, len(parts), step):
        try:
            deeper = os.open("/".join(parts[start : start + step]), _FOLDER_FLAGS, dir_fd=current)
        finally:
            os.close(current)
        current = deeper
    return current


def _open_file(root: Path, path: str) -> tuple[int, bool]:
    """Return a descriptor, and whether the path cannot have led through a link."""
    if not path or path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise WorkspaceError(safe_text(path), f"is not a path below {root}")
    try:
        return os.open(f"{root!s}/{path}", _FILE_FLAGS), False
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
    folder, _, name = path.rpartition("/")
    parent = open_folder(root, folder, step=1)
    try:
        return os.open(name, _FILE_FLAGS, dir_fd=parent), True
    finally:
        os.close(parent)


def _is_inside(root: Path, path: str, descriptor: int) -> bool:
    try:
        real = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # not Linux: look up by name, and check that the name still means the opened file
        real = os.path.realpath(root / path)
        if not os.path.samestat(os.stat(real), os.fstat(descriptor)):
            return False
    return _starts_in(real, str(root)) or _starts_in(real, os.path.realpath(root))


def _starts_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder.rstrip('/')}/")


def _read(path: str, descriptor: int, expected: int, *, limit: int) -> bytes:
    """Read to the end, with one call if the file has the expected size, because it asks for one byte more."""
    chunks, size = [], 0
    while chunk := os.read(descriptor, max(expected - size, _LEAST_READ if size else 0) + 1):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise WorkspaceError(safe_text(path), f"has more than {limit:,} bytes")
        if size == expected and len(chunk) < expected + 1:
            break
    return b"".join(chunks)


def _decode_utf16(body: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(body.decode(encoding), encoding)
    except UnicodeDecodeError:
        return Decoded(body.decode(encoding, errors="replace"), encoding)


def _decode_other(body: bytes) -> Decoded:
    declared = _DECLARED.match(body[:2048])
    text = _try(body, declared[1].decode()) if declared else None
    if declared and text is not None:
        return Decoded(text, declared[1].decode().lower())
    guessed = guess(body)
    text = _try(body, guessed) if guessed else None
    if text is not None:
        return Decoded(text, guessed)
    patched = body.decode(errors="replace")
    if sum(1 for _ in _MULTIBYTE.finditer(body)) > patched.count("\ufffd"):
        return Decoded(patched, "utf-8")
    # 0x80 to 0x9f are control characters in Latin-1, quotes and dashes in Windows-1252.
    windows = _try(body, "cp1252") if body.translate(None, _NO_CONTROL_80) else None
    return Decoded(windows or body.decode("latin-1"), "cp1252" if windows else "latin-1")


def _try(body: bytes, encoding: str) -> str | None:
    """Decode, or return None if that fails or does not round-trip."""
    try:
        text = body.decode(encoding)
        return text if text.encode(encoding) == body else None
    except (LookupError, UnicodeError):
        return None


def describe_refusal(error: OSError) -> str:
    """Describe why the system refused to read something."""
    return f"can't be read: {(error.strerror or str(error)).lower()}"


def describe_special(workspace: Workspace, path: str) -> str:
    """Return the target of a link, or the kind of repository that a folder is; "" for any other path."""
    document = workspace.files.document(path)
    if document is None or document.kind not in ("link", "folder"):
        return ""
    if document.kind == "folder":
        entry = workspace.files.entry(path)
        is_submodule = entry is not None and entry.tracked
        return "submodule, a repository of its own" if is_submodule else "another repository"
    target = read_link(workspace.root, path)
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if not target or target.startswith("/") or meant.startswith("../") or meant == "..":
        return "symbolic link out of the workspace"
    return f"symbolic link to {path_address(meant)}"
