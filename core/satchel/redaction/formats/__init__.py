"""All formats of secrets that are looked for by a word that stands in them, grouped by who makes them."""

from __future__ import annotations

from satchel.redaction.formats.clouds import CLOUDS
from satchel.redaction.formats.commands import COMMANDS
from satchel.redaction.formats.credentials import CREDENTIALS
from satchel.redaction.formats.forges import FORGES
from satchel.redaction.formats.platforms import PLATFORMS
from satchel.redaction.formats.services import SERVICES
from satchel.redaction.rules import Rule

RULES: tuple[Rule, ...] = (*CLOUDS, *FORGES, *PLATFORMS, *SERVICES, *CREDENTIALS, *COMMANDS)
