"""`satchel mcp --http`: loopback alone, for who knows the token, several clients at once."""

from __future__ import annotations

import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'satchel[mcp]'")
anyio = pytest.importorskip("anyio")

from tests.amounts import some  # noqa: E402 (after the skip)
from tests.core.repositories import make_repository  # noqa: E402
from tests.vocabularies import lend_cache  # noqa: E402

from .clients import MODES, Served, over_http, run, said, serving  # noqa: E402

FILES = {"src/login.py": "def login(name):\n    return name\n", "README.md": "# Shop\n"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("http") / "shop", FILES)


@pytest.fixture(scope="module")
def served(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    lend_cache(home / "kept")
    with serving(root, home=home) as made:
        yield made


def status_of(url: str, headers: dict[str, str]) -> int:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, data=b"{}", headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_it_listens_on_loopback_and_only_the_token_opens_it(served: Served) -> None:
    assert served.url.startswith("http://127.0.0.1:")
    assert status_of(served.url, {}) == 401
    assert status_of(served.url, {"Authorization": "Bearer wrong"}) == 401
    assert status_of(served.url, {"Authorization": f"Basic {served.token}"}) == 401
    assert status_of(served.url, {"Authorization": f"Bearer {served.token}"}) not in (401, 403)
    foreign = {"Authorization": f"Bearer {served.token}", "Host": "evil.example.org"}
    assert status_of(served.url, foreign) in (403, 421)


@pytest.mark.weekly
@pytest.mark.parametrize("mode", some(MODES, 1))
def test_several_clients_are_answered_at_once(mode: str, served: Served) -> None:
    async def work() -> None:
        async with over_http(served, mode=mode) as one, over_http(served, mode=mode) as two:
            told: list[str] = []

            async def ask(client: object, task: str) -> None:
                result = await client.call_tool("pack", {"task": task, "budget": 500})  # type: ignore[attr-defined]
                told.append(said(result))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask, one, "login")
                tasks.start_soon(ask, two, "name of the shop")
                tasks.start_soon(ask, two, "login with a name")
            assert len(told) == 3
            assert all("src/login.py" in text for text in told)
        async with over_http(served, mode=mode) as three:
            assert said(await three.call_tool("count", {"text": "hello world"})) == "2 tokens"

    run(work)


@pytest.mark.parametrize("mode", some(MODES, 1))
def test_a_client_over_http_reads_nothing_outside_of_what_is_served(
    mode: str, served: Served, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("a plan\n")

    async def work() -> None:
        async with over_http(served, mode=mode, roots=[tmp_path]) as client:
            refused = await client.call_tool("expand", {"pointer": "secret.txt"})
            assert refused.is_error
            assert "a plan" not in said(refused)
            here = await client.call_tool("expand", {"pointer": "README.md"})
            assert said(here) == "# Shop\n"
        async with over_http(served, mode=mode, roots=[root / "src"]) as client:
            assert said(await client.call_tool("expand", {"pointer": "login.py:1-1"})) == "def login(name):\n"

    run(work)


def test_a_token_of_your_own_is_not_printed(root: Path) -> None:
    with serving(root, token="a-token-of-my-own") as served:
        assert status_of(served.url, {"Authorization": "Bearer a-token-of-my-own"}) != 401
        served.process.send_signal(signal.SIGTERM)
        served.process.wait(20)
        assert served.process.stderr is not None
        assert b"a-token" not in served.process.stderr.read()
