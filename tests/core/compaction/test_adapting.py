"""A framework's own messages go in, and those that are not cut come out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import satchel


class Said(NamedTuple):
    """A message of a framework; several texts are several messages elsewhere."""

    who: str
    texts: tuple[str, ...]


def neutral(said: Said) -> Any:
    if said.who == "nobody":
        return []
    made = [{"role": said.who, "content": text} for text in said.texts]
    return made if len(made) > 1 else made[0]


def rebuild(old: Said, made: Any) -> Said:
    kept = made if isinstance(made, list) else [made]
    return Said(old.who, tuple(one["content"] for one in kept if one is not None))


@pytest.fixture
def adapter(tmp_path: Path) -> satchel.Adapter[Said]:
    return satchel.Adapter(
        600,
        neutral=neutral,
        rebuild=rebuild,
        note=lambda made: Said(made["role"], (made["content"],)),
        store=str(tmp_path),
    )


def talk(turns: int) -> list[Said]:
    made = [Said("system", ("Be brief.",)), Said("user", ("The login fails.",))]
    for turn in range(turns):
        made.append(
            Said("assistant", tuple(f"Step {turn}.{part} compiles a module. " * 9 for part in range(2)))
        )
        made.append(Said("nobody", ()))
    return [*made, Said("user", ("And now?",))]


def test_what_fits_is_the_very_objects(adapter: satchel.Adapter[Said]) -> None:
    messages = talk(1)
    fitted = adapter.fit(messages)

    assert len(fitted) == len(messages)
    assert all(one is other for one, other in zip(fitted, messages, strict=True))


def test_what_does_not_fit_is_rebuilt_and_the_rest_stays(adapter: satchel.Adapter[Said]) -> None:
    messages = talk(40)
    whole = list(messages)
    fitted = adapter.fit(messages)
    known = {id(one) for one in messages}
    texts = [{"role": "user", "content": text} for one in fitted for text in one.texts]

    assert messages == whole
    assert satchel.count(texts) <= 600
    assert fitted[0] is messages[0]
    assert fitted[1] is messages[1]
    assert fitted[-1] is messages[-1]
    assert [one for one in fitted if id(one) not in known], "nothing was rebuilt, and there is no note"


def test_the_beginning_stays_when_a_turn_is_added(adapter: satchel.Adapter[Said]) -> None:
    first = adapter.fit(talk(40))
    second = asyncio.run(
        adapter.afit([*talk(40), Said("assistant", ("It works.",)), Said("user", ("Thanks!",))])
    )

    assert second[: len(first)] == first


def test_conversations_of_two_keys_are_two(adapter: satchel.Adapter[Said]) -> None:
    one = adapter.fit(talk(40), key="ann")
    other = adapter.fit([*talk(3), Said("user", ("Something else.",))], key="bob")

    assert one[-1].texts == ("And now?",)
    assert other[-1].texts == ("Something else.",)
