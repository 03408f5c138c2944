"""Reasons in words are true, and hints say what a task lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import attrs
import pytest

import satchel
import satchel_plugins
from satchel import Host, PackOptions, hookimpl, why
from satchel.config import Config
from satchel.view import summary

from .repositories import Plain, make_repository, write_files

_QUOTED = re.compile(r"\*([^*]+)\*")
FILES = {
    "src/gateway.py": "def build_env(request):\n    '''CGI variables and HTTP_ headers.'''\n    return {}\n",
    "src/roundtrip.py": "from gateway import build_env\n\ndef round_trip(r):\n    return build_env(r)\n",
    "src/other.py": "def other():\n    return 1\n",
}
TASK = "`round_trip` passes the CGI variables of HTTP_PROXY on"


def test_the_sentence_tells_words_that_stand_there_and_who_uses_it(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", FILES)

    said = why("build_env", TASK, root).words

    assert said.startswith("`build_env` ")
    assert "is used by `round_trip`, which the task names" in said
    words = _QUOTED.findall(said)
    assert "CGI" in words
    assert all(word.casefold() in FILES["src/gateway.py"].casefold() for word in words)


def test_a_pack_tells_its_reasons_where_they_are_asked_for(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "w", FILES)

    asked = satchel.pack(TASK, root, budget=500, options=PackOptions(reasons=True))
    plain = satchel.pack(TASK, root, budget=500)

    assert any("round_trip" in item.reason for item in asked.items)
    assert [item.reason for item in plain.items] == [""] * len(plain.items)
    assert asked.text == plain.text
    assert any(item.get("reason") for item in asked.to_dict()["items"])


@attrs.frozen
class Talker:
    """Says something about every part, or fails."""

    name: ClassVar[str] = "talker"
    kinds: ClassVar[frozenset[str]] = frozenset({"*"})
    grain: ClassVar[str] = "part"
    weight: float = 9.0
    says: str = ""

    def score(self, parts: Sequence[object], task: object, workspace: object) -> Sequence[float]:
        return [1.0] * len(parts)

    def reason(self, part: object, parts: object, task: object, workspace: object) -> str:
        if not self.says:
            raise ValueError("no words")
        return self.says


class Talking(Plain):
    """The built-in plugins and a scorer that talks."""

    @staticmethod
    @hookimpl
    def satchel_scorers() -> list[object]:
        return [*satchel_plugins.satchel_scorers(), Talker]


class Reader(Talker):
    """Finds what has none of a task's words."""

    name: ClassVar[str] = "reader"
    reads_meaning: ClassVar[bool] = True


class Reading(Plain):
    """The built-in plugins and a scorer that reads meanings."""

    @staticmethod
    @hookimpl
    def satchel_scorers() -> list[object]:
        return [*satchel_plugins.satchel_scorers(), Reader]


def _said(says: str, root: Path) -> str:
    config = Config(plugins={"scorer": {"talker": {"says": says}}})
    return why(
        "src/other.py", "other", root, host=Host.of(Talking(), deadline_seconds=None), config=config
    ).words


def test_a_scorer_of_ones_own_has_its_say_and_what_it_says_is_made_safe(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", FILES)

    said = _said("is loud\x1b[31m\nand more", root)

    assert "is loud" in said
    assert "\x1b" not in said
    assert "\n" not in said


def test_a_scorer_whose_reason_fails_says_nothing(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", FILES)

    assert "no words" not in _said("", root)


def test_the_name_of_a_file_occurs_in_the_workspace(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"cart.py": "def total(items):\n    return sum(items)\n"})

    assert [satchel.pack(task, root).hints for task in ("count the cart", "count the zxqv")] == [
        (),
        (
            '"count" and "zxqv" occur nowhere in the workspace (everything fits, so nothing is left out); '
            "name a file, a function, or words that the files use",
        ),
    ]


def test_misspelled_words_are_read_as_the_nearest_known_ones(tmp_path: Path) -> None:
    text = "def receive(command):\n    return broken(command)\n"
    root = write_files(tmp_path / "w", {"a.py": text, "b.py": text, "other.py": "x = 1\n"})

    mended = satchel.pack("recieve the comand", root, budget=500)

    assert mended.hints == (
        'words that occur nowhere were read as similar ones: "recieve" as "receive", "comand" as "command"',
    )
    assert {item.path for item in mended.items[:2]} == {"a.py", "b.py"}
    (root / "deny.toml").write_text("licenses = []\n", encoding="utf-8")
    (root / "more.toml").write_text("licenses = []\n", encoding="utf-8")
    (hint,) = satchel.pack("allow licences", root, budget=500).hints
    assert hint.endswith('"licences" as "license"')
    for name in ("more.py", "most.py"):
        (root / name).write_text("def decide():\n    return structure\n", encoding="utf-8")
    assert not satchel.pack("how is it decided how it is structured?", root, budget=500).hints
    (hint,) = satchel.pack("the kafka broker", root, budget=500).hints
    assert '"kafka"' in hint
    assert "broken" not in hint


@pytest.mark.costly
@pytest.mark.parametrize("word", ["cookies", "cooky", "warmt"])
def test_a_word_that_is_formed_of_another_is_no_typo(word: str, tmp_path: Path) -> None:
    text = "def cook(shelf):\n    return warm(shelf)\n"
    root = write_files(tmp_path / "w", {"a.py": text, "b.py": text, "c.py": "def visit():\n    pass\n"})

    (hint,) = satchel.pack(f"how is a visit kept without {word}?", root, budget=500).hints or ("",)

    assert "spelled nearly so" not in hint


def test_a_letter_too_many_at_the_end_is_a_typo(tmp_path: Path) -> None:
    text = "def cook(shelf):\n    return command(shelf)\n"
    root = write_files(tmp_path / "w", {"a.py": text, "b.py": text, "c.py": "x = 1\n"})

    (hint,) = satchel.pack("where is the commandk cooked", root, budget=500).hints

    assert hint.endswith('"commandk" as "command"')


@pytest.mark.parametrize(
    "task", ["comment exclure des fichiers du site", "wie schließe ich Dateien der site aus"]
)
def test_it_is_told_that_words_of_another_language_are_translated(tmp_path: Path, task: str) -> None:
    text = "def exclude(file, site):\n    return close(file)\n"
    root = write_files(tmp_path / "w", {"a.py": text, "b.py": "x = 1\n"})

    (hint,) = satchel.pack(task, root, budget=500).hints

    assert hint.endswith("occur nowhere in the workspace; showing matches for words of the same meaning")


def test_a_task_without_words_is_told(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"a.py": "x = 1\n"})

    (hint,) = satchel.pack("???", root, budget=500).hints

    assert hint.startswith("the task has no word that says where to look")


def test_a_budget_that_holds_nothing_is_told_with_one_that_does(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", FILES)

    bundle = satchel.pack("rebuild variables", root, budget=10)

    (hint,) = bundle.hints
    found = re.fullmatch(r"10 tokens are too few to show anything; the first text needs about (\d+)", hint)
    assert found is not None
    enough = satchel.pack("rebuild variables", root, budget=int(found[1]) + 10)
    assert {item.level for item in enough.items} - {"pointer"}
    assert enough.hints == ()
    assert "are free" not in summary(bundle)


@pytest.mark.weekly
def test_a_limit_in_characters_that_holds_nothing_is_told_in_characters(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", FILES)

    (hint,) = satchel.pack("rebuild variables", root, options=PackOptions(max_chars=10)).hints
    found = re.fullmatch(
        r"a limit of 10 characters is too little to show anything; the first text needs about (\d+)", hint
    )
    (small,) = satchel.pack("rebuild variables", root, budget=10, options=PackOptions(max_chars=10)).hints

    assert found is not None
    enough = satchel.pack("rebuild variables", root, options=PackOptions(max_chars=int(found[1]) + 60))
    assert {item.level for item in enough.items} - {"pointer"}
    assert small.startswith("10 tokens are too few to show anything; ")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("zxqv plomf", "occur nowhere"),
        ("fix the bug", "no word that says where to look"),
        ("make it faster", "no word that says where to look"),
        ("it doesn't work", "no word that says where to look"),
        ("refactor the gateway", None),
        ("can you help me", "no word that says where to look"),
        ("please help", "no word that says where to look"),
        ("rebuild variables", None),
        ("gateway", "only one word of the task"),
        ("eins zwei drei vier fünf gateway", "only 1 of the task's 6 words occurs"),
        ("what does `build_env` return", None),
        ("review my changes", None),
        ("where is the gateway", None),
        ("wie füge ich ein neues Gateway hinzu", None),
        (
            "where are requests of zxqvs",
            '"zxqvs" occurs nowhere in the workspace; showing matches for the other',
        ),
    ],
)
def test_a_task_that_says_too_little_gets_a_hint(tmp_path: Path, task: str, told: str | None) -> None:
    root = write_files(tmp_path / "w", FILES)

    hints = satchel.pack(task, root, budget=400).hints

    assert [told in hint for hint in hints] == [True] if told else hints == ()


def test_a_deed_that_is_done_to_anything_is_not_looked_for(tmp_path: Path) -> None:
    texts = {
        **FILES,
        "src/old.py": "def refactor_faster(it):\n    return it  # clean it up, it doesn't crash\n",
    }
    root = write_files(tmp_path / "loom", {**texts, "README.md": "# Gateway\n\nPasses requests on.\n" * 30})

    ordered = [satchel.pack(task, root, budget=300) for task in ("refactor this code", "make it faster")]
    asked = satchel.pack("how do I clean it up", root, budget=300)

    assert all("(showing what the project is)" in pack.hints[0] for pack in ordered)
    assert asked.items[0].path == "src/old.py"


def test_a_word_occurs_where_it_is_abbreviated(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {**FILES, "auth.py": "def auth(token):\n    return check(token)\n"})

    pack = satchel.pack("how does authentication work", root, budget=400)

    assert pack.hints == ()
    assert pack.items[0].path == "auth.py"


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("task", "told"),
    [("接口限流是怎么实现的", None), ("订单打印", '"订单打印" occurs nowhere in the workspace')],
)
def test_a_run_of_a_script_without_blanks_occurs_where_some_of_it_does(
    tmp_path: Path, task: str, told: str | None
) -> None:
    root = write_files(
        tmp_path / "w", {**FILES, "limit.py": "# 接口的限流脚本\ndef limit():\n    return 1\n"}
    )

    pack = satchel.pack(task, root, budget=400)

    assert [told in hint for hint in pack.hints] == [True] if told else pack.hints == ()
    assert told or pack.items[0].path == "limit.py"


@pytest.mark.costly
@pytest.mark.parametrize("task", ["fix it", "how does zxqv work?"])
def test_a_task_that_names_nothing_gets_the_changes_or_what_the_project_is(tmp_path: Path, task: str) -> None:
    root = make_repository(tmp_path / "w", {**FILES, "README.md": "# Gateway\n\nPasses requests on.\n" * 30})

    clean, roomy = satchel.pack(task, root, budget=300), satchel.pack("fix it", root, budget=4_000)
    (root / "src/other.py").write_text("def other():\n    return 2\n", encoding="utf-8")
    changed = satchel.pack(task, root, budget=300)

    assert "(showing what the project is)" in clean.hints[0]
    assert {"overview of the code", "README.md"} <= {item.title for item in clean.items}
    assert "(everything fits, so nothing is left out)" in roomy.hints[0]
    assert set(FILES) <= {item.path for item in roomy.items if item.level == "full"}
    assert "(showing your changes)" in changed.hints[0]
    assert "+    return 2" in changed.text


def test_a_task_that_names_nothing_is_looked_for_where_a_scorer_reads_meanings(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {**FILES, "README.md": "# Gateway\n\nPasses requests on.\n" * 30})

    read = satchel.pack("fix the zxqv", root, budget=300, host=Host.of(Reading(), deadline_seconds=None))
    off = Config(plugins={"scorer": {"reader": {"weight": 0.0}}})
    unread = satchel.pack(
        "fix the zxqv",
        root,
        budget=300,
        host=Host.of(Reading(), deadline_seconds=None),
        options=PackOptions(config=off),
    )

    assert "this is a guess" in read.hints[0]
    assert "(showing what the project is)" in unread.hints[0]


def test_a_file_that_can_only_be_named_says_so(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"basket.py": "def pay(basket):\n    return basket\n" * 40})
    (root / "data.bin").write_bytes(b"\0basket" * 400)

    bundle = satchel.pack("how do I pay the basket?", root, budget=2_000)

    [left] = [one for one in bundle.left_out if one.path == "data.bin"]
    assert left.reason == "can only be named: binary, 2800 bytes"
    assert "can only be named: binary, 2800 bytes" in why("data.bin", "how do I pay the basket?", root).reason


def test_a_typo_is_read_as_a_word_of_a_file_name_and_a_letter_is_doubled(tmp_path: Path) -> None:
    told = "# Contributing\n\n## A pull request\n\nRun the tests first.\n"
    files = {
        "CHANGELOG.md": "# 1.0\n\nFirst.\n",
        "CONTRIBUTING.md": told,
        "a.md": "# Numbers\n\nPull them.\n",
    }
    root = write_files(tmp_path / "w", files)

    entry = satchel.pack("where is the changlog?", root, budget=500)
    request = satchel.pack("what do I need for a pul request?", root, budget=500)

    assert entry.hints[0].endswith('"changlog" as "changelog"')
    assert request.hints[0].endswith('"pul" as "pull"')
    assert request.items[0].path == "CONTRIBUTING.md"


def test_a_plural_with_a_typo_is_read_as_that_word(tmp_path: Path) -> None:
    work = "# Work\n\nIt works, and the work works as work does.\n"
    files = {
        "docs/kettles.md": "# Kettles\n\nA kettle boils water.\n",
        "docs/work.md": work,
        "work.py": "def work():\n    return work\n" * 9,
    }
    root = write_files(tmp_path / "w", files)

    bundle = satchel.pack("how do kettels work?", root, budget=500)

    assert bundle.items[0].path == "docs/kettles.md"


@pytest.mark.parametrize(
    "task",
    [
        "¿cómo registro un puerto y dónde está la tabla?",
        "Wo wird die Datei mit den Werten gelesen?",
        "come si registra un porto prima di inviare il valore",
        "is anything missing in the patch of the date?",
    ],
)
def test_words_of_another_language_and_common_ones_are_no_typos(tmp_path: Path, task: str) -> None:
    text = "def registry(date, path, port, wert):\n    return value\n"
    root = write_files(tmp_path / "w", {"a.py": text, "b.py": text})

    assert "spelled nearly so" not in " ".join(satchel.pack(task, root, budget=500).hints)
