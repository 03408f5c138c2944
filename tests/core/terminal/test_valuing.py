"""Lines get their value from what they say, from what stands beside them, and from being odd."""

from __future__ import annotations

from satchel.output import judge
from satchel.output.judging import Rank
from satchel.output.templates import code, file_names

from .worths import values


def hashes(number: int) -> str:
    return "".join(chr(ord("g") + int(digit)) for digit in f"{number:04}")


def test_the_rare_state_among_few_is_worth_as_much_as_an_error() -> None:
    rows = [f"{hashes(at)} green open" for at in range(200)]
    rows[120] = f"{hashes(120)} red open"

    assert values(*rows)[rows[120]] > 50


def test_what_an_error_announces_is_worth_nearly_as_much() -> None:
    worths = values("error: the settings are wrong:", "pool size expects a number", *["quiet"] * 3)

    assert worths["pool size expects a number"] >= worths["error: the settings are wrong:"] - 3


def test_absolute_paths_are_named_by_their_end() -> None:
    assert file_names("/home/ana/shop/src/cart.js") == ["src/cart.js"]
    assert file_names("/usr/lib/python3/dist-packages/yaml.py") == []


def test_what_stands_once_where_all_else_stands_often_is_shown() -> None:
    lines = [f"edge-{at % 9} health flags of host {at % 90} cleared" for at in range(600)]
    lines[400] = "edge-4 shutting down admin on request of 10.0.0.66"

    assert values(*lines)[lines[400]] > 47


def test_the_block_below_an_error_that_announces_it_is_shown() -> None:
    threads = [f'"pool-{hashes(at)}" waits' for at in range(80)]
    block = ['"settle":', "  waits for what refund holds", '"refund":', "  waits for what settle holds"]

    worths = values(*threads, "Found one deadlock:", "=====", *block, *threads)

    assert min(worths[line] for line in block) > 50


def test_code_with_its_number_is_no_error_because_it_asserts() -> None:
    worths = values("63\t        except urllib.error.HTTPError as err:", "64\t        assert codes == known")

    assert not [text for text, worth in worths.items() if worth > 55]


def test_what_differs_in_a_comparison_below_an_error_is_shown() -> None:
    same = [f"  word {hashes(at)}" for at in range(20)]

    worths = values("AssertionError: 'one' != 'two'", *same, "- two", "+ too", "  three")

    assert min(worths["- two"], worths["+ too"]) > 55 > worths[same[-1]]


def test_what_differs_in_a_long_comparison_of_pytest_is_shown() -> None:
    same = [f"E               'item {hashes(at)}'," for at in range(200)]
    changed = ["E         -     'price': 371,", "E         +     'price': 370,"]

    long = f"E       AssertionError: assert {[{'item': hashes(at)} for at in range(200)]} == []"
    for error in ("E       AssertionError: assert {} == {}", long):
        worths = values(
            error, "E         ", "E         Full diff:", *same, "E         ", *same, *changed, *same
        )

        assert min(worths[line] for line in changed) > 60


def test_the_message_right_below_the_name_of_a_failed_test_is_worth_nearly_as_much() -> None:
    name, message = "--- FAIL: TestTotal (0.06s)", "    total_test.go:18: the person's lines should be > 0"

    worths = values("INFO stored", name, message, "INFO loaded")

    assert worths[message] >= worths[name] - 5
    assert values(name, message.strip())[message.strip()] < worths[message]


def test_tests_that_went_well_explain_none_that_failed() -> None:
    passed = [f"--- PASS: Test{hashes(at)} (0.0{at}s)" for at in range(6)]

    worths = values("    post_test.go:71: wrong sum", "--- FAIL: TestPosts (0.01s)", *passed)

    assert max(worths[line] for line in passed) < worths["--- FAIL: TestPosts (0.01s)"] - 10


def test_the_place_of_a_warning_is_none_of_the_error_below_it() -> None:
    warned = [
        line
        for at in range(4)
        for line in (
            f"warning: unused variable: `{hashes(at)}`",
            f"  --> src/part_{at}.rs:{at + 20}:9",
            "   |",
            f"{at + 20} | let {hashes(at)} = 1;",
            "   = note: `#[warn(unused_variables)]` on by default",
            "",
        )
    ]
    code = "88 |     self.entries.push(last);"

    worths = values(*warned, "error[E0502]: cannot borrow `entries`", "  --> src/post.rs:88:13", "   |", code)

    assert worths["  --> src/post.rs:88:13"] > worths["  --> src/part_3.rs:23:9"] + 5
    assert worths[code] > max(worths[f"  --> src/part_{at}.rs:{at + 20}:9"] for at in range(4))


def traced(*lines: str) -> list[str]:
    return [f"==7== {line}".rstrip() for line in lines]


def test_the_stack_of_what_stands_above_is_none_of_the_error_below_it() -> None:
    calls = ["  at 0x10B2F0: read_part (part.c:120)", "  by 0x10B7A3: start (main.c:31)"]
    own = ["  at 0x10D0B2: make_node (node.c:19)", "  by 0x10B7B9: run (main.c:44)"]
    lines = traced(
        "8 bytes are still here", *calls, "", "512 bytes are definitely lost", *own, "", *["end"] * 9
    )

    worths = values(*lines)

    assert worths[lines[5]] > worths[lines[2]] + 20


def test_what_sums_up_has_no_place_behind_a_blank_line() -> None:
    calls = ["  at 0x10B2F0: read_part (part.c:120)", "  by 0x10B7A3: start (main.c:31)"]
    lines = traced(
        "total heap usage: 2,914 allocs, 2,883 frees", "", "8 bytes are still here", *calls, *["end"] * 9
    )

    assert values(*lines)[lines[3]] < 50


def test_the_first_error_with_a_code_comes_before_further_ones_of_another() -> None:
    alike = [f"src/{hashes(at)}.ts({at},5): error TS2339: no {hashes(at * 3)} on type" for at in range(60)]
    other = "src/token.ts(14,9): error TS2322: 'string | undefined' is no 'string'"

    worths = values(*alike[:40], other, *alike[40:])

    assert sum(worth > worths[other] for worth in worths.values()) < 4


def test_the_thread_that_logged_a_line_is_no_code() -> None:
    assert [code(f"WARN [{name}] the pool is full") for name in ("worker-49", "pool-1-thread-7")] == ["", ""]
    assert code("a.py:3: error: wrong type  [return-value]") == "[return-value]"


def test_rows_beside_an_odd_row_of_a_table_are_worth_no_more_for_it() -> None:
    rows = [f"prod   {hashes(at)}-{hashes(at * 7)}   1/1   Running   {at}d" for at in range(60)]
    rows[30] = f"prod   {hashes(30)}-cart   0/1   CrashLoopBackOff   30d"

    worths = values("NAMESPACE   NAME   READY   STATUS   AGE", *rows)

    assert worths[rows[30]] > 55
    assert max(worths[rows[29]], worths[rows[31]]) < 40


def test_the_head_of_the_block_that_an_error_stands_in_is_shown() -> None:
    hosts = [f"ok: [web{hashes(at)}]" for at in range(20)]
    tasks = [line for at in range(6) for line in (f"TASK [part {hashes(at)}]", *hosts, "")]
    failed = 'fatal: [web17]: FAILED! => {"msg": "no package"}'

    worths = values(*tasks, "TASK [install the agent]", *hosts, failed, "", *tasks)

    assert worths["TASK [install the agent]"] >= worths[failed] - 5
    assert worths[f"TASK [part {hashes(3)}]"] < 40


def test_the_first_record_of_a_log_heads_no_block() -> None:
    begins, *rest = (
        f"Nov 30 09:12:4{at} db-1 postmaster[8]: 2026-11-30 09:12:4{at} UTC [8] " for at in range(9)
    )
    failed = f"{rest[0]}FATAL:  could not create any sockets"

    worths = values("Main PID: 8 (code=exited)", "", f"{begins}LOG:  starting the server", failed)

    assert worths[f"{begins}LOG:  starting the server"] < worths[failed] - 10


def test_what_stands_below_a_title_that_tells_of_an_error_is_shown() -> None:
    def section(title: str, *told: str) -> list[str]:
        return ["-" * len(title), title, "-" * len(title), *told]

    told = [f"TRANSACTION {hashes(at)} updates stock" for at in range(14)]
    pages = [f"Pages {hashes(at)} read" for at in range(40)]

    statement = "UPDATE customer SET due = 1 WHERE id = 3"
    deadlock = section("LATEST DETECTED DEADLOCK", *told, statement)

    worths = values(*section("MEMORY", *pages), *deadlock, *section("PAGES", *pages))

    assert min(worths[line] for line in told) > 56
    assert worths[statement] > max(worths[line] for line in told)
    assert worths[pages[20]] < 50


def test_each_record_of_fields_is_named() -> None:
    def record(name: str) -> list[str]:
        files = [f"  {name}/{hashes(at)}.py" for at in range(30)]
        return [f"Name: {name}", f"Version: 1.{len(name)}", "Summary: a part of the shop", *files]

    worths = values(*record("cart"), "---", *record("ledger"))

    assert min(worths["Name: cart"], worths["Name: ledger"], worths["Version: 1.6"]) > 56
    assert values(*record("cart"), *record("ledger"))["Name: ledger"] < 56


def test_the_rare_value_of_a_column_is_odd_however_many_words_its_neighbours_have() -> None:
    names = ["Ann van der Lee", "Bo Meyer", "Eve O Neil Smith", "Eve"]
    notes = ["express", "left at the door", "a gift for Ann Lee", "call before noon please", "none at all"]
    rows = [
        f" {at:>3} | {names[at * 5 % 4]} | {('paid', 'in transit')[at * 3 % 2]} | {notes[at * 7 % 5]}"
        for at in range(200)
    ]
    rows[120] = " 120 | Bo Meyer | charge back | none at all"

    assert values(*rows)[rows[120]] > 50


def test_an_error_that_is_told_quietly_is_one_where_none_is_told_louder() -> None:
    steps = [f"DEBUG step {hashes(at)} was taken" for at in range(60)]
    problem = "DEBUG the rates could not be resolved: conflict of versions"

    quiet = values(*steps, problem)[problem]

    assert quiet > values(*steps, problem, "ERROR the ledger is gone")[problem]
    assert quiet >= 58


def test_pieces_of_another_long_line_are_no_context_of_an_error() -> None:
    compiled = "cc -c a.c " + ", ".join(f"part{hashes(at)}" for at in range(400))
    around = ["making all", "one", "two", "three", "four"]
    worths = values(*around, compiled, "FAILED: tests/rates", *reversed(around), *"abcdef")

    assert worths["FAILED: tests/rates"] > 60
    assert max(worth for text, worth in worths.items() if "part" in text and "cc" not in text) < 36


def test_a_long_command_below_its_error_is_worth_less_than_a_short_one() -> None:
    command = "run " + "x" * 900

    long = values("error: the command failed:", command, *["quiet"] * 3)
    short = values("error: the command failed:", "run x", *["quiet"] * 3)

    assert long[command] <= short["run x"] - 9


def test_the_names_of_fields_tell_of_no_error() -> None:
    fields = [f"Part {hashes(at)}  : {at}" for at in range(60)]
    named, failed = "Conflicts With  : awk", "Shop State  : failed"

    worths = values(*fields[:30], named, *fields[30:], failed, "quiet")

    assert worths[named] < 53 < worths[failed]


def test_a_field_that_counts_what_went_wrong_tells_of_an_error() -> None:
    fields = [f"part {hashes(at)} took: {at} ms" for at in range(60)]
    failed = "number of failed transactions: 12 (0.005%)"

    assert values(*fields[:30], failed, *fields[30:], "quiet")[failed] > 53


def test_a_logged_call_of_a_stack_is_worth_less_than_the_error_that_it_stands_below() -> None:
    lines = [
        f"11-30 10:00:{at % 60:02}.101  537  725 D NetworkMonitor: scan {hashes(at)} done" for at in range(90)
    ]
    before = "11-30 10:04:10.100  7711  7711 E AndroidRuntime: "
    error = f"{before}java.lang.NullPointerException: no voucher"
    own = f"{before}\tat com.acme.shop.CartFragment.onApply(CartFragment.kt:41)"
    inner = f"{before}\tat android.os.Handler.handleCallback(Handler.java:942)"

    worths = values(*lines[:40], error, own, inner, *lines[40:])

    assert worths[error] > worths[own] > worths[inner]


def test_the_place_below_an_error_is_shown_behind_what_the_error_says_of_its_steps() -> None:
    lines = [
        "    Error: locator.click: Test timeout of 30000ms exceeded.",
        "      - waiting for the button",
        "        - locator resolved to a disabled button",
        "          - element is not enabled",
        "",
        "        at /src/tests/checkout.spec.ts:18:55",
    ]
    worth = values(*lines)

    assert worth[lines[-1]] > worth[lines[1]]


def test_a_place_in_a_file_without_an_ending_is_shown_below_its_error() -> None:
    lines = [
        "ERROR: no matching distribution found for ledger==9",
        "------",
        "Dockerfile:9",
        "-----",
        "  9 | >>> RUN pip install .",
    ]
    worth = values(*lines, *(f"#5 part {at} is there" for at in range(40)))

    assert worth["Dockerfile:9"] > 60


def test_tests_that_went_well_are_worth_little_beside_one_that_failed() -> None:
    lines = [f"test ledger::tests::{hashes(at)} ... ok" for at in range(40)]
    lines[20] = "test ledger::tests::rounds_half_even ... FAILED"

    worths = values(*lines)

    assert worths[lines[20]] > 70
    assert max(worths[lines[19]], worths[lines[21]]) < 45


def test_nothing_above_a_title_is_where_what_stands_below_it_failed() -> None:
    warning = "  src/prices.py:23: DeprecationWarning: utcnow() is deprecated"
    failed = "FAILED tests/test_vat.py::test_reverse_charge - assert 119 == 100"

    apart = values(
        "tests/test_ui.py::test_feed", warning, "=== short test summary info ===", failed, "1 failed"
    )
    together = values("tests/test_ui.py::test_feed", warning, failed, "1 failed")

    assert apart[warning] < together[warning] - 15


def test_records_below_an_error_of_a_database_tell_more_of_it() -> None:
    head = "2025-11-29 09:51:40.118 UTC [48211] shop@shop"
    details = (
        f"{head} DETAIL:  Process 48211 waits for ShareLock on transaction 908; blocked by process 48377.",
        "\tProcess 48377: UPDATE orders SET status = $1 WHERE id = $2",
        f'{head} CONTEXT:  while updating tuple (311,7) in relation "inventory"',
    )

    worths = values(
        *(f"{head} LOG:  connection authorized: user=u{at}" for at in range(20)),
        f"{head} ERROR:  deadlock detected",
        *details,
        *(f"{head} LOG:  connection received: host=10.0.0.{at}" for at in range(20)),
    )

    assert min(worths[line] for line in details) > worths[f"{head} ERROR:  deadlock detected"] - 6


def test_an_error_that_a_log_tells_once_is_worth_more_than_the_third_name_in_one_that_it_repeats() -> None:
    def refused(at: int) -> str:
        return f'2025-11-29 09:{at:02}:40.118 UTC [48211] ERROR:  no right to read table "{hashes(at)}"'

    once = "2025-11-29 09:30:40.118 UTC [48211] ERROR:  deadlock detected"

    worths = values(*map(refused, range(9)), *["quiet"] * 9, once)

    assert worths[once] > worths[refused(2)]


def test_a_step_that_is_done_sums_nothing_up_though_it_has_a_word_of_trouble() -> None:
    steps = [f"INFO worker: finished {'refund' if at % 9 == 4 else 'order'} {hashes(at)}" for at in range(60)]

    worths = values(*steps, "Failed to start the worker.")

    assert max(worths[step] for step in steps[1:-1]) < 50


def test_a_panic_names_its_test_and_where_it_failed() -> None:
    failed = [f"test tests::{name} ... FAILED" for name in ("rounds_half_even", "reads_iban", "posts_twice")]
    panics = [
        f"thread 'tests::{name}' (2210{at}) panicked at crates/bank/src/lib.rs:2{at}4:9:"
        for at, name in enumerate(("rounds_half_even", "reads_iban", "posts_twice"))
    ]

    worths = values(*failed, *(line for panic in panics for line in ("", panic, "not yet")))

    assert min(worths[panic] for panic in panics) > 70
    assert max(worths[line] for line in failed) < 50


def test_the_line_that_a_message_is_about_is_worth_more_than_the_code_around_it() -> None:
    bun = [f"  4{at} |   const {name} = 1;" for at, name in enumerate(("first", "second", "third"))]
    marked = "> 43 |   expect(cart.total()).toBe(900);"
    python = ["87 |     def cart(self):", "88 |         return Cart(self)", "   |                ^^^^"]

    jest = values("  ● Cart › total › applies the voucher once", "", *bun, marked, "  44 | });", *["end"] * 9)
    built = [f"  ./src/{hashes(at)}.ts 3 KiB [built]" for at in range(80)]
    odd = values(*built, "ERROR in src/cart.ts:43:18", "TS2345: no number", *bun, marked, "  44 | });")
    ruff = values(
        "F821 Undefined name `Cart`", " --> src/order.py:88:16", "   |", *python, "   |", *["end"] * 9
    )

    assert jest[marked] > max(jest[line] for line in bun)
    assert odd[marked] > max(odd[line] for line in (*bun, "  44 | });"))
    assert ruff[python[1]] > max(ruff[python[0]], ruff[python[2]])


def test_all_calls_of_a_stack_below_a_panic_are_shown_however_often_others_made_them() -> None:
    def stack(number: int, state: str) -> list[str]:
        return [
            f"goroutine {number} [{state}]:",
            "shop/worker.(*Pool).run(0xc00011e0f0, {0x8c1f20, 0xc00007c0c0})",
            "\t/src/worker/pool.go:77 +0x18a",
            "",
        ]

    raised = [
        "goroutine 8 [running]:",
        "shop/queue.(*Ring).Pop(0xc0001a2000)",
        "\t/src/queue/ring.go:57 +0x1a5",
    ]
    called = [
        "shop/worker.(*Pool).run(0xc00011e0f0, {0x8c1f20, 0xc00007c0c1})",
        "\t/src/worker/pool.go:91 +0x2f1",
    ]
    others = [line for number in range(20) for line in stack(number + 9, "select")]

    worths = values(
        "panic: index out of range [5] with length 5", "", *raised, *called, "", *others, "exit status 2"
    )

    assert min(worths[line] for line in called) > 35
    assert worths["\t/src/worker/pool.go:77 +0x18a"] < 55


def test_a_frame_of_a_library_is_never_odd() -> None:
    passed = [f"  does thing {at} of a model" for at in range(90)]
    frame = "     # ./vendor/bundle/gems/rspec-core-3.13.0/exe/rspec:4:in `<top (required)>'"

    worths = values(
        *passed, "  1) Order#total fails", "       expected: 900", "", frame, "", *passed, *["end"] * 9
    )

    assert worths[frame] < 45


def test_the_last_record_of_one_form_sums_no_log_up_that_goes_on() -> None:
    log = [
        f"2026-11-29 10:00:{at % 60:02},11{at % 10} INFO  [main] Web - GET /a took 5{at} ms"
        for at in range(40)
    ]
    completed = [
        f"2026-11-29 10:01:{at:02},117 INFO  [main] Web - item {at * 7} completed in 3 s" for at in range(30)
    ]
    newest = "2026-11-29 10:02:00,118 INFO  [main] App - three orders are left in the queue"

    worths = values(*log, *completed, *log[:2], newest)

    assert worths[newest] > max(worths[line] for line in completed)


def test_what_differs_below_a_failed_test_is_shown_also_where_it_is_indented() -> None:
    items = [f'        "sku-{at}",' for at in range(3)]
    code = "      31 |   cart.add(3);"

    worths = values(
        *("  ● cart › adds an item", "", "    - Expected  - 1", "    + Received  + 1", "", "      Array ["),
        *(*items, '    -   "sku-8",', '    +   "sku-9",', "      ]", "", code),
        *("", "      at Object.<anonymous> (src/cart.test.ts:31:20)", "", *["end"] * 30),
    )

    assert min(worths['    -   "sku-8",'], worths['    +   "sku-9",']) > 55
    assert worths["      at Object.<anonymous> (src/cart.test.ts:31:20)"] > 55 > worths[code]
    missing = [f"    word {at}" for at in range(12)]
    assert values("error: these are missing:", *missing, "    - one", *["end"] * 30)["    - one"] < 45


def test_a_failed_test_that_is_told_again_with_its_message_is_worth_little_in_the_list() -> None:
    told = "  ● cart › when empty › adds an item"

    worths = values("  cart", "    ✕ adds an item (3 ms)", "    ✓ sums it (2 ms)", "", told, "", "    broken")

    assert judge("    ✕ adds an item (3 ms)").rank is judge(told).rank is Rank.FAILURE
    assert worths[told] > 60 > 45 > worths["    ✕ adds an item (3 ms)"]


def test_the_line_of_a_summary_with_the_message_is_worth_more_than_the_row_of_the_test() -> None:
    row = f"test_a.py::test_load FAILED{' ' * 80}[ 92%]"
    told = "FAILED test_a.py::test_load - json.decoder.JSONDecodeError: Expecting property name == x"

    passed = ["test_a.py::test_b PASSED"] * 5

    worths = values("tests begin", *passed, row, *passed, "", "broken", "", told, "== 1 failed, 10 passed ==")

    assert worths[told] > 60 > 45 > worths[row]


def test_an_odd_line_is_shown_with_the_head_of_its_block_where_many_blocks_begin_alike() -> None:
    hosts = [
        line
        for at in range(24)
        for line in ("", f"Scan report for {hashes(at)} (10.0.0.{at})", "22/tcp open ssh", "80/tcp open http")
    ]
    hosts.insert(64, "6379/tcp open redis")

    worths = values("Scan begins", *hosts, "", "24 hosts are up")

    assert worths[f"Scan report for {hashes(15)} (10.0.0.15)"] > 40
    assert worths[f"Scan report for {hashes(14)} (10.0.0.14)"] < 20


def test_the_calls_of_the_program_below_a_signal_are_shown() -> None:
    calls = [f"#{at}  0x55aa{at} in step_{at} (n={at}) at src/cart.c:{at}" for at in range(1, 9)]
    other = [f"#{at}  0x55bb{at} in wait_{at} (n={at}) at src/pool.c:{at}" for at in range(8)]

    worths = values(
        "Program terminated with signal SIGSEGV, Segmentation fault.",
        "#0  __strlen_avx2 () at ../sysdeps/x86_64/multiarch/strlen-avx2.S:76",
        *calls,
        "Thread 2 (LWP 7):",
        *other,
        *["end"] * 40,
    )

    assert min(worths[call] for call in calls) > 53 > max(worths[call] for call in other)


def test_what_helps_is_shown_with_the_error_that_it_stands_below() -> None:
    said = [
        "Error: the link step did not complete",
        "It is not in /opt",
        "Target /opt/cart",
        "belongs to basket.",
    ]
    advice = ["You can unlink it:", "  brew unlink basket"]

    worths = values(*[f"pour {hashes(at)}" for at in range(40)], *said, *advice, *["quiet"] * 8)

    assert min(worths[line] for line in advice) > 50


def test_lines_of_a_section_on_an_error_that_recur_in_it_are_worth_less_than_others() -> None:
    once = ["UPDATE stock SET held = 1", "UPDATE orders SET state = 2", "index PRIMARY of `orders`"]
    section = [once[0], "tables in use 1, locked 1", once[2], once[1], "tables in use 1, locked 2"]

    worths = values(
        "LATEST", "=====", "LATEST DEADLOCK", "-----", *section, "-----", "OTHERS", "-----", "end"
    )

    assert min(worths[line] for line in once) > worths["tables in use 1, locked 1"] + 4
