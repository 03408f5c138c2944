"""Recognize requests for a change: orders, titles of commits and reports, wishes after a fault."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.orders import ORDER_VERBS
from satchel.questions.word_tables import read_words

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
CHANGES = lazily(rf"(?i)\b({_CHANGE}|{_FAULT})\b")
_MADE = (
    r"adapt|adjust|adopt|align|backport|bugfix|capitali[sz]e|consolidate|corrected|deduplicate|dedup|disallow"
    r"|differentiate|eliminate|factor out|finali[sz]e|fixup|generali[sz]e|get rid of|harmoni[sz]e|honou?r"
    r"|hotfix|incorporate|minimi[sz]e|moderni[sz]e|omit|polish|preserve|prep|prettify|promote|rearrange|re-?add"
    r"|re-?enable|reformat|refine|re-?introduce|relax|reorder|reorgani[sz]e|rephrase|respect|restructure"
    r"|made|forgot|retain|revamp|reword|sanitize|stabili[sz]e|standardi[sz]e|streamline|tidy|tighten|treat|tweak(?:s|ed)?"
    r"|unify|work ?around"
)
"""Verbs at the beginning of orders to change code, but of no question."""
BEGINS_CHANGE = lazily(rf"(?i)\W*(({_CHANGE}|{_MADE}|explicitly|investigate|refactoring)\b|no (?=[\w-]+ \w))")
FAULTS = lazily(rf"(?i)\b({_FAULT})\b")
_PREFIX = lazily(
    r"^(?:#\d+:?\s+|\W{0,4}(?:\[[^\]\n]{1,60}\]){1,3}:?\s+|\[?[\w./-]+(\([\w,./ *-]+\))?!?\]?: )"
)
"""The beginning of a commit's or report's title: `fix(parser): `, "[number field] "."""
_LONG_PREFIX = lazily(
    rf"(?i)[\w./-]+(?: [\w./-]+){{1,2}}: (?=(?:{_CHANGE}|{_MADE}|no|never|also|only|show|hide|keep|open"
    r"|ignore|pass)\b)"
)
"""Up to three words before an order: "tv home: use the other feed"."""
_NUMBERED = lazily(r"(?i)(?:\(#\d+\)|\b(?:fix(?:es)?|close[sd]?|refs?|see) #\d+\)?)\W*$")
"""The end of a commit's title: the number of a pull request, or of the issue that it closes."""
_CAPITAL = lazily(r"\W*([A-Z][a-z]+(?:-[a-z]+)?)\b")
_OF_NOUN = lazily(r"(?i) (?:of|for|and|or|in|is|an?)\b|[,:;'’-]")
"""Words after a noun, or an indefinite article, as in the question "Upload a file with its name"."""
_OF_OBJECT = lazily(r"(?i) (?:the|all|only|each|every|more|any|its|their|some|no|both|non-\w+|\w+s)\b")
_OF_CLAUSE = lazily(
    r"(?i)\b(?:when|before|instead of|rather than|so that|unless|if|into|from|correctly|properly)\b"
)
"""Words in orders, but seldom beside the name of a thing."""
_TITLE_WORDS = (ORDER_VERBS - read_words("orders of users")) | read_words("title orders")
"""Verbs at the beginning of a commit's title, if it is capitalized."""
_NOUNS = read_words("nouns of orders")
_DONE_FOR_ONE = _TITLE_WORDS - read_words("answering orders")
_FIRST = lazily(r"[a-z]+(?:-[a-z]+)?\b(?! me\b)")
_ONLY_OF_TITLES = read_words("title orders") - ORDER_VERBS - _NOUNS - read_words("orders that ask")
"""Verbs at the beginning of orders in any case, but never of questions in the form of an order."""
_DONE_BY_READERS = frozenset({"build", "check", "compile", "list", "review", "test", "try"})
_OF_SMALL_ORDER = 0.5
"""Certainty of an order with a small letter that may ask how, or be a real order."""
_POLITE = lazily(
    r"(?i)(?:^\W*|[.!?,;:(]\s+|\b(?:and|so|then|but|also)\s+)"
    r"(?:(?P<can>can (?:you|we))|(?:could|would|can) (?:you|we)|want you to|let['’]?s|please"
    r"|we (?:still |also |really |just )*(?:need to|have to|ought to|should|must))"
    r"(?: (?:please|maybe|perhaps|also|then|kindly|just|help me|help us|go ahead and))*\s+"
    r"(?P<verb>[a-z]+(?:-[a-z]+)?)"
    r"(?P<object>(?: (?:the|this|that|these|those|our|my|sure)|(?<= add) an?)\b)?"
)
"""A polite request; "can you" alone may ask about an ability."""
_OF_REPAIR = lazily(
    r"(?i)(?:fix|repair|solve|correct|refactor|implement|debug|investigate|diagnose|troubleshoot)$"
)
_AND_REPAIR = lazily(
    r"(?i)(?<!to find )\b(?:and|then|please) (?:fix|repair|solve|correct) (?:it|this|that|them)\b"
    r"|[.,;:!] (?:please )?fix(?: (?:it|this|that|them))?(?: please)?\W*$"
    r"|[.,;:]\s+(?:any (?:ideas?|clue|thoughts)(?: why)?|why(?: is (?:that|this))?"
    r"|what(?:['’]?s| is) (?:going on|wrong))\W*$"
)
"""An order for a repair beside a question, or a report of a fault that only asks for its reason."""
_AND_DO = lazily(
    r"(?i)[?.!]\s+(?:if (?:not|so|yes),?\s+|then\s+|please\s+)?"
    r"(?P<verb>[a-z]+) (?:it|that|so|them|this)\b[^?]{0,20}$"
)
"""An order after a question: "is the answer kept? If not, keep it"."""
_COMPLAINS = lazily(
    r"(?i)n['’]t\b|\b(?:not|nothing|never|always|every time|have to|has to|al?though|though|still|instead|too"
    r"|again|denied|\w*Error|Exception|gone|slow(?:er|ly)?|empty|annoy\w*|useless|disappear\w*|vanish\w*|nowhere|nobody"
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
"""A wish after a fault: "the panel is empty and just takes space. Can you hide it then?"."""
_ASKS_AT_ONCE = lazily(r"(?i)\W*(?:how|what|whats|what's|why|where|which|who|whose|when|can|does|is)\b")


def is_title(line: str) -> bool:
    """Return whether a line has the form of a title of a commit or a report, and does not ask."""
    prefix = _PREFIX.match(line) or _LONG_PREFIX.match(line)
    if prefix is None and not _NUMBERED.search(line):
        return False
    rest = line[prefix.end() :] if prefix else line
    return not rest.rstrip().endswith(("?", "？")) and _ASKS_AT_ONCE.match(rest) is None


def asks_to_change(text: str) -> bool:
    """Return whether a text asks somebody to change something: "could you find out why and fix it?"."""
    if _AND_REPAIR.search(text):
        return True
    after = _AND_DO.search(text)
    if after and (after["verb"].lower() == "do" or _is_order(after["verb"])):
        return True
    for found in _POLITE.finditer(text):
        is_sure = not found["can"] or found["object"]
        if _OF_REPAIR.match(found["verb"]) or (is_sure and _is_order(found["verb"])):
            return True
    return False


def find_fault_before_wish(text: str) -> str | None:
    """Return the report of a fault before a text's final wish, None without one or if it asks anything."""
    wish = _WISHES.search(text)
    if wish is None:
        return None
    before = text[: wish.start()]
    if "?" in before:
        return None
    weakly = wish["person"] is not None and _COMPLAINS_WEAKLY.search(before) is not None
    return before if weakly or _COMPLAINS.search(before) else None


def orders_as_title(title: str) -> bool:
    """Return whether a title begins with a capitalized verb of an order, and not a noun."""
    found = _CAPITAL.match(title)
    if found is None or _OF_NOUN.match(title, found.end()):
        return False
    first = found[1].lower()
    is_verb = first not in _NOUNS or _OF_OBJECT.match(title, found.end()) or _OF_CLAUSE.search(title)
    return first in _TITLE_WORDS and bool(is_verb)


def estimate_order(title: str) -> float:
    """Return how surely a line that begins with a small letter, and maybe with an order, asks how."""
    found = _FIRST.match(title)
    first = found[0] if found else ""
    if first in _ONLY_OF_TITLES and not (found and _OF_NOUN.match(title, found.end())):
        return 0.0
    return _OF_SMALL_ORDER if first in _TITLE_WORDS - _DONE_BY_READERS else 0.8


def _is_order(verb: str) -> bool:
    """Return whether a verb orders a change."""
    return BEGINS_CHANGE.match(verb) is not None or verb.lower() in _DONE_FOR_ONE
