"""The code in the pages runs, and equals the examples that it is taken from."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.processes import run_satchel

import satchel_plugins
from satchel import Host
from satchel import config as configuration
from satchel.host import PluginKind
from satchel.testing.repository import make_repository

from .pages import PAGES, ROOT, blocks, name_of, read

EXAMPLES: Mapping[str, str] = {
    "how-to/write-a-scorer": "examples/scorer-plugin",
    "how-to/add-a-language": "examples/language-plugin",
    "how-to/add-a-scanner": "examples/scanner-plugin",
}
WRITTEN = (
    "how-to/add-a-message-format",
    "how-to/add-a-provider",
    "how-to/add-a-redaction-rule",
    "how-to/score-messages",
    "how-to/write-a-compressor",
    "how-to/write-a-gpu-backend",
    "how-to/write-a-packer",
    "how-to/write-a-session-store",
    "how-to/write-a-tokenizer",
    "how-to/write-an-observer",
)
FRAMEWORKS = (
    "how-to/use-in-google-adk",
    "how-to/use-in-haystack",
    "how-to/use-in-langchain",
    "how-to/use-in-litellm",
    "how-to/use-in-llamaindex",
    "how-to/use-in-openai-agents",
    "how-to/use-in-pydantic-ai",
    "how-to/use-in-smolagents",
)
"""`.ci/plugs` runs them in the frameworks."""
RUN = (
    "how-to/call-from-python",
    "how-to/use-asyncio",
    "how-to/use-a-model",
    "how-to/guard-a-window",
    "how-to/run-an-agent",
    "how-to/watch",
)


_TESTS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".")
_WITHOUT = ("xdist", "xdist.looponfail", "hypothesispytest", "anyio")
"""Plugins of pytest that an example's tests don't use: they take longer to load than those tests."""


def python(*arguments: str, folder: Path, path: Path | str = "") -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with another one on its path."""
    return subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_file(file: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a file in a folder, with its own folder on the path, in a process that has satchel loaded."""
    code = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    return run_code(code, str(file), *words, folder=folder, path=file.parent)


def run_code(code: str, *words: str, folder: Path, path: Path | str = "") -> subprocess.CompletedProcess[str]:
    """Run code in a folder, with another one on its path, in a process that has satchel loaded."""
    strict = "import warnings\nwarnings.simplefilter('error', DeprecationWarning)\n"
    return run_satchel(
        words, given="", cwd=folder, env={**os.environ, "PYTHONPATH": str(path)}, code=strict + code
    )


def run_tests(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder that is on Python's path."""
    without = (word for name in _WITHOUT for word in ("-p", f"no:{name}"))
    return python(*_TESTS, *without, *arguments, folder=folder, path=folder)


def test_every_page_with_python_is_tested_here_or_is_the_reference_of_hooks() -> None:
    named = {*EXAMPLES, *WRITTEN, *FRAMEWORKS, *RUN, "reference/hooks", "reference/plugin-api"}
    pages = [
        page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for page in PAGES
        if page.is_relative_to(ROOT / "docs")
    ]

    assert {page for page in pages if blocks(read(page), "python")} == named


@pytest.mark.parametrize("page", FRAMEWORKS)
def test_the_code_of_a_framework_is_checked_in_it(page: str) -> None:
    shown = blocks(read(page), "python")
    modules = [block.file.removesuffix(".py") for block in shown]
    script = (ROOT / ".ci/plugs").read_text(encoding="utf-8")
    framework = modules[0].removeprefix("satchel_")

    assert [compile(block.code, block.file, "exec") is not None for block in shown] == [True, True]
    assert modules == [f"satchel_{framework}", f"try_{framework}"]
    assert f"[{framework}]=" in script
    assert (ROOT / f"tests/frameworks/check_{framework}.py").exists()


@pytest.mark.parametrize("page", EXAMPLES)
def test_a_page_shows_its_example_as_it_is(page: str) -> None:
    shown = {block.file: block.code for block in blocks(read(page), "python")}
    there = {name: (ROOT / EXAMPLES[page] / name).read_text(encoding="utf-8") for name in shown}

    assert len(shown) == 2
    assert shown == there


@pytest.mark.parametrize("page", EXAMPLES)
def test_the_project_file_of_a_page_says_what_that_of_its_example_says(page: str) -> None:
    shown = tomllib.loads(
        next(block.code for block in blocks(read(page), "toml") if "build-system" in block.code)
    )
    there = tomllib.loads((ROOT / EXAMPLES[page] / "pyproject.toml").read_text(encoding="utf-8"))

    assert shown["build-system"] == there["build-system"]
    assert {key: there["project"][key] for key in shown["project"]} == shown["project"]


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("example", EXAMPLES.values())
def test_the_tests_of_an_example_pass(example: str) -> None:
    folder = ROOT / example
    done = run_tests("tests", folder=folder)

    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("page", WRITTEN)
def test_the_files_of_a_page_work_and_keep_the_contract(page: str, tmp_path: Path) -> None:
    for block in blocks(read(page), "python"):
        (tmp_path / block.file).write_text(block.code, encoding="utf-8")
    root = make_repository(tmp_path / "workspace")

    tests = run_tests(folder=tmp_path)
    runs = [run_file(file, folder=root) for file in tmp_path.glob("try_*.py")]

    assert tests.returncode == 0, tests.stdout
    assert [run.stderr for run in runs if run.returncode] == []
    assert [run.args for run in runs if run.stdout.strip() in ("", "[]")] == []


@pytest.mark.costly
@pytest.mark.parametrize("page", RUN)
def test_the_blocks_of_a_page_run_one_after_the_other(page: str, tmp_path: Path) -> None:
    program = "\n".join(block.code for block in blocks(read(page), "python"))
    done = run_code(program, folder=make_repository(tmp_path / "workspace"))

    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_example_that_packs_a_folder_runs(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "workspace")
    done = run_file(
        ROOT / "examples/pack_a_repo.py", "what costs the cart?", str(root), "300", folder=tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert "```python shop/cart.py" in done.stdout
    assert "of 300 tokens" in done.stderr


def test_the_example_says_what_it_can_not_do(tmp_path: Path) -> None:
    done = run_file(ROOT / "examples/pack_a_repo.py", "x", str(tmp_path / "gone"), folder=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("can't pack: ")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_of_toml_can_be_read(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8"), "toml"):
        tomllib.loads(block.code)


@pytest.mark.parametrize("page", ["how-to/configure", "how-to/use-a-model"])
def test_satchel_understands_the_configuration_of_a_page(page: str, tmp_path: Path) -> None:
    host = Host.of(satchel_plugins, deadline_seconds=None)
    for block in blocks(read(page), "toml"):
        (tmp_path / "satchel.toml").write_text(block.code, encoding="utf-8")
        config = configuration.load(tmp_path, env={})
        assert configuration.check_tables(config, host) == []
        for kind, tables in config.plugins.items():
            host.make_all(PluginKind(kind), tables)
