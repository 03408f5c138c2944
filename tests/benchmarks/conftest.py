"""Let the tests import what the scripts in docs/benchmarks import."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "benchmarks"))
