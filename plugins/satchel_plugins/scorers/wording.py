"""Words for reasons: the words of a task that a part holds, in the task's spelling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from satchel.plugin_api import WorkspaceError, count_text_terms, lazily

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_WORD = lazily(r"[^\W_](?:[\w'-]*\w)?")
_PIECE = lazily(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")
_MOST, _LONGEST = 3, 40
_MOST_WORDS = 400
"""Most words of a task that are read."""


def spell(task: Task) -> dict[str, str]:
    """Return how a task spells each of its folded terms."""
    words = list(dict.fromkeys(_WORD.findall(task.text)))[:_MOST_WORDS]
    pieces = dict.fromkeys(piece for word in words for piece in _PIECE.findall(word))
    spelled: dict[str, str] = {}
    for word in (*pieces, *words):
        terms = list(count_text_terms(word))
        if len(terms) == 1 or word not in pieces:
            for term in terms[-1:]:
                spelled.setdefault(term, word)
    return spelled


def name_words(part: Part, terms: Iterable[str], task: Task, workspace: Workspace) -> str:
    """Return the first three terms that a part's own text has word for word, "" if it has none."""
    text = text_of(part, workspace).casefold()
    spelled = spell(task)
    words = dict.fromkeys(spelled.get(term, term) for term in terms)
    return emphasize([word for word in words if len(word) > 1 and word.casefold() in text])


def text_of(part: Part, workspace: Workspace) -> str:
    """Return the text of a part of a file, "" for any other part."""
    if part.item not in (f"file:{part.path}", f"instructions:{part.path}"):
        return ""
    try:
        return "\n".join(workspace.texts.read(part.path).split("\n")[part.lines[0] - 1 : part.lines[1]])
    except (OSError, WorkspaceError):  # gone since it was listed
        return ""


def emphasize(words: Sequence[str]) -> str:
    """Return `*a*, *b* and *c*`: the first three that are not a piece of another."""
    folded = {word.casefold(): word for word in reversed(words)}
    whole = [
        word
        for small, word in reversed(folded.items())
        if not any(small in other for other in folded if other != small)
    ]
    marked = [f"*{word[:_LONGEST]}*" for word in whole[:_MOST]]
    return " and ".join(filter(None, [", ".join(marked[:-1]), *marked[-1:]]))


def title_of(part: Part) -> str:
    """Return a part's name in backticks, or its lines if it has no name."""
    return f"`{part.name}`" if part.name else f"`{part.path}:{part.lines[0]}-{part.lines[1]}`"
