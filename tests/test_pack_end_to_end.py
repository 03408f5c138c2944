"""What `pack` promises, on workspaces as odd as they come: exact, within the budget, whole, the same."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples, some
from tests.core.repositories import (
    POLYGLOT,
    Asked,
    commit,
    git,
    make_repository,
    packed,
    recount,
    snapshot,
    write_files,
)
from tests.core.texts import odd_texts

import satchel_plugins
from satchel import Host, expand
from satchel.escaping import escape_for_document
from satchel.plugin_api import decode, safe_text
from satchel.workspace import DamagedIndexError

TASK = "login fails with a wrong password in check_password, see ring_push and native/buffer.c:12"
BUDGETS = (1, 2, 10, 23, 24, 40, 60, 90, 150, 250, 400, 650, 1_000, 1_500, 4_000, 25_000, 200_000)
_ODD_LINE_ENDS = ("crlf.py", "lone_cr.txt")
"""XML reads every line end as a line feed."""


def everything() -> Asked:
    """Ask with all built-in plugins, not only the one that lists files."""
    return Asked(host=Host.of(satchel_plugins, deadline_seconds=None))


def digest(root: Path, budget: int) -> str:
    bundle = packed(TASK, root, budget, everything())
    facts = [bundle.text, str(bundle.items), str(bundle.left_out), str(bundle.left_out_counts)]
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()


def source(root: Path, path: str) -> str:
    with open(os.path.join(os.fsencode(root), os.fsencode(path)), "rb") as file:
        return decode(file.read()).text


def item_text(root: Path, path: str) -> str:
    """Return what a bundle shows of a whole file."""
    return escape_for_document(source(root, path)).removesuffix("\n") + "\n"


@pytest.mark.costly
@pytest.mark.parametrize("form", ["markdown", "xml"])
@pytest.mark.parametrize("workspace", ["strange", "polyglot", "topics"])
def test_the_tokens_are_those_of_the_text_and_never_more_than_the_budget(
    workspace: str, form: str, request: pytest.FixtureRequest
) -> None:
    root = request.getfixturevalue(workspace)

    for budget in some(BUDGETS, 9):
        bundle = packed(TASK, root, budget, Asked(form=form))

        assert bundle.tokens == recount(bundle.text), budget
        assert bundle.tokens <= budget
        assert bundle.problems == ()


@pytest.mark.costly
@pytest.mark.parametrize("strategy", ["hybrid", "recent", "relevance", "compression"])
def test_every_strategy_keeps_the_budget_exactly(polyglot: Path, strategy: str) -> None:
    for budget in (30, 120, 480, 2_000):
        bundle = packed(TASK, polyglot, budget, Asked(strategy=strategy))

        assert bundle.tokens == recount(bundle.text) <= budget


@given(
    texts=st.lists(odd_texts, min_size=1, max_size=6),
    budget=st.integers(1, 300),
    form=st.sampled_from(["markdown", "xml"]),
)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_files_are_counted_exactly(
    texts: list[str], budget: int, form: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    endings = itertools.cycle((".py", ".c", ".md", ".txt", ".go", ".toml"))
    files = {f"f{at}{ending}": text for at, (text, ending) in enumerate(zip(texts, endings, strict=False))}
    root = write_files(tmp_path_factory.mktemp("any"), files)

    for asked in (budget, 50_000):
        bundle = packed("x f return", root, asked, Asked(form=form))

        assert bundle.tokens == recount(bundle.text) <= asked


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [1_000, 1_500, 2_500, 4_000, 6_000])
def test_almost_all_of_the_budget_is_used(topics: Path, budget: int) -> None:
    whole = packed(TASK, topics, 200_000).tokens

    for task in (TASK, "invoice discount", "the gambit of the bishop"):
        used = packed(task, topics, budget).tokens

        assert used >= min(0.97 * budget, whole), task


def test_a_budget_that_holds_everything_holds_everything(strange: Path) -> None:
    bundle = packed(TASK, strange, 200_000)

    levels = {item.path: item.level for item in bundle.items}
    assert {path for path, level in levels.items() if level != "full"} == {
        "empty.py",
        "white.py",
        "feed.txt",
        "one_line.js",
    }
    assert bundle.left_out == ()


@pytest.mark.costly
@pytest.mark.parametrize("workspace", ["strange", "polyglot"])
def test_a_whole_file_stands_there_as_it_is(workspace: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(workspace)

    whole = [item for item in packed(TASK, root, 200_000).items if item.level == "full"]

    assert len(whole) > 8
    for item in whole:
        assert item.text == item_text(root, item.path), item.path


def test_every_item_stands_in_the_document_once(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 500)

    assert all(bundle.text.count(item.text) == 1 for item in bundle.items if len(item.text) > 20)


@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 200_000])
def test_the_xml_form_is_xml_and_gives_the_text_back(strange: Path, budget: int) -> None:
    bundle = packed(TASK, strange, budget, Asked(form="xml"))

    bodies = {
        item.get("path"): "".join(item.itertext()) for item in ET.fromstring(bundle.text).findall("item")
    }
    whole = [item for item in bundle.items if item.level == "full"]
    for item in whole:
        _, mark, body = bodies[safe_text(item.path)].split("\n", 2)
        assert mark.strip("@") == "1"
        assert item.path in _ODD_LINE_ENDS or body == item_text(strange, item.path), item.path


def test_the_same_twice_cold_and_warm(
    polyglot: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold, warm = digest(polyglot, 300), digest(polyglot, 300)
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(own_home / "another-cache"))
    colder = digest(polyglot, 300)

    assert cold == warm == colder


@pytest.mark.weekly
def test_the_same_in_other_processes_whatever_their_hashes(polyglot: Path) -> None:
    code = "import sys, satchel; sys.stdout.write(satchel.pack(sys.argv[2], sys.argv[1], budget=300).text)"
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, str(polyglot), TASK],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]

    assert {output.decode() for output in outputs} == {packed(TASK, polyglot, 300, everything()).text}


@pytest.mark.costly
@pytest.mark.parametrize("budget", [40, 300, 1_000, 3_000, 200_000])
@pytest.mark.parametrize("workspace", ["strange", "polyglot"])
def test_with_every_provider_the_count_is_exact_and_within_the_budget(
    workspace: str, budget: int, request: pytest.FixtureRequest
) -> None:
    root = request.getfixturevalue(workspace)
    (root / "TODO.md").write_text("- [ ] renew the login\n- [x] hash the password\n")

    bundle = packed(TASK, root, budget, everything())

    assert bundle.tokens == recount(bundle.text) <= budget
    assert not bundle.problems


@pytest.mark.weekly
def test_every_pointer_of_every_provider_can_be_expanded(polyglot: Path) -> None:
    (polyglot / "src/shop/mail.py").write_text("def send(user):\n    return login(user)\n")

    bundle = packed(TASK, polyglot, 6_000, everything())

    assert {"git", "files", "tree"} <= {item.provider for item in bundle.items}
    for item in bundle.items:
        if item.path != ".env":  # named, and never shown
            text = expand(item.pointer, polyglot, host=Host.of(satchel_plugins, deadline_seconds=None))
            assert text or item.path.endswith("__init__.py"), item.pointer


def test_later_refs_stashes_and_other_branches_change_nothing(polyglot: Path, tmp_path: Path) -> None:
    before = digest(polyglot, 300)

    git(polyglot, "checkout", "-q", "-b", "other", day=20)
    (polyglot / "src/shop/mail.py").write_text("login = check_password = 1\n" * 50)
    commit(polyglot, "login check_password fixed in mail", day=21)
    git(polyglot, "tag", "v9")
    (polyglot / "web/cart.ts").write_text("login\n")
    git(polyglot, "stash", "-q", day=22)
    git(polyglot, "checkout", "-q", "main", day=23)

    assert digest(polyglot, 300) == before


def test_uncommitted_and_untracked_files_are_seen(polyglot: Path) -> None:
    (polyglot / "src/shop/mail.py").write_text("def uncommitted_change(): ...\n")
    (polyglot / "src/shop/fresh.py").write_text("def untracked_function(): ...\n")

    text = packed(TASK, polyglot, 5_000).text

    assert "uncommitted_change" in text
    assert "untracked_function" in text


@pytest.mark.costly
@pytest.mark.parametrize("workspace", ["strange", "polyglot"])
def test_nothing_is_written_into_the_workspace(workspace: str, request: pytest.FixtureRequest) -> None:
    root = request.getfixturevalue(workspace)
    before = snapshot(root)

    for form in ("markdown", "xml"):
        packed(TASK, root, 400, Asked(form=form))

    assert snapshot(root) == before


_MODULES = """
import json, sys
from satchel import pack
bundle = pack(sys.argv[2], sys.argv[1], budget=int(sys.argv[3]))
counting = "satchel_plugins.tokenizers.vocabulary"
heavy = (counting, "toktok", "tiktoken", "tree_sitter", "git", "cattrs", "watchdog", "asyncio", "pynvml")
print(json.dumps([bundle.tokens, [name for name in heavy if name in sys.modules]]))
"""


def loaded_by_a_pack(root: Path, budget: int) -> tuple[int, list[str]]:
    command = [sys.executable, "-c", _MODULES, str(root), TASK, str(budget)]
    done = subprocess.run(command, capture_output=True, check=True)
    tokens, modules = json.loads(done.stdout)
    return tokens, modules


@pytest.mark.weekly
def test_a_warm_pack_loads_no_tokenizer_and_no_parser(polyglot: Path) -> None:
    cold_tokens, cold = loaded_by_a_pack(polyglot, 400)
    warm_tokens, warm = loaded_by_a_pack(polyglot, 400)

    assert {"satchel_plugins.tokenizers.vocabulary", "tree_sitter"} <= set(cold)
    assert set(cold) <= {"satchel_plugins.tokenizers.vocabulary", "toktok", "tree_sitter"}  # once a machine
    assert warm == []
    assert warm_tokens == cold_tokens


@pytest.mark.weekly
def test_two_unrelated_tasks_share_few_parts(topics: Path) -> None:
    whole = packed(TASK, topics, 200_000).tokens

    shown = [
        {
            (item.path, line)
            for item in packed(task, topics, whole // 10).items
            for line in item.text.splitlines()
        }
        for task in (
            "the invoice of a receipt has a wrong discount",
            "the bishop gambit ends in no checkmate",
        )
    ]

    shared = shown[0] & shown[1]
    assert len(shared) < 0.3 * min(map(len, shown))


@pytest.mark.weekly
def test_the_same_answer_where_the_cache_can_not_be_written(
    polyglot: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = packed(TASK, polyglot, 300)
    (own_home / "file").write_text("no folder")
    monkeypatch.setenv("SATCHEL_CACHE_DIR", str(own_home / "file" / "cache"))

    bundle = packed(TASK, polyglot, 300)

    assert (bundle.text, bundle.tokens) == (expected.text, expected.tokens)
    assert [problem.plugin for problem in bundle.problems] == ["index"]


@pytest.mark.costly
@pytest.mark.parametrize("at", [0, 100, 4_096, 9_000, 30_000])
def test_a_damaged_cache_costs_one_run_at_most(polyglot: Path, cache_dir: Path, at: int) -> None:
    expected = packed(TASK, polyglot, 300).text
    for file in cache_dir.rglob("*.sqlite"):
        with file.open("r+b") as damaged:
            damaged.seek(at)
            damaged.write(os.urandom(3_000))

    with contextlib.suppress(DamagedIndexError):
        first = packed(TASK, polyglot, 300)
        assert first.text == expected or first.problems

    assert packed(TASK, polyglot, 300).text == expected


def test_a_repository_without_commits_and_a_folder_without_git_are_packed(tmp_path: Path) -> None:
    bare = write_files(tmp_path / "bare", POLYGLOT)
    unborn = write_files(tmp_path / "unborn", POLYGLOT)
    git(unborn, "init", "-q")

    texts = [packed(TASK, root, 300) for root in (bare, unborn)]

    assert texts[0].text == texts[1].text != ""


def test_an_empty_folder_gives_an_empty_bundle(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    bundle = packed(TASK, tmp_path / "empty", 1_000)

    assert (bundle.text, bundle.tokens, bundle.items, bundle.left_out) == ("", 0, (), ())


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every file")
def test_a_file_that_can_not_be_read_is_a_problem(polyglot: Path) -> None:
    (polyglot / "web/cart.ts").chmod(0)

    bundle = packed(TASK, polyglot, 1_000)

    assert [problem.plugin for problem in bundle.problems] == ["web/cart.ts"]
    assert "login" in bundle.text


@pytest.mark.costly
@pytest.mark.parametrize(
    "task",
    [
        "?!., -- ++ //",
        "é ü 日本語 \U0001f469",
        "\ud800 lone \udfff",
        "\x00",
        "login " * 160_000,
        "x" * 1_000_000,
    ],
    ids=["punctuation", "letters", "surrogates", "zero", "megabyte", "one word"],
)
def test_any_task_is_answered(polyglot: Path, task: str) -> None:
    bundle = packed(task, polyglot, 300)

    assert bundle.items
    assert 100 < bundle.tokens == recount(bundle.text) <= 300


def test_a_file_outside_the_root_is_never_shown(polyglot: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "outside", {"secret.py": "password_of_the_bank = 1\n"})
    (polyglot / "link.py").symlink_to(tmp_path / "outside" / "secret.py")
    (polyglot / "folder").symlink_to(tmp_path / "outside", target_is_directory=True)

    bundle = packed("password_of_the_bank in link.py and folder/secret.py", polyglot, 200_000)

    assert "password_of_the_bank" not in bundle.text


def test_credentials_are_only_named(polyglot: Path) -> None:
    bundle = packed("SECRET in .env", polyglot, 200_000)

    assert "abc" not in bundle.text
    assert "- .env: credentials" in bundle.text


@pytest.mark.costly
@pytest.mark.parametrize("count", [1, 2])
def test_a_repository_of_one_file_is_shown_whole(tmp_path: Path, count: int) -> None:
    files = {f"f{at}.py": f"def login{at}(): ...\n" for at in range(count)}

    bundle = packed(TASK, make_repository(tmp_path / "small", files), 200)

    assert sorted(item.path for item in bundle.items) == sorted(files)
