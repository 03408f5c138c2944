"""Estimate how surely a text is a question, and no report or change."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.change_requests import (
    BEGINS_CHANGE,
    CHANGES,
    FAULTS,
    asks_to_change,
    estimate_order,
    find_fault_before_wish,
    is_title,
    orders_as_title,
)
from satchel.questions.finding_aims import orders_to_develop
from satchel.questions.git_words import asks_about_changes
from satchel.questions.languages import is_foreign
from satchel.questions.literals import hide_paths
from satchel.questions.orders import MAY_ASK, asks_for_tests, tells_what_to_do
from satchel.questions.releases import is_about_upgrade, names_release, tells_of_breakage
from satchel.workspace.index.terms import WORD

_LONGEST = 80
"""Words of the longest text that is read as a question; longer ones are reports."""
_LONGEST_BELOW_TITLE = 40
_SHORT, _NAME = 15, 3
"""Most words of a text that may be a question without the form of one, and of one that only names a thing."""
_ASKS = lazily(
    r"(?i)\b(how|what|whats|what's|why)\b"
    r"|(?:^\W*|[.,;:!?(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|out|list|ask|me|us|about)\s+"
    r"|^\W*(?:on|in|into|at|to|from|for|by|with|of|under|through|since|until|after|before|against|per)\s+)"
    r"(?:where|which|who|whom|whose|when|whether)\b"
    r"(?! (?:the|an?|it|i|we|you|they|then|cannot|makes?|causes?|means)\b)"
)
"""Words that ask, but not in relative clauses, as in "files which are read"."""
_STATES = lazily(
    r"(?s)\s*[A-Z0-9\"'(].{40,}\w[\w)\"']\.\s*$|[^?]{20,500}?\w\.\s+[A-Z][^?]{10,}\w[\w)\"']\.\s*$"
)
"""A whole sentence, or several, that ends with a full stop."""
_VERB = (
    r"(?:(?:is|are|was|were|has|have|had|does|did|could|would|should)(?:n't)?|do|don't|can|can't|cannot"
    r"|will|won't|may|might|must)"
)
_USERS = r"(?:users?|people|customers|clients|admins?|visitors)"
_DOES = r"(?:(?:it|that|there)['’]s|needs|lacks|seems|looks|gets|keeps|breaks|misses)"
_SAID = r"(?:[^?？]|\?(?=\w))"
"""A character of a statement: the one in `?page=2` is no question mark."""
_TELLS = lazily(
    rf"(?i){_SAID}{{0,300}}?,\s+(?:in\s+)?(?:which|who|whose|where)\s+(?:\w+ly\s+)?"
    rf"(?:{_VERB}|\w{{3,}}(?:s|ed))\b"
    rf"|{_SAID}{{10,300}}?\s(?:when|while|if|because|although|unless|until)"
    r" (?:i|we|you|it|they|the|an?|there)\b"
    r"|(?:when|while|if|since|after|before|although|because|unless|once)\b"
    rf"(?! (?:{_VERB}|to)\b)(?!.{{0,300}}\b(?:how|what|why)\b){_SAID}{{8,300}}$"
    rf"|(?:(?!that |which |who )[\w'’./`()-]+ ){{1,12}}?(?:{_VERB}|{_DOES})\s"
    r"(?:[^\s?？]+\s+){2,60}[^\s?？]+$"
    rf"|(?:i want |i need )?{_USERS} (?:want|need|would like|have|must|should|can|could|are|to)\b"
    r"|as an? \w+ i want\b"
    r"|(?:the|our|my|this|these|those|some) (?:(?!that |which |who )[\w'’./`()-]+ ){1,6}?"
    r"(?:is|are|isn't|aren't|looks?|feels?|seems?|takes?|keeps?|do(?:es)?n['’]t)\s[^?？]{2,200}$"
    r"|(?:an?|the|all|every|each|no|any|our|these|those)\s[^?？]{2,300}?"
    r"(?<!that )(?<!which )(?<!who )\b(?:must|should|shall|ought to)\s+\w"
)
"""A statement, if it asks for nothing, even without a full stop: "when a proxy throws, the call crashes",
"it returns 200, which hides bugs", "rows are visible after a rollback"."""
_ASKS_PLAINLY = lazily(
    r"(?i)(?:^\W*|[.,;:!(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|me|us|about)\s+)"
    r"(?:how|what|whats|what's|why)\b"
    rf"|\b(?<!as a user )i (?:want|need|wonder|would like)\b(?! {_USERS})"
    r"|\bi['’]d like\b|\b(?:i am|i['’]m) looking\b|\b(?:help|please)\b"
    r"|\?(?!\w)|？"
    r"|[.,;:!(]\s*(?:which|who|whose|where|when)\s+(?:\w+\s+){0,3}(?:do|does|did|should|can|must)"
    r" (?:i|we|it|the|they)\b"
    r"|,\s*(?:do|does|did|is|are|should|can|must|may) (?:i|we|it|the|they|there)\b"
    r"|^\W*(?:up\s+to\s+|\w+\s+)?(?:what|how|which|where|who|whose)\b"
    r"|^\W*(?:ok|okay|so|hi|hello|well|thanks),?\s+(?:and|but|so|then|now)\s+(?:where|which|who|when)\b"
)
_BEGINS = lazily(
    r"(?i)\s*(please\s+)?(how|what|whats|where|which|why|who|whose|can|could|does|do|is|are|should|explain"
    r"|when (is|are|was|were|do|does|did|will|would|should|can|could|must|to)"
    r"|((the|allowed|possible|valid|default) )*(defaults?|values?|settings?|meaning|purpose|usages?|signature"
    r"|types?|formats?|location|examples?|definition|callers) (of|for)"
    r"(?!.{0,200} (is|are|was|were|should|must) )"
    r"|describe|give|show|tell|overview|list|options? for|summari[sz]e|am i|may i|walk me|help me understand"
    r"|differences? between|compare|since when"
    r"|(i |we )?(want|need|have|would like|wish|(am |are )?trying) to (know|understand|learn|find out)"
    r"|(i |we )?(need|could use) (some )?help (with|on|to|for|in)"
    r"|(i|we) (don['’]t|do not|can['’]?t|cannot) (really |quite |yet )?(know|understand|see|find|figure out)"
    r" (where|which|how|what|why|who))\b"
)
_IS_THERE = lazily(r"(?i)\s*(is|are|was|were) there\b")
_MINE = lazily(r"(?i)(?<![-\w])my (?!changes\b|diff|edits?\b|branch\b|pr\b|pull\b|commits?\b)")
"""The asker's own thing in an order that asks how, "send /api calls to my backend": of 176,000 subjects of
commits of 60 repositories, three have this form."""
_ASKS_WHAT = lazily(r"(?i)\b(what|how|which)\b")
_ASKS_FOR_ME = lazily(r"(?i)\b(should|do|can|must|may|shall) (i|we)\b")
_REPORT = lazily(
    r"(?i)\s*[\[(]?(feature request|bug report|bug|enhancement|proposal|rfe)s?[\])]?\s*(:|-\s|(?<=[\])]))"
)
"""The beginning of a report's title: "Feature request: ", "[Bug] "."""
_PASTED = lazily(r"```|Traceback|^\s+at ")
_INNER_CLAUSE = lazily(r"(?i)\b(when|where)\b")
_CODE = lazily(
    r"[`_]|\w\(\)|\w::\w|\b(?!(?:i|iPad|mac|tv|watch|vision)OS\b|gRPC\b|iPhone|eBPF\b)\w*[a-z][A-Z]"
)
_ASKS_ELSEWHERE = lazily(
    r"(?i)\b(wie|was|wo|warum|welche[rsnm]?|wann|wer|kann|cómo|como|qué|que|dónde|donde|cuál|cual|por qué"
    r"|cuándo|quién|comment|pourquoi|où|quel(le)?s?|quand|qui|onde|qual|quais|quando|quem|por que"
    r"|как|что|где|откуда|куда|почему|зачем|когда|кто|сколько|можно|как(?:ой|ая|ое|ие|их|ую|ом)|объясни(?:те)?)\b"
    r"|¿|[如何怎么什哪吗？]|何|どう|どこ|どの|なぜ|いつ|誰|教えて|ですか|ますか"
)


def estimate_certainty(text: str, *, is_ordered: bool) -> float:
    """Return how surely a text is a question, 0..1; `is_ordered` means that its order is not about code."""
    title = text.partition("\n")[0]
    words = len(WORD.findall(text))
    if words > (_LONGEST if title == text else _LONGEST_BELOW_TITLE) or _PASTED.search(text):
        return 0.0
    if orders_to_develop(text) or is_ordered:
        return 1.0
    if asks_for_tests(text) or tells_of_breakage(text):
        return 0.0
    if not title or is_title(title) or _REPORT.match(title) or asks_about_changes(text):
        return 0.0
    if asks_to_change(text) or _wishes_after_fault(text):
        return 0.0
    asked = hide_paths(title)
    states = _STATES.match(text) or (_TELLS.match(asked.strip()) and not _ASKS_PLAINLY.search(asked))
    orders = tells_what_to_do(title) or MAY_ASK.match(title)
    if states and not _BEGINS.match(asked) and not orders:
        return 0.0
    if _has_form_of_question(asked):
        return 1.0
    if _ASKS.search(asked) and not CHANGES.search(asked):
        return 0.8
    if tells_what_to_do(title) and _MINE.search(asked) and not FAULTS.search(asked):
        return 0.8
    if words > _SHORT or "\n" in text or _CODE.search(title):
        return 0.0
    return _estimate_plain(title, asked, words)


def _estimate_plain(title: str, asked: str, words: int) -> float:
    """Return how surely a short line without the form of a question is one."""
    if MAY_ASK.match(title):
        return 0.8
    if BEGINS_CHANGE.match(asked) or FAULTS.search(asked):
        return 0.0
    if words <= _NAME:
        return 0.5
    return 0.0 if orders_as_title(title) else estimate_order(title)


def _wishes_after_fault(text: str) -> bool:
    """Return whether a text that does not begin as a question ends with a wish."""
    fault = find_fault_before_wish(text)
    return fault is not None and _BEGINS.match(fault) is None


def _has_form_of_question(title: str) -> bool:
    """Return whether a line is a question by its form, whatever its subject."""
    asks = bool(_ASKS.search(title))
    if title.endswith(("?", "？")) or _ASKS_FOR_ME.search(title) or names_release(title):
        return True
    if _ASKS_WHAT.search(title) and is_about_upgrade(title) and not FAULTS.search(title):
        return True
    if _BEGINS.match(title) and (asks or _IS_THERE.match(title) or not CHANGES.search(title)):
        return True
    if _ASKS_ELSEWHERE.search(title) and is_foreign(title):
        return True
    return asks and not BEGINS_CHANGE.match(title) and not _INNER_CLAUSE.search(title[3:])
