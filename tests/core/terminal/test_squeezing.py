"""A squeezed output is short, true, and can be undone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.amounts import examples, sized

from satchel import UsageError, squeeze
from satchel.output import squeeze_for_each, whole_lines
from satchel.output.squeezing import TextEnds
from satchel.shared_archive import open_archive
from satchel.tokens import guess

LOG = "".join(
    f"10:{number % 60:02} INFO request {number} served in {number % 9} ms\n" for number in range(3_000)
)
BROKEN = LOG.replace(
    "10:20 INFO request 1400 served in 5 ms", "10:20 ERROR ledger 88121 out of balance by 3 cents"
)
MARKS = re.compile(
    r"\[… (?:\d+ lines?|lines? \d+(?:-\d+)?)\]|\[\d+ characters\]|\[x\d+\]|\[also: .*\]|\[satchel: .*\]"
)
SECRET = "ghp_R4nd0mT0k3nVaLu3ThatIsLongEnough12345"
odd_text = st.lists(
    st.text(max_size=40) | st.sampled_from(["error: x", "\x1b[31mred", "a\rb", "FAILED t::x", "12 passed"]),
    max_size=60,
).map("\n".join)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def test_the_one_error_of_a_long_log_is_shown() -> None:
    squeezed = squeeze(BROKEN, command="cat app.log", exit_code=0)

    assert "ledger 88121 out of balance by 3 cents" in squeezed.text
    assert squeezed.tokens < 400


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat app.log", BROKEN),
        ("cat part.py", "".join(f"def part_{at}(a):\n    return a + {at}\n\n" for at in range(400))),
    ],
)
def test_each_of_several_budgets_has_what_it_has_alone(tmp_path: Path, command: str, text: str) -> None:
    budgets = [1_000, 60, 300]

    together = squeeze_for_each([text.encode()], budgets, archive=open_archive(tmp_path), command=command)

    assert together == [squeeze(text, budget=budget, store=tmp_path, command=command) for budget in budgets]


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000, 3_000])
def test_carets_stand_below_the_code_that_they_point_into(budget: int) -> None:
    faults = []
    for at in range(10, 90):
        code = f"{at:>5} |     return sum + {'part' * (at % 7)}.ammount{at};"
        below = "      |".ljust(code.index("ammount"))
        error = f"src/part{at}.c:{at}:23: error: no member named 'ammount{at}' in 'struct part{at}'"
        faults += [error, code, f"{below}^~~~~~~~~", f"{below}amount{at}"]

    shown = squeeze("\n".join(faults), command="make", exit_code=2, budget=budget).text.splitlines()

    carets = [at for at, line in enumerate(shown) if "^" in line]
    assert carets
    assert all(shown[at].index("^") == shown[at - 1].index("ammount") for at in carets)


SCREEN = [
    f"  worker {name} {act} the {thing} of {place}"
    for name in (
        "ada",
        "ben",
        "cleo",
        "dora",
        "emil",
        "fritz",
        "gina",
        "hugo",
        "ida",
        "jon",
        "kim",
        "lena",
        "mo",
    )
    for act, thing in (("reads", "ledger"), ("moves", "parcels"), ("paints", "doors"), ("counts", "seeds"))
    for place in ("the harbour near Lisbon", "a mill by Ghent", "old stables at Brno", "two barns in Oslo")
]


def test_a_budget_is_spent_on_plain_lines_of_a_command_that_nobody_knows() -> None:
    text = "\n".join([*SCREEN, "error: the third worker could not open its door"]) + "\n"
    tokens = guess(text)

    whole = squeeze(text, command="watchscreen capture", budget=2 * tokens)
    half = squeeze(text, command="watchscreen capture", budget=tokens // 2)
    unasked = squeeze(text, command="watchscreen capture")

    assert tokens > 1_900
    assert whole.text == text
    assert tokens // 3 < half.tokens <= tokens // 2
    assert "error: the third worker" in half.text
    assert unasked.tokens < tokens // 2
    assert squeeze(text, command="make", budget=2 * tokens).tokens < tokens // 2


@pytest.mark.costly
@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_place_of_a_message_stands_below_the_message(budget: int) -> None:
    names = ["extra", "value", "args", "invoke", "forward", "instance", "styles", "lookup", "handler"]
    faults = [
        f"ANN401 Dynamically typed expressions are disallowed in `{names[at % 9]}_{names[at // 9]}`\n"
        f"   --> src/core_{at % 5}.py:{at * 13 + 7}:14\n    |\n"
        f"{at * 13 + 7:>3} | def {names[at % 9]}(value: t.Any):\n"
        for at in range(81)
    ]

    shown = squeeze("\n".join(faults), command="ruff check", exit_code=1, budget=budget).text.splitlines()

    places = [at for at, line in enumerate(shown) if line.startswith("   --> ")]
    assert places
    assert [shown[at - 1] for at in places if not shown[at - 1].startswith("ANN401 ")] == []


def test_code_that_a_message_quotes_stands_below_its_place() -> None:
    messages = [
        f"{head}\n --> pkg/m{at}.py:1:{column}\n  |\n1 | import os, sys\n  | ^^^^^^^^^^^^^^\n"
        f"2 | def f(x: int) -> str:\n3 |     return x + {at}\n  |\nhelp: Remove unused import\n"
        for at in range(40)
        for head, column in (
            ("I001 [*] Import block is un-sorted or un-formatted", 1),
            ("F401 [*] `os` imported but unused", 8),
            ("F401 [*] `sys` imported but unused", 12),
        )
    ]
    messages[60:60] = [
        "invalid-syntax: Expected a parameter or the end of the parameter list\n --> pkg/broken.py:1:7\n"
        "  |\n1 | def g(:\n  |       ^\n2 |   pass\n  |\n"
    ]

    shown = squeeze("\n".join(messages), command="ruff check", exit_code=1, budget=300).text

    assert "1 | def g(:" in shown
    assert " --> pkg/broken.py:1:7" in shown


def test_every_gap_gives_the_text_back() -> None:
    squeezed = squeeze(BROKEN)
    lines = BROKEN.splitlines(keepends=True)

    for gap in squeezed.gaps:
        archived = open_archive().lines(squeezed.pointer.removeprefix("blob:"), gap.first, gap.last)
        assert archived == "".join(lines[gap.first - 1 : gap.last])


def test_gaps_and_shown_lines_cover_the_output() -> None:
    squeezed = squeeze(BROKEN)
    missing = {number for gap in squeezed.gaps for number in range(gap.first, gap.last + 1)}

    shown = sum(not MARKS.fullmatch(line) for line in squeezed.text.splitlines())
    assert shown + len(missing) == squeezed.lines == 3_000


def test_a_short_output_is_given_back_as_it_came() -> None:
    assert squeeze("ok\n").text == "ok\n"
    assert squeeze("no end").text == "no end"
    assert squeeze("").text == ""


def test_the_exit_code_is_shown_where_something_was_cut() -> None:
    assert "exit code 3;" in squeeze(BROKEN, exit_code=3).text
    assert "exit code" not in squeeze("short\n", exit_code=3).text


def test_a_secret_stands_neither_in_the_result_nor_in_the_archive() -> None:
    squeezed = squeeze(BROKEN + f"error: token {SECRET} was refused\n")

    assert SECRET not in squeezed.text
    assert SECRET not in open_archive().get(squeezed.pointer.removeprefix("blob:"))


def test_an_archive_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    squeezed = squeeze(BROKEN, store=tmp_path / "file")

    assert "not archived" in squeezed.text
    assert squeezed.pointer == ""
    assert len(squeezed.problems) == 1


@pytest.mark.parametrize("budget", [0, -3, True])
def test_a_budget_is_a_number_from_one_up(budget: int) -> None:
    with pytest.raises(UsageError, match="budget"):
        squeeze("x", budget=budget)


@pytest.mark.costly
@pytest.mark.parametrize("budget", [1, 40, 120, 300, 1_000])
def test_the_budget_is_never_exceeded(budget: int) -> None:
    assert guess(squeeze(BROKEN, budget=budget, count=guess).text) <= budget


def test_the_budget_holds_where_a_guess_is_far_too_low() -> None:
    row = "id   tenant  status  cents    attempts\n{0}  ap      paid    -{0}     1\n"
    table = "".join(row.format(number * 7) for number in range(400))

    squeezed = squeeze(table, budget=120, count=lambda text: 2 * guess(text))

    assert 2 * guess(squeezed.text) <= 120


@settings(max_examples=examples(60), deadline=None)
@given(odd_text)
def test_nothing_is_made_up_and_nothing_hidden_is_left(text: str) -> None:
    squeezed = squeeze(text, count=guess, budget=60)
    told = MARKS.sub("", squeezed.text) if squeezed.gaps else ""

    assert all(digits in text for digits in re.findall(r"[0-9]+", told))
    assert "\x1b" not in told
    squeezed.text.encode("utf-8")


@settings(max_examples=examples(60), deadline=None)
@given(st.binary(max_size=3_000))
def test_any_bytes_give_valid_text_that_is_not_longer(content: bytes) -> None:
    squeezed = squeeze(content, count=lambda text: len(text.encode()))

    assert len(squeezed.text.encode()) <= len(content.decode("utf-8", "replace").encode())


@settings(max_examples=examples(40), deadline=None)
@given(st.binary(max_size=400), st.integers(1, 50))
def test_pieces_of_a_stream_add_up_to_its_text(content: bytes, size: int) -> None:
    pieces = [content[start : start + size] for start in range(0, len(content), size)]

    text = "".join(whole_lines(pieces))
    assert text == "".join(whole_lines([content]))
    if b"\0" in content:
        assert text == content.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("caf\u00e9 ferm\u00e9\n".encode("latin-1"), "caf\u00e9 ferm\u00e9\n"),
        ("\u201cferm\u00e9\u201d\n".encode("cp1252"), "\u201cferm\u00e9\u201d\n"),
        ("ferm\u00e9 ferm\u00e9 ".encode() + b"\xff\n", "ferm\u00e9 ferm\u00e9 \ufffd\n"),
        (b"\x00\x01\xe9\x02\n", "\x00\x01\ufffd\x02\n"),
    ],
)
def test_a_text_of_one_byte_a_letter_is_read_and_kept_as_one(content: bytes, text: str) -> None:
    assert "".join(whole_lines([content])) == text


def test_the_archive_keeps_letters_of_latin_1(tmp_path: Path) -> None:
    content = "".join(f"caf\u00e9 {number * 7919} ferm\u00e9\n" for number in range(900)).encode("latin-1")

    squeezed = squeeze(content, budget=120, store=tmp_path)

    assert open_archive(tmp_path).get(squeezed.pointer.removeprefix("blob:")) == content.decode("latin-1")


@pytest.mark.costly
@pytest.mark.parametrize("budget", [120, 300, 3_000])
def test_tokens_are_those_of_the_text(budget: int) -> None:
    for text in ("| a | b |\n" * 400, "".join(f"{at}:{at % 7}\n" for at in range(300)), "x\n" * 9):
        squeezed = squeeze(text, budget=budget, count=len)

        assert squeezed.tokens == len(squeezed.text)


def test_a_question_and_a_command_are_texts_or_none() -> None:
    assert squeeze("x\n", question=None, command=None).text == "x\n"  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="question must be a text, not 3"):
        squeeze("x\n", question=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_an_output_with_the_mark_of_an_encoding_is_read_in_it(encoding: str) -> None:
    text = "r\u00e9sum\u00e9\nerror: \u20ac 5 are missing\n" * 9
    content = text.encode(encoding)

    pieces = [content[start : start + 7] for start in range(0, len(content), 7)]

    assert "".join(whole_lines(pieces)).removeprefix("\ufeff") == text
    assert squeeze(content).text == text


def test_the_mark_of_utf_16_alone_decides_nothing() -> None:
    assert "".join(whole_lines([b"\xff\xfeplain text"])) == "\ufffd\ufffdplain text"


def test_what_is_binary_is_told_in_a_word() -> None:
    junk = bytes(range(14, 27)) * 40 + b"\n"

    alone = squeeze(junk * 100)
    among = squeeze(b"begin\n" + junk * 100 + b"error: bad magic\n")

    assert alone.text.startswith("[binary] [x100]\n")
    assert 1 in {gap.first for gap in alone.gaps}
    assert among.text.splitlines()[::2] == ["begin", "error: bad magic"]


@pytest.mark.parametrize("command", ["cat a.png", "./draw", ""])
def test_a_file_that_is_no_text_takes_few_tokens(command: str) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(60_000)

    squeezed = squeeze(picture, command=command)

    assert squeezed.tokens < 700
    assert squeezed.gaps


@pytest.mark.parametrize("text", ["\x1b[1m.\x1b[0m", "\x00\x01", "a\x08\x08b", "\x1b]0;t\x07" * 3])
def test_an_output_of_controls_is_never_longer(text: str) -> None:
    assert guess(squeeze(text * 9, count=guess).text) <= guess(text * 9)


HOSTILE = {
    "one letter": b"a" * sized(2_000_000),
    "brackets": b"[" * sized(1_000_000),
    "line feeds": b"\n" * sized(2_000_000),
    "frames": b"\rprogress 10%" * sized(100_000),
    "open sequences": b"\x1b]" * sized(400_000),
    "backspaces": b"a\b" * sized(400_000),
    "indents": b"\n".join(b" " * (number % 1_000) + b"error x" for number in range(2_000)),
    "quotes": b'"' * sized(300_000) + b"\n" + b"'" * sized(300_000),
    "paths": b"a/" * sized(300_000),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_outputs_take_no_time(name: str) -> None:
    import time

    start = time.process_time()
    squeezed = squeeze(HOSTILE[name], count=guess)

    assert time.process_time() - start < 10
    assert guess(squeezed.text) <= 3_000


KEY_PIECES = ("AKIA", "R4ND", "OMK3", "YV7Q", "ZW2X")
JOINERS = ["\x1b[01;31m\x1b[K", "\x1b[m", "\x9b1m", "\0", "x\b", "\u200b", "\x1b]0;t\x07", "\x07"]


@pytest.mark.costly
@pytest.mark.parametrize("joiner", JOINERS)
@pytest.mark.parametrize("lines", [0, 3_000])
def test_a_key_that_terminal_codes_part_is_never_shown(joiner: str, lines: int) -> None:
    key = "".join(KEY_PIECES)
    text = f"{LOG if lines else ''}src/app.py:3: error: {joiner.join(KEY_PIECES)}\n"

    squeezed = squeeze(text, command="grep -rn AKIA .")

    assert key not in squeezed.text
    assert "src/app.py:3:" in squeezed.text


@pytest.mark.parametrize("frame", ["progress 1%\r{}", "{}\r\r", "{}\rdone: error: {}"])
def test_a_key_in_a_frame_of_a_line_is_never_shown(frame: str) -> None:
    key = "".join(KEY_PIECES)

    assert key not in squeeze(frame.format(*["\x1b[0m".join(KEY_PIECES)] * 2) + "\n").text


@pytest.mark.costly
@pytest.mark.parametrize("budget", [1, 5, 12, 40, 300, 3_000])
def test_marks_that_stand_for_joined_keys_stay_in_the_budget(budget: int) -> None:
    lines = [f"error {at}: {joined} \x1b[1m{at * 7919:x}" for at in range(400) for joined in _keys(at)]

    squeezed = squeeze("\n".join(lines), budget=budget, count=lambda text: len(text) // 3)

    assert len(squeezed.text) // 3 <= budget
    assert not re.search(r"AKIA[A-Z2-7]{16}", squeezed.text)


def _keys(number: int) -> list[str]:
    drawn = random.Random(number).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16)
    return [f"AKIA{''.join(drawn[:7])}\x1b[m{''.join(drawn[7:])}"]


@pytest.mark.weekly
def test_lines_that_differ_in_the_case_of_a_test_have_no_count() -> None:
    lines = [
        f"FAILED test_shop.py::test_vat[{at}] - assert {at} == {at + 1} in a row of the table"
        for at in range(60)
    ]

    shown = squeeze("\n".join(lines * 3), command="pytest", exit_code=1, budget=300).text

    assert "test_vat[" in shown
    assert " [x" not in shown


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("command", ["cat requests.jsonl", "docker logs web"])
def test_the_one_failed_request_of_many_records_is_shown(command: str) -> None:
    records = [
        f'{{"at": {at}, "level": "info", "path": "/orders/{at}", "status": 200}}' for at in range(9_000)
    ]
    records[7_000] = records[7_000].replace("200}", "502}")

    assert '"status": 502' in squeeze("\n".join(records), command=command).text


def lint(files: int) -> str:
    """Return findings as eslint prints them, below the names of their files."""
    found = [
        f"\n/home/dev/shop/src/part{at}/cart{at}.tsx\n"
        f"  {at * 7 + 1}:{at % 9 + 1}  error    'total{at}' is defined but never used  no-unused-vars\n"
        f"  {at * 9 + 3}:12  warning  Unexpected console statement  no-console\n"
        f"  {at * 9 + 5}:3  error    'cart' is never reassigned. Use const  prefer-const"
        for at in range(files)
    ]
    return "\n".join(found) + f"\n\n✖ {files * 3} problems ({files * 2} errors, {files} warnings)\n"


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize("budget", [200, 300, 1_000, 3_000])
def test_a_finding_stands_below_the_name_of_its_file(budget: int) -> None:
    text = lint(120)
    file_of, file = {}, ""
    for line in text.split("\n"):
        file = line if line.startswith("/home") else file
        file_of.setdefault(line, file)

    shown = squeeze(text, command="npx eslint src", budget=budget, count=guess).text.split("\n")

    findings = [at for at, line in enumerate(shown) if re.match(r"  \d+:\d+  ", line)]
    assert findings
    for at in findings:
        above = [line for line in shown[:at] if line.startswith("/home")]
        begin = re.sub(r"…$| \[x\d+\]$", "", shown[at])
        whole = next(line for line in file_of if line.startswith(begin))
        assert above[-1] == file_of[whole]


@pytest.mark.weekly
@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("npx tsc --noEmit", "src/{0}.ts({1},7): error TS2345: Argument {0} is not of type number.\n{2}"),
        ("mypy src", 'src/{0}.py:{1}: error: Incompatible return type "{0}"  [return-value]\n{2}'),
        ("ruff check", "F841 Local variable `{0}` is never used\n  --> src/{0}.py:{1}:5\n   |\n{2}"),
        ("bun run lint", " at src/{0}.tsx:{1}:2 lint/suspicious/noAny  FIXABLE  ━━━━━\n\n  × No any.\n\n{2}"),
        ("npx biome ci", "src/{0}.tsx format ━━━━━━━━━━━━\n\n  × Would print {1} lines:\n\n{2}"),
    ],
)
def test_each_place_of_some_findings_stands_where_a_budget_is_given(command: str, form: str) -> None:
    code = "".join(f"    context = line_{nth}(of, the, code, around, it)\n" for nth in range(12))
    text = "".join(form.format(f"part_{at}", at * 11 + 4, code) for at in range(30)) + "Found 30 errors.\n"

    given, none = (squeeze(text, command=command, budget=budget, count=guess) for budget in (2_000, None))

    assert sum(f"part_{at}" in given.text for at in range(30)) == 30
    assert guess(none.text) < guess(given.text) <= 2_000


@pytest.mark.slow
def test_a_history_that_is_too_long_to_be_held_begins_with_its_newest_entries() -> None:
    hunk = "@@ -1,2 +1,2 @@\n" + "".join(f"+{'ok ' * 400}{at}\n" for at in range(20))
    entries = [
        f"commit {at:040x}\nAuthor: A <a@b.c>\n\n    Subject {at}\n\n"
        f"diff --git a/f{at}.py b/f{at}.py\n--- a/f{at}.py\n+++ b/f{at}.py\n{hunk}\n"
        for at in range(1_400)
    ]

    squeezed = squeeze("".join(entries), budget=600, command="git log -p")

    assert squeezed.text.startswith(f"commit {0:040x}\n")
    assert "    Subject 0\n" in squeezed.text
    assert "    Subject 3\n" in squeezed.text
    assert squeezed.lines == "".join(entries).count("\n")
    assert squeezed.gaps[-1].last >= squeezed.lines - 20
    assert squeezed.tokens <= 600


@given(st.lists(st.text("ab\n", max_size=9), min_size=1), st.integers(0, 4))
def test_the_ends_of_a_text_have_as_many_lines_as_it_has(pieces: list[str], first: int) -> None:
    text = "".join(pieces)
    lines = text.removesuffix("\n").split("\n") if text else []
    ends = TextEnds(lines[:first])
    for piece in pieces:
        ends.add(piece)

    shown, left_out = ends.lines()
    assert ends.total == len(lines)
    assert left_out.number(len(shown)) == max(len(lines), first)
    assert shown[:first] == lines[:first]


@pytest.mark.parametrize("lines", [1, 500, 90_000])
def test_what_is_held_of_a_long_history_does_not_grow_with_it(lines: int) -> None:
    ends = TextEnds(["commit 1", "Author: A"])
    ends.add("commit 1\nAuthor: A\n" + "+ changed in between\n" * lines + "+ last\n")

    shown, left_out = ends.lines()

    assert len(shown) < 2_000
    assert left_out.number(len(shown)) == lines + 3
    assert left_out.number(len(shown) - 1) == lines + 2
    assert shown[-1] == "+ last"


def test_a_job_and_its_step_are_told_where_they_change_and_times_hardly_ever() -> None:
    lines = [
        f"{job}\t{step}\t2026-02-21T21:{nth:02}:{at % 60:02}.{at:07}Z {text}"
        for nth, (job, step) in enumerate([("build", "Compile"), ("e2e", "Run tests")])
        for at, text in enumerate(
            [
                *(f"step {'x' * (at % 9)} of {step} was taken" for at in range(150)),
                f"    Error: {job} found no rates for the country",
                *(f"step {'y' * (at % 9)} of {step} was left" for at in range(150)),
            ]
        )
    ]

    shown = squeeze("\n".join(lines), command="gh run view 7 --log-failed").text.split("\n")

    for job in ("build", "e2e"):
        told = next(at for at, line in enumerate(shown) if f"Error: {job} found no rates" in line)
        assert any(line.startswith(f"{job}\t") for line in shown[: told + 1])
    assert sum("2026-02-21T" in line for line in shown) == 2


@pytest.mark.weekly
def test_a_budget_that_is_given_shows_what_stands_around_an_error() -> None:
    quiet = [f"step {'x' * (at % 31)}{'y' * (at % 17)} was taken" for at in range(900)]
    around = [f"the rates of country {'abcdefgh'[at] * 3} were read" for at in range(8)]
    text = "\n".join(
        [*quiet[:450], *around[:4], "Error: no rates for the country", *around[4:], *quiet[450:]]
    )

    shown = squeeze(text, command="make", budget=2_000).text
    short = squeeze(text, command="make").text

    assert [line for line in around if line not in shown] == []
    assert "Error: no rates" in short
    assert guess(short) < guess(shown) <= 2_000


def test_what_a_log_says_again_gives_way_to_how_it_ends(tmp_path: Path) -> None:
    trace = (
        "ERROR orders: could not store\njava.lang.IllegalStateException: value too long\n"
        + "".join(f"\tat org.shop.orders.Service.step{at}(Service.java:{at + 100})\n" for at in range(12))
        + "Caused by: org.postgresql.util.PSQLException: ERROR: value too long\n\n"
    )
    handled = "".join(f"INFO handled /api/part-{at * 37 % 90}/{at} in {at % 80} ms\n" for at in range(300))
    text = (handled + trace * 3) * 3 + handled + "INFO handled the last of all in 5 ms\n"

    shown = squeeze(text, command="kubectl logs orders-1", budget=400, store=tmp_path).text

    assert shown.count("Caused by: org.postgresql") == 1
    assert "INFO handled the last of all in 5 ms\n" in shown


def test_code_that_a_message_quotes_is_never_shown_without_it() -> None:
    findings = [
        f"internal/part{at}/sum{at}.go:{at + 9}:3: Error return value of `part{at}.Close` is not checked\n"
        f"\tdefer part{at}.Close()\n\t             ^"
        for at in range(60)
    ]
    findings[30] = "gateway/client.go:44:12: TLS InsecureSkipVerify set\n\t\tInsecureSkipVerify: true,\n\t\t^"

    for budget in (150, 300, 600):
        shown = squeeze("\n".join(findings), command="golangci-lint run", budget=budget).text.splitlines()

        code = [at for at, line in enumerate(shown) if line.startswith("\t") and not line.endswith("^")]
        assert [shown[at] for at in code if ":" not in shown[at - 1]] == []


def test_a_count_is_not_told_of_lines_of_which_one_tells_of_a_failure() -> None:
    suites = [f"Running part {at}\n  9 passing ({at % 7}s)\n│ Failing:      0    │\nend" for at in range(140)]
    suites[6] = suites[6].replace(" 0  ", " 1  ")

    for budget in (None, 150):
        shown = squeeze("\n".join(suites), command="cypress run", budget=budget).text

        assert "│ Failing:      1    │\n" in shown
        assert "│ [x" not in shown


@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_first_bad_commit_is_shown_among_the_output_of_what_is_run_for_each(budget: int) -> None:
    steps = [
        f"cc -c part{at}_{nth}.c -o part{at}_{nth}.o\n" * (nth < 40)
        or f"all tests passed\nBisecting: {7 - at} revisions left to test after this\n"
        for at in range(8)
        for nth in range(41)
    ]
    found = f"{'5c1f6d0a' * 5} is the first bad commit"
    text = f"{''.join(steps)}{found}\ncommit {'5c1f6d0a' * 5}\n\n    Round at the end\n\n cart.c | 9 +++--\n"

    assert found in squeeze(text, command="git bisect run make test", budget=budget).text


def test_a_plan_shows_no_values_that_go_without_their_names() -> None:
    gone = (
        '  # aws_x.a{0} will be destroyed\n  - resource "aws_x" "a{0}" {{\n'
        "      - tags = {{\n          - a = 1\n        }} -> null\n    }}\n"
    )
    text = "Terraform will perform the following actions:\n" + "".join(gone.format(at) for at in range(40))

    shown = squeeze(
        f"{text}\nPlan: 0 to add, 0 to change, 40 to destroy.\n", command="terraform plan", budget=300
    ).text

    assert "} -> null" not in shown
    assert "40 to destroy" in shown
