"""What journals, Compose and valgrind write before a line of a program hides nothing that the line says."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel import squeeze
from satchel.output import LineFolding, judge
from satchel.output.judging import Rank
from satchel.output.marks import names
from satchel.output.values import value

UNIT = "shop-api.service"
STATUS = f"""× {UNIT} - Shop API
     Loaded: loaded (/etc/systemd/system/{UNIT}; enabled; preset: enabled)
    Drop-In: /etc/systemd/system/{UNIT}.d
             └─override.conf
     Active: failed (Result: exit-code) since Fri 2025-11-21 14:02:23 UTC; 47s ago
   Duration: 312ms
    Process: 4252 ExecStart=/opt/shop/bin/api --listen 0.0.0.0:8080 (code=exited, status=1/FAILURE)
   Main PID: 4252 (code=exited, status=1/FAILURE)
        CPU: 297ms
"""


def attempt(nth: int) -> list[str]:
    at = f"Nov 21 14:00:{nth:02} web-3"
    return [
        f"{at} systemd[1]: Starting {UNIT} - Shop API...",
        f"{at} api[42{nth:02}]: loading configuration from /etc/shop/api.toml",
        f"{at} api[42{nth:02}]: Error: listen tcp 0.0.0.0:8080: bind: address already in use",
        f"{at} systemd[1]: {UNIT}: Main process exited, code=exited, status=1/FAILURE",
        "░░ Subject: Unit process exited",
        "░░ The process' exit code is 'exited' and its exit status is 1.",
        f"{at} systemd[1]: {UNIT}: Failed with result 'exit-code'.",
        f"{at} systemd[1]: {UNIT}: Scheduled restart job, restart counter is at {nth}.",
    ]


def journal() -> list[str]:
    last = f"Nov 21 14:00:09 web-3 systemd[1]: {UNIT}: Start request repeated too quickly."
    return [*(line for nth in range(1, 9) for line in attempt(nth)), last]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


@pytest.mark.parametrize("before", [STATUS, ""], ids=["status", "journal"])
def test_why_a_service_failed_and_why_it_is_not_started_again_fits_in_a_small_budget(before: str) -> None:
    shown = squeeze("\n".join([before, *journal()]), command="systemctl status shop-api", budget=300).text

    assert "address already in use" in shown
    assert "Start request repeated too quickly" in shown


def test_what_a_message_means_in_general_tells_of_no_error() -> None:
    assert judge("░░ The unit shop.service has entered the 'failed' state.").rank is Rank.NOISE


@pytest.mark.parametrize(
    "before",
    [
        "Nov 21 14:00:01 web-3 python3[4217]: ",
        "2025-11-21T14:00:01+0000 web-3 shop[9]: ",
        "worker-1  | ",
        "==4711== ",
    ],
)
def test_a_frame_is_one_behind_what_stands_before_each_line(before: str) -> None:
    assert judge(f'{before}  File "/opt/shop/error.py", line 71, in fail').rank is Rank.DETAIL
    assert judge(f"{before}KeyError: 'SHOP_DSN'").rank is Rank.ERROR


def test_cells_of_a_table_are_no_service() -> None:
    assert judge("node-1 | ERROR | 3").weight == judge("node | ERROR | 3").weight


def test_what_stands_before_each_line_is_shown_once_where_lines_follow_each_other() -> None:
    frames = [f'  File "/opt/shop/step_{at * 37}.py", line {at}, in step' for at in range(90)]
    said = ["Traceback (most recent call last):", *frames, "KeyError: 'SHOP_DSN'"]
    before = "Nov 21 14:00:01 web-3 python3[4217]: "
    text = "\n".join([before + line for line in said])

    shown = squeeze(text, command="journalctl -u shop", budget=1_000).text

    assert f"{before}Traceback" in shown
    assert "\nKeyError: 'SHOP_DSN'\n" in shown


def task(number: int) -> list[str]:
    return [f"TASK [role : step {number}] ****", *(f"ok: [web-{at}]" for at in range(9)), ""]


def test_what_a_long_record_behind_a_message_tells_of_an_error_fits_in_a_small_budget() -> None:
    facts = ", ".join(f'"fact_{at}": "/usr/lib/part-{at * 37}"' for at in range(12))
    failed = f'fatal: [web-4]: FAILED! => {{{facts}, "msg": "No package shoplib-9.9 found", "rc": 1}}'
    lines = [line for number in range(40) for line in task(number)]
    text = "\n".join([*lines, "TASK [role : install] ****", failed, "", *task(41), "web-4 : ok=40 failed=1"])

    shown = squeeze(text, command="ansible-playbook site.yml", budget=160).text

    for fact in ("fatal: [web-4]: FAILED", "No package shoplib-9.9 found", "failed=1"):
        assert fact in shown


def test_what_is_tried_again_is_no_failure_of_its_own() -> None:
    assert judge("FAILED - RETRYING: wait for the shop (59 retries left).").rank is Rank.WARNING
    assert judge("FAILED tests/test_retry.py::test_retries - KeyError").rank is Rank.FAILURE


def test_when_a_line_was_written_is_no_name_of_a_failure_and_no_line_by_itself() -> None:
    at = "2026-08-26T12:44:{:02}.{:07}Z"
    said = [f"FAILED: {word}" if word else "" for word in ("load", "", "save", "", "send") * 8]
    lines = [f"{at.format(nth % 60, nth * 7919)} {line}".rstrip() for nth, line in enumerate(said)]
    folding = LineFolding()
    folding.feed(lines)
    folded = folding.finish()

    assert not any(name.text.startswith("2026") for name in names(folded, value(folded, folded.templates())))
    assert judge(lines[1]).rank is Rank.NOISE


@pytest.mark.parametrize("before", ["[INFO]", "npm ERR!", "#8 8.123", "==4711==", "21:07:58"])
def test_what_a_tool_writes_before_each_line_takes_no_room_where_nothing_follows(before: str) -> None:
    said = [f"{before} part {at * 37} of the ledger failed: error {at}" for at in range(60)]
    lines = [line for one in said for line in (one, before, f"{before} ------------------------")]

    shown = squeeze("\n".join(lines), command="make", budget=300).text.splitlines()

    assert not any(line.strip(" -") == before for line in shown)


def test_fields_whose_names_end_below_each_other_stand_beside_each_other() -> None:
    lines = STATUS.splitlines()
    folding = LineFolding()
    folding.feed(lines)
    folded = folding.finish()
    values = dict(zip(lines, value(folded, folded.templates()), strict=True))

    assert values[lines[2]] < values[lines[4]] - 10


def test_files_that_no_error_names_are_worth_less_where_there_are_errors() -> None:
    folding = LineFolding()
    folding.feed(["src/cart.py:3: error: broken", *(f"read conf/part-{at * 37}.ini" for at in range(9))])
    folded = folding.finish()
    worth = {name.text: name.worth for name in names(folded, value(folded, folded.templates()))}

    assert worth["src/cart.py"] > worth["conf/part-0.ini"] + 8


@pytest.mark.parametrize("before", ["", "db-1  | ", "2026-03-01T10:00:00.123456789Z "])
def test_what_goes_on_below_a_record_of_a_database_belongs_to_its_error_whatever_stands_before_it(
    before: str,
) -> None:
    lines = [f"2026-03-01 10:0{at // 60}:{at % 60:02}.512 UTC [{at}] LOG:  part {at}" for at in range(200)]
    lines[90:90] = [
        "2026-03-01 10:01:30.512 UTC [47] ERROR:  deadlock detected",
        "2026-03-01 10:01:30.512 UTC [47] DETAIL:  Process 47 waits for ShareLock; blocked by process 48.",
        "\tProcess 48 waits for ShareLock; blocked by process 47.",
        "\tProcess 47: UPDATE stock SET n = n - 1 WHERE sku = 'A-17'",
        "\tProcess 48: UPDATE stock SET n = n - 1 WHERE sku = 'B-02'",
    ]

    shown = squeeze("\n".join(before + line for line in lines), budget=200).text

    assert "deadlock detected" in shown
    assert "'A-17'" in shown
    assert "'B-02'" in shown


def test_a_request_that_is_answered_as_hardly_any_other_is_shown_before_the_many_that_were_not_found() -> (
    None
):
    log = [
        f"10.0.{at % 9}.{at * 7 % 250} - - [29/Nov/2026:10:{at // 60:02}:{at % 60:02} +0000] "
        f'"GET {f"/images/{at}.png" if at % 3 else "/"} HTTP/1.1" {404 if at % 3 else 200} {at} "-" "Bot"'
        for at in range(600)
    ]
    log[400] = log[400].replace("/images/400.png", "/admin/export").replace(" 404 ", " 403 ")

    shown = squeeze("\n".join(log), command="cat access.log", budget=300).text

    assert log[400] in shown
    assert log[-1] in shown
    assert "[also: " not in shown
