"""What each kind of report tells, and that junk tells nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from satchel_plugins.providers import Failure, read_report, render_failure, report_kind

DATA = Path(__file__).parents[2] / "data" / "reports"


def read(name: str) -> list[Failure]:
    return read_report(report_kind(name), (DATA / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("build.log", "log"),
        ("logs/app.log.1", "log"),
        ("ci/test-output.txt", "log"),
        ("errors.txt", "log"),
        ("npm-debug.log", "log"),
        ("run.err", "log"),
        ("target/surefire-reports/TEST-com.shop.CartTest.xml", "junit"),
        ("junit.xml", "junit"),
        ("reports/test-results.xml", "junit"),
        ("scan.sarif", "sarif"),
        ("coverage.xml", "coverage"),
        ("py-coverage.json", "coverage"),
        ("lcov.info", "coverage"),
        ("src/errors.py", ""),
        ("docs/errors.md", ""),
        ("pom.xml", ""),
        ("package.json", ""),
        ("src/build_run.go", ""),
        ("CHANGELOG", ""),
        ("spec/fixtures/search.action.log", ""),
        ("compile_tests/tests/fail/wrong_type.stderr", ""),
        ("tests/run.log", "log"),
        ("AndroidManifest.xml", ""),
    ],
)
def test_a_report_is_known_by_its_path(path: str, kind: str) -> None:
    assert report_kind(path) == kind


def test_a_pytest_log_tells_each_failure_once_with_its_traceback() -> None:
    login, cart = read("pytest.log")

    assert cart.message == "FAILED tests/test_cart.py::test_total - KeyError: 'apple'"
    assert any("shop/prices.py" in line for line in cart.body)
    assert login.message.endswith("AssertionError: wrong password was accepted")
    assert any("shop/login.py:4" in line for line in login.body)


def test_a_log_of_a_run_that_went_well_tells_nothing() -> None:
    assert read("clean.log") == []


@pytest.mark.parametrize(
    "line",
    [
        "0 errors",
        "Found 0 errors. Watching for file changes.",
        "errors: 0, failures: 0",
        "no errors",
        "INFO errors.py: error handling is on",
        "ok 3 - error is raised",
        "compiling src/error.c",
        "warning: unused variable error",
        "PASS src/error.test.js",
        "12 passed, 0 failed",
        "onError = handler",
        "Tests: 3 passed, 3 total, 0 failed",
        "",
    ],
)
def test_a_line_that_only_speaks_of_errors_is_none(line: str) -> None:
    assert read_report("log", f"starting\n{line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "ERROR in ./src/index.js",
        "error: linking with `cc` failed",
        "ValueError: bad date",
        "fatal: not a git repository",
        "not ok 4 - cart is empty",
        "test cart::total ... FAILED",
        "2024-05-01 12:00:00,123 ERROR worker: lost",
        "[ERROR] Failed to execute goal",
        "src/app.ts(12,5): error TS2322: Type 'a' is not assignable",
        "/usr/bin/ld: main.o: undefined reference to `total'",
        "    ✕ adds prices (5 ms)",
        "Segmentation fault: error code 139 [FATAL]",
    ],
)
def test_a_line_that_tells_of_a_failure_is_told(line: str) -> None:
    assert [failure.message for failure in read_report("log", f"starting\n{line}\ndone\n")] == [line.strip()]


def test_a_compiler_error_keeps_its_code_and_a_warning_is_left_out() -> None:
    (only,) = read("build.log")

    assert only.message == "src/util.c:10:5: error: expected ';' before 'return'"
    assert any("return x" in line for line in only.body)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("TypeError: Cannot read", "web/cart.js:8"),
        ("panic: runtime error", "store/store.go:33"),
        ("thread 'main' panicked at src/parse.rs:4:5: unexpected end", ""),
        ("java.lang.IllegalStateException", "Cart.java:42"),
        ("error[E0382]", "src/parse.rs:20"),
        ("--- FAIL: TestCheckout", "checkout_test.go:12"),
        ("2024-05-01 12:00:00 ERROR shop.worker", ""),
    ],
)
def test_tracebacks_of_many_languages_are_told_with_their_message(message: str, place: str) -> None:
    (found,) = [failure for failure in read("many.log") if failure.message.startswith(message)]

    assert place in "\n".join(found.body)


def test_what_came_last_in_a_log_is_told_first() -> None:
    assert "connection to stock lost" in read("many.log")[0].message


def test_a_repeated_failure_is_told_once_with_its_count() -> None:
    (only,) = read_report("log", "ERROR worker 1: lost\n" * 40)

    assert only.count == 40
    assert render_failure(only, []).startswith("ERROR worker 1: lost (40 times)\n")


def test_junit_tells_failures_and_errors_but_not_what_passed() -> None:
    first, second = read("junit.xml")

    assert first.message == "tests.test_cart.test_total: KeyError: 'apple'"
    assert first.places == ("tests/test_cart.py:5",)
    assert second.body == ("no fixture <db>",)


def test_sarif_tells_errors_before_warnings_and_no_notes() -> None:
    assert [(one.message, one.places) for one in read("scan.sarif")] == [
        ("error: password is logged [S3]", ("/ci/shop/login.py:4",)),
        ("warning: weak hash [S2]", ("shop/login.py:3",)),
    ]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("coverage.json", ("shop/login.py:2-4", "shop/login.py:9")),
        ("lcov.info", ("web/cart.js:2-3", "web/cart.js:8")),
        ("cobertura.xml", ("shop/cart.py:8",)),
    ],
)
def test_coverage_tells_the_lines_that_no_test_reaches(name: str, places: tuple[str, ...]) -> None:
    kind = "coverage"

    assert read_report(kind, (DATA / name).read_text(encoding="utf-8"))[0].places == places


LAUGHS = (
    '<!DOCTYPE testsuites [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    '<testsuites><testsuite><testcase name="t"><failure message="x">&b;</failure>'
    "</testcase></testsuite></testsuites>"
)


def test_entities_are_refused() -> None:
    assert read_report("junit", LAUGHS) == []


@pytest.mark.parametrize("kind", ["log", "junit", "sarif", "coverage"])
@pytest.mark.parametrize(
    "junk",
    [
        "",
        "\x00\x01",
        "<testsuites><testcase><failure",
        "{",
        "[]",
        "null",
        '{"files": []}',
        '{"files": {"a": 1, "b": {"missing_lines": ["x", null, -1]}}}',
        '{"runs": [1, {"results": {}}, {"results": [{"level": 3, "message": 4, "locations": [{}]}]}]}',
        "<a>" * 1_000,
        "[" * 100_000,
        "SF:\nDA:x,0\nDA:,\nend_of_record\n",
        '<coverage><class><line number="x"/></class></coverage>',
    ],
)
def test_damaged_reports_tell_nothing(kind: str, junk: str) -> None:
    assert read_report(kind, junk) == []


@pytest.mark.parametrize(
    "piece", ["error ", "ERROR", "at a(", "E   x\n", "\tat ", "Failed: ", "\x1b[3", "a.", " ", "(:", "in "]
)
def test_ten_megabytes_of_anything_are_read_in_seconds(piece: str) -> None:
    started = time.process_time()
    read_report("log", piece * (10_000_000 // len(piece)))

    assert time.process_time() - started < 4


def test_what_squeezing_finds_in_a_log_is_told_with_what_explains_it() -> None:
    lines = [f"module {number} is in order, nothing to say" for number in range(300)]
    lines[150:150] = ["app/models.py:12:80: E501 line too long (91 > 88)", "lockfile is corrupted: abort"]

    found = read_report("log", "\n".join([*lines, "ERROR: 2 checks have failed", ""]))

    messages = [failure.message for failure in found]
    assert "app/models.py:12:80: E501 line too long (91 > 88)" in messages
    assert "lockfile is corrupted: abort" in messages
