"""Small JSON files in the cache folder: private, replaced whole, and never needed to go on."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any


def read_record(path: Path) -> dict[str, Any]:
    """Return what the file holds, {} where it is missing, damaged or of another shape."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(path: Path, record: dict[str, Any]) -> bool:
    """Replace the file at once, mode 0600; return whether that was possible."""
    from satchel.workspace.places import make_private

    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        make_private(path.parent)
        descriptor = os.open(
            draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600
        )
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(record, file)
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        return False
    return True
