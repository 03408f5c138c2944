"""Measure redaction: recall on keys drawn at random, speed and alarms on real code.

Run from the repository root: `python docs/benchmarks/redaction.py [--unseen] [FOLDER...]`. It prints
Markdown; every alarm is listed by file, line and rule, without its text, so that each can be looked at.
"""

# ruff: noqa: S311 - nothing here is secret
from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from satchel.redaction import redact

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "core" / "redaction"))
from decoys import DECOYS  # type: ignore[import-not-found]  # the same
from formats import CRYPTIC, FORMS, NAMED, PLACES  # type: ignore[import-not-found]  # put on the path above
from lookalikes import LOOKALIKES  # type: ignore[import-not-found]  # the same
from unseen import cases as unseen_cases  # type: ignore[import-not-found]  # the same

SEED, ROUNDS = 31, 10
UNSEEN_SEEDS = (1, 2, 3)
LARGEST = 3_000_000
PER_FOLDER = 12_000_000


def cases(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield a secret and the text around it, for each form and each place."""
    names = [(CRYPTIC, form) for form in FORMS.values()] + list(NAMED.values())
    for name, form in names:
        for place in PLACES.values():
            secret = form(rng)
            yield secret, place(name, secret)


def recall() -> tuple[int, int]:
    """Return how many secrets there were and how many were still in the text."""
    rng = random.Random(SEED)
    drawn = [case for _ in range(ROUNDS) for case in cases(rng)]
    return len(drawn), sum(secret in redact(text).text for secret, text in drawn)


def unseen() -> None:
    """Print the recall on the second list, by group: known forms, forms alone, names, structures."""
    drawn: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for seed in UNSEEN_SEEDS:
        for group, _, _, text, secrets in unseen_cases(seed):
            clean = redact(text).text
            drawn[group] += 1
            left[group] += any(part in clean for secret in secrets for part in _pieces(secret))
    for group, count in drawn.items():
        print(f"Unseen, {group}: {count}, recall {1 - left[group] / count:.4f}")
    print(f"Unseen: {drawn.total()}, recall {1 - left.total() / drawn.total():.4f}\n")


def _pieces(secret: str) -> tuple[str, ...]:
    """Return a secret, and its first and last two thirds where it is long."""
    third = len(secret) // 3
    return (secret, secret[: 2 * third], secret[third:]) if len(secret) >= 20 else (secret,)


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the text files of a folder, up to `PER_FOLDER` bytes of them."""
    size = 0
    for path in sorted(folder.rglob("*")):
        if ".git" in path.parts or path.is_symlink() or not path.is_file() or size > PER_FOLDER:
            continue
        content = path.read_bytes()
        if b"\0" not in content[:4096] and len(content) <= LARGEST:
            size += len(content)
            yield path, content.decode("utf-8", "replace")


def measure(folder: Path) -> None:
    """Print a row for a folder: size, speed, alarms, and where they are."""
    size, seconds, alarms = 0, 0.0, []
    for path, text in texts(folder):
        start = time.process_time()
        found = redact(text, path=str(path)).found
        seconds += time.process_time() - start
        size += len(text)
        alarms += [f"{path}:{finding.line} {finding.rule}" for finding in found]
    megabytes = max(size, 1) / 1e6
    rates = f"{megabytes / max(seconds, 1e-9):.1f} | {len(alarms)} | {len(alarms) / megabytes:.2f}"
    print(f"| {folder} | {megabytes:.1f} | {rates} |")
    for alarm in alarms:
        print(f"<!-- {alarm} -->")


def main(folders: Sequence[str]) -> None:
    """Print all figures."""
    drawn, left = recall()
    looks = [*LOOKALIKES, *DECOYS]
    changed = sum(redact(text).text is not text for text in looks)
    print(f"Secrets: {drawn}, found {drawn - left}, recall {1 - left / drawn:.4f}")
    print(f"Look-alikes: {len(looks)}, changed {changed}\n")
    if "--unseen" in folders:
        unseen()
    print("| folder | MB | MB/s | alarms | alarms/MB |\n| --- | --- | --- | --- | --- |")
    for folder in folders:
        if folder == "--unseen":
            continue
        measure(Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
