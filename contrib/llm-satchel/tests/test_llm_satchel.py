"""The plugin in the real `llm`, with a model that says what it was sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

llm = pytest.importorskip("llm", reason="llm is not installed: pip install llm")
import llm_satchel  # noqa: E402
from click.testing import CliRunner  # noqa: E402
from llm.cli import cli  # noqa: E402

CODE = "def login(name):\n    return bool(name)\n"


class Echo(llm.Model):  # type: ignore[misc]
    """Says what it was sent; calls the tool first, where it is given one."""

    model_id, can_stream, supports_tools = "echo", True, True

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any = None) -> Iterator[str]:
        if prompt.tools and not prompt.tool_results:
            name, given = ("satchel_pack", {"task": "the login fails"})
            response.add_tool_call(llm.ToolCall(name=name, arguments=given, tool_call_id="c1"))
            return
        yield prompt.prompt or "".join(result.output for result in prompt.tool_results)


class AsyncEcho(llm.AsyncModel):  # type: ignore[misc]
    model_id, can_stream = "echo", True

    async def execute(
        self, prompt: Any, stream: bool, response: Any, conversation: Any = None
    ) -> AsyncIterator[str]:
        yield prompt.prompt


class Models:
    @staticmethod
    @llm.hookimpl
    def register_models(register: Any) -> None:
        register(Echo(), AsyncEcho())


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "login.py").write_text(CODE)
    monkeypatch.chdir(root)
    for name in ("LLM_USER_PATH", "SATCHEL_CACHE_DIR", "SATCHEL_STATE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    llm.get_plugins()
    llm.plugins.pm.register(Models, name="models")
    is_new = not any(plugin is llm_satchel for plugin in llm.plugins.pm.get_plugins())
    if is_new:
        llm.plugins.pm.register(llm_satchel, name="satchel")
    yield root
    llm.plugins.pm.unregister(name="models")
    if is_new:
        llm.plugins.pm.unregister(name="satchel")


def ask(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["prompt", "-m", "echo", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return str(done.output)


@pytest.mark.parametrize("way", [(), ("--no-stream",), ("--async",)])
def test_a_fragment_is_the_context_of_its_task(way: tuple[str, ...]) -> None:
    told = ask("-f", "satchel:the login fails", "What is wrong?", *way)

    assert "def login(name):" in told
    assert told.rstrip().endswith("What is wrong?")


def test_the_template_holds_the_task_its_context_and_what_comes_after() -> None:
    told = ask("-t", "satchel:the login fails", "Answer in one sentence.")

    assert "def login(name):" in told
    assert "the login fails\n\nAnswer in one sentence." in told


def test_the_model_calls_the_tool() -> None:
    assert "def login(name):" in ask("-T", "satchel_pack", "-T", "satchel_expand", "Why?")


def test_a_pointer_is_expanded_and_a_wrong_one_is_told() -> None:
    assert llm_satchel.expand("login.py:2") == "    return bool(name)\n"
    with pytest.raises(Exception, match=r"lgin\.py"):
        llm_satchel.expand("lgin.py")


def test_two_tasks_are_two_fragments() -> None:
    (Path.cwd() / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")

    assert ask("-f", "satchel:login", "x") != ask("-f", "satchel:total of the cart", "x")
