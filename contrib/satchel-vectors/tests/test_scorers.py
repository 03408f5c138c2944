from __future__ import annotations

import subprocess
import sys

import pytest
from satchel import Part, Task
from satchel.parts import SplitItem
from satchel.testing.contracts import ScorerContract
from satchel.workspace.index.terms import count_terms

from satchel_vectors import DialogueVectors, Vectors

TURNS = (
    "my puppy ran through the garden all morning",
    "that sounds lovely",
    "the invoice for the new laptop has arrived",
    "did you pay it already",
    "no, the bank is closed until monday",
    "then let us talk about the holidays",
)


class Dialogue:
    """What keeps a conversation's texts, as `satchel compact` hands it to scorers of exchanges."""

    def __init__(self, texts: tuple[str, ...] = TURNS) -> None:
        self.parts = [Part("user", "", (at, at), id=f"m{at}", item=f"m{at}") for at in range(len(texts))]
        self._texts = dict(zip((part.id for part in self.parts), texts, strict=True))

    def text(self, part: Part) -> str:
        return self._texts[part.id]

    def scored(self, question: str, scorer: DialogueVectors) -> list[float]:
        return list(scorer.score(self.parts, Task(question), self))


class TestVectors(ScorerContract):
    plugin = Vectors


class TestDialogueVectors(ScorerContract):
    plugin = DialogueVectors


def test_a_text_is_found_by_other_words_that_mean_the_same() -> None:
    scores = Dialogue().scored("where did the dog play?", DialogueVectors(neighbour=0, farther=0))

    assert max(range(len(TURNS)), key=scores.__getitem__) == 0


def test_the_neighbours_of_what_fits_have_a_share() -> None:
    question = "has the computer been billed?"
    alone = Dialogue().scored(question, DialogueVectors(neighbour=0, farther=0))
    beside = Dialogue().scored(question, DialogueVectors())

    assert alone[2] == beside[2] == 1
    assert beside[3] >= alone[3] + 0.2


def test_parts_of_files_are_scored_by_the_words_that_the_index_holds(satchel_workspace) -> None:
    texts = ("delete the folder", "draw a circle", "the and of")
    parts = tuple(Part("block", "", (at, at), item="file:a", path="a") for at in (1, 2, 3))
    terms: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        for term in count_terms(text):
            terms.setdefault(term, []).extend((at, 1))
    satchel_workspace.terms.learn("file:a", SplitItem(parts, terms, tuple(map(len, texts))))

    scores = Vectors().score(parts, Task("removing a directory fails"), satchel_workspace)

    assert scores[0] == 1
    assert scores[0] > scores[1] > scores[2] == 0


@pytest.mark.parametrize("texts", [(), ("",), ("", "", "a"), ("\udcff \x00", "@@ [] ()")])
def test_nothing_to_compare_is_no_score(texts: tuple[str, ...]) -> None:
    assert Dialogue(texts).scored("where did the dog play?", DialogueVectors()) == [0] * len(texts)


def test_a_task_without_words_gives_no_score() -> None:
    assert Dialogue().scored("?!", DialogueVectors()) == [0] * len(TURNS)


def test_equal_texts_have_equal_scores_whatever_stands_beside_them() -> None:
    scores = Dialogue((*TURNS, TURNS[0])).scored(
        "where did the dog play?", DialogueVectors(neighbour=0, farther=0)
    )

    assert scores[0] == pytest.approx(scores[-1])
    assert scores[0] > max(scores[1:-1])


def test_an_instance_looks_each_word_up_once() -> None:
    scorer = DialogueVectors()
    first = Dialogue().scored("where did the dog play?", scorer)
    known = dict(scorer._known)

    assert Dialogue().scored("where did the dog play?", scorer) == first
    assert scorer._known.keys() == known.keys()
    assert all(scorer._known[word] is known[word] for word in known)


def test_a_long_text_and_a_long_task_are_scored_by_some_of_their_words() -> None:
    words = " ".join(f"word{at} zebra" for at in range(20_000))

    scores = Dialogue((words, "a dog")).scored(words, DialogueVectors())

    assert len(scores) == 2
    assert max(scores) == 1


def test_loading_the_plugin_imports_no_numpy() -> None:
    script = "import sys, satchel_vectors; print([m for m in ('numpy', 'tokenizers') if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
