"""A scanner for satchel: the numbers of ACME's support tickets stay in the house."""

import re
from collections.abc import Iterable
from typing import ClassVar

import attrs
from satchel.plugin_api import hookimpl


@attrs.frozen
class Tickets:
    name: ClassVar[str] = "tickets"
    prefix: str = "ACME"

    def scan(self, text: str, path: str) -> Iterable[tuple[int, int, str]]:
        for hit in re.finditer(rf"\b{re.escape(self.prefix)}-\d{{6}}\b", text):
            yield hit.start(), hit.end(), "ticket"


@hookimpl
def satchel_scanners() -> list[type[Tickets]]:
    return [Tickets]
