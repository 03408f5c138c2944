"""Places of stores: a folder, an address like `postgresql://host/database`, or a folder per project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.addresses import SESSIONS, find_opener, hide_password, list_schemes, make_scheme_error, scheme_of
from satchel.session.store import NoStoreError, Store, StoreError, Tidying

if TYPE_CHECKING:
    from satchel.host import Host

SQLITE = "sqlite"
"""The scheme of a folder with a store in a file."""


class OpenStore(NamedTuple):
    """An open store, and the folder of its snapshots."""

    store: Store
    folder: Path


def choose_place(store: str | Path | None) -> str | Path | None:
    """Return the place of sessions: the given one, else the configured one; None if neither is set."""
    if store is not None:
        return store
    from satchel import config as configuration

    return configuration.load(None, env=os.environ).store or None


def open_place(
    store: str | Path | None, root: str | Path = ".", *, create: bool = False, host: Host | None = None
) -> OpenStore:
    """Open a store: a folder directly, an address through the plugin of its scheme.

    The built-in plugin `sqlite` opens folders; asking the host for it would take longer than adding a
    message.

    Args:
        store: a folder or an address; None for the configured one, else one for each project.
        root: the project.
        create: whether to make a missing store.
        host: the plugins; the installed ones by default.

    Raises:
        UsageError: no installed plugin knows the scheme.
        NoStoreError: the store is missing and not to be made.
        StoreError: it can't be opened.
    """
    from satchel.host.kinds import PluginKind
    from satchel.session.sqlite import open_store

    place = choose_place(store)
    scheme = scheme_of(place)
    if not scheme:
        file = file_of(place, root)
        return OpenStore(open_store(file, create=create), file.parent)
    opener = find_opener(PluginKind.SESSION_STORE, scheme, host)
    if opener is None:
        raise make_scheme_error(str(place), SESSIONS, list_schemes(PluginKind.SESSION_STORE, host))
    if scheme == SQLITE:
        folder = file_of(place, root).parent
        return OpenStore(opener.open(f"{SQLITE}://{folder}", create=create), folder)
    return OpenStore(opener.open(str(place), create=create), _snapshots_of(str(place)))


@contextmanager
def borrow_store(
    store: str | Path | None, root: str | Path = ".", *, create: bool = False
) -> Iterator[Store]:
    """Open a store for the duration of a block."""
    with closing(open_place(store, root, create=create).store) as held:
        yield held


def find_store(store: str | Path | None, root: str | Path = ".") -> Store | None:
    """Return the open store of a place, None if no store was made there yet."""
    from satchel.session.sqlite import is_there

    place = choose_place(store)
    if is_file(place) and not is_there(file_of(place, root)):
        return None
    try:
        return open_place(place, root).store
    except NoStoreError:
        return None


def name_place(store: str | Path | None, root: str | Path = ".") -> str:
    """Return the name of a store: its file, or its address without a password."""
    place = choose_place(store)
    return str(file_of(place, root)) if is_file(place) else hide_password(str(place))


def is_file(place: str | Path | None) -> bool:
    """Return whether a place is a folder, with its store in a file."""
    return scheme_of(place) in ("", SQLITE)


def file_of(place: str | Path | None, root: str | Path) -> Path:
    """Return the file of a store in a folder, or of the project's store if no folder is named."""
    from satchel.session.sqlite import store_file

    if isinstance(place, str) and scheme_of(place):
        return store_file(place.partition("://")[2], root)
    return store_file(place, root)


def _snapshots_of(address: str) -> Path:
    """Return the snapshot folder of a store that is not a file: one for each address on this machine."""
    from satchel.private_files import name_for, state_folder

    return state_folder() / "sessions" / name_for(hide_password(address))


def list_all_needed(folder: Path) -> set[str]:
    """Return the hashes, some shortened, that sessions of a folder and of the user's store name.

    Raises:
        SatchelError: a store can't be read, or can't list the texts that its sessions need.
    """
    from satchel.session.sqlite import list_needed

    found = list_needed(folder)
    place = choose_place(None)
    if not is_file(place):
        with borrow_store(place) as store:
            if not isinstance(store, Tidying):
                raise StoreError(store.place, "can't tell which texts its sessions need, so none is removed")
            found.update(store.list_needed())
    elif place is not None:
        found |= list_needed(file_of(place, ".").parent)
    return found
