"""Snapshots at a shared address: without secrets, and a session again on any machine."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from satchel.errors import SatchelError
from satchel.interfaces import SNAPSHOT_PREFIX
from satchel.private_files import make_private_folder, name_for, replacing
from satchel.session.chains import Chain
from satchel.session.nodes import MESSAGE, DamageError, digest, encode, place_of, seal
from satchel.session.snapshots import (
    SessionSnapshot,
    describe_file,
    first_line,
    folder_of,
    lines_of,
    mend,
    set_back,
)
from satchel.session.transfer import LineWriter, Reader, bring, describe_row, read_row, session_of

if TYPE_CHECKING:
    from satchel.interfaces import Blobs
    from satchel.redaction.scanning import Scanners
    from satchel.session.session import Session
    from satchel.session.store import Known, Store, StoreWriter

WITHHELD = "held a secret, kept on the machine that made it"
"""The text in place of a node that held a secret."""
_MARK = "withheld"
"""Key under which a node says that it was withheld, and under which the first line lists such ids."""
_OF = "of"
"""Key of the first line with the original session of the nodes, if some nodes were changed."""
_STRUCTURE = frozenset({"call_id", "id", "name", "role", "tool_call_id", "tool_use_id", "type"})
"""Keys that hold a message together."""
_ENDING = ".jsonl.gz"
_SHOWN_DIGITS = 12
_LEVEL = 5


class SharedSnapshot(NamedTuple):
    """A snapshot at a shared address."""

    snapshot: SessionSnapshot
    """Its copy on this machine; its id is the beginning of its hash."""
    withheld: tuple[str, ...] = ()
    """Ids, in the snapshot, of nodes without their secrets."""
    origins: tuple[str, ...] = ()
    """Origins of the sessions that it can be restored into."""


class SharedRestored(NamedTuple):
    """The result of a restore from an address."""

    shared: SharedSnapshot
    is_new: bool
    """Whether a new session was made from the snapshot."""
    mended: int
    """Nodes that were missing or damaged in the store and are restored."""
    withheld: tuple[str, ...]
    """Nodes of the session that were restored without their secrets."""
    skipped: tuple[str, ...]
    """Newer snapshots that are damaged, each with its damage."""


def share_snapshot(
    session: Session, snapshot: SessionSnapshot, blobs: Blobs, *, scanners: Scanners, keep: int
) -> SharedSnapshot:
    """Copy a snapshot to the shared place, without secrets.

    Args:
        session: the session of the snapshot.
        snapshot: a snapshot of this machine.
        blobs: the shared place.
        scanners: find secrets.
        keep: how many of the session stay there.

    Raises:
        SatchelError: a name holds a secret, or the place can't be used; nothing was shared.
    """
    path = Path(snapshot.path)
    content = _write_clean(path, scanners)
    folder = f"{_folder_of(session.id)}{first_line(path)['origin']}/"
    key = f"{folder}{int(snapshot.at * 1000):015d}-{digest(content).hex()}{_ENDING}"
    blobs.put(key, content)
    for old in sorted((one.key for one in blobs.list(folder)), reverse=True)[keep:]:
        blobs.delete(old)
    return _fetch(blobs, key, session.folder, session.id)


def list_shared(blobs: Blobs, session: str, folder: Path) -> list[SharedSnapshot]:
    """Return the shared snapshots of all sessions of a name, newest first; damaged ones name their damage.

    Args:
        blobs: the shared place.
        session: the session's name.
        folder: that of the store, for the copies of this machine.
    """
    keys = [one.key for one in blobs.list(_folder_of(session)) if one.key.endswith(_ENDING)]
    newest = sorted(keys, key=lambda key: key.rpartition("/")[2], reverse=True)
    return [_fetch(blobs, key, folder, session) for key in newest]


def restore_shared(
    store: Store,
    blobs: Blobs,
    session: str,
    *,
    folder: Path,
    id: str = "",  # noqa: A002 (as `Session.restore` has it)
    now: float,
) -> SharedRestored:
    """Go back to a shared snapshot; a session that is missing in the store is made from it.

    Args:
        store: the store to write to.
        blobs: the shared place.
        session: the session's name.
        folder: that of the store, for the copies of this machine.
        id: of the snapshot; by default the newest intact one.
        now: seconds since the epoch.

    Raises:
        SatchelError: no snapshot is intact, or the session of the store is another; nothing was changed.
    """
    with store.reading() as moment:
        known = moment.session(session)
    chosen, skipped = _choose(list_shared(blobs, session, folder), session, id, blobs.place, known)
    path = Path(chosen.snapshot.path)
    if known is None:
        bring(store, lines_of(path), source=chosen.snapshot.id)
        return SharedRestored(chosen, is_new=True, mended=0, withheld=chosen.withheld, skipped=skipped)
    with store.writing() as moment:
        mended, withheld = _go_back(moment, known, path, chosen, now)
    return SharedRestored(chosen, is_new=False, mended=mended, withheld=withheld, skipped=skipped)


def delete_shared(blobs: Blobs, known: Known) -> int:
    """Remove the shared snapshots of a session, for everyone; return how many there were."""
    keys = [one.key for one in blobs.list(f"{_folder_of(known.name)}{known.origin}/")]
    for key in keys:
        blobs.delete(key)
    return len(keys)


def _folder_of(session: str) -> str:
    return f"{SNAPSHOT_PREFIX}{name_for(session)}/"


def _fetch(blobs: Blobs, key: str, folder: Path, session: str) -> SharedSnapshot:
    """Return a snapshot, copied to this machine; it is damaged if its bytes do not match its name."""
    hash_ = key.rpartition("-")[2].removesuffix(_ENDING)
    id_ = hash_[:_SHOWN_DIGITS]
    here = folder_of(folder, session) / "shared"
    path = here / f"{id_}{_ENDING}"
    if not (path.exists() and digest(path.read_bytes()).hex() == hash_):
        content = blobs.get(key) or b""
        if digest(content).hex() != hash_:
            told = f"it is not what was written to {blobs.place}; share one again"
            return SharedSnapshot(
                SessionSnapshot(id_, session, "", 0.0, "", "", 0, 0, len(content), "", told)
            )
        for made in (here.parent.parent, here.parent, here):
            make_private_folder(made)
        with replacing(path) as file:
            file.write(content)
    snapshot = describe_file(path, session, verified=True)._replace(id=id_)
    if snapshot.damage:
        return SharedSnapshot(snapshot)
    first = first_line(path)
    origins = (str(first["origin"]), *(str(first[key]["origin"]) for key in (_OF,) if key in first))
    return SharedSnapshot(snapshot, tuple(map(str, first.get(_MARK, ()))), origins)


def _choose(
    found: list[SharedSnapshot], session: str, wanted: str, place: str, known: Known | None
) -> tuple[SharedSnapshot, tuple[str, ...]]:
    """Return the snapshot to go back to, and the damage of the skipped ones."""
    if not found:
        raise SatchelError(f"session {session!r} has no shared snapshot in {place}")
    ids = [one.snapshot.id for one in found]
    at = next((at for at, id_ in enumerate(ids) if wanted and id_.startswith(wanted)), None)
    if wanted and at is None:
        raise SatchelError(
            f"session {session!r}: {place} has no snapshot {wanted!r}; it has {', '.join(ids)}"
        )
    skipped = []
    whole: list[SharedSnapshot] = []
    for one in found[at or 0 :]:
        if one.snapshot.damage:
            skipped.append(f"{one.snapshot.id}: {one.snapshot.damage}")
        else:
            whole.append(one)
    if not whole:
        raise SatchelError(f"session {session!r}: no shared snapshot is whole: {'; '.join(skipped)}")
    fitting = [one for one in whole if known is None or known.origin in one.origins]
    if not fitting:
        raise SatchelError(
            f"session {session!r}: the one of this store is not the one that was shared; "
            "export and delete it, or restore into another --store"
        )
    if known is None and at is None and len({one.origins[-1] for one in whole}) > 1:
        raise SatchelError(
            f"{place} has snapshots of several sessions called {session!r}; name one of {', '.join(ids)}"
        )
    return fitting[0], tuple(skipped)


def _go_back(
    moment: StoreWriter, known: Known, path: Path, chosen: SharedSnapshot, now: float
) -> tuple[int, tuple[str, ...]]:
    """Set a session back; return how many nodes were restored, and those without their secrets."""
    first = first_line(path)
    if known.origin != first["origin"]:  # the store's nodes still have their secrets
        head = str(first[_OF]["head"])
        for _ in Chain(moment, known, head).oldest(content="*"):
            continue  # a missing or damaged node raises, and the head stays
        set_back(moment, known, chosen.snapshot._replace(head=head), now)
        return 0, ()
    _check_same(moment, known, path)
    reader = Reader(lines_of(path), chosen.snapshot.id)
    told = iter(reader)
    next(told, None)
    mended = mend(moment, known, reader, told)
    set_back(moment, known, chosen.snapshot, now)
    return mended, chosen.withheld


def _check_same(moment: StoreWriter, known: Known, path: Path) -> None:
    """Raise if the store's nodes differ from a snapshot's: both went on after they were the same."""
    reader = Reader(lines_of(path), path.name)
    for value in reader:
        if "id" not in value:
            continue
        try:
            held = moment.row(known, place_of(value["id"]))
        except DamageError:
            continue  # it is restored
        if held is not None and held.id != value["id"]:
            raise SatchelError(
                f"session {known.name!r} has diverged here, from node {held.id} on; nothing was "
                "changed: export and delete it, or restore into another --store"
            )


def _write_clean(path: Path, scanners: Scanners) -> bytes:
    """Return the bytes of a snapshot, sealed anew if a node lost a secret."""
    reader = Reader(lines_of(path), path.name)
    told = iter(reader)
    first = next(told)
    known = session_of(reader, first)
    origin = seal(known.origin, _MARK)
    ids: dict[str, str] = {}
    """New ids of the shared nodes by their ids in the snapshot."""
    clean: dict[str, Mapping[str, Any]] = {}
    heads: list[Mapping[str, Any]] = []
    for value in told:
        if "id" in value:
            left = _clean_node(value, scanners)
            if left is not value:
                clean[value["id"]] = left
            ids[value["id"]] = read_row(_rename_ids(left, ids)).seal(origin).id
        elif "run" not in value:
            heads.append(value)
    for named in (first, *heads):
        _refuse_secrets(named, scanners)
    if not clean:
        return path.read_bytes()
    about = {
        "origin": origin,
        "head": ids.get(first["head"], ""),
        _OF: {"origin": known.origin, "head": first["head"]},
        _MARK: [ids[id_] for id_ in clean],
    }
    return _write_lines(path, {**first, **about}, heads, clean, ids)


def _write_lines(
    path: Path,
    first: Mapping[str, Any],
    heads: list[Mapping[str, Any]],
    clean: Mapping[str, Mapping[str, Any]],
    ids: Mapping[str, str],
) -> bytes:
    out, raw = LineWriter(), io.BytesIO()
    with (
        gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
        io.TextIOWrapper(packed, "ascii", newline="\n") as text,
    ):
        text.write(out.line(first))
        for head in heads:
            text.write(out.line({**head, "head": ids.get(head["head"], "")}))
        for value in Reader(lines_of(path), path.name):
            if "id" in value:
                row = read_row(_rename_ids(clean.get(value["id"], value), ids))
                text.write(out.line(describe_row(row.seal(first["origin"]))))
            elif "run" in value:
                text.write(out.line(value))
        text.write(out.end())
    return raw.getvalue()


def _clean_node(value: Mapping[str, Any], scanners: Scanners) -> Mapping[str, Any]:
    """Return a node without secrets; the same object if it has no secret."""
    from satchel.compaction.cleaning import clean_document

    meta = value.get("meta", {})
    body = clean_document(value["body"], scanners)
    if _has_secret(body, scanners):  # only a key and its value together reveal it
        body = _map_texts(body, lambda text, key: text if key in _STRUCTURE else f"[{WITHHELD}]")
    if body is value["body"] and not _has_secret(meta, scanners):
        return value
    left = {"body": body, "meta": {**({} if _has_secret(meta, scanners) else meta), _MARK: WITHHELD}}
    _refuse_secrets(left, scanners)
    return {**value, **left}


def _has_secret(value: object, scanners: Scanners) -> bool:
    text = encode(value, "a node").decode("utf-8", "surrogatepass")
    return scanners.redact(text).text != text


def _refuse_secrets(value: Mapping[str, Any], scanners: Scanners) -> None:
    if _has_secret(value, scanners):
        raise SatchelError(
            "a name or an id of the session holds a secret, so the snapshot stays on this machine and "
            "nothing was shared"
        )


def _map_texts(value: Any, change: Callable[[str, str], str], key: str = "") -> Any:
    """Return a value of JSON with each text changed; `change` gets a text and its key, "" in a list."""
    if isinstance(value, str):
        return change(value, key)
    if isinstance(value, Mapping):
        return {name: _map_texts(inner, change, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_map_texts(inner, change) for inner in value]
    return value


def _rename_ids(value: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """Return a node with the new ids of the nodes that it names; texts of messages stay."""
    renamed = {**value, "parent": ids.get(value["parent"], value["parent"])}
    for key in ("meta",) if value["kind"] == MESSAGE else ("meta", "body"):
        if key in value:
            renamed[key] = _map_texts(value[key], lambda text, _: ids.get(text, text))
    return renamed
