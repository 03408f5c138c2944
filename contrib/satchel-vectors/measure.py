"""Measure what the scorers cost and gain: `measure.py pack ROOT TASK`, or `measure.py locomo FILE.json ...`.

The files are those of LoCoMo (snap-research on GitHub, CC BY-NC 4.0, not kept here), one conversation each.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import satchel
from satchel import Host, Part, Task
from satchel_plugins.tokenizers.offline import OfflineTokenizer

from satchel_vectors import DialogueVectors

BUDGETS = (0.05, 0.10, 0.25)


class Turns:
    """A conversation's turns, as `satchel compact` hands them to scorers."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.parts = [Part("user", "", (at, at), id=f"m{at}", item=f"m{at}") for at in range(len(texts))]
        self._texts = {part.id: text for part, text in zip(self.parts, texts, strict=True)}

    def text(self, part: Part) -> str:
        """Return what a turn says."""
        return self._texts[part.id]


def turns_of(chat: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each turn."""
    number = 1
    while f"session_{number}" in chat:
        for turn in chat[f"session_{number}"]:
            shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield turn["dia_id"], f"{turn['speaker']}: {turn.get('text') or ''}{shared}"
        number += 1


def recall(scores: Sequence[float], costs: Sequence[int], wanted: set[int], *, share: float) -> float:
    """Return the share of wanted turns among the best ones that fit."""
    left, kept = share * sum(costs), set()
    for at in sorted(range(len(costs)), key=lambda at: -scores[at]):
        if costs[at] <= left:
            kept.add(at)
            left -= costs[at]
    return len(wanted & kept) / len(wanted)


def locomo(files: Sequence[str]) -> None:
    """Print the mean share of evidence among the turns that the scorer alone likes best."""
    found: dict[float, list[float]] = {share: [] for share in BUDGETS}
    seconds, scored, scorer = 0.0, 0, DialogueVectors()
    for file in files:
        chat = json.loads(Path(file).read_text(encoding="utf-8"))
        ids, texts = zip(*turns_of(chat), strict=True)
        turns, costs = Turns(texts), [4 + count for count in OfflineTokenizer().count(texts)]
        for question in chat["qa"]:
            wanted = {ids.index(one) for one in question["evidence"] if one in ids}
            if question["category"] == 5 or not wanted:
                continue
            start = time.process_time()
            scores = list(scorer.score(turns.parts, Task(question["question"]), turns))  # type: ignore[arg-type]
            seconds, scored = seconds + time.process_time() - start, scored + len(texts)
            for share in BUDGETS:
                found[share].append(recall(scores, costs, wanted, share=share))
    for share, values in found.items():
        print(f"{share:4.0%}: {sum(values) / len(values):.1%} of the evidence of {len(values)} questions")
    print(f"{1e6 * seconds / scored:.0f} microseconds a message")


def pack(root: str, task: str) -> None:
    """Print the CPU seconds of a warm pack without and with the scorers, the median of five."""
    for disable in ([], ["vectors"], []):
        host = Host.installed(disable=disable)
        times = []
        for _ in range(5):
            start = time.process_time()
            satchel.pack(task, root, budget=16_000, host=host)
            times.append(time.process_time() - start)
        print("without" if disable else "with", f"{sorted(times)[2]:.2f} s")


if __name__ == "__main__":
    if sys.argv[1] == "pack":
        pack(sys.argv[2], sys.argv[3])
    else:
        locomo(sys.argv[2:])
