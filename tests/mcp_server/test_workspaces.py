"""Workspaces of a server: opened once, lent to one call at a time, and never to one that was cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import satchel_plugins
from satchel import Host, UsageError, WorkspaceError
from satchel.mcp_server.workspaces import MOST_OPEN, CancelledCallError, ToolRequest, Workspaces, choose_root


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/app.py").write_text("def login():\n    return True\n")
    return tmp_path / "shop"


@pytest.fixture
def opened() -> Iterator[Workspaces]:
    made = Workspaces(lambda root: Host.of(satchel_plugins, deadline_seconds=None))
    yield made
    made.close()


def test_a_workspace_is_opened_once(shop: Path, opened: Workspaces) -> None:
    with opened.of(shop).use(ToolRequest()) as first:
        pass
    with opened.of(shop).use(ToolRequest()) as second:
        pass

    assert first is second


def test_a_call_that_was_cancelled_leaves_the_queue(shop: Path, opened: Workspaces) -> None:
    waiting = ToolRequest()
    raised: list[bool] = []

    def wait() -> None:
        try:
            with opened.of(shop).use(waiting):
                raised.append(False)
        except CancelledCallError:
            raised.append(True)

    with opened.of(shop).use(ToolRequest()):
        thread = threading.Thread(target=wait)
        thread.start()
        waiting.cancel()
        thread.join(10)

    assert raised == [True]


def test_what_can_not_be_opened_is_an_error_each_time_and_is_tried_again(tmp_path: Path) -> None:
    hosts = [ValueError("no plugins today"), None]

    def open_host(root: Path) -> Host:
        if error := hosts.pop(0):
            raise error
        return Host.of(satchel_plugins, deadline_seconds=None)

    spaces = Workspaces(open_host)
    with pytest.raises(ValueError, match="today"), spaces.of(tmp_path).use(ToolRequest()):
        pass
    with spaces.of(tmp_path).use(ToolRequest()) as watch:
        assert watch.root == tmp_path
    spaces.close()


def test_only_so_many_stay_open(tmp_path: Path, opened: Workspaces) -> None:
    folders = [tmp_path / str(number) for number in range(MOST_OPEN + 1)]
    for folder in folders:
        folder.mkdir()
        with opened.of(folder).use(ToolRequest()):
            pass
    first = opened.of(folders[-1])

    assert first.watch is not None
    assert opened.of(folders[0]).watch is None


def test_a_root_is_named_by_its_folder_or_its_name(tmp_path: Path) -> None:
    roots = [tmp_path / "shop", tmp_path / "bank"]

    assert choose_root("", roots) == roots[0]
    assert choose_root("bank", roots) == roots[1]
    assert choose_root(str(tmp_path / "bank"), roots) == roots[1]
    with pytest.raises(UsageError, match=r"not one of the workspaces: .*shop, .*bank"):
        choose_root("/etc", roots)
    with pytest.raises(UsageError, match="--root DIR"):
        choose_root("", [])


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, opened: Workspaces) -> None:
    with pytest.raises(WorkspaceError, match="not a folder"):
        opened.of(tmp_path / "nowhere")
