"""Say what a task lacks: words that occur in the workspace, or more than one word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.items import Level
from satchel.packing.answering import CERTAIN
from satchel.paths import safe_text
from satchel.questions import Aim, asks_about_changes, asks_about_whole, read_question
from satchel.selecting import NO_ROOM
from satchel.stems import stem
from satchel.workspace.index.documents import PATH

if TYPE_CHECKING:
    from satchel.items import Task
    from satchel.packing.pipeline import PackOutcome
    from satchel.workspace import Workspace

_SEVERAL, _FEW = 4, 1 / 3
"""Words of a task from which on it says something if less than this share of them occurs."""
_LONGEST = 40
_MOST_QUOTED = 4
"""Words that a sentence quotes."""
_HELP = "name a file, a function, or words that the files use"


def find_hints(
    task: Task, workspace: Workspace, *, is_weak: bool = False, is_unchanged: bool = False
) -> list[str]:
    """Return sentences about a task that says too little for a good pack; [] for most tasks.

    `is_weak` tells that nothing matches a question well, `is_unchanged` that it is about changes, and nothing
    is changed.
    """
    if is_unchanged:
        return ["nothing is changed since the newest commit; to review commits, name one with --since"]
    located = any(ref.kind in ("path", "symbol", "frame", "string") for ref in task.references)
    if located or task.pins or task.open_files or asks_about_changes(task.text):
        return []
    asked, rarity, question = (
        workspace.ranking.query(task),
        workspace.ranking.files(task).rarity,
        read_question(task.text),
    )
    if Aim.HISTORY in question.aims:  # commits answer it, whose words are no file's
        return []
    nearest = workspace.ranking.misspelled(task)
    inflected = {term for term, near in nearest.items() if stem(near) == stem(term)}
    known = [term for term in asked if term in rarity or term in inflected or _is_in_a_path(term, workspace)]
    is_question = question.certainty >= CERTAIN
    if not asked:
        says_nothing = not (question.own or asks_about_whole(task.text, name=workspace.root.name))
        return (
            []
            if is_question and not says_nothing
            else [f"the task has no word that tells where to look; {_HELP}"]
        )
    mended = {term: near for term, near in nearest.items() if term not in inflected}
    if mended:
        read = ", ".join(
            f"{_quote(term)} as {_quote(near)}" for term, near in list(mended.items())[:_MOST_QUOTED]
        )
        return [f"words that occur nowhere were read as those spelled nearly so: {read}"]
    if not known:
        if asks_about_whole(task.text, name=workspace.root.name):
            return []
        words = " and ".join(map(_quote, list(asked)[:_MOST_QUOTED]))
        told = f"{words} {'occurs' if len(asked) == 1 else 'occur'} nowhere in the workspace"
        if any(term in rarity for term in question.terms.keys() - question.own):
            return [f"{told}, shown is what words of the same meaning find"]
        return [f"{told}, so this is a guess; {_HELP}"]
    if len(asked) >= _SEVERAL and len(known) < _FEW * len(asked):
        verb = "occurs" if len(known) == 1 else "occur"
        return [f"only {len(known)} of the task's {len(asked)} words {verb} in the workspace; {_HELP}"]
    if len(asked) == 1 and not is_question:
        return [f"only one word of the task tells where to look, {_quote(known[0])}; say more about it"]
    return [f"nothing matches the question well, shown is what comes closest; {_HELP}"] if is_weak else []


def _is_in_a_path(term: str, workspace: Workspace) -> bool:
    known = workspace.index.numbered.by_id
    return any(id_ in known for id_ in workspace.index.postings(term, PATH))


def find_least_budget(outcome: PackOutcome) -> int:
    """Return the counted tokens that the cheapest text of a pack that shows nothing needs.

    Where there are only address lines, they are those of the shortest. 0 if tokens are not the reason.
    """
    if outcome.kept:
        return 0
    ladders = [
        outcome.weighed.ladders[item.id]
        for item, reason, _, _ in outcome.left_out
        if reason.startswith(NO_ROOM)
    ]
    texts = [one.tokens for ladder in ladders for one in ladder.options if one.level is not Level.POINTER]
    names = [ladder.options[0].tokens for ladder in ladders]
    return outcome.weighed.frame + min(texts or names) if names else 0


def _quote(term: str) -> str:
    return f'"{safe_text(term)[:_LONGEST]}"'
