"""What an output is: told by its command, or by its text alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output.families import (
    BLAME,
    DATA,
    DIFF,
    FILE,
    HISTORY,
    LISTING,
    MATCHES,
    PLAN,
    PROSE,
    REPORT,
    RULES,
    STATUS,
    STEPS,
    TABLE,
    TREE,
    OutputFamily,
    recognise,
    reports_beside,
)


def source(first: str, *lines: str) -> list[str]:
    return [first, first, first, *(line.format(at) for at in range(9) for line in lines)]


HUNK = ["diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@", "-one", "+two"]


@pytest.mark.parametrize(
    ("family", "command"), [(rule.family, example) for rule in RULES for example in rule.examples]
)
def test_the_examples_of_a_rule_are_of_its_family(family: OutputFamily, command: str) -> None:
    lines = {DIFF: HUNK, STATUS: ["On branch main"]}.get(family, ["first", "second"])

    assert recognise(command, lines) is family


def test_hunks_are_a_diff_whichever_git_command_comes_first() -> None:
    assert recognise("git checkout -- go.mod && git diff -- src", HUNK) is DIFF
    assert recognise("git checkout -- go.mod && git diff -- src", ["Updated 1 path"]) is STEPS


@pytest.mark.parametrize(
    ("command", "family"),
    [
        ("cd web && git -C . log -5 | head -3", HISTORY),
        ("NO_COLOR=1 timeout 60 npx jest src", REPORT),
        ("sudo /usr/bin/find / -name x", LISTING),
        ("echo go; rg -n login", MATCHES),
        ("git commit -m 'fix'", STEPS),
        ("git show main:src/a.py", FILE),
        ("./gradlew test", REPORT),
        ("bash -lc 'sed -n 1,200p src/a.py'", FILE),
        ('/bin/bash -lc "cd web && git log --oneline -20"', HISTORY),
        ('zsh -lc "rg -n login src"', MATCHES),
        ("sh -c 'npm test'", REPORT),
        ("ssh -p 22 ann@db-1 'ls -la /srv'", LISTING),
        ("docker exec -it web cat /app/a.py", FILE),
        ("docker compose exec web pytest -q", REPORT),
        ("kubectl exec -n shop web-1 -c web -- cat /app/a.py", FILE),
        ("conda run -n shop pytest", REPORT),
        ("uv run --with httpx pytest", REPORT),
        ("hatch run test", REPORT),
        ("sudo -u app npm test", REPORT),
        ("time -p make", REPORT),
        ("python3.12 -m mypy src", REPORT),
        ("npx turbo run test", REPORT),
        ("Task", PROSE),
    ],
)
def test_what_stands_before_a_command_does_not_hide_it(command: str, family: OutputFamily) -> None:
    assert recognise(command, ["a line", "another"]) is family


@pytest.mark.parametrize(
    ("lines", "family"),
    [
        (HUNK, DIFF),
        (["commit " + "1f" * 20, "Author: A", "", "    a subject"], HISTORY),
        ([f"src/m{at}.py:{at + 3}:    x = call({at})" for at in range(9)], MATCHES),
        ([f"./src/part{at}/file{at}.rs" for at in range(9)], LISTING),
        ([f"  {at}\tx = {at}" for at in range(9)], FILE),
        (["-[ RECORD 1 ]-----+----", "id   | 4007", "name | ada"], DATA),
        (["*" * 27 + " 1. row " + "*" * 27, "  id: 4007", "name: ada"], DATA),
        (["{", '  "id": 1,', '  "name": "a"', "}"], DATA),
        (["a,b,c", *(f"{at},x{at},{at * 7}" for at in range(40))], TABLE),
        ([f"docs/a{at}.md:{at}:121 error MD013/line-length Line length" for at in range(9)], REPORT),
        (["HTTP/1.1 200 OK", "server: nginx", "", '{"id": 1, "name": "a"}'], DATA),
        (["*   Trying 10.0.0.1:443...", "> GET / HTTP/2", "< HTTP/2 200 ", "< ", '[{"id": 1}]'], DATA),
        (["<!DOCTYPE html>", "<html>", "<body>", "<p>a</p>"], DATA),
        ([f"7f089ead{at} Change a part" for at in range(9)], HISTORY),
        ([line for at in range(9) for line in (f"* | 7f089ead{at} Change a part", "|\\ \\ ")], HISTORY),
        ([line for at in range(9) for line in (f"{at}f" * 20 + " Change", "", f"2\t{at}\ta.c")], HISTORY),
        (["src/a.rs", *(f"{at}:    unsafe {{ read({at}) }}" for at in range(9))], MATCHES),
        (["total 12", *(f"-rw-r--r-- 1 root root 6690 Nov 27 03:20 m{at}" for at in range(9))], LISTING),
        ([f"{at}.0K\tsrc/part{at}/file.c" for at in range(9)], LISTING),
        ([f"src/part{at}/file.rs:{at}" for at in range(9)], LISTING),
        (["spec:", *(f"  field{at}: {at}" for at in range(12))], DATA),
        (source("import a.b;", "public class P{0} {{", "    int size{0} = {0};", "}}"), FILE),
        (source("require 'a'", "def part_{0}(item)", "  item.size = {0}", "end"), FILE),
        (source("import a", "def part_{0}(item):", "    item.size = {0}", "    return item"), FILE),
        (
            [*source("import a", "def part_{0}():", "    size = {0}"), "E   assert 1 == 2", "a.py:3: Error"],
            REPORT,
        ),
        ([f"7f089ead{at} (Ann Lee 2024-05-31 18:20:16 +0200  {at}) x = {at}" for at in range(9)], BLAME),
        ([f"  fix/part-{at}  7f089ead{at} Change a part" for at in range(9)], LISTING),
        ([f"10:0{at} INFO request {at} served" for at in range(9)], REPORT),
        ([f"src/m{at}.py:{at}:1: E501 line too long" for at in range(9)], REPORT),
        ([f"{name}Price    function  src/{name}.ts:38:12" for name in "abcdefghi"], REPORT),
        ([f"DEBUG util.py:{at}:  lib{at}.so is there" for at in range(9)], REPORT),
        ([f"api.log.1.2017-05-16_13:53:0{at} GET /orders" for at in range(9)], REPORT),
        ([f"E2E\tRun tests\t2026-02-21T21:32:55.{at:07}Z part {at} done" for at in range(40)], REPORT),
        (
            [f"db-1  | 2026-03-01 10:00:{at}.343 UTC [7] LOG:  part {at} began" for at in range(10, 50)],
            REPORT,
        ),
        (["<path>/a.ts</path>", "<content>7: import b", *(f"{at}: use({at})" for at in range(8, 20))], FILE),
        (["Found 9 matches", "/src/a.ts:", *(f"  Line {at * 3}: use({at})" for at in range(9))], MATCHES),
        (
            ["Found 9 matches", "---", "File: src/a.ts", *(f"L{at * 3}: use({at})" for at in range(9))],
            MATCHES,
        ),
        ([f"{at * 4}\t/usr/share/locale/de{at}" for at in range(9)], LISTING),
        (["/usr:", "bin", "lib", "", "/usr/bin:", "awk", "sed"], LISTING),
        ([f"shop.{'part' * at}.size = {at}" for at in range(1, 13)], DATA),
        ([f"20171223-22:15:29:6{at}|Steps|3000|standing {at}" for at in range(40)], REPORT),
        ([f"2016-09-28 04:30:{at}, Info     CBS     Session {at} began" for at in range(10, 50)], REPORT),
        (
            [
                "Updating the build tree",
                *(f"part{at}.c" for at in range(9)),
                'ring.c(3) : Warning[Pe177]: "x" is unused',
            ],
            REPORT,
        ),
        (
            [
                "*" * 27 + " 1. row " + "*" * 27,
                "  Type: InnoDB",
                *(f"{at} OS file reads, 3" for at in range(9)),
            ],
            REPORT,
        ),
        (
            [
                "[",
                *(line for at in range(9) for line in ("  {", f"    id: {at},", "    name: 'a'", "  },")),
                "]",
            ],
            DATA,
        ),
        (["{", "    if (a) {", "        run(a);", "    }", "    return a;", "}"], REPORT),
        (["shop v0.3.1", *(f"│   ├── part-{at} v1.{at}.0 (*)" for at in range(9))], TREE),
        (["shop@1.0.0", *(f"[INFO] |  +- com.shop:part-{at}:jar:1.{at}:compile" for at in range(9))], TREE),
        (["shop, api, Deployment (apps) has changed:", "    kind: Deployment", "-   replicas: 3"], PLAN),
        (["checking for gcc... yes", "+ patch -p1", *HUNK[1:], *["checking for cc... yes"] * 30], REPORT),
    ],
)
def test_a_text_tells_what_it_is(lines: list[str], family: OutputFamily) -> None:
    assert recognise("", lines) is family


def test_a_log_of_levels_has_no_records() -> None:
    levels = [f"{level}: part {nth} is read" for nth in range(40) for level in ("INFO", "DEBUG", "WARN")]

    assert recognise("./report", levels) is REPORT


@pytest.mark.parametrize("note", [[], ["Warning: truncated output (original token count: 9)", "", ""]])
def test_what_a_client_writes_above_an_output_does_not_hide_what_it_is(note: list[str]) -> None:
    head = ["Exit code: 0", "Wall time: 0.2 seconds", "Process exited with code 0", "Output:"]
    records = ["[", '  {"name": "cart", "size": 3},', '  {"name": "ledger", "size": 4}', "]"]

    assert recognise("./report", [*head, *note, *records]) is DATA
    assert recognise("./report", ["Text of no client", *head[:1], *head[3:], *records]) is REPORT


def test_a_log_that_is_read_is_a_log() -> None:
    lines = [f"10:{at:02} INFO request {at} served" for at in range(40)]

    assert recognise("cat app.log", lines) is REPORT
    assert recognise("cat notes", lines) is REPORT


YAML = [
    line
    for at in range(9)
    for line in (
        "- kind: Deployment",
        "  metadata:",
        "    generation: 3",
        f"    name: part-{at}",
        f"    uid: {at}",
        "  spec:",
        f"    replicas: {at}",
        "    image: shop",
        "    memory: 256Mi",
        "  status:",
        "    ready: 1",
        "    phase: up",
    )
]


@pytest.mark.parametrize(
    ("command", "lines", "family"),
    [
        ("docker inspect web", ["[", "  {", '    "Id": "1",', '    "Name": "web"', "  }", "]"], DATA),
        ("gh issue list --json number,title", ['[{"number": 1, "title": "a"}]'], DATA),
        ("kubectl get deploy -o yaml", YAML, DATA),
        (
            "go test -json ./...",
            ['{"Action": "run", "Test": "A"}', '{"Action": "fail", "Test": "A"}'],
            REPORT,
        ),
        ("pip install x", ["Building wheel for x (setup.py): started", *["  running build"] * 9], REPORT),
        ("ansible-playbook a.yml", [f"ok: [web{at}]" for at in range(40)], REPORT),
        ("ls", ["[a].txt", "b.txt"], LISTING),
    ],
)
def test_a_document_is_data_whichever_tool_printed_it(
    command: str, lines: list[str], family: OutputFamily
) -> None:
    assert recognise(command, lines) is family


def test_what_a_list_shows_below_a_header_is_a_table() -> None:
    runs = [f"completed\tsuccess\tBump part-{at}\tmain\t{at + 12_000_000_000}" for at in range(40)]

    assert recognise("gh run list -L 40", ["STATUS\tCONCLUSION\tTITLE\tBRANCH\tID", *runs]) is TABLE
    assert (
        recognise("gh pr list -L 40", ["12 open pull requests", *(f"Bump part-{at}" for at in range(40))])
        is LISTING
    )


def test_calls_with_as_many_arguments_are_no_table() -> None:
    calls = [f'9{at} open(AT_FDCWD, "/lib/part{at}.so", O_RDONLY) = 3' for at in range(60)]

    assert recognise("", calls) is not TABLE


def test_records_with_blanks_behind_their_commas_are_a_table() -> None:
    records = [f"{at}, user {at}, {at * 3}.50" for at in range(60)]

    assert recognise("", ["id, name, total (eur)", *records]) is TABLE


_WORDS = (
    "alpha billing cart catalog checkout coupon customer delivery export feed gateway import inventory "
    "invoice ledger mailer media metrics order parser payment price profile queue report search session "
    "shipping"
)


def test_both_heads_of_migrations_are_shown_and_not_the_prose_of_one(tmp_path: Path) -> None:
    names = _WORDS.split()
    heads = "".join(
        f"Rev: {revision} (head)\nParent: 4be8d0c7712f\nPath: /srv/shop/migrations/versions/{revision}.py\n\n"
        + "".join(
            f"    Moves {one}_{names[at - step]} of {names[at - 2 * step]}s to where the {one} is read.\n"
            for at, one in enumerate(names)
        )
        + "\n"
        for step, revision in ((3, "9f3c1a7be210_add_due_date"), (4, "c71d04e5aa98_drop_coupons"))
    )

    shown = squeeze(heads, command="alembic heads --verbose", budget=200, store=tmp_path).text

    assert all(name in shown for name in ("9f3c1a7be210_add_due_date.py", "c71d04e5aa98_drop_coupons.py"))


@pytest.mark.parametrize(
    "command", ["mix credo --strict", "bundle exec rubocop", "vendor/bin/phpstan analyse"]
)
def test_a_linter_that_is_known_by_its_command_is_told_with_its_verdict(command: str, tmp_path: Path) -> None:
    findings = [
        f"lib/part{at}/sum{at}.ex:{at}: [R] Modules should have a @moduledoc tag." for at in range(70)
    ]
    text = "\n".join([*findings, "412 functions, found 1 warning, 70 code readability issues."])

    shown = squeeze(text, command=command, budget=200, store=tmp_path).text

    assert "found 1 warning, 70 code readability issues" in shown


_FILES = [f"/app/src/part{at}/cart{at * 31}.ts" for at in range(24)]
_STYLISH = [
    line
    for at, file in enumerate(_FILES)
    for line in (file, *(f"   {at + row}:5  warning  Unexpected console statement" for row in range(4)))
]
_PLACES = [f"{file}:{at * 7 + 3}: Expected indentation of 4 spaces" for at, file in enumerate(_FILES)]


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        (_STYLISH, "✖ 96 problems (3 errors, 93 warnings)"),
        (_PLACES, "Found 5 errors in 3 files (checked 12 source files)"),
        (_PLACES, "37 files inspected, 12 offenses detected"),
    ],
)
def test_findings_without_a_command_keep_their_verdict(
    findings: list[str], verdict: str, tmp_path: Path
) -> None:
    lines = [*findings, verdict, "  0 errors and 9 warnings are fixable with --fix."]

    shown = squeeze("\n".join(lines), budget=200, store=tmp_path).text

    assert recognise("", lines) is REPORT
    assert verdict in shown


def test_matches_that_end_with_a_line_about_errors_are_matches() -> None:
    assert recognise("", [*_PLACES, "src/verdict.ts:9: found 5 errors in it"]) is MATCHES


FAILED = [
    "=================================== FAILURES ===================================",
    "________________________________ test_half_even ________________________________",
    "",
    ">       assert settle('12.345') == Decimal('12.34')",
    "E       AssertionError: assert Decimal('12.35') == Decimal('12.34')",
    "",
    "tests/test_settle.py:77: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_settle.py::test_half_even - AssertionError: assert Decimal(...",
    "1 failed, 311 passed in 41.20s",
]
SOURCE = [
    line
    for at in range(120)
    for line in (f"def fee_{at}(x):", f"    raise ValueError('fee error {at}')", f"    return x * {at}", "")
]
STATUS_LINES = [
    "On branch main",
    "Changes not staged for commit:",
    "\tmodified:   src/pay/settle.ts",
    "",
    "Untracked files:",
    *(f"\ttmp/out{at}.json" for at in range(120)),
    "",
    "no changes added to commit",
]


@pytest.mark.parametrize(
    ("command", "before"),
    [
        ("cat src/settle.py; pytest -q", SOURCE),
        ("grep -rn settle src; pytest -q", [f"src/m{at}.py:{at * 7}:    settle(x{at})" for at in range(200)]),
        ("find . -name '*.py' && pytest -q", [f"./src/m{at}/error_{at}.py" for at in range(200)]),
        ("git log --oneline && pytest -q", [f"{at:05x}ab Change {at} of the shop" for at in range(120)]),
        (
            "git add . && git commit -qm x && pytest -q",
            [f" create mode 100644 m{at}.py" for at in range(120)],
        ),
        ("git status && pytest -q | tail -20", STATUS_LINES),
    ],
)
@pytest.mark.parametrize("budget", [300, 1_000])
def test_what_a_later_command_tests_is_told_behind_what_the_first_one_lists(
    command: str, before: list[str], budget: int, tmp_path: Path
) -> None:
    shown = squeeze("\n".join([*before, *FAILED]), command=command, budget=budget, store=tmp_path).text

    assert all(line in shown for line in (FAILED[4], FAILED[-2], FAILED[-1]))


@pytest.mark.parametrize(
    ("command", "family", "beside"),
    [
        ("cat a.py; pytest -q", FILE, True),
        ("cat a.md; pytest -q", PROSE, True),
        ("python run.py; cat a.py", FILE, True),
        ("ls out; ./run.sh", LISTING, True),
        ("pytest -q; git diff", DIFF, True),
        ("cd web && npm test", REPORT, False),
        ("pytest --collect-only", LISTING, False),
        ("cat a.py; ls", FILE, False),
    ],
)
def test_a_command_beside_the_one_that_tells_the_family_may_report(
    command: str, family: OutputFamily, beside: bool
) -> None:
    assert reports_beside(command, family) is beside


@pytest.mark.parametrize(
    ("command", "before"),
    [
        ("git log --oneline -15 && git diff", [f"{at:05x}ab Change {at} of the shop" for at in range(60)]),
        ("ls -la; git diff", [f"-rw-r--r-- 1 ann ann {at + 7} Nov 30 10:00 m{at}.py" for at in range(120)]),
        ("grep -rn fee src; git diff", [f"src/m{at}.py:{at}:  fee(x{at})" for at in range(120)]),
        ("pytest -q; git diff", FAILED),
    ],
)
def test_a_diff_behind_what_another_command_lists_is_one(
    command: str, before: list[str], tmp_path: Path
) -> None:
    hunks = [
        line
        for at in range(60)
        for line in (
            f"diff --git a/src/part_{at}.py b/src/part_{at}.py",
            f"--- a/src/part_{at}.py",
            f"+++ b/src/part_{at}.py",
            f"@@ -{at + 1},3 +{at + 1},3 @@ def part_{at}():",
            f" kept_{at} = 1",
            f"-old_{at} = {at * 111}",
            f"+new_{at} = {at * 112}",
        )
    ]

    shown = squeeze("\n".join([*before, *hunks]), command=command, budget=1_000, store=tmp_path).text

    heads = re.findall(r"^@@ -.* def (part_\d+)\(", shown, re.MULTILINE)
    assert len(heads) > 1
    assert all(f"b/src/{name}.py" in shown for name in heads)
    assert FAILED[-1] in shown or before is not FAILED
