"""What every test gets: a home, a cache and a git of its own, none of them the person's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.core.repositories import POLYGLOT, STRANGE, TOPICS, make_repository, write_files

# How long an example takes tells more of a busy machine than of the code: `test_linear.py` measures.
_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **_UNTIMED)
settings.register_profile("explore", derandomize=False, **_UNTIMED)
settings.load_profile(os.environ.get("SATCHEL_TEST_PROFILE", "steady"))


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the person's configuration, cache and state out of the tests, and the tests out of them."""
    folder = tmp_path_factory.mktemp("own-home")
    for name in [name for name in os.environ if name.startswith(("SATCHEL_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CONFIG", "CACHE", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(folder / "satchel-cache"))
    return folder


@pytest.fixture
def cache_dir(own_home: Path) -> Path:
    """Return the cache folder of this test."""
    return own_home / "satchel-cache"


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
