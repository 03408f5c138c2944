"""Outputs that list: grep, find, ls, tree and du; docker."""

from __future__ import annotations

from typing import ClassVar

import attrs

from satchel_plugins.representers.outputs.reading import Rule, ToolOutput


@attrs.frozen(eq=False, repr=False)
class Listings(ToolOutput):
    """grep, find, ls, tree and du."""

    name: ClassVar[str] = "output-listings"
    command: ClassVar[str] = r"(?:^|[\s/;&|])(?:[ef]?grep|rg|ag|find|fd|ls|tree|du|df|stat|wc)(?:\s|$)"
    sure: ClassVar[str] = r"(?m)^\S.*\S$"
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("error", r"^(?:\S+: )?(?:grep|find|rg|ls|du|tree): "),
        Rule("verdict", r"^\d+ director(?:y|ies)(?:, \d+ files?)?$|^\s*\d+ total$"),
        Rule("heading", r"^[\w./@~-]+/[\w./@~-]+:$"),
    )


@attrs.frozen(eq=False, repr=False)
class Docker(ToolOutput):
    """docker, podman and compose."""

    name: ClassVar[str] = "output-docker"
    command: ClassVar[str] = (
        r"(?:^|[\s/;&|])(?:docker|podman"
        r"|docker-compose|buildx?)\b"
    )
    sure: ClassVar[str] = (
        r"(?m)^(?:#\d+ |Step \d+|ERROR: |Error |\S+ {2,}\| |CONTAINER ID|REPOSITORY|Sending build| => )"
    )
    rules: ClassVar[tuple[Rule, ...]] = (
        Rule("verdict", r"^(?:Successfully (?:built|tagged)|ERROR: failed to solve)"),
        Rule("error", r"^(?:#\d+ )?(?:[\d.]+ )?(?:ERROR|error|E): ", 1),
        Rule("heading", r"^(?:CONTAINER ID|REPOSITORY|NAME) {2,}|^Step \d+/\d+ : FROM"),
        Rule("noise", r"^#\d+ (?:sha256:|extracting|transferring|DONE|CACHED)|^ => (?:CACHED|=> )"),
    )
