"""What a task asks for: whether it is a question, what kind of answer it needs, and in which words."""

from __future__ import annotations

from satchel.questions.aims import Aim, FilePlace, given_score, place_factor, place_of
from satchel.questions.past import (
    asks_about_conflicts,
    asks_since_release,
    asks_why_lines,
    find_named_commits,
    find_since,
)
from satchel.questions.reading import (
    NO_QUESTION,
    Question,
    asks_about_changes,
    asks_about_whole,
    asks_for_message,
    asks_for_tests,
    count_commits_to_review,
    find_rest,
    read_question,
    relate_to_project,
)
from satchel.questions.renaming import compile_use, find_names_to_change, last_of, term_of

__all__ = [
    "NO_QUESTION",
    "Aim",
    "FilePlace",
    "Question",
    "asks_about_changes",
    "asks_about_conflicts",
    "asks_about_whole",
    "asks_for_message",
    "asks_for_tests",
    "asks_since_release",
    "asks_why_lines",
    "compile_use",
    "count_commits_to_review",
    "find_named_commits",
    "find_names_to_change",
    "find_rest",
    "find_since",
    "given_score",
    "last_of",
    "place_factor",
    "place_of",
    "read_question",
    "relate_to_project",
    "term_of",
]
