"""A reference is worth more the likelier it is needed again."""

from __future__ import annotations

from satchel.compaction.worth import ReferenceMentions, weights


def weighed(
    *mentions: tuple[set[str], set[str]], asked: frozenset[str] = frozenset(), fits: float = 0.5
) -> dict[str, float]:
    return dict(weights([ReferenceMentions(own, seen) for own, seen in mentions], asked, fits=fits))


def test_what_was_read_early_is_worth_as_much_as_what_was_read_late() -> None:
    found = weighed((set(), {"early"}), (set(), {"other"}), (set(), {"late"}))

    assert found["early"] == found["late"]


def test_what_is_repeated_used_by_the_agent_a_path_or_asked_for_is_worth_more() -> None:
    found = weighed(
        ({"own_name"}, {"a_name", "a/path", "asked_name", "twice"}),
        (set(), {"twice"}),
        (set(), {"last"}),
        asked=frozenset({"asked_name"}),
    )

    assert min(found[name] for name in ("own_name", "a/path", "asked_name", "twice")) > found["a_name"]


def test_the_number_of_a_line_is_worth_less_the_less_room_there_is() -> None:
    wide, narrow = (weighed((set(), {"#140", "140"}), fits=share) for share in (0.5, 0.1))

    assert narrow["#140"] < wide["#140"] < wide["140"] == narrow["140"]


def test_a_heading_in_quotes_is_no_number_of_a_line() -> None:
    found = weighed((set(), {"# to do here", "to do it here"}))

    assert found["# to do here"] == found["to do it here"]


def test_quoted_words_weigh_less_than_a_name() -> None:
    found = weighed((set(), {"to do it here", "some_name"}))

    assert found["to do it here"] < found["some_name"]
