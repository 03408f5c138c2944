"""Words of a question and what they stand for: one word counts once, and no synonym says more than it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.core.repositories import write_files

from satchel import Workspace
from satchel.workspace import rank
from satchel.workspace.index.ranking import Meaning

FILES = {
    "own.py": "unpack the answer here\n",
    "all_forms.py": "unpack unpacks unpacked the answer\n",
    "synonyms.py": "inflate decompress gunzip the thing\n",
    "other.py": "unpack something else\n",
    **{f"filler_{n}.py": "nothing of that in it\n" for n in range(30)},
}
MEANINGS = {
    "unpack": Meaning("unpack", "unpack"),
    "unpacked": Meaning("unpack", "unpack"),
    "inflate": Meaning("unpack", "inflat"),
    "decompress": Meaning("unpack", "decompres"),
    "gunzip": Meaning("unpack", "gunzip"),
}
QUERY = {"unpack": 1.0, "unpacked": 1.0, "answer": 1.0, "inflate": 0.4, "decompress": 0.4, "gunzip": 0.4}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return a workspace with a word, its forms and its synonyms."""
    write_files(tmp_path, FILES)
    return Workspace.open(tmp_path)


def test_of_a_word_and_its_synonyms_the_best_counts(workspace: Workspace) -> None:
    plain, grouped = rank(workspace.index, QUERY).body, rank(workspace.index, QUERY, MEANINGS).body

    assert plain["synonyms.py"] > plain["other.py"]
    assert grouped["synonyms.py"] < grouped["other.py"] < grouped["own.py"] <= grouped["all_forms.py"]


def test_a_rare_synonym_says_no_more_than_the_word_of_the_task(workspace: Workspace) -> None:
    few = {"unpack": 1.0, "inflate": 0.9}
    meanings = {word: MEANINGS[word] for word in few}

    plain, grouped = rank(workspace.index, few).body, rank(workspace.index, few, meanings).body
    assert plain["synonyms.py"] > plain["other.py"]
    assert grouped["synonyms.py"] < grouped["other.py"]


def test_without_meanings_every_term_is_a_word_of_its_own(workspace: Workspace) -> None:
    assert rank(workspace.index, QUERY) == rank(workspace.index, QUERY, {})
    alone = {word: Meaning(word, word) for word in QUERY}
    assert rank(workspace.index, QUERY, alone).body == pytest.approx(rank(workspace.index, QUERY).body)


def test_names_of_files_count_once_too(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "unpack_answer.py": "x\n",
            "inflate_decompress_gunzip.py": "x\n",
            "unpack.py": "x\n",
            "other.py": "x\n",
        },
    )
    index = Workspace.open(tmp_path).index

    found = rank(index, QUERY, MEANINGS).path

    assert found["inflate_decompress_gunzip.py"] < found["unpack.py"] < found["unpack_answer.py"]
