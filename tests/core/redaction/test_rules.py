"""Each rule finds what its examples say and leaves its counterexamples; a wrong one is told by its line."""

from __future__ import annotations

import marshal
import random
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.core.redaction.drawing import fill

from satchel.plugin_api import Allowance, RedactionRule, RuleError, parse_rules
from satchel.redaction import RuleSet, check_rules, redact, rule_spans, rules
from satchel.redaction.rules import RULES_FILE, shipped_rules
from satchel.redaction.searching import find

TABLES: list[dict[str, Any]] = tomllib.loads(RULES_FILE.read_text("utf-8"))["rules"]
RULES = {rule.id: rule for rule in shipped_rules().rules}
DRAWS = 3


def found(rule: RedactionRule, text: str, path: str = "") -> list[str]:
    """Return what a rule finds by itself."""
    return [text[span.start : span.end] for span in rule_spans(text, RuleSet([rule]), path)]


def test_each_rule_finds_its_examples_and_leaves_its_counterexamples() -> None:
    wrong: list[str] = []
    for table in TABLES:
        rule = RULES[table["id"]]
        for draw in range(DRAWS):
            rng = random.Random(f"{rule.id} {draw}")
            texts = [fill(example, rng) for example in table["examples"]]
            wrong += [f"{rule.id} misses {text}" for text in texts if not found(rule, text)]
            wrong += [f"{rule.id}: nothing redacts {text}" for text in texts if redact(text).text == text]
            left = [fill(text, rng) for text in table.get("counterexamples", ())]
            wrong += [
                f"{rule.id}: {span.rule} finds {text}, which no rule should"
                for text in left
                for span in find(text, "")
            ]
            left += [fill(text, rng) for text in table.get("nearMisses", ())]
            wrong += [f"{rule.id} finds {text}" for text in left if found(rule, text)]

    assert not wrong, "\n".join(wrong)


def test_each_rule_has_an_example_and_a_counterexample() -> None:
    assert [
        table["id"]
        for table in TABLES
        if not (table.get("examples") and (table.get("counterexamples") or table.get("nearMisses")))
    ] == []


def test_rules_that_were_read_before_are_read_from_where_python_keeps_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "rules.toml"
    copied.write_bytes(RULES_FILE.read_bytes())
    monkeypatch.setattr(rules, "RULES_FILE", copied)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    read = shipped_rules.__wrapped__

    first = read()
    (cached,) = (tmp_path / "__pycache__").iterdir()
    stored = cached.read_bytes()
    second = read()
    copied.write_text('[[rules]]\nid = "one"\nregex = "x{20}"\n', "utf-8")
    third = read()

    assert first.rules == second.rules == shipped_rules().rules
    assert len(marshal.loads(stored[16:])) == len(first.rules)
    assert [rule.id for rule in third.rules] == ["one"]
    assert cached.read_bytes() != stored


def test_the_shipped_rules_can_all_be_used() -> None:
    """Nobody checks them when they are read: it would take a tenth of a second each time."""
    assert check_rules(shipped_rules().rules, "rules.toml") == tuple(shipped_rules().rules)


@pytest.mark.parametrize("content", [b"", b"nothing", b"\0" * 40])
def test_a_damaged_store_of_rules_is_not_used(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "rules.toml"
    copied.write_bytes(RULES_FILE.read_bytes())
    monkeypatch.setattr(rules, "RULES_FILE", copied)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    shipped_rules.__wrapped__()
    (cached,) = (tmp_path / "__pycache__").iterdir()
    cached.write_bytes(cached.read_bytes()[:16] + content)

    assert shipped_rules.__wrapped__().rules == shipped_rules().rules


GOOD = 'id = "acme"\nregex = "acme-[a-z0-9]{20}"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules = 3", "rules must be tables: [[rules]]"),
        (
            "[[rules]]\n" + GOOD + "regexp = 'x'",
            "rule acme: no key is called 'regexp'; did you mean 'regex'?",
        ),
        ('[[rules]]\nid = "acme"', "rule acme: regex is missing"),
        ('[[rules]]\nregex = "x"', "rule 1: id is missing"),
        ('[[rules]]\nid = "acme"\nregex = "x["', "rule acme: regex: unterminated character set"),
        ('[[rules]]\nid = "acme"\nregex = "[[:alnum:]]{9}"', "rule acme: regex: Possible nested set"),
        ('[[rules]]\nid = "acme"\nregex = "x*"', "rule acme: regex matches nothing at all"),
        ("[[rules]]\n" + GOOD + "secretGroup = 2", "rule acme: secretGroup 2: the regex has 0 groups"),
        ("[[rules]]\n" + GOOD + "secretGroup = 0.5", "rule acme: secretGroup must be a whole number"),
        ("[[rules]]\n" + GOOD + "entropy = -1", "rule acme: entropy must be a number, 0 or more"),
        ("[[rules]]\n" + GOOD + "check = 'rundom'", "rule acme: no check is called 'rundom'; there are "),
        ("[[rules]]\n" + GOOD + "keywords = 'acme'", "rule acme: keywords must be a list of texts"),
        ("[[rules]]\n" + GOOD + "keywords = ['']", "rule acme: a keyword is empty"),
        ("anchored = true\n[[rules]]\n" + GOOD, "rule acme: an anchored rule needs keywords"),
        ("[[rules]]\n" + GOOD + "allowlists = [3]", "rule acme: allowlists must be tables"),
        ("[[rules]]\n" + GOOD + "allowlist = {regexes = 'x'}", "rule acme: regexes must be a list of texts"),
        ("[[rules]]\n" + GOOD + "allowlist = {commits = ['x']}", "rule acme: no key is called 'commits'"),
        ("[[rules]]\n" + GOOD + "allowlist = {regexTarget = 'x'}", "rule acme: regexTarget must be one of"),
        ("[[rules]]\n" + GOOD + "allowlist = {regexes = ['(']}", "rule acme: allowlist: missing )"),
        ("[[rules]]\n" + GOOD + "[[rules]]\n" + GOOD, "rule acme: two rules have this id"),
        ('[[rules]]\nid = "a b"\nregex = "x"', "rule a b: id 'a b' is not letters, digits and hyphens"),
        ('[[rules]]\nid = "ACME"\nregex = "x"', "rule ACME: kind 'ACME' is not up to 40 small letters"),
        ("[[rules]", "Expected"),
        ("extend = {}", "no key is called 'extend'"),
    ],
)
def test_a_wrong_rule_is_told_with_its_id_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(RuleError) as raised:
        parse_rules(text, "house.toml")

    assert message in str(raised.value)
    assert str(raised.value).startswith("house.toml: ")
    assert "\n" not in str(raised.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(RuleError) as raised:
        parse_rules('[[rules]]\nid = "one"\nregex = "("\n[[rules]]\nid = "two"\nregex = ")"\n')

    assert len(raised.value.problems) == 2


def test_rules_that_were_made_in_python_are_checked_too() -> None:
    with pytest.raises(RuleError, match="rule acme: regex: "):
        check_rules([RedactionRule("acme", "(")], "acme")

    assert check_rules([RedactionRule("acme", "a{3}")], "acme")[0].regex == "a{3}"


KEY = "acme_" + "q7Rt2LmZp9Wx4Kv8Bn3c"


def test_a_rule_that_is_not_anchored_finds_its_group_anywhere() -> None:
    (rule,) = parse_rules(
        '[[rules]]\nid = "acme"\nregex = \'(?i)acme.{0,20}=\\s*"([a-z0-9]{16,40})"\'\nkeywords = ["acme"]\n'
        "secretGroup = 1\nentropy = 3.5\n"
    )

    assert found(rule, 'my ACME key = "q7Rt2LmZp9Wx4Kv8Bn3c"') == ["q7Rt2LmZp9Wx4Kv8Bn3c"]
    assert found(rule, 'my ACME key = "aaaabbbbaaaabbbbaaaa"') == []
    assert found(rule, 'my other key = "q7Rt2LmZp9Wx4Kv8Bn3c"') == []


def test_the_first_group_that_matches_is_the_secret() -> None:
    rule = RedactionRule("acme", r"acme:(?:([a-z0-9]{20})|<([A-Z0-9]{20})>)")

    assert found(rule, "acme:q7rt2lmzp9wx4kv8bn3c") == ["q7rt2lmzp9wx4kv8bn3c"]
    assert found(rule, "acme:<Q7RT2LMZP9WX4KV8BN3C>") == ["Q7RT2LMZP9WX4KV8BN3C"]


@pytest.mark.parametrize(
    ("allowance", "text", "path", "stays"),
    [
        (Allowance(), KEY, "", False),
        (Allowance(stopwords=("lmzp",)), KEY, "", True),
        (Allowance(regexes=("^acme_q7",)), KEY, "", True),
        (Allowance(regexes=("noqa",)), f"{KEY} # noqa", "", False),
        (Allowance(regexes=("noqa",), target="line"), f"{KEY} # noqa\n", "", True),
        (Allowance(regexes=("noqa",), target="line"), f"{KEY}\n# noqa\n", "", False),
        (Allowance(regexes=("^acme_",), target="match"), KEY, "", True),
        (Allowance(paths=(r"^tests/",)), KEY, "tests/a.py", True),
        (Allowance(paths=(r"^tests/",)), KEY, "src/a.py", False),
        (Allowance(paths=(r"",)), KEY, "", False),
    ],
)
def test_what_a_rule_allows_stays(allowance: Allowance, text: str, path: str, *, stays: bool) -> None:
    rule = RedactionRule("acme", r"acme_[A-Za-z0-9]{20}", allowances=(allowance,))

    assert (found(rule, text, path) == []) is stays


def test_a_rule_for_some_paths_looks_at_no_other_text() -> None:
    rule = RedactionRule("acme", r"acme_[A-Za-z0-9]{20}", path=r"\.env$")

    assert found(rule, KEY, "app/.env") == [KEY]
    assert found(rule, KEY, "app/main.py") == found(rule, KEY) == []


def test_rules_beside_those_of_satchel_mark_what_they_find() -> None:
    more = RuleSet([RedactionRule("acme", r"acme_[A-Za-z0-9]{20}", kind="acme-key")])

    clean = redact(f"key: {KEY}\n", more=more)

    assert clean.text.startswith("key: [redacted:acme-key:")
    assert [(one.kind, one.line, one.rule) for one in clean.found] == [("acme-key", 1, "acme")]
    assert redact(clean.text, more=more).text == clean.text
