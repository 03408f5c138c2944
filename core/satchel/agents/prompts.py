"""Choose the part of a workspace that is shown beside a person's prompt: a small pack, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from satchel.patterns import lazily

if TYPE_CHECKING:
    from satchel.packing.bundle import Bundle, BundleItem

MOST_CHARACTERS = 10_000
"""Most UTF-16 units that a hook may add: of a longer text Claude Code shows 2,000, and a file name."""
BUDGET = 2_000
"""Tokens of the pack."""
_BEST = 8
"""Items that are checked."""
_TRIES = 4
_HEADING = (
    "satchel chose these parts of the workspace for this prompt. Lines A-B of a file that are not shown: "
    "`satchel expand PATH:A-B`.\n\n"
)
_WORD = lazily(r"[^\W\d]\w+")
_IDENTIFIER = lazily(r"_|[a-z][A-Z]")
"""A sign that a word of a prompt is a name in code."""
_OF_ANY_TASK = frozenset({"instructions", "overview", "tree"})
"""Kinds of items that do not show whether a pack is about the prompt."""
_SMALL_TALK = frozenset(
    """
    again ahead alright answer approve awesome better bye check commit continue cool correct done explain
    fine fix go good great hello help hey hi keep let look looks merge nice nope ok okay perfect please
    proceed push right say show sorry start stop sure tell thank thanks that this understood wait write
    wrong yeah yep
    """.split()  # noqa: SIM905 (a list of words in quotes is hard to read)
)


def length(text: str) -> int:
    """Return a text's length as Claude Code counts it, in UTF-16 units."""
    return len(text) + sum(ord(character) > 0xFFFF for character in text)


def choose_context(prompt: str, pack: Callable[..., Bundle], *, most: int = MOST_CHARACTERS) -> str:
    """Return the text to add to a prompt, "" if nothing in the workspace is relevant.

    `pack` packs for a task within a `budget` of tokens.
    """
    terms = content_terms(prompt)
    if prompt.lstrip().startswith(("/", "!", "#")) or not (terms or any(mark in prompt for mark in "/._")):
        return ""
    budget = BUDGET
    for _ in range(_TRIES):
        bundle = pack(prompt, budget=budget)
        if not is_relevant(bundle, terms):
            return ""
        text = _HEADING + bundle.text
        over = length(text) / most
        if over <= 1:
            return text
        budget = int(budget / over * 0.95)
    return ""


def content_terms(prompt: str) -> set[str]:
    """Return the terms of a prompt that name its subject."""
    from satchel.workspace.index.terms import STOP, split_words

    words = [word for word in _WORD.findall(prompt) if word.lower() not in STOP | _SMALL_TALK]
    found = {term for terms in split_words(words) for term in terms}
    return {term for term in found if len(term) > 2 and term not in STOP and term not in _SMALL_TALK}


def is_relevant(bundle: Bundle, terms: set[str]) -> bool:
    """Return whether a pack has an item that the prompt names, or that shares two of its terms.

    A prompt with a single term has to share it with the item's path. Scores can't decide: they are relative
    to the best of the pack, whatever that is worth.
    """
    named = {word for word in _WORD.findall(bundle.task) if _IDENTIFIER.search(word)}
    return any(_is_about(item, terms, named, bundle.task) for item in bundle.items[:_BEST])


def _is_about(item: BundleItem, terms: set[str], named: set[str], prompt: str) -> bool:
    from satchel.workspace.index.terms import split_words

    if item.kind in _OF_ANY_TASK:
        return False
    file = item.path.rpartition("/")[2]
    words = _WORD.findall(item.text)
    if (file and file in prompt) or not named.isdisjoint(words):
        return True
    in_path = {term for some in split_words(_WORD.findall(item.path)) for term in some}
    if len(terms) == 1:
        return bool(terms & in_path)
    held = in_path | {term for some in split_words(words) for term in some}
    return len(terms & held) >= 2


def start_context(changed: str, pack: Callable[[], Bundle | None]) -> str:
    """Return the text to add at the start of a session: uncommitted changes, "" without any.

    Args:
        changed: the changed files, one a line, "" for none.
        pack: packs the changes, None if that is impossible now.
    """
    if not changed.strip():
        return ""
    rows = changed.rstrip().splitlines()
    more = f"\n... and {len(rows) - 40} more" if len(rows) > 40 else ""
    listed = "Uncommitted changes in the workspace:\n" + "\n".join(rows[:40]) + more + "\n"
    bundle = pack()
    if bundle is not None and length(both := f"{listed}\n{bundle.text}") <= MOST_CHARACTERS:
        return both
    return listed if length(listed) <= MOST_CHARACTERS else ""
