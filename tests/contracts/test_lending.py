"""What plugins of others are handed can't be closed, changed or kept under another's name."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import attrs
import pytest
from tests.contracts.test_answers import TALK, host_of
from tests.core.fakes import Notes, note

from satchel import (
    Bundle,
    ContextItem,
    Host,
    PackOptions,
    PluginError,
    Selection,
    Workspace,
    WorkspaceError,
    compact,
    pack,
)
from satchel.config import Config
from satchel.host import PluginKind
from satchel.plugin_api import Message

TASK = "fix the login"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "workspace"
    folder.mkdir()
    for at in range(12):
        (folder / f"login{at}.py").write_text(f"def login{at}(name):\n    return name\n\n\n" * 6)
    return folder


def packed(root: Path, host: Host, budget: int = 400, **settings: Any) -> Bundle:
    return pack(TASK, root, budget=budget, host=host, options=PackOptions(config=Config(**settings)))


def asking(ask: Callable[[Workspace], object]) -> tuple[PluginKind, type]:
    @attrs.frozen
    class Asking(Notes):
        name: ClassVar[str] = "asking"

        def gather(self, task: Any, workspace: Workspace, best: Any) -> Any:
            ask(workspace)
            return [note(1)]

    return PluginKind.PROVIDER, Asking


@pytest.mark.costly
@pytest.mark.parametrize(
    "method",
    [
        *("close", "refresh", "begin", "release", "forget", "forget_changed"),
        *("files.replace", "files.look_at", "files.forget", "files.forget_paths", "files.forget_places"),
        *("texts.forget", "redactor.redact_file", "redactor.count_file", "redactor.forget_file"),
        *("redactor.note_marks", "redactor.forget", "history.begin", "history.forget"),
        *("terms.learn", "terms.clear"),
    ],
)
def test_a_plugin_can_do_nothing_to_the_workspace(method: str, root: Path) -> None:
    bundle = packed(root, host_of(asking(lambda workspace: attrgetter(method)(workspace)())))

    assert bundle.text == packed(root, host_of()).text
    (problem,) = [one for one in bundle.problems if one.plugin == "asking"]
    assert "is lent to a plugin" in problem.error


def _task() -> Any:
    from satchel import Task

    return Task(TASK)


@pytest.mark.costly
@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.ranking.query(_task()).clear(),
        lambda w: w.history.recency().update(x=1.0),
        lambda w: w.ranking.files(_task()).body.clear(),
        lambda w: w.ranking.files(_task()).rarity.pop("login"),
        lambda w: w.history.votes(_task()).clear(),
        lambda w: w.index.documents.clear(),
        lambda w: w.index.store.close(),
        lambda w: w.index.store.connection.close(),
        lambda w: w.index.store.rows("DELETE FROM counts"),
        lambda w: w.index.refresh([], None),
        lambda w: w.files.entries().clear(),
        lambda w: w.history.commits().append(None),
    ],
)
def test_what_all_share_is_read_only(change: Callable[[Any], object], root: Path) -> None:
    bundle = packed(root, host_of(asking(change)))

    assert bundle.text == packed(root, host_of()).text
    assert [one.plugin for one in bundle.problems] == ["asking"]


@pytest.mark.costly
@pytest.mark.parametrize(
    "change",
    [
        lambda w: setattr(w, "index", None),
        lambda w: setattr(w.index, "documents", {}),
        lambda w: setattr(w, "root", Path("/nowhere")),
        lambda w: setattr(w, "texts", None),
        lambda w: setattr(w.files, "_entries", {}),
        lambda w: setattr(w.texts, "root", Path("/nowhere")),
        lambda w: setattr(w.texts, "_sources", {"login0.py": "junk"}),
        lambda w: w.texts.derived("login0.py", "imports", lambda text: ["junk"]),
        lambda w: w.problems.clear(),
        lambda w: w.memo.forget(),
    ],
)
def test_what_a_plugin_sets_is_its_own(change: Callable[[Any], object], root: Path) -> None:
    bundle = packed(root, host_of(asking(change)))

    assert [item.text for item in bundle.items if item.kind == "file"]
    assert bundle.problems == ()


def test_a_problem_that_a_plugin_tells_bears_its_name(root: Path) -> None:
    from satchel import Problem

    told = Problem("files", "gather", "not me")
    bundle = packed(root, host_of(asking(lambda workspace: workspace.problems.append(told))))

    assert [str(one) for one in bundle.problems] == ["asking (from Others): gather: not me"]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["redact", "show"])
def test_a_plugin_can_have_secrets_replaced(name: str, root: Path) -> None:
    texts: list[str] = []
    text = "key AKIA" + "Z7QK3VXW5RTYUIOP"

    def ask(workspace: Workspace) -> None:
        texts.append(getattr(workspace.redactor, name)(text))

    bundle = packed(root, host_of(asking(ask)))

    assert not bundle.problems
    assert texts[0].startswith("key [redacted:aws-access-key-id:")
    assert not bundle.secrets, "the document has none"


def test_a_query_is_read_only_for_everyone(root: Path) -> None:
    workspace = Workspace.open(root)
    try:
        for shared in (workspace.ranking.query(_task()), workspace.history.recency()):
            with pytest.raises(TypeError):
                shared["x"] = 1.0  # type: ignore[index]
    finally:
        workspace.close()


@attrs.frozen
class Altering:
    """A packer that makes everything free."""

    name: ClassVar[str] = "altering"

    def pack(self, candidates: Any, budget: int) -> Selection:
        for one in candidates:
            object.__setattr__(one, "options", [option._replace(tokens=0) for option in one.options])
        last = {one.id: len(one.options) - 1 for one in candidates if one.options}
        worth = sum(one.options[last[one.id]].worth for one in candidates if one.options)
        return Selection(last, 0, worth)


def test_a_packer_that_alters_options_breaks_no_budget(root: Path, tmp_path: Path) -> None:
    for run in (
        lambda: packed(root, host_of((PluginKind.PACKER, Altering)), strategy="altering"),
        lambda: compact(
            TALK,
            budget=900,
            strategy="altering",
            host=host_of((PluginKind.PACKER, Altering)),
            store=tmp_path / "archive",
        ),
    ):
        with pytest.raises(PluginError, match=r"altering \(from Others\): said 0 tokens"):
            run()


def tokenizer(count: Callable[[str], int]) -> tuple[PluginKind, type]:
    @attrs.frozen
    class Odd:
        name: ClassVar[str] = "odd"
        key: ClassVar[str] = "o200k_base"
        exact: ClassVar[bool] = True
        error: ClassVar[float] = 0.0

        def count(self, texts: Any) -> Any:
            return list(map(count, texts))

    return PluginKind.TOKENIZER, Odd


@pytest.mark.weekly
def test_counts_of_others_are_kept_under_their_distribution(root: Path) -> None:
    before = packed(root, host_of())
    odd = packed(root, host_of(tokenizer(lambda text: 1 + len(text) // 8)), tokenizer="odd")
    after = packed(root, host_of())

    assert odd.tokenizer.startswith("Others:odd")
    assert after == before


def test_a_document_that_counts_more_in_all_than_in_pieces_is_made_smaller(root: Path) -> None:
    def count(text: str) -> int:
        return len(text) // 4 + 1 + (len(text) // 5 if len(text) > 600 else 0)

    bundle = packed(root, host_of(tokenizer(count)), tokenizer="odd")

    assert 100 < count(bundle.text) <= 400


@pytest.mark.weekly
def test_a_file_is_what_the_index_knows_of_it(root: Path) -> None:
    def lie(workspace: Workspace) -> None:
        return None

    kind, cls = asking(lie)

    def gather(self: Any, task: Any, workspace: Any, best: Any) -> Any:
        other = workspace.files.document("login1.py").content
        return [
            ContextItem("file:login0.py", "files", "file", "x", path="login0.py", content=other, note="gone")
        ]

    cls.gather = gather  # type: ignore[attr-defined]
    bundle = packed(root, host_of((kind, cls)), budget=900)

    shown = {item.path: item for item in bundle.items}
    assert shown["login0.py"].title == "login0.py"
    assert "def login0(" in shown["login0.py"].text


def test_a_message_of_a_compressor_is_made_anew(tmp_path: Path) -> None:
    @attrs.frozen
    class Raw:
        name: ClassVar[str] = "raw"

        def compress(self, exchanges: Any, target: int, tokenizer: Any) -> Any:
            for one in exchanges:
                object.__setattr__(one.messages[0], "raw", {"role": "user", "content": "changed"})
            return Message("user", "What was said before.", raw={"role": "system", "content": object()})

    window = compact(
        TALK,
        budget=1_200,
        compressor="raw",
        host=host_of((PluginKind.COMPRESSOR, Raw)),
        store=tmp_path / "archive",
    )

    assert {message["role"] for message in window.messages} <= {"user", "assistant"}
    assert "changed" not in str(window.messages)


def test_a_lent_store_can_be_asked(root: Path) -> None:
    workspace = Workspace.open(root)
    try:
        lent = workspace.lent("Others:asking")
        assert lent.index.store.rows("SELECT 1") == [(1,)]
        assert lent.texts.read("login0.py") == workspace.texts.read("login0.py")
        with pytest.raises(sqlite3.ProgrammingError):
            lent.index.store.rows("PRAGMA user_version = 7")
        with pytest.raises(WorkspaceError):
            lent.close()
    finally:
        workspace.close()
