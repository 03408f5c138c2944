"""What every test gets: a home, a cache and a git of its own, none of them the person's."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.amounts import FULL, MOST_CASES, PROFILE, function_of, register_profiles, sampled
from tests.core.repositories import POLYGLOT, STRANGE, TOPICS, make_repository, write_files
from tests.vocabularies import lend_cache

register_profiles()
settings.load_profile(os.environ.get(PROFILE, "steady"))
LEFT_OUT = pytest.StashKey[int]()
MEMORY = Path("/dev/shm")
"""A file system in memory: making and removing folders costs a tenth there."""
_ENOUGH = 2 << 30
"""Bytes that must be free in it."""
_TEMPORARY = "PYTEST_DEBUG_TEMPROOT"
"""The environment variable by which pytest is told where temporary folders go."""
_ALLOCATIONS = 400_000
"""Objects made before the collector looks at the new ones: thousands of tests never become garbage."""

gc.set_threshold(_ALLOCATIONS, 50, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs every case."""
    parser.addoption(
        FULL,
        action="store_true",
        help=f"run every test, and every case of a parametrized one, not {MOST_CASES} evenly spread ones",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Put temporary folders into memory; let the processes that tests start share what is compiled.

    Where Python is told to keep nothing that is compiled, it is kept beside what pytest keeps.
    """
    config.stash[LEFT_OUT] = 0
    if _may_use_memory():
        os.environ.setdefault(_TEMPORARY, str(MEMORY))
    if not sys.dont_write_bytecode or not hasattr(config, "cache") or config.cache is None:
        return
    compiled = config.cache.mkdir("compiled")
    temporary = os.environ.get(_TEMPORARY) or tempfile.gettempdir()
    for old in compiled.joinpath(*Path(temporary).parts[1:]).glob("pytest-of-*"):
        shutil.rmtree(old, ignore_errors=True)
    sys.pycache_prefix, sys.dont_write_bytecode = str(compiled), False
    os.environ["PYTHONPYCACHEPREFIX"] = str(compiled)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _may_use_memory() -> bool:
    """Return whether there is a file system in memory with room, in which programs may be run."""
    try:
        place = os.statvfs(MEMORY)
    except (AttributeError, OSError):
        return False
    return (
        os.access(MEMORY, os.W_OK)
        and not place.f_flag & os.ST_NOEXEC
        and place.f_bavail * place.f_frsize >= _ENOUGH
    )


def pytest_collection_finish() -> None:
    """Let the collector look no more at what is there before the first test."""
    gc.freeze()


@pytest.hookimpl(trylast=True)  # after `-m`, so that the cases that run are the ones that are counted
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a few cases of each parametrized test, and none of what is weekly, unless they were asked for."""
    if config.getoption(FULL) or config.option.keyword:
        return
    named = [name.replace(os.sep, "/") for name in config.args if "::" in name]
    costly = {function_of(item.nodeid) for item in items if item.get_closest_marker("costly")}
    weekly = {item.nodeid for item in items if item.get_closest_marker("weekly")}
    keeps = sampled([item.nodeid for item in items], named, costly, weekly)
    left_out = [item for item, keep in zip(items, keeps, strict=True) if not keep]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item, keep in zip(items, keeps, strict=True) if keep]
    config.stash[LEFT_OUT] = len(left_out)
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = len(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all tests of a file to one worker of pytest-xdist, so that what they share is made once."""
    if config.option.dist != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker of pytest-xdist how many cases were left out; each worker leaves out the same."""
    told = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], told)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many cases were left out."""
    if left_out := config.stash[LEFT_OUT]:
        terminalreporter.write_line(
            f"{left_out} cases left out, of parametrized tests evenly spread; {FULL} runs them"
        )


@pytest.fixture(scope="session")
def own_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the place of a new folder each time: `mktemp` reads all that are there to find a name.

    Names are short, because a socket's path has at most about a hundred characters.
    """
    folder = tmp_path_factory.mktemp("h")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_home(own_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the person's configuration, cache and state out of the tests, and the tests out of them."""
    folder = next(own_homes)
    lend_cache(folder / "kept")
    for name in [name for name in os.environ if name.startswith(("SATCHEL_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CONFIG", "CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(folder / "kept"))
    return folder


@pytest.fixture
def cache_dir(own_home: Path) -> Path:
    """Return the cache folder of this test."""
    return own_home / "kept"


@pytest.fixture
def polyglot(tmp_path: Path) -> Path:
    """Return a repository in several languages with three commits."""
    return make_repository(tmp_path / "polyglot", POLYGLOT)


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """Return a folder without git whose files are as odd as files get."""
    return write_files(tmp_path / "strange", STRANGE)


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    """Return a repository about several unrelated things."""
    return make_repository(tmp_path / "topics", TOPICS)
