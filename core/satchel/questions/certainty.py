"""Estimate how surely a text is a question, and no report or change."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.finding_aims import orders_to_develop
from satchel.questions.git_words import asks_about_changes
from satchel.questions.languages import is_foreign
from satchel.questions.literals import hide_paths
from satchel.questions.orders import MAY_ASK, ORDER_VERBS, asks_for_tests, tells_what_to_do
from satchel.questions.releases import is_about_upgrade, names_release, tells_of_breakage
from satchel.questions.word_tables import read_words
from satchel.workspace.index.terms import WORD

_LONGEST = 80
"""Words of the longest text that is read as a question; longer ones are reports."""
_LONGEST_BELOW_TITLE = 40
_SHORT, _NAME = 15, 3
"""Words of a short text, which may be a question without the form of one; and of one that names a thing."""
_ASKS = lazily(
    r"(?i)\b(how|what|whats|what's|why)\b"
    r"|(?:^\W*|[.,;:!?(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|out|list|ask|me|us|about)\s+)"
    r"(?:where|which|who|whom|whose|when|whether)\b"
    r"(?! (?:the|an?|it|i|we|you|they|then|cannot|makes?|causes?|means)\b)"
)
"""Words that ask; those of relative clauses only where none stands, as in "files which are read"."""
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
"""A character of what asks for nothing: that of `?page=2` is no question mark."""
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
"""What tells something, if it asks for nothing, also without a full stop: "when a proxy throws, the call
crashes", "it returns 200, which hides bugs", "rows are visible after a rollback"."""
_ASKS_PLAINLY = lazily(
    r"(?i)(?:^\W*|[.,;:!(]\s*|\b(?:and|or|but|know|explain|tell|see|say|show|find|me|us|about)\s+)"
    r"(?:how|what|whats|what's|why)\b"
    rf"|\b(?<!as a user )i (?:want|need|wonder|would like)\b(?! {_USERS})"
    r"|\bi['’]d like\b|\b(?:i am|i['’]m) looking\b|\b(?:help|please)\b"
    r"|\?(?!\w)|？"
    r"|[.,;:!(]\s*(?:which|who|whose|where|when)\s+(?:\w+\s+){0,3}(?:do|does|did|should|can|must)"
    r" (?:i|we|it|the|they)\b"
    r"|,\s*(?:do|does|did|is|are|should|can|must|may) (?:i|we|it|the|they|there)\b"
    r"|^\W*(?:\w+\s+)?(?:what|how|which|where|who|whose)\b"
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
    r"|vanish(es|ed)?|disappear(s|ed)?|stuck|freezes|frozen|flicker(s|ing)?|never gets?"
    r"|(is|are|gets?) cut( off)?"
)
_CHANGES = lazily(rf"(?i)\b({_CHANGE}|{_FAULT})\b")
_MADE = (
    r"adapt|adjust|adopt|align|backport|bugfix|capitali[sz]e|consolidate|corrected|deduplicate|dedup|disallow"
    r"|differentiate|eliminate|factor out|finali[sz]e|fixup|generali[sz]e|get rid of|harmoni[sz]e|honou?r"
    r"|hotfix|incorporate|minimi[sz]e|moderni[sz]e|omit|polish|preserve|prep|prettify|promote|rearrange|re-?add"
    r"|re-?enable|reformat|refine|re-?introduce|relax|reorder|reorgani[sz]e|rephrase|respect|restructure"
    r"|made|forgot|retain|revamp|reword|sanitize|stabili[sz]e|standardi[sz]e|streamline|tidy|tighten|treat|tweak(?:s|ed)?"
    r"|unify|work ?around"
)
"""With what orders begin that change code, and no question does."""
_BEGINS_CHANGE = lazily(
    rf"(?i)\W*(({_CHANGE}|{_MADE}|explicitly|investigate|refactoring)\b|no (?=[\w-]+ \w))"
)
_MINE = lazily(r"(?i)(?<![-\w])my (?!changes\b|diff|edits?\b|branch\b|pr\b|pull\b|commits?\b)")
"""An order about what is mine, "send /api calls to my backend", asks how: of 176,000 subjects of
commits of 60 repositories three have this form."""
_ASKS_WHAT = lazily(r"(?i)\b(what|how|which)\b")
_ASKS_FOR_ME = lazily(r"(?i)\b(should|do|can|must|may|shall) (i|we)\b")
_FAULTS = lazily(rf"(?i)\b({_FAULT})\b")
_PREFIX = lazily(
    r"^(?:#\d+:?\s+|\W{0,4}(?:\[[^\]\n]{1,60}\]){1,3}:?\s+|\[?[\w./-]+(\([\w,./ *-]+\))?!?\]?: )"
)
"""How titles of commits and of reports begin: `fix(parser): `, "[number field] "."""
_LONG_PREFIX = lazily(
    rf"(?i)[\w./-]+(?: [\w./-]+){{1,2}}: (?=(?:{_CHANGE}|{_MADE}|no|never|also|only|show|hide|keep|open"
    r"|ignore|pass)\b)"
)
"""Up to three words before an order: "tv home: use the other feed"."""
_NUMBERED = lazily(r"(?i)(?:\(#\d+\)|\b(?:fix(?:es)?|close[sd]?|refs?|see) #\d+\)?)\W*$")
"""How titles of commits end: the number of a pull request, or of what is closed by it."""
_CAPITAL = lazily(r"\W*([A-Z][a-z]+(?:-[a-z]+)?)\b")
_OF_NOUN = lazily(r"(?i) (?:of|for|and|or|in|is|an?)\b|[,:;'’-]")
"""What follows upon a noun; and what is indefinite may be asked about, "Upload a file with its name"."""
_OF_OBJECT = lazily(r"(?i) (?:the|all|only|each|every|more|any|its|their|some|no|both|non-\w+|\w+s)\b")
_OF_CLAUSE = lazily(
    r"(?i)\b(?:when|before|instead of|rather than|so that|unless|if|into|from|correctly|properly)\b"
)
"""What stands in orders, and seldom beside the name of a thing."""
_TITLE_WORDS = (ORDER_VERBS - read_words("orders of users")) | read_words("title orders")
"""With what the title of a commit begins, if it is written with a capital."""
_NOUNS = read_words("nouns of orders")
_DONE_FOR_ONE = _TITLE_WORDS - read_words("answering orders")
_FIRST = lazily(r"[a-z]+(?:-[a-z]+)?\b(?! me\b)")
_ONLY_OF_TITLES = read_words("title orders") - ORDER_VERBS - _NOUNS - read_words("orders that ask")
"""With what orders begin, however they are written, and questions in the form of an order never do."""
_DONE_BY_READERS = frozenset({"build", "check", "compile", "list", "review", "test", "try"})
_OF_SMALL_ORDER = 0.5
"""Certainty of an order with a small letter that may ask how, or be the order that it is."""
_POLITE = lazily(
    r"(?i)(?:^\W*|[.!?,;:(]\s+|\b(?:and|so|then|but|also)\s+)"
    r"(?:(?P<can>can (?:you|we))|(?:could|would|can) (?:you|we)|want you to|let['’]?s|please"
    r"|we (?:still |also |really |just )*(?:need to|have to|ought to|should|must))"
    r"(?: (?:please|maybe|perhaps|also|then|kindly|just|help me|help us|go ahead and))*\s+"
    r"(?P<verb>[a-z]+(?:-[a-z]+)?)"
    r"(?P<object>(?: (?:the|this|that|these|those|our|my|sure)|(?<= add) an?)\b)?"
)
"""How one asks somebody else to do something; "can you" alone may ask what one can do."""
_OF_REPAIR = lazily(
    r"(?i)(?:fix|repair|solve|correct|refactor|implement|debug|investigate|diagnose|troubleshoot)$"
)
_AND_REPAIR = lazily(
    r"(?i)(?<!to find )\b(?:and|then|please) (?:fix|repair|solve|correct) (?:it|this|that|them)\b"
    r"|[.,;:!] (?:please )?fix(?: (?:it|this|that|them))?(?: please)?\W*$"
    r"|[.,;:]\s+(?:any (?:ideas?|clue|thoughts)(?: why)?|why(?: is (?:that|this))?"
    r"|what(?:['’]?s| is) (?:going on|wrong))\W*$"
)
"""What orders a repair beside a question, and what tells of a fault and asks only why it is there."""
_AND_DO = lazily(
    r"(?i)[?.!]\s+(?:if (?:not|so|yes),?\s+|then\s+|please\s+)?"
    r"(?P<verb>[a-z]+) (?:it|that|so|them|this)\b[^?]{0,20}$"
)
"""An order after a question: "is the answer kept? If not, keep it"."""
_COMPLAINS = lazily(
    r"(?i)n['’]t\b|\b(?:not|nothing|never|always|every time|have to|has to|al?though|though|still|instead|too"
    r"|again|denied|\w*Error|Exception|gone|slow(?:er|ly)?|empty|annoy\w*|useless|disappear\w*|vanish\w*|stuck|nowhere|nobody"
    rf"|{_FAULT})\b"
)
_COMPLAINS_WEAKLY = lazily(r"(?i)\b(?:no|none|only|just|same|without|unless|even|twice)\b")
_WISHES = lazily(
    r"(?i)[.!,;:]\s+(?:(?:so|but|and|then),? )?(?:can|could|would|will) "
    r"(?!you (?:please |maybe |also )*(?:explain|tell|show|describe|point|help me|walk|summari[sz]e|check"
    r"|verify|find|list|compare|suggest|recommend|give|confirm|clarify|elaborate|teach)\b)"
    r"(?:(?P<person>you|we)|it|this|that|these|those|they|there|the \w+)\b"
    r"(?! (?:also )?(?:be )?(?:use|run|install|configure|deploy|embed|access|mean|happen|depend)(?:d|ed|s)?\b"
    r"| (?:come from|be because)\b)"
    r"[^?.!]{2,200}\?\W*$"
)
"""A wish after what tells of a fault: "the panel is empty and just takes space. Can you hide it then?"."""
_ASKS_AT_ONCE = lazily(r"(?i)\W*(?:how|what|whats|what's|why|where|which|who|whose|when|can|does|is)\b")
_REPORT = lazily(
    r"(?i)\s*[\[(]?(feature request|bug report|bug|enhancement|proposal|rfe)s?[\])]?\s*(:|-\s|(?<=[\])]))"
)
"""How titles of reports begin: "Feature request: ", "[Bug] "."""
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
    """Return how surely a text is a question, 0..1; `is_ordered` says that its order is about no code."""
    title = text.partition("\n")[0]
    words = len(WORD.findall(text))
    if words > (_LONGEST if title == text else _LONGEST_BELOW_TITLE) or _PASTED.search(text):
        return 0.0
    if orders_to_develop(text) or is_ordered:
        return 1.0
    if asks_for_tests(text) or tells_of_breakage(text):
        return 0.0
    if not title or _is_title(title) or _REPORT.match(title) or asks_about_changes(text):
        return 0.0
    if _asks_to_change(text):
        return 0.0
    asked = hide_paths(title)
    states = _STATES.match(text) or (_TELLS.match(asked.strip()) and not _ASKS_PLAINLY.search(asked))
    orders = tells_what_to_do(title) or MAY_ASK.match(title)
    if states and not _BEGINS.match(asked) and not orders:
        return 0.0
    if _has_form_of_question(asked):
        return 1.0
    if _ASKS.search(asked) and not _CHANGES.search(asked):
        return 0.8
    if tells_what_to_do(title) and _MINE.search(asked) and not _FAULTS.search(asked):
        return 0.8
    if words > _SHORT or "\n" in text or _CODE.search(title):
        return 0.0
    return _estimate_plain(title, asked, words)


def _estimate_plain(title: str, asked: str, words: int) -> float:
    """Return how surely a short line without the form of a question is one."""
    if MAY_ASK.match(title):
        return 0.8
    if _BEGINS_CHANGE.match(asked) or _FAULTS.search(asked):
        return 0.0
    if words <= _NAME:
        return 0.5
    return 0.0 if _orders_as_title(title) else _estimate_order(title)


def _estimate_order(title: str) -> float:
    """Return how surely a line that begins with a small letter, and maybe with an order, asks how."""
    found = _FIRST.match(title)
    first = found[0] if found else ""
    if first in _ONLY_OF_TITLES and not (found and _OF_NOUN.match(title, found.end())):
        return 0.0
    return _OF_SMALL_ORDER if first in _TITLE_WORDS - _DONE_BY_READERS else 0.8


def _is_title(line: str) -> bool:
    """Tell whether a line has the form of the title of a commit or a report, and does not ask."""
    prefix = _PREFIX.match(line) or _LONG_PREFIX.match(line)
    if prefix is None and not _NUMBERED.search(line):
        return False
    rest = line[prefix.end() :] if prefix else line
    return not rest.rstrip().endswith(("?", "？")) and _ASKS_AT_ONCE.match(rest) is None


def _asks_to_change(text: str) -> bool:
    """Tell whether a text asks somebody to change something: "could you find out why and fix it?"."""
    if _AND_REPAIR.search(text) or _wishes_after_fault(text):
        return True
    after = _AND_DO.search(text)
    if after and (after["verb"].lower() == "do" or _is_order(after["verb"])):
        return True
    for found in _POLITE.finditer(text):
        is_sure = not found["can"] or found["object"]
        if _OF_REPAIR.match(found["verb"]) or (is_sure and _is_order(found["verb"])):
            return True
    return False


def _wishes_after_fault(text: str) -> bool:
    """Tell whether a text tells of a fault, asks nothing about it, and ends with a wish."""
    wish = _WISHES.search(text)
    if wish is None:
        return False
    before = text[: wish.start()]
    if "?" in before or _BEGINS.match(before):
        return False
    weakly = wish["person"] is not None and _COMPLAINS_WEAKLY.search(before) is not None
    return weakly or _COMPLAINS.search(before) is not None


def _is_order(verb: str) -> bool:
    """Tell whether whoever is told this verb changes something."""
    return _BEGINS_CHANGE.match(verb) is not None or verb.lower() in _DONE_FOR_ONE


def _orders_as_title(title: str) -> bool:
    """Tell whether a title begins with a capital and with what orders something, or says how it is done."""
    found = _CAPITAL.match(title)
    if found is None or _OF_NOUN.match(title, found.end()):
        return False
    first = found[1].lower()
    is_verb = first not in _NOUNS or _OF_OBJECT.match(title, found.end()) or _OF_CLAUSE.search(title)
    return first in _TITLE_WORDS and bool(is_verb)


def _has_form_of_question(title: str) -> bool:
    """Tell whether a line is a question by its form, whatever it is about."""
    asks = bool(_ASKS.search(title))
    if title.endswith(("?", "？")) or _ASKS_FOR_ME.search(title) or names_release(title):
        return True
    if _ASKS_WHAT.search(title) and is_about_upgrade(title) and not _FAULTS.search(title):
        return True
    if _BEGINS.match(title) and (asks or _IS_THERE.match(title) or not _CHANGES.search(title)):
        return True
    if _ASKS_ELSEWHERE.search(title) and is_foreign(title):
        return True
    return asks and not _BEGINS_CHANGE.match(title) and not _INNER_CLAUSE.search(title[3:])
