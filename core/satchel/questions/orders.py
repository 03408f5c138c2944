"""Tell what an order is about where that is seldom code: settings, workflows, pages, dependencies."""

from __future__ import annotations

from satchel.patterns import lazily
from satchel.questions.aims import Aim

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
"""Words of a short order, less one: a longer one may name something in passing."""
_NUMBER = r"\W*(?:\(#\d+\))?\W*$"
"""The end of an order, and the number of its pull request."""
_SCOPE = r"(?:[\w()/-]+: )?"
"""What titles of commits begin with."""
_ORDERS = (
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
        r"docs?(?:\([^)]*\))?!?: |\[docs?\] "
        r"|(?:update|edit|improve|rewrite|extend|shorten|translate|write|add(?! support)|fix|correct|clarify"
        rf"|clean ?up|mention|remove|move|document)\b(?=\s).{{0,60}}\b{_PAGE}{_NUMBER}",
    ),
)
"""Forms of orders by what they aim at; the first that fits decides. Of the commits of 90 repositories with
such subjects, at most a quarter of the changed files are code, and of most forms a tenth."""
_BEGINNING = lazily(r"(?i)[^\w\[]*(?:please )?")
_ASKS = lazily(r"(?i)(?:how|what|where|which|why|who|when|is|are|do|does|did|can|explain)\s")
"""How questions begin, and orders never do."""
_PATTERNS = tuple((aims, lazily(f"(?i)(?:{pattern})")) for aims, pattern in _ORDERS)


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
    """Tell whether a text speaks of continuous integration."""
    return _ABOUT_CI.search(text) is not None
