"""Find out whether a text is about a project as a whole."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.languages import EAST_ASIAN, STOP
from satchel.questions.word_tables import read_words
from satchel.workspace.index.terms import WORD

_LONGEST = 120
"""Most characters of a question about everything: longer ones are about something."""
_WHOLE = read_words("whole")
"""Words that mean all of a project."""
_ABOUT_WHOLE = _WHOLE | read_words("about whole")
"""Words beside them that name no part of a project."""
_CLAUSE = lazily(
    r"(?i)[:;.?!]\s|\s[-–—]\s|,\s(?=(?:and|which|how|what|where|who|when|why|with|including|especially)\b)"
    r"|\sand\s(?=(?:how|what|which|where|who|when|why)\b)"
)
"""The end of one thing asked and the beginning of the next."""
_WHOLE_EAST_ASIAN = lazily(r"^.{0,14}(架构|整体|项目结构|代码结构|总览|概述).{0,8}$")
_WORKS = lazily(
    r"(?i)\bhow (does|do) (it|this|everything|all of this|all this)( all)? work\b|\bfit together\b"
    r"|\bcode base\b|\bhigh[- ]level\b|\bbig picture\b"
    r"|\b(main|key|core|central|essential|important) (components|parts|modules|concepts|packages)\b"
    r"|\b(main|key|core|central|essential|important) (files|classes|types)\b"
    r"|\b(start|begin|understand)\w* (to )?(read\w* |with )?the (code|source)\b"
    r"|^\W*what (is|does) (this|it)( do)?\W*$"
    r"|^\W*(please )?(explain|describe|tell me about|summari[sz]e) (this|it|how (it|this) works)"
    r"( to (me|us|a beginner))?\W*$|\bwhat problems? (does|do) \w+ \w+ solve\b"
    r"|\b(files|modules|classes|parts) (are|is) (the )?most important\b|\bfiles matter( most)?\b"
    r"|\bfiles (should|do|must|to)\b.*\bread first\b"
    r"|\bwhere (do|should|can|to)\b.*\b(start|begin)( (to )?read\w*)?\W*$"
    r"|\b(tour of|walk me through) (the|this|all) (whole |entire )?(code|source)\b"
    r"|\blay of the land\b|\bnew(comer| developer)s?\b.*\b(know|read)\b|\bentry points?\b.*\bprogram\b"
)
_OF_PLACE = lazily(
    r"^\W*(where (is|are|does|do the)|how (do|can|to|should) ((i|we|you) )?(start|run|build|compile)) "
)
"""Questions about a project's files or their use, and not about all of it."""
_ABOUT_ASKER = lazily(
    r"(?i)(?<![^\s,.;:!?(])(((i am|i'm|im|we are|we're) (all |still |quite |very |totally |completely )?"
    r"|as an? |for an? )(new|newbie|newcomer|beginner|junior|noob|unfamiliar)\b( (to|with|in|here|at)\b)?"
    r"( (this|the|your)( \w+)?| here)?"
    r"|(i|we) ((have|just|only|recently) )*(cloned|joined|downloaded|inherited|checked out) "
    r"(this|the|it)( \w+)?)\s*(?=[,.;:!?)]|$|and\b)[,.;:!?]?"
    r"|(?<!\s),?\s*(explain )?like i'?m (five|5|new|a beginner)"
    r"|^\s*as an? (\w+ ){0,2}(maintainer|contributor|committer|user|developer|dev|programmer|admin"
    r"|administrator|operator|newcomer|beginner|student|reader)\b\s*,"
)
"""Words of askers about themselves: "I am new here" does not ask for new things."""
_FILLED = lazily(
    r"(?i)^\W*(?:(?:(?:ok|okay|yes|yep|no|nope|alright|right|actually|hi|hello|well|thanks|thank you|great"
    r"|sorry|sure|so|now)[,.!:…]+|(?:yeah|hey|hmm|btw|omg|omfg|wtf)\b[,.!:…]*)\s+){1,4}"
    r"(?:i (?:think|guess|feel|believe) (?:that )?)?(?=\w)"
    r"|^\W*i (?:think|guess|feel|believe) (?:that )?(?=\w)"
)
"""Openings of a conversation: "ok, i think the themes need tokens"."""


def strip_asker(text: str) -> str:
    """Return a text without the words of askers about themselves and the opening of a conversation."""
    return _FILLED.sub("", _ABOUT_ASKER.sub("", text), count=1)


def find_rest(text: str, *, name: str = "") -> str:
    """Return the question after one about the whole project: "explain the architecture: where are routes".

    "" for a text that asks nothing else, or that does not begin with the whole.
    """
    clauses = _CLAUSE.split(text.strip(), maxsplit=1)
    if len(clauses) < 2 or not is_about_whole(clauses[0], name) or is_about_whole(text, name):
        return ""
    return clauses[1].strip()


def is_about_whole(text: str, name: str) -> bool:
    """Return whether a text is about all of the project of that name, and nothing else."""
    text = strip_asker(text).strip(" ,.;:")
    if not 0 < len(text) <= _LONGEST or _OF_PLACE.search(text.lower()):
        return False
    if not text.isascii() and EAST_ASIAN.search(text):
        return _WHOLE_EAST_ASIAN.search(text) is not None
    words = [word for word in WORD.findall(text.lower()) if word not in STOP]
    own = set(WORD.findall(name.lower()))
    others = [word for word in words if word not in _ABOUT_WHOLE and word not in own]
    return not others and (
        any(word in _WHOLE or word in own for word in words) or _WORKS.search(text) is not None
    )
