"""Read and write satchel's own files: private, replaced atomically, and trusted only if unwritable by others.

A file is trusted if it belongs to the user who runs satchel and nobody else can write to it or in its folder.
That holds for root too: files of other users are foreign to root. Folders above satchel's own may also
belong to root; anyone who can write in one of those can only replace satchel's folder by a foreign one. On
systems without file owners, such as Windows, the system's own rules protect the user's folders.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from satchel.open_flags import BINARY, NON_BLOCKING

_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_OTHERS_MAY_WRITE = 0o022
_ROOT = 0
_READ = os.O_RDONLY | BINARY | NON_BLOCKING
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
_MOST_OF_A_RECORD = 16 << 20
_BESIDE_A_DATABASE = ("", "-wal", "-shm", "-journal", "-count")


class ForeignFileError(PermissionError):
    """The file belongs to another user, or others can write to it."""

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(errno.EPERM, reason, str(path))


def reason_of(error: OSError, path: Path | str) -> str:
    """Return the failure of a file without the error number, with the file's name if it is another one."""
    reason = error.strerror or str(error)
    named = isinstance(error, ForeignFileError) and error.filename != str(path)
    return f"{error.filename} {reason}" if named else reason


def user_id() -> int | None:
    """Return the id of the user who runs satchel, None on systems without file owners."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def expand_path(path: str | Path, named: str = "") -> Path:
    """Expand `~` in a path and make it absolute.

    Args:
        path: as written by the user.
        named: where it was written, for error messages.

    Raises:
        UsageError: the home folder or the current folder does not exist.
    """
    try:
        return Path(path).expanduser().absolute()
    except (RuntimeError, FileNotFoundError) as error:
        from satchel.errors import UsageError

        gone = isinstance(error, FileNotFoundError)
        why = "the current folder was deleted" if gone else "there is no such home folder"
        raise UsageError(f"{named and f'{named}: '}{path}: {why}; write the whole path") from None


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, accessible to the user only.

    An existing folder of the user is made unwritable for others.

    Raises:
        OSError: it can't be created, belongs to another user, or is writable by all, like `/tmp`.
    """
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    if missing and (reason := why_unusable(missing[-1].parent)):
        raise ForeignFileError(missing[-1].parent, reason)
    for place in reversed(missing):
        _make_folder(place)
    reason = why_foreign(folder)
    if reason and _may_close(folder):
        folder.chmod(stat.S_IMODE(folder.stat().st_mode) & ~_OTHERS_MAY_WRITE)
        reason = why_foreign(folder)
    if reason:
        raise ForeignFileError(folder, reason)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(folder))


def _make_folder(place: Path) -> None:
    try:
        place.mkdir(mode=_FOLDER_MODE)
    except FileExistsError:
        if not place.is_dir():
            raise
        return  # another process created it first
    if os.name != "nt" and stat.S_IMODE(place.stat().st_mode) & 0o777 != _FOLDER_MODE:
        place.chmod(_FOLDER_MODE)  # an odd umask takes away what the owner needs


def _may_close(folder: Path) -> bool:
    """Return whether a folder is the user's own; a sticky one is shared on purpose and stays as it is."""
    facts = folder.stat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == user_id() and not facts.st_mode & stat.S_ISVTX


def why_foreign(path: Path, *, user: int | None = None) -> str:
    """Return why a file or folder is not trusted, "" if it is, or if it does not exist.

    Args:
        path: a file in one of satchel's folders, or the folder.
        user: the expected owner; None for the user who runs satchel.
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
        return "is a broken link; remove it"
    if user is not None and facts.st_uid not in (user, _ROOT):
        return "is a link of another user; remove it"
    return ""


def why_unusable(folder: Path) -> str:
    """Return why satchel's own folder can't be created in another one, "" if it can."""
    if folder.is_symlink() and not folder.exists():
        return "is a broken link; remove it"
    user = user_id()
    return "" if user is None else _why_not_above(Path(os.path.realpath(folder)) / "new", user)


def _why_not(facts: os.stat_result, user: int) -> str:
    if facts.st_uid != user:
        return f"belongs to another user ({facts.st_uid}), who could change what is kept there"
    if facts.st_mode & _OTHERS_MAY_WRITE:
        return "can be written by others; if you trust its content: chmod go-w"
    return ""


def why_not_a_persons(path: Path) -> str:
    """Return why a file written by the user is not trusted, "" if it is, or if it does not exist.

    It may belong to root, like system settings, and be group-writable: editors follow the user's umask.
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
    """Return the parent folder that belongs to neither the user nor root, "" if there is none."""
    for place in folder.parents:
        owner = place.stat().st_uid
        if owner not in (user, _ROOT):
            return f"is below {place}, which belongs to another user ({owner})"
    return ""


def read_private(path: Path, *, most_bytes: int = -1) -> bytes:
    """Return the content of one of satchel's files.

    Raises:
        OSError: it can't be read, is not a file, is larger than `most_bytes`, or is not trusted.
    """
    with open_private(path) as file:
        size = os.fstat(file.fileno()).st_size
        if 0 <= most_bytes < size:
            raise OSError(errno.EFBIG, f"is larger than {most_bytes:,} bytes", str(path))
        return file.read()


def open_nonblocking(path: str, flags: int) -> int:
    """Open a file as `open` does, without blocking on a pipe that has no writer."""
    return os.open(path, flags | NON_BLOCKING, _FILE_MODE)


def open_private(path: Path) -> IO[bytes]:
    """Open one of satchel's files for reading, without blocking on a pipe.

    Raises:
        OSError: it can't be opened, is not a file, or is not trusted.
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
    """Create a new file, accessible to the user only, and return it open for writing.

    Raises:
        OSError: it can't be created, or exists.
    """
    file = os.fdopen(os.open(path, _CREATE, _FILE_MODE), "wb")
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), _FILE_MODE)  # an odd umask takes away what the owner needs
    return file


def new_name(folder: Path) -> Path:
    """Return a temporary path for a file being written: renamed when complete, removed on failure."""
    return folder / f".new-{os.getpid()}-{os.urandom(6).hex()}"


@contextlib.contextmanager
def replacing(path: Path, *, durable: bool = True, mode: int = _FILE_MODE) -> Iterator[IO[bytes]]:
    """Write a file, by default accessible to the user only, that replaces `path` atomically.

    Args:
        path: the file; if it is a link, its target is replaced.
        durable: whether to sync it to disk, so that after a crash either the old or the new file is there.
        mode: its permissions.

    Raises:
        OSError: it can't be written, or `path` is a broken link.
    """
    if path.is_symlink():
        if not path.exists():
            raise ForeignFileError(path, "is a broken link; remove it")
        path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    if path.exists() and not path.is_file():  # root could replace a device by a file
        raise OSError(errno.EINVAL, "is not a file", str(path))
    draft = new_name(path.parent)
    file = create_private(draft)
    try:
        with file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode != _FILE_MODE:
            draft.chmod(mode)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Flush a folder's new names to disk, where the system can."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def name_for(text: str) -> str:
    """Return the file name for a text, like an address or the name of a session."""
    import hashlib

    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def choose_mode(path: Path, *, executable: bool = False) -> int:
    """Return the permissions of a file that is not satchel's own: its current ones, else a new file's."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return (0o777 if executable else 0o666) & ~mask


def check_database(path: Path) -> None:
    """Raise ForeignFileError if a SQLite file, or one of its side files, is not trusted."""
    for ending in _BESIDE_A_DATABASE:
        place = path.with_name(path.name + ending)
        reason = why_foreign(place) or ("is not a file; remove it" if ending and place.is_dir() else "")
        if reason:
            raise ForeignFileError(place, reason)


def make_database_file(path: Path) -> None:
    """Create an empty file for SQLite, which gives its log the same mode; an existing one stays.

    Raises:
        OSError: it can't be created.
    """
    with contextlib.suppress(FileExistsError):
        create_private(path).close()


def read_record(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file of the cache, {} if there is no trusted one."""
    import json  # most callers of this module do not need it

    try:
        record = json.loads(read_private(path, most_bytes=_MOST_OF_A_RECORD))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(path: Path, record: dict[str, Any]) -> bool:
    """Replace a JSON file of the cache; return whether it succeeded, since a cache is optional."""
    import json

    try:
        make_private_folder(path.parent)
        with replacing(path, durable=False) as file:
            file.write(json.dumps(record).encode("ascii"))
    except OSError:
        return False
    return True


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for replaceable files: `SATCHEL_CACHE_DIR`, or the user's cache folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _read_variable("SATCHEL_CACHE_DIR", env) or _usual("cache")


def state_folder(env: Mapping[str, str] | None = None) -> Path:
    """Return the folder for irreplaceable files: `SATCHEL_STATE_DIR`, or the user's state folder.

    Raises:
        UsageError: it begins with a home folder that does not exist.
    """
    return _read_variable("SATCHEL_STATE_DIR", env) or _usual("state")


def user_config_file() -> Path:
    """Return the file of the person's own settings."""
    import platformdirs

    return Path(platformdirs.user_config_dir("satchel", appauthor=False), "satchel.toml")


def _read_variable(variable: str, env: Mapping[str, str] | None) -> Path | None:
    text = (os.environ if env is None else env).get(variable, "")
    return expand_path(text, variable) if text else None


def _usual(kind: str) -> Path:
    import platformdirs

    find = platformdirs.user_cache_dir if kind == "cache" else platformdirs.user_state_dir
    folder = Path(find("satchel", appauthor=False))
    if folder.is_absolute():
        return folder
    from satchel.errors import UsageError  # nobody's folder would be one in the workspace

    raise UsageError(f"there is no home folder for {kind} files; set SATCHEL_{kind.upper()}_DIR, or HOME")
