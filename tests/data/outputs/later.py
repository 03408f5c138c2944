# ruff: noqa: E501 (lines of tools are as long as they are)
"""Make outputs of further tools with the facts that must survive and those that are nice to have: seeded."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

Fact = str | list[str] | dict[str, list[str]]


class Case(NamedTuple):
    """An output, how it came about, what of it must be kept, and what should be."""

    command: str
    exit_code: int
    text: str
    must: list[Fact]
    nice: list[Fact]


Make = Callable[[random.Random], Case]
CASES: dict[str, Make] = {}
NOUNS = """account address alarm archive badge basket batch billing bucket cache calendar campaign carrier catalog channel
checkout claim client cluster coupon courier cursor dealer delivery depot device digest discount domain driver engine
event export feed filter fleet folder gateway grant group handler import index invoice item job journal keyring label
layout ledger lesson locale locker mailer manifest market member merchant meter metric mirror module notice offer order
outbox owner packet parcel partner payment permit planner player policy portal pricing printer profile project quota
quote reader receipt record refund region release report request resolver review role route rule schema search seat
section seller sensor session shelf shipment signal sketch socket source stock store stream survey tariff tenant ticket
timer token topic tracker trade unit update upload vault vendor voucher wallet warehouse webhook widget window worker""".split()
VERBS = "accepts adds applies builds clears closes counts creates drops emits expires finds formats groups joins keeps lists loads maps merges moves opens parses picks prints pulls queues reads renames renders resets rounds saves sends shows sorts splits starts stores strips sums syncs trims unpacks writes".split()
ENDS = "once|in order|for a guest|without a locale|under load|with unicode|twice in a row|at midnight|for every tenant|from a file|on the last page|after a restart|with an empty list|by default|as json|before lunch|over http|in utc|across regions|when idle".split("|")


def case(make: Make) -> Make:
    """Register a maker under its name."""
    CASES[make.__name__] = make
    return make


def noun(r: random.Random) -> str:
    return r.choice(NOUNS)


def camel(r: random.Random) -> str:
    return noun(r).title() + noun(r).title()


def snake(r: random.Random, n: int = 2) -> str:
    return "_".join(noun(r) for _ in range(n))


def title(r: random.Random) -> str:
    return f"{r.choice(VERBS)} {noun(r)} {r.choice(ENDS)}"


def hexes(r: random.Random, n: int) -> str:
    return "".join(r.choice("0123456789abcdef") for _ in range(n))


def clock(second: float, day: str = "2026-03-14") -> str:
    whole = int(second)
    return f"{day}T{whole // 3600 % 24:02}:{whole // 60 % 60:02}:{whole % 60:02}.{int(second * 1000) % 1000:03}Z"


@case
def swift_build(r: random.Random) -> Case:
    lines = ["Building for debugging..."] + [f"[{i}/412] Compiling {camel(r)} {camel(r)}.swift" for i in range(1, 300)]
    lines += [
        "/Users/ci/app/Sources/Billing/TaxTable.swift:48:23: error: cannot convert value of type 'Decimal' to expected argument type 'Double'",
        "        return rounded(rate.percent, scale: 2)",
        "                       ~~~~~^~~~~~~",
        "/Users/ci/app/Sources/Billing/Receipt.swift:112:9: warning: variable 'total' was never mutated; consider changing to 'let' constant",
        "        var total = sum(lines)",
        "        ~~~ ^",
        "/Users/ci/app/Sources/Billing/Receipt.swift:130:17: error: missing return in instance method expected to return 'Receipt?'",
        "    }", "    ^",
    ]
    lines += [f"[{i}/412] Compiling {camel(r)} {camel(r)}.swift" for i in range(300, 380)]
    lines += ["error: fatalError", "error: emit-module command failed with exit code 1 (use -v to see invocation)"]
    return Case("swift build", 1, "\n".join(lines),
                [["TaxTable.swift:48:23", "cannot convert value of type 'Decimal' to expected argument type 'Double'"], ["Receipt.swift:130:17", "missing return in instance method"], "emit-module command failed with exit code 1"],
                ["variable 'total' was never mutated", "return rounded(rate.percent, scale: 2)"])


@case
def dotnet_test(r: random.Random) -> Case:
    lines = ["  Determining projects to restore...", "  All projects are up-to-date for restore.", "  Shop.Core -> /src/bin/Debug/net8.0/Shop.Core.dll",
             "/src/Shop.Core/Coupons.cs(31,17): warning CS8602: Dereference of a possibly null reference. [/src/Shop.Core/Shop.Core.csproj]",
             "Test run for /src/bin/Debug/net8.0/Shop.Tests.dll (.NETCoreApp,Version=v8.0)", "Starting test execution, please wait...", "A total of 1 test files matched the specified pattern."]
    for i in range(900):
        lines.append(f"  Passed Shop.Tests.{camel(r)}Tests.{''.join(w.title() for w in title(r).split())}_{i} [{r.randint(1, 90)} ms]")
        if i in (311, 640):
            name = ("CouponTests.ExpiresAtMidnightUtc", "LedgerTests.SumsToZero")[i == 640]
            why = ("Assert.Equal() Failure: Values differ", "System.InvalidOperationException : Sequence contains no elements")[i == 640]
            lines += [f"  Failed Shop.Tests.{name} [41 ms]", "  Error Message:", f"   {why}"]
            lines += ["Expected: 2026-03-14T00:00:00", "Actual:   2026-03-13T23:00:00"] if i == 311 else []
            lines += ["  Stack Trace:", f"     at Shop.Tests.{name}() in /src/Shop.Tests/{name.split('.')[0]}.cs:line {88 if i == 311 else 143}"]
    lines += ["", "Failed!  - Failed:     2, Passed:   900, Skipped:     0, Total:   902, Duration: 14 s - Shop.Tests.dll (net8.0)"]
    return Case("dotnet test", 1, "\n".join(lines),
                [["CouponTests.ExpiresAtMidnightUtc", "Expected: 2026-03-14T00:00:00", "Actual: 2026-03-13T23:00:00"], ["LedgerTests.SumsToZero", "Sequence contains no elements"], "CouponTests.cs:line 88", "LedgerTests.cs:line 143", ["Failed: 2", "Passed: 900"]],
                ["CS8602", "Coupons.cs(31,17)", "Total: 902"])


@case
def cypress(r: random.Random) -> Case:
    lines = ["====================================================================================================", "", "  (Run Starting)", "",
             "  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐", "  │ Cypress:        13.6.2                                                                         │", "  │ Browser:        Electron 114 (headless)                                                        │", "  └────────────────────────────────────────────────────────────────────────────────────────────────┘"]
    for spec in range(30):
        lines += ["", f"  Running:  {noun(r)}-{spec}.cy.ts    ({spec + 1} of 30)", ""] + [f"    ✓ {title(r)} ({r.randint(90, 4000)}ms)" for _ in range(9)]
        if spec == 17:
            lines[-10] = "  Running:  checkout-17.cy.ts    (18 of 30)"
            lines += ["    1) shows the new total", "", "  9 passing (12s)", "  1 failing", "", "  1) checkout", "       shows the new total:",
                      "     AssertionError: Timed out retrying after 4000ms: expected '<span.total>' to have text '€ 41.20', but the text was '€ 0.00'",
                      "      at Context.eval (webpack://shop/./cypress/e2e/checkout-17.cy.ts:52:30)"]
        else:
            lines += ["", f"  9 passing ({r.randint(2, 40)}s)"]
    lines += ["", "  (Run Finished)", "", "    ✖  1 of 30 failed (3%)                     05:11      280      279        1        -        -  "]
    return Case("npx cypress run", 1, "\n".join(lines),
                [["shows the new total", "to have text '€ 41.20', but the text was '€ 0.00'"], "checkout-17.cy.ts:52:30", "1 of 30 failed"],
                ["Running: checkout-17.cy.ts", "280"])


@case
def kubectl_describe(r: random.Random) -> Case:
    lines = ["Name:             ledger-writer-5c9f6d7b8-x2l9q", "Namespace:        billing", "Priority:         0", "Service Account:  ledger-writer", "Node:             ip-10-2-31-7.eu-central-1.compute.internal/10.2.31.7", "Status:           Running", "IP:               10.2.44.18", "Containers:", "  ledger-writer:", "    Image:          registry.corp/ledger-writer:2.14.1", "    Port:           8080/TCP", "    State:          Waiting", "      Reason:       CrashLoopBackOff", "    Last State:     Terminated", "      Reason:       OOMKilled", "      Exit Code:    137", "      Started:      Sat, 14 Mar 2026 10:01:12 +0100", "    Ready:          False", "    Restart Count:  41", "    Limits:", "      cpu:     500m", "      memory:  256Mi", "    Environment:"]
    lines += [f"      {snake(r).upper()}:{'':4}{r.choice(['true', noun(r), str(r.randint(1, 9999))])}" for _ in range(120)]
    lines += ["    Mounts:"] + [f"      /etc/{noun(r)}/{noun(r)} from {noun(r)}-config (ro)" for _ in range(30)] + ["Conditions:", "  Type              Status", "  Initialized       True", "  Ready             False", "  ContainersReady   False", "  PodScheduled      True", "Volumes:"]
    for _ in range(25):
        lines += [f"  {noun(r)}-config:", "    Type:      ConfigMap (a volume populated by a ConfigMap)", f"    Name:      {noun(r)}-{hexes(r, 6)}", "    Optional:  false"]
    lines += ["Events:", "  Type     Reason     Age                   From     Message", "  ----     ------     ----                  ----     -------", "  Normal   Pulled     12m (x38 over 3h)     kubelet  Container image already present on machine", "  Warning  BackOff    2m31s (x781 over 3h)  kubelet  Back-off restarting failed container ledger-writer in pod ledger-writer-5c9f6d7b8-x2l9q"]
    return Case("kubectl describe pod ledger-writer-5c9f6d7b8-x2l9q", 0, "\n".join(lines),
                ["CrashLoopBackOff", ["OOMKilled", "Exit Code: 137"], "Restart Count: 41", "Back-off restarting failed container", "ledger-writer-5c9f6d7b8-x2l9q"],
                ["memory: 256Mi", "ContainersReady False", "registry.corp/ledger-writer:2.14.1"])


@case
def compose_logs(r: random.Random) -> Case:
    names = ["api-1      ", "worker-1   ", "db-1       ", "redis-1    ", "web-1      "]
    lines = []
    for i in range(4000):
        who = r.choice(names)
        what = {"d": f"LOG:  checkpoint complete: wrote {r.randint(2, 900)} buffers ({r.random():.1f}%)", "r": f"1:M 14 Mar 2026 10:{i // 60 % 60:02}:{i % 60:02} * Background saving terminated with success", "a": f'10.0.0.{r.randint(2, 90)} - "GET /v1/{noun(r)}/{r.randint(1, 9999)} HTTP/1.1" 200 OK', "w": f"[{clock(i)}] INFO task {snake(r)}[{hexes(r, 8)}] succeeded in {r.random():.3f}s", "n": f'GET /static/{noun(r)}.js 304 {r.randint(1, 40)}ms'}[who[0] if not who.startswith("web") else "n"]
        lines.append(f"{who}| {what}")
    lines[1723:1723] = ["db-1       | ERROR:  duplicate key value violates unique constraint \"payments_intent_key\"", "db-1       | DETAIL:  Key (intent)=(pi_77Qx) already exists.", "worker-1   | [2026-03-14T10:28:43.000Z] ERROR task capture_payment[9f31aa02] raised IntegrityError: pi_77Qx"]
    lines[3100] = "redis-1    | 1:M 14 Mar 2026 10:51:40 # OOM command not allowed when used memory > 'maxmemory'."
    return Case("docker compose logs", 0, "\n".join(lines),
                [["payments_intent_key", "duplicate key value violates unique constraint"], "Key (intent)=(pi_77Qx) already exists", "OOM command not allowed when used memory > 'maxmemory'"],
                ["capture_payment[9f31aa02] raised IntegrityError", "checkpoint complete"])


@case
def dmesg(r: random.Random) -> Case:
    lines = []
    for i in range(2600):
        lines.append(f"[{i * 3.7:12.6f}] " + r.choice([f"usb {r.randint(1, 4)}-{r.randint(1, 9)}: new high-speed USB device number {r.randint(2, 120)} using xhci_hcd", f"audit: type=1400 audit({r.randint(10**9, 2 * 10**9)}.{i % 999}:{i}): apparmor=\"STATUS\" operation=\"profile_load\" name=\"{noun(r)}\"", f"eth0: renamed from veth{hexes(r, 7)}", f"br-{hexes(r, 12)}: port {r.randint(1, 9)}(veth{hexes(r, 7)}) entered forwarding state", f"pcieport 0000:00:1c.{r.randint(0, 7)}: bridge window [mem 0x{hexes(r, 8)}-0x{hexes(r, 8)}]", f"systemd[1]: Starting {camel(r)} service..."]))
    lines[900:900] = ["[ 3333.120001] nvme0n1: I/O Cmd(0x2) @ LBA 210453392, 8 blocks, I/O Error (sct 0x2 / sc 0x81) MORE DNR", "[ 3333.120040] critical medium error, dev nvme0n1, sector 210453392 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2"]
    lines[2000:2000] = ["[ 7400.000112] postgres invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0", "[ 7400.000340] Out of memory: Killed process 4127 (postgres) total-vm:9912340kB, anon-rss:7712044kB, file-rss:0kB, shmem-rss:120kB, UID:999"]
    return Case("dmesg", 0, "\n".join(lines), [["critical medium error", "nvme0n1", "sector 210453392"], ["Out of memory: Killed process 4127", "postgres"]], ["postgres invoked oom-killer", "anon-rss:7712044kB", "LBA 210453392"])


@case
def apt_unmet(r: random.Random) -> Case:
    lines = ["Reading package lists... Done", "Building dependency tree... Done", "Reading state information... Done", "Some packages could not be installed. This may mean that you have", "requested an impossible situation or if you are using the unstable", "distribution that some required packages have not yet been created", "or been moved out of Incoming.", "The following information may help to resolve the situation:", "", "The following packages have unmet dependencies:", " libcurl4-openssl-dev : Depends: libcurl4 (= 7.88.1-10+deb12u4) but 7.88.1-10+deb12u5 is to be installed", "E: Unable to correct problems, you have held broken packages."]
    return Case("apt-get install libcurl4-openssl-dev", 100, "\n".join(lines), [["libcurl4-openssl-dev : Depends: libcurl4 (= 7.88.1-10+deb12u4)", "7.88.1-10+deb12u5 is to be installed"], "E: Unable to correct problems, you have held broken packages"], ["The following packages have unmet dependencies"])


@case
def poetry(r: random.Random) -> Case:
    lines = ["Updating dependencies", "Resolving dependencies..."]
    for i in range(700):
        lines.append(r.choice([f"   1: fact: {noun(r)}-{noun(r)} is {r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)}", f"   1: derived: {noun(r)}-{noun(r)} (>={r.randint(0, 9)}.{r.randint(0, 20)})", f"   1: selecting {noun(r)}-{noun(r)} ({r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 9)})", f"Source (PyPI): {r.randint(1, 70)} packages found for {noun(r)} >={r.randint(0, 5)}.0"]))
    lines += ["   1: Version solving took 12.481 seconds.", "", "Because shop-api (0.4.0) depends on pydantic (>=2.5,<3.0)", " and legacy-forms (1.9.2) depends on pydantic (<2), shop-api is incompatible with legacy-forms.", "So, because portal depends on both legacy-forms (1.9.2) and shop-api (^0.4), version solving failed."]
    return Case("poetry update -vvv", 1, "\n".join(lines), ["shop-api (0.4.0) depends on pydantic (>=2.5,<3.0)", "legacy-forms (1.9.2) depends on pydantic (<2)", "version solving failed"], ["portal depends on both legacy-forms (1.9.2) and shop-api (^0.4)", "12.481 seconds"])


@case
def pnpm(r: random.Random) -> Case:
    lines = ["Scope: all 12 workspace projects", "Lockfile is up to date, resolution step is skipped"] + [f"Progress: resolved {i * 4}, reused {i * 3}, downloaded {i}, added {i * 2}" for i in range(240)]
    lines += [" WARN  deprecated rimraf@3.0.2: Rimraf versions prior to v4 are no longer supported", ".../node_modules/sharp install$ node install/check", ".../node_modules/sharp install: sharp: Installation error: Invalid Version: undefined", ".../node_modules/sharp install: Failed", " ELIFECYCLE  Command failed with exit code 1."]
    return Case("pnpm install", 1, "\n".join(lines), [["sharp", "Installation error: Invalid Version: undefined"], "ELIFECYCLE", "Command failed with exit code 1"], ["deprecated rimraf@3.0.2", "all 12 workspace projects"])


@case
def cargo_audit(r: random.Random) -> Case:
    lines = ["    Fetching advisory database from `https://github.com/RustSec/advisory-db.git`", "      Loaded 612 security advisories (from /usr/local/cargo/advisory-db)", "    Updating crates.io index", "    Scanning Cargo.lock for vulnerabilities (341 crate dependencies)"]
    found = [("RUSTSEC-2026-0021", "tarpipe", "0.4.12", "Path traversal when unpacking links", "9.1 (critical)"), ("RUSTSEC-2025-0113", "hyperline", "0.14.2", "Request smuggling through bare CR", "7.5 (high)"), ("RUSTSEC-2025-0042", "chronolite", "0.2.1", "Segfault in localtime_r invocations", "5.9 (medium)")]
    for key, crate, version, what, level in found:
        lines += [f"Crate:     {crate}", f"Version:   {version}", f"Title:     {what}", f"Date:      2026-0{r.randint(1, 9)}-11", f"ID:        {key}", f"URL:       https://rustsec.org/advisories/{key}", f"Severity:  {level}", f"Solution:  Upgrade to >={version[:-1]}9", "Dependency tree:", f"{crate} {version}"]
        lines += [f"{'    ' * (d % 6)}{'└── ' if d % 2 else '├── '}{noun(r)}-{noun(r)} {r.randint(0, 4)}.{r.randint(0, 30)}.{r.randint(0, 9)}" for d in range(60)] + [""]
    lines += ["error: 3 vulnerabilities found!"]
    return Case("cargo audit", 1, "\n".join(lines), [[key, crate] for key, crate, *_ in found] + ["error: 3 vulnerabilities found!"], ["Path traversal when unpacking links", "9.1 (critical)", "341 crate dependencies", "Request smuggling through bare CR"])


@case
def stylelint(r: random.Random) -> Case:
    rules = ["color-hex-length", "declaration-block-no-redundant-longhand-properties", "selector-class-pattern", "no-descending-specificity", "property-no-vendor-prefix", "alpha-value-notation"]
    lines, n = [], 0
    for _ in range(120):
        lines += ["", f"src/styles/{noun(r)}/{noun(r)}.scss"]
        for _ in range(r.randint(1, 9)):
            rule = r.choice(rules); n += 1
            lines.append(f" {r.randint(1, 400):3}:{r.randint(1, 60)}  ✖  Expected {noun(r)} to be {noun(r)}  {rule}")
    lines[400:400] = ["", "src/styles/print/receipt.scss", "  88:1  ✖  Unclosed block  CssSyntaxError"]
    lines += ["", f"✖ {n + 1} problems ({n + 1} errors, 0 warnings)", f"  {n // 2} errors potentially fixable with the \"--fix\" option."]
    return Case("npx stylelint 'src/**/*.scss'", 2, "\n".join(lines), [["receipt.scss", "88:1", "Unclosed block"], f"{n + 1} problems", *rules], [f"{n // 2} errors potentially fixable"])


@case
def flake8(r: random.Random) -> Case:
    codes = {"E501": "line too long (124 > 100 characters)", "W291": "trailing whitespace", "F401": "'os' imported but unused", "E302": "expected 2 blank lines, found 1", "C901": "'build' is too complex (14)", "N806": "variable 'Total' in function should be lowercase"}
    lines = [f"app/{noun(r)}/{snake(r)}.py:{r.randint(1, 900)}:{r.randint(1, 100)}: {k} {codes[k]}" for k in r.choices(list(codes), weights=[60, 20, 20, 10, 3, 2], k=1500)]
    lines[811] = "app/pricing/vat_rules.py:77:14: F821 undefined name 'regoin'"
    lines[1204] = "app/pricing/migrate.py:3:9: E999 SyntaxError: invalid syntax. Perhaps you forgot a comma?"
    lines += [str(1500)]
    return Case("flake8 app --count", 1, "\n".join(lines), [["vat_rules.py:77:14", "undefined name 'regoin'"], ["migrate.py:3:9", "E999 SyntaxError"], *codes, "1500"], ["'build' is too complex (14)"])


@case
def sqlfluff(r: random.Random) -> Case:
    lines = []
    for i in range(150):
        lines.append(f"== [models/{noun(r)}/{snake(r)}.sql] FAIL")
        lines += [f"L: {r.randint(1, 200):3} | P: {r.randint(1, 80):3} | {k}" for k in r.choices(["LT01 | Expected only single space before naked identifier. [layout.spacing]", "CP01 | Keywords must be consistently upper case. [capitalisation.keywords]", "LT05 | Line is too long (96 > 80 characters). [layout.long_lines]", "AL03 | Column expression without alias. Use explicit `AS` clause. [aliasing.expression]"], k=r.randint(1, 8))]
        if i == 77:
            lines += ["== [models/mart/fct_margin.sql] FAIL", "L:  31 | P:   9 |  PRS | Line 31, Position 9: Found unparsable section: 'QUALIFY row_number('"]
    lines += ["All Finished 📜 🎉!"]
    return Case("sqlfluff lint models", 1, "\n".join(lines), [["fct_margin.sql", "PRS", "Found unparsable section: 'QUALIFY row_number('"], "LT01", "CP01", "LT05", "AL03"], ["All Finished", "L: 31 | P: 9"])


@case
def mysql_import(r: random.Random) -> Case:
    lines = []
    for i in range(1400):
        lines += [f"Query OK, {r.randint(1, 4000)} rows affected ({r.random():.2f} sec)", f"Records: {r.randint(1, 4000)}  Duplicates: 0  Warnings: 0"]
    lines[1533] = "Records: 3120  Duplicates: 44  Warnings: 44"
    lines += ["ERROR 1062 (23000) at line 88123: Duplicate entry 'eu-4471' for key 'orders.uq_region_ref'"]
    return Case("mysql shop < dump.sql", 1, "\n".join(lines), ["ERROR 1062 (23000) at line 88123", "Duplicate entry 'eu-4471' for key 'orders.uq_region_ref'"], ["Duplicates: 44 Warnings: 44"])


@case
def curl_tls(r: random.Random) -> Case:
    lines = ["*   Trying 10.9.8.7:443...", "* Connected to api.internal (10.9.8.7) port 443 (#0)", "* ALPN: offers h2,http/1.1", "* TLSv1.3 (OUT), TLS handshake, Client hello (1):", "*  CAfile: /etc/ssl/certs/ca-certificates.crt", "*  CApath: /etc/ssl/certs", "* TLSv1.3 (IN), TLS handshake, Server hello (2):", "* TLSv1.3 (IN), TLS handshake, Certificate (11):", "* TLSv1.3 (OUT), TLS alert, certificate expired (557):", "* SSL certificate problem: certificate has expired", "* Closing connection 0", "curl: (60) SSL certificate problem: certificate has expired", "More details here: https://curl.se/docs/sslcerts.html"]
    return Case("curl -v https://api.internal/health", 60, "\n".join(lines), ["curl: (60) SSL certificate problem: certificate has expired"], ["api.internal (10.9.8.7) port 443"])


@case
def ssh_verbose(r: random.Random) -> Case:
    lines = ["OpenSSH_9.2p1 Debian-2+deb12u2, OpenSSL 3.0.11 19 Sep 2023", "debug1: Reading configuration data /etc/ssh/ssh_config"]
    for i in range(170):
        lines.append(r.choice([f"debug1: /etc/ssh/ssh_config line {i}: Applying options for *", f"debug2: KEX algorithms: {noun(r)}25519-sha256,{noun(r)}-hybrid@openssh.com", f"debug3: order_hostkeyalgs: prefer hostkeyalgs: ssh-{noun(r)}", f"debug3: receive packet: type {r.randint(1, 99)}", f"debug1: identity file /home/ci/.ssh/id_{noun(r)} type -1"]))
    lines += ["debug1: Authentications that can continue: publickey", "debug1: Offering public key: /home/ci/.ssh/id_deploy RSA SHA256:abc agent", "debug1: send_pubkey_test: no mutual signature algorithm", "debug1: No more authentication methods to try.", "deploy@bastion.corp: Permission denied (publickey)."]
    return Case("ssh -vvv deploy@bastion.corp", 255, "\n".join(lines), ["deploy@bastion.corp: Permission denied (publickey)", "no mutual signature algorithm"], ["Offering public key: /home/ci/.ssh/id_deploy RSA", "OpenSSH_9.2p1"])


@case
def git_push(r: random.Random) -> Case:
    lines = ["Enumerating objects: 4113, done.", "Counting objects: " + "\r".join(f"Counting objects: {p:3}% ({p * 41}/4113)" for p in range(101)) + ", done.", "Delta compression using up to 8 threads", "Compressing objects: 100% (1822/1822), done.", "Writing objects: " + "\r".join(f"Writing objects: {p:3}% ({p * 41}/4113), {p / 10:.2f} MiB | 3.10 MiB/s" for p in range(101)) + ", done.", "remote: Resolving deltas: 100% (901/901), done.", "remote: error: GH001: Large files detected. You may want to try Git Large File Storage", "remote: error: File assets/intro.mov is 212.44 MB; this exceeds the file size limit of 100.00 MB", "To github.com:corp/site.git", " ! [remote rejected] main -> main (pre-receive hook declined)", "error: failed to push some refs to 'github.com:corp/site.git'"]
    return Case("git push", 1, "\n".join(lines), [["assets/intro.mov", "212.44 MB"], "[remote rejected] main -> main (pre-receive hook declined)", "failed to push some refs"], ["GH001", "github.com:corp/site.git"])


@case
def gdb_bt(r: random.Random) -> Case:
    lines = ["GNU gdb (Debian 13.1-3) 13.1", "Reading symbols from ./server...", "[New LWP 4410]", "Core was generated by `./server --port 8080'.", "Program terminated with signal SIGSEGV, Segmentation fault.", "#0  0x000055d0a1b2c3d4 in pool_release (pool=0x0, slot=17) at src/pool.c:214", "214\t    pool->free[slot] = pool->head;"]
    for t in range(1, 48):
        lines += ["", f"Thread {t} (Thread 0x7f{hexes(r, 10)} (LWP {4400 + t})):"]
        where = ["#0  0x00007f%s in __futex_abstimed_wait_common64 () from /lib/x86_64-linux-gnu/libc.so.6" % hexes(r, 10), "#1  0x00007f%s in pthread_cond_wait () from /lib/x86_64-linux-gnu/libc.so.6" % hexes(r, 10), f"#2  0x{hexes(r, 12)} in {snake(r)}_loop (arg=0x{hexes(r, 8)}) at src/{noun(r)}.c:{r.randint(9, 900)}", "#3  0x00007f%s in start_thread () from /lib/x86_64-linux-gnu/libc.so.6" % hexes(r, 10)]
        if t == 31:
            where = ["#0  0x000055d0a1b2c3d4 in pool_release (pool=0x0, slot=17) at src/pool.c:214", "#1  0x000055d0a1b2d001 in conn_close (c=0x55d0a300) at src/conn.c:98", "#2  0x000055d0a1b2e77a in worker_main (arg=0x1f) at src/worker.c:41"]
        lines += where
    return Case("gdb -batch -ex 'thread apply all bt' server core", 0, "\n".join(lines), ["Program terminated with signal SIGSEGV, Segmentation fault", ["pool_release (pool=0x0, slot=17)", "src/pool.c:214"]], ["pool->free[slot] = pool->head;", "conn_close", "src/worker.c:41"])


@case
def tsan(r: random.Random) -> Case:
    lines = [f"[ RUN      ] Case{i}.{camel(r)}\n[       OK ] Case{i}.{camel(r)} ({r.randint(0, 90)} ms)" for i in range(300)]
    lines[140:140] = ["==================", "WARNING: ThreadSanitizer: data race (pid=2231)", "  Write of size 8 at 0x7b0400000880 by thread T2:", "    #0 Meter::tick() src/meter.cc:57:11 (meter_test+0xd2a31)", "    #1 std::__invoke_impl<void> /usr/include/c++/12/bits/invoke.h:61 (meter_test+0xd3)", "", "  Previous read of size 8 at 0x7b0400000880 by main thread:", "    #0 Meter::snapshot() const src/meter.cc:71:20 (meter_test+0xd2c00)", "", "SUMMARY: ThreadSanitizer: data race src/meter.cc:57:11 in Meter::tick()", "=================="]
    lines += ["[  PASSED  ] 300 tests.", "ThreadSanitizer: reported 1 warnings"]
    return Case("./meter_test", 66, "\n".join(lines), [["data race", "src/meter.cc:57:11", "Meter::tick()"], "reported 1 warnings", "src/meter.cc:71:20"], ["Write of size 8", "[ PASSED ] 300 tests"])


@case
def strace(r: random.Random) -> Case:
    lines = [f"{1000 + i % 7} {clock(i / 50)[11:-1]} " + r.choice([f'openat(AT_FDCWD, "/usr/lib/{noun(r)}/{noun(r)}.so", O_RDONLY|O_CLOEXEC) = {r.randint(3, 60)}', f'read({r.randint(3, 60)}, "\\177ELF\\2\\1\\1"..., 832) = 832', f"mmap(NULL, {r.randint(4, 900) * 4096}, PROT_READ, MAP_PRIVATE, {r.randint(3, 9)}, 0) = 0x7f{hexes(r, 10)}", f"close({r.randint(3, 60)}) = 0", f'stat("/etc/{noun(r)}.conf", 0x7ffd{hexes(r, 8)}) = -1 ENOENT (No such file or directory)', f"futex(0x{hexes(r, 12)}, FUTEX_WAIT_PRIVATE, 0, NULL) = 0"]) for i in range(5000)]
    lines[3217] = '1003 00:01:04.340 openat(AT_FDCWD, "/var/lib/ledger/lock", O_RDWR|O_CREAT, 0600) = -1 EACCES (Permission denied)'
    lines += ['1003 00:01:40.000 write(2, "fatal: lock\\n", 12) = 12', "1003 00:01:40.001 exit_group(3) = ?", "1003 00:01:40.002 +++ exited with 3 +++"]
    return Case("strace -f ./ledgerd", 3, "\n".join(lines), [["/var/lib/ledger/lock", "EACCES (Permission denied)"], "+++ exited with 3 +++"], ["fatal: lock"])


@case
def go_test(r: random.Random) -> Case:
    lines = []
    for p in range(40):
        for i in range(25):
            name = "Test" + camel(r)
            lines += [f"=== RUN   {name}", f"--- PASS: {name} (0.0{r.randint(0, 9)}s)"]
            if p == 22 and i == 11:
                lines += ["=== RUN   TestAllocate", "=== RUN   TestAllocate/two_tenants", "    quota_test.go:118: allocate(2): got 9 seats, want 7", "--- FAIL: TestAllocate (0.02s)", "    --- FAIL: TestAllocate/two_tenants (0.01s)"]
            if p == 31 and i == 3:
                lines += ["=== RUN   TestDrain", "panic: send on closed channel [recovered]", "\tpanic: send on closed channel", "", "goroutine 44 [running]:", "testing.tRunner.func1.2({0x5112e0, 0x5a1b90})", "\t/usr/local/go/src/testing/testing.go:1545 +0x238", "corp.io/shop/outbox.(*Queue).Drain(0xc000112000)", "\t/src/outbox/queue.go:77 +0x6c", "corp.io/shop/outbox.TestDrain(0xc0001049c0)", "\t/src/outbox/queue_test.go:31 +0x9d", "FAIL\tcorp.io/shop/outbox\t0.112s"]
        lines += ["FAIL", "FAIL\tcorp.io/shop/quota\t0.310s"] if p == 22 else [f"ok  \tcorp.io/shop/{noun(r)}{p}\t0.{r.randint(10, 999)}s"]
    lines += ["FAIL"]
    return Case("go test -v ./...", 1, "\n".join(lines), [["TestAllocate/two_tenants", "quota_test.go:118", "got 9 seats, want 7"], ["panic: send on closed channel", "/src/outbox/queue.go:77"], "corp.io/shop/quota", "corp.io/shop/outbox"], ["queue_test.go:31", "goroutine 44"])


@case
def golangci(r: random.Random) -> Case:
    lines = []
    for i in range(420):
        linter, text = r.choice([("errcheck", "Error return value of `w.Write` is not checked"), ("gosimple", "S1000: should use a simple channel send/receive instead of `select` with a single case"), ("unused", f"func `{noun(r)}{camel(r)}` is unused"), ("ineffassign", "ineffectual assignment to err"), ("revive", f"exported: exported method {camel(r)} should have comment or be unexported")])
        lines += [f"internal/{noun(r)}/{snake(r)}.go:{r.randint(5, 800)}:{r.randint(2, 40)}: {text} ({linter})", f"\t{noun(r)} := {noun(r)}.{noun(r).title()}({noun(r)})", "\t" + " " * r.randint(0, 30) + "^"]
        if i == 199:
            lines += ["internal/auth/verify.go:66:5: G402: TLS InsecureSkipVerify set true. (gosec)", "\t\tInsecureSkipVerify: true,", "\t\t^"]
    return Case("golangci-lint run", 1, "\n".join(lines), [["internal/auth/verify.go:66:5", "G402: TLS InsecureSkipVerify set true"], "errcheck", "S1000", "ineffassign", "revive"], ["InsecureSkipVerify: true,", "ineffectual assignment to err"])


@case
def sbt(r: random.Random) -> Case:
    lines = ["[info] welcome to sbt 1.9.7 (Eclipse Adoptium Java 17.0.9)", "[info] loading settings for project root from build.sbt ..."] + [f"[info] compiling {r.randint(1, 90)} Scala sources to /src/modules/{noun(r)}/target/scala-2.13/classes ..." for _ in range(140)]
    lines += ["[warn] /src/modules/feed/src/main/scala/Feed.scala:19:7: match may not be exhaustive.", "[warn] It would fail on the following input: Expired(_)", "[warn]   state match {", "[warn]   ^", "[error] /src/modules/feed/src/main/scala/Merge.scala:40:31: type mismatch;", "[error]  found   : Option[Seq[feed.Entry]]", "[error]  required: Seq[feed.Entry]", "[error]     val merged = combine(cached.get(key), fresh)", "[error]                               ^", "[warn] one warning found", "[error] one error found", "[error] (feed / Compile / compileIncremental) Compilation failed", "[error] Total time: 48 s, completed 14 Mar 2026, 10:11:12"]
    return Case("sbt compile", 1, "\n".join(lines), [["Merge.scala:40:31", "type mismatch", "found : Option[Seq[feed.Entry]]", "required: Seq[feed.Entry]"], "(feed / Compile / compileIncremental) Compilation failed", "one error found"], ["match may not be exhaustive", "Total time: 48 s", "combine(cached.get(key), fresh)"])


@case
def gradle_test(r: random.Random) -> Case:
    lines = [f"> Task :{noun(r)}:{t}{r.choice(['', ' UP-TO-DATE', ' NO-SOURCE', ' FROM-CACHE'])}" for _ in range(120) for t in ("compileJava", "processResources", "classes")]
    lines += ["> Task :fares:test"] + [f"{camel(r)}Test > {title(r)} PASSED" for _ in range(500)]
    lines[600:600] = ["FareTableTest > half fares round down() FAILED", "    org.opentest4j.AssertionFailedError: expected: <3.40> but was: <3.45>", "        at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)", "        at fares.FareTableTest.half_fares_round_down(FareTableTest.kt:61)"]
    lines += ["501 tests completed, 1 failed", "", "> Task :fares:test FAILED", "", "FAILURE: Build failed with an exception.", "", "* What went wrong:", "Execution failed for task ':fares:test'.", "> There were failing tests. See the report at: file:///src/fares/build/reports/tests/test/index.html", "", "* Try:", "> Run with --stacktrace option to get the stack trace.", "", "BUILD FAILED in 1m 12s", "362 actionable tasks: 41 executed, 321 up-to-date"]
    return Case("./gradlew test", 1, "\n".join(lines), [["FareTableTest > half fares round down() FAILED", "expected: <3.40> but was: <3.45>"], "FareTableTest.kt:61", "501 tests completed, 1 failed", "':fares:test'", "BUILD FAILED"], ["362 actionable tasks: 41 executed", "There were failing tests"])


@case
def mix_test(r: random.Random) -> Case:
    lines = ["Compiling 41 files (.ex)", "warning: variable \"opts\" is unused (if the variable is not meant to be used, prefix it with an underscore)", "  lib/shop/cart.ex:12: Shop.Cart.add/3", "", "Generated shop app"] + ["." * 80] * 9
    for i, (mod, what) in enumerate([("Shop.CartTest", "adds a gift twice"), ("Shop.TaxTest", "no tax in zone 4")], 1):
        lines += ["", f"  {i}) test {what} ({mod})", f"     test/shop/{mod.split('.')[1][:-4].lower()}_test.exs:{30 + i}", "     Assertion with == failed", f"     code:  assert total(cart) == {i * 20}", f"     left:  {i * 20 + 5}", f"     right: {i * 20}", "     stacktrace:", f"       test/shop/{mod.split('.')[1][:-4].lower()}_test.exs:{34 + i}: (test)"]
    lines += ["", "Finished in 3.1 seconds (1.2s async, 1.9s sync)", "722 tests, 2 failures", "", "Randomized with seed 40917"]
    return Case("mix test", 2, "\n".join(lines), [["test adds a gift twice", "left: 25", "right: 20"], ["test no tax in zone 4", "left: 45", "right: 40"], "722 tests, 2 failures", "tax_test.exs:36"], ["variable \"opts\" is unused", "seed 40917"])


@case
def r_check(r: random.Random) -> Case:
    lines = ["* using R version 4.3.2 (2023-10-31)", "* using platform: x86_64-pc-linux-gnu (64-bit)"] + [f"* checking {noun(r)} {noun(r)} {r.choice(['files', 'names', 'fields', 'links'])} ... OK" for _ in range(260)]
    lines[120:120] = ["* checking R code for possible problems ... NOTE", "fit_panel: no visible binding for global variable 'wave'", "Undefined global functions or variables:", "  wave"]
    lines += ["* checking tests ...", "  Running 'testthat.R'", " ERROR", "Running the tests in 'tests/testthat.R' failed.", "Last 13 lines of output:", "  ── Failure ('test-weights.R:22:3'): weights sum to one ──", "  sum(w) not equal to 1.", "  1/1 mismatches", "  [1] 0.98 - 1 == -0.02", "  [ FAIL 1 | WARN 0 | SKIP 2 | PASS 188 ]", "  Error: Test failures", "  Execution halted", "* DONE", "", "Status: 1 ERROR, 1 NOTE"]
    return Case("R CMD check pkg", 1, "\n".join(lines), [["test-weights.R:22:3", "weights sum to one", "sum(w) not equal to 1"], "FAIL 1 | WARN 0 | SKIP 2 | PASS 188", "Status: 1 ERROR, 1 NOTE"], ["no visible binding for global variable 'wave'", "0.98 - 1 == -0.02"])


@case
def julia_test(r: random.Random) -> Case:
    lines = ["     Testing Panels", "      Status `/tmp/jl_x/Project.toml`"] + [f"  [{hexes(r, 8)}] {camel(r)} v{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}" for _ in range(180)]
    lines += ["     Testing Running tests...", "grid weights: Test Failed at /pkg/test/grid.jl:41", "  Expression: w[end] ≈ 0.25", "   Evaluated: 0.3333333333333333 ≈ 0.25", "Stacktrace:", " [1] macro expansion", "   @ /usr/share/julia/stdlib/v1.9/Test/src/Test.jl:478 [inlined]", "Test Summary: | Pass  Fail  Total   Time", "Panels        |  311     1    312  18.2s", "  grid weights |   44     1     45   2.0s", "ERROR: LoadError: Some tests did not pass: 311 passed, 1 failed, 0 errored, 0 broken.", "in expression starting at /pkg/test/runtests.jl:4", "ERROR: Package Panels errored during testing"]
    return Case("julia --project -e 'using Pkg; Pkg.test()'", 1, "\n".join(lines), [["grid weights: Test Failed at /pkg/test/grid.jl:41", "w[end] ≈ 0.25"], "0.3333333333333333 ≈ 0.25", "311 passed, 1 failed"], ["Package Panels errored during testing"])


@case
def tox(r: random.Random) -> Case:
    lines = []
    for env in ("py310", "py311", "py312", "lint", "docs"):
        lines += [f"{env}: install_deps> python -I -m pip install -r requirements.txt"] + [f"  Collecting {noun(r)}-{noun(r)}\n    Downloading {noun(r)}-{r.randint(0, 9)}.{r.randint(0, 9)}-py3-none-any.whl ({r.randint(10, 900)} kB)" for _ in range(60)]
        lines += [f"{env}: commands[0]> pytest -q", "." * 72 + " [ 50%]", "." * 71 + ("F" if env == "py312" else ".") + " [100%]"]
        if env == "py312":
            lines += ["=================================== FAILURES ===================================", "______________________________ test_window_edge _______________________________", "    def test_window_edge():", ">       assert window(5).end == 5", "E       AttributeError: module 'datetime' has no attribute 'UTC'", "tests/test_window.py:19: AttributeError", "=========================== short test summary info ============================", "FAILED tests/test_window.py::test_window_edge - AttributeError: module 'datetime' has no attribute 'UTC'", "1 failed, 143 passed in 4.41s", "py312: exit 1 (5.01 seconds) /src> pytest -q pid=811"]
        else:
            lines += ["144 passed in 4.38s"]
    lines += ["  py310: OK (21.31=setup[14.1]+cmd[7.2] seconds)", "  py311: OK (20.02=setup[13.0]+cmd[7.0] seconds)", "  py312: FAIL code 1 (19.88=setup[14.8]+cmd[5.0] seconds)", "  lint: OK (11.02=setup[9.0]+cmd[2.0] seconds)", "  docs: OK (14.70=setup[9.2]+cmd[5.5] seconds)", "  evaluation failed :( (87.11 seconds)"]
    return Case("tox", 1, "\n".join(lines), [["tests/test_window.py::test_window_edge", "module 'datetime' has no attribute 'UTC'"], "py312: FAIL code 1", "1 failed, 143 passed", "evaluation failed"], ["tests/test_window.py:19", "assert window(5).end == 5", "py310: OK"])


@case
def terraform_apply(r: random.Random) -> Case:
    lines = [f"aws_{noun(r)}_{noun(r)}.{noun(r)}[{i}]: Refreshing state... [id={noun(r)}-{hexes(r, 12)}]" for i in range(600)]
    lines += [f"aws_{noun(r)}.{noun(r)}: Creation complete after {r.randint(1, 40)}s [id={hexes(r, 12)}]" for _ in range(40)]
    lines += ["╷", "│ Error: creating RDS DB Instance (ledger-prod): StorageQuotaExceeded: maximum storage 10000 GiB reached", "│ \tstatus code: 400, request id: 9f31aa02-7781", "│ ", "│   with aws_db_instance.ledger,", "│   on database.tf line 14, in resource \"aws_db_instance\" \"ledger\":", "│   14: resource \"aws_db_instance\" \"ledger\" {", "│ ", "╵"]
    return Case("terraform apply -auto-approve", 1, "\n".join(lines), ["creating RDS DB Instance (ledger-prod): StorageQuotaExceeded", "database.tf line 14", "aws_db_instance.ledger"], ["status code: 400", "Creation complete"])


@case
def clang_tidy(r: random.Random) -> Case:
    lines = []
    for i in range(260):
        path = f"/src/lib/{noun(r)}/{snake(r)}.cpp"
        check, text = r.choice([("readability-identifier-naming", f"invalid case style for variable '{noun(r)}'"), ("modernize-use-nullptr", "use nullptr"), ("performance-unnecessary-value-param", f"the parameter '{noun(r)}' is copied for each invocation"), ("cppcoreguidelines-init-variables", f"variable '{noun(r)}' is not initialized")])
        lines += [f"[{i}/260] clang-tidy -p=build {path}", f"{path}:{r.randint(4, 900)}:{r.randint(1, 60)}: warning: {text} [{check}]", f"    {noun(r)} {noun(r)} = {r.randint(0, 99)};", "    " + " " * r.randint(1, 20) + "^"]
    lines[500:500] = ["/src/lib/vault/seal.cpp:91:13: error: Use of memory after it is freed [clang-analyzer-cplusplus.NewDelete,-warnings-as-errors]", "    return key->bytes;", "           ^~~~~~~~~~", "/src/lib/vault/seal.cpp:84:9: note: Memory is released"]
    lines += ["41210 warnings generated.", "Suppressed 40950 warnings (40950 in non-user code).", "1 warning treated as error"]
    return Case("run-clang-tidy", 1, "\n".join(lines), [["seal.cpp:91:13", "Use of memory after it is freed"], "1 warning treated as error", "readability-identifier-naming", "modernize-use-nullptr", "performance-unnecessary-value-param", "cppcoreguidelines-init-variables"], ["seal.cpp:84:9", "Suppressed 40950 warnings", "return key->bytes;"])


@case
def ninja(r: random.Random) -> Case:
    lines = [f"[{i}/1800] Building CXX object lib/{noun(r)}/CMakeFiles/{noun(r)}.dir/{snake(r)}.cpp.o" for i in range(1, 1100)]
    lines += ["FAILED: lib/codec/CMakeFiles/codec.dir/huff_table.cpp.o", "/usr/bin/c++ -DNDEBUG -I/src/include -O2 -std=gnu++20 -MD -MT lib/codec/CMakeFiles/codec.dir/huff_table.cpp.o -o lib/codec/CMakeFiles/codec.dir/huff_table.cpp.o -c /src/lib/codec/huff_table.cpp", "/src/lib/codec/huff_table.cpp: In function ‘int build(const Spec&)’:", "/src/lib/codec/huff_table.cpp:203:20: error: ‘clamp’ is not a member of ‘std’", "  203 |     int n = std::clamp(len, 0, 15);", "      |                    ^~~~~", "/src/lib/codec/huff_table.cpp:5:1: note: ‘std::clamp’ is defined in header ‘<algorithm>’; did you forget to ‘#include <algorithm>’?"]
    lines += [f"[{i}/1800] Building CXX object lib/{noun(r)}/CMakeFiles/{noun(r)}.dir/{snake(r)}.cpp.o" for i in range(1100, 1108)] + ["ninja: build stopped: subcommand failed."]
    return Case("ninja -C build", 1, "\n".join(lines), [["huff_table.cpp:203:20", "‘clamp’ is not a member of ‘std’"], "FAILED: lib/codec/CMakeFiles/codec.dir/huff_table.cpp.o", "ninja: build stopped: subcommand failed"], ["did you forget to ‘#include <algorithm>’", "int n = std::clamp(len, 0, 15);"])


@case
def nextest(r: random.Random) -> Case:
    lines = ["    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.31s", "    Starting 640 tests across 18 binaries"] + [f"        PASS [   0.{r.randint(1, 999):03}s] shop-{noun(r)} {noun(r)}::tests::{snake(r, 3)}" for _ in range(640)]
    lines[333:333] = ["        FAIL [   0.041s] shop-tariff zones::tests::night_rate", "", "--- STDOUT:              shop-tariff zones::tests::night_rate ---", "running 1 test", "test zones::tests::night_rate ... FAILED", "--- STDERR:              shop-tariff zones::tests::night_rate ---", "thread 'zones::tests::night_rate' panicked at crates/tariff/src/zones.rs:88:9:", "assertion failed: rate.is_reduced()"]
    lines += ["------------", "     Summary [  12.114s] 641 tests run: 640 passed, 1 failed, 0 skipped", "        FAIL [   0.041s] shop-tariff zones::tests::night_rate", "error: test run failed"]
    return Case("cargo nextest run", 100, "\n".join(lines), ["shop-tariff zones::tests::night_rate", ["panicked at crates/tariff/src/zones.rs:88:9", "assertion failed: rate.is_reduced()"], "641 tests run: 640 passed, 1 failed"], ["18 binaries", "test run failed"])


@case
def docker_ps(r: random.Random) -> Case:
    lines = ["CONTAINER ID   IMAGE                          COMMAND                  CREATED       STATUS                     PORTS     NAMES"]
    lines += [f"{hexes(r, 12)}   registry.corp/{noun(r) + ':' + str(r.randint(1, 9)) + '.' + str(r.randint(0, 30)):<18} \"/bin/{noun(r)} --port…\"   {r.randint(2, 9)} days ago    Up {r.randint(2, 9)} days               8080/tcp  {noun(r)}-{noun(r)}-{i}" for i in range(160)]
    lines[97] = "4be1f00d77aa   registry.corp/ledger:3.19      \"/bin/ledger --port…\"   4 days ago    Restarting (1) 6 seconds ago             ledger-writer-96"
    return Case("docker ps", 0, "\n".join(lines), [["4be1f00d77aa", "Restarting (1) 6 seconds ago", "ledger-writer-96"], "CONTAINER ID"], ["registry.corp/ledger:3.19"])


@case
def df_h(r: random.Random) -> Case:
    lines = ["Filesystem                 Size  Used Avail Use% Mounted on"] + [f"/dev/mapper/vg0-{noun(r):<10} {r.randint(20, 900)}G   {r.randint(2, 19)}G  {r.randint(20, 800)}G  {r.randint(2, 70):2}% /srv/{noun(r)}/{i}" for i in range(120)]
    lines[71] = "/dev/mapper/vg0-queue       40G   40G     0  100% /var/lib/queue"
    return Case("df -h", 0, "\n".join(lines), [["100%", "/var/lib/queue"], "Filesystem"], ["/dev/mapper/vg0-queue"])


@case
def json_logs(r: random.Random) -> Case:
    lines = [json.dumps({"ts": clock(i / 7), "level": r.choice(["info", "info", "info", "debug"]), "logger": f"shop.{noun(r)}", "msg": title(r), "request_id": hexes(r, 12), "ms": r.randint(1, 900)}) for i in range(6000)]
    lines[2481] = json.dumps({"ts": clock(354.4), "level": "error", "logger": "shop.billing", "msg": "capture failed twice", "request_id": "77fe01aa2b3c", "exc": "StripeError: idempotency key reused"})
    lines[4410] = json.dumps({"ts": clock(630), "level": "warn", "logger": "shop.quota", "msg": "tenant 881 over its seat limit", "request_id": hexes(r, 12), "ms": 3})
    return Case("kubectl logs deploy/shop", 0, "\n".join(lines), [["capture failed twice", "77fe01aa2b3c", "StripeError: idempotency key reused"], "tenant 881 over its seat limit"], ["shop.billing", clock(354.4)])


@case
def csv_audit(r: random.Random) -> Case:
    lines = ["id,customer,sku,quantity,total,currency,state"] + [f"{100000 + i},{camel(r)},SKU-{r.randint(100, 999)},{r.randint(1, 9)},{r.randint(100, 99999) / 100},EUR,{r.choice(['paid', 'shipped', 'open'])}" for i in range(3500)]
    lines[2201] = "102200,NorthHarbor,SKU-417,-40,-3120.55,EUR,chargeback"
    return Case("cat orders.csv", 0, "\n".join(lines), ["id,customer,sku,quantity,total,currency,state", ["102200", "chargeback", "-3120.55"]], ["103499"])


@case
def find_denied(r: random.Random) -> Case:
    lines = [f"./data/{noun(r)}/{noun(r)}/{snake(r)}_{i}.parquet" for i in range(2500)]
    lines[1300:1300] = ["find: ‘./data/.secrets/keys’: Permission denied"]
    lines[2000:2000] = ["find: File system loop detected; ‘./data/latest/latest’ is part of the same file system loop as ‘./data/latest’."]
    return Case("find . -name '*.parquet'", 1, "\n".join(lines), ["‘./data/.secrets/keys’: Permission denied", "File system loop detected"], ["‘./data/latest/latest’", "./data/"])


@case
def pg_restore(r: random.Random) -> Case:
    lines = [f"pg_restore: {r.choice(['creating', 'processing data for'])} TABLE \"public.{snake(r)}\"" for _ in range(800)]
    lines[512:512] = ["pg_restore: while PROCESSING TOC:", "pg_restore: from TOC entry 4417; 1259 88102 INDEX ix_orders_ref shop", "pg_restore: error: could not execute query: ERROR:  could not create unique index \"ix_orders_ref\"", "DETAIL:  Key (ref)=(A-1009) is duplicated.", "Command was: CREATE UNIQUE INDEX ix_orders_ref ON public.orders USING btree (ref);"]
    lines += ["pg_restore: warning: errors ignored on restore: 1"]
    return Case("pg_restore -v -d shop shop.dump", 1, "\n".join(lines), ["could not create unique index \"ix_orders_ref\"", "Key (ref)=(A-1009) is duplicated", "errors ignored on restore: 1"], ["CREATE UNIQUE INDEX ix_orders_ref", "TOC entry 4417"])


@case
def webpack(r: random.Random) -> Case:
    lines = [f"asset {noun(r)}.{hexes(r, 20)}.js {r.randint(1, 900)} KiB [emitted] [immutable] [minimized] (id hint: vendors)" for _ in range(160)]
    lines += [f"  ./src/{noun(r)}/{camel(r)}.tsx {r.random() * 20:.2f} KiB [built] [code generated]" for _ in range(500)]
    lines += ["WARNING in asset size limit: The following asset(s) exceed the recommended size limit (244 KiB).", "ERROR in ./src/cart/CouponBox.tsx 4:0-52", "Module not found: Error: Can't resolve '../hooks/useCoupon' in '/src/src/cart'", " @ ./src/cart/CartPage.tsx 9:0-40 31:15-24", " @ ./src/index.tsx 3:0-44", "", "ERROR in ./src/theme.ts:12:5", "TS2322: Type 'number' is not assignable to type 'string'.", "  > 12 |     gap: 4,", "       |     ^^^", "", "webpack 5.89.0 compiled with 2 errors and 1 warning in 20411 ms"]
    return Case("npx webpack --mode production", 1, "\n".join(lines), [["./src/cart/CouponBox.tsx", "Can't resolve '../hooks/useCoupon'"], ["./src/theme.ts:12:5", "TS2322: Type 'number' is not assignable to type 'string'"], "compiled with 2 errors and 1 warning"], ["exceed the recommended size limit", "@ ./src/cart/CartPage.tsx"])


@case
def node_tap(r: random.Random) -> Case:
    lines = ["TAP version 13"]
    for i in range(1, 420):
        bad = i == 288
        name = "retries a refused webhook" if bad else title(r)
        lines += [f"# Subtest: {name}", f"{'not ok' if bad else 'ok'} {i} - {name}", "  ---", f"  duration_ms: {r.random() * 90:.4f}"]
        lines += ["  location: '/src/test/webhook.test.mjs:71:1'", "  failureType: 'testCodeFailure'", "  error: |-", "    Expected values to be strictly equal:", "    ", "    5 !== 3", "  code: 'ERR_ASSERTION'", "  expected: 3", "  actual: 5"] if bad else []
        lines += ["  ..."]
    lines += ["1..419", "# tests 419", "# pass 418", "# fail 1", "# cancelled 0", "# duration_ms 9112.4"]
    return Case("node --test", 1, "\n".join(lines), [["not ok 288 - retries a refused webhook", "5 !== 3"], "webhook.test.mjs:71:1", "# fail 1", "# pass 418"], ["expected: 3", "ERR_ASSERTION"])


@case
def robot(r: random.Random) -> Case:
    lines = ["=" * 78]
    for i in range(260):
        bad = i == 101
        lines += [f"{'Refund After Courier Loss' if bad else title(r).title():<69}| {'FAIL' if bad else 'PASS'} |"]
        lines += ["Element 'css:#refund-total' did not get text '12.00' in 10 seconds.", "-" * 78] if bad else ["-" * 78]
    lines += ["Shop.Suites                                                          | FAIL |", "260 tests, 259 passed, 1 failed", "=" * 78, "Output:  /src/results/output.xml"]
    return Case("robot suites", 1, "\n".join(lines), [["Refund After Courier Loss", "did not get text '12.00' in 10 seconds"], "260 tests, 259 passed, 1 failed"], ["css:#refund-total", "/src/results/output.xml"])


@case
def behave(r: random.Random) -> Case:
    lines = []
    for f in range(60):
        lines += [f"Feature: {title(r)} # features/{noun(r)}_{f}.feature:1", ""]
        for s in range(4):
            bad = (f, s) == (37, 2)
            lines += [f"  Scenario: {'A voucher is used up' if bad else title(r)} # features/{noun(r)}_{f}.feature:{9 + s * 7}"]
            lines += [f"    Given a {noun(r)} # features/steps/{noun(r)}.py:{r.randint(3, 99)} {r.random():.3f}s", f"    When the {noun(r)} {r.choice(VERBS)} # features/steps/{noun(r)}.py:{r.randint(3, 99)} {r.random():.3f}s"]
            lines += ["    Then the balance is 0 # features/steps/voucher.py:44 0.002s", "      Assertion Failed: balance is 7.50, expected 0", ""] if bad else [f"    Then the {noun(r)} is shown # features/steps/{noun(r)}.py:{r.randint(3, 99)} {r.random():.3f}s", ""]
    lines += ["Failing scenarios:", "  features/voucher_37.feature:23  A voucher is used up", "", "59 features passed, 1 failed, 0 skipped", "239 scenarios passed, 1 failed, 0 skipped", "719 steps passed, 1 failed, 0 skipped, 0 undefined", "Took 0m14.201s"]
    return Case("behave", 1, "\n".join(lines), [["A voucher is used up", "Assertion Failed: balance is 7.50, expected 0"], "239 scenarios passed, 1 failed", "features/voucher_37.feature:23"], ["59 features passed, 1 failed", "Took 0m14.201s", "Then the balance is 0"])


@case
def shellcheck(r: random.Random) -> Case:
    lines, codes = [], {"SC2086": ("info", "Double quote to prevent globbing and word splitting."), "SC2155": ("warning", "Declare and assign separately to avoid masking return values."), "SC2034": ("warning", "unused appears unused. Verify use (or export if used externally)."), "SC2164": ("warning", "Use 'cd ... || exit' in case cd fails.")}
    for k in r.choices(list(codes), k=200):
        lines += ["", f"In scripts/{noun(r)}/{snake(r)}.sh line {r.randint(2, 300)}:", f"  {noun(r)} ${noun(r)}", "  " + " " * r.randint(2, 10) + f"^-----^ {k} ({codes[k][0]}): {codes[k][1]}"]
    lines[400:400] = ["", "In scripts/deploy/purge.sh line 9:", "rm -rf \"$STAGE/\"*", "       ^-------^ SC2115 (warning): Use \"${var:?}\" to ensure this never expands to /* ."]
    return Case("shellcheck scripts/**/*.sh", 1, "\n".join(lines), [["scripts/deploy/purge.sh line 9", "SC2115", "never expands to /*"], *codes], ["rm -rf \"$STAGE/\"*", "Declare and assign separately"])


@case
def trivy(r: random.Random) -> Case:
    lines = ["2026-03-14T10:00:00.000Z\tINFO\tVulnerability scanning is enabled", "", "registry.corp/shop:4.1 (debian 12.4)", "====================================", "Total: 180 (UNKNOWN: 0, LOW: 121, MEDIUM: 50, HIGH: 8, CRITICAL: 1)", "", "┌──────────────┬────────────────┬──────────┬──────────────┬───────────────┬──────────────────────────┐", "│   Library    │ Vulnerability  │ Severity │    Status    │ Fixed Version │          Title           │", "├──────────────┼────────────────┼──────────┼──────────────┼───────────────┼──────────────────────────┤"]
    for i in range(170):
        level = r.choice(["LOW", "LOW", "MEDIUM"])
        lines += [f"│ lib{noun(r):<10} │ CVE-{r.randint(2011, 2025)}-{r.randint(1000, 49999):<6} │ {level:<8} │ affected     │               │ {noun(r)} {noun(r)} {noun(r)}", "│              │                │          │              │               │ https://avd.aquasec.com │"]
    lines[200:200] = ["│ zlibng1      │ CVE-2026-45853 │ CRITICAL │ will_not_fix │               │ heap overflow in zipOpen │", "│              │                │          │              │               │ https://avd.aquasec.com │"]
    lines += ["└──────────────┴────────────────┴──────────┴──────────────┴───────────────┴──────────────────────────┘"]
    return Case("trivy image registry.corp/shop:4.1", 0, "\n".join(lines), ["Total: 180 (UNKNOWN: 0, LOW: 121, MEDIUM: 50, HIGH: 8, CRITICAL: 1)", ["CVE-2026-45853", "CRITICAL", "zlibng1"]], ["heap overflow in zipOpen", "debian 12.4", "will_not_fix"])


@case
def rubocop(r: random.Random) -> Case:
    lines = ["Inspecting 212 files", "." * 190 + "CCWCE" + "." * 17, "", "Offenses:", ""]
    for i in range(180):
        cop = r.choice(["C: [Correctable] Style/StringLiterals: Prefer single-quoted strings when you don't need string interpolation", "C: Metrics/MethodLength: Method has too many lines. [31/10]", "W: Lint/UselessAssignment: Useless assignment to variable - result."])
        lines += [f"app/{noun(r)}s/{snake(r)}.rb:{r.randint(1, 300)}:{r.randint(1, 40)}: {cop}", f"    {noun(r)} = {noun(r)}.{noun(r)}", "    ^^^^^"]
    lines[300:300] = ["app/jobs/settle_job.rb:19:3: E: Lint/Syntax: unexpected token kEND", "  end", "  ^^^"]
    lines += ["", "212 files inspected, 181 offenses detected, 77 offenses autocorrectable"]
    return Case("rubocop", 1, "\n".join(lines), [["app/jobs/settle_job.rb:19:3", "Lint/Syntax: unexpected token kEND"], "181 offenses detected", "Style/StringLiterals", "Metrics/MethodLength", "Lint/UselessAssignment"], ["77 offenses autocorrectable", "212 files inspected"])


@case
def actions_log(r: random.Random) -> Case:
    lines = []
    for i in range(1500):
        lines.append(f"{clock(i / 3)} " + r.choice([f"##[group]Run {noun(r)}/{noun(r)}@v{r.randint(1, 4)}", "##[endgroup]", f"added {r.randint(1, 900)} packages in {r.randint(1, 90)}s", f"Cache hit for: {noun(r)}-{hexes(r, 16)}", f"[command]/usr/bin/git -c protocol.version=2 fetch {noun(r)}", f"   {camel(r)} {title(r)}", f"Downloading artifact {noun(r)} ({r.randint(1, 90)} MB)"]))
    lines[1180:1180] = [f"{clock(393)} src/api/quote.ts(88,11): error TS2339: Property 'fee' does not exist on type 'Quote'.", f"{clock(393)} ##[error]Process completed with exit code 2."]
    lines += [f"{clock(501)} Post job cleanup.", f"{clock(502)} Cleaning up orphan processes"]
    return Case("gh run view --log", 0, "\n".join(lines), [["src/api/quote.ts(88,11)", "TS2339: Property 'fee' does not exist on type 'Quote'"], "Process completed with exit code 2"], ["Cleaning up orphan processes"])


@case
def conda_solve(r: random.Random) -> Case:
    lines = ["Channels:", " - conda-forge", "Platform: linux-64", "Collecting package metadata (repodata.json): \\\b|\b/\b-\bdone", "Solving environment: \\\b|\b/\b-\bfailed", "", "LibMambaUnsatisfiableError: Encountered problems while solving:", "  - package geopanel-0.14-py39_0 requires python >=3.9,<3.10.0a0, but none of the providers can be installed", "", "Could not solve for environment specs", "The following packages are incompatible", "├─ geopanel 0.14 is installable with the potential options", *[f"│  ├─ geopanel 0.14 would require\n│  │  └─ python >=3.{v},<3.{v + 1}.0a0 , which can be installed;" for v in range(6, 10)], "└─ python 3.12.* is not installable because it conflicts with any installable versions previously reported."]
    return Case("conda install geopanel=0.14 python=3.12", 1, "\n".join(lines), ["geopanel-0.14-py39_0 requires python >=3.9,<3.10.0a0", "python 3.12.* is not installable because it conflicts"], ["LibMambaUnsatisfiableError"])


@case
def spark_log(r: random.Random) -> Case:
    lines = [f"26/03/14 10:{i // 60 % 60:02}:{i % 60:02} INFO " + r.choice([f"TaskSetManager: Finished task {i % 200}.0 in stage {i // 200}.0 (TID {i}) in {r.randint(9, 4000)} ms on exec-{r.randint(1, 16)} (executor {r.randint(1, 16)}) ({i % 200}/200)", f"BlockManagerInfo: Added broadcast_{i}_piece0 in memory on exec-{r.randint(1, 16)}:4{r.randint(1000, 9999)} (size: {r.randint(1, 90)}.{r.randint(0, 9)} KiB, free: 1048.8 MiB)", f"MemoryStore: Block broadcast_{i} stored as values in memory", f"DAGScheduler: Submitting ResultStage {i} (MapPartitionsRDD[{i}] at map at {camel(r)}.scala:{r.randint(9, 300)})"]) for i in range(5000)]
    lines[2750:2750] = ["26/03/14 10:45:51 WARN TaskSetManager: Lost task 41.0 in stage 13.0 (TID 2641) (exec-7 executor 7): java.lang.OutOfMemoryError: Java heap space", "\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)", "\tat corp.etl.Sessionize$.merge(Sessionize.scala:118)", "26/03/14 10:45:52 ERROR TaskSchedulerImpl: Lost executor 7 on exec-7: Command exited with code 52"]
    lines += ["26/03/14 11:23:20 INFO SparkContext: Successfully stopped SparkContext"]
    return Case("spark-submit sessionize.jar", 0, "\n".join(lines), [["Lost task 41.0 in stage 13.0", "java.lang.OutOfMemoryError: Java heap space"], "Lost executor 7 on exec-7: Command exited with code 52", "Sessionize.scala:118"], ["Successfully stopped SparkContext", "TID 2641"])


@case
def ffmpeg(r: random.Random) -> Case:
    lines = ["ffmpeg version 6.1 Copyright (c) 2000-2023 the FFmpeg developers", "Input #0, mov,mp4,m4a,3gp,3g2,mj2, from 'tour.mp4':", "  Duration: 00:41:07.20, start: 0.000000, bitrate: 5120 kb/s", "  Stream #0:0[0x1](und): Video: h264 (High), yuv420p, 1920x1080, 29.97 fps", "\r".join(f"frame={i * 30:5} fps= 62 q=28.0 size={i * 512:8}kB time=00:{i // 60:02}:{i % 60:02}.00 bitrate=4193.3kbits/s speed=2.1x" for i in range(1, 1500)), "[h264 @ 0x55d0a1b2] error while decoding MB 61 44, bytestream -9", "[mp4 @ 0x55d0a300] Application provided invalid, non monotonically increasing dts to muxer in stream 0: 44100 >= 44100", "av_interleaved_write_frame(): No space left on device", "Conversion failed!"]
    return Case("ffmpeg -i tour.mp4 out.mp4", 1, "\n".join(lines), ["av_interleaved_write_frame(): No space left on device", "Conversion failed!"], ["error while decoding MB 61 44", "Duration: 00:41:07.20"])


@case
def pre_commit(r: random.Random) -> Case:
    lines = [f"{title(r):.<72}{'Passed'}" for _ in range(40)]
    lines[11:11] = ["trim trailing whitespace.................................................Failed", "- hook id: trailing-whitespace", "- exit code: 1", "- files were modified by this hook", "", "Fixing docs/tariffs.md", "Fixing src/fares/zones.py", ""]
    lines[30:30] = ["check yaml...............................................................Failed", "- hook id: check-yaml", "- exit code: 1", "", "while parsing a block mapping", "  in \"deploy/values.yaml\", line 31, column 3", "did not find expected key", "  in \"deploy/values.yaml\", line 34, column 4"]
    return Case("pre-commit run -a", 1, "\n".join(lines), [["trailing-whitespace", "Fixing src/fares/zones.py"], ["check-yaml", "deploy/values.yaml", "line 34, column 4", "did not find expected key"]], ["files were modified by this hook", "Fixing docs/tariffs.md"])


@case
def du_tree(r: random.Random) -> Case:
    lines = [f"{r.randint(4, 900)}K\t./var/{noun(r)}/{noun(r)}/{noun(r)}" for _ in range(900)]
    lines[444] = "212G\t./var/spool/mail/root"
    lines += ["213G\t."]
    return Case("du -h .", 0, "\n".join(lines), ["213G .", ["212G", "./var/spool/mail/root"]], [])


@case
def pod_table(r: random.Random) -> Case:
    lines = ["NAMESPACE     NAME                                   READY   STATUS             RESTARTS      AGE"]
    lines += [f"{noun(r):<13} {noun(r)}-{noun(r)}-{hexes(r, 9)}-{hexes(r, 5):<12} 1/1     Running            {r.choice(['0', '0', '0', '1 (3d ago)']):<13} {r.randint(2, 90)}d" for _ in range(700)]
    lines[505] = "billing       ledger-writer-5c9f6d7b8-x2l9q          0/1     ImagePullBackOff   0             14m"
    lines[606] = "search        indexer-0                              1/1     Running            88 (2m ago)   9d"
    return Case("kubectl get pods -A", 0, "\n".join(lines), [["ledger-writer-5c9f6d7b8-x2l9q", "ImagePullBackOff"], "NAMESPACE"], ["indexer-0"])


@case
def git_graph(r: random.Random) -> Case:
    lines = []
    for i in range(400):
        lines += [f"{'* ' if i % 3 else '*   '}commit {hexes(r, 40)}", f"| Author: {camel(r)} <{noun(r)}@corp.io>", f"| Date:   Sat Mar {i % 28 + 1} 10:{i % 60:02}:00 2026 +0100", "| ", f"|     {title(r)}", "| "]
    lines[1804] = "|     Revert \"close the ledger at midnight\": customers were billed twice"
    return Case("git log --graph", 0, "\n".join(lines), ["Revert \"close the ledger at midnight\": customers were billed twice", lines[0].split("commit ")[1][:12]], [lines[4][6:]])


@case
def log_fr(r: random.Random) -> Case:
    lines = [f"14/03/2026 10:{i // 60 % 60:02}:{i % 60:02} INFO  Traitement du dossier {r.randint(1000, 9999)} terminé en {r.randint(9, 900)} ms ({noun(r)})" for i in range(2500)]
    lines[1432:1432] = ["14/03/2026 10:23:52 ERREUR Échec de l'écriture du dossier 7714 : espace disque insuffisant sur /srv/dossiers", "14/03/2026 10:23:52 ATTENTION dossier 7714 ignoré"]
    lines += ["2499 dossiers traités, 1 en échec"]
    return Case("./traiter", 0, "\n".join(lines), ["Échec de l'écriture du dossier 7714 : espace disque insuffisant sur /srv/dossiers", "2499 dossiers traités, 1 en échec"], ["dossier 7714 ignoré"])


@case
def nmap_scan(r: random.Random) -> Case:
    lines = ["Starting Nmap 7.93 ( https://nmap.org )"]
    for i in range(2, 200):
        lines += [f"Nmap scan report for host-{noun(r)}-{i}.corp (10.4.0.{i})", "Host is up (0.00041s latency).", "Not shown: 998 closed tcp ports (conn-refused)", "PORT    STATE SERVICE", "22/tcp  open  ssh", "443/tcp open  https", ""]
    lines[700:700] = ["Nmap scan report for printer-spare.corp (10.4.0.251)", "Host is up (0.0012s latency).", "PORT    STATE SERVICE", "23/tcp  open  telnet", ""]
    lines += ["Nmap done: 256 IP addresses (199 hosts up) scanned in 41.20 seconds"]
    return Case("nmap 10.4.0.0/24", 0, "\n".join(lines), [["printer-spare.corp", "23/tcp open telnet"], "256 IP addresses (199 hosts up) scanned in 41.20 seconds"], ["10.4.0.251"])


@case
def pytest_log_ok(r: random.Random) -> Case:
    lines = ["============================= test session starts ==============================", "collected 900 items", ""]
    for i in range(900):
        lines += [f"tests/{snake(r)}_test.py::test_{snake(r, 3)} ", "-------------------------------- live log call ---------------------------------", f"INFO     shop.{noun(r)}:{noun(r)}.py:{r.randint(9, 300)} {title(r)}", f"PASSED                                                                   [{i // 9:3}%]"]
    lines[2222] = "CRITICAL shop.billing:charge.py:212 order 88121 charged twice: 4312.77 EUR"
    lines += ["", "======================= 900 passed, 3 warnings in 41.02s ======================="]
    return Case("pytest -o log_cli=true", 0, "\n".join(lines), ["order 88121 charged twice: 4312.77 EUR", "900 passed, 3 warnings in 41.02s"], ["charge.py:212"])


@case
def ocaml_dune(r: random.Random) -> Case:
    lines = ["File \"lib/fares/zone.ml\", line 31, characters 22-27:", "31 |   let r = Rate.scale zone 2", "                           ^^^^", "Error: This expression has type Zone.t option", "       but an expression was expected of type Zone.t"]
    for i in range(90):
        lines += [f"File \"lib/{noun(r)}/{noun(r)}.ml\", line {r.randint(2, 300)}, characters {r.randint(1, 20)}-{r.randint(21, 60)}:", f"{r.randint(2, 300)} |   let {noun(r)} = {noun(r)} {noun(r)} in", "          ^^^^^^", f"Warning {r.choice(['26 [unused-var]', '32 [unused-value-declaration]', '33 [unused-open]'])}: unused {noun(r)} {noun(r)}."]
    return Case("dune build", 1, "\n".join(lines), [["lib/fares/zone.ml", "line 31", "This expression has type Zone.t option"], "but an expression was expected of type Zone.t", "unused-var", "unused-open"], ["let r = Rate.scale zone 2", "unused-value-declaration"])


def build() -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of each output."""
    for name, make in CASES.items():
        yield name, make(random.Random(name))
