"""Lines are judged by what they say, in several languages; names of files say nothing."""

from __future__ import annotations

import pytest

from satchel.output import judge
from satchel.plugin_api import Rank


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        ("Tests: 2 failed, 148 passed, 150 total", Rank.VERDICT),
        ("=== 22 failed, 506 passed in 2.48s ===", Rank.VERDICT),
        ("=== 38 failed in 1.90s ===", Rank.VERDICT),
        ("FAILED tests/test_a.py::test_b - KeyError: 'x'", Rank.FAILURE),
        ("--- FAIL: TestCounter (0.01s)", Rank.FAILURE),
        ("not ok 12 - parses dates", Rank.FAILURE),
        ("00:14 +71 ~2 -1: /srv/app/test/cart_test.dart: Cart formats prices [E]", Rank.FAILURE),
        ("00:14 +72 -1: /srv/app/test/cart_test.dart: Cart shows a spinner", Rank.PLAIN),
        ("error[E0308]: mismatched types", Rank.ERROR),
        ("java.lang.IllegalStateException: could not settle", Rank.ERROR),
        ("Fehler: Datei nicht gefunden", Rank.ERROR),
        ("连接失败", Rank.ERROR),
        ("[    3.65] kernel BUG at drivers/misc/kaboom.c:39!", Rank.ERROR),
        ("   Severity: High   Confidence: Low", Rank.ERROR),
        ("E: Tally: no-copyright-file", Rank.ERROR),
        ("2024-05-01T12:00:00.1234567Z --- FAIL: TestX (0.1s)", Rank.FAILURE),
        ("[task 2025-02-13T22:10:08.927Z] FAILED tests/test_a.py::test_b - KeyError", Rank.FAILURE),
        ("2024-05-01 12:00:00,123 ERROR db: x failed", Rank.ERROR),
        ("W1122 14:00:01.123456   12345 foo.go:12] slow", Rank.WARNING),
        ("#11 9.377 src/cart.tsx(84,17): error TS2339: no property 'taxRate'", Rank.ERROR),
        ("#11 ERROR: process did not complete successfully: exit code: 2", Rank.ERROR),
        ("#7 DONE 31.2s", Rank.PLAIN),
        ("#0  0x00007ffff in raise () from /lib/libc.so.6", Rank.DETAIL),
        ("#1  main () at fatal.c:3", Rank.DETAIL),
        ("#2 /srv/shop/Error.php(12): fail()", Rank.DETAIL),
        ("=== RUN   TestRetriesFail/negative_error", Rank.PLAIN),
        ("W: Tally: very-long-line", Rank.WARNING),
        ("warning: unused variable: `x`", Rank.WARNING),
        ("shop/m1.py:3:1: C0114: Missing module docstring", Rank.WARNING),
        ("  at run (lib/q.js:4:151)", Rank.DETAIL),
        (" --> src/main.rs:2:10", Rank.DETAIL),
        (" at src/cart.tsx:60:2 lint/correctness/useDeps  FIXABLE  ━━━━━━━━━━", Rank.WARNING),
        ("src/cart.tsx format ━━━━━━━━━━", Rank.WARNING),
        ("    85  84 │   \tconst failed = errors !== undefined;", Rank.DETAIL),
        ("    85     │ - → const·failed·=·2·errors", Rank.DETAIL),
        ("578\t        assert self.chunked != _UNKNOWN", Rank.DETAIL),
        ('{"path": "/orders/7", "status": 502}', Rank.ERROR),
        ("app exited, status=203/EXEC", Rank.ERROR),
        ('{"path": "/orders/7", "status": 200}', Rank.PLAIN),
        ("GET /orders/7 status=304 in 2 ms", Rank.PLAIN),
        ("compiling 31 of 90", Rank.PLAIN),
        ("     ├─ aws:ec2:SecurityGroup            mail-7", Rank.PLAIN),
        ("src/errors/failed_test.py", Rank.PLAIN),
        ("-rw-r--r-- 1 root root 12 Nov 21 19:58 exceptions.py", Rank.PLAIN),
        ('   -     r"(?:error|failed)"', Rank.DETAIL),
        ("126 +         raise UsageError(msg)", Rank.DETAIL),
        ("-----", Rank.NOISE),
        ("  - nothing provides clang = 13.0 needed by rpm-macros-1-136.noarch", Rank.ERROR),
        ("b.o: multiple definition of `size'", Rank.ERROR),
        ("Depends: libshop (>= 2.0) but 1.9 is to be installed", Rank.ERROR),
        ("ERROR: test_rate (shop.tests.RateTest)", Rank.FAILURE),
        ("ERROR: Command failed:", Rank.ERROR),
        ("E2E\tRun tests\t2026-02-21T21:32:55.5073107Z     TimeoutError: waited 5 s", Rank.ERROR),
        ("2026-02-21T21:32:55.5073107Z   --- FAIL: TestCounter (0.01s)", Rank.FAILURE),
        ("main.go:31:5: undefined: rate", Rank.ERROR),
        ("main.(*Server).run(0xc000010)", Rank.DETAIL),
        ("app/views/orders.haml:33 [W] ImplicitDiv: `%div` can be left out", Rank.WARNING),
        ("src\\class.cpp(824):  Tab found; use spaces  [whitespace/tab] [1]", Rank.WARNING),
        ("src/rate.ts[418, 38]: ' should be \"", Rank.WARNING),
        ("tmpl.cpp:13:26:   required from here", Rank.DETAIL),
        ("DiskPressure   True   Thu, 26 Nov 2026   KubeletHasDiskPressure   kubelet has it", Rank.ERROR),
        ("DiskPressure   False   Thu, 26 Nov 2026   KubeletHasNoDiskPressure", Rank.PLAIN),
        ("Ready   Unknown   Thu, 26 Nov 2026   NodeStatusUnknown", Rank.ERROR),
        ("==20417== Invalid write of size 8", Rank.ERROR),
        ("==20417== Conditional jump or move depends on uninitialised value(s)", Rank.ERROR),
        ("==20417== For lists of detected and suppressed errors, rerun with: -s", Rank.NOISE),
        ("*** WE ROLL BACK TRANSACTION (2)", Rank.WARNING),
        ("*** (1) WAITING FOR THIS LOCK TO BE GRANTED:", Rank.WARNING),
        ("     ✗ checkout returns 200", Rank.FAILURE),
        ("     ✗ 0 of 12", Rank.PLAIN),
        ("Undefined: 10", Rank.ERROR),
        ("panic: 0", Rank.ERROR),
        ("vm_enough: pid: 7739, bytes: 8589939 not enough memory for the allocation", Rank.ERROR),
        ("0x602000000020 is located 0 bytes after 16-byte region", Rank.WARNING),
        ("allocated by thread T0 here:", Rank.WARNING),
        ('"VM Thread" os_prio=0 cpu=0.38ms elapsed=2.31s tid=0x00007fcf780f3a20 runnable', Rank.PLAIN),
        ("fatal: 0 is not a port", Rank.ERROR),
        ("aborted: 0 is not a port", Rank.ERROR),
    ],
)
def test_a_line_has_the_rank_of_what_it_says(line: str, rank: Rank) -> None:
    assert judge(line).rank is rank


@pytest.mark.parametrize(
    "line",
    [
        "0 errors",
        "no errors found",
        "failed=0 unreachable=0",
        "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
        "Liveness:   http-get http://:8080/healthz delay=5s period=10s #success=1 #failure=3",
        "error: 0",
        "errors=none",
        "Undefined: 0",
        "Rejected = 0, Aborted = 0",
        "Failed requests:        0",
        "number of failed transactions: 0 (0.000%)",
        "00000a40: 6572 7200 6d65 6d63 7079 006e 6c5f 6c61  .err memcpy.nl_la",
        "00000a40  65 72 72 00 6d 65 6d 63  70 79 00 6e 6c 5f 6c 61  |err memcpy.nl_la|",
        '"killed": 0,',
        " 'timeout': 18000,",
        "Vulnerability Meltdown:   Not affected",
        "cc -O2 -fexceptions -g -Wall -DASSERTIONS=1 -c a.c",
        "+ cat SOURCES/0003-CVE-2022-2056-fix.patch",
        "-- Performing Test HAS_FLAG - Failed",
        "checking for panic.h... not found",
        "[web] checking whether crash dumps are kept... no",
    ],
)
def test_nothing_wrong_is_not_wrong(line: str) -> None:
    assert judge(line).weight <= 2.0
    assert judge(line).rank not in (Rank.ERROR, Rank.FAILURE)


def test_a_line_of_blanks_is_judged_in_linear_time() -> None:
    assert judge(" " * 1_000_000 + "error x").rank is Rank.ERROR


@pytest.mark.parametrize(
    "line",
    [
        "rejects a broken token ... ok (53ms)",
        "ok 12 - throws an error on timeout",
        "✓ retries after a failure (3 ms)",
        "✓ shows the total of cart 14 (14 ms)",
        "--- PASS: TestLostConnection (0.00s)",
        "[       OK ] Ledger.FailsOnOverflow (0 ms)",
        "tests/errors/missing_test.py: PASSED",
    ],
)
def test_the_name_of_what_went_well_is_no_error(line: str) -> None:
    assert judge(line).rank is Rank.PLAIN


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        ("overall result: PASSED", Rank.VERDICT),
        ("❌ has no member formattted", Rank.FAILURE),
        ("  throw new AssertionError(message);", Rank.DETAIL),
        ("   - from types import FrameType, TracebackType", Rank.DETAIL),
        ("import { HttpError } from './errors'", Rank.DETAIL),
        ("import error: no module called errors", Rank.ERROR),
        ("⎯⎯⎯[2/12]⎯", Rank.NOISE),
        ("=>0x0c047fff8000: fa fa 00 00[fa]fa fa fa fa fa", Rank.NOISE),
        ("  Stack use after scope:   f8", Rank.NOISE),
        ("  Partially addressable: 01 02 03 04 05 06 07", Rank.NOISE),
        (" 2: len 7; hex 1f3a522e8c9d12; asc        ;;", Rank.NOISE),
        ("Failures: 12", Rank.ERROR),
        ("  (Total limits may be over 100 percent, i.e., overcommitted.)", Rank.NOISE),
        ("  ● lexer › totals case 9", Rank.FAILURE),
        ("ready.go:227: [debug] patching the role billing", Rank.DETAIL),
        ("  27122 www-data  20   0 containerd-shim", Rank.PLAIN),
        ("[ERROR] To see the full stack trace of the errors, re-run Maven with -e", Rank.NOISE),
        ("[ERROR] -> [Help 1]", Rank.NOISE),
        ("rdb_last_bgsave_status:err", Rank.ERROR),
        ("std::io::Error", Rank.PLAIN),
        ("//cart:sum_test        TIMEOUT in 3 out of 3 in 60.0s", Rank.FAILURE),
        ("5c1f6d0a is the first bad commit", Rank.ERROR),
        ("  │ Failing:      0      │", Rank.PLAIN),
        ("[ERROR] Please refer to /w/target/surefire-reports for the individual test results.", Rank.NOISE),
    ],
)
def test_the_form_of_a_line_tells_what_it_is(line: str, rank: Rank) -> None:
    assert judge(line).rank is rank


@pytest.mark.parametrize(
    ("line", "rank"),
    [
        ("03-17 16:13:38.811  1702  2395 E Sync: basket 7 has no owner", Rank.ERROR),
        ("03-17 16:13:38.811  1702  2395 W Sync: clock skew", Rank.WARNING),
        ("03-17 16:13:38.811  1702  2395 D Sync: basket 7 has an owner", Rank.PLAIN),
        ("12:00:00.123 [main] E shop.Sync - basket 7 has no owner", Rank.ERROR),
        ("2024-01-01 00:00:00 [E] basket 7 has no owner", Rank.ERROR),
        ('{"level":50,"time":1522431328992,"msg":"basket 7 has no owner"}', Rank.ERROR),
        ('{"level":40,"time":1522431328992,"msg":"clock skew"}', Rank.WARNING),
        ('{"level":30,"time":1522431328992,"msg":"basket 7 has an owner"}', Rank.PLAIN),
        ('{"t":{"$date":"2024-05-20T19:18:40"},"s":"E","c":"STORAGE","msg":"page 7 differs"}', Rank.ERROR),
        ('{"PRIORITY":"3","MESSAGE":"basket 7 has no owner"}', Rank.ERROR),
        ("[12:00:00 INF] basket 7 has an owner", Rank.PLAIN),
    ],
)
def test_a_level_may_be_a_letter_or_a_number(line: str, rank: Rank) -> None:
    assert judge(line).rank is rank
