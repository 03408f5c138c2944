"""Fuzz one target with atheris: `python tests/fuzz/fuzz.py TARGET [libFuzzer options] [corpus folder]`.

atheris instruments satchel's own modules, so that inputs which reach new code are kept and changed
further. An input that raises, or takes longer than `-timeout`, is written to a file `crash-*`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found]  # installed by .ci/weekly alone

sys.path.insert(0, str(Path(__file__).parent))
with atheris.instrument_imports(include=["satchel", "satchel_plugins"]):
    from targets import TARGETS  # type: ignore[import-not-found]  # put on the path above

    for package in ("satchel.redaction", "satchel.workspace", "satchel_plugins"):
        # What a function imports when it is called would not be instrumented.
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)


def main() -> None:
    """Fuzz the target that the first argument names."""
    name = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if name not in TARGETS:
        sys.exit(f"no target is called {name!r}; there are {', '.join(TARGETS)}")
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
