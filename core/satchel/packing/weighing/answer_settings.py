"""Numbers that shape the scores of what answers a question."""

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
    """Robertson's b: how much longer parts are held back."""
    shortest: float = 0.6
    """Length, in average parts, below which code gains nothing by being shorter, but where a setting is asked
    for, which stands in a line."""
    heading: float = 3.0
    """What a word in a name or heading counts, relative to 1 in the text."""
    designed: float = 0.25
    """What "design" and its like count beside the name of what has it."""
    pure: float = 0.4
    """How much more a section counts whose heading says what is asked, times its share of that."""
    path: float = 1.5
    """What a word in the path counts."""
    named: float = 1.0
    """What a file's own name counts: a page on a matter bears its name."""
    neighbours: float = 0.25
    """Share of the better neighbour's score: an answer often goes on in the next section."""
    file: float = 0.25
    """Share of the best score in the file."""
    small_file: float = 0.5
    """The same for a small file, which is best read whole."""
    small_tokens: int = 600
    """Tokens of the largest small file."""
    scorers: float = 0.15
    """Share of what the scorers say: they may know more than words do."""
    power: float = 3.0
    """Power of the score: much less is shown of what matches half as well."""
    least: float = 0.28
    """Share of the best score below which a part is not an answer."""
    least_beside_precedent: float = 0.45
    """The same, where what shows how one more of a kind is added is found."""
    rarest: float = 3.0
    """What stands for a word may be so many times as rare as that word, where that occurs at all."""
    phrase: float = 0.6
    """Weight of two words of the question that stand side by side, relative to 1 for one word."""
    version: float = 4.0
    """Weight of a version in a heading, or at the beginning of a section, of a page on releases."""
    newest_lines: int = 60
    """Lines of a page of changes in which its newest entries stand."""
    precedent: float = 1.2
    """What a precedent counts, relative to the best match: it is what is asked for."""
    how_to: float = 1.3
    """What a page that tells how one is made counts: a long precedent alone fills a window."""
    own_test: float = 0.6
    """What the test of one counts at least: who adds one more tests that, too."""
    beside_precedent: float = 0.5
    """What other code counts beside one: that it uses what is to be added."""
    declaring: float = 0.4
    """What counts in a file that only declares what others define, where it is asked how that is done."""
    not_done: float = 0.7
    """What types, and code of which comments say more than it does, count where it is asked what does it."""
    done_tokens: int = 40
    """Tokens of code, without its comments, below which it does little."""
    maintaining: float = 0.5
    """What scripts of those who keep a project count where it is asked what its program does."""
    aside: float = 0.8
    """What stands in folders beside a program counts, where none is asked for: `integrations/`."""
    post: float = 0.6
    """What a post of a blog counts: it tells what was true, or new, on its day."""
    deed: float = 0.5
    """What a part counts that has of "how is an index built" the last word alone."""
    tooling: float = 0.3
    """What settings of linters and formatters count where a default is asked for, and none of these."""
    proposal: float = 0.7
    """What a proposal or a decision counts where it is asked how something is done: it tells why."""
    doer: float = 1.3
    """What code counts in a file that is called like what does what is asked about: `scheduler.py`."""
    describing: float = 1.5
    """What a page on the design of a project counts, where it is asked how something works."""
    migration: float = 0.4
    """What a migration of a database counts, where none is asked for: the code tells better what is now."""
    older: float = 0.5
    """What its older entries count, where no version is asked for."""
    much: float = 0.125
    """Share of the budget after which more of a file is worth half, where settings are asked for."""
    free_pages: float = 0.45
    """Share of the budget after which more of pages counts less, where something is to be explained."""
    free_on_way: float = 0.2
    """The same where a way through the code is asked for."""
    literal: float = 2.0
    """Weight of what the question writes as code does, relative to 1 for a word."""
    explained: float = 4.0
    """Weight of a line that explains it, relative to 1 for a word: where it is defined is the answer."""
    commit: float = 0.5
    """What a commit scores where history is asked for, times its relevance to the task."""
    backbone: float = 0.1
    """How far above the least score stand the definitions that most files use, beside an overview."""
    backbone_and_rest: float = 2.0
    """The same where a question about a whole project asks for something beside it."""
    upgrades: Mapping[Relation, tuple[float, float]] = MappingProxyType(
        {Relation.NAMED: (0.9, 0.1), Relation.BETWEEN: (0.6, 0.25), Relation.BESIDE: (0.45, 0.1)}
    )
    """Scores of what an entry on a version is for an upgrade, relative to the best, and what its own adds."""
    guide: float = 1.2
    """What a page on upgrades counts relative to other entries on the version."""
    commented: float = 0.5
    """What comments count in code where something is to be explained: they say in words what it does."""
    declared: float = 0.2
    """Share of comments from which on declarations say more than that something is defined further down."""
    few: int = 3
    """Files that may define a function that is named: of one that more define, hardly each is meant."""
    long_tokens: int = 1_500
    """Tokens of the longest function whose parts count the same if its name is what is asked about."""
    code_raised: float = 3.0
    """Factor by which code is raised at most, to count as the best of all where something is explained."""
    alike: float = 0.5
    """What others of a kind count beside the precedent for one more of that kind."""
    listed: float = 0.6
    """Share of the lines of a part that are links or rows of a table, from which on it is a list of these."""
    first: float = 0.8
    """What the first part with the command or fact that is asked for has more than the best of others."""
    beside_commands: float = 0.6
    """What others count beside commands: a page tells more of them."""
    beside_lists: float = 0.7
    """What others count beside what lists all of a kind."""
    beside_fact: float = 0.5
    """What others count beside what declares a fact: it is the answer."""
    facts_beside: int = 2
    """Parts that declare a fact for which a question asks beside something else."""
    base: float = 1.1
    """What scores that from which all of these are made, relative to the best of all others."""
    common: float = 0.9
    """What what all of these use scores, and what registers them, relative to the best."""
    taken: float = 0.8
    """What the types of a function's parameters score, relative to the best, where these are asked for."""
    filling: float = 0.04
    """Score of what only shows more of what an overview is about: it comes last."""
    overview: tuple[float, float] = (0.9, 0.5)
    """Scores of the first and of the last package of an overview, relative to the best section on design."""
    overview_tokens: int = 1_500
    """Tokens of an overview after which what it names says more than what it goes on to name."""
    foreign: float = 0.5
    """What a page in another language than the question counts where there is none in its language."""
    beginning: int = 2
    """Parts that count of a page in a folder on the design: its title and what it is about."""
    opening: float = 1.2
    """The same of what the README says of the project: without it, no overview is understood."""
    weak: float = 0.4
    """Share of a question's words, by rarity, below which the best match is weak."""
    weak_words: int = 3
    """Words of the longest question that is judged so: longer ones say more than an answer repeats."""
    weak_parts: int = 5
    """Parts that are shown where nothing matches well: those that come closest."""


SETTINGS = AnswerSettings()
