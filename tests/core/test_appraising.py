"""Appraising: long parts of the best files of a tight pack are shown by stretches, nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest

import satchel
from satchel import ContextItem, Part
from satchel.packing import AppraisalInputs, appraise, count_query_terms, estimate_chances
from satchel.packing.weighing.namesakes import find_tests_of
from satchel.parts import Stretch, Stretches
from satchel.plugin_api import Question, Scored, SplitItem
from satchel.questions import Aim
from satchel.references import make_task

from .repositories import write_files
from .texts import file_item

PARTS = (Part("function", "f", (1, 24), (1, 1), tokens=400, head_tokens=8),)
ROWS = (Stretch(0, (1, 12), 200, 200, 2), Stretch(0, (13, 24), 200, 200, 2))
SPLIT = SplitItem(PARTS, {}, (9,), stretches=Stretches(ROWS, ("",) * len(ROWS)))


def shown(items: Sequence[ContextItem], budget: int, *, pinned: Sequence[str] = ()) -> list[int]:
    """Return the number of pieces that each item is shown by."""
    scored = [(Scored(item, PARTS, (1.0,), 1.0, {}), SPLIT) for item in items]
    asked = AppraisalInputs({}, budget, pinned, lambda split: split.stretches or Stretches((), ()))
    return [len(worths.split.parts) for worths in appraise(scored, asked).worths]


def test_a_long_part_is_shown_by_stretches_where_the_budget_is_tight() -> None:
    assert shown([file_item("")], 100) == [2]
    assert shown([file_item("")], 10_000) == [1]


def test_what_stands_outside_of_functions_is_worth_less_without_its_neighbours() -> None:
    kinds = ("imports", "function", "block", "function")
    parts = tuple(
        Part(kind, "", (5 * at + 1, 5 * at + 5), id=f"c:{at}", item="file:a.py", tokens=40)
        for at, kind in enumerate(kinds)
    )
    split = SplitItem(parts, {}, (9,) * len(parts))

    def contexts(question: Question) -> list[float]:
        asked = AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()), question=question)
        scored = [(Scored(file_item(""), parts, (1.0,) * len(parts), 1.0, {}), split)]
        (worths,) = appraise(scored, asked).worths
        return [context / body for context, body in zip(worths.contexts, worths.bodies, strict=False)]

    assert contexts(Question(0.0, (), {})) == pytest.approx([0.5, 0.2, 0.5, 0.2])
    assert contexts(Question(1.0, (Aim.EXPLAIN,), {})) == []


def test_few_lines_that_define_nothing_are_worth_little_without_their_neighbours() -> None:
    named = Part("constant", "TIMEOUT", (4, 6), id="c:1", item="file:a.py", tokens=40)
    lines = {"block": (1, 3), "imports": (7, 9), "comment": (10, 13)}
    others = [Part(kind, "", at, id=f"c:{kind}", item="file:a.py", tokens=40) for kind, at in lines.items()]
    parts = (others[0], named, *others[1:])
    split = SplitItem(parts, {}, (9,) * len(parts))
    scored = [(Scored(file_item(""), parts, (1.0,) * len(parts), 1.0, {}), split)]
    (worths,) = appraise(scored, AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()))).worths

    shares = [context / body for context, body in zip(worths.contexts, worths.bodies, strict=True)]
    assert shares == pytest.approx([0.9, 0.5, 0.5, 0.5])


def test_the_head_of_a_short_function_is_not_shown_alone() -> None:
    parts = tuple(
        Part("function", "f", (first, last), (first, first), tokens=40, head_tokens=8)
        for first, last in ((1, 5), (6, 11))
    )
    split = SplitItem(parts, {}, (9, 9))
    scored = [(Scored(file_item(""), parts, (1.0, 1.0), 1.0, {}), split)]

    (worths,) = appraise(scored, AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()))).worths

    assert worths.heads[0] == 0 < worths.heads[1]
    assert worths.bodies[0] > worths.bodies[1]


def test_the_same_head_in_many_files_is_shown_of_two() -> None:
    scored = []
    for at, name in enumerate(["error", "error", "other", "error", "error"]):
        part = Part("function", name, (1, 24), (1, 1), tokens=40, head_tokens=8)
        item = attrs.evolve(file_item(""), id=f"file:{at}.py")
        scored.append((Scored(item, (part,), (1.0,), 1.0, {}), SplitItem((part,), {}, (9,))))

    found = appraise(scored, AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()))).worths

    assert [worths.heads[0] > 0 for worths in found] == [True, True, True, False, False]


def test_the_same_method_of_many_classes_is_shown_of_four() -> None:
    parts = tuple(
        Part(
            "method",
            f"Class{at}.run",
            (9 * at + 1, 9 * at + 9),
            (9 * at + 1, 9 * at + 1),
            tokens=40,
            head_tokens=8,
        )
        for at in range(6)
    )
    scored = [(Scored(file_item(""), parts, (1.0,) * 6, 1.0, {}), SplitItem(parts, {}, (9,) * 6))]

    (found,) = appraise(scored, AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()))).worths

    assert [head > 0 for head in found.heads] == [True] * 4 + [False] * 2


def test_a_stretch_of_a_function_is_worth_less_without_its_neighbours() -> None:
    part = PARTS[0]._replace(id="c:1")
    split = attrs.evolve(SPLIT, parts=(part,))
    scored = [(Scored(file_item(""), (part,), (1.0,), 1.0, {}), split)]

    def contexts(budget: int) -> list[float]:
        asked = AppraisalInputs({}, budget, (), lambda split: split.stretches or Stretches((), ()))
        (worths,) = appraise(scored, asked).worths
        return [context / body for context, body in zip(worths.contexts, worths.bodies, strict=True)]

    assert contexts(100) == pytest.approx([0.5 * 10 / 12] * 2)
    assert contexts(10_000) == pytest.approx([0.2 * 10 / 24])


def test_pinned_files_and_what_is_no_file_stay_whole() -> None:
    file = file_item("")
    commit = attrs.evolve(file, id="commit", kind="commit", path="")

    assert shown([file, commit], 100, pinned=[file.path]) == [1, 1]


def test_who_asks_where_something_is_gets_few_places() -> None:
    likely, other = (attrs.evolve(file_item(""), id=name) for name in ("likely", "other"))
    scored = [
        (Scored(item, PARTS, (salience,), salience, {}), SPLIT)
        for item, salience in ((likely, 1.0), (other, 0.7))
    ]

    def share_of_the_second(question: Question) -> float:
        asked = AppraisalInputs({}, 9_000, (), lambda _: Stretches((), ()), question=question)
        first, second = appraise(scored, asked).worths
        return second.bodies[0] / first.bodies[0]

    explain, where = (Question(1.0, (aim,), {}) for aim in (Aim.EXPLAIN, Aim.WHERE))
    assert share_of_the_second(where) < 0.8 * share_of_the_second(explain)


def test_in_a_small_budget_a_likely_file_has_more_than_its_chance() -> None:
    scored = [
        (Scored(attrs.evolve(file_item(""), id=name, kind=kind), PARTS, (salience,), salience, {}), SPLIT)
        for name, kind, salience in (("likely", "file", 1.0), ("other", "file", 0.7), ("note", "diff", 1.0))
    ]

    def bodies(budget: int) -> list[float]:
        asked = AppraisalInputs({}, budget, ("a.py",), lambda _: Stretches((), ()))
        return [worths.bodies[0] for worths in appraise(scored, asked).worths]

    likely, other, note = bodies(4_000)
    as_told = bodies(8_000)
    assert likely > 1.05 * as_told[0]
    assert other < 0.9 * as_told[1]
    assert bodies(1_000) == [likely, other, note]
    assert bodies(1_000_000) == as_told
    assert likely > bodies(6_000)[0] > as_told[0]
    assert note == pytest.approx(as_told[2])


def test_instructions_take_their_room_once() -> None:
    item = attrs.evolve(file_item(""), kind="instructions")
    scored = [(Scored(attrs.evolve(item, id=name), PARTS, (1.0,), 1.0, {}), SPLIT) for name in "ab"]

    first, second = appraise(scored, AppraisalInputs({}, 6_000, (), lambda _: Stretches((), ()))).worths

    assert first.bodies[0] > 1 > second.bodies[0]


def test_each_term_of_the_task_counts_once_in_each_part_that_holds_it() -> None:
    split = SplitItem(PARTS * 3, {"login": [0, 5, 2, 1], "token": [2, 1], "other": [1, 9]}, (5, 9, 2))

    assert count_query_terms(split, {"login": 1.0, "token": 0.5, "absent": 1.0}) == [1, 0, 2]
    assert count_query_terms(split, {}) == [0, 0, 0]


def test_of_parts_alike_the_one_with_more_words_of_the_task_is_told_to_be_likelier() -> None:
    item = file_item("")
    parts = (PARTS[0]._replace(item=item.id),) * 9
    split = SplitItem(parts, {"login": [7, 1, 8, 1], "token": [8, 1]}, (9,) * 9)

    (told,) = estimate_chances(
        [(Scored(item, parts, (1.0,) * 9, 1.0, {}), split)], {"login": 1.0, "token": 1.0}
    )

    assert told[8] > told[7] > told[6]


def test_the_imports_of_the_likeliest_files_are_among_what_a_budget_buys() -> None:
    kinds = ("imports", "function", "function", "function")
    parts = tuple(
        Part(
            kind,
            f"f{at}" if at else "",
            (10 * at + 1, 10 * at + 10),
            (10 * at + 1, 10 * at + 1),
            tokens=100 if at else 10,
            head_tokens=9,
        )
        for at, kind in enumerate(kinds)
    )
    split = SplitItem(parts, {}, (9,) * len(parts))
    saliences = (0.05, 1.0, 0.9, 0.3)

    def worths_of(budget: int, certainty: float = 0.0) -> list[list[float]]:
        question = Question(certainty, (Aim.EXPLAIN,), {})
        scored = [
            (
                Scored(
                    attrs.evolve(file_item(""), id=name), parts, tuple(x * one for x in saliences), one, {}
                ),
                split,
            )
            for name, one in (("first", 1.0), ("second", 0.8), ("third", 0.6))
        ]
        asked = AppraisalInputs({}, budget, ("a.py",), lambda _: Stretches((), ()), question=question)
        return [list(worths.bodies) for worths in appraise(scored, asked).worths]

    enough, plenty = worths_of(8_000), worths_of(100_000)
    assert [one[0] > 0 for one in plenty] == [True, True, True]
    assert enough == plenty  # all twelve parts fit into both
    least = worths_of(500)
    assert least[0][0] > 10 * least[2][0]
    assert least[1][0] > 10 * least[2][0]
    assert worths_of(500, 1.0)[0][0] < least[0][0]


@pytest.mark.weekly
def test_who_is_to_write_tests_is_shown_one_of_those_nearby(tmp_path: Path) -> None:
    clock = "".join(
        f"    def interval_{at}(self, poll):\n"
        + "        poll = poll + 1  # a random interval of the poll\n" * 9
        for at in range(30)
    )
    tests = (
        "class ClockTest:\n    def setUp(self):\n" + "        self.clock = 1\n" * 7 + "\n"
        "    def test_beside(self):\n" + "        assert self.clock == 1\n" * 7
    )
    files = {
        "shop/clock.py": f"class Clock:\n{clock}",
        "shop/tests/test_clock.py": tests,
        "other/tests/test_other.py": tests.replace("beside", "elsewhere"),
    }

    def shown(task: str) -> str:
        return satchel.pack(task, write_files(tmp_path / "w", files), budget=1_000).text

    assert "def test_beside" in shown("write tests for the random interval of Clock")
    assert "def test_elsewhere" not in shown("write tests for the random interval of Clock")
    assert "assert self.clock == 1" not in shown("fix the random interval of Clock")


def test_the_tests_of_what_is_named_stand_behind_it_before_its_callers(tmp_path: Path) -> None:
    tests = "".join(f"    def test_{at}(self):\n        assert total({at}) == {at}\n\n" for at in range(40))
    callers = {
        f"shop/view_{at}.py": "from shop.utils import encode\n\n\ndef show(one):\n"
        + "    encode(one)  # encode of utils\n" * 12
        for at in range(12)
    }
    files = {
        "shop/utils.py": "class Utils:\n    def encode(self, one):\n        return repr(one)\n",
        "tests/unit/UtilsTest.py": f"import shop\n\n\nclass UtilsTest:\n{tests}",
        **callers,
    }
    root = write_files(tmp_path, files)

    for task in ("write tests for Utils.encode", "add a test for shop/utils.py"):
        bundle = satchel.pack(task, root, budget=1_000)
        assert [item.path for item in bundle.items[:2]] == ["shop/utils.py", "tests/unit/UtilsTest.py"]
        assert "import shop\n" in bundle.text
        assert "def test_0" in bundle.text


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("increase test coverage of the fetch adapter", ["test/unit/adapters/fetch.js"]),
        ("write tests for the fetch of a page", []),
        ("write tests for the reader", ["test/test_reader.js"]),
    ],
)
def test_tests_are_found_by_their_folder_where_they_are_called_as_the_code_is(
    task: str, found: list[str]
) -> None:
    paths = [
        "lib/adapters/fetch.js",
        "test/unit/adapters/fetch.js",
        "test/test_reader.js",
        "test/unit/view.js",
    ]

    assert find_tests_of(make_task(task, paths), paths) == found


def test_a_page_of_changes_shows_where_a_change_is_told_and_no_older_entries(tmp_path: Path) -> None:
    entries = "".join(f"- The pager of `--paging` page {at} is fixed, see the pager\n" for at in range(60))
    pager = "".join(f"    if mode == {at}:\n        return open_pager({at})\n" for at in range(30))
    files = {
        "CHANGELOG.md": f"# Unreleased\n\n## Fixes\n\n- An early one\n{entries}\n# v1.2.0\n\n{entries}",
        "src/paging.py": f"def choose_pager(mode):\n{pager}",
    }
    root = write_files(tmp_path, files)

    noted = satchel.pack("Let `--paging` choose the pager\n\n* Update CHANGELOG.md", root, budget=900)
    about = satchel.pack("Fix the pager of page 59 in CHANGELOG.md", root, budget=900)

    assert noted.items[0].path == "src/paging.py"
    assert "- An early one" in noted.text
    assert "page 40 is fixed" not in noted.text
    assert about.items[0].path == "CHANGELOG.md"
    assert "page 59 is fixed" in about.text


def test_who_mends_code_is_shown_it_before_the_tests_in_its_own_file(tmp_path: Path) -> None:
    counted = "let stash = count_stashes({0});\n        assert_eq!(stash, {0});"
    tests = "".join(
        f"    #[test]\n    fn counts_stash_{at}() {{\n        {counted.format(at)}\n    }}\n\n"
        for at in range(12)
    )
    body = '    let log = repo.find("stash").log();\n    log.lines().count()\n'
    code = f"fn count_stashes(repo: &Repo) -> usize {{\n{body}}}\n\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"
    root = write_files(tmp_path / "w", {"src/stash.rs": code})

    mended = satchel.pack("Avoid an error on a missing stash", root=root, budget=300)
    tested = satchel.pack("Fix the flaky test of the stash", root=root, budget=300)

    assert body in mended.text
    assert body not in tested.text


def test_who_mends_code_is_shown_it_before_migrations_that_ran(tmp_path: Path) -> None:
    step = (
        "class RemoveOrphanedJobs{0}:\n    def up(self):\n        self.jobs.delete(orphaned=True, at={0})\n"
    )
    files = {f"db/migrate/202401010000{at}_remove_orphaned_jobs.py": step.format(at) for at in range(20, 24)}
    closing = "        for job in self.jobs:\n            job.close()  # else it is orphaned\n"
    files["app/worker.py"] = f"class Worker:\n    def stop(self):\n{closing}        self.jobs.clear()\n"
    root = write_files(tmp_path, files)

    mended = satchel.pack("Prevent orphaned jobs", root, budget=200)
    migrated = satchel.pack("Prevent orphaned jobs when the migration runs", root, budget=200)

    assert mended.items[0].path == "app/worker.py"
    assert migrated.items[0].path.startswith("db/migrate/")


def test_what_a_new_thing_is_to_be_like_stands_first_and_whole(tmp_path: Path) -> None:
    plain = "".join(f"fn complete_{at}(out: Out) {{\n    out.put({at})\n}}\n" for at in range(30))
    said = "// a new shell is added here\n"
    wordy = "".join(f"{said}fn add_new_shell_{at}() {{\n    {at}\n}}\n" for at in range(30))
    files = {f"src/aot/{name}.rs": plain for name in ("bash", "fish", "elvish")}
    files |= {f"src/shells/new_{at}.rs": wordy for at in range(4)}
    root = write_files(tmp_path, files)

    bundle = satchel.pack("add a new shell (xonsh) like elvish", root, budget=1_600)

    assert bundle.items[0].path == "src/aot/elvish.rs"
    assert bundle.items[0].level == "full"
