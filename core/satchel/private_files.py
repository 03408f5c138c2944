"""Files that satchel keeps: private whatever the umask, replaced whole, believed where nobody else wrote.

What is kept is believed where it belongs to the user who runs satchel and nobody else may write to it or in
its folder. Root is no exception: what belongs to somebody else is foreign to root too. Folders above
satchel's own may also belong to root; whoever may write in one of those can put only a foreign folder in the
place of satchel's. Where files have no owners, as on Windows, the system's own rules protect a person's
folders.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_OTHERS_MAY_WRITE = 0o022
_ROOT = 0
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_MOST_OF_A_RECORD = 16 << 20
_BESIDE_A_DATABASE = ("", "-wal", "-shm", "-journal", "-count")


class ForeignFileError(PermissionError):
    """What stands there belongs to another user, or others may have written it."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(errno.EPERM, reason, str(path))


def reason_of(error: OSError, path: Path | str) -> str:
    """Return what went wrong with a file, and with which where it is another one, without a number."""
    reason = error.strerror or str(error)
    named = isinstance(error, ForeignFileError) and error.filename != str(path)
    return f"{error.filename} {reason}" if named else reason


def user_id() -> int | None:
    """Return who runs satchel, None on a system without owners of files."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def expanded(path: str | Path, named: str = "") -> Path:
    """Return a path with its `~` replaced, made absolute.

    Args:
        path: as a person wrote it.
        named: what a message calls the place where it was written.

    Raises:
        UsageError: there is no such home folder, or no current folder.
    """
    try:
        return Path(path).expanduser().absolute()
    except (RuntimeError, FileNotFoundError) as error:
        from satchel.errors import UsageError

        gone = isinstance(error, FileNotFoundError)
        why = "the current folder was deleted" if gone else "there is no such home folder"
        raise UsageError(f"{named and f'{named}: '}{path}: {why}; write the whole path") from None


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone.

    One that is there and belongs to the user is closed to others who may write in it.

    Raises:
        OSError: it can't be made, it belongs to another user, or all may write in it, as in `/tmp`.
    """
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    if missing and (reason := why_unusable(missing[-1].parent)):
        raise ForeignFileError(missing[-1].parent, reason)
    for place in reversed(missing):
        _make(place)
    reason = why_foreign(folder)
    if reason and _can_be_closed(folder):
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~_OTHERS_MAY_WRITE)
        reason = why_foreign(folder)
    if reason:
        raise ForeignFileError(folder, reason)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(folder))


def _make(place: Path) -> None:
    try:
        place.mkdir(mode=_FOLDER_MODE)
    except FileExistsError:
        if not place.is_dir():
            raise
        return  # another process was quicker
    if os.name != "nt" and stat.S_IMODE(place.stat().st_mode) & 0o777 != _FOLDER_MODE:
        place.chmod(_FOLDER_MODE)  # an odd umask takes away what the owner needs


def _can_be_closed(folder: Path) -> bool:
    """Tell whether a folder is the user's own; a sticky one is shared on purpose and stays as it is."""
    facts = folder.stat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == user_id() and not facts.st_mode & stat.S_ISVTX


def why_foreign(path: Path, *, user: int | None = None) -> str:
    """Tell why a file or folder is not to be believed, "" where it is, or where nothing stands.

    Args:
        path: the file, in a folder of satchel's, or that folder.
        user: whose it should be; None for who runs satchel.
    """
    user = user_id() if user is None else user
    try:
        facts = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if stat.S_ISLNK(facts.st_mode):
        if reason := _why_not_link(path, facts, user):
            return reason
        path = Path(os.path.realpath(path))
        facts = path.stat()
    if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)):
        return "is neither a file nor a folder; remove it"
    if user is None:
        return ""
    if reason := _why_not(facts, user):
        return reason
    if stat.S_ISDIR(facts.st_mode):
        return _why_not_above(path, user)
    folder = path.parent
    reason = _why_not(folder.stat(), user) or _why_not_above(Path(os.path.realpath(folder)), user)
    return reason and f"is in {folder}, which {reason}"


def _why_not_link(path: Path, facts: os.stat_result, user: int | None) -> str:
    if not path.exists():
        return "is a link to nothing; remove the link"
    if user is not None and facts.st_uid not in (user, _ROOT):
        return "is a link of another user; remove it"
    return ""


def why_unusable(folder: Path) -> str:
    """Tell why satchel's own folder is not to be made in another one, "" where it may be."""
    if folder.is_symlink() and not folder.exists():
        return "is a link to nothing; remove the link"
    user = user_id()
    return "" if user is None else _why_not_above(Path(os.path.realpath(folder)) / "new", user)


def _why_not(facts: os.stat_result, user: int) -> str:
    if facts.st_uid != user:
        return f"belongs to another user ({facts.st_uid}), who could change what is kept there"
    if facts.st_mode & _OTHERS_MAY_WRITE:
        return "can be written by others; where you trust what it holds: chmod go-w"
    return ""


def why_not_a_persons(path: Path) -> str:
    """Tell why a file that a person writes is not to be believed, "" where it is, or where there is none.

    It may be root's, as a system's settings are, and a group's: editors follow the person's umask.
    """
    user = user_id()
    try:
        facts = path.stat()
    except OSError:
        return ""
    if user is None:
        return ""
    if facts.st_uid not in (user, _ROOT):
        return f"belongs to another user ({facts.st_uid})"
    return "can be written by everybody: chmod o-w" if facts.st_mode & stat.S_IWOTH else ""


def _why_not_above(folder: Path, user: int) -> str:
    """Tell which folder above one belongs to neither the user nor root."""
    for place in folder.parents:
        owner = place.stat().st_uid
        if owner not in (user, _ROOT):
            return f"is below {place}, which belongs to another user ({owner})"
    return ""


def read_private(path: Path, *, most_bytes: int = -1) -> bytes:
    """Return what a file of satchel's holds.

    Raises:
        OSError: it can't be read, is not a file, has more bytes than that, or is not to be believed.
    """
    with open_private(path) as file:
        size = os.fstat(file.fileno()).st_size
        if 0 <= most_bytes < size:
            raise OSError(errno.EFBIG, f"is larger than {most_bytes:,} bytes", str(path))
        return file.read()


def without_waiting(path: str, flags: int) -> int:
    """Open a file as `open` does; a pipe that nobody writes to is empty and nothing to wait for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), _FILE_MODE)


def open_private(path: Path) -> IO[bytes]:
    """Open a file of satchel's to be read; a pipe that waits for a writer does not wait here.

    Raises:
        OSError: it can't be opened, is not a file, or is not to be believed.
    """
    file = os.fdopen(os.open(path, _READ), "rb")
    try:
        facts, user = os.fstat(file.fileno()), user_id()
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(path))
        reason = "" if user is None else _why_not(facts, user) or why_foreign(path)
        if reason:
            raise ForeignFileError(path, reason)
    except BaseException:
        file.close()
        raise
    return file


def create_private(path: Path) -> IO[bytes]:
    """Make a new file for the user alone and return it, open for writing.

    Raises:
        OSError: it can't be made, or something stands there.
    """
    file = os.fdopen(os.open(path, _CREATE, _FILE_MODE), "wb")
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), _FILE_MODE)  # an odd umask takes away what the owner needs
    return file


def new_name(folder: Path) -> Path:
    """Return the path of a file that is being written: renamed when it is whole, removed when it never is."""
    return folder / f".new-{os.getpid()}-{os.urandom(6).hex()}"


@contextlib.contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[IO[bytes]]:
    """Write a file for the user alone that takes the place of `path` when all of it is there, or never.

    Args:
        path: the file; where it is a link, what it leads to is replaced.
        durable: whether it must be on the disk, so that a machine that stops leaves the old one or this.

    Raises:
        OSError: it can't be written, or `path` is a link to nothing.
    """
    if path.is_symlink():
        if not path.exists():
            raise ForeignFileError(path, "is a link to nothing; remove the link")
        path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    if path.exists() and not path.is_file():  # root could put a file in the place of a device
        raise OSError(errno.EINVAL, "is not a file", str(path))
    draft = new_name(path.parent)
    file = create_private(draft)
    try:
        with file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def check_database(path: Path) -> None:
    """Raise ForeignFileError where a sqlite file, or what stands beside it, is not to be believed."""
    for ending in _BESIDE_A_DATABASE:
        place = path.with_name(path.name + ending)
        reason = why_foreign(place) or ("is not a file; remove it" if ending and place.is_dir() else "")
        if reason:
            raise ForeignFileError(place, reason)


def make_database_file(path: Path) -> None:
    """Make an empty file for sqlite, which gives its log the same mode; one that is there stays.

    Raises:
        OSError: it can't be made.
    """
    with contextlib.suppress(FileExistsError):
        create_private(path).close()


def read_record(path: Path) -> dict[str, Any]:
    """Return what a JSON file of the cache holds, {} where there is none that can be believed."""
    import json  # most who read a file need none

    try:
        record = json.loads(read_private(path, most_bytes=_MOST_OF_A_RECORD))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(path: Path, record: dict[str, Any]) -> bool:
    """Replace a JSON file of the cache, which nobody needs to go on; return whether that was possible."""
    import json

    try:
        make_private_folder(path.parent)
        with replacing(path, durable=False) as file:
            file.write(json.dumps(record).encode("ascii"))
    except OSError:
        return False
    return True


__all__ = ["cache_folder", "make_private_folder", "state_folder"]


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for what can be made again: `SATCHEL_CACHE_DIR`, or the user's cache folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _chosen("SATCHEL_CACHE_DIR", env) or _usual("cache")


def state_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for what can't be made again: `SATCHEL_STATE_DIR`, or the user's state folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _chosen("SATCHEL_STATE_DIR", env) or _usual("state")


def _chosen(variable: str, env: Mapping[str, str] | None) -> Path | None:
    text = (os.environ if env is None else env).get(variable, "")
    return expanded(text, variable) if text else None


def _usual(kind: str) -> Path:
    import platformdirs

    find = platformdirs.user_cache_dir if kind == "cache" else platformdirs.user_state_dir
    folder = Path(find("satchel", appauthor=False))
    if folder.is_absolute():
        return folder
    from satchel.errors import UsageError  # nobody's folder would be one in the workspace

    raise UsageError(f"there is no home folder for {kind} files; set SATCHEL_{kind.upper()}_DIR, or HOME")
