"""`satchel mcp`: the SDK's client asks a real process over stdin and stdout, or a server in this one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import satchel
from satchel.cli import run as run_command

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'satchel[mcp]'")
anyio = pytest.importorskip("anyio")

from mcp.shared.exceptions import MCPError  # noqa: E402 (after the skip)
from tests.amounts import some  # noqa: E402
from tests.core.repositories import make_repository  # noqa: E402
from tests.processes import run_satchel  # noqa: E402

from .clients import MODES, environment, in_process, over_stdio, run, said  # noqa: E402

KEY = "AKIAIOSFODNN7EXAMPLQ"
FILES = {
    "src/login.py": 'def login(name, password):\n    """Log in."""\n    return check(name, password)\n',
    "src/check.py": "def check(name, password):\n    return password == 'x'\n",
    "src/keys.py": f"KEY = '{KEY}'\n\n\ndef key_of(name):\n    return KEY\n",
    "src/long.py": "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(900)),
    "README.md": "# Shop\n\nHow to log in.\n",
}
TASK = "login with a wrong password"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("mcp") / "shop", FILES)


@pytest.fixture
def root(made: Path) -> Path:
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize(
    ("connect", "mode"),
    [
        (in_process, MODES[0]),
        *(pytest.param(over_stdio, mode, marks=pytest.mark.weekly) for mode in MODES),  # seconds to start
    ],
)
def test_every_tool_answers(connect: Callable[..., Any], mode: str, root: Path) -> None:
    async def work() -> None:
        async with connect(root, mode=mode) as client:
            packed = await client.call_tool("pack", {"task": TASK, "budget": 600})
            assert packed.content[0].text == satchel.pack(TASK, root, budget=600).text
            assert packed.meta["satchel"]["tokens"] <= 600
            lines = await client.call_tool("expand", {"pointer": "src/login.py:1-2"})
            assert said(lines) == 'def login(name, password):\n    """Log in."""\n'
            found = await client.call_tool("search", {"query": "check password"})
            assert said(found).startswith("src/check.py:1-2 check\n  1: def check(name, password):")
            explained = await client.call_tool("why", {"ref": "src/login.py", "task": TASK})
            assert said(explained).startswith("satchel://file/src/login.py")
            output = "\n".join(f"step {number} is fine" for number in range(2_000)) + "\nERROR: no disk\n"
            short = await client.call_tool("squeeze", {"text": output, "command": "make", "budget": 200})
            assert "ERROR: no disk" in said(short)
            pointer = short.meta["satchel"]["pointer"]
            whole = await client.call_tool("expand", {"pointer": f"{pointer}:2001-2001"})
            assert said(whole) == "ERROR: no disk\n"
            behind = await client.call_tool("expand", {"pointer": f"{pointer}:99999"})
            assert (behind.is_error, "the text has 2,001 lines" in said(behind)) == (True, True)
            wanted = {"text": output, "budget": 120, "question": "what happened in step 1777?"}
            assert "step 1777 is fine" in said(await client.call_tool("squeeze", wanted))
            counted = await client.call_tool("count", {"text": "hello world"})
            assert (said(counted), counted.meta["satchel"]) == ("2 tokens", {"tokens": 2})
            of_file = await client.call_tool("count", {"pointer": "README.md"})
            assert of_file.meta["satchel"]["tokens"] == satchel.count(FILES["README.md"])

    run(work)


def test_the_definitions_are_small_and_say_that_nothing_is_changed(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools] == ["pack", "expand", "search", "why", "squeeze", "count"]
            assert all(one.annotations.read_only_hint and one.annotations.title for one in tools)
            assert not any(one.annotations.open_world_hint for one in tools)
            assert all(one.input_schema["type"] == "object" and one.description for one in tools)
            written = [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in tools]
            assert satchel.count(json.dumps(written)) < 1_500

    run(work)


BAD: list[tuple[str, dict[str, object], str]] = [
    ("pack", {}, "'task' is missing"),
    ("pack", {"task": TASK, "pin": "a"}, "did you mean 'pins'"),
    ("pack", {"task": TASK, "pins": ["src/lgin.py"]}, "src/login.py"),
    ("pack", {"task": TASK, "pins": ["src/long.py"], "budget": 200}, "larger budget"),
    ("pack", {"task": TASK, "since": "nowhere"}, "nowhere"),
    ("pack", {"task": TASK, "root": "/etc"}, "not one of the workspaces"),
    ("expand", {"pointer": "src/lgin.py"}, "did you mean src/login.py? search finds places"),
    ("expand", {"pointer": "satchel://file/src/login.py?v=00000000"}, "changed since"),
    ("expand", {"pointer": "../../etc/passwd"}, "no such file"),
    ("expand", {"pointer": "blob:0123456789ab"}, "blob"),
    ("search", {"query": "->"}, "no word to look for"),
    ("why", {"ref": "zebra", "task": TASK}, "zebra"),
    ("count", {}, "one of 'text', 'pointer' and 'messages'"),
]


def test_a_bad_argument_is_an_error_that_a_model_can_act_on(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            for tool, arguments, says in BAD:
                result = await client.call_tool(tool, arguments)
                assert result.is_error, (tool, arguments)
                assert says in said(result)
                assert "Traceback" not in said(result)
            assert not (await client.call_tool("count", {"text": "still there"})).is_error

    run(work)


def test_of_a_long_text_without_definitions_the_beginning_comes(root: Path) -> None:
    (root / "data.csv").write_text("id,name\n" + "".join(f"{number},Ann\n" for number in range(3_000)))

    async def work() -> None:
        async with in_process(root) as client:
            whole = said(await client.call_tool("expand", {"pointer": "data.csv", "budget": 200}))
            assert whole.startswith("id,name\n0,Ann\n1,Ann\n")
            assert " of 3,001; expand data.csv:" in whole
            part = said(await client.call_tool("expand", {"pointer": "data.csv:5-2900", "budget": 200}))
            assert part.startswith("3,Ann\n4,Ann\n")
            assert "-2900 shows the rest]" in part

    run(work)


@pytest.mark.filterwarnings("ignore:no model is called")
def test_tokens_of_a_model_that_is_not_known_are_told_to_be_estimated(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            counted = await client.call_tool("count", {"text": "hello world", "model": "no-such-model"})
            said_all = " ".join(block.text for block in counted.content)
            assert "about " in said_all
            assert "no model is called 'no-such-model'" in said_all
            assert "estimated" in said_all

    run(work)


def test_a_tool_or_resource_that_is_not_there_is_an_error_of_the_protocol(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            with pytest.raises(MCPError, match="did you mean pack"):
                await client.call_tool("pak", {})
            with pytest.raises(MCPError, match="no such file"):
                await client.read_resource("satchel://file/src/nothing.py")
            with pytest.raises(MCPError, match="context, review"):
                await client.get_prompt("other")

    run(work)


@pytest.mark.parametrize("mode", some(MODES, 1))
def test_files_are_resources_and_so_are_the_pointers_of_a_pack(mode: str, root: Path) -> None:
    async def work() -> None:
        async with in_process(root, mode=mode) as client:
            listed = (await client.list_resources()).resources
            assert {one.uri for one in listed} >= {"satchel://file/src/login.py", "satchel://file/README.md"}
            templates = (await client.list_resource_templates()).resource_templates
            known = {one.uri_template for one in templates}
            assert known >= {"satchel://file/{+path}", "satchel://file/{+path}{?lines,v}"}
            packed = await client.call_tool("pack", {"task": TASK, "budget": 900})
            pointers = [row["pointer"] for row in packed.meta["satchel"]["items"]]
            for pointer in pointers:
                (content,) = (await client.read_resource(pointer)).contents
                assert content.text
            (lines,) = (await client.read_resource("satchel://file/src/login.py?lines=1-1")).contents
            assert lines.text == "def login(name, password):\n"

    run(work)


@pytest.mark.weekly
def test_prompts_hold_the_task_and_its_context(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            names = [one.name for one in (await client.list_prompts()).prompts]
            assert names == ["context", "review"]
            told = await client.get_prompt("context", {"task": TASK, "budget": "600"})
            text = told.messages[0].content.text
            assert text.startswith(f"{TASK}\n\n")
            assert satchel.pack(TASK, root, budget=600).text in text
            (root / "src/login.py").write_text("def login(name):\n    return True\n")
            reviewed = await client.get_prompt("review", {"since": "HEAD"})
            assert "-def login(name, password):" in reviewed.messages[0].content.text
            with pytest.raises(MCPError, match="'since' is missing"):
                await client.get_prompt("review", {})

    run(work)


@pytest.mark.parametrize("mode", some(MODES, 1))
def test_the_roots_of_the_client_are_what_is_served(mode: str, root: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "bank", {"money.py": "def transfer(account):\n    return account\n"})

    async def work() -> None:
        async with in_process(root, mode=mode, roots=[other, root]) as client:
            here = await client.call_tool("expand", {"pointer": "money.py:1-1"})
            assert said(here) == "def transfer(account):\n"
            there = await client.call_tool("expand", {"pointer": "src/check.py:1-1", "root": "shop"})
            assert said(there) == "def check(name, password):\n"
            assert (await client.read_resource("satchel://file/money.py")).contents[0].text
        async with in_process(root, mode=mode, roots=[other]) as client:
            refused = await client.call_tool("search", {"query": "password", "root": str(root)})
            assert refused.is_error
            assert str(other) in said(refused)

    run(work)


def test_no_answer_has_more_tokens_than_the_server_may_give(root: Path) -> None:
    async def work() -> None:
        async with in_process(root, most=500) as client:
            for tool, arguments in (
                ("pack", {"task": "step 17", "budget": 50_000}),
                ("expand", {"pointer": "src/long.py"}),
                ("expand", {"pointer": "src/long.py", "level": "full"}),
                ("search", {"query": "step value", "limit": 100}),
                ("why", {"ref": "src/long.py", "task": "step 17"}),
                ("squeeze", {"text": "\n".join(map(str, range(9_000))), "budget": 9_000}),
            ):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, said(result)
                assert satchel.count(said(result)) <= 500, tool
            text = (await client.read_resource("satchel://file/src/long.py")).contents[0].text
            assert satchel.count(text) <= 500

    run(work)


def test_no_secret_comes_out(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            for tool, arguments in (
                ("pack", {"task": f"where is {KEY} of src/keys.py used"}),
                ("expand", {"pointer": "src/keys.py"}),
                ("expand", {"pointer": f"{KEY}.py"}),
                ("search", {"query": "key_of KEY"}),
                ("why", {"ref": "src/keys.py", "task": KEY}),
                ("squeeze", {"text": f"ERROR with {KEY}\n" * 400}),
                ("pack", {"task": "x", "budget": KEY}),
            ):
                result = await client.call_tool(tool, arguments)
                assert KEY not in result.model_dump_json(), tool

    run(work)


@pytest.mark.weekly
def test_an_answer_after_an_edit_is_new_and_comes_at_once(root: Path) -> None:
    async def work() -> None:
        async with in_process(root) as client:
            await client.call_tool("pack", {"task": TASK, "budget": 2_000})
            seconds, waited = [1.0], [10.0]
            for turn in range(40):  # the machine may be busy for a while
                if min(seconds) <= 0.15 and min(waited) < 1 and turn > 2:
                    break
                (root / "src/login.py").write_text(f"def login(name):\n    return 'turn {turn}'\n")
                begun, at = time.process_time(), time.monotonic()  # the server is in this process
                result = await client.call_tool("pack", {"task": TASK, "budget": 2_000})
                seconds.append(time.process_time() - begun)
                waited.append(time.monotonic() - at)
                assert f"turn {turn}" in said(result)
            assert min(seconds) <= 0.15, seconds
            assert min(waited) < 1, waited

    run(work)


@pytest.mark.weekly
def test_a_call_that_is_cancelled_leaves_the_server_free(root: Path, tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"part{number}.py").write_text(f"def part_{number}(login):\n    return {number}\n")

    async def work() -> None:
        told: list[float] = []

        async def hear(done: float, total: float | None, message: str | None) -> None:
            told.append(done)
            if len(told) == 2:
                scope.cancel()

        async with in_process(tmp_path) as client:
            with anyio.CancelScope() as scope:
                await client.call_tool("pack", {"task": TASK}, progress_callback=hear)
            begun = time.monotonic()
            assert not (await client.call_tool("count", {"text": "hello"})).is_error
            assert scope.cancelled_caught
            assert time.monotonic() - begun < 5
            told.clear()
            packed = await client.call_tool("pack", {"task": TASK, "budget": 500}, progress_callback=hear)
            assert not packed.is_error
            assert told == sorted(told)
            assert len(told) == len(set(told))

    run(work)


@pytest.mark.weekly
def test_progress_is_told_while_a_large_workspace_is_opened(tmp_path: Path) -> None:
    for number in range(4_000):
        (tmp_path / f"part{number}.py").write_text(f"def part_{number}(login):\n    return {number}\n")

    async def work() -> None:
        told: list[str] = []

        async def hear(done: float, total: float | None, message: str | None) -> None:
            told.append(message or "")

        async with in_process(tmp_path) as client:
            await client.call_tool("search", {"query": "part"}, progress_callback=hear)

        assert (told[0], told[-1]) == ("begin", "done")
        assert any("index" in message for message in told)

    run(work)


def test_the_process_ends_with_its_client_and_answers_lines_that_are_not_messages(root: Path) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    lines = f'no json\n\n{{"jsonrpc": "2.0", "id": 7}}\n[1]\n{json.dumps(request)}\n'
    done = run_satchel(["mcp"], given=lines, cwd=root, env=environment(), timeout=60)

    assert done.returncode == 0
    *wrong, answer = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["id"], one["error"]["code"]) for one in wrong] == [
        (None, -32700),
        (7, -32600),
        (None, -32600),
    ]
    assert "the line is not JSON: " in wrong[0]["error"]["message"]
    assert answer["result"]["serverInfo"]["name"] == "satchel"


def test_without_the_sdk_it_says_what_to_install(root: Path, tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp/__init__.py").write_text("raise ImportError('No module named mcp')\n")
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "mcp"],
        input="",
        capture_output=True,
        text=True,
        cwd=root,
        env=environment() | {"PYTHONPATH": str(tmp_path)},
        timeout=60,
    )

    assert done.returncode == 1
    assert "pip install 'satchel[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--most", "lots"], "--most"),
        (["--root", "nowhere"], "--root"),
        (["--http", "99999"], "--http 99999 is not a port"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    options: list[str],
    says: str,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(root)

    assert run_command(["mcp", *options]) in (1, 2)
    told = capfd.readouterr()
    assert says in told.err
    assert told.out == ""
