"""Install satchel into an agent program's settings, and remove it again.

A record of each changed file is kept in the state folder: the inserted text and its places, and hashes of the
file before and after, never its text. With it, uninstalling restores the same bytes; if the file has changed
since, satchel's entries are cut out and everything else stays.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from satchel.agents import json_text, toml_text
from satchel.agents.clients import (
    PARTS,
    ClientEntry,
    ClientFile,
    ClientPlace,
    files_of,
    is_own_hook,
    is_own_value,
)
from satchel.agents.json_text import Insertion, JsonTextError
from satchel.agents.toml_text import TomlTextError
from satchel.errors import SatchelError
from satchel.private_files import (
    choose_mode,
    make_private_folder,
    read_record,
    replacing,
    state_folder,
    write_record,
)
from satchel.spelling import join_reason

_LARGEST_BYTES = 64 << 20
_SCRIPT_MARK = "# Written by `satchel install"


class InstallError(SatchelError):
    """A program's settings can't be read or changed; nothing was changed."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{join_reason(str(path), reason)}; nothing was changed")


class InstallStep(NamedTuple):
    """The change, planned or done, of one file."""

    path: Path
    before: str | None
    """Its text, None if there is no file."""
    after: str | None
    record: dict[str, Any]
    """Its new record, {} to remove the old one."""
    added: tuple[str, ...] = ()
    """The inserted entries, for a person."""
    kept: tuple[str, ...] = ()
    """The entries not inserted, because other values are there."""

    @property
    def is_change(self) -> bool:
        """Return whether the file changes."""
        return self.before != self.after


def plan_install(name: str, place: ClientPlace) -> list[InstallStep]:
    """Return the changes of installing; nothing is written.

    Raises:
        InstallError: a file can't be read or parsed, or a place in it is taken by something else.
    """
    known = [_read_record(file.path).get("parts", ()) for file in files_of(name, place._replace(parts=PARTS))]
    parts = tuple(part for part in PARTS if part in place.parts or any(part in some for some in known))
    return [_plan_file(file, parts) for file in files_of(name, place._replace(parts=parts))]


def plan_uninstall(name: str, place: ClientPlace) -> list[InstallStep]:
    """Return the changes of uninstalling; nothing is written.

    Raises:
        InstallError: a file can't be read or parsed.
    """
    found = []
    for file in files_of(name, place):
        text, record = _read(file.path), _read_record(file.path)
        if text is not None:
            left = _take_out(file, text, record)
            found.append(InstallStep(file.path, text, left, {}, _what(file) if left != text else ()))
        elif record:
            found.append(InstallStep(file.path, None, None, {}))
    return found


def fragment(file: ClientFile) -> str:
    """Return the entries of a file as a text of its own, to show or to paste."""
    if file.form == "text":
        return file.text
    text = "" if file.form == "toml" else "{}\n"
    for entry in file.entries:
        text = json_text.apply(text, _insertions(file, text, entry))
    return text


def carry_out(steps: Sequence[InstallStep]) -> None:
    """Write the planned changes; if one fails, restore the others and raise.

    Raises:
        InstallError: a file can't be written, or has changed since it was read.
    """
    done: list[InstallStep] = []
    try:
        for step in steps:
            if step.is_change:
                done.append(step)
                _write(step)
            _keep_record(step)
    except OSError as error:
        for step in reversed(done):
            with contextlib.suppress(OSError, InstallError):
                _write(step._replace(before=step.after, after=step.before))
            _record_path(step.path).unlink(missing_ok=True)
        path = Path(error.filename) if isinstance(error.filename, str) else done[-1].path
        raise InstallError(path, f"can't be written: {error.strerror or error}") from error


def _plan_file(file: ClientFile, parts: Sequence[str]) -> InstallStep:
    text, record = _read(file.path), _read_record(file.path)
    if file.form == "text":
        return _plan_script(file, text, record, parts)
    if text is not None and all(_stands(file, text, entry) for entry in file.entries):
        return InstallStep(file.path, text, text, record, kept=_others(file, text))
    begun = text if text is None or not record else _take_out(file, text, record)
    made = "" if begun is None else begun
    insertions: list[Insertion] = []
    containers: list[tuple[str, ...]] = []
    added, kept = [], []
    for entry in file.entries:
        there = _find(file, made, entry.path)
        if there is not None and not entry.append:
            if not entry.is_optional:
                where = ".".join(entry.path)
                raise InstallError(
                    file.path, f"{where} already exists, and satchel did not write it; remove it first"
                )
            kept.append(entry.what)
            continue
        containers += _missing(file, made, entry)
        for one in _insertions(file, made, entry):
            insertions.append(one)
            made = json_text.apply(made, [one])
        added.append(entry.what)
    told = {
        "insertions": [list(one) for one in insertions],
        "before": None if begun is None else _hash(begun),
        "containers": [list(path) for path in containers],
        "folders": [str(one) for one in _missing_folders(file.path)] or record.get("folders", []),
        "parts": list(parts),
    }
    return InstallStep(file.path, text, made, {"file": str(file.path), **told}, tuple(added), tuple(kept))


def _plan_script(
    file: ClientFile, text: str | None, record: dict[str, Any], parts: Sequence[str]
) -> InstallStep:
    if text is not None and _SCRIPT_MARK not in text:
        raise InstallError(file.path, "already exists, and satchel did not write it; remove it first")
    folders = [str(one) for one in _missing_folders(file.path)] or record.get("folders", [])
    told: dict[str, Any] = {"insertions": [], "before": None, "containers": [], "folders": folders}
    told |= {"file": str(file.path), "parts": list(parts)}
    return InstallStep(file.path, text, file.text, told, () if text == file.text else ("shell script",))


def _what(file: ClientFile) -> tuple[str, ...]:
    return tuple(entry.what for entry in file.entries) or ("shell script",)


def _others(file: ClientFile, text: str) -> tuple[str, ...]:
    return tuple(
        entry.what
        for entry in file.entries
        if entry.is_optional and _find(file, text, entry.path) != entry.value
    )


def _stands(file: ClientFile, text: str, entry: ClientEntry) -> bool:
    there = _find(file, text, entry.path)
    if entry.append:
        return isinstance(there, list) and entry.value in there
    return there is not None and (entry.is_optional or there == entry.value)


def _find(file: ClientFile, text: str, path: Sequence[str]) -> Any:
    """Return the value at a path of a file; raise InstallError if its text can't be parsed."""
    with _translate_errors(file):
        if file.form == "toml":
            return json_text.find(toml_text.parse(text), path)
        return (
            json_text.find(json_text.parse(text, comments=file.form == "jsonc"), path)
            if _holds(text)
            else None
        )


def _insertions(file: ClientFile, text: str, entry: ClientEntry) -> list[Insertion]:
    with _translate_errors(file):
        if file.form == "toml":
            return toml_text.insert(text, entry.path, entry.value)
        if not _holds(text):
            whole = json_text.insert("{}", entry.path, entry.value, append=entry.append)
            return [Insertion(len(text), json_text.apply("{}", whole) + "\n")]
        return json_text.insert(
            text, entry.path, entry.value, append=entry.append, comments=file.form == "jsonc"
        )


def _missing(file: ClientFile, text: str, entry: ClientEntry) -> list[tuple[str, ...]]:
    """Return the paths of the missing containers that an entry needs, outermost first."""
    paths = [entry.path[:length] for length in range(1, len(entry.path) + entry.append)]
    return [path for path in paths if _find(file, text, path) is None]


def _take_out(file: ClientFile, text: str, record: dict[str, Any]) -> str | None:
    """Return a file's text without satchel's entries, None for no file."""
    if file.form == "text":
        return None if _SCRIPT_MARK in text else text
    before = record.get("before")
    if record:
        exact = json_text.undo(text, [Insertion(at, piece) for at, piece in record["insertions"]])
        if exact is not None and ((before is None and not exact) or before == _hash(exact)):
            return None if before is None else exact
    if not _holds(text):
        return text
    left = text
    with _translate_errors(file):
        for entry in file.entries:
            left = _remove_entry(file, left, entry)
        made = record.get("containers") if record else _outer_paths(file.entries)
        for path in sorted(map(tuple, made or ()), key=len, reverse=True):
            if left != text and file.form != "toml" and _find(file, left, path) in ({}, []):
                left = json_text.remove(left, path, comments=file.form == "jsonc")
    is_bare = left.strip() in ("", "{}")
    return None if record and before is None and is_bare else left


def _remove_entry(file: ClientFile, text: str, entry: ClientEntry) -> str:
    if file.form == "toml":
        return toml_text.remove(text, entry.path)
    comments = file.form == "jsonc"
    if entry.append:
        return json_text.remove(text, entry.path, element=is_own_hook, comments=comments)
    there = _find(file, text, entry.path)
    is_others = entry.is_optional and not is_own_value(entry, there)
    return text if is_others else json_text.remove(text, entry.path, comments=comments)


def _outer_paths(entries: Sequence[ClientEntry]) -> list[tuple[str, ...]]:
    return [entry.path[:length] for entry in entries for length in range(1, len(entry.path) + entry.append)]


@contextlib.contextmanager
def _translate_errors(file: ClientFile) -> Iterator[None]:
    """Raise an InstallError with the file's name for an error in its text."""
    try:
        yield
    except (JsonTextError, TomlTextError) as error:
        form = "TOML" if file.form == "toml" else "JSON"
        raise InstallError(file.path, f"is not {form} that satchel can change: {error}") from error


def _holds(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _read(path: Path) -> str | None:
    """Return a file's text with its line ends, None if there is no file."""
    if path.is_symlink() and not path.exists():
        raise InstallError(path, "is a broken link")
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise InstallError(path, "is not a file")
        if facts.st_size > _LARGEST_BYTES:
            raise InstallError(path, f"is larger than {_LARGEST_BYTES:,} bytes")
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InstallError(path, f"can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InstallError(path, f"is not UTF-8: {error.reason} at byte {error.start}") from error


def _missing_folders(path: Path) -> list[Path]:
    """Return the folders above a file that do not exist, outermost first."""
    return [folder for folder in reversed(path.parents) if not folder.exists()]


def _write(step: InstallStep) -> None:
    """Replace a file atomically, through a link and with its mode; remove it if there is no text."""
    if _read(step.path) != step.before:
        raise InstallError(step.path, "was changed by another program just now; try again")
    target = Path(os.path.realpath(step.path))
    if step.after is None:
        step.path.unlink()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = choose_mode(target, executable=step.after.startswith("#!"))
    with replacing(target, mode=mode) as file:
        file.write(step.after.encode("utf-8"))


def _record_path(path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()[:32]
    return state_folder() / "installed" / f"{name}.json"


def _read_record(path: Path) -> dict[str, Any]:
    record = read_record(_record_path(path))
    is_whole = {"insertions", "before", "containers", "folders"} <= record.keys()
    return record if is_whole and record.get("file") == str(path) else {}


def _keep_record(step: InstallStep) -> None:
    """Write a file's record; when uninstalling, remove it and the empty folders that were made for it."""
    place = _record_path(step.path)
    if step.record:
        make_private_folder(place.parent)
        if not write_record(place, step.record):
            raise OSError(None, "the record of the installation can't be written", str(place))
        return
    folders = [Path(one) for one in _read_record(step.path).get("folders", ())]
    place.unlink(missing_ok=True)
    for folder in reversed(folders):
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            _hand_over(folder)
    with contextlib.suppress(OSError):
        place.parent.rmdir()


def _hand_over(folder: Path) -> None:
    """Record a folder that still holds other installed files, so that the last of them removes it."""
    for place in (state_folder() / "installed").glob("*.json"):
        record = read_record(place)
        folders = record.get("folders", [])
        if folder in Path(str(record.get("file", ""))).parents and str(folder) not in folders:
            write_record(place, {**record, "folders": sorted([str(folder), *folders], key=len)})
