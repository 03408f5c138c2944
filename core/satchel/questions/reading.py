"""Read whether a task is a question, at what it aims, and which words its answer may use."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from satchel.patterns import lazily, read_patterns
from satchel.questions.aims import Aim, FilePlace, place_of
from satchel.questions.facts import IN_CODE, Fact, find_fact
from satchel.questions.git_words import concerns_repository
from satchel.questions.orders import find_ordered_aims, is_about_ci
from satchel.questions.page_versions import find_named_languages
from satchel.questions.upgrades import Upgrade, read_upgrade
from satchel.stems import beginnings, stem
from satchel.workspace.files.kinds import language_of
from satchel.workspace.index.terms import WORD, split_words


@lru_cache
def _read_table(name: str) -> tuple[str, ...]:
    """Return the lines of a table beside this module, but for empty ones and comments."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def _read_words(name: str) -> frozenset[str]:
    """Return the words of one list of `words.txt`; it may take several lines."""
    rows = (line.partition(": ") for line in _read_table("words.txt"))
    return frozenset(word for found, _, words in rows if found == name for word in words.split())


def _read_pairs(name: str) -> Mapping[str, str]:
    """Return a table of two columns."""
    rows = (line.partition("|") for line in _read_table(name))
    return MappingProxyType({word: meanings for word, _, meanings in rows})


_READ = 20_000
"""Characters of a task in which changes may be spoken of."""
_LONGEST = 80
"""Words of the longest text that is read as a question; longer ones are reports."""
_LONGEST_BELOW_TITLE = 40
_SHORT, _NAME, _SHORT_OF_CI = 15, 3, 10
"""Words of a short text, which may be a question without the form of one; of one that names a thing; and of
one that is about CI where it names it."""
_ASKS = lazily(
    r"(?i)\b(how|what|whats|what's|why)\b"
    r"|(?:^\W*|[.,;:!?(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|list|ask|me|us|about)\s+)"
    r"(?:where|which|who|whom|whose|when|whether)\b"
    r"(?! (?:the|an?|it|i|we|you|they|then|cannot|makes?|causes?|means)\b)"
)
"""Words that ask; those of relative clauses only where none stands, as in "files which are read"."""
_STATES = lazily(r"(?s)\s*[A-Z0-9\"'(].{40,}\w[\w)\"']\.\s*$")
"""A whole sentence, or several, that ends with a full stop."""
_VERB = (
    r"(?:(?:is|are|was|were|has|have|had|does|did|could|would|should)(?:n't)?|do|don't|can|can't|cannot"
    r"|will|won't|may|might|must)"
)
_SAID = r"(?:[^?？]|\?(?=\w))"
"""A character of what asks for nothing: that of `?page=2` is no question mark."""
_TELLS = lazily(
    rf"(?i){_SAID}{{0,300}}?,\s+(?:in\s+)?(?:which|who|whose|where)\s+(?:\w+ly\s+)?"
    rf"(?:{_VERB}|\w{{3,}}(?:s|ed))\b"
    rf"|{_SAID}{{10,300}}?\s(?:when|while|if|because|although|unless|until)"
    r" (?:i|we|you|it|they|the|an?|there)\b"
    r"|(?:when|while|if|since|after|before|although|because|unless|once)\b"
    rf"(?! (?:{_VERB}|to)\b)(?!.{{0,300}}\b(?:how|what|why)\b){_SAID}{{8,300}}$"
    rf"|(?:(?!that |which |who )[\w'’./`-]+ ){{1,12}}?{_VERB}\s(?:[^\s?？]+\s+){{2,60}}[^\s?？]+$"
)
"""What tells something, if it asks for nothing, also without a full stop: "when a proxy throws, the call
crashes", "it returns 200, which hides bugs", "rows are visible after a rollback"."""
_ASKS_PLAINLY = lazily(
    r"(?i)(?:^\W*|[.,;:!(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|me|us|about)\s+)"
    r"(?:how|what|whats|what's|why)\b"
    r"|\bi (?:want|need|wonder|would like)\b|\bi['’]d like\b|\b(?:i am|i['’]m) looking\b|\b(?:help|please)\b"
    r"|\?(?!\w)|？"
    r"|[.,;:!(]\s*(?:which|who|whose|where|when)\s+(?:\w+\s+){0,3}(?:do|does|did|should|can|must)"
    r" (?:i|we|it|the|they)\b"
    r"|,\s*(?:do|does|did|is|are|should|can|must|may) (?:i|we|it|the|they|there)\b"
    r"|^\W*(?:\w+\s+)?(?:what|how|which|where|who|whose)\b"
)
_FILE = lazily(r"(?<![\w/.@-])(?:[A-Za-z]:)?[\w./\\@+~-]{0,200}[\w+-]\.\w{1,12}(?![\w/])")
"""What may be a path of a file; its ending tells."""
_COUNT = lazily(r"\b(two|three|four|five|six|seven|eight|nine|ten|both|several)\s+\w{3,}s\b")
"""How many of something a question speaks of: "between two devices" is about devices."""
_STATUS = lazily(
    r"(?<![\w.:/-])(?:20[1-6]|[345]\d\d)(?![\w.:/-]|\s+(?!(?:errors|pages|responses|status)\b)\w+s\b)"
)
"""What may be the number of a status of HTTP, and no number of things."""
_PRODUCTS = frozenset({"node.js"})
"""Names with a full stop whose words tell what a question aims at."""
_BEGINS = lazily(
    r"(?i)\s*(please\s+)?(how|what|whats|where|which|why|who|whose|can|could|does|do|is|are|should|explain"
    r"|when (is|are|was|were|do|does|did|will|would|should|can|could|must|to)"
    r"|(the )?default (value|setting)s? (of|for)"
    r"|describe|give|show|tell|overview|list|options? for|summari[sz]e|am i|may i|walk me|help me understand"
    r"|differences? between|compare|since when"
    r"|i want to (know|understand))\b"
)
_IS_THERE = lazily(r"(?i)\s*(is|are|was|were) there\b")
_CHANGE = (
    r"fix(e[sd])?|add(s|ed)?|remov(e|es|ed)|implement\w*|support|refactor\w*|renam(e|ed)|updat(e|es|ed)"
    r"|chang(e|ed)|allow|handl(e|es|ed)|use|avoid|improv(e|es|ed)|mak(e|es)|mov(e|ed)|replac(e|ed)|drop"
    r"|deprecat\w*|bump|upgrade|revert|prevent|ensure|introduc(e|ed)|creat(e|ed)|writ(e|es)|delete|disable"
    r"|enable|correct|clean ?up|extract|simplif\w+|optimi[sz]\w+|port|migrat\w+|convert|set|rewrite|expose"
    r"|extend|switch|skip|stop|start|return|raise|don't|do not|clarify|feat|perf|chore"
    r"|(add|allow|chang|fix|handl|improv|mak|mov|refactor|remov|support|updat|us)ing"
)
_FAULT = (
    r"crash\w*|broken|error|exception|bug|regression|wrong|incorrect\w*|missing|doesn't|does not|cannot|can't"
    r"|panic\w*|no longer|fail(s|ing|ure)|fixes|typo|flak(y|es|ing)|hang(s|ing)|leak(s|ing)"
)
_CHANGES = lazily(rf"(?i)\b({_CHANGE}|{_FAULT})\b")
_BEGINS_CHANGE = lazily(rf"(?i)\s*({_CHANGE}|explicitly|refactoring)\b")
_MAY_ASK = lazily(
    r"\s*((replace|try|give|set|stop|start|skip|convert|use|disable|enable|switch|delete|refuse|limit|run) "
    r"(?!the\b)(?=.*\b(an?|my|every|each|any)\b)|change (my|the \w+ of an?)\b"
    r"|write (an?|my) (?!.*\b(tests?|docs?|docstrings?|documentation|readme|script)\b))"
)
"""An order about something indefinite, "replace a static method in a test", may ask how; of 17,000
subjects of commits that begin with a small letter 25 have this form."""
_MINE = lazily(r"(?i)(?<![-\w])my (?!changes\b|diff|edits?\b|branch\b|pr\b|pull\b|commits?\b)")
"""An order about what is mine, "send /api calls to my backend", asks how: of 176,000 subjects of
commits of 60 repositories three have this form."""
_ASKS_WHAT = lazily(r"(?i)\b(what|how|which)\b")
_ASKS_FOR_ME = lazily(r"(?i)\b(should|do|can|must|may|shall) (i|we)\b")
_ORDERED = lazily(
    r"(?i)\s*((i|we) (want|need|would like|have|plan|am going|are going) to |i'd like to |please |let's "
    r"|to )?"
    r"(add|introduce|implement|create|support|expose|register|append)\b"
)
_WHICH_FILES = lazily(
    r"(?i)\b(which|what) (other |all )?(files|places|tests|docs|modules|parts|else)\b(?=[^.]{0,40}\b"
    r"(i|we|to|must|should|need\w*|have|has|change|touch)\b|\W*$)"
    r"|\bwhat (all |else )?(must|do|should) (i|we) (touch|change|edit|update|need)"
)
"""What asks for all places of a change that is to come."""
_PLACES_OF_ORDER = lazily(
    r"(?i)^\W*(which|what) (other |all |source )?(files|places|modules|parts)( all)? "
    r"((do|must|should|would|will|can|need) (i|we|one|you) )?((have|need|want) )?(to )?(be )?"
    r"(touch|change|edit|update|modify|adapt|extend|look (at|into)|read|open|write)(ed|d)? "
    r"((in order )?to|if (i|we|you) (want|need) to|when|for) (?!understand|know|learn|see|find|get)"
)
"""The same before what is to be done: "which files do I touch to add a setting" is about adding one."""
_OF_ORDER, _LONGEST_ORDER = 0.5, 200
_FAULTS = lazily(rf"(?i)\b({_FAULT})\b")
_PREFIX = lazily(r"^\[?[\w./-]+(\([\w,./ *-]+\))?!?\]?: ")
"""How titles of commits begin: `fix(parser): `."""
_REPORT = lazily(
    r"(?i)\s*[\[(]?(feature request|bug report|bug|enhancement|proposal|rfe)s?[\])]?\s*(:|-\s|(?<=[\])]))"
)
"""How titles of reports begin: "Feature request: ", "[Bug] "."""
_PASTED = lazily(r"```|Traceback|^\s+at ")
_INNER_CLAUSE = lazily(r"(?i)\b(when|where)\b")
_CODE = lazily(r"[`_]|\b(?!(?:i|iPad|mac|tv|watch|vision)OS\b|gRPC\b|iPhone|eBPF\b)\w*[a-z][A-Z]")
_ASKS_ELSEWHERE = lazily(
    r"(?i)\b(wie|was|wo|warum|welche[rsnm]?|wann|wer|kann|cómo|como|qué|que|dónde|donde|cuál|cual|por qué"
    r"|cuándo|quién|comment|pourquoi|où|quel(le)?s?|quand|qui|onde|qual|quais|quando|quem|por que)\b"
    r"|¿|[如何怎么什哪吗？]|何|どう|どこ|どの|なぜ|いつ|誰|教えて|ですか|ますか"
)
_ENGLISH = frozenset(
    "the is are how what where which do does i to of in a and for my can it this that with".split()  # noqa: SIM905
)
_EAST_ASIAN = lazily(r"[぀-ヿ一-鿿]")

_ABOUT_CHANGES = lazily(
    r"(?i)\b(uncommitted|(un)?staged) (changes?|edits?|work|files?|diffs?|code|hunks?)\b"
    r"|\b(what|anything|everything|all)( is|'s| that is| that's)? (uncommitted|(un)?staged)\b"
    r"|\bgit (diff|status|stash)\b|\bwhat (have |did )?(i|we) changed?\b|\bwhat (has )?changed\W*$"
    r"|\b(my|these|our|local|pending|current) (changes|diffs?|edits|work|branch)\b"
    r"|\breview (it|my|this|these|our|the (change|diff|branch|pr\b|pull|commit|patch))"
    r"|^\W*(does|do|is|are|did|will|would|can|could|check|verify|test|any(thing)?|something|what|look at)\b"
    r"[^.\n]{0,60}\b((my|our) (change|edit|diff|patch|work)\b(?! (of|to|from|in the)\b)"
    r"|this (change|edit|diff|patch)(?= (looks?|breaks?|makes?|ok|okay|safe|good|fine|correct|complete|still"
    r"|causes?|affects?|needs?)\b|\W*$))"
    r"|\b(write|generate|suggest|create|draft|compose|propose|make|give)( me)?( an?| the| my)?( \w+)? "
    r"((commit|merge) (message|msg)|(pr|mr|(pull|merge) request) (description|title|message|body|summary))\b"
    r"|\b(meine|diese|unsere) Änderungen\b|\b(mis|estos|nuestros) cambios\b"
    r"|\b(mes|ces|nos) (changements|modifications)\b|\b(minhas|estas|nossas) (mudanças|alterações)\b"
    r"|^\W*what (could|can|might|will|would|may|else could) (i |we |this |these )?(changes? )?(have )?"
    r"(break|broken|go wrong)"
    r"( now| here| (with|from|by|because of) (my|this|these|our|the) (changes?|edits?|diff))?\W*$"
    r"|\bwhat (could|can|might|will|would|may) (my|our|these|this) (changes?|edits?|diff|branch|pr) break\b"
    r"|\b(did|have) (i|we) (forget|forgotten|miss|missed|break|broken)\b"
    r"|\b(anything|something) (that )?(i|we) (forgot|missed|broke)\b"
    r"|^\W*((commit|merge) (message|msg)|(pr|mr|(pull|merge) request) (description|title|summary))"
    r"( please| for (this|my|these)( changes?| work)?)?\W*$"
    r"|\b(safe|ready) to (merge|push|commit|ship)\b"
    r"|\bwhat (have )?(i|we) (did|done|started|wrote)\b|\b(tests?|build|callers|docs) (i|we) (just )?broke\b"
    r"|\b(for|of|with) my (change|edit|diff|patch)\b"
    r"|^\W*(prepare|write|draft) (the|a|my) (pr|pull request|merge request)\b"
    r"|^\W*(will|does|did|is) my (edit|code|fix|change|commit)\b"
    r"|(我的|我们的|这些|本地|未提交的?|当前的?)(更改|改动|修改|变更)|(写|生成)(一个|一条|个|条)?提交(信息|说明|消息)"
    r"|(この|私の|未コミットの)(変更|差分)|コミットメッセージを(書|作|生成)"
)
_MESSAGE = lazily(
    r"(?i)\b(commit|merge) (message|msg)\b"
    r"|\b(pr|mr|(pull|merge) request) (description|title|message|body|summary)\b"
    r"|\bcommit-?(nachricht|beschreibung)|\b(mensaje|message|mensagem) del? commit\b"
    r"|提交(信息|说明|消息)|コミットメッセージ"
)
_HOW = lazily(r"(?i)^\W*(how|what|which|where|wie|cómo|comment|como)\b|(怎么|如何)|どう")
"""A question how messages are written asks for a convention, not for a message."""

_WRITES_TESTS = lazily(
    r"(?i)\W*(please )?(write|add|create|generate|extend|improve|increase|cover)\b[^.\n]*"
    r"\b(tests\b|test (cases?|coverage)\b|test (for|of|that|which|to|when)\b)"
    r"|\W*(please )?(test|verify with a test) (that|whether|if)\b"
)
_LAST_COMMITS = lazily(
    r"(?i)^\W*(please\s+)?(review|explain|describe|summari[sz]e|check|look at|show( me)?"
    r"|what (changed|is new|happened) in|what (do|did|does))\s+((the|my|our)\s+)?"
    r"((last|latest|newest|most recent|previous)\s+((?P<number>\d{1,2}|two|three|four|five|few)\s+)?commits?"
    r"|HEAD)\b(?!\s+(message|msg|of|to|for|that|in)\b)"
)
"""What asks for the newest commits themselves: "review the last two commits"."""
_NUMBERS = MappingProxyType({"two": 2, "three": 3, "few": 3, "four": 4, "five": 5})

_RELEASES = lazily(
    r"(?i)\b(new|changed?|changes|changelog|release notes?|breaking|what breaks|deprecated|removed|added"
    r"|fixed)\b.*?"
    r"(?<![\w.])v?\d+\.\d+"
)
"""What a question about a release has: a version, and what happened in it."""
_OF_RELEASE = lazily(
    r"(?i)\s*(all |the )?(breaking |notable |important )?"
    r"(changes|changelog|release notes|news|deprecations|removals)\b.{0,30}(?<![\w.])v?\d+\.\d+[\w.]*\s*$"
)
"""The same without the form of a question."""
_UPGRADES = lazily(
    r"(?i)\b(upgrad|migrat|updat|mov(e|ing)|switch|port(ing)?\b|go(ing)?\b|chang).{0,40}?"
    r"(?<![\w.])(v\d+|v?\d+\.[\dx]|(from|to|version|release)( [a-z][\w.-]*)? \d+\b)"
    r"|\b(upgrade|upgrading|migration|migrating) (notes?|guide|instructions|steps)\b"
)
"""What a question about an upgrade has: moving to a version."""
_BROKE_SINCE = lazily(
    r"(?i)(^|[.,;:!?)]\s+|\b(and|but|that|since|also) )(after|since) (the |an? |i |we )*"
    r"(upgrad(e|ed|ing)|updat(e|ed|ing)|migrat(ed|ing)|bump(ed|ing)?)\b"
    r"|\b(upgrad|updat|migrat|bump)\w* .*\b(broke|breaks|broken) (?!change|by\b|in\b)"
)
"""How people tell since when something fails: who says so asks for the code that does it, not for a guide."""
_ASKS_FOR_GUIDE = lazily(
    r"(?i)\b(what (else )?(changed|breaks|is new|must|do)|how (do|to|can|should))\b|breaking change"
)
_UPGRADE_ALONE = lazily(
    r"(?i)^\W*((upgrade|migrate|move|switch|go) from\b.{0,40}?\bto\b.{0,20}\d"
    r"|(upgrad|migrat)ing\b.*\bfrom\b.*\d"
    r"|(upgrade|upgrading|migration|migrating) (notes?|guide|instructions|steps)\b)"
)
"""The same without the form of a question."""
_TARGET = lazily(r"(?i)\bfrom\b.{0,25}?(?P<old>\d[\w.]*).{0,10}?\bto\b.{0,25}?(?P<new>v?\d)")
"""An upgrade is to what comes after "to": what is told of the version before it helps nobody."""
_UPGRADED = lazily(
    r"(?i)\b(?:upgrad(?:e|ing)|migrat(?:e|ing)|updat(?:e|ing)|bump(?:ing)?) (?:from )?"
    r"(?!(?:from|to|the|this|it|version|v?\d)\b)(?P<what>[a-z@][\w./-]*\w) (?=from\b|to\b|v?\d)"
)
"""What an upgrade is of: "upgrade rails to 8.1"."""
_OF_UPGRADES = "upgrade upgrading migrate migration breaking"
_MAJOR = lazily(r"(?i)\b(?:from|to|version|release)(?: [a-z][\w.-]*)? v?(\d+)(?![\w.]*\w)")
_WAY = lazily(
    r"(?i)\bhow (?:does|do|is|are|did|will)\b(?! (?:i|we|you|u|one|people|users?)\b).{3,80}?"
    r"\b(?:travel|get|go|flow|pass|propagat|make|find|end|reach|come|becom|turn|mov|bubbl|surfac|arriv|land|dispatch"
    r"|rout)\w*\b.{0,60}\b(?:from|through|until|all the way)\b"
    r"|\bwhat (?:happens|is called|runs|is executed|goes on)\b.{0,80}\b(?:between|from)\b.{3,80}"
    r"\b(?:and|to|until)\b"
    r"|\b(?:explain|describe|trace|show|walk me through)\b.{3,80}\bfrom\b.{3,80}\b(?:to|until|into|through)\b"
    r"|\b(?:call|code|control|data|execution|request) (?:path|flow|chain|graph|stack|sequence)\b"
    r"|\bfrom\b.{3,60}\b(?:all the way|down|up|through) to\b"
    r"|\bwie (?:gelangt|kommt|wandert|läuft)\b.{3,80}\b(?:von|vom|in|bis|zu[mr]?)\b"
    r"|\bcómo (?:llega|viaja|pasa)\b"
    r"|\bcomment .{2,40} (?:arrive|passe|parvient)\b|如何从.+到|怎么从.+到"
)
"""What asks for the way from one place to another."""
_PAST = lazily(
    r"(?i)(?<![-\w])(authors?|blamed?|commits?(?!-)|committed|history|introduced?|introduction"
    r"|regress(ed|ions?))\b"
    r"|\b(?:was|were|is|are|has|have|had|been|get|got|what|which|who|why|recently|last|lately|just)"
    r" chang(?:e|ed|es)\b"
    r"|\b(?:the|that|this|these|those|no|any|of|latest|recent|breaking|which|what) changes?\b"
    r"|\b(?:has|have|had|was|were)\b.{0,40}\bchanged\b|\bdid\b.{0,40}\bchange\b"
    r"|\bchanged (?:in|since|between|from|by|when)\b"
)
"""What speaks of the past: who asks how to change something does not."""
_TOLD_OF_PAST = frozenset({Aim.CONTRIBUTING, Aim.RELEASES})
"""Aims of questions whose answers tell of the past themselves."""
_ENTRIES = lazily(r"\b(changelog|history (file|entr\w+)|news (entr\w+|fragments?))")
_VERSION = lazily(r"(?i)(?<![\w.])(?:v?(\d+\.\d+(?:\.\d+)*)|v(\d+)|v?(\d+)\.x)(?![\w.]*\w)")
_LITERAL = lazily(
    r"`([^`\n]{2,60})`|(?<![\w-])(--?[A-Za-z][\w-]*)|(?<![\w./@-])([A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+)(?![\w/-])"
    r"|(?<!\w)(\w+(?:_\w+)+|[a-z]\w*[a-z][A-Z]\w*|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]{2,})(?!\w)"
    r"|(?<!\w)(\w{2,})(?=!?\((?!s\)|e?s\)))|(?<![\w/])@([A-Za-z]\w+)"
)
"""What stands in a question as it stands in code: in backticks, options, identifiers, capitals, and calls."""
_DOTTED = lazily(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+")
_NO_NAMES = frozenset({"com", "org", "net", "io", "dev", "app", "js", "api"})
"""Last parts of names with a full stop that are no names of code: those of hosts and products."""
_KINDS_OF_NAMES = (
    "class|struct|type|interface|trait|enum|protocol|module|object|record|macro|namespace|component"
)
_NAMED = lazily(
    rf"(?<=[\w,] )([A-Z][\w.]*\w) (?:{_KINDS_OF_NAMES})\b|\b(?:{_KINDS_OF_NAMES}) ([A-Z][\w.]*\w)"
    r"|\b(?i:api|methods?|members?|fields?|properties|functions|interface|signature)"
    r" (?:of|for|on) (?:the )?([A-Z][\w.]*\w)"
)
"""A name that is a word too, made a name by what stands beside it: "the Queue class", "API of Queue"."""
_SINCE = lazily(
    r"(?i)\b(which|what) (version|release)s?\b.*?"
    r"(?<!be )\b(added|introduced|appear(ed)?|(be)?came|changed?|removed|fixed|deprecated|land(ed)?|new)\b"
    r"|\b(added|introduced|removed|fixed|deprecated|landed)\b.*?\b(which|what) (version|release)s?\b"
    r"|\bsince (when|(which|what) (version|release))\b"
)
"""What asks in which version something came or went."""
_LATEST = lazily(
    r"\b(what('?s| is| was| has)?( new| changed)?|new|changes|changed|changelog|news|notes)\b.*"
    r"\b(latest|last|newest|most recent|current) (release|version)\b"
)
"""What asks about the newest entry of a changelog."""
_RELEASING = lazily(
    r"\b(new|next|a|each|every|the) releases? (\w+ )?"
    r"(written|made|cut|published|prepared|announced|done|shipped)\b"
    r"|\b(make|cut|publish|prepare|do|ship|tag)(ing)? (a|the|new|next|another) (new |next )?releases?\b"
    r"|\breleas(e|ing) (process|procedure|checklist|steps|a new version)\b"
    r"|\b(carr(y|ies)|holds?|contains?|bump(ed|s|ing)?|tells?) the (new )?version\b"
)
"""What asks how a release of the project is made."""
_AIMS = (
    (Aim.RELEASES, _RELEASES),
    (Aim.RELEASES, _LATEST),
    (Aim.RELEASES, _SINCE),
    (Aim.RELEASES, _UPGRADES),
    *((Aim(name), pattern) for name, pattern in read_patterns(Path(__file__).with_name("aims.txt"))),
)
_PLACE = lazily(
    r"(?i)\b(which|what) (source )?(code|files?|functions?|class|classes|modules?|methods?|part)\b"
)
"""The place for which a question asks: "which code wakes the tasks" asks about what wakes tasks."""
_TESTS_ELSEWHERE = (
    r"\btests? (laufen lassen|ausführen|starten)|\b(ejecutar|correr|lancer|exécuter|rodar|executar) "
    r"(los |las |les |os )?(tests?|testes|pruebas)\b|运行测试|跑测试|テストを(実行|走)"
)
_DEVELOPING = lazily(
    r"\b(run|execute|start|launch|invoke)(ning)?( \w+){0,2}? "
    r"(tests?|test ?suites?|specs|linters?|lint|benchmarks?|formatter|type ?check\w*|test cases)\b"
    r"(?! (for|of) my\b)|\bstart (the |this )?(project|repo\w*)\b"
    rf"|{_TESTS_ELSEWHERE}"
    r"|\b(baue[nt]?|starten?|kompilieren?)\b.{0,40}\b(lokal|projekt|repo\w*)\b"
    r"|\b(compil(o|ar)|construir|ejecut(o|ar)|inici(o|ar))\b.{0,40}\b(localmente|en local|proyecto)\b"
    r"|\b(compiler|construire|lancer|démarrer)\b.{0,40}\b(localement|en local|projet)\b"
    r"|\b(build|compile|hack on|work on|develop|bootstrap)( \w+){0,2}? "
    r"(this|it|project|repo\w*|from source|locally|docs|documentation|main branch)\b"
    r"|\b(build|compile|building|compiling)( (?!an?\b)\w+){0,3}? (on|for|under|with|using) (an? |the )?"
    r"(macos|mac|osx|windows|linux|ubuntu|debian|freebsd|android|ios|wasm"
    r"|meson|cmake|make|bazel|ninja|gradle|maven|cargo|msvc|visual studio|mingw|clang|gcc|nix|emscripten)\b"
    r"|(?<!\b(?:of|to|in|on) the )(?<!\bfor (?:the|our) )(?<!\b(?:of|to|in|on) my )(?<!\bfor my )"
    r"\b(dev|development) (environment|setup|server|install\w*)\b"
    r"|\b(run|set)(ning)? (it|this) (up )?(locally|from source)\b"
)
"""What asks how the project itself is built and tested."""
_DEVELOPS = lazily(
    r"(?i)(please )?(how (to|do (i|we|you)) )?((run|execute|start|launch)( \w+){0,3}? "
    r"(tests?|test ?suites?|specs|linters?|lint|benchmarks?|type ?checks?|dev(elopment)? server)"
    r"( (locally|again|here|now))?"
    r"|(build|compile)( (it|this|everything|from source|locally|(the|this) (project|repo\w*|code|docs))){0,2}"
    r"|(test|build|lint|dev) commands?"
    r"|(make sure|check|verify|ensure) (that )?(all |the |all the |everything )?(tests )?(still )?pass(es)?"
    r"|set ?up (the|a|my) (dev|development) (environment|setup|server)"
    r"|install (the |all )?dependencies( and run (the |all )?tests)?|(get|run) (it|this) (running )?locally"
    rf"|{_TESTS_ELSEWHERE})\W*"
)
"""The same as an order and nothing more: who says "run the tests" needs the command."""
_MAY_DEVELOP = ((Aim.HOW_TO,), (Aim.ANY,))
_AND_WHERE = lazily(
    r"(?i)^\W*(how|why|when|what (?!(part|code|file|function|method|module|class)))\b.*"
    r"(\b(and|but|or)|[,?;]) (where|which (file|function|module|part|class|method))\b"
)
"""What asks how something is done, and where in addition."""
_WHERE_SETTINGS = lazily(
    r"\bwhere (do|can|could|should|would|must) (i|we|you|one) (set|configure|change|put)\b"
    r"|\bwhere (do|does|are|is) (the |my |its |all |your )*(settings?|config(uration)?s?|preferences)\b"
    r"(?!.*\b(pars|read|load|validat|check|merg|handl|us)(e[sd]?|ed|ing)?\b)"
)
"""What asks where a person writes settings, and not which code reads them."""
_HANDLED = r"(validat|pars|load|merg|read|resol|overrid)\w*"
_HANDLES_SETTINGS = lazily(
    rf"\b{_HANDLED} (of )?((the|a|an|its|all|user|default) )*(config\w*|settings)\b"
    rf"|\b(config(uration)?s?|settings) (file )?(is |are |gets? )?{_HANDLED}"
)
"""What asks about the code that reads settings, and not about what they are."""
_WORKS_SO = lazily(
    r"(?i)^\W*(how (do|does|did|is|are|was|were|will) (?!(i|we|you|u|one|people|users?)\b)"
    r"|what (happens|makes|causes|triggers)\b|why (do|does|did)\b)"
)
"""How people ask what a program does: a version or an indentation is then what it works on."""
_OF_SETTINGS = lazily(
    r"\b(config\w*|settings?|ci|lint\w*|workflows?|(build|deploy\w*|test) (pipelines?|jobs?)|releas\w*"
    r"|dependenc\w+ (\w+ )?(manag|pin|declar|specif|updat|lock|install|vendor|handl|list|kept)\w*"
    r"|(code|source|files?|project) (is |are |gets? |be )?formatted"
    r"|hooks?|enforc\w*|pinned|built|tested|supp?orted|minimum|defaults?"
    r"|(code|coding) style|this project|repo\w*)\b"
)
"""What is a matter of settings, however it is asked for."""
_MEMBERS = lazily(
    r"\b(api|members|methods) (of|for)\b"
    r"|\bwhich (methods?|functions|members|fields) .*"
    r"\b(have to|must|should|implement|overrid\w+|offers?|provides?)\b"
)
"""What asks for the members of a type, and not where something is."""
_EXTENDS = lazily(r"\b(add|adding|implement|introduce|write|create|make)\b (a |an )?(new|another|support)\b")
"""Whoever adds one more of something wants to see, beside what is written about it, where the others are."""
_INTO = lazily(r"\b(?:add|adding|introduce|put)\b.{1,80}?\b(?:to|into|onto|inside|within)\b(.+)")
"""What something is added to."""
_FOR = lazily(
    r"\b(?:write|create|make|implement|build|develop|define|author|provide|add|introduce)\b"
    r" (?:an?|my|our|another) .{2,60}?\bfor\b(.+)"
)
"""What something is made for: "a validator for an input"; "support for" it is no thing."""
_DOES = lazily(
    r"(?i)\b(?:how|where|when|why)\b[^?.,]{0,30}?\b(?:does|do|did|can|will|would) "
    r"(?:the |an? |this |each |every )?(?!(?:i|we|you|one|they|it|this|that|people|users)\b)"
    r"([\w-]{2,40}(?: [\w-]{2,40}){0,2})"
)
"""What does something, and maybe what that is."""
_OF_PLACES = frozenset({Aim.EXPLAIN, Aim.WHERE})
_OF_ARTICLES = frozenset({"the", "a", "an", "my", "our", "thi", "it"})
_OWN = lazily(
    r"\b(write|create|make|implement|build|develop|define|author|provide)\b (a |an |my |your |our |one's )?"
    r"((own|custom)\b|((simple|basic|new|minimal) )?(\w+ ){0,2}?(plugins?|extensions?|middlewares?|adapters?"
    r"|converters?|backends?|drivers?|hooks?|filters?|formatters?|renderers?|transports?|schedulers?"
    r"|loaders?|exporters?|serializers?|validators?|decorators?|add-?ons?|connectors?|resolvers?"
    r"|processors?|reporters?|rules?|listeners?|interceptors?|providers?|handlers?|parsers?|scorers?"
    r"|encoders?|decoders?|runners?|matchers?|strateg(y|ies))\b)"
    r"(?! (function|file|option|class|method|test)s?\b)"
    r"|\b(add|adding|create|write)\b (a |an )?(\w+ ){0,2}?"
    r"(migrations?|endpoints?|(sub)?commands?|controllers?|routes?|widgets?|backends?|drivers?|adapters?"
    r"|providers?|exporters?|connectors?|formatters?|renderers?|reporters?|parsers?|encoders?|decoders?"
    r"|serializers?|transports?|sinks?|strateg(y|ies))\b"
)
"""Whoever writes one of what others may write wants the page on it, what it implements, and one of them."""
_CONTRIBUTES = lazily(
    r"\b(contribut|submit|donat)\w* (to )?(a|an|the|my|our|some|new|another|more)\b "
    r"(?!(pull|pr|mr|merge|patch|fix|change|bug|issue|commit|code|project|repo)s?\b)"
)
"""What somebody wants to bring: where such things are counts as much as how to contribute."""
_PROJECT_ELSEWHERE = frozenset(
    map(stem, "projekt proyecto projet projeto progetto hat tiene tem 项目 仓库 プロジェクト".split())  # noqa: SIM905
)
"""Words for a project, and that it has something, in other languages."""
_OF_FACT = 1.0
"""Certainty of a question that names a fact and nothing else, such as "minimum Go version"."""
_AIMS_OF_FACTS = MappingProxyType(
    {
        Fact.RELEASING: Aim.CONTRIBUTING,
        Fact.SETUP: Aim.DEVELOPING,
        Fact.INSTALLING: Aim.HOW_TO,
        Fact.CONVENTIONS: Aim.CONTRIBUTING,
        Fact.REPORTING: Aim.CONTRIBUTING,
    }
)
_CALLED = MappingProxyType({Fact.ENVIRONMENT: "env environ getenv setenvprefix bindenv"})
"""How code calls what is asked for."""
_BESIDE = frozenset({Fact.VERSIONS, Fact.LICENCE, Fact.OWN_VERSION})
"""Facts for which a question may ask beside settings."""
_AND = lazily(r"(?i)\s*,?\s(?:and|or|und|oder|sowie|plus|et|y)\s|\s[+&]\s|[,;]\s")
_NEXT = lazily(r"(?i)(?:[,;.?!]+\s+(?:and\s+)?|\s+and\s+)(?=(?:how|what|which|where|who)\b)")
"""What stands between two questions in one."""
_NO_FACT = frozenset({Aim.RELEASES, Aim.HISTORY, Aim.TESTS})
"""Aims of questions that are about something else though they have the words of a fact."""
_ALONE = (Aim.RELEASES, Aim.HISTORY, Aim.CONTRIBUTING, Aim.TESTS, Aim.WHERE)
"""Aims that leave no room for others."""

_LONGEST_ABOUT_WHOLE = 120
"""Characters of a question about everything: longer ones are about something."""
_WHOLE = _read_words("whole")
"""Words that mean all of a project."""
_ABOUT_WHOLE = _WHOLE | _read_words("about whole")
"""Words beside them that name nothing of a project."""
_CLAUSE = lazily(
    r"(?i)[:;.?!]\s|\s[-–—]\s|,\s(?=(?:and|which|how|what|where|who|when|why|with|including|especially)\b)"
    r"|\sand\s(?=(?:how|what|which|where|who|when|why)\b)"
)
"""Where one thing that is asked ends and the next begins."""
_WHOLE_EAST_ASIAN = lazily(r"^.{0,14}(架构|整体|项目结构|代码结构|总览|概述).{0,8}$")
_WORKS = lazily(
    r"(?i)\bhow (does|do) (it|this|everything|all of this|all this)( all)? work\b|\bfit together\b"
    r"|\bcode base\b|\bhigh[- ]level\b|\bbig picture\b"
    r"|\b(main|key|core|central|essential|important) (components|parts|modules|concepts|packages)\b"
    r"|\b(main|key|core|central|essential|important) (files|classes|types)\b"
    r"|\b(start|begin|understand)\w* (to )?(read\w* |with )?the (code|source)\b"
    r"|^\W*what (is|does) (this|it)( do)?\W*$|\bwhat problems? (does|do) \w+ \w+ solve\b"
    r"|\b(files|modules|classes|parts) (are|is) (the )?most important\b|\bfiles matter( most)?\b"
    r"|\bfiles (should|do|must|to)\b.*\bread first\b"
    r"|\bwhere (do|should|can|to)\b.*\b(start|begin)( (to )?read\w*)?\W*$"
    r"|\b(tour of|walk me through) (the|this|all) (whole |entire )?(code|source)\b"
    r"|\blay of the land\b|\bnew(comer| developer)s?\b.*\b(know|read)\b|\bentry points?\b.*\bprogram\b"
)
_OF_PLACE = lazily(
    r"^\W*(where (is|are|does|do the)|how (do|can|to|should) ((i|we|you) )?(start|run|build|compile)) "
)
"""Questions about a project's files, or about what one does with them, and not about all of it."""
_ABOUT_ASKER = lazily(
    r"(?i)(?<![^\s,.;:!?(])(((i am|i'm|im|we are|we're) (all |still |quite |very |totally |completely )?"
    r"|as an? |for an? )(new|newbie|newcomer|beginner|junior|noob|unfamiliar)\b( (to|with|in|here|at)\b)?"
    r"( (this|the|your)( \w+)?| here)?"
    r"|(i|we) ((have|just|only|recently) )*(cloned|joined|downloaded|inherited|checked out) "
    r"(this|the|it)( \w+)?)\s*(?=[,.;:!?)]|$|and\b)[,.;:!?]?"
    r"|,?\s*(explain )?like i'?m (five|5|new|a beginner)"
)
"""What people tell of themselves: "I am new here" asks about nothing that is new."""

_SYNONYM, _TRANSLATION, _FURTHER, _ABBREVIATED, _TOOL, _EXPRESSED = 0.35, 0.8, 0.5, 0.7, 0.5, 0.7
_COLLOQUIAL, _DERIVED = 0.4, 0.7
"""Weights of words that the question does not have, relative to 1 for its own."""
_COMPOUND = 1.3
"""Weight of two words that code writes as one, which says both."""
_HYPHENATED = lazily(r"\w+(?:[-']\w+)*")
_SIDE_BY_SIDE = lazily(r"(?<![\w-])(?=([a-z]{3,})[ -]([a-z]{3,})(?![\w-]))")
_WITH_PARTICLE = 2
"""Words of an expression that is a verb and its particle, which alone says something else."""
_PARTICLES = _read_words("particles")
_DETERMINERS = frozenset(
    {"the", "a", "an", "my", "our", "your", "its", "their", "this", "that", "these", "each", "every"}
)
_GAP, _GAP_IN_LONGER = 2, 1
"""Words that may stand between the two of an expression, "turn the cache off", and between a longer one's."""
_NOT = lazily(r"n['’]t\b|(?<=\bdo)nt\b|(?<=\bdoes)nt\b|(?<=\bis)nt\b")
"""What is "not" in expressions: "isn't used" says what "is not used" does."""
_LEAST_PREFIX = 4
_TELLING = 5
"""Words of a text whose lack of common English ones tells that it is in another language."""
_FOREIGN = 0.15
"""Share of common English words below which a text is taken for another language."""

STOP = _read_words("stop")
_STOP_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {code: _read_words(f"stop {code}") for code in ("de", "es", "fr", "pt")}
)
"""Words of grammar in German, Spanish, French and Portuguese; some are English words too."""
_STOP_ELSEWHERE = frozenset[str]().union(*_STOP_OF.values())
_SCRIPTS = MappingProxyType(
    {"ja": lazily(r"[぀-ヿ]"), "ko": lazily(r"[가-힣]"), "zh": lazily(r"[一-鿿]"), "ru": lazily(r"[а-яА-Я]")}
)
"""Letters that tell a language, the first that fits: Japanese has Chinese characters too."""


_ORDERS = _read_words("orders")
"""Verbs with which people begin when they ask how something is done."""
_VAGUE = frozenset(
    map(
        stem,
        """
        find decide determine know figure work look go take come perform deal try live reside choose pick use
        implement new handle
        """.split(),  # noqa: SIM905
    )
)
"""What a question says of anything: "where does it find the adapter" asks about adapters."""
_AGENT = lazily(r"\b\w{2,}(?:er|or)s?\b")
"""Who does a thing, which is no vague word: a worker, the finder."""
_OF_ORDERS = frozenset(map(stem, "bump update upgrade add fix change chore deps improve".split()))  # noqa: SIM905
"""What orders begin with, which says nothing of what is changed."""
_OF_EXTENDING = frozenset(
    map(stem, "add create write make implement define introduce build custom develop author".split())  # noqa: SIM905
)
"""Verbs with which people ask how something new is made."""
_SUPPORT, _SUPPORTING = stem("support"), lazily(r"(?i)\badd(?:ing)? (?:the )?support (?:for|of)\b")
"""How people say that they add something: "add support for a new format"."""
_ASKED_DEED = lazily(
    r"(?i)\bhow (?:do|can|could|should|would|to) (?:(?:i|we|you|one|people|users) )?"
    r"(write|create|implement|change)\b"
)
"""Verbs with which people ask how something is made or set; what is made permanent is there already."""
_ADDS_ELSEWHERE = lazily(
    r"(?i)\bf(?:ü|ue)ge?n?\b.{1,80}\bhinzu\b|\bhinzu(?:zu)?f(?:ü|ue)gen\b"
    r"|\b(?:schreib|erstell|implementier|entwickl|bau)\w{0,3} (?:(?:ich|man|wir) )?eine?n? "
    r"(?:neu|eigen|weiter)"
    r"|\b(?:agreg|añad)\w{1,6} (?:una?|otr[oa]|mi|soporte)\b"
    r"|\b(?:adicion|acrescent)\w{1,6} (?:uma?|outr[oa]|meu|suporte)\b"
    r"|\b(?:cre|escrib|implement)\w{1,6} (?:una?|mi) (?:\w+ )?(?:nuev|propi)"
    r"|\b(?:cri|escrev|implement)\w{1,6} (?:uma?|meu|minha) (?:\w+ )?(?:nov|própri)"
    r"|\bajout\w{1,4} (?:une?|mon|ma|le support)\b"
    r"|\b(?:cré|écri|implément)\w{1,4} (?:une?|mon|ma) (?:\w+ )?(?:nouve|propre)"
    r"|(?:如何|怎么|怎样).{0,4}(?:添加|新增|增加|编写|实现|创建|写)"
    r"|(?:追加|作成|実装)する?(?:に|方法)|どう.{0,20}(?:追加|作成|実装)"
)
"""Asks how one more of a kind is added, in other languages."""
_NEW_ELSEWHERE = frozenset(map(stem, _read_words("new elsewhere")))
"""Words that say of a thing that it is a new one, or one's own."""
_WHICH = lazily(
    r"(?i)^\W*(?:(?:what|which)(?: \S+){1,5}"
    r"|(?:list|show|name)(?: me)?(?: all)?(?: of)?(?: the)?(?: \S+){0,5}) "
    r"(?:(?:is|are|does|do|can) (?:\S+ ){0,3})?"
    r"(?:supp?orted|supp?orts?|available|built[- ]?in|exists?|offered|provided?|included?|there|bundled)\b"
    r"|^\W*(?:list|show)(?: me)? (?:all )?(?:the )?(?:supported|available|built[- ]?in|existing|bundled) "
)
"""Asks which of a kind there are."""
_OF_LISTS = frozenset(map(stem, _read_words("lists")))
"""Words with which that is asked."""
_OF_ONE = frozenset(
    {Aim.EXPLAIN, Aim.EXTENDING, Aim.WHERE, Aim.TESTS, Aim.HISTORY, Aim.RELEASES, Aim.CONTRIBUTING}
)
_OWN_TESTS = lazily(
    r"\bhow (?:do|can|should|would|to) (?:(?:i|we|you|one) )?(?:write|add|create|make) "
    r"(?:(?:an?|new|some|my|more|own|unit|integration|regression|e2e) ){0,3}(?:tests?|specs?|test cases?)"
    r"(?: (?:for|in|to) (?:this|the) (?:project|repo\w*|code ?base))?\W*$"
)
"""Asks how the tests of a project are written, and about nothing that is tested."""
_SIGNATURE = stem("signature")
_MOVING = frozenset(
    map(stem, "travel get go flow pass make find end reach come become turn move land".split())  # noqa: SIM905
)
"""Verbs with which a way is asked for: "how does a job get from the table to a process" is about no `get`."""
_VAGUE_WEIGHT = 0.5
_NAME_WEIGHT = 0.25


class Question(NamedTuple):
    """What a task asks for."""

    certainty: float
    """How surely it is a question, 0..1: 0 for reports and changes."""
    aims: tuple[Aim, ...] = (Aim.ANY,)
    terms: Mapping[str, float] = MappingProxyType({})
    """Stems that its answer may hold, with weights; 1 for its own words."""
    own: frozenset[str] = frozenset()
    """Stems of its own words."""
    groups: Mapping[str, str] = MappingProxyType({})
    """By stem, the word for which it stands: of a word and its synonyms only the best match counts."""
    phrases: tuple[tuple[str, str], ...] = ()
    """Stems of its own words that stand side by side: "line length" is one thing, `line-length` in code."""
    versions: tuple[str, ...] = ()
    """Versions that it names, such as `8.2`."""
    named_versions: tuple[str, ...] = ()
    """The same, whatever the question aims at."""
    literals: tuple[str, ...] = ()
    """What it writes as code does: `--budget`, `sendFile`, `SET`."""
    language: str = "en"
    """Code of the language in which it is asked."""
    upgrade: Upgrade | None = None
    """From which version to which it asks to come."""
    named_languages: frozenset[str] = frozenset()
    """Codes of the languages that it names."""
    is_about_way: bool = False
    """Whether it asks for the way through the code from one place to another."""
    is_about_past: bool = False
    """Whether it asks what was changed in the project, when and by whom."""
    fact: Fact | None = None
    """What it asks for that a project declares of itself."""
    beside: tuple[Fact, ...] = ()
    """What it asks for of that beside something else: "the lint rules, and the lowest Python"."""
    into: frozenset[str] = frozenset()
    """Stems of what it asks to add something to: "a new field to Owner"."""
    wants_all: bool = False
    """Whether it asks which of a kind there are: "what vector stores are supported"."""
    beneficiary: frozenset[str] = frozenset()
    """Stems of what it asks to make something for: "a validator for an input"."""
    doers: tuple[frozenset[str], ...] = ()
    """Stems of what may do what is asked about, of one word, two, three: "how does the cup filler know"."""


NO_QUESTION = Question(0.0)


@lru_cache(maxsize=64)
def read_question(text: str) -> Question:
    """Return what a task asks for; `NO_QUESTION` for a report or a change."""
    if (asked := _ABOUT_ASKER.sub("", text)).strip(" ,.;:\n"):
        text = asked
    order = strip_places(text)
    orders = order != text or _orders_with_places(text)
    text, ordered = order, () if orders else find_ordered_aims(text.strip())
    certainty = _OF_ORDER if orders else _estimate_certainty(text.strip(), is_ordered=bool(ordered))
    if not certainty:
        return NO_QUESTION
    stop = STOP | _PARTICLES | (_STOP_ELSEWHERE if _is_foreign(text) else frozenset())
    said = _STATUS.sub(_name_status, text)
    own = stem_all(" ".join(word for word in WORD.findall(_PLACE.sub(" ", said)) if word.lower() not in stop))
    vague = _VAGUE - {stem(word) for word in _AGENT.findall(said.lower())}
    terms, groups = _add_words(said, own, vague)
    terms.update((term, _VAGUE_WEIGHT) for term in terms if not vague.isdisjoint(basic_forms(term)))
    terms.update((stem(word), _NAME_WEIGHT) for word in _COUNT.findall(said.lower()))
    is_way = _WAY.search(text) is not None
    if is_way:
        terms.update((term, _NAME_WEIGHT) for term in terms if _is_moving(groups.get(term, term)))
    aims = (Aim.EXTENDING,) if orders else _read_aims(text, is_way=is_way)
    _lower_by_aims(terms, groups, aims, text)
    wants_all = _WHICH.search(text) is not None and _OF_ONE.isdisjoint(aims)
    if wants_all:
        forms = [term for term in terms if groups.get(term, term) in _OF_LISTS]
        terms.update((term, _NAME_WEIGHT * terms[term]) for term in forms)
    aims = _refine_aims(aims, ordered, text, terms)
    if Aim.CONFIGURATION in aims or Aim.CONTRIBUTING in aims:
        for word, tools in _TOOLS.items():
            if word in text.lower() or stem(word) in terms:
                _raise(terms, stem_all(tools), _TOOL)
    if ordered:
        terms.update((term, _NAME_WEIGHT) for term in own if term in _OF_ORDERS)
    slight = {term for term, weight in terms.items() if term in own and weight <= _NAME_WEIGHT}
    pairs = _find_phrases(said)
    phrases = tuple(pair for pair in pairs if not any(map(_is_vague, pair)) and slight.isdisjoint(pair))
    is_upgrade = Aim.RELEASES in aims and _UPGRADES.search(text) is not None
    if is_upgrade:
        _raise(terms, stem_all(_OF_UPGRADES), _EXPRESSED)
    versions = _find_versions(text, is_upgrade=is_upgrade)
    question = Question(
        certainty,
        aims,
        MappingProxyType(terms),
        frozenset(own),
        MappingProxyType(groups),
        phrases,
        versions if Aim.RELEASES in aims else (),
        versions,
        _find_literals(text),
        _find_language(text),
        read_upgrade(text, versions) if is_upgrade else None,
        find_named_languages(text),
        Aim.EXPLAIN in aims and is_way,
        Aim.HISTORY in aims or (_PAST.search(text) is not None and _TOLD_OF_PAST.isdisjoint(aims)),
        wants_all=wants_all,
        into=_find_target(_INTO, text) if Aim.EXTENDING in aims else frozenset(),
        beneficiary=_find_target(_FOR, text.lower()) if Aim.EXTENDING in aims else frozenset(),
        doers=() if _OF_PLACES.isdisjoint(aims) else _find_doers(text),
    )
    if _ADDS_ELSEWHERE.search(text) and _is_foreign(text):
        question = _extend_elsewhere(question, text)
    return _ask_for_fact(question, text, question.own)


def _extend_elsewhere(question: Question, text: str) -> Question:
    """Return a question in another language that asks how one more is added, about what its words mean."""
    low = text.lower()
    meant = {stems[0] for stems in _translate(low) if _OF_EXTENDING.isdisjoint(stems)}
    unknown = {stem(word) for word in WORD.findall(low) if word.isascii() and not any(_translate(word))}
    own = meant | ((question.own & unknown) - _NEW_ELSEWHERE)
    slight = dict.fromkeys(question.own - own, _NAME_WEIGHT)
    terms = MappingProxyType({**question.terms, **slight, **dict.fromkeys(own, 1.0)})
    return question._replace(aims=(Aim.EXTENDING,), own=frozenset(own), terms=terms)


def _lower_by_aims(
    terms: dict[str, float], groups: Mapping[str, str], aims: Collection[Aim], text: str
) -> None:
    """Let the words count little that only say at what a question aims."""
    if Aim.EXTENDING in aims and Aim.CONTRIBUTING in aims:  # the aim says it already
        terms.update((term, _NAME_WEIGHT) for term in terms if term.startswith("contribut"))
    if Aim.API in aims:  # what is signed is another matter than a signature
        forms = [term for term in terms if groups.get(term) == _SIGNATURE]
        terms.update((term, _NAME_WEIGHT * terms[term]) for term in forms)
    if Aim.EXTENDING in aims:  # pages say so of everything
        said_of_all = _OF_EXTENDING | {_SUPPORT} if _SUPPORTING.search(text) else _OF_EXTENDING
        said_of_all = said_of_all - {
            stem(word) for word in _AGENT.findall(text.lower())
        }  # a maker is a thing
        verbs = [term for term in terms if groups.get(term, term) in said_of_all]
        terms.update((term, _NAME_WEIGHT * terms[term]) for term in verbs)
    elif asked := _ASKED_DEED.search(text):
        _lower_deed(terms, groups, stem(asked[1].lower()))


def _lower_deed(terms: dict[str, float], groups: Mapping[str, str], deed: str) -> None:
    """Let a verb with which people ask how something is made count little, and what stands for it.

    "How do I write a test" asks about tests.
    """
    forms = {deed, *forms_of(deed)}
    lowered = [term for term in terms if term in forms or groups.get(term) in forms]
    terms.update((term, _NAME_WEIGHT * terms[term]) for term in lowered)


def _find_target(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return the stems of what a text asks to add something to, or to make it for."""
    found = pattern.search(text)
    return frozenset(stem_all(found[1])) - _OF_ARTICLES if found is not None else frozenset()


def _find_doers(text: str) -> tuple[frozenset[str], ...]:
    """Return the first words of what stands between "does" and what it does, one by one more of them."""
    match = _DOES.search(text)
    words = match[1].split() if match is not None else []
    stems = [stem(word.lower()) for word in words]
    return tuple(frozenset(stems[: count + 1]) for count in range(len(stems)))


def _translate_own(question: Question) -> frozenset[str]:
    """Return the English stems of a question's words, none where a word has no translation."""
    translated = {term for term, weight in question.terms.items() if weight == _TRANSLATION}
    rest = {one for one in question.own if one not in _PROJECT_ELSEWHERE and not _EAST_ASIAN.search(one)}
    is_whole = len(rest) == len(translated) or (not rest and _PROJECT_ELSEWHERE & question.own)
    return frozenset(translated if is_whole else ())


def _ask_for_fact(question: Question, text: str, said: AbstractSet[str]) -> Question:
    """Return a question that asks for a fact, if what it says with these stems is no more than that."""
    aims = {*question.aims}
    fact = find_fact(said, aims, text, certainty=question.certainty)
    if fact is None and _is_foreign(text):
        translated = _translate_own(question)
        fact = find_fact(translated, aims, f"the project {' '.join(sorted(translated))}")
    both = _find_facts_of_clauses(question, text, said)
    fact, *beside = both if both and all(both) else (fact, *both)
    facts = tuple(one for one in beside if one not in {None, fact})
    if fact is None or not _NO_FACT.isdisjoint(aims):
        return question._replace(beside=facts or tuple(_find_facts_beside(question, text)))
    question = question._replace(beside=facts)
    aim = _AIMS_OF_FACTS.get(fact, Aim.DECLARED)
    kept = question.aims if aim in aims or fact in IN_CODE else (aim,)
    terms = {**dict.fromkeys(stem_all(_CALLED.get(fact, "")), 1.0), **question.terms}
    return question._replace(certainty=_OF_FACT, aims=kept, fact=fact, terms=MappingProxyType(terms))


def _find_facts_of_clauses(question: Question, text: str, said: AbstractSet[str]) -> list[Fact | None]:
    """Return the fact for which each of the questions in one asks, None for another; none for one question.

    Of each clause the words count that are among the stems `said`.
    """
    clauses = _NEXT.split(text)
    if len(clauses) < 2:
        return []
    return [
        find_fact(one.own & said, {*one.aims}, clause, certainty=question.certainty)
        for clause, one in zip(clauses, map(read_question, clauses), strict=True)
    ]


def _find_facts_beside(question: Question, text: str) -> Iterator[Fact]:
    """Yield the facts for which a clause of a question about settings asks."""
    clauses = _AND.split(text) if Aim.CONFIGURATION in question.aims else ()
    for clause in clauses if len(clauses) > 1 else ():
        said = {*stem_all(" ".join(word for word in WORD.findall(clause) if word.lower() not in STOP))}
        fact = find_fact(said, {*question.aims}, clause)
        if fact in _BESIDE:
            yield fact


def _name_status(number: re.Match[str]) -> str:
    """Return the name of a status of HTTP, by which code calls it: 504 is a gateway timeout."""
    from http import HTTPStatus

    try:
        return HTTPStatus(int(number[0])).name.replace("_", " ").lower()
    except ValueError:  # there is no such status
        return number[0]


def _is_moving(stemmed: str) -> bool:
    return not _MOVING.isdisjoint(basic_forms(stemmed))


def _is_vague(stemmed: str) -> bool:
    """Tell whether a word says so little that it makes no phrase with the word beside it."""
    return _is_moving(stemmed) or not _VAGUE.isdisjoint(basic_forms(stemmed))


def _find_versions(text: str, *, is_upgrade: bool) -> tuple[str, ...]:
    """Return the versions that a question names; of an upgrade from one to another, what it is to."""
    found = ["".join(groups) for groups in _VERSION.findall(text)]
    if is_upgrade:
        found += _MAJOR.findall(text)
        target = _TARGET.search(text)
        old = target["old"].rstrip(".x") if target else ""
        found = [one for one in found if one != old] or found
    return tuple(dict.fromkeys(found))


def _hide_paths(text: str) -> str:
    """Return a text without the paths of files: `go` in `reader.go` says nothing about Go.

    A page that tells how to contribute, or what changed, is itself what is asked about: `CHANGELOG.md`.
    """
    return _FILE.sub(lambda found: "x" if _is_hidden(found[0]) else found[0], text)


def _is_hidden(written: str) -> bool:
    path = written.replace("\\", "/")
    if not language_of(path) or path.lower() in _PRODUCTS:
        return False
    return "/" in path or place_of(path) not in (FilePlace.CONTRIBUTING, FilePlace.CHANGES)


def _find_literals(text: str) -> tuple[str, ...]:
    found = [match[match.lastindex or 0] for match in _LITERAL.finditer(text)]
    found = [one for one in found if "." not in one or not _is_file_or_host(one)]
    found += [one.rpartition(".")[2] for one in found if _DOTTED.fullmatch(one)]
    found += [match[match.lastindex or 0] for match in _NAMED.finditer(text)]
    return tuple(dict.fromkeys(one for one in found if one.lower() not in {*_LONG_FORMS, "api"}))


def _is_file_or_host(name: str) -> bool:
    """Tell whether a name with a full stop names a file or a host, and not something of code."""
    return language_of(name) != "" or name.rpartition(".")[2].lower() in _NO_NAMES


def _find_phrases(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of stems that stand side by side, with nothing but blanks or a hyphen between them."""
    found: dict[tuple[str, str], None] = {}
    before, end = "", 0
    for match in WORD.finditer(text):
        parts = [part for some in split_words([match[0]]) for part in some if "_" not in part]
        stems = [stem(part) for part in parts] if match[0].lower() not in STOP else []
        if before and stems and not text[end : match.start()].strip(" -"):
            found[before, stems[0]] = None
        found.update(dict.fromkeys(pairwise(stems)))
        before, end = (stems[-1] if stems else ""), match.end()
    return tuple((one, other) for one, other in found if one != other)


def asks_about_changes(text: str) -> bool:
    """Tell whether a task is about what somebody changed: a review, the message of a commit to come."""
    start = text[:_READ]
    is_asked = any(concerns_repository(start, found) for found in _ABOUT_CHANGES.finditer(start))
    is_asked = is_asked and not _RELEASES.search(start) and not _UPGRADES.search(start)
    return is_asked and not (_MESSAGE.search(start) and _HOW.search(start))


def count_commits_to_review(text: str) -> int:
    """Return how many of the newest commits a task wants to see, 0 if it is about none of them as such."""
    found = _LAST_COMMITS.search(text[:_READ]) if len(text) <= _LONGEST_ABOUT_WHOLE else None
    if found is None:
        return 0
    number = (found["number"] or "").lower()
    return int(number) if number.isdigit() else _NUMBERS.get(number, 1)


def asks_for_message(text: str) -> bool:
    """Tell whether a task wants the message of a commit to come, which the changes alone tell."""
    return asks_about_changes(text) and _MESSAGE.search(text[:_READ]) is not None


def asks_for_tests(text: str) -> bool:
    """Tell whether a task is to write tests."""
    return _WRITES_TESTS.match(text[:_READ]) is not None


def asks_about_whole(text: str, *, name: str = "") -> bool:
    """Tell whether a question is about a project as a whole, like "explain the architecture".

    `name` is the project's own, which says no more than "this project" does. A question that names anything
    else, such as "explain the design of the parser", is not; what it asks beside is left to `find_rest`.
    """
    return bool(read_question(text.strip()).certainty) and (
        _is_about_whole(text, name) or bool(find_rest(text, name=name))
    )


def find_rest(text: str, *, name: str = "") -> str:
    """Return what is asked beside a project as a whole: "explain the architecture: where are routes found".

    "" for a question that asks nothing beside, or that does not begin with the whole.
    """
    clauses = _CLAUSE.split(text.strip(), maxsplit=1)
    if len(clauses) < 2 or not _is_about_whole(clauses[0], name) or _is_about_whole(text, name):
        return ""
    return clauses[1].strip()


def _is_about_whole(text: str, name: str) -> bool:
    text = _ABOUT_ASKER.sub("", text).strip(" ,.;:")
    if not 0 < len(text) <= _LONGEST_ABOUT_WHOLE or _OF_PLACE.search(text.lower()):
        return False
    if not text.isascii() and _EAST_ASIAN.search(text):
        return _WHOLE_EAST_ASIAN.search(text) is not None
    words = [word for word in WORD.findall(text.lower()) if word not in STOP]
    own = set(WORD.findall(name.lower()))
    others = [word for word in words if word not in _ABOUT_WHOLE and word not in own]
    return not others and (
        any(word in _WHOLE or word in own for word in words) or _WORKS.search(text) is not None
    )


def relate_to_project(question: Question, text: str, name: str) -> Question:
    """Return what the text of a question asks in a project of that name.

    Its own name says little: in a project, all is about it. What is to be upgraded and bears another name is
    something that it uses: manifests tell more of that than its own changes do.
    """
    if question.fact in IN_CODE:  # its table says where it stands
        question = question._replace(aims=(Aim.ANY,))
    own = set(stem_all(name)) & question.own
    upgraded = _UPGRADED.search(text) if Aim.RELEASES in question.aims else None
    if upgraded is not None and own.isdisjoint(stem_all(upgraded["what"])):
        question = question._replace(aims=(Aim.CONFIGURATION, *question.aims))
    if not own or own == question.own:
        return question
    question = _ask_for_fact(question, text, question.own - own)
    tools = {one for word, named in _TOOLS.items() if stem(word) in own for one in stem_all(named)}
    terms = {
        term: min(weight, _NAME_WEIGHT) if term in own else weight
        for term, weight in question.terms.items()
        if term not in tools - question.own  # of a linter, linting is what it does
    }
    return question._replace(terms=MappingProxyType(terms))


def stem_all(text: str) -> list[str]:
    """Return the stems of a text's words, identifiers split, in order."""
    return [stem(part) for parts in split_words(WORD.findall(text)) for part in parts]


def stem_parts(name: str) -> list[str]:
    """Return the stems of the words in a name, without that of all of it beside others."""
    words, whole = stem_all(name), stem(name.strip("_").lower())
    return [one for one in words if one != whole] or words


def find_short_forms(stems: AbstractSet[str]) -> set[str]:
    """Return the abbreviations of the words of which these are the stems: `cmd` for `command`."""
    return {short for short, long in _LONG_FORMS.items() if not stems.isdisjoint(stem_all(long))}


def _estimate_certainty(text: str, *, is_ordered: bool) -> float:
    title = text.partition("\n")[0]
    words = len(WORD.findall(text))
    if words > (_LONGEST if title == text else _LONGEST_BELOW_TITLE) or _PASTED.search(text):
        return 0.0
    if _DEVELOPS.fullmatch(text) or is_ordered:
        return 1.0
    if asks_for_tests(text) or (_BROKE_SINCE.search(text) and not _ASKS_FOR_GUIDE.search(text)):
        return 0.0
    if not title or _PREFIX.match(title) or _REPORT.match(title) or asks_about_changes(text):
        return 0.0
    asked = _hide_paths(title)
    states = _STATES.match(text) or (_TELLS.match(asked.strip()) and not _ASKS_PLAINLY.search(asked))
    orders = _tells_what_to_do(title) or _MAY_ASK.match(title)
    if states and not _BEGINS.match(asked) and not orders:
        return 0.0
    if _has_form_of_question(asked):
        return 1.0
    if _ASKS.search(asked) and not _CHANGES.search(asked):
        return 0.8
    if _tells_what_to_do(title) and _MINE.search(asked) and not _FAULTS.search(asked):
        return 0.8
    if words > _SHORT or "\n" in text or _CODE.search(title):
        return 0.0
    if _MAY_ASK.match(title):
        return 0.8
    if _BEGINS_CHANGE.match(asked) or _FAULTS.search(asked):
        return 0.0
    return 0.8 if words > _NAME else 0.5


def _has_form_of_question(title: str) -> bool:
    """Tell whether a line is a question by its form, whatever it is about."""
    asks = bool(_ASKS.search(title))
    if title.endswith(("?", "？")) or _ASKS_FOR_ME.search(title) or _OF_RELEASE.match(title):
        return True
    if _UPGRADE_ALONE.match(title):
        return True
    if _ASKS_WHAT.search(title) and _UPGRADES.search(title) and not _FAULTS.search(title):
        return True
    if _BEGINS.match(title) and (asks or _IS_THERE.match(title) or not _CHANGES.search(title)):
        return True
    if _ASKS_ELSEWHERE.search(title) and _is_foreign(title):
        return True
    return asks and not _BEGINS_CHANGE.match(title) and not _INNER_CLAUSE.search(title[3:])


def _tells_what_to_do(text: str) -> bool:
    """Tell whether a question has the form of an order: "keep only the folders of failed tests"."""
    found = WORD.match(text.strip())
    after = text.strip()[found.end() :].split(maxsplit=1) if found else []
    is_order = found is not None and found[0].lower() in _ORDERS
    return (
        is_order and bool(after) and after[0].lower() not in ("me", "us") and not text.rstrip().endswith("?")
    )


def strip_places(text: str) -> str:
    """Return what is to be done where a text asks which files that needs; other texts as they are."""
    return _PLACES_OF_ORDER.sub("", text, count=1) if len(text) <= _LONGEST_ORDER else text


def _orders_with_places(text: str) -> bool:
    """Tell whether a text orders a change and asks where: "add an option --x: which files must I touch"."""
    if len(text) > _LONGEST_ORDER:
        return False
    return _ORDERED.match(text) is not None and _WHICH_FILES.search(text) is not None


def _refine_aims(
    aims: tuple[Aim, ...], ordered: tuple[Aim, ...], text: str, terms: Mapping[str, float]
) -> tuple[Aim, ...]:
    """Return at what a question with these terms aims by its form: orders ask how, or say it."""
    is_order = _tells_what_to_do(text) or _MAY_ASK.match(text) is not None
    if is_order and Aim.CONTRIBUTING not in aims and Aim.CONFIGURATION not in aims:
        aims = (Aim.HOW_TO,)
    if _DEVELOPS.fullmatch(text.strip()) or (aims in _MAY_DEVELOP and _DEVELOPING.search(text.lower())):
        return (Aim.DEVELOPING,)
    if ordered:
        return ordered
    is_short = len(WORD.findall(text)) <= _SHORT_OF_CI  # in a longer one, CI is one thing of several
    if Aim.CONFIGURATION in aims and Aim.CI not in aims and is_short and is_about_ci(text):
        return (*aims, Aim.CI)
    if aims in _MAY_DEVELOP and _is_foreign(text):
        found = _find_aims(" ".join(term for term, weight in terms.items() if weight >= _TRANSLATION))
        return found if aims == (Aim.ANY,) or Aim.CONTRIBUTING in found else aims
    return aims


def _read_aims(text: str, *, is_way: bool) -> tuple[Aim, ...]:
    """Return at what a text aims: at what a way needs, if it asks for one, and else by its words."""
    low = _hide_paths(text).lower()
    if dict(_AIMS)[Aim.CI].search(low):
        return (Aim.CONFIGURATION, Aim.CI)
    aims = _find_aims(low)
    if aims == (Aim.WHERE,) and _is_about_whole(text.strip(), ""):  # "which files should I read first"
        return (Aim.EXPLAIN,)
    if aims == (Aim.WHERE,) and _AND_WHERE.search(low):
        return (Aim.HOW_TO if dict(_AIMS)[Aim.HOW_TO].search(low) else Aim.EXPLAIN, Aim.WHERE)
    return (Aim.EXPLAIN, Aim.WHERE) if is_way and Aim.RELEASES not in aims else aims


def _match_aims(text: str) -> list[Aim]:
    """Return the aims whose words a text has; what is done with settings is explained by code."""
    found = [aim for aim, pattern in _AIMS if pattern.search(text)]
    tells_work = _WORKS_SO.match(text) is not None
    if tells_work and Aim.WHERE in found and not _AND_WHERE.search(text):
        found.remove(Aim.WHERE)  # "how does it go on where it stopped"
    is_work = tells_work and not _OF_SETTINGS.search(text)
    is_work = is_work or (Aim.HOW_TO not in found and _HANDLES_SETTINGS.search(text) is not None)
    if not found and tells_work:
        return [Aim.EXPLAIN]
    if Aim.CONFIGURATION in found and is_work:
        return [*(aim for aim in found if aim not in (Aim.CONFIGURATION, Aim.EXPLAIN)), Aim.EXPLAIN]
    return found


def _find_aims(text: str) -> tuple[Aim, ...]:
    if _OWN_TESTS.search(text):
        return (Aim.CONTRIBUTING, Aim.TESTS)
    found = _match_aims(text)
    alone = next((aim for aim in _ALONE if aim in found), None)
    if alone is Aim.WHERE and _WHERE_SETTINGS.search(text):
        return (Aim.HOW_TO, Aim.CONFIGURATION)
    if alone is Aim.WHERE and _MEMBERS.search(text):
        return (Aim.API,)
    if _RELEASING.search(text):
        settings = (Aim.CONFIGURATION,) if Aim.CONFIGURATION in found else ()
        return (Aim.CONTRIBUTING, Aim.ENTRIES, *settings)
    if alone is Aim.RELEASES and _SINCE.search(text):
        return (alone, Aim.HISTORY)
    if alone is Aim.CONTRIBUTING and _ENTRIES.search(text):
        return (alone, Aim.ENTRIES)
    if alone is Aim.CONTRIBUTING and _CONTRIBUTES.search(text):
        return (alone, Aim.EXTENDING)
    if alone is Aim.CONTRIBUTING and Aim.CONFIGURATION in found:
        return (alone, Aim.CONFIGURATION)
    if alone is not None:
        return (alone,)
    if Aim.HOW_TO in found:
        return _find_ways(text, found)
    return tuple(found) or (Aim.ANY,)


def _find_ways(text: str, found: Sequence[Aim]) -> tuple[Aim, ...]:
    """Return at what a text aims that asks how something is done."""
    if _DEVELOPING.search(text):
        return (Aim.DEVELOPING,)
    if _EXTENDS.search(text):
        return (Aim.EXTENDING,)
    if _OWN.search(text):
        return (Aim.HOW_TO, Aim.EXTENDING)
    return tuple(aim for aim in found if aim in (Aim.HOW_TO, Aim.CONFIGURATION))


def _add_words(
    text: str, own: Iterable[str], vague: Collection[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the stems of a question, and those of translations, long forms and synonyms of its words.

    What is `vague` has no synonyms: who asks how popups work asks about no background workers.
    """
    terms: dict[str, float] = {}
    groups: dict[str, str] = {term: term for term in own}
    low = text.lower()
    if _is_foreign(low):
        for stems in _translate(low):
            _raise_translated(terms, groups, stems)
    _raise(terms, own, 1.0)
    clear = [term for term in own if term not in vague]
    _add_related(terms, groups, clear, {term: _find_synonyms(term) for term in clear}, _SYNONYM)
    for word in WORD.findall(low):
        if word in _LONG_FORMS:
            _raise(terms, stem_all(_LONG_FORMS[word]), _ABBREVIATED)
    if is_in_english(text):
        _add_related(terms, groups, own, {term: _find_colloquial(term) for term in own}, _COLLOQUIAL)
        _add_related(terms, groups, own, _read_forms("verbs.txt"), 1.0)
        _add_related(terms, groups, own, _read_forms("derived.txt"), _DERIVED)
        _add_related(terms, groups, own, _join_words(low), _COMPOUND)
        _add_expressions(terms, groups, low)
    return terms, groups


def _join_words(text: str) -> dict[str, list[str]]:
    """Return what words form with the one before them where code writes both as one: `filename`."""
    joined: dict[str, list[str]] = {}
    for one, other in _SIDE_BY_SIDE.findall(text):
        if one not in STOP:
            joined.setdefault(stem(other), []).append(stem(one + other))
    return joined


def _add_related(
    terms: dict[str, float],
    groups: dict[str, str],
    own: Iterable[str],
    related: Mapping[str, Iterable[str]],
    weight: float,
) -> None:
    """Add the words that are related to those of a question: each stands for the closest one."""
    for term in own:
        found = sorted(related.get(term, ()))
        closer = [
            one for one in found if one not in groups or (groups[one] != one and terms.get(one, 0.0) < weight)
        ]
        _raise(terms, found, weight)
        groups.update(dict.fromkeys(closer, term))


def _add_expressions(terms: dict[str, float], groups: dict[str, str], text: str) -> None:
    """Add what expressions mean.

    A verb that says something else without its particle counts less: "thrown away" asks about no exception.
    """
    said = _HYPHENATED.findall(_NOT.sub(" not", text))
    for words in (said, *(word.split("-") for word in said if "-" in word)):
        _add_expressions_of(terms, groups, words)


def _add_expressions_of(terms: dict[str, float], groups: dict[str, str], said: Sequence[str]) -> None:
    """Add what the expressions mean that these words hold."""
    words = [basic_forms(stem(word)) for word in said]
    for row in _find_expressions({form for forms in words for form in forms}):
        expression, meanings = _read_expression(row)
        places = _find_expression(words, expression)
        if not places or (places[-1] - places[0] >= len(places) and _is_preposition(said, places[-1])):
            continue
        own = [one for place in places for one in sorted(words[place]) if one in terms]
        _raise(terms, meanings, _EXPRESSED)
        if len(expression) == _WITH_PARTICLE and expression[1] in _PARTICLES:
            vague = [one for one in own if not any(_is_meant(one, meaning) for meaning in meanings)]
            forms = terms.keys() & {form for one in vague for form in (one, *forms_of(one))} - {*meanings}
            compound = stem(row.partition("|")[0].replace(" ", ""))  # "times out" is `timeout`, and no time
            left = _NAME_WEIGHT if compound in meanings else _VAGUE_WEIGHT
            _raise(terms, [compound] if compound in meanings else [], 1.0)
            terms.update((form, min(terms[form], left)) for form in forms)
            related = [term for term, word in groups.items() if word in vague and term not in own]
            terms.update((one, min(terms[one], _NAME_WEIGHT)) for one in related if one not in meanings)
        name = own[0] if own else meanings[0]
        groups.update((one, groups.get(name, name)) for one in meanings if one not in groups)


def _is_preposition(words: Sequence[str], at: int) -> bool:
    """Tell whether a word goes with what follows it: "log lines in my table" logs nobody in."""
    return words[at] in _PARTICLES and not _DETERMINERS.isdisjoint(words[at + 1 : at + 2])


def _is_meant(term: str, meaning: str) -> bool:
    """Tell whether a word of an expression stands for what it means: "login" is not what "log" says."""
    return meaning.startswith(term) if len(term) >= _LEAST_PREFIX else meaning == term


def _find_expression(words: Sequence[frozenset[str]], expression: tuple[str, ...]) -> tuple[int, ...]:
    """Return where the words of an expression stand first, with few others between."""
    reach = _GAP if len(expression) == _WITH_PARTICLE else _GAP_IN_LONGER
    for start, forms in enumerate(words):
        if expression[0] not in forms:
            continue
        places = [start]
        for wanted in expression[1:]:
            after = range(places[-1] + 1, min(places[-1] + 2 + reach, len(words)))
            found = next((at for at in after if wanted in words[at]), None)
            if found is None:
                break
            places.append(found)
        else:
            return tuple(places)
    return ()


def _raise(terms: dict[str, float], stems: Iterable[str], weight: float) -> None:
    for one in stems:
        terms[one] = max(terms.get(one, 0.0), weight)


def _raise_translated(terms: dict[str, float], groups: dict[str, str], stems: tuple[str, ...]) -> None:
    groups.update((one, stems[0]) for one in stems if one not in groups)
    _raise(terms, stems[:1], _TRANSLATION)
    _raise(terms, stems[1:], _TRANSLATION * _FURTHER)


def _is_foreign(text: str) -> bool:
    words = WORD.findall(text.lower())
    if not text.isascii() and _EAST_ASIAN.search(text) is not None:
        return True
    english = sum(word in STOP and word not in _STOP_ELSEWHERE for word in words)
    other = sum(word in _STOP_ELSEWHERE and word not in STOP for word in words)
    if english != other:
        return other > english
    return sum(word in _ENGLISH for word in words) < _FOREIGN * len(words)


def is_in_english(text: str) -> bool:
    """Tell whether a text is in English, or too short to tell."""
    return _find_language(text) == "en" and not (len(WORD.findall(text)) > _TELLING and _is_foreign(text))


def is_common_word(word: str) -> bool:
    """Tell whether an English word is one that the tables of this package know, in whatever form."""
    if word in STOP or word in _ORDERS:
        return True
    pattern = re.compile(rf"\b{re.escape(stem(word))}(e?s|e?d|ing|e|y|ies)?\b")
    return any(
        pattern.search(line.partition("|")[0] if name == "concepts.txt" else line)
        for name in ("concepts.txt", "verbs.txt", "colloquial.txt", "expressions.txt")
        for line in _read_table(name)
        if word[:_LEAST_PREFIX] in line
    )


def _find_language(text: str) -> str:
    """Return the code of a text's language, English where nothing tells of another."""
    scripts = {} if text.isascii() else _SCRIPTS
    script = next((code for code, pattern in scripts.items() if pattern.search(text)), "")
    if script or not _is_foreign(text):
        return script or "en"
    words = WORD.findall(text.lower())
    counts = {code: sum(word in stop for word in words) for code, stop in _STOP_OF.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else "en"


@lru_cache(maxsize=1_024)
def _find_synonyms(stemmed: str) -> frozenset[str]:
    """Return the stems of the other English words of the concepts that a stem stands for."""
    (begins,) = beginnings([stemmed])
    near = (line.partition("|")[0].split() for line in _read_table("concepts.txt") if begins in line)
    stems = {one for words in near if stemmed in (row := set(map(stem, words))) for one in row}
    return frozenset(stems - {stemmed})


def _translate(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the English stems of each word of a text that the table of concepts knows in another language."""
    east_asian = not text.isascii() and _EAST_ASIAN.search(text) is not None
    said = [word for word in WORD.findall(text) if word not in _STOP_ELSEWHERE]
    for line in _read_table("concepts.txt"):
        english, *european, chinese, japanese = line.split("|")
        if east_asian:
            is_said = any(word in text for word in f"{chinese} {japanese}".split())
        else:
            starts = " ".join(european).split()
            is_said = any(
                word == start or (len(start) >= _LEAST_PREFIX and word.startswith(start))
                for start in starts
                for word in said
            )
        if is_said:
            yield tuple(dict.fromkeys(map(stem, english.split())))


def forms_of(stemmed: str) -> tuple[str, ...]:
    """Return the stems of the other forms of the irregular verb that a stem is a form of, if any."""
    return _read_forms("verbs.txt").get(stemmed, ())


def basic_forms(stemmed: str) -> frozenset[str]:
    """Return a stem, and that of the basic form of the irregular verb of which it is a form."""
    return frozenset((stemmed, _basic_form_of().get(stemmed, stemmed)))


@lru_cache(maxsize=1)
def _basic_form_of() -> Mapping[str, str]:
    """Return the stem of the basic form of each form of an irregular verb."""
    rows = [tuple(map(stem, line.split())) for line in _read_table("verbs.txt")]
    return {form: forms[0] for forms in reversed(rows) for form in forms}


@lru_cache
def _read_forms(table: str) -> Mapping[str, tuple[str, ...]]:
    """Return the other forms of each form in a table's rows, as stems, the first of its row first."""
    forms: dict[str, tuple[str, ...]] = {}
    for line in _read_table(table):
        stems = tuple(dict.fromkeys(map(stem, line.split())))
        for one in stems:
            forms[one] = tuple(other for other in stems if other != one)
    return forms


@lru_cache(maxsize=1_024)
def _find_colloquial(stemmed: str) -> tuple[str, ...]:
    """Return the stems of what code calls what a word that people use means."""
    (begins,) = beginnings([stemmed])
    near = (line.partition("|") for line in _read_table("colloquial.txt") if begins in line)
    found = (meanings for words, _, meanings in near if stemmed in map(stem, words.split()))
    meanings = dict.fromkeys(map(stem, " ".join(found).split()))
    return tuple(one for one in meanings if one != stemmed)


_LAST = chr(sys.maxunicode)


def _find_expressions(stems: Collection[str]) -> list[str]:
    """Return the rows of expressions whose first word has one of these stems, in order of the alphabet."""
    rows = _read_table("expressions.txt")  # in order of their first words
    near = (rows[bisect_left(rows, one) : bisect_left(rows, one + _LAST)] for one in beginnings(stems))
    return sorted({row for some in near for row in some if stem(row.partition(" ")[0]) in stems})


@lru_cache(maxsize=1_024)
def _read_expression(row: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of an expression and what it means, as stems."""
    words, _, meanings = row.partition("|")
    return tuple(map(stem, words.split())), tuple(dict.fromkeys(map(stem, meanings.split())))


_LONG_FORMS = _read_pairs("abbreviations.txt")
_TOOLS = _read_pairs("tools.txt")
"""Programs that a question about a matter may mean."""
