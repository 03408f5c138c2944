"""Read orders: about settings, workflows, pages or dependencies, or asking how or where."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.aims import Aim
from satchel.questions.word_tables import read_words
from satchel.workspace.index.terms import WORD

_CI = (
    r"(?:ci|ci/cd|continuous integration|(?:gh|github) actions?"
    r"|(?:ci|github|gitlab) (?:workflow|pipeline|runner)s?|gitlab[- ]ci|travis(?:[- ]ci)?|circle[- ]?ci"
    r"|appveyor|azure pipelines?|jenkins|workflows?|pipelines?)"
)
_ABOUT_CI = lazily(
    r"(?i)(?<![\w.-])(?:ci|ci/cd|continuous integration|(?:gh|github) actions?"
    r"|(?:ci|gh|github|gitlab|test|build|release) (?:workflow|pipeline)s?|gitlab[- ]ci|travis|circle[- ]?ci"
    r"|appveyor)(?![\w/-])"
)
_USED_IN_CI = lazily(
    r"(?i)\b(?:authenticate|log ?in|sign in)\b.{0,40}"
    rf" (?:in|inside|within|from) (?:an? |my |our |your )?{_CI}(?![\w/-])"
    r"|\b(?:use|run|call|invoke|integrate|set ?up|add|put)\b"
    r" (?:it|this|(?!the\b|tests?\b|lint|builds?\b|checks?\b)[\w.-]+)"
    r" (?:in|inside|within|with|on|from|to|into|as part of) (?:an? |my |our |your )?(?:own )?"
    rf"{_CI}(?![\w/-])"
)
"""A question about using a program in one's own workflows, and not about the program's workflows."""
_CONFIGURED = (
    r"pre-?commit|dependabot|renovate|codecov|codeql|editorconfig|commitlint|husky|docker ?compose|dockerfile"
    r"|makefile|devcontainers?|goreleaser"
)
"""Names of files of settings, and of tools that have one."""
_TOOL = (
    rf"(?:{_CONFIGURED}|linters?|linting|formatters?|ruff|mypy|pyright|flake8|isort|pylint|eslint|prettier"
    r"|biome|stylelint|clippy|rustfmt|golangci[\w-]*|rubocop|phpstan|psalm|php-cs-fixer|detekt|ktlint"
    r"|swiftlint|checkstyle|spotless|tsconfig|tox|nox|lefthook|semantic-release|release-please)"
)
_PAGE = r"(?:docs?|documentation|tutorial|user guide|guide|man(?:ual)? ?pages?|examples?|demos?|samples?)"
_SERVICE = (
    rf"(?:{_CONFIGURED}|travis|appveyor|circle ?ci|gitlab[- ]ci|(?:gh|github)[- ]actions?|azure pipelines"
    r"|golangci(?:-lint)?)"
)
_VERB = (
    r"(?:add|allow|avoid|build|cache|change|clean ?up|configure|create|delete|disable|don't|drop|enable"
    r"|extend|fix|group|ignore|improve|increase|install|let|limit|make|migrate|move|pin|reduce|reenable|remove|rename"
    r"|replace|restrict|revert|run|set|show|simplify|skip|speed up|split|stop|switch|test|try|update|upgrade"
    r"|use|write)"
)
_SHORT = 11
"""Most words after the first in a short order: a longer one may name something in passing."""
_NUMBER = r"\W*(?:\(#\d+\))?\W*$"
"""The end of an order, and the number of its pull request."""
_SCOPE = r"(?:[\w()/-]+: )?"
"""The prefix of a commit's title."""
_IN_CODE = (
    r"(?<!\w)(?:comments?|doc ?strings?|doc ?blocks?|(?:java|js|k|rust|go|php|scala)-?doc|type hints?"
    r"|@(?:param|returns?|throws|see|since|deprecated))\b"
)
"""Words of titles about documentation that is part of the code."""
_ELSEWHERE = r"readme|links?|\w{1,40}\.mdx?|guides?|changelog|tests?"
_FORMS = (
    (
        (Aim.ENTRIES,),
        r"(?:docs?\()?change ?log\)?(?:\([^)]*\))?: "
        rf"|(?:add|update|fix|write|edit|mention|clean ?up|extend)\b(?=\s).{{0,60}}"
        rf"\b(?:change ?log|release notes?)(?: entr(?:y|ies))?{_NUMBER}"
        r"|(?:update|edit|fix) (?:the )?change ?log\b",
    ),
    (
        (Aim.CONTRIBUTING,),
        rf"{_SCOPE}(?:add|update|fix|improve|clean ?up|touch up|edit|change|simplify|remove|clarify)\b"
        r".{0,40}\b(?:(?:issue|pr|pull request|bug report|feature request|discussion) templates?"
        r"|code of conduct|contribut(?:ing|ion|or)s? (?:guide|page|docs?|guidelines?))\b",
    ),
    (
        (Aim.CONFIGURATION, Aim.CI),
        r"(?:ci|gha|github actions?|workflows?|travis|appveyor|gitlab-ci)(?:\([^)]*\))?!?: "
        r"|chore\((?:ci|gha|travis|github|workflows?|actions)\): ",
    ),
    (
        (Aim.CONFIGURATION,),
        rf"(?:fix|repair|debug|mend|look at|check|update) (?:the |our |my )?{_CI}"
        rf"(?: (?:failures?|errors?|build|jobs?|workflows?|pipelines?))?{_NUMBER}"
        rf"|(?:fix|repair|debug) (?:the |our |my )?(?:broken|failing) (?:build|jobs?|workflows?){_NUMBER}"
        rf"|(?:set ?up|configure|enable|disable|turn (?:on|off)|integrate|install)\b.{{0,30}}?\b"
        rf"(?:{_CI}|{_TOOL})\b(?! (?:of|hook|engine|plugin|class|function|method)s?\b)"
        r"|(?:add|create|write|update|change|extend|fix|speed up|run|drop|remove|bump|pin|use|switch|move"
        rf"|split|cache|build|test)\b(?=\s).{{0,40}}?\b"
        rf"(?:{_CI} (?:jobs?|workflows?|pipelines?|matrix|config\w*)\b"
        rf"|(?:{_CI}|dockerfile|makefile|dependabot|renovate){_NUMBER}"
        rf"|(?:release|test|build|deploy|lint|publish) (?:workflow|pipeline)s?{_NUMBER}"
        rf"|{_TOOL} (?:hook|rule|config\w*|setting)s?\b)"
        rf"|(?=(?:\S+\s+){{0,{_SHORT}}}\S+\W*$){_VERB}\b(?=\s).{{1,80}}?(?<![\w.-])(?:(?-i:CI)|{_SERVICE})"
        r"(?![\w/-]| (?:parser|lexer|plugin|class|function|support)s?\b)",
    ),
    (
        (Aim.CONFIGURATION,),
        r"build(?:\([^)]*\))?!?: |chore\(deps[\w-]*\): "
        rf"|{_SCOPE}(?:bump|upgrade|update) (?:the )?(?:dependency )?"
        r"(?!(?:version|from|to)\b)[@\w./-]+ (?:dependency )?(?:(?:from )?\S*\d\S* )?to (?:version )?\W?v?\d"
        rf"|{_SCOPE}bump (?!(?:the )?version|to\b|up\b)[@\w./-]+(?: for\b.*)?\W*$"
        rf"|{_SCOPE}(?:bump|upgrade|update|pin|refresh)\b.{{0,20}}\b(?:deps?|dependency|dependencies"
        rf"|lock ?files?|requirements){_NUMBER}",
    ),
    (
        (Aim.HOW_TO,),
        rf"docs?(?:\([^)]*\))?!?: (?!.{{0,150}}(?:{_IN_CODE})(?!.{{0,100}}\b(?:{_ELSEWHERE})\b))"
        r"|\[docs?\] "
        r"|(?:update|edit|improve|rewrite|extend|shorten|translate|write|add(?! support)|fix|correct|clarify"
        rf"|clean ?up|mention|remove|move|document)\b(?=\s).{{0,60}}\b{_PAGE}{_NUMBER}",
    ),
)
"""Forms of orders by their aims; the first that fits decides. In commits of 90 repositories with such
subjects, at most a quarter of the changed files are code, and for most forms a tenth."""
_BEGINNING = lazily(r"(?i)[^\w\[]*(?:please )?")
_ASKS = lazily(r"(?i)(?:how|what|where|which|why|who|when|is|are|do|does|did|can|explain)\s")
"""The beginning of questions, but never of orders."""
_PATTERNS = tuple((aims, lazily(f"(?i)(?:{pattern})")) for aims, pattern in _FORMS)
MOST_READ = 20_000
"""Characters of a task that are searched for an order."""
MAY_ASK = lazily(
    r"\s*((replace|try|give|set|stop|start|skip|convert|use|disable|enable|switch|delete|refuse|limit|run) "
    r"(?!the\b)(?=.*\b(an?|my|every|each|any)\b)|change (my|the \w+ of an?)\b"
    r"|write (an?|my) (?!.*\b(tests?|docs?|docstrings?|documentation|readme|script)\b))"
)
"""An order about something indefinite, "replace a static method in a test", may ask how; of 17,000
subjects of commits that begin with a small letter 25 have this form."""
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
"""A question for all places of a change to come."""
_PLACES_OF_ORDER = lazily(
    r"(?i)^\W*(which|what) (other |all |source )?(files|places|modules|parts)( all)? "
    r"((do|must|should|would|will|can|need) (i|we|one|you) )?((have|need|want) )?(to )?(be )?"
    r"(touch|change|edit|update|modify|adapt|extend|look (at|into)|read|open|write)(ed|d)? "
    r"((in order )?to|if (i|we|you) (want|need) to|when|for) (?!understand|know|learn|see|find|get)"
)
"""The same before the order: "which files do I touch to add a setting" is about adding one."""
_LONGEST_ORDER = 200
"""Most characters of an order with places."""
_WRITES_TESTS = lazily(
    r"(?i)\W*(please )?(writ(e|es|ing)|wrote|(creat|generat|improv|increas)(e|es|ed|ing)"
    r"|(add|extend|cover)(s|ed|ing)?)\b[^.\n]*"
    r"\b(tests\b|test (cases?|coverage)\b|test (for|of|that|which|to|when)\b)"
    r"|\W*(please )?(test|verify with a test) (that|whether|if)\b"
)
ORDER_VERBS = read_words("orders")
"""Verbs at the beginning of orders that ask how something is done."""


def find_ordered_aims(text: str) -> tuple[Aim, ...]:
    """Return the aims of an order about settings, workflows, pages or dependencies; () for any other text."""
    title = text.partition("\n")[0].rstrip()
    begin = _BEGINNING.match(title)
    if title.endswith(("?", "？")) or begin is None or _ASKS.match(title, begin.end()):
        return ()
    for aims, pattern in _PATTERNS:
        if pattern.match(title, begin.end()):
            is_settings = aims == (Aim.CONFIGURATION,)
            return (*aims, Aim.CI) if is_settings and _ABOUT_CI.search(title) else aims
    return ()


def is_about_ci(text: str) -> bool:
    """Return whether a text is about continuous integration."""
    return _ABOUT_CI.search(text) is not None


def uses_in_ci(text: str) -> bool:
    """Return whether a text asks how to use a program in one's own continuous integration."""
    return _USED_IN_CI.search(text) is not None


def asks_for_tests(text: str) -> bool:
    """Return whether a task is to write tests."""
    return _WRITES_TESTS.match(text[:MOST_READ]) is not None


def tells_what_to_do(text: str) -> bool:
    """Return whether a question has the form of an order: "keep only the folders of failed tests"."""
    found = WORD.match(text.strip())
    after = text.strip()[found.end() :].split(maxsplit=1) if found else []
    is_order = found is not None and found[0].lower() in ORDER_VERBS
    return (
        is_order and bool(after) and after[0].lower() not in ("me", "us") and not text.rstrip().endswith("?")
    )


def strip_places(text: str) -> str:
    """Return the order in a question for the files of a change; other texts unchanged."""
    return _PLACES_OF_ORDER.sub("", text, count=1) if len(text) <= _LONGEST_ORDER else text


def orders_with_places(text: str) -> bool:
    """Return whether a text orders a change and asks where: "add an option --x: which files must I touch"."""
    if len(text) > _LONGEST_ORDER:
        return False
    return _ORDERED.match(text) is not None and _WHICH_FILES.search(text) is not None
