"""Why something is in a pack or not, with every scorer's number."""

from __future__ import annotations

import math
from pathlib import Path

import attrs
import pytest

import satchel
import satchel_plugins
from satchel import Explanation, Host, PointerError, why
from satchel.config import Config
from satchel.host import PluginKind
from satchel.selecting import NO_ROOM
from satchel.view.packs import as_text

from .repositories import Asked, packed, plain_host, write_files

TASK = "login fails with a wrong password"
LOGIN = "src/shop/login.py"


def explained(ref: str, root: Path, *, task: str = TASK, budget: int = 16_000) -> Explanation:
    return why(ref, task, root, host=plain_host(), config=Config(budget=budget))


def has_every_scorer(explanation: Explanation) -> bool:
    """Whether every scorer of files that has a weight tells its number; one without takes no part."""
    scorers = [
        loaded for loaded in plain_host().loaded(PluginKind.SCORER) if {"file", "*"} & loaded.cls.kinds
    ]
    return {name for name, *_ in explanation.scores} == {
        loaded.name for loaded in scorers if loaded.cls().weight
    }


def test_a_kept_item_tells_its_place_its_level_and_every_score(polyglot: Path) -> None:
    explanation = explained(LOGIN, polyglot)

    assert (explanation.kept, explanation.level, explanation.rank) == (True, "full", 1)
    assert has_every_scorer(explanation)
    assert all(math.isfinite(score) and 0 <= score <= 1 for _, _, _, score in explanation.scores)
    assert {how for *_, how in explanation.parts} == {"body"}


def test_a_long_part_that_is_shown_by_some_of_its_lines_says_so(tmp_path: Path) -> None:
    other = "".join(f"    if total == {at}:\n        step_{at}(total)\n" for at in range(20))
    wrong = "    if password == stored:\n        login(password)\n    fail(login, password)\n"
    write_files(tmp_path, {"shop.py": f"def run(total, password):\n{other}{wrong}{other}"})

    explanation = explained("shop.py", tmp_path, budget=250)

    assert [how for *_, how in explanation.parts] == ["lines"]


def test_what_did_not_fit_is_told_in_a_sentence(polyglot: Path) -> None:
    explanation = attrs.evolve(
        explained(LOGIN, polyglot), kept=False, reason=f"{NO_ROOM}: it needs 40 tokens, and 12 were left"
    )

    told = "It is left out, since it did not fit: it needs 40 tokens, and 12 were left."
    assert told in " ".join(as_text(explanation).split())


def test_why_tells_what_pack_did(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 200, Asked(left_out="all"))

    for item in bundle.items:
        explanation = explained(item.path, polyglot, budget=200)
        assert (explanation.kept, explanation.level, explanation.tokens) == (True, item.level, item.tokens)
        assert explanation.pointer == item.pointer
    for left in bundle.left_out:
        explanation = explained(left.path, polyglot, budget=200)
        assert (explanation.kept, explanation.level, explanation.reason) == (False, "", left.reason)


def test_what_is_left_out_for_its_worth_ranks_below_what_is_kept(tmp_path: Path) -> None:
    code = "".join(f"def fail_{at}(login):\n    return login.wrong_password_{at}\n\n\n" for at in range(9))
    told = "An order fails at night, with a long text on it that says nothing new."
    pages = {f"docs/orders_{at}.md": f"# Orders {at}\n\n{told}\n" for at in range(5)}
    page = "# Login\n\nA login fails with a wrong password.\n"
    root = write_files(tmp_path / "shop", {**pages, "docs/login.md": page, "shop/login.py": code})
    bundle = packed(TASK, root, 200, Asked(left_out="all"))

    kept = [explained(one.path, root, budget=200).rank for one in bundle.items]
    lost = [explained(one.path, root, budget=200) for one in bundle.left_out]

    assert {one.reason for one in lost} == {"worth less per token than what was kept"}
    assert sorted(kept) == [1, 2]
    assert min(one.rank for one in lost) == 3


def test_what_does_not_answer_a_question_has_no_rank(tmp_path: Path) -> None:
    told = "An order fails at night, with a long text on it that says nothing new."
    pages = {f"docs/orders_{at}.md": f"# Orders {at}\n\n{told}\n" for at in range(5)}
    page = "# Login\n\nA login fails with a wrong password.\n"
    root = write_files(tmp_path / "shop", {**pages, "docs/login.md": page})
    task = "why does a login fail with a wrong password?"

    assert explained("docs/login.md", root, task=task, budget=200).rank == 1
    assert {explained(path, root, task=task, budget=200).rank for path in pages} == {0}


@pytest.mark.weekly
def test_shares_of_parts_are_what_the_pack_goes_by_and_add_up(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 16_000, Asked(left_out="all"))
    names = {one.path for one in (*bundle.items, *bundle.left_out) if one.path.startswith("src/")}

    shares = [share for name in names for *_, share, _ in explained(name, polyglot).parts]

    assert all(0 < share < 1 for share in shares)
    assert 0.5 < sum(shares) <= 1


def test_a_left_out_item_tells_every_score_too(polyglot: Path) -> None:
    explanation = explained("engine/lib.rs", polyglot, budget=120)

    assert not explanation.kept
    assert has_every_scorer(explanation)
    assert explanation.reason


@pytest.mark.weekly
def test_an_item_below_the_shortlist_tells_every_score_too(tmp_path: Path) -> None:
    files = {f"m{number:03}.py": f"def function{number}(): ...\n" * 20 for number in range(120)}
    root = write_files(tmp_path / "w", {**files, "login.py": "def login(password): ...\n"})
    bundle = packed(TASK, root, 50, Asked(left_out="all"))
    below = [left.path for left in bundle.left_out if left.tokens == 0]

    explanation = explained(below[-1], root, budget=50)

    assert explanation.rank == 0
    assert not explanation.kept
    assert has_every_scorer(explanation)
    assert explanation.parts


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    "ref", ["check_password", "Session.close", "close", "satchel://file/" + LOGIN, f"{LOGIN}:3", "login.py"]
)
def test_a_symbol_a_pointer_and_the_end_of_a_path_mean_the_file(polyglot: Path, ref: str) -> None:
    assert explained(ref, polyglot).pointer == explained(LOGIN, polyglot).pointer


@pytest.mark.weekly
def test_a_symbol_below_the_shortlist_is_found_too(tmp_path: Path) -> None:
    files = {f"m{number:03}.py": f"def function{number}(): ...\n" * 20 for number in range(120)}
    root = write_files(tmp_path / "w", files)

    for number in (1, 60, 119):
        assert f"m{number:03}.py" in explained(f"function{number}", root, budget=50).pointer


def test_what_can_only_be_named_says_so(polyglot: Path) -> None:
    explanation = explained("logo.png", polyglot)

    assert (explanation.level, explanation.scores) == ("pointer", ())
    assert "binary" in explanation.reason


@pytest.mark.costly
@pytest.mark.parametrize("ref", ["nosuch", "", "::", "satchel://blob/abc", "\udce9"])
def test_what_nothing_is_called_is_an_error(polyglot: Path, ref: str) -> None:
    with pytest.raises(PointerError):
        explained(ref, polyglot)


def test_an_unknown_name_tells_the_nearest(polyglot: Path) -> None:
    with pytest.raises(PointerError, match=r"did you mean src/shop/login\.py"):
        explained("src/shop/logn.py", polyglot)


@pytest.mark.costly
@pytest.mark.parametrize("ref", ["nothing.py", "Login.Nope", "logins"])
def test_another_file_is_not_suggested_for_a_like_ending_or_a_symbol(ref: str, polyglot: Path) -> None:
    with pytest.raises(PointerError) as caught:
        explained(ref, polyglot)

    assert ("did you mean src/shop/login.py" in str(caught.value)) == (ref == "logins")
    assert "did you mean" not in str(caught.value) or ref == "logins"


def test_a_file_that_no_provider_offers_is_no_crash(polyglot: Path) -> None:
    with pytest.raises(PointerError, match="no provider"):
        why(LOGIN, TASK, polyglot, host=without_providers(), config=Config())


def without_providers() -> Host:
    class Rest:
        """All of the built-in plugins but the providers."""

    for name in ("scorers", "representers", "packers", "tokenizers"):
        setattr(Rest, f"satchel_{name}", staticmethod(getattr(satchel_plugins, f"satchel_{name}")))
    return Host.of(Rest(), deadline_seconds=None)


@pytest.mark.weekly
def test_every_pointer_of_a_pack_is_explained(polyglot: Path) -> None:
    changed = polyglot / "src/shop/login.py"
    changed.write_text(changed.read_text() + "\n# unfinished login\n")
    task = "review my changes of the login"
    pointers = [item.pointer for item in satchel.pack(task, polyglot, budget=2_000).items]

    assert any("blob" in pointer for pointer in pointers)
    assert [why(one, task, polyglot, budget=2_000).kept for one in pointers] == [True] * len(pointers)
