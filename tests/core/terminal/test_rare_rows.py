"""Rows of a table in a state that hardly any other is in are shown, and the place of each diagnostic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output import judge
from satchel.output.families import DATA, TABLE
from satchel.output.judging import Rank
from satchel.output.structure import find_places
from satchel.output.tables import find_rare_rows, read_columns


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


CONTAINERS = ["CONTAINER ID   IMAGE          STATUS                     PORTS      NAMES"] + [
    f"{at * 7919:012x}   app:latest     {status:<27}{'80/tcp' if at % 4 else '':<11}svc_{at}"
    for at in range(60)
    for status in ["Exited (137) 4 hours ago" if at in (17, 43) else f"Up {at} days"]
]
PROCESSES = ["USER         PID %CPU STAT START   TIME COMMAND"] + [
    f"{('root', 'www-data')[at % 2]:<9}{at * 37 % 30_000:>7}  0.{at % 10} {'Z' if at == 300 else 'Ss'}"
    f"    Nov25   0:0{at % 10} /usr/sbin/worker -q mail {at}"
    for at in range(500)
]
SETTINGS = [
    "       name       | setting |       source       ",
    "------------------+---------+--------------------",
    *(f" setting_{at:<8} | {at:<7} | {'command line' if at == 71 else 'default':<18} " for at in range(300)),
    "(300 rows)",
    "",
]
"""As psql prints them, with how many there are below."""
RECORDS = ["id,state,amount"] + [
    f"{at},{'refunded' if at == 333 else 'paid'},{at * 31 % 900}" for at in range(700)
]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("lines", "rare"), [(CONTAINERS, [18, 44]), (PROCESSES, [301]), (RECORDS, [334]), (SETTINGS, [73])]
)
def test_rows_in_a_rare_state_are_found_and_shown(lines: list[str], rare: list[int]) -> None:
    shown = squeeze("\n".join(lines), command="docker ps -a", budget=300).text

    assert find_rare_rows(*read_columns(lines, 0)) == rare
    assert all(lines[at] in shown for at in rare)
    assert shown.startswith(lines[0])


def test_a_state_in_brackets_is_a_state() -> None:
    states = ["CONTAINER ID   STATUS                  NAMES"] + [
        f"{at * 7919:012x}   Up {at} days {'(unhealthy)' if at == 23 else '(healthy)':<15}svc_{at}"
        for at in range(40, 90)
    ]
    states[30] = states[30].replace("(healthy)  ", "(unhealthy)")

    assert find_rare_rows(*read_columns(states, 0)) == [30]


def test_rows_with_a_number_many_times_as_large_as_others_are_rare() -> None:
    processes = [
        "  PID USER      PR  NI    VIRT  %CPU COMMAND",
        *(
            f"{at:>5} root      20   0 {at * 3_100:>7} {0 if at != 71 else 99.5:>5} work"
            for at in range(60, 120)
        ),
    ]

    assert find_rare_rows(*read_columns(processes, 0)) == [12]


def test_rows_with_something_in_a_column_that_is_blank_in_nearly_all_are_rare() -> None:
    calls = [
        "% time     seconds  usecs/call     calls    errors syscall",
        "------ ----------- ----------- --------- --------- ----------------",
        *(
            f"{60 - at:6.2f}    0.{60 - at:06} {9:11} {900:9} {at * 9 if at in (7, 31) else '':>9} call"
            for at in range(60)
        ),
    ]

    assert find_rare_rows(*read_columns(calls, 0)) == [9, 33]


def test_rows_that_differ_in_names_are_not_rare() -> None:
    lines = ["NAME  AGE  PLACE", *(f"n{'abcdefghij'[at % 10]}x  {at}  here" for at in range(90))]

    assert find_rare_rows(*read_columns(lines, 0)) == []


def test_each_of_the_first_diagnostics_has_its_place() -> None:
    report = "".join(
        f"D{400 + at % 3} Say it otherwise: part_{at % 5}\n  --> src/shop.py:{at * 9 + 1}:5\n   |\n"
        f"{at * 9 + 1:2} | code_{at}\n   | ^^^^\n   |\n\n"
        for at in range(15)
    )

    shown = squeeze(report, command="ruff check", budget=3_000).text

    assert re.findall(r"--> \S+", shown) == re.findall(r"--> \S+", report)


def test_the_log_of_a_kernel_sums_nothing_up() -> None:
    assert (
        judge("[    0.264344] futex hash table entries: 512 (order: 3, total 32 KiB, linear)").rank
        is Rank.PLAIN
    )
    assert (
        judge("[ 9950.232172] python3[20806]: segfault at 0 ip 00007f sp 00007f error 4").rank is Rank.ERROR
    )


@pytest.mark.weekly
def test_a_piece_of_a_very_long_row_is_shown_with_how_the_row_begins() -> None:
    rows = [
        f"ann {at * 37:>6} 0.1 S python{at} "
        + " ".join(f"KEY_{at}_{one}=value_{one * 7919}" for one in range(90))
        for at in range(40)
    ]
    rows[20] += " error: cannot open /srv/shop.db"

    shown = squeeze("\n".join(["USER PID %CPU STAT COMMAND", *rows]), command="ps auxe", budget=600).text

    assert "cannot open /srv/shop.db" in shown
    assert not re.findall(r"^\[\d+ characters\]", shown, re.MULTILINE)
    assert rows[20][:30] in shown


def test_the_first_row_of_a_state_that_many_are_in_is_shown() -> None:
    rows = [
        f"{at}m   {kind:<9} {reason:<11} pod/web-{at * 37}"
        for at in range(200)
        for kind, reason in [("Warning", "Unhealthy") if 60 <= at < 100 else ("Normal", "Pulled")]
    ]
    text = "\n".join(["LAST SEEN   TYPE   REASON   OBJECT", *rows])

    assert "60m   Warning" in squeeze(text, command="kubectl get events", budget=120).text


def test_what_a_table_is_summed_up_in_above_its_header_comes_before_its_rows() -> None:
    said = ["top - 14:00:01 up 12 days", "Tasks: 412 total", "Mem : 159 total", "Swap: 20 total", ""]
    rows = [
        f"{at * 37:>7} root   20   0   123   344   234 S   0.{at % 9}   0.1 worker{at}" for at in range(200)
    ]
    lines = [*said, "    PID USER  PR  NI  VIRT  RES  SHR S  %CPU  %MEM COMMAND", *rows]

    places = find_places(TABLE, lines)

    assert all(place.worth > 0 for place in places[:4])
    assert not any(place.worth for place in places[6:])


def test_fields_in_a_long_row_say_less_the_more_there_are() -> None:
    environment = [f"      SHOP_PART_{at}:   http://part-{at * 37}.shop.svc:8080/api" for at in range(80)]
    lines = [
        "Name:             checkout",
        "Containers:",
        "  checkout:",
        "    Limits:",
        "      memory:  256Mi",
    ]
    lines += ["    Environment:", *environment, "Events:  <none>"]

    places = find_places(DATA, lines)

    assert [place.share for place in places[:10]] == [1.0] * 10
    assert places[-2].share < 0.1


PROFILE = [
    "Type: cpu",
    "Duration: 30.1s, Total samples = 41.20s (136.8%)",
    "      flat  flat%   sum%        cum   cum%",
    *(
        f"    {90 - at / 2:5.2f}s {9.5:5.2f}% {10.5:5.2f}%     {20.0:5.2f}s {50.0:5.2f}%  shop/cart.Part{at}"
        for at in range(150)
    ),
]
COUNTERS = [
    "# Samples: 41K of event 'cycles'",
    "#",
    "# Overhead  Command  Symbol",
    "# ........  .......  ......",
    "#",
    *(f"    {99 - at / 5:5.2f}%  {('perf' if at % 3 else 'shop')}     part_{at}" for at in range(400)),
]


@pytest.mark.parametrize(("lines", "first"), [(PROFILE, 3), (COUNTERS, 5)])
def test_the_first_rows_of_a_table_that_is_sorted_by_size_are_shown(lines: list[str], first: int) -> None:
    shown = squeeze("\n".join(lines), command="perf report").text.split("\n")

    at = shown.index(lines[first])
    assert lines[2] in shown
    assert shown[at : at + 8] == lines[first : first + 8]
    assert lines[first] in squeeze("\n".join(lines), budget=120).text


@pytest.mark.parametrize("budget", [None, 1_000, 300])
def test_what_is_summed_up_below_a_table_is_shown(budget: int | None) -> None:
    rule = "=" * 79
    header = " Package                 Architecture   Version                 Repository   Size"
    summary = ["", "Transaction Summary", rule, "Install   1 Package", "Upgrade  90 Packages", ""]
    rows = [
        f" {one}-{other}{at:<14} x86_64   {at}.{at % 7}-{at % 5}.el9_5     baseos   {at * 7} k"
        for at in range(90)
        for one, other in [(("user", "cart", "ledger")[at % 3], ("cache", "parser")[at % 2])]
    ]
    fetches = [
        f"({at}/91): cart-cache{at}-1.2.x86_64.rpm      4.{at % 9} MB/s | {at * 9} kB     00:00"
        for at in range(90)
    ]
    text = "\n".join(["Dependencies resolved.", rule, header, rule, *rows, *summary, *fetches, "Complete!"])

    shown = squeeze(text, command="dnf upgrade -y", budget=budget).text

    assert "Upgrade  90 Packages" in shown


@pytest.mark.parametrize("budget", [300, 1_000])
def test_a_row_that_tells_of_an_error_in_capitals_is_shown_whatever_the_rows_around_it_are(
    budget: int,
) -> None:
    rule = f"+{'-' * 41}+{'-' * 24}+{'-' * 22}+"
    cards = [
        line
        for at in range(16)
        for line in (
            f"|   {at:<2} NVIDIA H100 80GB HBM3          On  |   00000000:{at:02X}:00.0 Off |{'0':>21} |",
            f"| N/A   {at + 30}C    P0       {at + 80}W /  700W |     {at:>3}MiB /  81559MiB  |{'0%':>21} |",
            rule,
        )
    ]
    cards[22] = f"| ERR!   ERR! ERR!          ERR! /  ERR! |   77121MiB /  81559MiB  |{'ERR!':>21} |"
    head = [
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
        rule.replace("-", "="),
    ]

    processes = [
        "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |",
        "|=========================================================================================|",
        *(f"|   {at:>2}   N/A  N/A      44{at:02}      C   idle{at:<30}{at:>9}MiB |" for at in range(16)),
    ]

    shown = squeeze("\n".join([rule, *head, *cards, *processes]), command="nvidia-smi", budget=budget).text

    assert cards[22] in shown


@pytest.mark.parametrize("budget", [300, 1_000])
def test_the_row_of_which_a_part_alone_is_ready_is_shown(budget: int) -> None:
    pods = [f"web-{at}-{at * 7919:08x}   1/1     Running   0          {at % 7 + 3}d" for at in range(150)]
    pods[55] = pods[55].replace("1/1", "0/1")

    shown = squeeze(
        "\n".join(["NAME             READY   STATUS    RESTARTS   AGE", *pods]),
        command="kubectl get pods",
        budget=budget,
    ).text

    assert pods[55] in shown


@pytest.mark.parametrize("element", ['        "PART={}",', "  - part-{}", "        {},"])
def test_the_elements_of_a_long_list_say_less_the_more_there_are(element: str) -> None:
    elements = [element.format(at) for at in range(20)]
    lines = ["{", '    "Env": [', *elements, "    ],", '    "RestartCount": 14', "}"]

    shares = [place.share for place in find_places(DATA, lines)]

    assert shares[2:7] == [1.0] * 5
    assert shares[6:22] == sorted(shares[6:22], reverse=True)
    assert shares[21] == 0.25
    assert shares[23] == 1.0
