from typing import ClassVar

from satchel.testing.contracts import ScannerContract

from satchel_tickets import Tickets


class TestTickets(ScannerContract):
    plugin = Tickets
    samples: ClassVar[dict[str, tuple[str, str]]] = {"notes.md": ("As ACME-204811 says", "ACME-204811")}


def test_another_prefix_can_be_set() -> None:
    assert list(Tickets("ZZ").scan("see ZZ-100200, not ACME-204811", "")) == [(4, 13, "ticket")]
