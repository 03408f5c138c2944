"""A scanner for satchel: the numbers of ACME's support tickets stay in the house."""

import re

import attrs
from satchel import hookimpl


@attrs.frozen
class Tickets:
    name = "tickets"
    prefix: str = "ACME"

    def scan(self, text, path):
        for hit in re.finditer(rf"\b{re.escape(self.prefix)}-\d{{6}}\b", text):
            yield hit.start(), hit.end(), "ticket"


@hookimpl
def satchel_scanners():
    return [Tickets]
