"""What people lay down in passing stands in the window, and of long texts what matters does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.core.compaction.talks import step, talk

from satchel import Host, Window, compact, expand
from satchel.compaction.promises import find_instructions

HOST = Host.installed(deadline_seconds=None)
FILLER = "The moss grows slowly in the shade and keeps the water of the spring for a long while. "


def compacted(messages: Any, budget: int, store: Path, **asked: Any) -> Window:
    return compact(messages, budget=budget, store=store, host=HOST, **asked)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def chat(turns: int, said: dict[int, str]) -> list[dict[str, Any]]:
    """Return a chat without tools, in which a person says some things in passing."""
    messages = [user("Help me with my thesis on moss.")]
    for turn in range(turns):
        messages.append({"role": "assistant", "content": f"Answer {turn}. " + FILLER * 3})
        messages.append(user(f"{said.get(turn, '')} And what of part {turn}? {FILLER}".strip()))
    return messages


def log(lines: int, told: str) -> str:
    """Return a log in the middle of which something is told."""
    rows = [f"12:00:{line % 60:02} INFO served page {line} to a reader in good time" for line in range(lines)]
    rows.insert(lines // 2, told)
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("text", "laid_down"),
    [
        ("Thanks. From now on always answer in Dutch. What next?", "From now on always answer in Dutch."),
        ("no, use port 8081 instead of 8080", "no, use port 8081 instead of 8080"),
        ("We decided to use Zotero.", "We decided to use Zotero."),
        (
            "My supervisor's name is Dr. Brandvold, by the way",
            "My supervisor's name is Dr. Brandvold, by the way",
        ),
        ("The title is now 'The Bog'. Go on.", "The title is now 'The Bog'."),
        ('The ship is called "Kestrel".', 'The ship is called "Kestrel".'),
        ("Gut. Ab jetzt gilt Port 8081. Danke!", "Ab jetzt gilt Port 8081."),
        ("Ciao! D'ora in poi usa il metrico. E poi?", "D'ora in poi usa il metrico."),
        ("Bien. Olvida lo de Redis, por favor.", "Olvida lo de Redis, por favor."),
        ("ok。今後は必ず敬語を使ってください。次", "今後は必ず敬語を使ってください。"),
        ("Never mind, that was great. I always loved it.", ""),
        ("What does the loop do?", ""),
    ],
)
def test_the_sentence_that_lays_something_down_is_found(text: str, laid_down: str) -> None:
    assert "".join(text[start:end] for start, end in find_instructions(text)) == laid_down


@pytest.mark.parametrize("share", [0.25, 0.1])
def test_a_chat_that_is_cut_keeps_what_was_laid_down_in_it(share: float, tmp_path: Path) -> None:
    said = {7: "Never cite preprints.", 31: "Use n=412.", 60: "Correction: n=398, not n=412."}
    messages = chat(90, said)
    whole = compacted(messages, 100_000, tmp_path).tokens
    told = str(compacted(messages, int(whole * share), tmp_path).messages)

    assert "Never cite preprints." in told
    assert "Correction: n=398, not n=412." in told


def test_what_people_tell_one_another_under_their_names_is_no_rule(tmp_path: Path) -> None:
    messages = [
        {**one, "content": f"{'Ann' if one['role'] == 'user' else 'Ben'}: {one['content']}"}
        for one in chat(90, {7: "We decided to walk."})
    ]
    whole = compacted(messages, 100_000, tmp_path).tokens
    told = str(compacted([*messages, user("Where is the moss?")], whole // 10, tmp_path).messages)

    assert "We decided to walk." not in told


def test_rules_that_are_old_stand_before_newer_requests_that_lay_nothing_down(tmp_path: Path) -> None:
    messages = [*talk(1), user("Do not touch gen/. " + FILLER)]
    for turn in range(40):
        messages += [*step(turn + 1, 4), user(f"And part {turn}? " + FILLER * 3)]

    assert "Do not touch gen/." in str(compacted(messages, 2_400, tmp_path).messages)


def test_of_a_log_that_a_person_pasted_the_words_beside_it_and_its_error_stand(tmp_path: Path) -> None:
    error = "12:00:07 ERROR pool: lease lse_77 was lost after 20 s"
    pasted = f"Here is the log:\n{log(300, error)}\nNote that node 3 has another kernel."
    messages = [*chat(3, {}), user(pasted), *chat(20, {})[1:]]
    told = str(compacted(messages, 2_000, tmp_path).messages)

    assert "Here is the log:" in told
    assert "Note that node 3 has another kernel." in told
    assert error in told


def test_a_chat_of_messages_that_are_all_too_long_uses_its_room(tmp_path: Path) -> None:
    messages = [user("Why does it crash?")]
    for node in range(6):
        messages += [user(f"Node {node}:\n{log(150, 'ok')}"), {"role": "assistant", "content": "I see."}]
    window = compacted([*messages, user("So?")], 2_000, tmp_path)

    assert window.tokens > 1_600
    assert "Node 0:" in str(window.messages)


def test_a_first_message_that_is_too_long_is_cut_inside_and_leaves_room_for_what_came_since(
    tmp_path: Path,
) -> None:
    opened = "Read this. " + FILLER * 600 + "Answer in three points."
    messages = [user(opened), *talk(6)[2:], user("now in Danish, and never use tables")]
    window = compacted(messages, 3_000, tmp_path)
    first = next(m["content"] for m in window.messages if "Read this." in str(m["content"]))

    assert first.endswith("Answer in three points.")
    assert "[satchel " in first
    assert window.messages[-1]["content"] == "now in Danish, and never use tables"
    assert window.tokens <= 3_000
    assert opened in expand(window.pointer, store=tmp_path, host=HOST)


def test_a_first_message_that_is_pinned_is_not_cut(tmp_path: Path) -> None:
    messages = [user(FILLER * 60), *talk(6)[2:], user("next")]
    window = compacted(messages, 1_800, tmp_path, pins=[0])

    assert messages[0] in window.messages


@pytest.mark.weekly
def test_a_first_message_that_was_cut_is_the_same_in_each_later_window(tmp_path: Path) -> None:
    messages = [user("Read this. " + FILLER * 600), *talk(6)[2:], user("never use tables " + FILLER)]
    firsts = set()
    for turn in range(8):
        window = compacted(messages, 3_000, tmp_path)
        firsts.add(next(m["content"] for m in window.messages if "Read this." in str(m["content"])))
        assert "never use tables" in str(window.messages)
        messages = [*window.messages, *step(20 + turn), user(f"and part {turn}?")]

    assert len(firsts) <= 2
