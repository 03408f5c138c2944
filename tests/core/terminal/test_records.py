"""Records whose fields have lines of their own, steps of queries, certificates and pages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from satchel import squeeze
from satchel.output.families import DATA, recognise
from satchel.output.structure import find_places
from satchel.output.tables import find_records


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_STATE_DIR", str(tmp_path))


def orders(form: str, *, head: str = "") -> str:
    """Return 300 orders, a field a line, of which one is in a state that no other is in."""
    return "\n".join(
        head.format(at)
        + "\n".join(
            form.format(name, value)
            for name, value in (
                ("id", 10_000 + at),
                ("customer", f"Customer {at * 7919 % 997}"),
                ("status", "chargeback" if at == 213 else ("paid", "shipped", "open")[at % 3]),
                ("created_at", f"2026-0{1 + at // 40}-11"),
            )
        )
        + "\n"
        for at in range(300)
    )


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (orders("{:>10} = {}"), "sqlite3 -line shop.db 'select * from orders'"),
        (orders("{:<10} | {}", head="-[ RECORD {} ]----\n"), "psql -x -c 'select * from orders'"),
    ],
)
def test_the_record_in_a_rare_state_is_shown_with_what_names_it(text: str, command: str) -> None:
    shown = squeeze(text, command=command, budget=300).text

    assert "chargeback" in shown
    assert "10213" in shown.partition("chargeback")[0]
    assert sum(line.split()[:1] == ["id"] for line in shown.splitlines()) < 16


def test_what_all_records_are_called_names_none_of_them() -> None:
    events = [
        {
            "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/aa11",
            "StackName": "shop",
            "LogicalResourceId": f"Queue{at * 37}",
            "ResourceType": "AWS::SQS::Queue",
            "ResourceStatus": "CREATE_FAILED" if at in (31, 47) else "CREATE_COMPLETE",
        }
        for at in range(80)
    ]

    shown = squeeze(json.dumps({"StackEvents": events}, indent=4), budget=300).text

    assert [f"Queue{at * 37}" in shown for at in (31, 47)] == [True, True]


def test_names_above_the_same_field_are_those_of_records() -> None:
    names = ("curl", "git", "npm", "gcc", "g++", "lsof", "sed", "awk", "vim", "jq", "tar", "xz", "zip", "bc")
    policy = "".join(
        f"{name}:\n  Installed: {'(none)' if name == 'npm' else f'{at}.2.{at * 3}-1'}\n"
        f"  Candidate: {at}.2.{at * 3}-1\n  Version table:\n *** {at}.2.{at * 3}-1 500\n"
        "        500 http://deb.example.org/debian bookworm/main amd64 Packages\n"
        for at, name in enumerate(names)
    )

    shown = squeeze(policy, command=f"apt-cache policy {' '.join(names)}", budget=300).text

    assert len(find_records(policy.split("\n"))) == len(names)
    assert shown.count("\n  Installed: ") >= 10
    assert "npm:\n  Installed: (none)\n" in shown


def test_journals_of_several_hosts_one_after_another_are_no_records() -> None:
    journals = "".join(
        f"Nov 12 {hour:02}:{host * 7}:07 web-{host} "
        + (
            "kernel: EXT4-fs error (device sda1): unable to read inode 4711\n"
            if (host, hour) == (2, 15)
            else f"app[71{hour % 3}]: served {hour * 37 % 11} requests of /api/{hour % 5}\n"
        )
        for host in range(2, 8)
        for hour in range(24)
    )

    shown = squeeze(journals, budget=300).text

    assert find_records(journals.split("\n")) == []
    assert "inode 4711" in shown


def test_one_record_of_five_that_differs_where_all_others_agree_is_odd() -> None:
    records = ",\n".join(
        f'  {{\n    "Id": "{at * 7919:064x}",\n    "Name": "/shop-{at}",\n'
        + "".join(f'    "Path{key}": "/srv/{at}/{key}",\n' for key in range(20))
        + f'    "OOMKilled": {"true" if at == 3 else "false"}\n  }}'
        for at in range(5)
    )

    shown = squeeze(f"[\n{records}\n]\n", command="docker inspect a b c d e", budget=300).text

    assert '"OOMKilled": true' in shown
    assert '"Name": "/shop-3"' in shown


def plan_of_query(joins: int, slow: int) -> str:
    lines = [f"{'QUERY PLAN':^60}", "-" * 60]
    for at in range(joins):
        pad = "  " * at
        took = 8_000 if at <= slow else 40
        scan = 7_900 if at == slow else 1
        lines += [
            f"{pad} ->  Hash Join  (cost=1..{at}.2 rows=9) (actual time=0.1..{took}.3 rows=9 loops=1)",
            f"{pad}       Hash Cond: (o.part_{at} = part_{at}.id)",
            f"{pad}       ->  Seq Scan on part_{at}  (cost=0..9.5 rows=8)"
            f" (actual time=0.0..{scan}.1 rows=8 loops=1)",
            f"{pad}             Filter: (active AND tenant = {at})",
        ]
    return "\n".join((*lines, " Planning Time: 3.2 ms", " Execution Time: 8124.9 ms", ""))


@pytest.mark.parametrize("command", ["psql -c 'explain (analyze) select 1'", "cat plan.txt"])
def test_the_step_of_a_query_that_took_the_time_is_shown_first(command: str) -> None:
    shown = squeeze(plan_of_query(40, 23), command=command, budget=300).text

    assert "->  Seq Scan on part_23  (" in shown
    assert " Execution Time: 8124.9 ms\n" in shown
    assert "[x" not in shown


def test_a_certificate_is_told_by_its_fields_and_not_by_its_bytes() -> None:
    bytes_ = "".join(f"{' ' * 20}{':'.join(['4f'] * 15)}:\n" for _ in range(18)) + f"{' ' * 20}c0:99\n"
    encoded = f"{'MIIDjjCCAnagAwIBAgIUY9IZ' * 2}{'A' * 16}\n" * 20
    certificates = "".join(
        "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number:\n            63:d2:19:70\n"
        f"        Issuer: C = DE, O = Shop, CN = ca{at}.example.org\n        Validity\n"
        f"            Not After : Nov 30 00:55:43 20{30 + at} GMT\n"
        f"        Subject: CN = shop{at}.example.org\n"
        f"                Modulus:\n{bytes_}    Signature Value:\n{bytes_}"
        f"-----BEGIN CERTIFICATE-----\n{encoded}-----END CERTIFICATE-----\n"
        for at in range(3)
    )

    shown = squeeze(certificates, command="openssl x509 -in a.pem -text", exit_code=0, budget=300).text

    assert shown.count("Not After :") == shown.count("Subject: CN = shop") == 3
    assert "4f:4f" not in shown
    assert "MIID" not in shown


def test_a_certificate_tells_what_it_is_for_and_how_long() -> None:
    bytes_ = "".join(f"{' ' * 20}{':'.join(['4f'] * 15)}:\n" for _ in range(6))
    fields = "".join(
        f"            X509v3 {name}{value}: critical\n                {name} of {value}, {name} for {value}\n"
        for name, value in zip(("KeyUsage", "Constraints", "Policies") * 6, range(18), strict=True)
    )
    certificate = (
        "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Issuer: C = DE, CN = E6\n"
        "        Validity\n            Not Before: Sep  1 10:00:00 2026 GMT\n"
        "            Not After : Nov 29 10:00:00 2026 GMT\n        Subject: CN = shop.example.org\n"
        f"                pub:\n{bytes_}        X509v3 extensions:\n{fields}"
        "            X509v3 Subject Alternative Name: \n                DNS:www.example.org\n"
        f"{fields}    Signature Value:\n{bytes_}"
    )

    shown = squeeze(certificate, command="openssl x509 -in a.pem -text", exit_code=0, budget=300).text

    assert "Not After : Nov 29" in shown
    assert "Subject: CN = shop.example.org" in shown
    assert "DNS:www.example.org" in shown
    assert "Signature Value" not in shown


def test_the_titles_of_a_page_that_is_read_come_before_its_styles() -> None:
    styles = "".join(f".card-{at} {{ padding: {at}px; color: #{at * 7919:06x} }}\n" for at in range(300))
    page = (
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>502 Bad Gateway</title>\n<style>\n{styles}</style>\n"
        "</head>\n<body>\n<h1>Upstream not reachable</h1>\n"
        "<p>payments.shop.svc refused the connection.</p>\n</body></html>\n"
    )

    shown = squeeze(page, command="cat page.html", budget=300).text

    assert "<title>502 Bad Gateway</title>" in shown
    assert "<h1>Upstream not reachable</h1>" in shown
    assert "payments.shop.svc refused" in shown


def test_warnings_among_the_events_of_an_object_are_shown_in_a_small_budget() -> None:
    labels = "".join(f"              part-{at}=value-{at}\n" for at in range(120))
    described = (
        f"Name:         cart-1\nNamespace:    shop\nLabels:       app=cart\n{labels}Events:\n"
        "  Type     Reason     Age   From     Message\n  ----     ------     ---   ----     -------\n"
        + "".join(
            f"  Normal   Pulled     {at}m   kubelet  Container image cart:{at} present\n" for at in range(20)
        )
        + "  Warning  Unhealthy  2m    kubelet  Liveness probe failed: connect refused\n"
        + "".join(f"  Normal   Created    {at}m   kubelet  Created container cart-{at}\n" for at in range(20))
    )

    shown = squeeze(described, command="kubectl describe pod cart-1", budget=300).text

    assert "  Type     Reason     Age   From     Message\n" in shown
    assert "Liveness probe failed" in shown


def test_rows_of_a_long_table_of_an_object_say_less_than_those_of_a_short_one() -> None:
    described = [
        "Name:         node-1",
        "Conditions:",
        "  Type  Status  Reason",
        "  ----  ------  ------",
        "  DiskPressure  True  KubeletHasDiskPressure",
        "Pods:",
        "  Namespace  Name  CPU",
        "  ---------  ----  ---",
        *(f"  shop  cart-{at}  {at}m" for at in range(12)),
    ]

    places = find_places(DATA, described)

    assert places[4].share == 1.0
    assert places[-1].share < 0.5


def test_the_newest_stash_comes_first() -> None:
    stashes = "".join(
        f"stash@{{{at}}}: WIP on main: {at * 7919 + 4_000_000:07x} Fix {at}\n" for at in range(200)
    )

    shown = squeeze(stashes, command="git stash list", budget=300).text

    assert shown.startswith("stash@{0}: ")
    assert "\nstash@{5}: " in shown


def test_each_conflict_that_pip_finds_is_shown_where_it_fits() -> None:
    found = "".join(
        f"shop-{at} 2.{at}.0 has requirement part{at}-client<2, but you have part{at}-client 3.{at}.1.\n"
        for at in range(60)
    )

    shown = squeeze(found, command="pip check", exit_code=1, budget=1_000).text

    assert shown.count("has requirement") > 25


def test_of_a_node_the_state_that_is_wrong_is_shown_with_its_taint() -> None:
    states = "".join(
        f"  {kind:<15}  {state:<6}  Sat, 29 Nov 2025 11:02:20  Kubelet  kubelet is {'not ' * wrong}fine\n"
        for kind, state, wrong in (
            ("MemoryPressure", "False", 0),
            ("DiskPressure", "True", 1),
            ("PIDPressure", "False", 0),
            ("Ready", "True", 0),
        )
    )
    pods = "".join(
        f"  shop       cart-{at:x}{at * 7919 % 9973:x}  {at}m (1%)    64Mi (2%)\n" for at in range(60)
    )
    node = (
        "Name:               node-17\nRoles:              <none>\n"
        "Labels:             beta.kubernetes.io/arch=amd64\n"
        + "".join(f"                    shop.example/label-{at}=value-{at * 7919 % 97}\n" for at in range(20))
        + "Taints:             shop.example/maintenance:NoSchedule\nUnschedulable:      false\nConditions:\n"
        "  Type             Status  LastHeartbeatTime          Reason  Message\n"
        f"  ----             ------  -----------------          ------  -------\n{states}"
        "Non-terminated Pods:  (60 in total)\n"
        "  Namespace  Name        CPU Requests  Memory Requests\n"
        f"  ---------  ----        ------------  ---------------\n{pods}"
        "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n"
        "  Resource  Requests\n  --------  --------\n  cpu       6120m (77%)\nEvents:              <none>\n"
    )

    shown = squeeze(node, command="kubectl describe node node-17", budget=200).text

    assert "shop.example/maintenance:NoSchedule" in shown
    assert "  DiskPressure     True " in shown


def test_records_of_psql_are_recognised_below_what_it_says_first() -> None:
    rows = "".join(
        f"-[ RECORD {at} ]-----------------\nid     | {at}\nstate  | {'locked' if at == 33 else 'active'}\n"
        f"email  | user{at}@shop.test\nplan   | free\n"
        for at in range(1, 60)
    )

    text = f"Expanded display is on.\n{rows}"

    shown = squeeze(text, command="psql -c 'table users'", budget=300).text

    assert recognise("psql", text.split("\n")) is DATA
    assert "-[ RECORD 33 ]-----------------\nid     | 33\nstate  | locked\n" in shown


def test_in_one_line_of_json_the_odd_value_is_shown_with_the_names_of_what_it_is_in() -> None:
    services: dict[str, dict[str, Any]] = {
        f"service-{at}": {
            "image": f"shop:{at % 3}",
            "deploy": {"replicas": 3, "limits": {"cpu": "500m"}, "strategy": {"type": "Rolling", "surge": 1}},
            "environment": {"LOG": "info", "REGION": "eu"},
        }
        for at in range(40)
    }
    services["service-23"]["deploy"]["strategy"]["type"] = "Recreate"

    shown = squeeze(json.dumps({"services": services}), command="curl -s localhost", budget=300).text

    assert re.search(r'"service-23": [^…]*"strategy": \{"type": "Recreate"', shown)
