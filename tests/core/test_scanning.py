"""Scanners of others: what they find is gone everywhere, and no file of a workspace turns them off."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import attrs
import pytest
from tests.processes import run_satchel

import satchel_plugins
from satchel import ConfigError, Host, PluginError, expand, hookimpl
from satchel.archive import Archive
from satchel.config import Config, load
from satchel.installed import make_scanners
from satchel.plugin_api import RedactionRule, parse_rules
from satchel.redaction import Scanners, redact
from satchel.shared_archive import open_archive

from .repositories import Asked, commit, git, packed, write_files

TICKET = "ACME-" + "204811"
KEY = "AKIA" + "Z7QK3VXW5RTYUIOP"
METADATA = "Metadata-Version: 2.1\nName: satchel-tickets\nVersion: 0.1.0\n"
TASK = "why does checkout fail for some customers?"
EXAMPLE = Path(__file__).parents[2] / "examples" / "scanner-plugin"


@attrs.frozen
class Tickets:
    """Finds ticket numbers."""

    name: ClassVar[str] = "tickets"

    def scan(self, text: str, path: str) -> Iterable[tuple[int, int, str]]:
        return [(hit.start(), hit.end(), "Ticket No") for hit in re.finditer(r"ACME-\d{6}", text)]


@attrs.frozen
class Broken:
    """Answers what its module says."""

    name: ClassVar[str] = "broken"
    answer: ClassVar[Any] = None

    def scan(self, text: str, path: str) -> Any:
        if self.answer is None:
            raise ValueError("no rules")
        return self.answer


def host_with(*scanners: type) -> Host:
    hook = hookimpl(lambda: list(scanners))
    return Host.of(satchel_plugins, SimpleNamespace(satchel_scanners=hook), deadline_seconds=20.0)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write_files(root, {"checkout.py": f"def checkout(cart):\n    return pay(cart)  # see {TICKET}\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root, f"Let customers check out, {TICKET}", day=1)
    (root / "checkout.py").write_text(f"def checkout(cart, x):\n    return pay(cart)  # {TICKET} {KEY}\n")
    (root / "test.log").write_text(f"ERROR checkout.py:2: checkout fails for {TICKET}\n")
    return root


def kept_in(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_what_a_scanner_finds_stands_in_no_document_and_in_no_cache(shop: Path, own_home: Path) -> None:
    bundle = packed(TASK, shop, 20_000, Asked(host=host_with(Tickets)))

    assert {"file", "diff", "commit"} <= {item.kind for item in bundle.items}
    assert TICKET not in str(bundle)
    assert "[redacted:ticket-no:" in bundle.text
    assert bundle.secrets["ticket-no"] >= 2
    assert TICKET.encode() not in kept_in(own_home)


def test_it_only_adds_to_what_satchel_finds(shop: Path) -> None:
    assert KEY not in packed(TASK, shop, 20_000, Asked(host=host_with(Tickets))).text


@pytest.mark.weekly
def test_what_was_kept_before_a_scanner_was_installed_is_not_shown_after(shop: Path) -> None:
    before = packed(TASK, shop, 20_000, Asked(host=host_with()))
    after = packed(TASK, shop, 20_000, Asked(host=host_with(Tickets)))

    assert TICKET in before.text
    assert TICKET not in after.text


def test_expand_asks_it_too(shop: Path) -> None:
    for level in ("full", "diff"):
        assert TICKET not in expand("checkout.py", shop, level=level, host=host_with(Tickets))


@pytest.mark.parametrize("answer", [None, 5, [(0, 10**9, "x")], [(3, 3, "x")], [("a", 1, "x")], [(0, 1)]])
def test_one_that_fails_or_answers_junk_stops_the_run_with_its_name(shop: Path, answer: object) -> None:
    scanner = attrs.make_class("Junk", {}, bases=(type("Said", (Broken,), {"answer": answer}),), frozen=True)

    with pytest.raises(PluginError, match="broken"):
        packed(TASK, shop, 20_000, Asked(host=host_with(scanner)))


def test_spans_are_joined_and_lines_are_kept() -> None:
    def everything(text: str, path: str) -> list[tuple[int, int, str]]:
        return [] if "[redacted" in text else [(0, len(text), "all"), (1, 3, "some")]

    assert redact("one\ntwo\n", scanners=[everything]).text.count("\n") == 2


def asked(shop: Path, site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    return run_satchel([*arguments, "--root", str(shop)], given="", env=env, timeout=60)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the example as pip would."""
    folder = tmp_path / "site"
    module = EXAMPLE / "satchel_tickets" / "__init__.py"
    write_files(
        folder,
        {
            "satchel_tickets.py": module.read_text(),
            "satchel_tickets-0.1.0.dist-info/METADATA": METADATA,
            "satchel_tickets-0.1.0.dist-info/entry_points.txt": "[satchel]\ntickets = satchel_tickets\n",
        },
    )
    return folder


@pytest.mark.costly
@pytest.mark.parametrize("name", ["tickets", "satchel-tickets", "satchel-tickets:tickets"])
def test_a_file_of_the_workspace_disables_no_installed_scanner(shop: Path, site: Path, name: str) -> None:
    (shop / "satchel.toml").write_text(f'disable = ["{name}"]\n')
    done = asked(shop, site, "pack", TASK)

    assert done.returncode == 0, done.stderr
    assert "[redacted:ticket:" in done.stdout
    assert TICKET not in done.stdout + done.stderr


def test_a_file_of_the_workspace_sets_no_scanner(shop: Path, site: Path) -> None:
    (shop / "satchel.toml").write_text('[scanner.tickets]\nprefix = "ZZ"\n')
    done = asked(shop, site, "pack", TASK)

    assert (done.returncode, done.stdout) == (2, "")
    assert "a workspace can't change redaction" in done.stderr


@pytest.mark.weekly
def test_the_person_may_leave_a_scanner_out_and_sees_it_listed(shop: Path, site: Path) -> None:
    assert TICKET in asked(shop, site, "pack", TASK, "--no-plugin", "tickets").stdout
    assert re.search(r"scanner +tickets +satchel-tickets +0.1.0 +on", asked(shop, site, "plugins").stdout)


@pytest.fixture
def installed(site: Path, tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(site), "SATCHEL_STATE_DIR": str(tmp_path / "state")}


def ran(env: dict[str, str], *arguments: str, given: str = "") -> str:
    done = run_satchel(arguments, given=given, env=env, timeout=60, check=True)
    return done.stdout + done.stderr


def test_a_squeezed_output_is_scanned_before_it_is_shown_and_archived(installed: dict[str, str]) -> None:
    lines = [f"line {number} of ACME-{number:06} went well\n" for number in range(3_000)]
    shown = ran(installed, "squeeze", "--budget", "200", "--format", "json", given="".join(lines))

    found = re.search(r"blob:[0-9a-f]+", shown)
    assert found is not None
    whole = ran(installed, "expand", found[0])
    assert whole.count("\n") == len(lines)
    assert not re.search(r"ACME-\d", shown + whole)


def test_what_was_archived_before_a_scanner_was_installed_is_not_shown_after(tmp_path: Path) -> None:
    before = Archive(tmp_path)
    hash_ = before.put(f"see {TICKET}\n")
    found = Scanners(
        (lambda text, path: [(hit.start(), hit.end(), "t") for hit in re.finditer(TICKET, text)],)
    )

    assert before.get(hash_) == f"see {TICKET}\n"
    assert TICKET not in Archive(tmp_path, scanners=found).get(hash_)
    assert TICKET not in Archive(tmp_path, scanners=found).lines(hash_, 1, 1)


def test_where_none_is_installed_the_archive_has_none(tmp_path: Path) -> None:
    assert open_archive(tmp_path).scanners.found == ()


@attrs.frozen
class HouseRules:
    """Brings one rule."""

    name: ClassVar[str] = "house_rules"
    regex: str = r"ACME-\d{6}"

    def rules(self) -> Iterable[RedactionRule]:
        return parse_rules(f"[[rules]]\nid = 'ticket'\nregex = '{self.regex}'\nkeywords = ['acme-']\n")


def host_with_rules(*classes: type) -> Host:
    hook = hookimpl(lambda: list(classes))
    return Host.of(satchel_plugins, SimpleNamespace(satchel_redaction_rules=hook), deadline_seconds=20.0)


def test_what_a_rule_of_others_finds_stands_in_no_document_and_in_no_cache(
    shop: Path, own_home: Path
) -> None:
    after = packed(TASK, shop, 20_000, Asked(host=host_with_rules(HouseRules)))

    assert TICKET not in str(after)
    assert TICKET.encode() not in kept_in(own_home)
    assert "[redacted:ticket:" in after.text
    assert after.secrets["ticket"] >= 2


def test_another_rule_has_another_key_for_cached_texts() -> None:
    @attrs.frozen
    class Others(HouseRules):
        regex: str = r"ACME-\d{5}"

    keys = {make_scanners(host_with_rules(*given), Config()).key for given in ((), (HouseRules,), (Others,))}

    assert len(keys) == 3


def test_a_file_of_the_workspace_sets_no_rules(shop: Path) -> None:
    (shop / "satchel.toml").write_text("[redaction_rule.house_rules]\nregex = 'ACME-0'\n")

    with pytest.raises(ConfigError, match="a workspace can't change redaction"):
        packed(TASK, shop, 20_000, Asked(host=host_with_rules(HouseRules), config=load(shop, env={})))


def test_another_version_of_a_scanner_looks_anew() -> None:
    @attrs.frozen
    class Later(Tickets):
        version: ClassVar[str] = "2"

    @attrs.frozen
    class Latest(Tickets):
        version: ClassVar[str] = "3"

    keys = {make_scanners(host_with(one), Config()).key for one in (Tickets, Later, Latest)}

    assert len(keys) == 3


def test_a_rule_that_can_not_be_used_stops_the_run_with_one_line(shop: Path) -> None:
    @attrs.frozen
    class Wrong(HouseRules):
        regex: str = "ACME-("

    with pytest.raises(PluginError, match=r"rule ticket: regex: missing \), unterminated") as raised:
        packed(TASK, shop, 20_000, Asked(host=host_with_rules(Wrong)))

    assert "\n" not in str(raised.value)
