"""Numbers that shape the scores of answers to a question."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from satchel.questions.upgrades import Relation


class AnswerSettings(NamedTuple):
    """Numbers that shape the scores of answers, each with its reason."""

    saturation: float = 1.2
    """Robertson's k1."""
    length: float = 0.5
    """Robertson's b: how much long parts are held back."""
    shortest: float = 0.6
    """Length, in average parts, below which shorter code gains nothing; settings, which take one line, do."""
    heading: float = 3.0
    """Weight of a word in a name or heading, relative to 1 in the text."""
    designed: float = 0.25
    """Weight of "design" and the like beside the name of the thing designed."""
    pure: float = 0.4
    """How much more a section counts if its heading repeats the question, times the share it repeats."""
    path: float = 1.5
    """Weight of a word in the path."""
    named: float = 1.0
    """Weight of a file's own name: a page is named after its subject."""
    neighbours: float = 0.25
    """Share of the better neighbour's score: an answer often goes on in the next section."""
    file: float = 0.25
    """Share of the best score in the file."""
    small_file: float = 0.5
    """The same for a small file, which is best read whole."""
    small_tokens: int = 600
    """Tokens of the largest small file."""
    scorers: float = 0.15
    """Share of the scorers' saliences: they may know more than words do."""
    power: float = 3.0
    """Power of the score: a part that matches half as well gets much less room."""
    told_tokens: int = 60
    """Least tokens for which a part counts that declares what is asked for: about twice those of a header."""
    least: float = 0.28
    """Share of the best score below which a part is not an answer."""
    least_beside_precedent: float = 0.45
    """The same, if a precedent for one more of a kind is found."""
    rarest: float = 3.0
    """How many times as rare as a word its synonyms may be, if the word occurs at all."""
    phrase: float = 0.6
    """Weight of two adjacent words of the question, relative to 1 for one word."""
    version: float = 4.0
    """Weight of a version in a heading, or at the beginning of a section, of a page on releases."""
    newest_lines: int = 60
    """First lines of a page of changes, which hold its newest entries."""
    precedent: float = 1.2
    """Score of a precedent, relative to the best match: it is the answer."""
    how_to: float = 1.3
    """Score of a page on how to make one: a long precedent alone fills a window."""
    own_test: float = 0.6
    """Least score of the precedent's own test: whoever adds one more tests that, too."""
    beside_precedent: float = 0.5
    """Weight of other code beside a precedent: it only uses such things."""
    declaring: float = 0.4
    """Weight of a file that only declares what others define, if a question asks how that is done."""
    not_done: float = 0.7
    """Weight of types, and of mostly commented code, if a question asks where something is done."""
    done_tokens: int = 40
    """Tokens of code, without its comments, below which it does little."""
    maintaining: float = 0.5
    """Weight of maintainers' scripts if a question is about the program."""
    aside: float = 0.8
    """Weight of folders beside a program that a question does not name: `integrations/`."""
    post: float = 0.6
    """Weight of a blog post: it was true, or new, on its day."""
    deed: float = 0.5
    """Weight of a part that has only the last word of "how is an index built"."""
    tooling: float = 0.3
    """Weight of settings of linters and formatters if a question asks for a default of no such tool."""
    proposal: float = 0.7
    """Weight of a proposal or a decision if a question asks how something is done: it says why."""
    agent: float = 1.3
    """Weight of code in a file named after what does the deed in a question: `router.py` for "routed"."""
    describing: float = 1.5
    """Weight of a page on a project's design if a question asks how something works."""
    migration: float = 0.4
    """Weight of a database migration if no question asks for it: the code shows the present state better."""
    older: float = 0.5
    """Weight of older entries of a page of changes, if a question names no version."""
    much: float = 0.125
    """Share of the budget after which more of a file is worth half, where settings are asked for."""
    free_pages: float = 0.45
    """Share of the budget after which further pages count less, where something is to be explained."""
    free_on_way: float = 0.2
    """The same if a question asks for a way through the code."""
    literal: float = 2.0
    """Weight of a name that the question writes as code, relative to 1 for a word."""
    explained: float = 4.0
    """Weight of a line that explains such a name, relative to 1 for a word: its definition is the answer."""
    commit: float = 0.5
    """Score of a commit where history is asked for, times its relevance to the task."""
    backbone: float = 0.1
    """How far above the least score the most used definitions are, beside an overview."""
    backbone_and_rest: float = 2.0
    """The same if a question about a whole project asks for something more."""
    upgrades: Mapping[Relation, tuple[float, float]] = MappingProxyType(
        {Relation.NAMED: (0.9, 0.1), Relation.BETWEEN: (0.6, 0.25), Relation.BESIDE: (0.45, 0.1)}
    )
    """Score of an entry by its relation to an upgrade, relative to the best, and the weight of its own."""
    guide: float = 1.2
    """Weight of a page on upgrades, relative to other entries on the version."""
    commented: float = 0.5
    """Weight of comments in code where something is to be explained: they say in words what it does."""
    declared: float = 0.2
    """Share of comments from which a declaration says more than that a definition follows."""
    few: int = 3
    """Most files that may define a named function: with more, hardly each of them is meant."""
    long_tokens: int = 1_500
    """Tokens of the longest function whose parts all score the same if the question is about it."""
    code_raised: float = 3.0
    """Largest factor that raises code to the best score where something is to be explained."""
    alike: float = 0.5
    """Weight of others of a kind beside the precedent for one more."""
    listed: float = 0.6
    """Share of links or table rows among a part's lines from which it is a list."""
    first: float = 0.8
    """How far the first part with the command or fact asked for exceeds the best of others."""
    beside_commands: float = 0.6
    """Weight of other parts beside commands: a page says more about these."""
    beside_lists: float = 0.7
    """Weight of other parts beside a list of all of a kind."""
    beside_fact: float = 0.5
    """Weight of other parts beside the declaration of a fact: that is the answer."""
    facts_beside: int = 2
    """Most parts that declare a fact which a question asks for beside something else."""
    base: float = 1.1
    """Score of the base of all of a kind, relative to the best of all others."""
    common: float = 0.9
    """Score of the code that all of a kind use, relative to the best."""
    taken: float = 0.8
    """Score of the types of a function's parameters, relative to the best, where these are asked for."""
    filling: float = 0.04
    """Score of parts that only add to an overview: they come last."""
    overview: tuple[float, float] = (0.9, 0.5)
    """Scores of the first and of the last package of an overview, relative to the best section on design."""
    overview_tokens: int = 1_500
    """Tokens of an overview after which the most used definitions say more than the rest of it."""
    foreign: float = 0.5
    """Weight of a page in another language than the question's, if it has no translation into that."""
    beginning: int = 2
    """First parts that count of a page in a folder on the design: its title and its subject."""
    opening: float = 1.2
    """Score of the README's opening, relative to the best: without it, no overview is understood."""
    weak: float = 0.4
    """Share of a question's words, by rarity, below which the best match is weak."""
    weak_words: int = 3
    """Words of the longest question that is judged so: longer ones say more than an answer repeats."""
    weak_parts: int = 5
    """Parts shown where nothing matches well: the closest ones."""


SETTINGS = AnswerSettings()
