"""The engine's own answer, from a package that is installed, too old, broken, or not there."""

from __future__ import annotations

import contextlib
import importlib.util
from pathlib import Path

import pytest

from satchel import SatchelError, Sizing, UsageError, size
from satchel.sizing import Run, ask_engine

from .headers import measured, saved, tensors_of, values_of

INSTALLED = importlib.util.find_spec("llama_cpp") is not None
PLANNING = (
    "import ctypes\nclass llama_model_params(ctypes.Structure): _fields_ = [('no_alloc', ctypes.c_bool)]\n"
)


@pytest.fixture
def answer(tmp_path: Path) -> Sizing:
    known = measured()["lfm2"]
    words = {
        "tokenizer.ggml.model": "none",
        "lfm2.vocab_size": 65536,
    }
    file = saved(tmp_path / "a.gguf", values_of(known) | words, list(tensors_of(known)))
    return size(str(file), Run(4096, gpu_layers=0))


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path, inner: str, outer: str = "") -> None:
    """Put a package of that name where the child looks for it."""
    package = folder / "site" / "llama_cpp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f'__version__ = "0.1"\n{outer}')
    (package / "llama_cpp.py").write_text(inner)
    monkeypatch.setenv("PYTHONPATH", str(folder / "site"))


@pytest.mark.skipif(INSTALLED, reason="llama-cpp-python is installed")
def test_an_engine_that_is_not_installed_is_told(answer: Sizing) -> None:
    with pytest.raises(SatchelError, match="not installed beside satchel"):
        ask_engine(answer)


@pytest.mark.skipif(not INSTALLED, reason="llama-cpp-python is not installed: it must be compiled")
def test_the_installed_engine_says_what_is_computed(answer: Sizing) -> None:
    said = ask_engine(answer)

    assert said.usage.host.weights == answer.usage.host.weights
    assert said.usage.host.cache == answer.usage.host.cache


def test_an_older_engine_is_told_by_its_version(
    answer: Sizing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, "llama_model_params = object()\n")

    with pytest.raises(SatchelError, match=r"0\.1 is too old"):
        ask_engine(answer)


def test_a_planning_engine_without_its_sizes_is_too_old(
    answer: Sizing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, PLANNING)

    with pytest.raises(SatchelError, match=r"0\.1 is too old"):
        ask_engine(answer)


@pytest.mark.parametrize(
    ("outer", "reason"),
    [
        ("import os; os.abort()\n", "ended with code"),
        ("raise RuntimeError('no such symbol')\n", "can't be loaded: no such symbol"),
        ("import sys; print('hello'); sys.exit(3)\n", "ended with code 3"),
    ],
)
def test_an_engine_that_breaks_is_one_line(
    outer: str, reason: str, answer: Sizing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, "", outer)

    with pytest.raises(SatchelError, match=reason) as told:
        ask_engine(answer)
    assert "\n" not in str(told.value)


def test_an_engine_that_takes_too_long_is_ended(
    answer: Sizing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, tmp_path, "", "import time; time.sleep(60)\n")

    with pytest.raises(SatchelError, match="within 1 seconds"):
        ask_engine(answer, seconds=1)


def test_a_package_where_somebody_stands_is_never_loaded(
    answer: Sizing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "llama_cpp.py").write_text("open('loaded', 'w').close()\n")
    monkeypatch.chdir(tmp_path)

    with contextlib.suppress(SatchelError):  # where no package is installed
        ask_engine(answer)
    assert not (tmp_path / "loaded").exists()


def test_only_a_file_can_be_asked_about(answer: Sizing) -> None:
    with pytest.raises(UsageError, match=r"needs a \.gguf file"):
        ask_engine(answer._replace(model="ollama:llama3.1"))
