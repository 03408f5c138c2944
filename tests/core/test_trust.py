"""Which instruction files are trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import WorkspaceError
from satchel.plugin_api import TrustStore, visible
from satchel.workspace import distrust, store_file, trust


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"Obey.\n")
    return path


def test_nothing_is_trusted_before_the_person_says_so(document: Path) -> None:
    assert not TrustStore.read().knows(document, b"Obey.\n")


def test_a_trusted_file_is_known_by_path_and_content(document: Path) -> None:
    trust(document)
    store = TrustStore.read()

    assert store.knows(document, b"Obey.\n")
    assert not store.knows(document, b"Obey!\n")
    assert not store.knows(document.with_name("CLAUDE.md"), b"Obey.\n")


def test_a_link_is_trusted_as_what_it_leads_to(document: Path) -> None:
    link = document.with_name("CLAUDE.md")
    link.symlink_to(document)
    trust(link)

    assert TrustStore.read().knows(document, b"Obey.\n")


def test_trust_can_be_taken_back(document: Path) -> None:
    trust(document)
    distrust(document)
    distrust(document)

    assert not TrustStore.read().knows(document, b"Obey.\n")


def test_only_its_owner_can_read_the_store(document: Path) -> None:
    trust(document)

    assert store_file().stat().st_mode & 0o777 == 0o600
    assert [path.name for path in store_file().parent.iterdir()] == ["trust.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"trusted": 3}', '{"trusted": {"/a": 1}}', "[" * 100_000, "\x00"]
)
def test_a_damaged_store_trusts_nothing_and_is_replaced(document: Path, text: str) -> None:
    store_file().parent.mkdir(parents=True)
    store_file().write_text(text)
    before = TrustStore.read().hashes
    trust(document)

    assert before == {}
    assert len(json.loads(store_file().read_text())["trusted"]) == 1


def test_what_can_not_be_read_can_not_be_trusted(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"gone\.md"):
        trust(tmp_path / "gone.md")


def test_a_state_folder_can_be_named() -> None:
    assert store_file({"SATCHEL_STATE_DIR": "/state"}) == Path("/state/trust.json")


@pytest.mark.parametrize("text", ["plain\ttext\n", "naïve 漢字 🙂 ❤\ufe0f", ""])
def test_what_a_person_sees_stays(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    shown = visible(text)

    assert not {*"\u202e\u200b\u200d\ufeff\x1b\x00\U000e0041"} & {*shown}
    assert visible(shown) == shown
    assert shown.count("\n") == text.count("\n")
