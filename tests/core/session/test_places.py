"""A folder is opened as such, an address by the plugin of its scheme; nothing else is made of an address."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import attrs
import pytest
from tests.core.session.memory import MemoryStore

from satchel import Host, PluginError, Session, UsageError, hookimpl
from satchel.addresses import scheme_of
from satchel.plugin_api import Store, hide_password
from satchel.session import SqliteStore, find_store, name_place, open_place


@attrs.frozen
class Memory:
    name: ClassVar[str] = "memory"
    schemes: ClassVar[frozenset[str]] = frozenset({"ram"})

    def open(self, address: str, *, create: bool) -> Store:
        return MemoryStore()


@attrs.frozen
class Broken:
    name: ClassVar[str] = "broken"
    schemes: ClassVar[frozenset[str]] = frozenset({"ram"})

    def open(self, address: str, *, create: bool) -> Store:
        raise ZeroDivisionError("the plugin's own fault")


def host_with(*classes: type) -> Host:
    return Host.of(SimpleNamespace(satchel_session_stores=hookimpl(lambda: list(classes))))


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("postgresql://h/d", "postgresql"),
        ("S3://b", "s3"),
        ("C:/store", ""),
        ("a:b", ""),
        ("x://a", ""),
        (".", ""),
        ("sessions", ""),
    ],
)
def test_an_address_is_known_by_its_scheme(address: str, scheme: str) -> None:
    assert scheme_of(address) == scheme
    assert scheme_of(Path(address)) == ""


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:pa:ss@w@h/d", "postgresql://me@h/d"),
        ("postgresql://h/d?user=a&password=p&x=1", "postgresql://h/d?user=a&password=...&x=1"),
        ("postgresql://h/d", "postgresql://h/d"),
        ("/a:b@c", "/a:b@c"),
    ],
)
def test_a_password_is_never_shown(address: str, shown: str) -> None:
    assert hide_password(address) == shown


def test_a_plugin_opens_the_addresses_of_its_scheme(tmp_path: Path) -> None:
    opened = open_place("ram://here", tmp_path, create=True, host=host_with(Memory))

    assert isinstance(opened.store, MemoryStore)
    assert opened.folder == open_place("ram://here", tmp_path, host=host_with(Memory)).folder
    assert opened.folder != open_place("ram://there", tmp_path, host=host_with(Memory)).folder


def test_a_folder_and_its_address_are_one_store(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path / "a", create=True) as session:
        session.add({"role": "user", "content": "hi"})

    with Session.open("s", store=f"sqlite://{tmp_path / 'a'}") as session:
        assert isinstance(session.store, SqliteStore)
        assert session.folder == tmp_path / "a"
        assert session.count() == 1


def test_an_unknown_scheme_is_told_with_the_known_ones_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=r"nothere://me@h/d: no installed plugin .* here: .*sqlite://"):
        Session.open("s", store="nothere://me:secret@h/d", create=True)
    with pytest.raises(UsageError, match="known here: ram://"):
        open_place("nothere://h", host=host_with(Memory))

    assert list(tmp_path.iterdir()) == []


def test_a_plugin_that_fails_is_named() -> None:
    with pytest.raises(PluginError, match=r"broken .*ZeroDivisionError: the plugin's own fault"):
        open_place("ram://here", host=host_with(Broken))


def test_the_users_configuration_names_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STORE", str(tmp_path / "team"))

    assert find_store(None, tmp_path) is None
    with Session.open("s", root=tmp_path, create=True) as session:
        assert session.folder == tmp_path / "team"
    assert name_place(None, tmp_path) == str(tmp_path / "team" / "sessions.sqlite")
    with Session.open("s", store=tmp_path / "own", root=tmp_path, create=True) as session:
        assert session.folder == tmp_path / "own"
