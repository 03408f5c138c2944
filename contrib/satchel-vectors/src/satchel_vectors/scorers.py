"""The scorers: of what stands in a workspace, and of the exchanges of a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from functools import partial
from heapq import nsmallest
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from satchel import Part, Task, Workspace
    from satchel.plugin_api import Dialogue

_MOST_ASKED = 32
"""Words of a task that are asked for: the heaviest. A pasted log has thousands."""
_LONGEST_TEXT = 20_000
"""Letters of an exchange whose words count."""

Held = Sequence[Mapping[str, int]]


@attrs.frozen
class Vectors:
    """Give each part its likeness to the task in meaning; 1 for the likest."""

    name: ClassVar[str] = "vectors"
    kinds: ClassVar[frozenset[str]] = frozenset({"file", "document", "output"})
    grain: ClassVar[str] = "part"
    reads_meaning: ClassVar[bool] = True
    weight: float = 0.0
    """Not asked unless a configuration says so: on code it gained nothing at 0.1, and lost at 0.3 and 1."""
    most_words: int = 60
    """Words of a part that are looked at: those that fewest parts have."""
    _known: dict[str, Any] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    """The vector of each word, for as long as the plugin lives: a run."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        return _scores(self._known, workspace.terms.vocabulary(parts), task, most_words=self.most_words)


@attrs.frozen
class DialogueVectors:
    """Give each exchange its likeness to the task, and a share of what stands beside it."""

    name: ClassVar[str] = "dialogue_vectors"
    kinds: ClassVar[frozenset[str]] = frozenset({"exchange"})
    grain: ClassVar[str] = "part"
    weight: float = 2.0
    neighbour: float = 0.5
    """Share of the score of the exchange before and of the one after."""
    farther: float = 0.2
    """Share of those two places away."""
    most_words: int = 300
    """Words of an exchange that are looked at: those that fewest exchanges have."""
    _known: dict[str, Any] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    """The vector of each word, for as long as the plugin lives: a run."""
    _counted: dict[str, Mapping[str, int]] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    """The words of each text."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part; the parts are the exchanges of one conversation, in order."""
        from satchel.workspace.index.terms import count_terms

        dialogue = cast("Dialogue", workspace)
        texts = [dialogue.text(part)[:_LONGEST_TEXT] for part in parts]
        for new in set(texts) - self._counted.keys():
            self._counted[new] = count_terms(new)
        held = [self._counted[one] for one in texts]
        shares = (self.neighbour, self.farther)
        return _scores(self._known, held, task, most_words=self.most_words, shares=shares)


def _scores(
    known: dict[str, Any], held: Held, task: Task, *, most_words: int, shares: Sequence[float] = ()
) -> list[float]:
    from satchel.workspace.index.terms import STOP, query_terms

    asked = query_terms(task.text)
    words = _rarest([counts.keys() - STOP for counts in held], most_words)
    if not asked or not any(words):
        return [0.0] * len(held)
    from satchel_vectors.likeness import likeness, smoothed, texts_of

    vectorise = partial(_vectors, known)
    heaviest = sorted(asked, key=lambda word: (-asked[word], word))[:_MOST_ASKED]
    raw = likeness(texts_of(words, vectorise), {word: asked[word] for word in heaviest}, vectorise)
    scores: list[float] = smoothed(raw, shares).tolist()
    return scores


def _rarest(held: Sequence[Set[str]], most: int) -> list[list[str]]:
    """Return each text's words in order, and no more than so many of them: those that fewest texts have."""
    holding = Counter(chain.from_iterable(held))
    return [
        sorted(words if len(words) <= most else nsmallest(most, words, lambda word: (holding[word], word)))
        for words in held
    ]


def _vectors(known: dict[str, Any], words: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of words; each word is looked up once."""
    from satchel_vectors.vectors import load

    vectors = load()
    new = [word for word in words if word not in known]
    known.update(zip(new, vectors.of_words(new), strict=True))
    return vectors.stacked([known[word] for word in words])
