"""Fit the weights of the `estimate` tokenizer on the text of this machine, and measure them.

    python docs/benchmarks/calibrate_estimator.py FOLDER... > plugins/satchel_plugins/tokenizers/estimate.json

Truth is the `offline` tokenizer. Half of the files (by the hash of their path) are fitted on, the
other half is measured on; the report goes to stderr. Needs numpy.
"""

from __future__ import annotations

import base64
import gettext
import hashlib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from satchel_plugins.tokenizers.estimate import TextKind, estimate_with, features, text_kind
from satchel_plugins.tokenizers.offline import OfflineTokenizer

FILES_PER_SUFFIX = 180
CATALOGUES = 2000
CHARS_PER_FILE = 60_000
BLOCK_LINES = (3, 8, 20, 40)
# emoji, Cherokee, Shavian, letters of mathematics, rare Han: few files or none are written in them
SCRIPTS = ((0x1F300, 0x1F64F), (0x13A0, 0x13F4), (0x10450, 0x1047F), (0x1D400, 0x1D44F), (0x20000, 0x2A6DF))
SHOWN = (
    ".py",
    ".js",
    ".c",
    ".go",
    ".html",
    ".json",
    ".md",
    ".mo",
    "minified",
    "base64",
    "hex",
    "numbers",
    "scripts",
)
Matrix = np.ndarray[Any, np.dtype[Any]]


@attrs.frozen
class Sample:
    """A text to learn from: a whole file or some lines of one."""

    group: str
    path: str
    text: str
    is_block: bool = False

    @property
    def held_out(self) -> bool:
        """Tell whether the sample is measured on, never fitted on."""
        return digest(self.path)[0] % 2 == 0


def digest(text: str) -> bytes:
    """Return a hash that orders and parts the files in the same way in each run."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def readable(path: Path) -> str | None:
    """Return the text of a file; of a .mo catalogue its translations; None where it has none."""
    try:
        if path.suffix == ".mo":
            with path.open("rb") as file:
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
            return "\n".join(text for key, text in catalogue.items() if key and isinstance(text, str))
        text = path.read_bytes().decode()
    except (OSError, ValueError, EOFError):
        return None
    return None if "\0" in text else text


def by_suffix(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the files of 300 bytes to 300 kB, each suffix in the order of their paths' hashes."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and 300 < path.stat().st_size < 300_000:
                groups[path.suffix.lower()].append(path)
    return {suffix: sorted(paths, key=lambda path: digest(str(path))) for suffix, paths in groups.items()}


def files(folders: Iterable[Path]) -> Iterator[Sample]:
    """Yield up to 180 files of each suffix, none twice, and 2,000 message catalogues."""
    seen: set[bytes] = set()
    for suffix, paths in sorted(by_suffix(folders).items()):
        wanted = CATALOGUES if suffix == ".mo" else FILES_PER_SUFFIX
        for path in paths[: 3 * wanted]:
            text = (readable(path) or "")[:CHARS_PER_FILE]
            if wanted == 0:
                break
            if len(text) >= 100 and digest(text) not in seen:
                seen.add(digest(text))
                wanted -= 1
                yield Sample(suffix, str(path), text)


def invented(chance: random.Random) -> Iterator[Sample]:
    """Yield texts as dense as they come: base64, hexadecimal digits, numbers, rare scripts."""
    for number in range(60):
        noise = chance.randbytes(chance.randint(400, 6000))
        yield Sample("base64", f"base64-{number}", base64.b64encode(noise).decode())
        yield Sample("hex", f"hex-{number}", noise.hex())
        numbers = ", ".join(f"{chance.gauss(0, 1):.6f}" for _ in range(300))
        yield Sample("numbers", f"numbers-{number}", numbers)
        first, last = SCRIPTS[number % len(SCRIPTS)]
        words = (
            "".join(chr(chance.randint(first, last)) for _ in range(chance.randint(1, 6))) for _ in range(300)
        )
        yield Sample("scripts", f"scripts-{number}", " ".join(words))


def minified(samples: Iterable[Sample]) -> Iterator[Sample]:
    """Yield the JSON files among `samples` without blanks."""
    for sample in samples:
        try:
            text = json.dumps(json.loads(sample.text), separators=(",", ":"))
        except ValueError:
            continue
        if sample.group == ".json":
            yield Sample("minified", sample.path, text)


def blocks(samples: Iterable[Sample], chance: random.Random) -> Iterator[Sample]:
    """Yield two blocks of 3 to 40 lines of each sample: what the road counts is of that size."""
    for sample in samples:
        lines = sample.text.splitlines(keepends=True)
        for _ in range(2):
            size = chance.choice(BLOCK_LINES)
            start = chance.randrange(max(1, len(lines) - size + 1))
            text = "".join(lines[start : start + size])[:6000]
            if len(text) > 40:
                yield Sample(sample.group, sample.path, text, is_block=True)


def fitted(rows: Matrix, tokens: Matrix, *, positive: bool) -> Matrix:
    """Return weights of least absolute relative error, by least squares that are weighted anew.

    With `positive` a feature that would weigh less than nothing weighs nothing: few texts to learn
    from then can't make another one's estimate vanish.
    """
    relative = rows / tokens[:, None]
    weights = np.zeros(rows.shape[1])
    kept = np.arange(rows.shape[1])
    while True:
        weights[kept] = least_deviations(relative[:, kept])
        if not positive or (weights >= 0).all():
            return weights
        kept, weights = kept[weights[kept] > 0], np.zeros(rows.shape[1])


def least_deviations(relative: Matrix) -> Matrix:
    """Return weights with which each row sums to about 1."""
    weight = np.ones(len(relative))
    ridge = 1e-6 * len(relative) * np.eye(relative.shape[1])
    for _ in range(20):
        weighted = relative * weight[:, None]
        weights: Matrix = np.linalg.solve(weighted.T @ weighted + ridge, weighted.T @ weight)
        weight = 1 / np.sqrt(np.maximum(abs(relative @ weights - 1), 0.01))
    return weights


def report(name: str, errors: Matrix) -> float:
    """Print the errors of a group to stderr; return the half width of the 90 % interval."""
    half = float(np.quantile(abs(errors), 0.9))
    low, middle, high = np.quantile(errors, [0.05, 0.5, 0.95])
    print(
        f"{name:16} n {len(errors):5}  mean {abs(errors).mean():6.1%}  p05 {low:+7.1%}  median {middle:+6.1%}"
        f"  p95 {high:+7.1%}  worst {errors.min():+7.1%} {errors.max():+7.1%}  90% within {half:.1%}",
        file=sys.stderr,
    )
    return half


def _lines(row: tuple[float, ...]) -> str:
    starts = range(0, len(row), 10)
    return ",\n".join("      " + ", ".join(f"{value:.4g}" for value in row[at : at + 10]) for at in starts)


def file_text(weights: dict[str, tuple[float, ...]], error: float) -> str:
    """Return the file that holds the weights, in the order of FEATURES."""
    tables = ",\n".join(f'    "{kind}": [\n{_lines(row)}\n    ]' for kind, row in weights.items())
    return f'{{\n  "error": {error:.3f},\n  "weights": {{\n{tables}\n  }}\n}}\n'


def main(folders: list[str]) -> None:
    """Fit, measure and print the file."""
    chance = random.Random(1)  # noqa: S311 - the same sample in each run, no secret
    whole = list(files(Path(folder) for folder in folders))
    whole += [*invented(chance), *minified(whole)]
    samples = [*whole, *blocks(whole, chance)]
    counts = [features(sample.text) for sample in samples]
    rows = np.array(counts, float)
    tokens = np.array(OfflineTokenizer().count([sample.text for sample in samples]), float)
    kinds = np.array([text_kind(count).value for count in counts])
    held = np.array([sample.held_out for sample in samples])
    weights = {
        kind.value: tuple(
            fitted(
                rows[~held & (kinds == kind.value)],
                tokens[~held & (kinds == kind.value)],
                positive=kind is TextKind.FOREIGN,
            ).tolist()
        )
        for kind in TextKind
    }
    errors = np.array([estimate_with(weights, sample.text) for sample in samples]) / tokens - 1
    is_file = held & ~np.array([sample.is_block for sample in samples])
    groups = np.array([sample.group for sample in samples])
    half = report("files", errors[is_file])
    report("blocks", errors[held & ~is_file])
    for kind in TextKind:
        report(kind.value, errors[is_file & (kinds == kind.value)])
    for group in SHOWN:
        report(group, errors[is_file & (groups == group)])
    sys.stdout.write(file_text(weights, half))


if __name__ == "__main__":
    main(sys.argv[1:])
