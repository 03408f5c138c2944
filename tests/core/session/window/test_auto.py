"""`auto` with a local model: the window that fits its cards, for compact and for sessions."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import attrs
import pytest
from tests.core.session.window.talks import talk
from tests.core.sizing.headers import measured, saved, tensors_of, values_of

import satchel_plugins
from satchel import Card, Device, Host, Session, WindowOptions, hookimpl, size
from satchel.cli.conversation.compact import _find_model
from satchel.config import Config
from satchel.runs import model_of, room_for

FREE = 4 << 30


@attrs.frozen
class OneCard:
    """A card with 4 GiB."""

    name: ClassVar[str] = "onecard"

    def devices(self) -> list[Device]:
        """Return it."""
        return [Device("card", FREE, FREE, "test")]


@pytest.fixture(scope="module")
def carded() -> Host:
    """Return the built-in plugins with one card instead of the machine's."""
    own = {name: hook for name, hook in vars(satchel_plugins).items() if name.startswith("satchel_")}
    cards = hookimpl(lambda: [OneCard])
    plugins = SimpleNamespace(**{**own, "satchel_gpu_backends": cards})
    return Host.of(plugins, deadline_seconds=None)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Return a configuration that names a local model."""
    known = measured()["cohere2"]
    path = saved(tmp_path / "weights.gguf", values_of(known), list(tensors_of(known)))
    return Config(model=str(path), vram_margin=0)


def test_the_room_is_the_window_that_size_finds(config: Config, carded: Host) -> None:
    sized = size(config.model, cards=[Card(FREE, 0, "card")])

    room = room_for(config, carded, model_of(config), "auto")

    assert room.window == sized.run.context
    assert room.window * 3 // 4 <= room.budget < room.window


def test_compact_takes_that_room_in_tokens_of_the_model(config: Config, carded: Host) -> None:
    model = _find_model(config, "", "auto")

    assert model is not None
    assert model == model_of(config)
    assert room_for(config, carded, model, "auto").budget > 1


@pytest.mark.weekly
def test_a_session_takes_that_room(
    session: Session, root: Path, config: Config, carded: Host, store: Path
) -> None:
    talk(session, 2)
    options = WindowOptions(root=root, store=store, config=config)

    made = session.window("polling", budget="auto", options=options, host=carded)

    assert made.parts["reply"] == made.window - made.budget > 0
    assert sum(made.parts.values()) == made.window
    assert made.tokens <= made.budget
