"""Of a history of many thousands, the newest and what the task asks for are looked at."""

from __future__ import annotations

from typing import Any

import pytest
from tests.amounts import sized

from satchel import Window, compact
from satchel.compaction import Rules, cutting, worth
from satchel.compaction.worth import BEST, FEW, NEWEST, sift_exchanges
from satchel.plugin_api import Block, BlockKind, Exchange, Message

COUNT = FEW + 2_000


def exchange(at: int, text: str, *, role: str = "assistant") -> Exchange:
    return Exchange(f"m{at}", (Message(role, text, at),))


def talk(said: dict[int, str]) -> list[Exchange]:
    return [exchange(at, said.get(at, f"step {at}")) for at in range(COUNT)]


def looked_at(exchanges: list[Exchange], terms: list[str], tools: tuple[str, ...] = ()) -> list[int]:
    return sift_exchanges(exchanges, 1_000, terms=terms, rules=Rules(side_effects=frozenset(tools)))


@pytest.mark.weekly
def test_the_newest_are_looked_at() -> None:
    assert looked_at(talk({}), [])[-NEWEST:] == list(range(COUNT - NEWEST, COUNT))


def test_so_many_of_the_older_ones_are_too() -> None:
    found = looked_at(talk({}), [])
    assert len(found) == NEWEST + BEST
    assert found == sorted(set(found))


def test_an_old_exchange_with_the_tasks_words_is_looked_at() -> None:
    exchanges = talk({7: "the Gasket leaks"})
    assert 7 in looked_at(exchanges, ["gasket"])
    assert 7 not in looked_at(exchanges, ["piston"])


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    exchanges = talk(dict.fromkeys(range(1, COUNT - NEWEST), "valve") | {0: "gasket"})
    assert 0 in looked_at(exchanges, ["valve", "gasket"])


def test_what_a_user_wrote_is_looked_at_first() -> None:
    exchanges = talk({})
    exchanges[3] = exchange(3, "please", role="user")
    assert 3 in looked_at(exchanges, [])


def test_a_call_with_side_effects_is_looked_at() -> None:
    exchanges = talk({})
    call = Block(BlockKind.CALL, "{}", "deploy", "c1")
    exchanges[5] = Exchange("m5", (Message("assistant", (call,), 5),))
    assert 5 in looked_at(exchanges, [], ("deploy",))


def test_a_large_window_looks_at_more_of_the_newest() -> None:
    exchanges = talk(dict.fromkeys(range(COUNT), "word " * 400))
    assert len(sift_exchanges(exchanges, 1_000_000, terms=[], rules=Rules())) == COUNT


@pytest.fixture(scope="module")
def long_history(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], Window]:
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": f"step {at}"} for at in range(sized(COUNT))]
    messages[10]["content"] = "the password policy of gasket_service is strict"
    messages.append({"role": "user", "content": "what is the policy of gasket_service?"})
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((worth, "BEST"), (worth, "NEWEST"), (cutting, "FEW")):
            patch.setattr(module, name, sized(getattr(module, name)))
        return messages, compact(messages, budget=2_000, store=tmp_path_factory.mktemp("store"))


def test_a_long_history_keeps_what_is_promised_and_asked_for(
    long_history: tuple[list[dict[str, Any]], Window],
) -> None:
    messages, window = long_history
    assert window.tokens <= 2_000
    assert messages[0] in window.messages
    assert messages[-1] == window.messages[-1]
    assert messages[10] in window.messages


def test_each_message_of_a_long_history_stands_in_the_window_or_among_the_cuts(
    long_history: tuple[list[dict[str, Any]], Window],
) -> None:
    messages, window = long_history
    cut = [one.index for one in window.cut]
    assert cut == sorted(set(cut))
    kept = {str(message["content"]) for message in window.messages}
    assert {at for at, one in enumerate(messages) if one["content"] not in kept} == set(cut)
    assert all(one.pointer and one.tokens > 0 for one in window.cut)
