"""Texts that are not logs: passages within the budget, with what they can't be read without."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples, sized

from satchel import Squeezed, squeeze
from satchel.output import find_header, names_in
from satchel.output.families import DATA, TABLE, recognise
from satchel.shared_archive import open_archive
from satchel.tokens import guess

MARK = re.compile(r"\[… (?:\d+ lines?|lines? \d+(?:-\d+)?)\]|\[also: .*\]|\[satchel: .*\]")
HEADERS = ("diff --git ", "+++ b/")
"""Lines that name a file of a diff."""
BUDGETS = (120, 300, 400, 600, 1_000, 2_000)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def source(functions: int) -> str:
    return "\n\n".join(
        f"def handle_case_{at}(request_{at}):\n    reply = make_reply_{at}(request_{at})\n"
        f"    if reply.code > {at * 37}:\n        raise ValueError('case {at} is out of its range')\n"
        "    return reply"
        for at in range(functions)
    )


def diff(files: int) -> str:
    return "".join(
        f"diff --git a/src/part_{at}.py b/src/part_{at}.py\nindex 1a2b3c{at:02}..4d5e6f{at:02} 100644\n"
        f"--- a/src/part_{at}.py\n+++ b/src/part_{at}.py\n@@ -{at},3 +{at},3 @@ def part_{at}():\n"
        f" context_{at} = 1\n-old_value_{at} = {at * 111}\n"
        f"+new_value_{at} = {at * 112}\n context_after_{at} = 2\n"
        for at in range(files)
    )


def history(commits: int) -> str:
    return "\n".join(
        f"commit {at:040x}\nAuthor: Ann <ann@example.org>\nDate:   Mon Jun {at % 28 + 1} 10:00:00 2026\n\n"
        f"    Change the part {at} of the shop\n\n    It was slow where orders_{at} has many rows.\n"
        for at in range(commits)
    )


def shown_lines(squeezed: Squeezed) -> list[str]:
    return [line for line in squeezed.text.splitlines() if not MARK.fullmatch(line)]


def test_a_file_that_fits_is_shown_whole() -> None:
    text = source(40) + "\n"

    assert squeeze(text, command="cat a.py", budget=3_000).text == text


@pytest.mark.parametrize("budget", [1, 30, *BUDGETS])
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat a.py", source(120)),
        ("git diff", diff(60)),
        ("git log", history(90)),
        ("find .", "\n".join(f"./src/part{at % 7}/file_{at}.rs" for at in range(900))),
        (
            "curl -s x",
            '{"rows": [' + ", ".join(f'{{"id": {at}, "name": "n{at}"}}' for at in range(900)) + "]}",
        ),
    ],
)
def test_the_budget_is_kept_and_used(command: str, text: str, budget: int) -> None:
    squeezed = squeeze(text, command=command, budget=budget, count=guess)

    times = {"git log": 1.5, "find .": 4, "curl -s x": 10}.get(command, math.inf)
    used = min(budget, 700) if guess(text) > times * budget else budget
    assert guess(squeezed.text) <= budget
    assert budget < 300 or guess(squeezed.text) >= 0.8 * used


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "text", "most"),
    [
        ("git log", history(400), 1_100),
        ("find .", "\n".join(f"./src/part{at % 7}/file_{at}.rs" for at in range(4_000)), 700),
    ],
)
def test_enough_is_told_of_a_history_and_of_a_list_that_do_not_fit_by_far(
    command: str, text: str, most: int
) -> None:
    squeezed = squeeze(text, command=command, count=guess)
    asked = squeeze(text, command=command, count=guess, question="why was part 3 taken out")

    assert most - 200 <= guess(squeezed.text) <= most
    assert guess(asked.text) > 2_000


def blame(lines: int) -> str:
    return "\n".join(
        f"{at * 7919:08x}c (Ann Lee 2026-05-{at % 27 + 1:02d} 10:00:00 +0200 {at}) total = price_{at}"
        for at in range(lines)
    )


def rows(many: int) -> str:
    states = ["Up 3 hours" if at != 37 else "Exited (137)" for at in range(many)]
    return "CONTAINER ID   IMAGE    STATUS       NAMES\n" + "\n".join(
        f"{at * 7919:012x}   shop/{at}   {state}   web-{at}" for at, state in enumerate(states)
    )


@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "text"),
    [("git log", history(400)), ("git blame a.py", blame(300)), ("docker ps -a", rows(300))],
)
@pytest.mark.parametrize("budget", [1_000, 3_000])
def test_a_budget_that_is_given_is_spent(command: str, text: str, budget: int) -> None:
    squeezed = squeeze(text, command=command, budget=budget, count=guess)

    assert 0.85 * budget <= guess(squeezed.text) <= budget


def test_a_table_shows_its_header_its_odd_row_and_the_first_ones() -> None:
    squeezed = squeeze(rows(300), command="docker ps -a", budget=300, count=guess)

    shown = squeezed.text.split("\n")
    assert shown[0].startswith("CONTAINER ID")
    assert "Exited (137)" in squeezed.text
    assert "web-299" in shown[-3]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("coverage report", "Name          Stmts   Miss  Cover\n" + "-" * 32 + "\n{}"),
        ("top -b", "top - 20:10 up 1 day\nTasks: 118\n\n  PID USER      PR  NI    VIRT  %CPU COMMAND\n{}"),
        (
            "sqlite3 -box",
            "┌────┬──────┬────┐\n│ id │ name │ n  │\n├────┼──────┼────┤\n{}\n└────┴──────┴────┘",
        ),
        ("sqlite3 a.db", "{}"),
    ],
)
def test_tables_of_every_form_are_known(command: str, text: str) -> None:
    marks = "│" if "│" in text else "|" if text == "{}" else " "
    rows = "\n".join(
        f"{marks.strip()} {f' {marks} '.join(f'{at * nth:>5}' for nth in range(1, 7))}" for at in range(60)
    )

    assert recognise(command, text.format(rows).split("\n")) is TABLE


def test_a_piece_of_a_row_stands_behind_its_beginning() -> None:
    long = ", ".join(f'"CERT_{at}": "/etc/ssl/{at}.crt"' for at in range(60))
    text = "USER   PID %CPU COMMAND\n" + "\n".join(
        f"root  {at:4}  0.0 serve_{at} {long if at == 30 else ''}" for at in range(60)
    )

    squeezed = squeeze(text, command="ps aux", budget=1_000, count=guess, question="CERT_41")

    line = next(line for line in squeezed.text.split("\n") if "CERT_41" in line)
    assert line.startswith("root    30  0.0 serve_30")


@pytest.mark.costly
@pytest.mark.parametrize(("command", "text"), [("cat a.py", source(120)), ("git log", history(90))])
def test_what_a_small_budget_shows_a_larger_one_shows_too(command: str, text: str) -> None:
    shown = [shown_lines(squeeze(text, command=command, budget=budget, count=guess)) for budget in BUDGETS]

    for less, more in itertools.pairwise(shown):
        assert set(less) <= set(more)


@settings(max_examples=examples(30))
@given(st.lists(st.text(alphabet="ab_1 /.:@+-{\t", max_size=30), max_size=60), st.sampled_from((40, 90, 200)))
def test_what_is_shown_and_what_gaps_tell_is_the_whole(lines: Sequence[str], budget: int) -> None:
    text = "\n".join(lines)

    squeezed = squeeze(text, command="cat a.py", budget=budget, count=guess)

    missing = {number for gap in squeezed.gaps for number in range(gap.first, gap.last + 1)}
    whole = text.removesuffix("\n").split("\n")
    left = [line.rstrip() for number, line in enumerate(whole, start=1) if number not in missing]
    if squeezed.gaps and squeezed.text:
        assert [line.rstrip() for line in shown_lines(squeezed)] == left


@pytest.mark.costly
@pytest.mark.parametrize("budget", BUDGETS)
def test_a_hunk_stands_below_its_file(budget: int) -> None:
    lines = squeeze(diff(60), command="git diff", budget=budget).text.splitlines()

    file = ""
    for line in lines:
        file = line.rpartition("b/")[2] if line.startswith(HEADERS) else file
        named = re.search(r"(?:value|context(?:_after)?)_(\d+)", line)
        assert named is None or file == f"src/part_{named[1]}.py" or line.startswith("[also: ")


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 1_000])
def test_the_newest_entry_of_a_history_is_shown(budget: int) -> None:
    text = squeeze(history(90), command="git log", budget=budget).text

    assert f"commit {0:040x}" in text
    assert "Change the part 0 of the shop" in text
    assert budget == 120 or "Date:   Mon Jun 1 10:00:00 2026" in text


def test_the_newest_entries_of_a_history_are_shown_with_their_dates() -> None:
    shown = squeeze(history(90), command="git log -90", budget=1_000).text.split("\n")

    dated = [line for line in shown if line.startswith("Date:")]
    assert len(dated) >= 4
    assert dated[:3] == [f"Date:   Mon Jun {at} 10:00:00 2026" for at in (1, 2, 3)]


def merged_history(commits: int) -> str:
    return "\n".join(
        f"commit {at * 7919:040x}\nMerge: {at * 613:08x} {at * 727:08x}\nAuthor: Ann <ann@example.org>\n"
        f"Date:   Mon Jun {at % 28 + 1} 10:00:00 2026\n\n    Change the part {at} of the shop\n\n"
        f"    It panicked where orders_{at} failed with an error in PART_{at}.\n"
        for at in range(1, commits + 1)
    )


def test_the_newest_entries_of_a_history_come_before_what_others_say() -> None:
    shown = squeeze(merged_history(80), command="git log", budget=400).text

    newest = [at for at in range(1, 81) if f"Change the part {at} of" in shown]
    assert len(newest) >= 5
    assert sum(at <= 8 for at in newest) >= len(newest) - 1


@pytest.mark.weekly
def test_old_entries_whose_words_sound_loud_do_not_come_before_new_ones() -> None:
    entries = re.sub(r"It panicked where (?=orders_[23]\d\d )", 'Revert "Warn of ', merged_history(400))

    shown = squeeze(entries, command="git log", budget=300).text

    newest = [at for at in range(1, 401) if f"Change the part {at} of" in shown]
    assert newest == list(range(1, len(newest) + 1))


def test_what_breaks_is_shown_of_an_old_entry_of_a_history() -> None:
    text = merged_history(60).replace("It panicked where orders_44", "BREAKING CHANGE: orders_44")

    assert "BREAKING CHANGE: orders_44" in squeeze(text, command="git log", budget=400).text


def test_a_file_of_a_history_with_changes_stands_below_the_subject_of_its_entry() -> None:
    body = "    It is better so.\n" * 9
    text = "\n".join(
        f"commit {at * 7919:040x}\nAuthor: Ann <a@b.org>\n\n    Change the part {at}\n{body}\n{diff(3)}"
        for at in range(1, 9)
    )

    shown = squeeze(text, command="git log -p", budget=1_000).text

    for entry in re.split(r"^(?=commit )", shown, flags=re.MULTILINE)[1:]:
        assert "diff --git" not in entry or "    Change the part" in entry.partition("diff --git")[0]


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 1_000])
def test_a_file_of_a_short_history_stands_below_its_entry(budget: int) -> None:
    entries = [
        f"{at * 7919:07x} change part {at}\nM\tsrc/part_{at}.py\nA\tsrc/more_{at}.py"
        for at in range(200, 500)
    ]

    shown = squeeze("\n".join(entries), command="git log --oneline --name-status", budget=budget).text

    entry = ""
    for line in shown.splitlines():
        found = re.fullmatch(r"[0-9a-f]{7} change part (\d+)", line)
        entry = found[1] if found else entry
        if line.startswith(("M\t", "A\t")):
            assert line.endswith(f"_{entry}.py")
    assert shown.startswith(entries[0].partition("\n")[0])


@pytest.mark.parametrize("budget", [150, 300, 1_000])
def test_a_row_stands_below_its_header_where_a_diff_follows(budget: int) -> None:
    rows = [
        "| part | runs | bytes |",
        "| --- | --- | --- |",
        *(f"| Part{at}_Run | {at}77 | {at}31 |" for at in range(99)),
    ]

    shown = squeeze(
        "\n".join([*rows, diff(3)]), command="cat a.md; git diff", budget=budget
    ).text.splitlines()

    told = [line for line in shown if line.startswith("| Part")]
    assert not told or shown.index(rows[0]) < shown.index(told[0])


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 1_000])
@pytest.mark.parametrize(
    ("head", "row", "last"),
    [
        ([" id | mail | state", "----+------+-------"], " {0} | {1} | open", ["(400 rows)"]),
        (
            ["+----+------+-------+", "| id | mail | state |", "+----+------+-------+"],
            "| {0} | {1} | open |",
            ["+----+------+-------+", "400 rows in set (0.01 sec)"],
        ),
    ],
)
def test_a_table_of_a_database_keeps_its_header_and_the_odd_row(
    head: list[str], row: str, last: list[str], budget: int
) -> None:
    rows = [row.format(at, f"user{at}@part{at % 7}.test") for at in range(400)]
    rows[250] = rows[250].replace("open", "locked")

    shown = squeeze("\n".join([*head, *rows, *last]), command="psql -c 'select 1'", budget=budget).text

    assert head[-2] in shown
    assert rows[250] in shown
    assert last[-1] in shown


def test_the_title_of_a_page_is_shown() -> None:
    page = "<html><head><style>\n" + "".join(f".part{at} {{ color: red_{at} }}\n" for at in range(400))

    shown = squeeze(f"{page}</style><title>Not found</title>", command="curl -s localhost", budget=120).text

    assert "<title>Not found</title>" in shown


@pytest.mark.parametrize("budget", [120, 300])
def test_the_branch_that_is_checked_out_is_shown(budget: int) -> None:
    names = [f"  feature/part-{at} 1f2e3d{at} Change part {at}" for at in range(300)]
    names[140] = "* fix/login 9a8b7c6 Mend the login"

    assert names[140] in squeeze("\n".join(names), command="git branch -v", budget=budget).text


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_packages_stand_below_the_header_of_their_table_whatever_their_names_say(budget: int) -> None:
    head = ["| Status=Not/Inst", "||/ Name   Version   Description", "+++-======-=========-============="]
    rows = [f"ii  libpart{at}   1.{at}   shared library {at}" for at in range(700)]
    rows[300:303] = [f"ii  liberror{at}   1.0   error and failure {at}" for at in range(3)]

    shown = squeeze("\n".join([*head, *rows]), command="dpkg -l", budget=budget).text

    assert "||/ Name   Version" in shown
    assert "liberror" not in shown


ASIDE = ("tests/test_part_{at}.py", "lib/part_{at}_test.go", "vendor/b/part_{at}.go", "examples/part_{at}.py")


@pytest.mark.parametrize("aside", ASIDE)
@pytest.mark.parametrize(
    "row", ["{path}:{line}:    total = {name}(order)\n", "{path}\n{line}:    {name}()\n\n"]
)
def test_matches_in_code_come_before_those_in_tests_and_in_what_others_have_written(
    row: str, aside: str
) -> None:
    text = "".join(
        row.format(path=path.format(at=at), line=at * 7, name=f"{kind}_price_{at * 91}")
        for path, kind in ((aside, "aside"), ("src/part_{at}.py", "code"), (aside, "aside"))
        for at in range(40, 60)
    )

    shown = squeeze(text, command="rg price", budget=450).text

    assert shown.count("code_price_") > 2 * shown.count("aside_price_")


def test_blank_lines_around_matches_take_no_budget() -> None:
    text = "".join(
        f"src/part_{at}.py:{at}:    price(order_{at * 91})\n"
        f"src/part_{at}.py-{at + 1}-\nsrc/part_{at}.py-{at + 2}-\n--\n"
        for at in range(100, 160)
    )

    shown = squeeze(text, command="rg -C2 price", budget=400).text

    assert shown.count("price(") > 10
    assert len(re.findall(r"\d-$", shown, re.MULTILINE)) < 4


LICENCE = (
    "Copyright (C) 2026 Shop_Inc and `Contributors`",
    "Licensed under the Apache_License, Version 2.0 (the `License`);",
    "You may obtain a copy of LICENSE_2.0 at `https://www.apache.org/licenses/LICENSE-2.0`",
    "distributed on an `AS IS` BASIS, WITHOUT_WARRANTIES or CONDITIONS of 403, 404, `any_kind`",
)


@pytest.mark.parametrize(
    ("before", "line", "after"), [("/*", " *", " */"), ("", "//", ""), ("", "#", "# ---")]
)
@pytest.mark.parametrize("command", ["git diff", "cat src/part.kt"])
def test_the_licence_of_a_file_is_left_out(command: str, before: str, line: str, after: str) -> None:
    head = [*filter(None, (before, *(f"{line} {said}" for said in LICENCE), after)), ""]
    head += [f"    wait_for(order, {at * 7})" for at in range(400)]
    text = "\n".join(head)
    if command == "git diff":
        text = (
            "diff --git a/part.kt b/part.kt\nnew file mode 100644\n--- /dev/null\n+++ b/part.kt\n"
            f"@@ -0,0 +1,{len(head)} @@\n" + "\n".join(f"+{one}" for one in head)
        )

    shown = squeeze(text, command=command, budget=300).text

    assert shown.count("wait_for") > 5
    assert "Licensed" not in shown


def test_the_versions_of_packages_are_shown_with_their_names() -> None:
    text = "".join(
        f"shop{at}:\n  Installed: {at}.1-2+deb{at * 3}\n  Candidate: {at}.1-2+deb{at * 3}\n  Version table:\n"
        f" *** {at}.1-2+deb{at * 3} 500\n        500 http://deb.example.org/shop stable/main amd64 Packages\n"
        "        100 /var/lib/dpkg/status\n"
        for at in range(100, 160)
    )

    shown = squeeze(text, command="apt-cache policy shop100 shop101", budget=300).text

    names = re.findall(r"^shop\d+:$", shown, re.MULTILINE)
    assert len(names) > 4
    assert len(re.findall(r"^shop(\d+):\n  Installed: \1\.", shown, re.MULTILINE)) >= len(names) - 1


@pytest.mark.parametrize("aside", ASIDE)
def test_changes_of_code_come_before_those_of_tests_and_of_what_others_have_written(aside: str) -> None:
    def change(path: str, kind: str, at: int) -> str:
        return (
            f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{at},2 +{at},2 @@\n"
            f"-old_{kind}_{at * 91} = {at}\n+new_{kind}_{at * 93} = {at}5\n"
        )

    text = "".join(
        change(path.format(at=at), kind, at)
        for path, kind in ((aside, "aside"), ("src/part_{at}.py", "code"), (aside, "aside"))
        for at in range(400, 406)
    )

    shown = squeeze(text, command="git diff", budget=450).text

    assert shown.count("_code_") > 2 * shown.count("_aside_")


def test_files_are_named_whose_matches_in_json_are_left_out_those_of_tests_last() -> None:
    paths = [f"{'tests' if at % 2 else 'shop'}/part_{at}.py" for at in range(100, 140)]
    text = "".join(
        f'{{"type":"{kind}","data":{{"path":{{"text":"{path}"}},{data}}}}}\n'
        for at, path in enumerate(paths)
        for kind, data in (
            ("begin", '"x":0'),
            ("match", f'"lines":{{"text":"price(order_{at})\\n"}},"line_number":{at},"submatches":[]'),
            ("end", f'"binary_offset":null,"stats":{{"bytes_searched":{at * 991}}}'),
        )
    )

    shown = squeeze(text, command="rg --json price", budget=300).text

    assert '{"type":"match"' in shown
    assert re.search(r"\[also: (?:shop/part_\d+\.py 1, ){3,}and \d+ more files with \d+\]", shown)


def test_a_budget_is_spent_beside_the_names_of_files_that_are_left_out() -> None:
    text = "".join(
        f"crates/part_{at}/src/lines.rs:{at * 3}:    pub fn new_matcher_{at}(pattern: &str, "
        f"other_{at}: &[Part{at}]) -> Result<RegexMatcher{at}, Error{at}> {{\n"
        for at in range(100, 180)
    )

    squeezed = squeeze(text, command="rg -n 'fn new' .", budget=300)

    assert "[also: crates/part_" in squeezed.text
    assert squeezed.tokens > 250


def test_the_files_of_a_diff_that_are_left_out_are_named() -> None:
    text = squeeze(diff(60), command="git diff", budget=600).text

    named = {f"src/part_{at}.py" for at in range(60) if f"src/part_{at}.py" in text}
    assert len(named) > 15


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("head", ["-[ RECORD {} ]-----+------", "*************** {}. row ***************"])
def test_the_odd_field_of_a_record_stands_below_its_head_and_its_first_field(head: str) -> None:
    lines = []
    for at in range(300):
        state = "disputed" if at == 177 else "paid"
        fields = [f"id       | {4_000 + at * 7}", f"amount   | {at * 31 % 97}.50", f"state    | {state}"]
        lines += [head.format(at + 1), *fields, "note     |"]

    shown = squeeze("\n".join(lines), command="psql -x -f orders.sql", budget=300).text.splitlines()

    odd = shown.index("state    | disputed")
    assert head.format(178) in shown[odd - 3 : odd]
    assert f"id       | {4_000 + 177 * 7}" in shown[odd - 2 : odd]
    assert not any(re.match(r".*\[x\d+\]$", line) for line in shown)


def test_a_long_list_is_told_by_its_folders() -> None:
    paths = [f"./src/part{at % 5}/file_{at}.rs" for at in range(2_000)]

    text = squeeze("\n".join(paths), command="find . -name '*.rs'", budget=300).text

    assert all(f"./src/part{at}/ " in text for at in range(5))
    assert "[x" not in text


def test_a_large_folder_is_told_by_what_is_large_in_it() -> None:
    places = [f"/srv/share/doc/p{at}/a.txt" for at in range(300)] + [f"/srv/bin/t{at}" for at in range(40)]
    places += [f"/srv/share/small{at}/a.txt" for at in range(30)]

    squeezed = squeeze("\n".join(places), command="find /srv", budget=300)

    told = re.search(r"\[also: (.*)\]", squeezed.text)
    assert told
    assert re.match(r"/srv/share/doc/ 2\d\d, /srv/bin/ \d+", told[1])


@pytest.mark.parametrize(("unit", "more"), [("", ""), ("K", "M")])
def test_what_is_largest_in_a_list_with_sizes_is_shown(unit: str, more: str) -> None:
    rows = [f"{at * 37 % 401 + 20}{unit}\t./core/part_{at % 7}/file_{at}" for at in range(401)]
    largest = sorted(rows, key=lambda row: -int(row.split("\t")[0].rstrip("K")))[:6]
    if more:
        rows[200] = f"1.2{more}\t./core"
        largest[-1] = rows[200]

    shown = squeeze("\n".join(rows), command="du -a core", budget=300).text.splitlines()

    assert set(largest) <= set(shown)


@pytest.mark.weekly
def test_a_list_of_megabytes_is_told_by_its_folders() -> None:
    many = sized(60_000)
    places = "".join(f"/srv/{'ab'[at % 2]}/{'deep/' * 30}{at}.txt\n" for at in range(many))

    squeezed = squeeze(places, command="find /srv", budget=1_000)

    found = re.search(r"\[also: /srv/[ab]/\S* (\d+), /srv/[ab]/\S* (\d+)\]", squeezed.text)
    assert found
    assert all(0.96 * many < 2 * int(told) <= many for told in found.groups())


def users(many: int) -> str:
    """Return pretty JSON of so many users, of whom one is locked."""
    rows = [
        {"id": at, "user": f"user{at:04}", "mail": f"u{at}@a.test", "state": "open"} for at in range(many)
    ]
    rows[many * 2 // 3]["state"] = "locked"
    return json.dumps({"total": many, "users": rows}, indent=2)


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("many", [300, 5_000])
def test_the_odd_record_of_data_is_shown_with_its_name(many: int) -> None:
    odd = many * 2 // 3

    shown = squeeze(users(many), command="curl -s localhost/users", budget=1_000).text

    assert f'"user": "user{odd:04}",\n' in shown
    assert f'"id": {odd},\n' in shown
    assert shown.index(f'"id": {odd},') < shown.index('"state": "locked"') < shown.index(f'"id": {odd}') + 200
    assert shown.startswith(f'{{\n  "total": {many},')


@pytest.mark.parametrize("budget", [300, 400, 1_000])
def test_the_odd_record_of_data_in_one_line_is_shown_with_its_name(budget: int) -> None:
    records = [
        {"id": 1_000 + at, "name": f"user{at:03}", "mail": f"user{at * 7:04}@example.com", "state": "open"}
        | {"total": at * 37 % 800 / 10, "items": at % 5 + 1, "at": f"2026-10-{at % 28 + 1:02}T10:00:00Z"}
        for at in range(200)
    ]
    records[137]["state"] = "held"

    shown = squeeze(json.dumps({"data": records, "page": 1}), budget=budget).text

    assert shown.startswith('{"data": [{"id": 1000,')
    assert shown.index('{"id": 1137, "name": "user137"') < shown.index('"state": "held"')


@pytest.mark.costly
@pytest.mark.parametrize("command", ["", "curl -i localhost/users"])
def test_the_odd_record_of_an_answer_is_shown_below_its_head(command: str) -> None:
    records = [
        {"id": at, "state": "suspended" if at == 77 else "active", "self": f"/v1/users/{at}"}
        for at in range(220)
    ]
    answer = f"HTTP/1.1 200 OK\nserver: nginx\n\n{json.dumps(records, indent=2)}\n"

    shown = shown_lines(squeeze(answer, command=command, budget=300))

    assert shown[0] == "HTTP/1.1 200 OK"
    assert {'    "id": 77,', '    "state": "suspended",'} <= set(shown)


def deployment(at: int) -> str:
    return (
        f"- kind: Deployment\n  metadata:\n    labels:\n      app: part-{at}\n"
        f"    name: part-{at}\n    uid: {at:032x}\n"
        f"  spec:\n    replicas: {0 if at == 17 else 3}\n    containers:\n    - image: shop/{at}:1.{at}\n"
        f"      memory: {'16Gi' if at == 9 else '256Mi'}\n      name: box-{at}\n  status:\n    phase: up\n"
    )


@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_odd_field_of_yaml_is_shown_with_the_names_of_its_records(budget: int) -> None:
    text = "items:\n" + "".join(map(deployment, range(40)))

    shown = squeeze(text, command="kubectl get deploy -o yaml", budget=budget).text

    assert re.search(r"name: part-17\n(?:(?!name:).*\n)*    replicas: 0\n", shown)
    assert re.search(r"name: part-9\n(?:.*\n)*      memory: 16Gi\n      name: box-9\n", shown)


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_odd_field_of_a_record_in_a_record_is_shown_with_the_outer_name(
    budget: int,
) -> None:
    records = [
        {
            "Instances": [
                {"InstanceId": f"i-{at:08x}", "State": {"Name": "stopped" if at == 21 else "running"}}
            ]
        }
        for at in range(60)
    ]

    shown = squeeze(json.dumps({"Reservations": records}, indent=4), budget=budget).text

    name, state = r"\"InstanceId\": \"i-00000015\",\n", r".*\"Name\": \"stopped\""
    assert re.search(rf"{name}(?:(?!.*InstanceId).*\n)*{state}", shown)


def test_scripts_and_styles_of_a_page_are_left_out() -> None:
    script = "".join(f"window.part_{at}={at * 7919};" for at in range(900))
    rows = "".join(f"<p>Part {at} is in <b>order_{at}</b>.</p>\n" for at in range(60))
    head = f"<head><title>Parts of the shop</title><script>{script}</script></head>"
    page = f"<html>{head}<body>\n{rows}</body></html>\n"

    shown = squeeze(page, command="curl -s localhost", budget=600).text

    assert "Parts of the shop" in shown
    assert "window.part_450" not in shown
    assert shown.count("<p>Part") > 10


@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_first_line_of_a_blame_is_shown(budget: int) -> None:
    lines = [f"{at * 7919:09x} (Ann 2024-05-31 18:20:16 +0200 {at:>4}) call_{at}(1)" for at in range(300)]

    shown = squeeze("\n".join(lines), command="git blame a.py", budget=budget).text

    assert shown.startswith(lines[0])


def test_versions_and_not_checksums_are_shown_of_a_lock_file() -> None:
    packages = [
        f' [[package]]\n name = "part{at}"\n-version = "1.{at}.0"\n+version = "1.{at}.1"\n'
        f'-checksum = "{at:064x}"\n+checksum = "{at * 7919:064x}"\n'
        for at in range(200)
    ]
    head = "diff --git a/Cargo.lock b/Cargo.lock\n--- a/Cargo.lock\n+++ b/Cargo.lock\n@@ -1,1200 +1,1200 @@\n"

    shown = shown_lines(squeeze(head + "".join(packages), command="git diff Cargo.lock", budget=1_000))

    assert sum("version" in line for line in shown) > 2 * sum("checksum" in line for line in shown)


def test_a_table_keeps_its_header_and_the_odd_row() -> None:
    rows = [f"{at},ann{at},EUR,{at % 90 + 1}.50,paid" for at in range(1_500)]
    rows[1_234] = "1234,ann1234,EUR,-99999.00,chargeback"

    text = squeeze("id,customer,currency,total,state\n" + "\n".join(rows), budget=300).text

    assert text.startswith("id,customer,currency,total,state\n")
    assert "chargeback" in text


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        (["CONTAINER ID   IMAGE   STATUS", "1f2e   web   Up"], 0),
        ([" id | name ", "----+------", "  1 | ann"], 0),
        (["Package  Current   Latest", *(f"part-{at}    1.{at}.0    2.0.0" for at in range(40))], 0),
        (["plain words stand here", "and here"], None),
        (["smartctl 7.3", "", "=== START OF INFORMATION SECTION ===", "Device: ST2000"], None),
    ],
)
def test_the_header_of_a_table_is_found(lines: list[str], at: int | None) -> None:
    assert find_header(lines) == at


def test_a_table_that_fits_is_shown_whole() -> None:
    rows = [f"part-{at}   1.{at}.0   1.{at}.4   2.0.0   node_modules/part-{at}" for at in range(90)]
    table = "\n".join(["Package   Current   Wanted   Latest   Location", *rows]) + "\n"

    assert squeeze(table, command="npm outdated", budget=3_000).text == table
    assert guess(table) > 1_900


def test_a_question_chooses_what_is_shown() -> None:
    text = source(200).replace("reply = make_reply_150", "token = check_login_token_150")

    without = squeeze(text, command="cat a.py", budget=300).text
    asked = squeeze(text, command="cat a.py", budget=300, question="where is the login token checked").text

    assert "check_login_token_150" not in without
    assert "check_login_token_150" in asked


@pytest.mark.weekly
def test_a_question_chooses_rows_of_a_table_and_failures_of_a_test_run() -> None:
    owners = ["auth", "billing", "cart", "catalog", "email", "gateway", "ledger", "orders", "stock", "vault"]
    rows = [f"{at:<6}{owners[at % 10]}    paid" for at in range(300)]
    table = "\n".join(["ID    OWNER    STATE", *rows])
    names = [f"{chr(97 + at // 26)}{chr(97 + at % 26)}oks" if at != 40 else "refunds" for at in range(81)]
    failures = [f"FAILED tests/test_part{at}.py::test_{name} - {at} == 1" for at, name in enumerate(names)]

    shown = squeeze(table, budget=300, question="what is in the vaults?").text
    failed = squeeze("\n".join(failures), budget=300, question="why did the refund fail?").text

    assert shown.count("vault") > 3 * squeeze(table, budget=300).text.count("vault")
    assert failures[40] in failed.splitlines()
    assert failures[40] not in squeeze("\n".join(failures), budget=300).text


def test_lines_that_differ_in_what_identifies_them_have_no_count() -> None:
    text = "\n".join(f"copied /srv/data/part/file_{at * 1_001}.bin to the store" for at in range(900))

    assert "[x" not in squeeze(text, command="make copy").text


def test_a_long_line_is_shown_in_pieces_that_expand() -> None:
    text = '{"rows": [' + ", ".join(f'{{"id": {at}, "name": "n{at}"}}' for at in range(900)) + "]}\n"

    squeezed = squeeze(text, command="curl -s x", budget=300)

    assert re.search(r"\[… 1@\d+-\d+\]", squeezed.text)
    assert [(gap.first, gap.last) for gap in squeezed.gaps] == [(1, 1)]
    assert open_archive(None).lines(squeezed.pointer.removeprefix("blob:"), 1, 1) == text


@pytest.mark.parametrize("unit", ["a/", "a.", "abc", "_", "1a", "'a ", "aB", "a1B_", '"'])
def test_names_are_found_in_no_time(unit: str) -> None:
    assert len(names_in(unit * 100_000)) < 2_000


@pytest.mark.weekly
def test_a_history_that_nearly_fits_uses_the_budget() -> None:
    text = history(90)

    shown = squeeze(text, command="git log", budget=guess(text) * 3 // 4, count=guess)

    assert guess(shown.text) > guess(text) * 0.7


def test_the_subjects_of_a_history_with_changes_come_before_its_changes() -> None:
    text = "\n".join(
        f"commit {at * 7919:040x}\nAuthor: Ann <a@b.org>\n\n    Change the part {at}\n\n{diff(4)}"
        for at in range(1, 21)
    )

    shown = squeeze(text, command="git log -p -20", budget=1_500).text

    assert [at for at in range(1, 21) if f"    Change the part {at}\n" not in shown] == []
    assert "diff --git" in shown


@pytest.mark.weekly
def test_each_file_of_a_history_with_changes_is_named_once_below_what_is_shown() -> None:
    text = "\n".join(
        f"commit {at * 7919:040x}\nAuthor: Ann <a@b.org>\n\n    Change the part {at}\n\n{diff(4)}"
        for at in range(1, 41)
    )

    shown = squeeze(text, command="git log -p", budget=600).text

    named = re.findall(r"src/part_\d+\.py", shown.rpartition("[also: ")[2])
    assert named
    assert len(named) == len(set(named))


@pytest.mark.weekly
def test_files_of_a_large_diff_take_a_line_each() -> None:
    shown = squeeze(diff(60), command="git diff", budget=600).text

    assert sum(line.startswith(HEADERS) for line in shown.splitlines()) >= 10
    assert "index " not in shown


def plan_of(resources: int) -> str:
    plan = ["Terraform will perform the following actions:", ""]
    for at in range(resources):
        done = "must be replaced" if at == 71 else "will be created"
        plan += [
            f"  # module.app[{at % 4}].aws_instance.node_{at} {done}",
            f'  + resource "a" "node_{at}" {{',
        ]
        plan += [f'      + name = "node-{at}"', *["      + arn  = (known after apply)"] * 9, "    }", ""]
    plan += [f"Plan: {resources} to add, 0 to change, 0 to destroy.", "", "─" * 60, ""]
    plan += ["Note: You didn't use the -out option to save this plan, so Terraform can't"]
    plan += ['guarantee to take exactly these actions if you run "terraform apply" now.']
    return "\n".join(plan)


@pytest.mark.weekly
def test_all_resources_of_a_plan_are_named_where_they_fit() -> None:
    text = squeeze(plan_of(25), command="terraform plan", exit_code=0, budget=1_000).text

    assert text.count(" will be created\n") == 25
    assert "Plan: 25 to add" in text


def test_what_a_plan_comes_to_is_told_in_a_small_budget() -> None:
    text = squeeze(plan_of(25), command="terraform plan", exit_code=0, budget=300).text

    assert "Plan: 25 to add" in text
    assert "You didn't use the -out" not in text


@pytest.mark.weekly
def test_a_plan_is_told_by_what_it_does_to_each_resource() -> None:
    text = squeeze(plan_of(120), command="terraform plan", exit_code=0).text

    assert "node_71 must be replaced\n" in text
    assert text.count(" will be created\n") == 119
    assert "Plan: 120 to add" in text


def test_what_changes_in_a_resource_that_is_replaced_comes_before_further_ones_that_are_made() -> None:
    changes = [
        f'      ~ {name} = "old-{at}" -> "new-{at}"'
        for at, name in enumerate(["engine", "storage", "zone", "size"])
    ]
    plan = plan_of(60).replace(
        "    }\n\n  # module.app[3].aws_instance.node_31",
        "    }\n\n"
        + "\n".join(
            ["  # aws_db.main must be replaced", '-/+ resource "aws_db" "main" {', *changes, "    }", "", ""]
        )
        + "  # module.app[3].aws_instance.node_31",
    )

    shown = squeeze(plan, command="terraform plan", budget=300).text

    assert sum(line in shown for line in changes) >= 3


@pytest.mark.parametrize("command", ["helm diff upgrade shop ./chart", ""])
def test_what_helm_would_change_is_shown_below_its_resource(command: str) -> None:
    heads = [f"shop, part-{at}, Deployment (apps) has changed:" for at in range(6)]
    same = [f"        name: part-{at}" for at in range(40)]
    diff = [
        line for at, head in enumerate(heads) for line in (head, *same, f"-   replicas: {at + 20}", *same)
    ]

    text = squeeze("\n".join(diff), command=command, budget=300).text

    shown = [line for line in text.splitlines() if line in heads or line.startswith("-   replicas")]
    assert shown == [line for line in diff if line in heads or line.startswith("-   replicas")]


def test_an_error_of_a_plan_that_is_applied_is_told_with_its_place_in_a_small_budget() -> None:
    failed = (
        "\napp.db: Creating...\n"
        + "".join(f"app.db: Still creating... [{at}m0s elapsed]\n" for at in range(60))
        + "╷\n│ Error: creating DB (orders): no version 15.4\n│ \n│   with aws_db.orders,\n│   on db.tf:\n╵\n"
    )

    text = squeeze(plan_of(60) + failed, command="terraform apply", exit_code=1, budget=300).text

    assert "Plan: 60 to add" in text
    assert "│ Error: creating DB (orders): no version 15.4\n│ \n│   with aws_db.orders,\n" in text
    assert "Still creating" not in text


def tree_of(folders: int) -> str:
    drawn = ["."]
    for at in range(folders):
        drawn += [f"├── part_{at}", f"│\u00a0\u00a0 ├── deep_{at}"]
        drawn += [f"│\u00a0\u00a0 │\u00a0\u00a0 ├── inner_{at}_{nth}.py" for nth in range(5)]
        drawn += [f"│\u00a0\u00a0 └── file_{at}_{nth}.ts" for nth in range(8)]
    return "\n".join((*drawn, "└── README.md", "", f"{folders * 2 + 1} directories"))


@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_entries_of_a_drawn_tree_are_shown_in_their_folders_and_the_rest_counted(budget: int) -> None:
    shown = squeeze(tree_of(40), command="tree src", budget=budget).text.split("\n")

    for line in shown:
        found = re.search(r"(inner|file)_(\d+)_\d", line)
        if found and "[also" not in line:
            assert f"├── part_{found[2]}" in shown
            assert found[1] == "file" or f"│\u00a0\u00a0 ├── deep_{found[2]}" in shown
    also = next(line for line in shown if line.startswith("[also: "))
    assert re.search(r"\bpart_\d+/(?:deep_\d+/)? \d+, ", also)
    assert "81 directories" in shown


@pytest.mark.parametrize("budget", [300, 1_000])
def test_a_package_is_shown_below_those_that_need_it(budget: int) -> None:
    drawn = [
        line
        for at in range(90)
        for line in (f"kit-{at} 6.4.{at}", f"├─┬ core-{at} 8.0.{at}", f"│ └── pad 4.17.{15 + 6 * (at != 37)}")
    ]

    shown = squeeze(
        "\n".join(drawn), command="pnpm why pad", question="who needs pad 4.17.15", budget=budget
    ).text

    assert "kit-37 6.4.37\n├─┬ core-37 8.0.37\n│ └── pad 4.17.15\n" in shown


@pytest.mark.parametrize("budget", [300, 1_000])
def test_a_list_of_tests_is_told_by_its_files(budget: int) -> None:
    tests = [f"tests/test_part{at % 7}.py::test_{at}_of_carts[{at}-x]" for at in range(400)]

    shown = squeeze("\n".join(sorted(tests)), command="pytest --collect-only -q", budget=budget).text

    assert all(f"test_part{at}.py/ " in shown for at in range(7))


def described_pod(at: int, *, is_broken: bool) -> str:
    state = "Waiting\n      Reason:       CrashLoopBackOff" if is_broken else "Running"
    warned = (
        "Events:\n  Type     Reason     Age   From     Message\n"
        "  ----     ------     ---   ----     -------\n"
        "  Normal   Pulled     9m    kubelet  Container image already present\n"
        f"  Warning  BackOff    2m    kubelet  Back-off restarting failed container in cart-{at}\n"
    )
    rest = "".join(f"    Mount {mount}:  /srv/part_{at}_{mount} (ro)\n" for mount in range(20))
    return (
        f"Name:             cart-{at}\nNamespace:        shop\nNode:             node-{at}/10.0.0.{at}\n"
        f"Containers:\n  cart:\n    State:          {state}\n{rest}"
        f"{warned if is_broken else 'Events:          <none>'}"
    )


@pytest.mark.weekly
@pytest.mark.parametrize("budget", [200, 300, 1_000])
def test_what_is_wrong_with_a_described_object_stands_below_its_name(budget: int) -> None:
    text = "\n\n\n".join(described_pod(at, is_broken=at == 4) for at in range(1, 9))

    shown = squeeze(text, command="kubectl describe pods", budget=budget).text

    pod = shown[shown.index("Name:             cart-4") :].partition("Name:             cart-5")[0]
    assert "Reason:       CrashLoopBackOff" in pod
    assert budget == 200 or re.search(r"Type     Reason(?s:.*)Warning  BackOff", pod)


def records_of(many: int, odd: Mapping[str, object]) -> str:
    records = [{"at": at, "level": "info", "path": f"/orders/{at}", "status": 200} for at in range(many)]
    records[many // 3].update(odd)
    return "\n".join(map(json.dumps, records))


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("odd", [{"retried": True}, {"status": 502}, {"level": None}])
@pytest.mark.parametrize("budget", [200, 1_000])
def test_a_record_of_a_line_with_an_odd_field_or_value_is_shown(
    odd: Mapping[str, object], budget: int
) -> None:
    shown = squeeze(records_of(600, odd), command="jq -c . orders.json", budget=budget).text

    assert f'"path": "/orders/200", "status": {odd.get("status", 200)}' in shown
    assert '{"at": 0, ' in shown


def test_an_odd_value_of_a_file_of_yaml_is_shown_with_what_it_stands_below() -> None:
    text = "".join(
        f"service_{at}:\n  image: shop/part{at}:1.{at}\n  replicas: {9 if at == 31 else 2}\n"
        "  env:\n    level: info\n"
        for at in range(90)
    )

    shown = squeeze(text, command="cat values.yaml", budget=300).text

    assert re.search(r"^service_31:\n(?:  image.*\n|\[….*\n)*  replicas: 9\n", shown, re.MULTILINE)


@pytest.mark.parametrize("row", [" {0} |   {1} ++--", "M\t{0}"])
@pytest.mark.parametrize("command", ["git diff --stat", ""])
def test_a_list_of_changed_files_is_told_by_its_folders(row: str, command: str) -> None:
    rows = [row.format(f"src/part{at % 4}/file_{at * 7}.py", at) for at in range(200)]

    shown = squeeze("\n".join(rows), command=command, budget=300).text

    folders = re.findall(r"src/part(\d)/ \d\d", shown.rpartition("[also: ")[2])
    assert sorted(folders) == ["0", "1", "2", "3"]


def test_folders_with_an_entry_each_are_no_shape_of_a_list() -> None:
    rows = "\n".join(f"./package_{at}/setup.py" for at in range(400))

    assert "[also: " not in squeeze(rows, command="find . -name setup.py", budget=200).text


def test_severe_findings_of_an_audit_come_first_with_their_packages() -> None:
    severities = {3: "critical", 17: "high", 29: "critical"}
    text = "\n".join(
        f"package-{at}  <1.{at}.0\nSeverity: {severities.get(at, 'moderate')}\nTrouble of part {at * 7}\n"
        f"fix available via `npm audit fix`\nnode_modules/package-{at}\n"
        for at in range(40)
    )

    shown = squeeze(text, command="npm audit", budget=300).text

    heads = re.findall(r"^(package-\d+)  <.*\nSeverity: (?:critical|high)$", shown, re.MULTILINE)
    assert heads == ["package-3", "package-17", "package-29"]
    assert "Trouble of part 21\n" in shown
    assert "Trouble of part 203\n" in shown


def test_packages_with_severe_findings_come_before_advice_on_the_first_ones() -> None:
    words = [
        "cart",
        "order",
        "invoice",
        "ledger",
        "session",
        "user",
        "token",
        "cache",
        "queue",
        "mailer",
        "web",
    ]

    def block(at: int) -> str:
        first, second, third = (words[(at * step + 3) % len(words)] for step in (5, 7, 8))
        about = f"{second.title()} denial of service in {third}"
        told = (
            f"{first}-{second}{at}  <3.{at}.2",
            f"Severity: {'critical' if at == 15 else ('low', 'moderate', 'high')[at % 3]}",
            f"{about} - https://github.com/advisories/GHSA-{at * 7919:04x}-9c1f",
            "fix available via `npm audit fix --force`",
            f"Will install {third}@{at}.0.0, which is a breaking change",
            f"node_modules/{second}-{third}{at}",
            f"  {third}-cli  *",
            f"  Depends on vulnerable versions of {third}-{first}{at}",
            f"  node_modules/{first}-cli",
            "",
        )
        return "\n".join(told)

    shown = squeeze("\n".join(map(block, range(24))), command="npm audit", budget=300).text

    assert shown.count("Severity: high") >= 5
    assert "Severity: critical" in shown


def test_what_depends_on_a_package_with_a_severe_finding_is_shown_with_how_many_there_are() -> None:
    findings = [
        f"package-{at}  <1.{at}.0\nSeverity: {'critical' if at == 5 else 'moderate'}\nTrouble of part {at}\n"
        f"fix available via `npm audit fix`\nnode_modules/package-{at}\n"
        f"  user-{at}  <={at}.7.1\n  Depends on vulnerable versions of package-{at}\n"
        f"    shop-{at}  *\n    Depends on vulnerable versions of user-{at}\n"
        for at in range(7)
    ]
    text = "\n".join(["# npm audit report\n", *findings, "21 vulnerabilities (20 moderate, 1 critical)\n"])

    shown = squeeze(text, command="npm audit", budget=200).text

    assert "  user-5  <=5.7.1\n  Depends on vulnerable versions of package-5\n" in shown
    assert "    shop-5  *\n    Depends on vulnerable versions of user-5\n" in shown
    assert "21 vulnerabilities" in shown


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_a_history_with_changes_of_megabytes_is_no_log(budget: int) -> None:
    body = "".join(f"+    total_{at} = failed_{at} + {at}\n" for at in range(3_000))
    entry = "commit {:040x}\nAuthor: Ann <a@b.org>\nDate:   Mon Jun 1\n\n    Change the part {}\n\n"
    entries = sized(80)
    text = "".join(entry.format(nth, nth) + diff(1) + body for nth in range(entries))

    shown = squeeze(text, command="git log -p", budget=budget).text

    assert len(text) > 100_000 * entries
    assert shown.startswith(f"commit {0:040x}\n")
    assert "    Change the part 0\n" in shown
    for hunk in re.finditer(r"^@@ .*", shown, re.MULTILINE):
        assert any(header in shown[: hunk.start()] for header in HEADERS)


@pytest.mark.weekly
def test_matches_of_very_many_files_are_told_by_file() -> None:
    text = "".join(
        f"src/part_{at % 100}.py:{at}:    raise OrderError(total_{at}, 'the order {at} failed')\n"
        for at in range(4_000)
    )

    shown = squeeze(text, command="grep -rn raise .", budget=1_000).text

    assert re.search(r"^\[also: src/part_\d+\.py 40, .* and \d+ more files with \d+\]$", shown, re.MULTILINE)
    assert all(re.match(r"src/part_\d+\.py:\d+: |\[", line) for line in shown.splitlines())


@pytest.mark.weekly
def test_the_odd_record_of_a_line_of_megabytes_is_shown() -> None:
    records = [
        {"id": at, "name": f"account-{at * 7}", "state": "open" if at != 7_211 else "barred"}
        for at in range(15_000)
    ]

    shown = squeeze(json.dumps(records), command="curl -s localhost/accounts", budget=300).text

    assert re.search(r"\{\"id\": 7211, \"name\": \"account-50477\", \"state\": \"barred\"", shown)


@pytest.mark.weekly
def test_a_very_long_file_is_told_by_its_definitions() -> None:
    lines = (f"class Part{at}:\n    rate = {at}\n\n" + "    # nothing\n" * 20 for at in range(500))

    shown = squeeze("".join(lines), command="cat parts.py", budget=1_000).text

    assert shown.count("class Part") > 10
    assert "# nothing\n" * 3 not in shown


def entry_with_files(nth: int, files: Sequence[str]) -> list[str]:
    """Return one entry of `git log --stat`."""
    width = max(map(len, files))
    return [
        f"commit {nth:040x}",
        f"Author: Somebody <some{nth}@example.org>",
        "Date:   Thu Aug 20 09:12:10 2026 -0700",
        "",
        f"    Rework the handling of part {nth}",
        "",
        *(f" {name:<{width}} |  4 ++--" for name in files),
        f" {len(files)} files changed, {2 * len(files)} insertions(+), {2 * len(files)} deletions(-)",
        "",
    ]


@pytest.mark.costly
@pytest.mark.parametrize("budget", [250, 400, 1_000])
@pytest.mark.parametrize("question", ["src/exporting/ledger.py", "what changed in the ledger", "ledger.py"])
def test_a_file_of_an_old_commit_answers_a_question(question: str, budget: int) -> None:
    lines: list[str] = []
    for nth in range(60):
        rare = ["src/exporting/ledger.py"] if nth in (31, 47) else []
        lines += entry_with_files(
            nth, [f"src/part_{nth}.py", *rare, "CHANGES.md", f"tests/test_part_{nth}.py"]
        )
    shown = squeeze("\n".join(lines), command="git log --stat -60", budget=budget, question=question).text

    assert shown.startswith(f"commit {0:040x}")  # the newest entry stands first
    assert "ledger.py" in shown
    assert f"commit {31:040x}" in shown or f"commit {47:040x}" in shown
    if budget >= 400:
        assert shown.count("ledger.py") == 2


def test_a_heading_brings_those_above_it_and_the_newest_release_comes_first() -> None:
    page = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `new_thing` is there.\n\n" + "".join(
        f"## {9 - at}.{at}.0\n\n### Fixed\n\n- Mend `part_{at}` of the `shop_{at * 7919}` in module_{at}.\n\n"
        for at in range(90)
    )

    shown = squeeze(page, command="cat CHANGELOG.md", budget=300, count=guess).text

    assert "## [Unreleased]\n" in shown
    for entry in re.findall(r"part_(\d+)", shown):
        heading = f"## {9 - int(entry)}.{entry}.0\n"
        assert heading in shown
        assert "### Fixed" in shown[shown.index(heading) : shown.index(f"part_{entry}")]


def test_json_is_data_whatever_command_wrote_it() -> None:
    text = json.dumps([{"hash": f"{at:040x}", "subject": f"Change part {at}"} for at in range(90)], indent=2)

    for command in ("git log --format=json | jq -s .", "git status --json", "git remote -v"):
        assert recognise(command, text.split("\n")) is DATA


@pytest.mark.weekly
def test_a_blame_uses_its_budget_and_shows_its_end() -> None:
    lines = [
        f"{at:08x} (Ann 2026-01-02 10:00:00 +0100 {at:4}) value_{at} = part_{at}()" for at in range(1, 900)
    ]

    shown = [
        squeeze("\n".join(lines), command="git blame a.py", budget=b, count=guess)
        for b in (300, 1_000, 3_000)
    ]

    assert all(lines[-1] in one.text and lines[0] in one.text for one in shown)
    assert shown[0].tokens <= 300 < 900 < shown[1].tokens <= 1_000 < shown[2].tokens


def test_what_is_odd_in_a_long_line_of_records_stands_with_how_its_record_begins() -> None:
    records = [
        {
            "id": 7000 + at,
            "state": "locked" if at == 23 else "open",
            "labels": [{"name": "shop", "color": "d73a4a"}] * (at % 3),
            "comments": 4711 if at == 31 else at % 5,
            "body": f"The page of part {at} is slow where the cart has many rows and the user reloads it.",
        }
        for at in range(60)
    ]

    shown = squeeze(json.dumps(records), command="curl -s x", budget=1_000).text

    assert re.search(r'"id": 7023,[^{]*"state": "locked"', shown)
    assert re.search(r'"id": 7031,.{0,160}"comments": 4711,', shown)


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_first_record_of_data_is_whole_and_so_is_how_a_long_line_begins(budget: int) -> None:
    records = [{"id": at, "name": f"user{at}", "mail": f"u{at}@a.io", "on": True} for at in range(300)]
    first = json.dumps(records[0], indent=2).split("\n")

    lines = squeeze(json.dumps(records, indent=2), command="jq . a.json", budget=budget, count=guess).text
    line = squeeze(json.dumps(records), command="curl -s host", budget=budget, count=guess).text
    code = "".join(f"function f{at}(e){{return e.user{at}(1)}}" for at in range(900))
    minified = squeeze(f"/*! shop 2.1 */!function(){{{code}}}()", command="cat app.js", budget=budget).text

    assert "\n".join(f"  {one}" for one in first) in lines
    assert line.startswith('[{"id": 0, "name": "user0", "mail": "u0@a.io", "on": true}')
    assert minified.startswith("/*! shop 2.1 */!function(){function f0(e)")


def test_failures_in_a_report_of_xml_that_is_read_as_a_file_are_shown() -> None:
    cases = [
        f'  <testcase classname="part{at % 9}.Test" name="test_{at}" time="0.0{at}"/>'
        if at not in (77, 205)
        else f'  <testcase name="test_{at}"><failure message="assert {at} == 1"/></testcase>'
        for at in range(300)
    ]
    text = "\n".join(['<?xml version="1.0"?>', "<testsuite>", *cases, "</testsuite>"])

    shown = squeeze(text, command="cat report.xml", budget=300, count=guess).text

    assert 'message="assert 77 == 1"' in shown
    assert 'message="assert 205 == 1"' in shown


def test_an_answer_tells_its_status_and_not_how_the_connection_was_made() -> None:
    made = [f"* TLSv1.3 (IN), TLS handshake, Finished ({at}):\n{{ [52 bytes data]" for at in range(30)]
    sent = ["> GET /orders HTTP/2", "> Host: shop", ">", "< HTTP/2 503", "< content-type: text/html", "<"]
    page = ["<html>", "<h1>Orders</h1>", *(f"<p>order {at} of part_{at}</p>" for at in range(90)), "</html>"]

    shown = squeeze("\n".join([*made, *sent, *page]), command="curl -sv https://shop/orders", budget=120).text

    assert "< HTTP/2 503\n" in shown
    assert "TLS handshake" not in shown


@pytest.mark.parametrize("mark", ["< ", ""])
def test_the_body_of_an_answer_comes_with_its_status(mark: str) -> None:
    def digits(at: int) -> str:
        return f"{pow(7, at + 40, 2**61 - 1):016x}"

    heads = "".join(
        f"{mark}x-{name}-id: {digits(at)}\n" for at, name in enumerate(("trace", "pod", "cache") * 9)
    )
    trace = ", ".join(f'"{digits(at)}"' for at in range(40))
    body = (
        f'{{"error": {{"code": "order_locked", "message": "order 77 is being settled"}}, "trace": [{trace}]}}'
    )
    said = f"{mark}HTTP/1.1 409 Conflict\n{heads}{mark}\n{body}\n* Connection #0 left intact\n"

    shown = squeeze(said, command="curl -v localhost", budget=300).text

    assert f"{mark}HTTP/1.1 409 Conflict\n" in shown
    assert '"code": "order_locked"' in shown


def test_a_subject_of_a_shortlog_stands_below_its_author() -> None:
    people = [
        f"Person {at} (3):\n" + "".join(f"      Change part {at}.{nth} of it\n" for nth in range(3))
        for at in range(40)
    ]

    shown = squeeze("\n".join(people), command="git shortlog HEAD~120..HEAD", budget=300).text.split("\n")

    authors = [re.search(r"Person (\d+) ", line) for line in shown]
    for at, line in enumerate(shown):
        if subject := re.search(r"part (\d+)\.", line):
            above = next(author for author in reversed(authors[:at]) if author)
            assert above[1] == subject[1]


def test_a_list_of_files_with_matches_tells_their_folders() -> None:
    files = "".join(f"src/part{at % 3}/file{at}.py:{at}\n" for at in range(400))

    shown = squeeze(files, command="rg -c login", budget=300).text

    assert re.search(r"\[also: src/part\d/ \d+, src/part\d/ \d+, src/part\d/ \d+\]", shown)


def test_a_diff_of_many_files_shows_hunks_beside_names_and_names_a_file_once() -> None:
    files = [
        f"diff --git a/src/part{at}.py b/src/part{at}.py\nindex 1f2e3d4..5a6b7c8 100644\n"
        f"--- a/src/part{at}.py\n+++ b/src/part{at}.py\n@@ -3,2 +3,3 @@ def load_{at}():\n"
        f"     reply_{at} = read_part_{at}()\n+    check_part_{at}(reply_{at})\n     return reply_{at}\n"
        for at in range(60)
    ]

    shown = squeeze("".join(files), command="git diff main", budget=300).text.split("\n")

    changes = [re.search(r"check_part_(\d+)", line) for line in shown if line.startswith("+ ")]
    assert any(changes)
    for change in filter(None, changes):
        above = shown[: shown.index(change.string)]
        header = next(line for line in reversed(above) if line.startswith(HEADERS))
        assert header.endswith(f"b/src/part{change[1]}.py")
    assert sum(line.startswith("diff --git ") for line in shown) == 1


@pytest.mark.parametrize(
    "form",
    ["async function settleOrder{0}(order) {{", "export const settleOrder{0} = async (order) => {{"],
)
def test_new_functions_of_a_long_diff_are_named_first(form: str) -> None:
    body = "".join(f"+    const total_{at} = basket.rows[{at}].price * 2;\n" for at in range(30))
    added = "".join(f"+{form.format(at)}\n{body}+}}\n+\n" for at in range(14))
    text = f"diff --git a/shop.js b/shop.js\n--- a/shop.js\n+++ b/shop.js\n@@ -1,2 +1,900 @@\n{added}"

    shown = squeeze(text, command="git diff", budget=500, count=guess).text

    assert [at for at in range(14) if f"settleOrder{at}" not in shown] == []


def test_a_function_that_a_diff_changes_is_no_new_one() -> None:
    hunk = "@@ -1,2 +1,2 @@\n debug: false\n-timeout: 386\n+timeout: 434\n"
    setting = f"diff --git a/s.yml b/s.yml\n--- a/s.yml\n+++ b/s.yml\n{hunk}"
    bodies = "".join(
        f"-def f{at}(x, y=1):\n+def f{at}(x, y=2):\n" + f"     x += {at}\n" * 30 for at in range(60)
    )
    text = f"{setting}diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,9999 +1,9999 @@\n{bodies}"

    shown = squeeze(text, command="git diff", budget=400, count=guess).text

    assert "-timeout: 386\n+timeout: 434\n" in shown


def test_the_files_that_a_commit_is_about_come_before_others() -> None:
    files = [f" src/part_{at:02}.go | {90 if at == 33 else 2} ++--\n" for at in range(60)]
    text = f"commit {7:040x}\nAuthor: A <a@b.c>\n\n    Settle orders\n\n{''.join(files)} 60 files changed\n"

    shown = squeeze(text, command="git show --stat HEAD", budget=200, count=guess).text

    assert " src/part_33.go | 90 ++--\n" in shown
    assert shown.count(" | ") < 30


def test_remarks_and_pictures_in_what_a_bot_writes_give_way_to_what_it_says() -> None:
    badge = '<picture><source srcset=\\"https://img.example/dark_mode_badge_7.svg\\"></picture>'
    said = "".join(
        f"`load_part_{at}` is called with no session, so part {at} stays closed. " for at in range(9)
    )
    remark = " ".join(f"bot_metadata_{at}=ref_{at}_9c7efe47" for at in range(40))
    bodies = [
        f'  {{\n    "id": {at},\n    "path": "p{at}.go",\n    "body": "{said}<!-- {remark} -->{badge}"\n  }}'
        for at in range(4)
    ]
    text = "[\n" + ",\n".join(bodies) + "\n]\n"

    shown = squeeze(text, command="gh api repos/a/b/pulls/1/comments", budget=700, count=guess).text

    assert "bot_metadata" not in shown
    assert "dark_mode_badge" not in shown
    assert all(f"load_part_{at}" in shown for at in range(9))


def test_a_list_that_does_not_fit_tells_its_folders_with_their_counts() -> None:
    folders = ("handlers", "models", "keyboards", "states")
    paths = [
        f"/home/ada/work/services/bot/src/{folder}/part_{at}.py" for folder in folders for at in range(25)
    ]

    shown = squeeze("\n".join(paths) + "\n", command="find . -name '*.py'", budget=600, count=guess).text

    (told,) = re.findall(r"\[also: (.*)\]", shown)
    assert sum(int(count) for count in re.findall(r" (\d+)", told)) + shown.count(".py\n") == 100
    assert told.count("/home/ada/work/services/bot/src/") == 1
    assert re.search(r", …/(handlers|models|keyboards|states)/ \d+", told)


def test_a_file_that_a_diff_deletes_is_named() -> None:
    hunk = "".join(f"-    call_of_part_{at}(reply_{at})\n" for at in range(90))
    kept = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"
    gone = f"diff --git a/b.py b/b.py\n--- a/b.py\n+++ /dev/null\n@@ -1,90 +0,0 @@\n{hunk}"

    shown = squeeze(kept + gone, command="git diff main", budget=200).text

    assert "diff --git a/b.py b/b.py\n" in shown
    assert shown.index("diff --git a/b.py") < shown.index("-    call_of_part_")


def test_a_long_blame_tells_how_many_lines_are_whose() -> None:
    people = ("Ann Lee", "Bo Chan")
    lines = "".join(
        f"{at:x}7f089ead ({people[at % 3 == 0]}  2024-05-31 18:20:16 +0200 {at:4}) x_{at} = {at}\n"
        for at in range(256, 756)
    )

    shown = squeeze(lines, command="git blame a.py", budget=300).text

    told = re.search(r"\[also: (\d+) lines by Ann Lee, (\d+) lines by Bo Chan\]", shown)
    assert told
    assert int(told[1]) + int(told[2]) == 500 - shown.count(" +0200 ")


def test_of_a_notebook_the_texts_of_its_cells_are_shown() -> None:
    cells = [
        {
            "cell_type": "code",
            "execution_count": at,
            "metadata": {},
            "outputs": [],
            "source": [f"load_part_{at}()\n"],
        }
        for at in range(80)
    ]

    shown = squeeze(
        json.dumps({"cells": cells, "metadata": {}}, indent=1), command="cat a.ipynb", budget=600
    ).text

    assert shown.count("load_part_") >= 15
    assert shown.count("execution_count") < shown.count("load_part_") / 2


def test_of_a_notebook_headings_errors_and_what_it_defines_come_first() -> None:
    printed = [f"epoch {at} loss 0.{at:04}\n" for at in range(120)]
    outputs: list[dict[str, object]] = [
        {"name": "stdout", "output_type": "stream", "text": [*printed, "accuracy: 0.8312\n"]},
        {
            "ename": "KeyError",
            "evalue": "'region_cod'",
            "output_type": "error",
            "traceback": ["Traceback"] * 9 + ["\x1b[0;32m----> 3\x1b[0m region['region_cod']"],
        },
    ]
    code = ["import pandas as pd\n", "def features(frame):\n", "    return frame[['spend', 'region']]\n"]
    texts = [f"Some words on step {at} of the work.\n" for at in range(20)]
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Churn of customers\n", *texts]},
        {"cell_type": "code", "metadata": {}, "outputs": outputs, "source": code},
    ]

    shown = squeeze(
        json.dumps({"cells": cells, "metadata": {}}, indent=1), command="cat a.ipynb", budget=300
    ).text

    for fact in ("Churn of customers", "'region_cod'", "def features", "accuracy: 0.8312", "----> 3"):
        assert fact in shown
    assert shown.count("epoch") < 5


def test_long_lists_of_links_leave_room_for_what_data_says() -> None:
    parts = ["cart", "ledger", "rates", "stock", "basket", "login", "mailer", "search", "refund", "quota"]
    records = [
        {
            "id": f"CVE-2016-{at}",
            "urls": [f"http://lists.example.org/security/2016-03/msg{at}{nth}.html" for nth in range(20)],
            "description": f"Session fixation in the {part} of the server",
        }
        for at, part in enumerate(parts)
    ]

    shown = squeeze(json.dumps(records, indent=1), budget=900).text

    assert [part for part in parts if f"in the {part} of the server" not in shown] == []
    assert "msg00.html" in shown


@pytest.mark.parametrize(
    ("head", "match"),
    [("{file}", "{at}:{text}"), ("{file}:", "  Line {at}: {text}"), ("File: {file}", "L{at}: {text}")],
)
def test_matches_stand_below_their_file_whichever_tool_found_them(head: str, match: str) -> None:
    lines = ["Found 240 matches"]
    for nth in range(12):
        lines.append(head.format(file=f"src/part{nth}/rates.ts"))
        lines += [match.format(at=at * 7, text=f"const rate{nth}{at} = rates[{at}]") for at in range(20)]
        lines.append("")

    shown = squeeze("\n".join(lines), command="rg rates src", budget=400).text

    heads = [re.search(r"part(\d+)/rates.ts", line) for line in shown.split("\n") if "[also:" not in line]
    matches = [re.search(r"rates\[(\d+)\]", line) for line in shown.split("\n")]
    assert sum(map(bool, heads)) >= 2
    assert sum(map(bool, matches)) >= 10
    above = ""
    for line in shown.split("\n"):
        above = found[1] if (found := re.search(r"part(\d+)/rates", line)) else above
        if found := re.search(r"const rate(\d+) = rates\[(\d+)\]", line):
            assert found[1] == above + found[2]
    assert "src/part5/rates.ts 20" in shown


@pytest.mark.weekly
@pytest.mark.parametrize(
    "command", ["git diff", "cat src/rates.py", "pytest -q", "rg rates", "curl -s host/rates"]
)
@pytest.mark.parametrize("place", [0, 9_999])
@pytest.mark.parametrize(
    "note",
    [
        "The output was too large. Full output saved to: /home/ana/.local/tool-output/tool_cd58b3",
        "Process running with session ID 84145",
        "Process exited with code 1",
        "[The command completed with exit code 2.]",
    ],
)
def test_what_a_client_says_of_a_command_is_told(command: str, note: str, place: int) -> None:
    lines = diff(40).split("\n") if command == "git diff" else source(200).split("\n")
    lines[place:place] = [note]

    assert note in squeeze("\n".join(lines), command=command, budget=300).text


def test_what_a_sub_agent_has_cost_takes_no_room_from_its_report() -> None:
    report = [f"- the rate of `ledger_{nth}` is read in `src/part{nth}/rates.ts`" for nth in range(90)]
    costs = ["<usage>total_tokens: 76076", "tool_uses: 13", "duration_ms: 45730</usage>"]

    shown = squeeze("\n".join([*report, "agentId: 1f2e3d4", *costs]), command="Task", budget=300).text

    assert not [line for line in costs if line in shown]
    assert "agentId: 1f2e3d4" in shown


RECORDS = {
    "apt show cart ledger": (
        "Package: part{0}",
        "Version: 1.{0}.3",
        "Priority: optional",
        "Size: {0} kB",
        "",
    ),
    "rpm -qai": ("Name        : part{0}", "Version     : 1.{0}.3", "Size        : {0}", "Group       : base"),
    "systemctl show cart ledger": ("Id=part{0}.service", "Type=simple", "MainPID={0}", "Restart=no", ""),
    "pip show cart ledger": (
        "Name: part{0}",
        "Version: 1.{0}.3",
        "License: MIT",
        "Requires: rates{0}",
        "---",
    ),
}


@pytest.mark.parametrize("budget", [300, 600])
@pytest.mark.parametrize("command", RECORDS)
def test_a_field_stands_below_the_first_one_of_its_record(command: str, budget: int) -> None:
    lines = [line.format(nth) for nth in range(200, 260) for line in RECORDS[command]]
    heads = {line: at for at, line in enumerate(lines) if "part" in line}
    lines[4 * len(RECORDS[command]) + 1 : 4 * len(RECORDS[command]) + 2] = ["Status: failed to start"]

    shown = squeeze("\n".join(lines), command=command, budget=budget).text.split("\n")

    record = ""
    for line in shown:
        record = line if line in heads else record
        if found := re.search(r"(?:1\.|rates|MainPID=|Size *: )(2\d\d)", line):
            assert f"part{found[1]}" in record
    assert sum(line in heads for line in shown) >= 10
    assert shown[shown.index("Status: failed to start") - 1] == lines[4 * len(RECORDS[command])]


@pytest.mark.parametrize("budget", [300, 600, 1_000])
def test_lines_of_a_diff_that_changed_come_before_those_around_them(budget: int) -> None:
    head = ["diff --git a/src/rates.ts b/src/rates.ts", "--- a/src/rates.ts", "+++ b/src/rates.ts"]
    changes = [
        f"{mark}  const {name}{nth} = readRate{nth}();"
        for nth in range(100, 160)
        for mark, name in (
            *[(" ", f"old{at}Rate") for at in range(5)],
            *[("+", f"new{at}Rate") for at in range(5)],
        )
    ]

    shown = squeeze(
        "\n".join([*head, "@@ -1,300 +1,600 @@", *changes]), command="git diff", budget=budget
    ).text

    assert len(re.findall(r"new\dRate", shown)) > 2 * len(re.findall(r"old\dRate", shown))


@pytest.mark.parametrize("budget", [300, 1_000])
def test_words_of_a_diff_that_changed_come_before_what_stands_around_them(budget: int) -> None:
    head = ["diff --git a/src/rates.ts b/src/rates.ts", "--- a/src/rates.ts", "+++ b/src/rates.ts"]
    rows = [f"const old{at}Rate = readOldRate{at}(settings{at});" for at in range(200)]
    rows[160] = "const total = {+round(+}sum(rates){+)+};"

    shown = squeeze("\n".join([*head, "@@ -1,200 +1,200 @@", *rows]), command="git diff", budget=budget).text

    assert f"{rows[160]}\n" in shown


def test_fields_that_a_client_writes_above_an_output_take_no_room_from_it() -> None:
    head = ["Chunk ID: 1f2e3d", "Wall time: 0.2 seconds", "Process exited with code 0", "Output:"]
    paths = [f"src/part{nth}/rates{nth}.py" for nth in range(300)]

    shown = squeeze("\n".join([*head, *paths]), command="find src -name '*.py'", budget=300).text

    assert not [line for line in head if line in shown]
    assert paths[0] in shown


def test_a_small_budget_names_each_file_with_matches_below_it() -> None:
    files = [f"src/{name}/rates.ts" for name in ("cart", "ledger", "stock", "login", "mailer", "search")]
    matches = [f"{at}:const value{at} = rates[{at}]" for at in range(100, 130)]

    shown = squeeze(
        "\n".join(line for file in files for line in (file, *matches, "")), command="rg rates", budget=200
    ).text

    assert [file for file in files if f"{file}\n" not in shown] == []


def test_what_can_be_clicked_on_a_page_comes_before_the_boxes_around_it() -> None:
    names = ["Cart", "Ledger", "Stock", "Login", "Mailer", "Search", "Refunds", "Quotas"]
    page = ["### Page", "- Page Title: Shop", "### Snapshot", "```yaml", "- generic [ref=e1]:"]
    for nth, name in enumerate(names):
        page += [
            *(f"{'  ' * depth}- generic [ref=e{nth}{depth}]: part_{nth}_{depth}" for depth in range(1, 9)),
            f'{"  " * 9}- button "{name}" [ref=e{nth}99]',
            *(f"{'  ' * 10}- generic [ref=e{nth}7{at}]: note{nth}_{at}" for at in range(9)),
        ]

    shown = squeeze("\n".join([*page, "```"]), command="mcp__playwright__browser_click", budget=200).text

    assert [name for name in names if f'button "{name}"' not in shown] == []


def test_a_field_that_changed_is_shown_with_its_old_value_and_its_new_one() -> None:
    hunks = "".join(
        f'@@ -{at}0,5 +{at}0,5 @@\n     "node_modules/part-{at}": {{\n-      "version": "1.{at}.0",\n'
        f'-      "resolved": "https://registry.npmjs.org/part-{at}/-/part-{at}-1.{at}.0.tgz",\n'
        f'-      "integrity": "sha512-{"Ab3" * 24}",\n+      "version": "2.{at}.7",\n'
        f'+      "resolved": "https://registry.npmjs.org/part-{at}/-/part-{at}-2.{at}.7.tgz",\n'
        f'+      "integrity": "sha512-{"Cd4" * 24}",\n       "license": "MIT",\n'
        for at in range(1, 30)
    )
    head = "diff --git a/lock.json b/lock.json\n--- a/lock.json\n+++ b/lock.json\n"

    shown = squeeze(head + hunks, command="git diff", budget=300).text

    old = re.findall(r'-      "version": "1\.(\d+)\.0"', shown)
    assert old
    assert old == re.findall(r'\+      "version": "2\.(\d+)\.7"', shown)


def test_names_in_data_are_shown_without_the_brackets_before_them() -> None:
    packages = {
        f"node_modules/part-{at}": {
            "version": f"1.{at}.0",
            "resolved": f"https://registry.npmjs.org/part-{at}/-/part-{at}-1.{at}.0.tgz",
            "engines": {"node": ">=18"},
        }
        for at in range(80)
    }

    shown = squeeze(json.dumps({"packages": packages}, indent=2), command="cat lock.json", budget=300).text

    assert len(re.findall(r"\]\n    \"node_modules/part-\d+\": \{\n", shown)) > 4
    assert shown.count('"version": ') > 8


def test_the_name_of_a_file_comes_with_its_first_hunk_where_that_is_short() -> None:
    files = "".join(
        f"diff --git a/src/part_{at}.py b/src/part_{at}.py\n--- a/src/part_{at}.py\n+++ b/src/part_{at}.py\n"
        f"@@ -{at} +{at} @@ def call_{at}():\n-    return old_{at}(value)\n+    return new_{at}(value)\n"
        f"@@ -{at + 40} +{at + 40} @@ def other_{at}():\n-    two_{at}()\n+    too_{at}()\n"
        for at in range(1, 60)
    )

    shown = squeeze(files, command="git diff -U0", budget=300).text

    lines = shown.splitlines()
    named = [at for at, line in enumerate(lines) if line.startswith("+++ ")]
    assert len(named) > 2
    assert all(lines[at + 1].startswith("@@ ") and "return new_" in lines[at + 3] for at in named)


@pytest.mark.parametrize(
    ("command", "above", "package"),
    [
        ("pnpm why lodash", "├─┬ core-{} 8.0.{}", "│ └── lodash 4.17.{}"),
        ("yarn why lodash", "├─ @acme/core-{}@npm:8.0.{}", "│  └─ lodash@npm:4.17.{} (via npm:^4.17.0)"),
        ("./gradlew dependencies", "+--- org.acme:core-{}:8.0.{}", "|    \\--- org.acme:lodash:4.17.{}"),
        (
            "mvn dependency:tree",
            "[INFO] +- org.acme:core-{}:jar:8.0.{}:compile",
            "[INFO] |  \\- org.acme:lodash:jar:4.17.{}:compile",
        ),
        (
            "pipdeptree",
            "├── core-{} [required: >=1.0, installed: 8.0.{}]",
            "│   └── lodash [required: >=2.0, installed: 4.17.{}]",
        ),
    ],
)
def test_the_one_package_of_another_version_is_shown_in_a_tree(
    command: str, above: str, package: str
) -> None:
    tree = [
        line
        for at in range(60)
        for line in (f"kit-{at} {at}.4.5", above.format(at, at), package.format(21 - 6 * (at == 37)))
    ]

    for budget in (200, 300):
        shown = squeeze("\n".join(["shop@2.1.0 /srv", "", *tree]), command=command, budget=budget).text

        assert f"{above.format(37, 37)}\n{package.format(15)}\n" in shown


@pytest.mark.parametrize("budget", [200, 300, 1_000])
def test_what_git_could_not_merge_is_shown_among_the_many_files_that_it_merged(budget: int) -> None:
    conflicts = [
        "CONFLICT (content): Merge conflict in src/pay/settle.py",
        "CONFLICT (modify/delete): docs/old.md deleted in HEAD and modified in feature.",
    ]
    steps = [f"Auto-merging src/part_{at}/file_{at}.py" for at in range(250)]
    lines = [*steps[:80], conflicts[0], *steps[80:170], conflicts[1], *steps[170:]]

    shown = squeeze(
        "\n".join([*lines, "Automatic merge failed; fix conflicts."]),
        command="git merge feature",
        budget=budget,
    )

    assert all(conflict in shown.text for conflict in conflicts)


@pytest.mark.parametrize("budget", [200, 1_000])
def test_what_a_program_complains_of_is_shown_among_the_paths_that_it_lists(budget: int) -> None:
    paths = [f"assets/img/p{at}.png" for at in range(400)]
    told = 'rsync: [receiver] mkstemp "/srv/keys/.a.pem.Xy12" failed: Permission denied (13)'

    shown = squeeze(
        "\n".join([*paths[:200], told, *paths[200:]]), command="rsync -av src/ host:/srv/", budget=budget
    )

    assert told in shown.text


@pytest.mark.parametrize(
    ("command", "usual", "odd"),
    [
        ("git submodule status", f" {'a1' * 20} vendor/m{{}} (v1.{{}})", f"-{'1f2e3d4c' * 5} vendor/ledger"),
        ("git cherry -v main", f"- {'a1' * 20} Change {{}} of {{}}", f"+ {'1f2e3d4c' * 5} Round half even"),
    ],
)
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_line_that_begins_with_another_mark_than_all_others_is_shown(
    command: str, usual: str, odd: str, budget: int
) -> None:
    lines = [usual.format(at, at) for at in range(150)]

    shown = squeeze("\n".join([*lines[:70], odd, *lines[70:]]), command=command, budget=budget).text

    assert odd in shown
