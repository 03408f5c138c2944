"""The code of the pages on agent frameworks, each run in its framework where that is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "docs/how-to"
FRAMEWORKS = {
    "adk": ("google.adk", "use-in-google-adk"),
    "agents": ("agents", "use-in-openai-agents"),
    "haystack": ("haystack", "use-in-haystack"),
    "langchain": ("langchain", "use-in-langchain"),
    "litellm": ("litellm", "use-in-litellm"),
    "llamaindex": ("llama_index.core", "use-in-llamaindex"),
    "pydantic_ai": ("pydantic_ai", "use-in-pydantic-ai"),
    "smolagents": ("smolagents", "use-in-smolagents"),
}
"""Name -> what is imported, and the page."""


def is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_two_conversations_are_kept_within_their_windows(name: str, tmp_path: Path) -> None:
    module, page = FRAMEWORKS[name]
    if not is_there(module):
        pytest.skip(f"{module} is not installed: .ci/plugs installs it")
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    for file, code in re.findall(r"^<!-- file: (\S+) -->\n```python\n(.*?)^```$", text, re.M | re.S):
        (tmp_path / file).write_text(code, encoding="utf-8")
    settings = {"SATCHEL_CACHE_DIR": str(tmp_path / "cache"), "SATCHEL_STATE_DIR": str(tmp_path / "state")}
    program = f"import runpy, try_{name}; runpy.run_path({str(HERE / f'check_{name}.py')!r})"

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(HERE)])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    assert "calls of the model, all within" in done.stdout
