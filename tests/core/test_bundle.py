"""The account that a bundle gives of itself, its pins, and what can't be asked of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import satchel
from satchel import (
    BudgetError,
    PackOptions,
    PointerError,
    Problem,
    UnknownNameError,
    UsageError,
    WorkspaceError,
)
from satchel.config import Config
from satchel.packing import BundleItem

from .repositories import Asked, commit, git, packed, write_files

LOGIN, MAIL = "src/shop/login.py", "src/shop/mail.py"
TASK = "login fails with a wrong password"


def levels(root: Path, budget: int, pins: list[str], *, task: str = "ring buffer") -> dict[str, str]:
    return {item.path: item.level for item in packed(task, root, budget, Asked(pins=pins)).items}


@pytest.mark.weekly
def test_the_best_item_comes_first_and_address_lines_last(polyglot: Path) -> None:
    items = packed(TASK, polyglot, 350).items

    assert items[0].path == LOGIN
    shown = [item.level != "pointer" for item in items]
    assert shown == sorted(shown, reverse=True)


def test_the_tokens_of_the_items_and_the_frame_are_the_tokens_of_the_text(polyglot: Path) -> None:
    by_path = PackOptions(order="path")
    bundles = [satchel.pack(TASK, polyglot, budget=budget, options=by_path) for budget in (150, 300, 2_000)]

    frames = {bundle.tokens - sum(item.tokens for item in bundle.items) for bundle in bundles}
    assert len(frames) == 1


@pytest.mark.weekly
def test_items_carry_the_score_of_every_scorer(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 2_000)

    assert {"lexical", "passages", "paths", "recency", "mentions"} <= set(bundle.items[0].scores)
    for item in bundle.items:
        assert all(0 <= score <= 1 for score in item.scores.values())
        assert 0 <= item.salience <= 1


def test_everything_is_either_in_or_accounted_for(polyglot: Path) -> None:
    for budget in (1, 60, 300, 5_000):
        bundle = packed(TASK, polyglot, budget, Asked(left_out="all"))

        paths = [*(item.path for item in bundle.items), *(left.path for left in bundle.left_out)]
        assert len(paths) == len(set(paths)) == 15
        assert all(left.reason for left in bundle.left_out)


@pytest.mark.weekly
def test_what_is_not_listed_is_counted_by_folder_and_reason(tmp_path: Path) -> None:
    files = {f"d{number % 3}/f{number:03}.py": f"def function{number}(): ...\n" * 30 for number in range(300)}
    root = write_files(tmp_path / "w", files)

    best, everything = packed(TASK, root, 100), packed(TASK, root, 100, Asked(left_out="all"))

    assert len(best.left_out) == 200
    assert sum(count for _, _, count in best.left_out_counts) == len(everything.left_out) - 200
    assert {folder for folder, _, _ in best.left_out_counts} <= {"d0", "d1", "d2"}
    assert everything.left_out_counts == ()


@pytest.mark.weekly
def test_the_items_do_not_depend_on_what_is_listed(polyglot: Path) -> None:
    assert packed(TASK, polyglot, 200).text == packed(TASK, polyglot, 200, Asked(left_out="all")).text


def places_in(bundle: satchel.Bundle, items: Sequence[BundleItem]) -> list[int]:
    """Return where the headers of items stand in the document."""
    return [bundle.text.index(f" {item.path}\n{item.text[:40]}") for item in items]


def files_of(bundle: satchel.Bundle) -> list[BundleItem]:
    return [item for item in bundle.items if item.kind == "file" and item.level != "pointer"]


@pytest.mark.weekly
def test_the_best_files_stand_first_below_a_map(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 5_000)

    shown = files_of(bundle)
    places = places_in(bundle, shown)
    assert places == sorted(places)
    heading = bundle.text.index("Where to start, best first\n")
    assert heading < bundle.text.index(f"- {shown[0].path}:") < places[0]


@pytest.mark.costly
@pytest.mark.parametrize("budget", [2_000, 3_000, 5_000])
def test_the_map_names_lines_that_are_shown(budget: int, tmp_path: Path) -> None:
    body = "".join(f"    charge(basket, {number})\n" for number in range(60))
    other = "".join(f"    weigh(parcel, {number})\n" for number in range(60))
    files = {
        f"shop{at}.py": "".join(
            f"# How it is paid.\n# It takes a while.\ndef pay_{noun}_{number}({noun}):\n{text}\n\n"
            for number in range(9)
        )
        for at, (noun, text) in enumerate([("basket", body), ("parcel", other), ("order", other)])
    }
    root = write_files(tmp_path / "w", files)

    bundle = packed("pay the basket", root, budget)

    mapped = re.findall(r"^- (shop\d\.py): (.*)$", bundle.text, re.MULTILINE)
    assert mapped
    for path, places in mapped:
        shown = lines_shown(next(one.text for one in files_of(bundle) if one.path == path))
        assert shown.issuperset(map(int, re.findall(r" (\d+)(?:,|$)", places)))


def lines_shown(text: str) -> set[int]:
    """Return the numbers of the lines that a cut text shows."""
    shown, number = set(), 1
    for line in text.splitlines():
        if line.startswith("@@"):
            number = int(line.split()[0].removeprefix("@@"))
        else:
            shown.add(number)
            number += 1
    return shown


@pytest.mark.weekly
def test_files_can_stand_by_path_for_a_cache(polyglot: Path) -> None:
    bundle = satchel.pack(TASK, polyglot, budget=5_000, options=PackOptions(order="path"))

    places = places_in(bundle, sorted(files_of(bundle), key=lambda item: item.path))
    assert places == sorted(places)
    assert "Where to start" not in bundle.text


def test_an_unknown_order_is_named(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError, match="order"):
        satchel.pack(TASK, polyglot, options=PackOptions(order="size"))


def test_a_cut_says_that_the_file_goes_on(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 300)

    cut = [item for item in bundle.items if item.level in ("excerpt", "headers", "symbols")]
    assert cut
    for item in cut:
        last = len((polyglot / item.path).read_text().splitlines())
        assert item.text.endswith(f"@@{last} end\n") or f"\n{_last_line(polyglot / item.path)}\n" in item.text


def _last_line(path: Path) -> str:
    return path.read_text().splitlines()[-1]


def test_a_pinned_file_is_in_whole(polyglot: Path) -> None:
    assert levels(polyglot, 180, [LOGIN])[LOGIN] == "full"
    assert levels(polyglot, 180, []).get(LOGIN) != "full"


@pytest.mark.weekly
def test_several_pins_are_all_in(polyglot: Path) -> None:
    kept = levels(polyglot, 300, [LOGIN, "mail.py", "@web/cart.ts"])

    assert [kept[path] for path in (LOGIN, MAIL, "web/cart.ts")] == ["full"] * 3


def test_pinned_lines_are_in_with_the_part_around_them(polyglot: Path) -> None:
    bundle = packed("ring buffer", polyglot, 110, Asked(pins=[f"{LOGIN}:20-21"]))

    item = next(item for item in bundle.items if item.path == LOGIN)
    assert "digest = hashlib.sha256" in item.text
    assert item.level == "excerpt"


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("pin", ["gen/api_pb2.py", "package-lock.json"])
def test_what_would_only_be_named_can_be_pinned(polyglot: Path, pin: str) -> None:
    assert levels(polyglot, 5_000, [pin])[pin] == "full"
    assert levels(polyglot, 5_000, [])[pin] == "pointer"


@pytest.mark.parametrize(("pin", "why"), [("logo.png", "binary"), (".env", "credentials")])
def test_what_may_not_be_shown_can_not_be_pinned(polyglot: Path, pin: str, why: str) -> None:
    with pytest.raises(PointerError, match=why):
        packed(TASK, polyglot, 5_000, Asked(pins=[pin]))


def test_a_pin_of_an_unknown_file_tells_the_nearest(polyglot: Path) -> None:
    with pytest.raises(PointerError, match=r"did you mean src/shop/login\.py"):
        packed(TASK, polyglot, 5_000, Asked(pins=["src/shop/logn.py"]))


@pytest.mark.costly
@pytest.mark.parametrize("pin", [f"{LOGIN}:29", f"{LOGIN}:400-500"])
def test_a_pin_of_lines_that_are_not_there_is_refused(polyglot: Path, pin: str) -> None:
    with pytest.raises(PointerError, match="28 lines"):
        packed(TASK, polyglot, 5_000, Asked(pins=[pin]))


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("pin", ["node_modules/left/index.js", "node_modules/left/index.js:1-2"])
def test_a_file_of_a_vendored_folder_can_be_pinned(polyglot: Path, pin: str) -> None:
    write_files(polyglot, {"node_modules/left/index.js": "left = 1\nright = 2\n", "node_modules/b.js": "b\n"})

    assert levels(polyglot, 5_000, [pin])["node_modules/left/index.js"] == "full"
    assert "node_modules/b.js" not in levels(polyglot, 5_000, [pin])


def test_pins_that_cost_more_than_the_budget_are_an_error_with_the_costs(polyglot: Path) -> None:
    with pytest.raises(BudgetError) as caught:
        packed(TASK, polyglot, 100, Asked(pins=[LOGIN, MAIL]))

    assert {name for name, _ in caught.value.costs} == {LOGIN, MAIL, "document frame"}
    assert sum(tokens for _, tokens in caught.value.costs) > 75
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("budget", [0, -5, "x", "1000", 1.5, True, "auto"])
def test_a_budget_that_is_no_number_of_tokens_is_refused(polyglot: Path, budget: int | str) -> None:
    with pytest.raises(UsageError, match="budget"):
        packed(TASK, polyglot, budget)


def test_the_configured_budget_holds_where_none_is_given(topics: Path) -> None:
    bundle = packed(TASK, topics, None, Asked(config=Config(budget=777)))

    assert bundle.budget == 777
    assert bundle.tokens <= 777


@pytest.mark.parametrize("task", ["", " ", "\n\t "])
def test_an_empty_task_is_refused(polyglot: Path, task: str) -> None:
    with pytest.raises(UsageError, match="task is empty"):
        packed(task, polyglot)


def test_a_root_that_is_no_folder_is_refused(polyglot: Path) -> None:
    for root in (polyglot / "nosuch", polyglot / "README.md", Path("/nosuch\0")):
        with pytest.raises(WorkspaceError):
            packed(TASK, root)


def test_an_unknown_strategy_or_format_tells_the_nearest(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'hybrid'"):
        packed(TASK, polyglot, 100, Asked(strategy="hybird"))
    with pytest.raises(UnknownNameError, match="did you mean 'markdown'"):
        packed(TASK, polyglot, 100, Asked(form="markdwn"))


def test_a_strategy_that_is_asked_for_stands_over_the_configured_one(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError):
        packed(TASK, polyglot, 100, Asked(strategy="hybird", config=Config(strategy="recent")))


def test_a_bundle_says_how_it_was_counted(polyglot: Path) -> None:
    bundle = packed(TASK, polyglot, 500)

    assert bundle.exact
    assert "o200k" in bundle.tokenizer
    assert (bundle.task, bundle.budget, bundle.form) == (TASK, 500, "markdown")


def test_a_shared_host_carries_no_problem_of_before_into_a_pack(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "def a(): pass\n"})
    host = satchel.Host.installed(deadline_seconds=None)
    host.problems += [
        Problem("old", "gather", "failed then"),
        Problem("broken", "load", "has no such module"),
    ]

    bundle = satchel.pack("a", root=tmp_path, budget=500, host=host)

    assert [problem.plugin for problem in bundle.problems] == ["broken"]


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("task", "since"),
    [("review the last commit", "HEAD~1"), ("what did the last 9 commits do?", "HEAD~2")],
)
def test_the_newest_commits_are_shown_where_they_are_asked_for(tmp_path: Path, task: str, since: str) -> None:
    root = tmp_path / "w"
    for number in range(3):
        write_files(
            root,
            {
                "shop.py": f"def pay(basket):\n    return {'9' * (number + 1)}\n",
                f"other{number}.py": "x = 1\n",
            },
        )
        if not number:
            git(root, "init", "-q", "-b", "main")
        commit(root, f"Pay {number}", day=number + 1)

    shown = satchel.pack(task, root, budget=2_000)

    assert f"```text changes since {since}\n" in shown.text
    assert "+    return 999\n" in shown.text


@pytest.mark.weekly
def test_a_review_of_the_last_commit_of_one_is_no_error(tmp_path: Path) -> None:
    root = write_files(tmp_path / "w", {"shop.py": "def pay(basket):\n    return 1\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, "Pay", day=1)

    assert satchel.pack("review the last commit", root, budget=2_000).problems == ()
