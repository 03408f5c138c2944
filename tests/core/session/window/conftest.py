"""A small workspace, a host, and a session that talks about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.session.window.talks import Make

from satchel import Host, Session, SessionWindow, WindowOptions


@pytest.fixture(scope="session")
def host() -> Host:
    """Return the installed plugins."""
    return Host.installed(deadline_seconds=None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace of a few files."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    for name in ("polling", "gauges", "server", "cart", "login"):
        body = "".join(f"def {name}_{number}(a):\n    return a + {number}\n\n\n" for number in range(12))
        (folder / f"src/{name}.py").write_text(f'"""What has to do with {name}."""\n\n\n{body}')
    return folder


@pytest.fixture
def make(session: Session, root: Path, store: Path, host: Host, own_home: Path) -> Make:
    """Return what makes a window of the session, without snapshots: they take a third of the time."""
    settings = own_home / "config/satchel/satchel.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("snapshot_at = 0.0\n")

    def made(task: str = "make polling faster", budget: int = 4_000, **options: object) -> SessionWindow:
        given = WindowOptions(root=root, store=store, **options)  # type: ignore[arg-type]
        return session.window(task, budget=budget, options=given, host=host)

    return made
