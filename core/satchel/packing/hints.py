"""Find hints for a task that lacks words: words that occur in the workspace, or more than one word."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import WorkspaceError
from satchel.items import Level
from satchel.packing.gathering import BYTES_PER_TOKEN
from satchel.packing.weighing.answering import CERTAIN
from satchel.paths import safe_text
from satchel.patterns import lazily
from satchel.questions import (
    Aim,
    Question,
    asks_about_changes,
    asks_about_whole,
    read_question,
)
from satchel.questions.facts import find_declaration
from satchel.questions.word_tables import read_words
from satchel.questions.words import find_short_forms
from satchel.selecting import NO_ROOM
from satchel.stems import inflect, stem
from satchel.workspace.index.documents import PATH
from satchel.workspace.index.terms import WORD, count_terms, is_east_asian

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from satchel.items import Task
    from satchel.packing.pipeline import PackOutcome
    from satchel.workspace import Workspace

_SEVERAL, _FEW = 4, 1 / 3
"""Least words of a task for a hint if less than this share of them occurs."""
_LONGEST = 40
_MOST_QUOTED = 4
"""Most words quoted in a hint."""
_CONFLICTS = "resolve the merge conflicts"
_MY_CHANGES, _THE_WHOLE = "review my changes", "explain this project"
_SHOWN = {
    _CONFLICTS: " (showing what is in conflict)",
    _MY_CHANGES: " (showing your changes)",
    _THE_WHOLE: " (showing what the project is)",
    "": " (this is a guess)",
}
"""Questions asked instead of a task that finds nothing, and the words of the hint."""
NEWEST_COMMIT = "the newest commit"
_HELP = "name a file, a function, or words that the files use"


def find_hints(
    task: Task,
    workspace: Workspace,
    *,
    instead: str = "",
    is_weak: bool = False,
    is_complete: bool = False,
    unchanged_since: str = "",
) -> list[str]:
    """Return sentences about a task that says too little for a good pack; [] for most tasks.

    `instead` is the question asked in its place, from `find_instead`; `is_weak` means that nothing matches
    the question well, `is_complete` that the pack shows everything, and `unchanged_since` names the commit
    since which there are no changes to review.
    """
    if unchanged_since:
        told = f"nothing has changed since {safe_text(unchanged_since)}"
        return [f"{told}; to review commits, name one before them with --since"]
    read = _read_words(task, workspace)
    if read is None:
        return []
    shown = " (everything fits, so nothing is left out)" if is_complete and not instead else _SHOWN[instead]
    asked, known, mended, is_question = read.asked, read.known, read.mended, read.is_question
    if not asked:
        return [f"the task has no word that says where to look{shown}; {_HELP}"]
    if mended:
        told = ", ".join(f"{_quote(term)} as {_quote(near)}" for term, near in mended[:_MOST_QUOTED])
        return [f"words that occur nowhere were read as similar ones: {told}"]
    unknown = list(dict.fromkeys([word for term, word in asked.items() if term not in known]))
    told = f"{' and '.join(map(_quote, unknown[:_MOST_QUOTED]))} occur{'s' * (len(unknown) == 1)} nowhere"
    is_many = 2 * len(unknown) >= len(asked)
    if read.has_meanings and (not known or (read.is_translated and is_many)):
        return [f"{told} in the workspace; showing matches for words of the same meaning"]
    if not known:
        return [f"{told} in the workspace{shown}; {_HELP}"]
    if len(asked) >= _SEVERAL and len(known) < _FEW * len(asked):
        verb = "occurs" if len(known) == 1 else "occur"
        return [f"only {len(known)} of the task's {len(asked)} words {verb} in the workspace; {_HELP}"]
    if is_question and is_many:
        return [f"{told} in the workspace; showing matches for the other words"]
    if len(asked) == 1 and not is_question:
        return [f"only one word of the task says where to look: {_quote(*asked.values())}; add more words"]
    return [f"nothing matches the question well, so these are the closest parts; {_HELP}"] if is_weak else []


def find_instead(task: Task, workspace: Workspace, budget: int) -> str:
    """Return the question to ask instead of a task none of whose words is in the workspace.

    It asks for conflicts or uncommitted changes, or else about the project; "" for a task that finds
    something, and for a task that is no question if there is room for all files.
    """
    read = _read_words(task, workspace)
    if read is None or read.known or read.mended or read.has_meanings:
        return ""
    if changes := _ask_for_changes(workspace):
        return changes
    size = sum(one.size for one in workspace.index.documents.values())
    return _THE_WHOLE if read.is_question or size > budget * BYTES_PER_TOKEN else ""


_VAGUE, _HELPING = read_words("vague task"), frozenset({"help"})
_ASKS_FOR_HELP = lazily(r"(?i)\bhelp (me|us|out)\b|\b(please|need|want|some) help\b")
_ANSWERED_ELSE = frozenset({Aim.HISTORY, Aim.DEVELOPING})
"""Aims that commits or commands answer: their words are in no file, and not in the question."""


class _TaskWords(NamedTuple):
    """The words that a task looks for, and the ones that are found."""

    asked: Mapping[str, str]
    known: Sequence[str]
    mended: Sequence[tuple[str, str]]
    """Words that occur nowhere, with similar words that do."""
    has_meanings: bool
    """Whether synonyms of its words occur."""
    is_question: bool
    is_translated: bool = False
    """Whether it is in another language than English, so that its words are translated."""


def _is_declared(question: Question, workspace: Workspace) -> bool:
    """Return whether a file may declare the fact that a question asks for, in any words."""
    fact = question.fact
    return fact is not None and any(find_declaration(fact, path) for path in workspace.index.documents)


def _read_words(task: Task, workspace: Workspace) -> _TaskWords | None:
    """Return the words that a task looks for, None if its form or the things it names say enough."""
    located = any(ref.kind in ("path", "symbol", "frame", "string") for ref in task.references)
    if located or task.pins or task.open_files or asks_about_changes(task.text):
        return None
    question = read_question(task.text)
    if not _ANSWERED_ELSE.isdisjoint(question.aims) or _is_declared(question, workspace):
        return None
    terms, is_question = workspace.ranking.query(task), question.certainty >= CERTAIN
    if question.language != "en":  # the little words of other languages say nothing
        terms = {term: weight for term, weight in terms.items() if stem(term) in question.own}
    if not terms and is_question and question.own:
        return None
    telling = {word for word in WORD.findall(task.text.lower()) if count_terms(word).keys() & terms}
    if _ASKS_FOR_HELP.search(task.text):
        telling, is_question = telling - _HELPING, False
    if terms and not is_question and telling <= _VAGUE:
        return _TaskWords({}, [], [], has_meanings=False, is_question=is_question)
    words = {term: word for word in reversed(WORD.findall(task.text.lower())) for term in count_terms(word)}
    rarity, nearest = workspace.ranking.files(task).rarity, workspace.ranking.misspelled(task)
    inflected = {term for term, near in nearest.items() if stem(near) == stem(term)}
    if is_question:  # whose words are looked for in all their forms
        inflected |= {term for term in terms if term not in rarity and _has_other_forms(term, workspace)}
    known = [term for term in terms if term in rarity or term in inflected or _is_in_a_path(term, workspace)]
    if not known and asks_about_whole(task.text, name=workspace.root.name):
        return None
    mended = [(words.get(term, term), near) for term, near in nearest.items() if term not in inflected]
    meanings = question.terms.keys() - question.own if terms else set[str]()
    has_meanings = not meanings.isdisjoint(map(stem, rarity))
    asked = {term: words.get(term, term) for term in terms}
    found = {asked[term] for term in known}
    asked = {
        term: word
        for term, word in asked.items()
        if term in known or word not in found or not is_east_asian(term)
    }
    return _TaskWords(asked, known, mended, has_meanings, is_question, question.language != "en")


def _has_other_forms(term: str, workspace: Workspace) -> bool:
    """Return whether a word of the same stem occurs, or an abbreviation: "lint" for "linter", "auth"."""
    forms = {*inflect(stem(term)), *find_short_forms({stem(term)})} if term.isascii() else set()
    return bool(forms) and bool(workspace.index.known_terms(forms))


def _ask_for_changes(workspace: Workspace) -> str:
    """Return the question about conflicts or uncommitted changes, "" if there are none."""
    if workspace.git is None:
        return ""
    with suppress(WorkspaceError):
        status = workspace.history.status()
        if status.conflicts:
            return _CONFLICTS
        return _MY_CHANGES if status.staged or status.unstaged else ""
    return ""


def _is_in_a_path(term: str, workspace: Workspace) -> bool:
    known = workspace.index.numbered.by_id
    return any(id_ in known for id_ in workspace.index.postings(term, PATH))


def find_least_budget(outcome: PackOutcome) -> int:
    """Return the counted tokens of the cheapest text for a pack that shows nothing.

    If there are only address lines, of the shortest. 0 if tokens are not the reason.
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
