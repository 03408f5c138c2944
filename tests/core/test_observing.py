"""Events reach the caller, the plugins, and a file of JSON Lines."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import attrs
import pytest

import satchel_plugins
from satchel import BudgetError, ConfigError, Host, Problem, SatchelError, events, hookimpl
from satchel.config import Config, load
from satchel.host import EventFile

TOLD = {
    "str": "text",
    "int": 3,
    "float": 0.5,
    "Problem": Problem("a", "load", "it failed"),
    "tuple[str, ...]": ("one",),
}
KINDS = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.Event)]
WANTED = (
    "ItemsGathered ItemKept ItemDropped BudgetExceeded OutputCompressed EditRecorded Compacted SnapshotTaken "
    "SnapshotRestored PressureChanged PluginFailed"
)


def sample(kind: type[events.Event]) -> events.Event:
    """Return an event of a kind."""
    return kind(*(TOLD[str(field.type)] for field in attrs.fields(kind)))


def test_every_event_that_is_promised_exists_and_is_frozen() -> None:
    assert set(WANTED.split()) <= {kind.__name__ for kind in KINDS}
    for kind in KINDS:
        event = sample(kind)
        for field in attrs.fields(kind):
            with pytest.raises(attrs.exceptions.FrozenInstanceError):
                setattr(event, field.name, None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_is_one_line_with_its_name_time_and_fields(kind: type[events.Event], tmp_path: Path) -> None:
    write = EventFile(tmp_path / "e.jsonl", clock=lambda: 12.5)

    write(sample(kind))

    (line,) = (tmp_path / "e.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["event"], told["time"]) == (kind.__name__, 12.5)
    assert told.keys() - {"event", "time"} == {field.name for field in attrs.fields(kind)}


def test_what_the_file_holds_stays_and_threads_write_whole_lines(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"event": "Before"}\n')

    def write() -> None:
        told = EventFile(tmp_path / "e.jsonl")
        for number in range(20):
            told(events.ItemsGathered("files" * 50, number))

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    names = [json.loads(line)["event"] for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert names == ["Before", *["ItemsGathered"] * 80]


def test_no_secret_is_written(tmp_path: Path) -> None:
    key = "ghp_" + "Zq7RtB2mKx9LwVn4Yc6HsDf1Jg8PaTu3Ee5o"

    EventFile(tmp_path / "e.jsonl")(events.OutputCompressed(f"login {key}", 1, 2, ""))

    assert key not in (tmp_path / "e.jsonl").read_text()


def test_a_file_that_can_not_be_written_is_an_error_at_once(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none/e.jsonl"):
        with pytest.raises(SatchelError, match="events can't be written"):
            EventFile(path)


def test_a_pack_and_a_compaction_that_can_not_be_made_tell_it(tmp_path: Path) -> None:
    from satchel import PackOptions, compact, pack

    (tmp_path / "a.py").write_text("a = 1\n" * 400)
    told: list[events.Event] = []
    with pytest.raises(BudgetError):
        pack("x", tmp_path, budget=60, pins=["a.py"], options=PackOptions(observe=told.append))
    with pytest.raises(BudgetError):
        compact([{"role": "user", "content": "word " * 900}], budget=40, observe=told.append)

    assert [type(event).__name__ for event in told] == ["BudgetExceeded"] * 2


class Recorder:
    """Records what the observers of a test are told."""

    told: ClassVar[list[str]] = []


@attrs.frozen
class Loud:
    """Records events, each with the prefix of its settings."""

    name: ClassVar[str] = "loud"
    prefix: str = "none"

    def __call__(self, event: events.Event) -> None:
        Recorder.told.append(f"{self.prefix} {type(event).__name__}")


@pytest.fixture
def loud() -> Iterator[Host]:
    """Give the built-in plugins and one observer with a setting."""
    Recorder.told.clear()
    yield Host.of(satchel_plugins, SimpleNamespace(satchel_observers=hookimpl(lambda: [Loud])))
    Recorder.told.clear()


def configured(folder: Path, text: str) -> Config:
    """Return the configuration of a folder whose `satchel.toml` has this text."""
    (folder / "satchel.toml").write_text(text)
    return load(folder, env={})


def test_an_observer_has_the_settings_of_its_table(loud: Host, tmp_path: Path) -> None:
    from satchel import PackOptions, compact, pack

    (tmp_path / "a.py").write_text("a = 1\n" * 400)
    config = configured(tmp_path, '[observer.loud]\nprefix = "hey"\n')
    turns = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "word " * 900}]
    messages = [*turns, {"role": "user", "content": "what now?"}]
    pack("x", tmp_path, budget=400, host=loud, options=PackOptions(config=config))
    packed = set(Recorder.told)
    compact(messages, budget=500, host=loud, config=config)
    with pytest.raises(BudgetError):
        compact([{**turns[1], "role": "user"}], budget=40, host=loud, config=config)

    assert "hey ItemsGathered" in packed
    assert set(Recorder.told) - packed == {"hey Compacted", "hey BudgetExceeded"}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("observer", "table"), [(Loud, "[observer.loud]\nprefx = 1\n"), (print, "[observer.print]\nend = 1\n")]
)
def test_a_wrong_setting_of_an_observer_is_an_error(observer: object, table: str, tmp_path: Path) -> None:
    from satchel import PackOptions, pack

    host = Host.of(satchel_plugins, SimpleNamespace(satchel_observers=hookimpl(lambda: [observer])))
    (tmp_path / "a.py").write_text("a = 1\n")

    with pytest.raises(ConfigError, match=r"satchel\.toml: observer\.\w+\.\w+: unknown key"):
        pack("x", tmp_path, budget=400, host=host, options=PackOptions(config=configured(tmp_path, table)))
