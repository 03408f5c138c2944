from collections.abc import Sequence
from typing import ClassVar

from satchel.plugin_api import ContextItem, Part
from satchel.testing.contracts import RepresenterContract

from satchel_gherkin import Gherkin

LOGIN = '''Feature: Login

  Background:
    Given a user

  @slow
  Scenario: wrong password
    When she types
      """
      Scenario: this is data
      """
    Then she stays outside
'''


class TestGherkin(RepresenterContract):
    plugin = Gherkin
    samples: ClassVar[dict[str, str]] = {"login.feature": LOGIN}


def split(text: str) -> Sequence[Part]:
    return Gherkin().split(
        ContextItem("file:x.feature", "files", "file", "x.feature", path="x.feature", text=text)
    )


def test_each_scenario_is_a_part_that_begins_with_its_tags() -> None:
    parts = split(LOGIN)

    assert [(part.kind, part.name, part.lines) for part in parts] == [
        ("feature", "Login", (1, 2)),
        ("background", "", (3, 5)),
        ("scenario", "wrong password", (6, 12)),
    ]


def test_the_title_stands_for_the_scenario_where_its_steps_do_not() -> None:
    assert split(LOGIN)[2].head == (7, 7)


def test_a_file_without_a_title_has_no_parts_so_that_satchel_makes_blocks() -> None:
    assert split("just words\n") == []
