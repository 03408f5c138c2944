"""The real programs read what `satchel install` writes; `.ci/clients` installs them and runs this."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .model_server import Block, anthropic_model, gemini_model

ROOT = Path(__file__).parents[2]
PROGRAMS = os.environ.get("SATCHEL_CLIENTS", str(ROOT / "build/clients/node_modules/.bin"))
PATH = os.pathsep.join([PROGRAMS, str(Path(sys.executable).parent), os.environ["PATH"]])
LISTS = {"codex": "codex mcp list", "gemini": "gemini mcp list", "opencode": "opencode mcp list"}
COMMAND = "seq 1 3000 | sed 's/$/ words of a line/'; echo FAILED: disk is full; seq 1 9; exit 3"
pytestmark = pytest.mark.slow


def needs(program: str) -> None:
    if shutil.which(program, path=PATH) is None:
        pytest.skip(f"{program} is not installed; .ci/clients installs it")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a home and a project; short, because sockets have short names."""
    folder = Path(tempfile.mkdtemp(prefix="sc"))
    (folder / "home").mkdir()
    (folder / "project").mkdir()
    (folder / "project/options.py").write_text("def parse_options(words):\n    return words\n")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def run(place: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    own = {name: str(place / name[8:-4].lower()) for name in ("SATCHEL_CACHE_DIR", "SATCHEL_STATE_DIR")}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=place / "project",
        env={"PATH": PATH, "HOME": str(place / "home"), **own, **env},
        timeout=180,
        check=False,
    )


def satchel(place: Path, *words: str) -> None:
    ran = run(place, sys.executable, "-m", "satchel", *words)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("program", LISTS)
def test_a_program_lists_the_server_that_was_installed(program: str, place: Path) -> None:
    needs(program)
    before = run(place, *LISTS[program].split())
    satchel(place, "install", program)

    listed = run(place, *LISTS[program].split())
    satchel(place, "uninstall", program)
    after = run(place, *LISTS[program].split())

    assert "satchel" in listed.stdout + listed.stderr
    assert "satchel" not in before.stdout + after.stdout


def test_the_plugin_is_valid() -> None:
    needs("claude")
    with tempfile.TemporaryDirectory() as home:
        for words in (["--profile", "directory", "contrib/claude-code"], ["."]):
            ran = subprocess.run(
                ["claude", "plugin", "validate", "--strict", *words],
                cwd=ROOT,
                env={"PATH": PATH, "HOME": home},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                executable=shutil.which("claude", path=PATH),
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr


def _answer(asked: dict[str, Any]) -> list[Block]:
    told = json.dumps(asked["messages"])
    tools = [tool.get("name") for tool in asked.get("tools", ())]
    if "RUN IT" in told and "tool_result" not in told and "Bash" in tools:
        return [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": COMMAND}}]
    return [{"type": "text", "text": "Done."}]


def test_claude_code_sends_what_satchel_adds(place: Path) -> None:
    needs("claude")
    with anthropic_model(_answer) as model:
        env = {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "sk-ant-made-up",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

        def claude(*words: str) -> str:
            program = shutil.which("claude", path=PATH)
            assert program
            ran = run(place, program, *words, **env)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            return model.sent()

        satchel(place, "install", "claude-code", "--only", "hooks", "--only", "shell")
        first = claude("-p", "RUN IT: how does parse_options of options.py work?", "--allowedTools", "Bash")
        assert "satchel chose these parts" in first
        assert "def parse_options" in first
        result = first.partition("tool_result")[2]
        assert "FAILED: disk is full" in result
        assert "Exit code 3" in result
        assert "blob:" in result
        assert len(result) < 3_000

        claude("-c", "-p", "/compact")
        assert "is kept: blob:" in claude("-c", "-p", "thanks")

        satchel(place, "uninstall", "claude-code")
        last = claude("-p", "how does parse_options of options.py work?")
        assert "satchel" not in last
    assert not (place / "home/.claude/settings.json").exists()
    assert not (place / "cache/resident").exists()


def test_gemini_sends_what_satchel_adds(place: Path) -> None:
    needs("gemini")
    settings = place / "home/.gemini/settings.json"
    settings.parent.mkdir()
    before = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    settings.write_text(before)
    satchel(place, "install", "gemini")
    with gemini_model() as model:
        env = {"GEMINI_API_KEY": "made-up", "GOOGLE_GEMINI_BASE_URL": model.url}
        program = shutil.which("gemini", path=PATH)
        assert program
        words = ["--skip-trust", "-p", "how does parse_options of options.py work?"]
        ran = run(place, program, *words, **env)

        assert ran.stdout.strip() == "Done.", ran.stderr
        assert "satchel chose these parts" in model.sent()
        assert "def parse_options" in model.sent()
    satchel(place, "uninstall", "gemini")
    assert json.loads(settings.read_text()) == json.loads(before)


def test_claude_code_goes_on_where_satchel_is_gone(place: Path) -> None:
    needs("claude")
    satchel(place, "install", "claude-code", "--only", "hooks", "--only", "shell")
    for name in (".claude/settings.json", ".claude/satchel-shell"):
        path = place / "home" / name
        path.write_text(path.read_text().replace(str(Path(sys.executable).parent), "/nowhere"))
    with anthropic_model(_answer) as model:
        program = shutil.which("claude", path=PATH)
        assert program
        ran = run(
            place,
            program,
            "-p",
            "RUN IT: options.py",
            "--allowedTools",
            "Bash",
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="sk-ant-made-up",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

        assert (ran.returncode, ran.stdout) == (0, "Done.\n")
        assert "Exit code 3" in model.sent()
        assert "100 words of a line" in model.sent()
