# ruff: noqa: E501, PERF401, B007 (lines of tools are as long as they are, and made one by one)
"""Make outputs of tools with the facts that must survive: seeded, so every run makes the same ones."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """An output, how it came about, and what of it must be kept."""

    command: str
    exit_code: int
    text: str
    must: list[object]


CASES: dict[str, Callable[[random.Random], Case]] = {}


def case(make: Callable[[random.Random], Case]) -> Callable[[random.Random], Case]:
    CASES[make.__name__] = make
    return make


def _words(r: random.Random, n: int) -> str:
    pool = [
        "cart",
        "order",
        "ledger",
        "invoice",
        "token",
        "session",
        "cache",
        "queue",
        "shard",
        "tenant",
        "batch",
        "index",
        "node",
        "edge",
        "frame",
        "store",
        "user",
        "price",
        "report",
        "parser",
    ]
    return "_".join(r.choice(pool) for _ in range(n))


@case
def bazel(r: random.Random) -> Case:
    lines = [
        f"INFO: Analyzed {r.randint(1, 9)} targets ({r.randint(10, 99)} packages loaded)." for _ in range(3)
    ]
    for i in range(260):
        lines.append(
            f"[{i:,} / 2,{r.randint(100, 999)}] Compiling src/{_words(r, 2)}.cc; {r.randint(0, 30)}s linux-sandbox"
        )
    lines.insert(
        180,
        "ERROR: /home/dev/repo/src/net/BUILD:14:11: Compiling src/net/socket_pool.cc failed: (Exit 1): gcc failed: error executing command",
    )
    lines.insert(181, "src/net/socket_pool.cc:88:17: error: 'struct Pool' has no member named 'drain_all'")
    lines.insert(182, "   88 |   pool->drain_all(true);")
    lines += [
        "Target //src/net:server failed to build",
        "Use --verbose_failures to see the command lines of failed build steps.",
        "INFO: Elapsed time: 71.204s, Critical Path: 33.10s",
        "FAILED: Build did NOT complete successfully",
    ]
    return Case(
        "bazel build //...",
        1,
        "\n".join(lines),
        [
            ["src/net/socket_pool.cc:88:17", "has no member named 'drain_all'"],
            "Target //src/net:server failed to build",
            "FAILED: Build did NOT complete successfully",
        ],
    )


@case
def msbuild(r: random.Random) -> Case:
    lines = ["Microsoft (R) Build Engine version 17.8.3+195e7f5a3 for .NET"]
    for i in range(160):
        lines.append(f"  {_words(r, 1).title()}.Core{i} -> C:\\src\\app\\bin\\Debug\\net8.0\\Core{i}.dll")
        if i % 3 == 0:
            lines.append(
                f"C:\\src\\app\\Svc{i}.cs({r.randint(5, 300)},{r.randint(3, 40)}): warning CS8618: Non-nullable property 'Name{i}' must contain a non-null value when exiting constructor. [C:\\src\\app\\App.csproj]"
            )
    lines.insert(
        120,
        "C:\\src\\app\\Billing\\Tax.cs(42,17): error CS0103: The name 'vatRate' does not exist in the current context [C:\\src\\app\\Billing.csproj]",
    )
    lines.insert(
        133,
        "C:\\src\\app\\Api\\Hook.cs(9,28): error CS1061: 'HttpContext' does not contain a definition for 'UserId' [C:\\src\\app\\Api.csproj]",
    )
    lines += ["Build FAILED.", "", "    54 Warning(s)", "    2 Error(s)", "", "Time Elapsed 00:00:21.84"]
    return Case(
        "dotnet build",
        1,
        "\n".join(lines),
        [
            ["Tax.cs(42,17)", "CS0103", "vatRate"],
            ["Hook.cs(9,28)", "CS1061"],
            "CS8618",
            "2 Error(s)",
            "54 Warning(s)",
            "Build FAILED",
        ],
    )


@case
def gtest(r: random.Random) -> Case:
    lines = ["[==========] Running 400 tests from 20 test suites."]
    bad = {77, 203}
    for i in range(400):
        name = f"Suite{i // 20}.Case{i}"
        lines.append(f"[ RUN      ] {name}")
        if i in bad:
            lines += [
                f"test/suite{i // 20}_test.cc:{i + 11}: Failure",
                "Expected equality of these values:",
                "  balance.cents()",
                f"    Which is: {i * 3}",
                f"  {i * 3 + 1}",
                f"[  FAILED  ] {name} ({r.randint(0, 9)} ms)",
            ]
        else:
            lines.append(f"[       OK ] {name} ({r.randint(0, 9)} ms)")
    lines += [
        "[==========] 400 tests from 20 test suites ran. (812 ms total)",
        "[  PASSED  ] 398 tests.",
        "[  FAILED  ] 2 tests, listed below:",
        "[  FAILED  ] Suite3.Case77",
        "[  FAILED  ] Suite10.Case203",
        "",
        " 2 FAILED TESTS",
    ]
    return Case(
        "./all_tests",
        1,
        "\n".join(lines),
        [
            "Suite3.Case77",
            "Suite10.Case203",
            "test/suite3_test.cc:88",
            "test/suite10_test.cc:214",
            "Which is: 231",
            "398 tests",
            "2 FAILED TESTS",
        ],
    )


@case
def ctest(r: random.Random) -> Case:
    lines = ["Test project /home/dev/build"]
    for i in range(1, 181):
        lines.append(f"        Start {i:3}: {_words(r, 2)}_{i}")
        end = (
            "***Failed    0.41 sec"
            if i == 97
            else "***Timeout  30.02 sec"
            if i == 140
            else "   Passed    0.02 sec"
        )
        lines.append(f"{i:3}/180 Test #{i:3}: unit_{i} .......................{end}")
    lines += [
        "",
        "99% tests passed, 2 tests failed out of 180",
        "",
        "Total Test time (real) =  44.10 sec",
        "",
        "The following tests FAILED:",
        "\t 97 - unit_97 (Failed)",
        "\t140 - unit_140 (Timeout)",
        "Errors while running CTest",
    ]
    return Case(
        "ctest",
        8,
        "\n".join(lines),
        ["99% tests passed, 2 tests failed out of 180", "unit_97", "unit_140", "Timeout"],
    )


@case
def phpunit(r: random.Random) -> Case:
    lines = ["PHPUnit 10.5.2 by Sebastian Bergmann and contributors.", "", "Runtime:       PHP 8.2.13"]
    for i in range(40):
        lines.append("." * 61 + f" {61 * (i + 1)} / 2440 ({int(100 * (i + 1) / 40)}%)")
    lines[20] = lines[20].replace(".", "F", 1)
    lines += [
        "",
        "Time: 00:12.420, Memory: 88.50 MB",
        "",
        "There were 2 failures:",
        "",
        "1) App\\Tests\\CartTest::testRounding",
        "Failed asserting that 10.01 matches expected 10.0.",
        "",
        "/srv/app/tests/CartTest.php:55",
        "",
        '2) App\\Tests\\MailTest::testQueue with data set "empty" (array())',
        "Failed asserting that two strings are equal.",
        "--- Expected",
        "+++ Actual",
        "@@ @@",
        "-'queued'",
        "+'dropped'",
        "",
        "/srv/app/tests/MailTest.php:81",
        "",
        "FAILURES!",
        "Tests: 2440, Assertions: 9120, Failures: 2.",
    ]
    return Case(
        "vendor/bin/phpunit",
        1,
        "\n".join(lines),
        [
            "CartTest::testRounding",
            "10.01 matches expected 10.0",
            "MailTest::testQueue",
            "+'dropped'",
            "tests/MailTest.php:81",
            "Tests: 2440, Assertions: 9120, Failures: 2.",
        ],
    )


@case
def rspec(r: random.Random) -> Case:
    lines = ["Randomized with seed 4412", ""]
    for i in range(300):
        lines += [f"  {_words(r, 2)}", f"    returns {r.choice(['a total', 'nil', 'the list'])} for case {i}"]
    lines[200] += " (FAILED - 1)"
    lines += [
        "",
        "Failures:",
        "",
        "  1) Invoice#total applies the reverse charge",
        "     Failure/Error: expect(invoice.total).to eq(Money.new(11900))",
        "",
        "       expected: #<Money cents:11900>",
        "            got: #<Money cents:10000>",
        "",
        "     # ./spec/models/invoice_spec.rb:42:in `block (3 levels) in <top (required)>'",
        "",
        "Finished in 3.2 seconds (files took 1.1 seconds to load)",
        "600 examples, 1 failure, 4 pending",
        "",
        "Failed examples:",
        "",
        "rspec ./spec/models/invoice_spec.rb:38 # Invoice#total applies the reverse charge",
    ]
    return Case(
        "bundle exec rspec",
        1,
        "\n".join(lines),
        [
            "Invoice#total applies the reverse charge",
            "cents:11900",
            "cents:10000",
            "invoice_spec.rb:42",
            "600 examples, 1 failure, 4 pending",
        ],
    )


@case
def mocha(r: random.Random) -> Case:
    lines = []
    for i in range(220):
        lines.append(
            f"    \x1b[32m  ✔\x1b[0m\x1b[90m handles {_words(r, 2)} {i}\x1b[0m \x1b[31m({r.randint(1, 90)}ms)\x1b[0m"
        )
    lines.insert(150, "    \x1b[31m  1) rejects an expired coupon\x1b[0m")
    lines += [
        "",
        "  219 passing (2s)",
        "  1 pending",
        "  1 failing",
        "",
        "  1) checkout",
        "       rejects an expired coupon:",
        "     AssertionError [ERR_ASSERTION]: expected 200 to equal 410",
        "      + expected - actual",
        "",
        "      -200",
        "      +410",
        "",
        "      at Context.<anonymous> (test/checkout.spec.js:71:14)",
        "      at process.processImmediate (node:internal/timers:476:21)",
    ]
    return Case(
        "npx mocha",
        1,
        "\n".join(lines),
        [
            "rejects an expired coupon",
            "expected 200 to equal 410",
            "test/checkout.spec.js:71:14",
            "219 passing",
            "1 failing",
        ],
    )


@case
def playwright(r: random.Random) -> Case:
    lines = ["Running 120 tests using 4 workers"]
    for i in range(118):
        lines.append(
            f"  ✓  {i + 1} [chromium] › e2e/{_words(r, 1)}.spec.ts:{r.randint(3, 90)}:5 › {_words(r, 2)} ({r.randint(200, 3000)}ms)"
        )
    lines.insert(60, "  ✘  61 [webkit] › e2e/login.spec.ts:22:7 › shows the captcha after 3 tries (30.1s)")
    lines += [
        "",
        "  1) [webkit] › e2e/login.spec.ts:22:7 › shows the captcha after 3 tries",
        "",
        "    Test timeout of 30000ms exceeded.",
        "",
        "    Error: locator.click: Target closed",
        "    Call log:",
        "      - waiting for getByTestId('captcha')",
        "",
        "      26 |   await page.goto('/login');",
        "    > 27 |   await page.getByTestId('captcha').click();",
        "         |                                     ^",
        "",
        "        at /repo/e2e/login.spec.ts:27:37",
        "",
        "  1 failed",
        "    [webkit] › e2e/login.spec.ts:22:7 › shows the captcha after 3 tries",
        "  2 flaky",
        "  117 passed (2.1m)",
    ]
    return Case(
        "npx playwright test",
        1,
        "\n".join(lines),
        [
            "login.spec.ts:22:7",
            "Test timeout of 30000ms exceeded",
            "locator.click: Target closed",
            "login.spec.ts:27:37",
            "1 failed",
            "117 passed",
        ],
    )


@case
def terraform(r: random.Random) -> Case:
    lines = []
    for i in range(90):
        lines.append(f"aws_instance.{_words(r, 1)}[{i}]: Refreshing state... [id=i-{r.getrandbits(64):016x}]")
    lines += ["", "Terraform will perform the following actions:", ""]
    for i in range(30):
        lines += [
            f"  # aws_s3_bucket.{_words(r, 1)}_{i} will be updated in-place",
            f'  ~ resource "aws_s3_bucket" "b{i}" {{',
            f'        id   = "bucket-{i}"',
            "      ~ tags = {",
            f'          ~ "rev" = "{i}" -> "{i + 1}"',
            "        }",
            "    }",
            "",
        ]
    lines += [
        "  # aws_db_instance.ledger must be replaced",
        '-/+ resource "aws_db_instance" "ledger" {',
        '      ~ engine_version = "13.7" -> "15.4" # forces replacement',
        "    }",
        "",
        "Plan: 1 to add, 30 to change, 1 to destroy.",
        "",
        "Warning: Argument is deprecated",
        "",
        '  on s3.tf line 12, in resource "aws_s3_bucket" "b0":',
        '  12:   acl = "private"',
        "",
    ]
    return Case(
        "terraform plan",
        0,
        "\n".join(lines),
        [
            "aws_db_instance.ledger must be replaced",
            "forces replacement",
            "Plan: 1 to add, 30 to change, 1 to destroy.",
            "Argument is deprecated",
            "s3.tf line 12",
        ],
    )


@case
def ansible(r: random.Random) -> Case:
    hosts = [f"web{i:02}.example.test" for i in range(14)]
    lines = ["PLAY [all] " + "*" * 60, ""]
    for t in range(16):
        lines.append(f"TASK [{_words(r, 1)} : {_words(r, 2)}] " + "*" * 40)
        for h in hosts:
            if t == 11 and h.startswith("web07"):
                lines.append(
                    f'fatal: [{h}]: FAILED! => {{"changed": false, "msg": "No package matching \'nginx-extras\' is available"}}'
                )
            elif not (t > 11 and h.startswith("web07")):
                lines.append(f"{r.choice(['ok', 'changed', 'skipping'])}: [{h}]")
        lines.append("")
    lines.append("PLAY RECAP " + "*" * 60)
    lines += [
        f"{h} : ok={r.randint(9, 16)} changed={r.randint(1, 6)} unreachable=0 failed={int(h.startswith('web07'))} skipped=2 rescued=0 ignored=0"
        for h in hosts
    ]
    return Case(
        "ansible-playbook site.yml",
        2,
        "\n".join(lines),
        [
            ["web07.example.test", "No package matching 'nginx-extras' is available"],
            ["web07.example.test", "failed=1"],
        ],
    )


@case
def kubectl_pods(r: random.Random) -> Case:
    lines = ["NAMESPACE     NAME                                    READY   STATUS    RESTARTS   AGE"]
    for i in range(170):
        lines.append(
            f"prod          {_words(r, 1)}-{r.getrandbits(36):09x}-{i:05}      1/1     Running   {r.randint(0, 3)}          {r.randint(1, 90)}d"
        )
    lines[91] = "prod          ledger-6c9f7b5d4-x2x9k              0/1     CrashLoopBackOff   212        3d"
    lines[120] = "prod          mailer-5d8f9c7b6-k8s2p              0/1     ImagePullBackOff   0          2h"
    return Case(
        "kubectl get pods -A",
        0,
        "\n".join(lines),
        [
            ["ledger-6c9f7b5d4-x2x9k", "CrashLoopBackOff"],
            ["mailer-5d8f9c7b6-k8s2p", "ImagePullBackOff"],
            "READY   STATUS",
        ],
    )


@case
def journal(r: random.Random) -> Case:
    lines = []
    for i in range(2400):
        lines.append(
            f"Jun 03 {i // 3600 + 8:02}:{i // 60 % 60:02}:{i % 60:02} node3 {r.choice(['systemd[1]: Started Session ' + str(i) + ' of user deploy.', 'CRON[' + str(4000 + i) + ']: (root) CMD (run-parts /etc/cron.hourly)', 'sshd[' + str(900 + i) + ']: Accepted publickey for deploy from 10.0.0.' + str(i % 250)])}"
        )
    lines[1400] = (
        "Jun 03 08:23:20 node3 kernel: EXT4-fs error (device sda2): ext4_lookup:1855: inode #131: comm nginx: deleted inode referenced"
    )
    lines[1990] = "Jun 03 08:33:10 node3 systemd[1]: backup.service: Failed with result 'timeout'."
    return Case(
        "journalctl -b",
        0,
        "\n".join(lines),
        ["EXT4-fs error (device sda2)", "backup.service: Failed with result 'timeout'"],
    )


@case
def nginx_access(r: random.Random) -> Case:
    lines = []
    for i in range(5000):
        lines.append(
            f'203.0.113.{i % 250} - - [03/Jun/2026:10:{i // 60 % 60:02}:{i % 60:02} +0000] "GET /{_words(r, 1)}/{r.randint(1, 9999)} HTTP/1.1" 200 {r.randint(100, 9000)} "-" "Mozilla/5.0"'
        )
    lines[3120] = (
        '203.0.113.9 - - [03/Jun/2026:10:52:00 +0000] "POST /pay/8812 HTTP/1.1" 502 157 "-" "okhttp/4.9"'
    )
    return Case("cat access.log", 0, "\n".join(lines), [["POST /pay/8812", "502"]])


@case
def valgrind(r: random.Random) -> Case:
    lines = ["==4412== Memcheck, a memory error detector", "==4412== Command: ./ledger"]
    for i in range(60):
        lines += [
            "==4412== Conditional jump or move depends on uninitialised value(s)",
            f"==4412==    at 0x{r.getrandbits(32):X}: parse_row (parse.c:{r.randint(10, 200)})",
            f"==4412==    by 0x{r.getrandbits(32):X}: main (main.c:{r.randint(10, 90)})",
            "==4412== ",
        ]
    lines += [
        "==4412== Invalid write of size 8",
        "==4412==    at 0x48A1F3: push_entry (ledger.c:311)",
        "==4412==    by 0x48A0B2: main (main.c:40)",
        "==4412==  Address 0x5204a48 is 0 bytes after a block of size 72 alloc'd",
        "==4412== ",
        "==4412== LEAK SUMMARY:",
        "==4412==    definitely lost: 4,096 bytes in 3 blocks",
        "==4412==    indirectly lost: 0 bytes in 0 blocks",
        "==4412== ERROR SUMMARY: 61 errors from 14 contexts (suppressed: 0 from 0)",
    ]
    return Case(
        "valgrind ./ledger",
        1,
        "\n".join(lines),
        [
            "Invalid write of size 8",
            "ledger.c:311",
            "definitely lost: 4,096 bytes in 3 blocks",
            "ERROR SUMMARY: 61 errors",
            "Conditional jump or move depends on uninitialised value",
        ],
    )


@case
def asan(r: random.Random) -> Case:
    lines = [f"[{i:04}] processed batch {i} in {r.randint(1, 99)} ms" for i in range(300)]
    lines += [
        "=" * 65,
        "==991==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x0000004f6b2a bp 0x7ffd sp 0x7ffd",
        "READ of size 4 at 0x602000000010 thread T0",
        "    #0 0x4f6b29 in Queue::pop() /src/queue.cpp:57:12",
        "    #1 0x4f7011 in main /src/main.cpp:21:5",
        "    #2 0x7f3c in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x29d90)",
        "",
        "freed by thread T0 here:",
        "    #0 0x4c3d in operator delete(void*)",
        "    #1 0x4f6a10 in Queue::clear() /src/queue.cpp:44:9",
        "",
        "SUMMARY: AddressSanitizer: heap-use-after-free /src/queue.cpp:57:12 in Queue::pop()",
        "==991==ABORTING",
    ]
    return Case(
        "./run_batches",
        1,
        "\n".join(lines),
        ["heap-use-after-free", "queue.cpp:57:12", "queue.cpp:44:9", "Queue::pop()"],
    )


@case
def go_race(r: random.Random) -> Case:
    lines = []
    for i in range(150):
        lines += [
            f"=== RUN   Test{_words(r, 1).title()}{i}",
            f"--- PASS: Test{_words(r, 1).title()}{i} (0.0{r.randint(0, 9)}s)",
        ]
    lines += [
        "=== RUN   TestCounter",
        "==================",
        "WARNING: DATA RACE",
        "Read at 0x00c0000b4010 by goroutine 8:",
        "  example.test/shop/counter.(*Counter).Value()",
        "      /src/counter/counter.go:18 +0x3e",
        "",
        "Previous write at 0x00c0000b4010 by goroutine 7:",
        "  example.test/shop/counter.(*Counter).Add()",
        "      /src/counter/counter.go:12 +0x52",
        "==================",
        "    testing.go:1319: race detected during execution of test",
        "--- FAIL: TestCounter (0.01s)",
        "FAIL",
        "FAIL\texample.test/shop/counter\t0.031s",
        "ok  \texample.test/shop/cart\t0.012s",
        "FAIL",
    ]
    return Case(
        "go test -race ./...",
        1,
        "\n".join(lines),
        [
            "WARNING: DATA RACE",
            "counter.go:18",
            "counter.go:12",
            "--- FAIL: TestCounter",
            "example.test/shop/counter",
        ],
    )


@case
def java_chain(r: random.Random) -> Case:
    lines = [
        f"2026-06-03 10:00:{i % 60:02}.{i % 1000:03}  INFO 1 --- [nio-8080-exec-{i % 9}] c.e.shop.{_words(r, 1).title()}Service : handled request {i}"
        for i in range(400)
    ]
    lines += [
        "2026-06-03 10:07:01.311 ERROR 1 --- [nio-8080-exec-3] o.a.c.c.C.[dispatcherServlet] : Servlet.service() threw exception",
        "",
        "java.lang.IllegalStateException: could not settle order 88121",
        "\tat com.example.shop.Settle.run(Settle.java:74)",
    ]
    lines += [
        f"\tat org.springframework.web.Frame{i}.doFilter(Frame{i}.java:{r.randint(10, 400)})"
        for i in range(45)
    ]
    lines += [
        "Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.",
        "\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)",
        "\tat com.example.shop.Repo.load(Repo.java:31)",
        "\t... 52 common frames omitted",
    ]
    lines += [
        f"2026-06-03 10:08:{i % 60:02}.{i % 1000:03}  INFO 1 --- [nio-8080-exec-{i % 9}] c.e.shop.{_words(r, 1).title()}Service : handled request {i}"
        for i in range(300)
    ]
    return Case(
        "docker logs shop",
        0,
        "\n".join(lines),
        [
            "could not settle order 88121",
            "Settle.java:74",
            "HikariPool-1 - Connection is not available, request timed out after 30000ms",
        ],
    )


@case
def ghc(r: random.Random) -> Case:
    lines = [
        f"[{i:3} of 140] Compiling Ledger.{_words(r, 1).title()}{i} ( src/Ledger/M{i}.hs, dist/M{i}.o )"
        for i in range(1, 120)
    ]
    lines += [
        "",
        "src/Ledger/Tax.hs:31:15: error: [GHC-83865]",
        "    • Couldn't match expected type ‘Integer’ with actual type ‘Text’",
        "    • In the first argument of ‘rate’, namely ‘code’",
        "   |",
        "31 | total = rate code * 2",
        "   |              ^^^^",
        "",
        "src/Ledger/Tax.hs:40:1: warning: [GHC-38417] [-Wmissing-signatures]",
        "    Top-level binding with no type signature: total :: Integer",
        "Error: cabal: Failed to build ledger-0.3 (which is required by exe:ledger).",
    ]
    return Case(
        "cabal build",
        1,
        "\n".join(lines),
        [
            "Tax.hs:31:15",
            "GHC-83865",
            "Couldn't match expected type ‘Integer’ with actual type ‘Text’",
            "GHC-38417",
            "Failed to build ledger-0.3",
        ],
    )


@case
def latex(r: random.Random) -> Case:
    lines = ["This is pdfTeX, Version 3.141592653-2.6-1.40.25 (TeX Live 2023)"]
    for i in range(180):
        lines.append(f"(/usr/share/texlive/texmf-dist/tex/latex/{_words(r, 1)}/{_words(r, 1)}{i}.sty)")
        if i % 9 == 0:
            lines.append(
                f"Overfull \\hbox ({r.randint(1, 40)}.{r.randint(0, 99)}pt too wide) in paragraph at lines {i}--{i + 4}"
            )
    lines += [
        "! Undefined control sequence.",
        "l.214 \\includegrpahics",
        "                     {plot.pdf}",
        "",
        "LaTeX Warning: Reference `fig:loss' on page 3 undefined on input line 220.",
        "",
        "!  ==> Fatal error occurred, no output PDF file produced!",
        "Transcript written on paper.log.",
    ]
    return Case(
        "pdflatex paper.tex",
        1,
        "\n".join(lines),
        [
            "! Undefined control sequence.",
            "l.214 \\includegrpahics",
            "Reference `fig:loss' on page 3 undefined",
            "no output PDF file produced",
        ],
    )


@case
def coverage(r: random.Random) -> Case:
    lines = ["Name                         Stmts   Miss  Cover   Missing", "-" * 60]
    for i in range(140):
        n = r.randint(20, 400)
        lines.append(f"shop/{_words(r, 2)}_{i}.py{'':10}{n:5}      0   100%")
    lines[70] = "shop/payments/refund.py           210    160    24%   31-88, 102-240"
    lines += [
        "-" * 60,
        "TOTAL                        29120    160    99%",
        "FAIL Required test coverage of 99.9% not reached. Total coverage: 99.45%",
    ]
    return Case(
        "coverage report",
        2,
        "\n".join(lines),
        [
            ["shop/payments/refund.py", "24%"],
            ["TOTAL", "29120"],
            "Required test coverage of 99.9% not reached",
        ],
    )


@case
def migrations(r: random.Random) -> Case:
    lines = ["Operations to perform:", "  Apply all migrations: admin, auth, shop", "Running migrations:"]
    lines += [f"  Applying shop.{i:04}_{_words(r, 2)}... OK" for i in range(1, 150)]
    lines += ["  Applying shop.0150_unique_sku...Traceback (most recent call last):"]
    for i in range(25):
        lines += [
            f'  File "/venv/lib/python3.11/site-packages/django/db/f{i}.py", line {r.randint(10, 400)}, in execute',
            "    return self._execute(sql, params)",
        ]
    lines += [
        'psycopg2.errors.UniqueViolation: could not create unique index "shop_sku_uniq"',
        "DETAIL:  Key (sku)=(A-119) is duplicated.",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "/srv/app/manage.py", line 22, in <module>',
        "    main()",
        'django.db.utils.IntegrityError: could not create unique index "shop_sku_uniq"',
        "DETAIL:  Key (sku)=(A-119) is duplicated.",
    ]
    return Case(
        "python manage.py migrate",
        1,
        "\n".join(lines),
        [
            "shop.0150_unique_sku",
            "psycopg2.errors.UniqueViolation",
            "Key (sku)=(A-119) is duplicated",
            "django.db.utils.IntegrityError",
        ],
    )


@case
def docker_build(r: random.Random) -> Case:
    lines = []
    for i in range(1, 12):
        lines += [f"#{i} [build {i}/12] RUN apt-get install {_words(r, 1)}", f"#{i} CACHED", ""]
    for i in range(400):
        lines.append(
            f"#12 {i / 10:.3f} Get:{i} http://deb.debian.org/debian bookworm/main amd64 lib{_words(r, 1)}{i} amd64 {r.randint(1, 9)}.{i} [{r.randint(10, 900)} kB]"
        )
    lines += [
        "#12 44.10 E: Failed to fetch http://deb.debian.org/debian/pool/main/o/openssl/libssl3_3.0.11_amd64.deb  404  Not Found [IP: 151.101.2.132 80]",
        "#12 44.11 E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?",
        '#12 ERROR: process "/bin/sh -c apt-get install -y curl" did not complete successfully: exit code: 100',
        "------",
        " > [build 12/12] RUN apt-get install -y curl:",
        "------",
        "Dockerfile:14",
        "--------------------",
        "  14 | >>> RUN apt-get install -y curl",
        "--------------------",
        'ERROR: failed to solve: process "/bin/sh -c apt-get install -y curl" did not complete successfully: exit code: 100',
    ]
    return Case(
        "docker build .",
        1,
        "\n".join(lines),
        ["libssl3_3.0.11_amd64.deb  404  Not Found", "Dockerfile:14", "exit code: 100", "failed to solve"],
    )


@case
def npm_audit(r: random.Random) -> Case:
    lines = ["# npm audit report", ""]
    for i in range(40):
        lines += [
            f"{_words(r, 1)}-{i}  <{r.randint(1, 9)}.{r.randint(0, 9)}.0",
            f"Severity: {'critical' if i == 23 else r.choice(['moderate', 'low', 'high'])}",
            f"{'Prototype Pollution' if i == 23 else 'Regular Expression Denial of Service'} - https://github.com/advisories/GHSA-{r.getrandbits(32):08x}",
            "fix available via `npm audit fix`",
            f"node_modules/{_words(r, 1)}-{i}",
            "",
        ]
    lines += [
        "40 vulnerabilities (11 low, 15 moderate, 13 high, 1 critical)",
        "",
        "To address all issues, run:",
        "  npm audit fix",
    ]
    return Case(
        "npm audit",
        1,
        "\n".join(lines),
        [
            "Severity: critical",
            "Prototype Pollution",
            "40 vulnerabilities (11 low, 15 moderate, 13 high, 1 critical)",
        ],
    )


@case
def sphinx_de(r: random.Random) -> Case:
    lines = [f"Lese Quellen... [{i // 3:3}%] {_words(r, 2)}_{i}" for i in range(300)]
    lines += [
        "/doku/kasse.rst:12: Warnung: Titelunterstreichung zu kurz.",
        "Fehler: Datei »anhang.png« nicht gefunden in /doku/steuer.rst:88",
        "Der Bau ist mit 1 Fehler und 1 Warnung beendet.",
    ]
    return Case(
        "make html",
        2,
        "\n".join(lines),
        ["Fehler: Datei »anhang.png« nicht gefunden", "/doku/steuer.rst:88", "kasse.rst:12", "1 Fehler"],
    )


@case
def benchmark(r: random.Random) -> Case:
    lines = ["Benchmark                        Time             CPU   Iterations", "-" * 66]
    for i in range(160):
        lines.append(
            f"BM_{_words(r, 1)}/{i:<6}        {r.randint(100, 900)} ns        {r.randint(100, 900)} ns      {r.randint(10000, 99999)}"
        )
    lines[88] = "BM_ledger/86            ERROR OCCURRED: 'balance drifted by 3 cents'"
    return Case(
        "./bench",
        0,
        "\n".join(lines),
        ["balance drifted by 3 cents", "Benchmark                        Time"],
    )


@case
def spinner_upload(r: random.Random) -> Case:
    frames = "".join(f"\r\x1b[K⠋ uploading {i}/900 chunks" for i in range(900))
    lines = [
        "Resolving endpoints",
        frames + "\r\x1b[K✔ uploaded 900 chunks (2 retried)",
        "\x1b[33mwarning\x1b[0m chunk 441 was stored with reduced redundancy",
        "Deployed to https://shop.example.test (version 118)",
    ]
    return Case(
        "deploy",
        0,
        "\n".join(lines),
        ["uploaded 900 chunks (2 retried)", "chunk 441 was stored with reduced redundancy", "version 118"],
    )


@case
def psql(r: random.Random) -> Case:
    lines = []
    for i in range(500):
        lines += (
            ["INSERT 0 1"]
            if i != 311
            else [
                'psql:load.sql:312: ERROR:  new row for relation "orders" violates check constraint "qty_positive"',
                "DETAIL:  Failing row contains (88121, -3, EUR).",
            ]
        )
    lines += [
        f'psql:load.sql:{i}: NOTICE:  relation "idx_{i}" already exists, skipping' for i in range(502, 620)
    ]
    lines += ["COMMIT"]
    return Case(
        "psql -f load.sql",
        0,
        "\n".join(lines),
        [
            'violates check constraint "qty_positive"',
            "load.sql:312",
            "Failing row contains (88121, -3, EUR)",
            "COMMIT",
            "already exists, skipping",
        ],
    )


@case
def json_pods(r: random.Random) -> Case:
    items = [
        {
            "name": f"{_words(r, 1)}-{i}",
            "phase": "Running",
            "restarts": r.randint(0, 2),
            "node": f"node-{i % 7}",
            "ready": True,
        }
        for i in range(700)
    ]
    items[512].update(
        phase="Failed", ready=False, reason="Evicted: The node was low on resource: ephemeral-storage"
    )
    return Case(
        "kubectl get pods -o json",
        0,
        json.dumps({"kind": "List", "items": items}, indent=2),
        [
            "Evicted: The node was low on resource: ephemeral-storage",
            '"Failed"',
            [f'"{items[512]["name"]}"', '"Failed"'],
        ],
    )


@case
def json_minified(r: random.Random) -> Case:
    items = [{"id": i, "sku": _words(r, 2), "qty": r.randint(1, 9), "state": "ok"} for i in range(1500)]
    items[901]["state"] = "oversold"
    return Case(
        "curl -s api/stock",
        0,
        json.dumps({"total": 1500, "items": items}),
        ['"total": 1500', ["901", "oversold"]],
    )


@case
def rebase(r: random.Random) -> Case:
    lines = [f"Rebasing ({i}/60)" for i in range(1, 42)]
    lines += [
        "Auto-merging src/ledger/post.py",
        "CONFLICT (content): Merge conflict in src/ledger/post.py",
        "error: could not apply 8a01fe2... round half to even",
        "hint: Resolve all conflicts manually, mark them as resolved with",
        'hint: "git add/rm <conflicted_files>", then run "git rebase --continue".',
        "Could not apply 8a01fe2... round half to even",
    ]
    return Case(
        "git rebase main",
        1,
        "\r".join(lines[:41]) + "\n" + "\n".join(lines[41:]),
        ["CONFLICT (content): Merge conflict in src/ledger/post.py", "could not apply 8a01fe2"],
    )


@case
def xcodebuild(r: random.Random) -> Case:
    lines = []
    for i in range(140):
        lines += [
            f"CompileSwift normal arm64 /Users/dev/App/{_words(r, 1).title()}{i}.swift (in target 'App' from project 'App')",
            "    cd /Users/dev/App",
            f"    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/swift-frontend -c -primary-file {i}.swift",
            "",
        ]
    lines += [
        "/Users/dev/App/Checkout.swift:52:21: error: value of optional type 'Cart?' must be unwrapped to refer to member 'total' of wrapped base type 'Cart'",
        "        let sum = cart.total",
        "                    ^",
        "** BUILD FAILED **",
        "",
        "The following build commands failed:",
        "\tCompileSwift normal arm64 /Users/dev/App/Checkout.swift (in target 'App' from project 'App')",
        "(1 failure)",
    ]
    return Case(
        "xcodebuild",
        65,
        "\n".join(lines),
        [
            "Checkout.swift:52:21",
            "must be unwrapped to refer to member 'total'",
            "** BUILD FAILED **",
            "(1 failure)",
        ],
    )


@case
def pip_resolver(r: random.Random) -> Case:
    lines = []
    for i in range(220):
        lines += [
            f"Collecting {_words(r, 1)}{i}>={r.randint(1, 9)}.0",
            f"  Using cached {_words(r, 1)}{i}-{r.randint(1, 9)}.{i}-py3-none-any.whl (64 kB)",
        ]
    lines += [
        "INFO: pip is looking at multiple versions of ledgerkit to determine which version is compatible with other requirements. This could take a while.",
        "ERROR: Cannot install ledgerkit==2.0 and taxlib<3 because these package versions have conflicting dependencies.",
        "",
        "The conflict is caused by:",
        "    The user requested taxlib<3",
        "    ledgerkit 2.0 depends on taxlib>=3.1",
        "",
        "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/",
    ]
    return Case(
        "pip install -r req.txt",
        1,
        "\n".join(lines),
        [
            "Cannot install ledgerkit==2.0 and taxlib<3",
            "ledgerkit 2.0 depends on taxlib>=3.1",
            "The user requested taxlib<3",
            "ResolutionImpossible",
        ],
    )


@case
def pylint(r: random.Random) -> Case:
    rules = [
        ("C0114", "missing-module-docstring", "Missing module docstring"),
        ("W0611", "unused-import", "Unused import os"),
        ("C0103", "invalid-name", 'Variable name "x" doesn\'t conform to snake_case naming style'),
        ("R0913", "too-many-arguments", "Too many arguments (8/5)"),
    ]
    lines = []
    for m in range(60):
        lines.append(f"************* Module shop.m{m}")
        for _ in range(r.randint(2, 7)):
            code, name, text = r.choice(rules)
            lines.append(f"shop/m{m}.py:{r.randint(1, 300)}:{r.randint(0, 20)}: {code}: {text} ({name})")
    lines.insert(150, "shop/m29.py:77:8: E1101: Instance of 'Cart' has no 'totl' member (no-member)")
    lines += ["", "-" * 60, "Your code has been rated at 7.31/10 (previous run: 7.90/10, -0.59)"]
    return Case(
        "pylint shop",
        30,
        "\n".join(lines),
        [["shop/m29.py:77:8", "E1101", "no 'totl' member"], "C0114", "W0611", "C0103", "R0913", "7.31/10"],
    )


@case
def rsync(r: random.Random) -> Case:
    lines = ["sending incremental file list"] + [
        f"media/{_words(r, 1)}/{_words(r, 2)}_{i}.jpg" for i in range(1200)
    ]
    lines.insert(
        700,
        'rsync: [sender] send_files failed to open "/srv/media/private/ledger.db": Permission denied (13)',
    )
    lines += [
        "",
        "sent 88,120,331 bytes  received 21,004 bytes  1,204,100.10 bytes/sec",
        "total size is 91,002,118  speedup is 1.03",
        "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]",
    ]
    return Case(
        "rsync -av media/ backup:/media/",
        23,
        "\n".join(lines),
        [
            '/srv/media/private/ledger.db": Permission denied (13)',
            "some files/attrs were not transferred",
            "code 23",
        ],
    )


def build() -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of each output."""
    for name, make in CASES.items():
        yield name, make(random.Random(name))


def write(folder: Path) -> None:
    """Write the cases as a corpus of the script that scores compressors."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {}
    for name, made in build():
        (folder / f"{name}.txt").write_text(made.text, encoding="utf-8")
        facts[name] = {
            "file": f"{name}.txt",
            "command": made.command,
            "exit_code": made.exit_code,
            "must": made.must,
            "nice": [],
            "tags": [],
            "tokens": len(made.text) // 3,
        }
    (folder / "facts.json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
