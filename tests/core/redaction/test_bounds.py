"""What a rule's pattern needs is what all of its matches have."""

from __future__ import annotations

import re

import pytest

from satchel.redaction.formats import RULES
from satchel.redaction.prefilter import Needs, fewest, needs_of
from satchel.redaction.rules import Rule


def needs(pattern: str, *, back: int = 0) -> Needs:
    return needs_of(Rule("name", "kind", ("word",), pattern, back=back))


@pytest.mark.parametrize(
    ("pattern", "follow", "longest"),
    [
        (r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", 17, 64),
        (r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])", 17, 16),
        (r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?!\w)", 32, 31),
        (r"sb_secret_[\w-]{24,80}", 0, 0),
        (r"fc-[a-f0-9]{32}", 0, 32),
        (r"a{3}|b[a-z]{20}", 0, 0),
        (r"(?:x[a-f0-9]{32})?end", 0, 0),
    ],
)
def test_long_runs_are_read_from_a_pattern(pattern: str, follow: int, longest: int) -> None:
    assert needs(pattern) == Needs(follow, longest, at_sign=False)


def test_a_match_that_begins_before_its_word_needs_no_run_after_it() -> None:
    assert needs(r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}", back=52) == Needs(0, 52, at_sign=False)


@pytest.mark.parametrize(
    ("pattern", "at_sign"),
    [(r"://([^\s:]{0,9}):(x{3})@[\w]", True), (r"://x@?y", False), (r"([@])", False), (r"(?:@|x)", False)],
)
def test_an_at_sign_is_needed_where_every_match_has_one(pattern: str, *, at_sign: bool) -> None:
    assert needs(pattern).at_sign is at_sign


def test_what_one_of_several_rules_needs_is_the_least_of_each() -> None:
    few = fewest([Needs(3, 40, at_sign=True), Needs(9, 0, at_sign=True)])

    assert few == Needs(3, 0, at_sign=True)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_rule_needs_more_than_its_pattern_can_match(rule: Rule) -> None:
    found = needs_of(rule)
    counted = [int(least) for least in re.findall(r"\{(\d+)", rule.pattern)]

    assert found.longest <= max(counted, default=0)
    assert found.follow <= found.longest + len(rule.pattern)
    assert not found.at_sign or "@" in rule.pattern


def test_each_rule_has_a_name_of_its_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
