"""Kinds of answers that questions need, and the places of a repository with such answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from satchel.patterns import checksum, lazily, read_patterns
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS, language_of

if TYPE_CHECKING:
    from satchel.workspace.files.file_list import FileList


class Aim(Enum):
    """The kind of answer that a question needs."""

    EXPLAIN = "explain"
    HOW_TO = "how-to"
    CONFIGURATION = "configuration"
    CI = "ci"
    """The jobs of a service that check, build and release the project."""
    WHERE = "where"
    CONTRIBUTING = "contributing"
    API = "api"
    ENTRIES = "entries"
    """How entries of a changelog are written: its newest ones are the best examples."""
    EXTENDING = "extending"
    """How one more of something is added, in the code of the project or beside it."""
    DEVELOPING = "developing"
    """How the project itself is built, tested and checked."""
    TESTS = "tests"
    """Which tests there are of something."""
    HISTORY = "history"
    """Changes, with their times and authors."""
    RELEASES = "releases"
    DECLARED = "declared"
    """The project's declarations about itself: dependencies, supported versions, licence."""
    ANY = "any"


class FilePlace(Enum):
    """The purpose of a file by its path."""

    CODE = "code"
    DOCUMENT = "document"
    CONTRIBUTING = "contributing"
    CHANGES = "changes"
    WORKFLOW = "workflow"
    MANIFEST = "manifest"
    STYLE = "style"
    EXAMPLE = "example"
    TEST = "test"
    SETTINGS = "settings"
    """Settings of a running program: `application.yml`, the values of a chart, the variables of a role."""
    INFRASTRUCTURE = "infrastructure"
    """What is set up and deployed: the tasks of a role, the templates of a chart."""
    DATA = "data"
    ELSEWHERE = "elsewhere"
    """Somebody else's code, licences, lock files, codes of conduct: answers only to questions for these."""


_TABLE = Path(__file__).with_name("places.txt")
_PLACES = tuple(
    (FilePlace(name.removesuffix("!")), pattern, name.endswith("!"))
    for name, pattern in read_patterns(_TABLE, page=DOCUMENT_ENDINGS)
)
"""Place, pattern, and whether it is for the path as written, not in lower case. The first that fits decides;
pages made from the code's types, one each, are data."""
_TEST = next(pattern for place, pattern, _ in _PLACES if place is FilePlace.TEST)
"""Not the row below it: a file called `test.py` alone may be a command."""
_DEEPEST = 100
"""Most nested folders that are judged one by one."""


class _PathTraits(NamedTuple):
    """What a path says of a file's answers."""

    place: FilePlace
    handicap: str = ""
    """Why it answers less than others of its place: "aside", "copied", "tracker", "form", or ""."""


PLACES_VERSION = 2
"""Of the traits that are kept in indexes: increase it if a path gets others, but for the table's rows."""
_found: dict[str, _PathTraits] = {}
"""Traits that `look_up_places` found."""


def places_version() -> str:
    """Return what changes with the places of paths, for the names of results that depend on them."""
    return f"{PLACES_VERSION} {checksum(_TABLE)}"


def look_up_places(files: FileList) -> None:
    """Find the places of all files, from the index if it has them: one by one, they take 17 us each.

    Later calls of `place_of`, `place_factor` and `given_score` know them.
    """
    labels = files.labels(f"places {places_version()}", _label)
    traits = {}
    for label in set(labels.values()):
        place, _, handicap = label.partition(" ")
        traits[label] = _PathTraits(FilePlace(place), handicap)
    _found.clear()
    _found.update((path, traits[label]) for path, label in labels.items())


def _label(path: str) -> str:
    traits = judge_path(path)
    return f"{traits.place.value} {traits.handicap}"


def _traits_of(path: str) -> _PathTraits:
    return _found.get(path) or judge_path(path)


@lru_cache(maxsize=65_536)
def judge_path(path: str) -> _PathTraits:
    """Return the traits of a path."""
    place, below = _find_place(path), f"/{path}"
    if place in _SETTINGS and _ASIDE.search(below):
        return _PathTraits(place, "aside")
    if _COPIED.search(below):
        return _PathTraits(place, "copied")
    if _OF_TRACKER.search(path):
        return _PathTraits(place, "tracker")
    return _PathTraits(place, "form" if _FORM.search(below) else "")


def place_of(path: str) -> FilePlace:
    """Return the place of a file by its path."""
    return _traits_of(path).place


def _find_place(path: str) -> FilePlace:
    below = f"/{path}"  # with one first letter in all expressions, most places are skipped at once
    lowered = below.lower()
    for place, pattern, as_written in _PLACES:
        if pattern.search(below if as_written else lowered):
            return place
    return _place_by_language(path)


def is_test(path: str) -> bool:
    """Return whether the folders or the name in a path make the file a test."""
    return _holds_tests(path.rpartition("/")[0]) or _TEST.search(f"/{path}") is not None


@lru_cache(maxsize=65_536)
def _holds_tests(folder: str) -> bool:
    """Return whether a folder makes all files below it tests; cached, as most have siblings."""
    above = folder.rpartition("/")[0]
    if above and folder.count("/") < _DEEPEST and _holds_tests(above):
        return True
    return _TEST.search(f"/{folder}/") is not None


_SYSTEM_SETTINGS = lazily(r"(_config|[a-z]rc|^(hosts|fstab|crontab|motd|passwd|sudoers|authorized_keys))$")
"""Settings of programs that have no ending: `sshd_config`, `vimrc`."""


def _place_by_language(path: str) -> FilePlace:
    """Return the place of a file by its name alone: names without an ending are scripts."""
    name = path.rpartition("/")[2]
    is_code = language_of(path) or ("." not in name and not _SYSTEM_SETTINGS.search(name))
    return FilePlace.CODE if is_code else FilePlace.DATA


_FACTORS: Mapping[Aim, Mapping[FilePlace, float]] = MappingProxyType(
    {
        aim: dict(zip(FilePlace, factors, strict=True))
        for aim, factors in {
            Aim.ANY: (1.0, 1.2, 1.0, 0.5, 0.85, 0.9, 0.85, 1.0, 0.5, 0.9, 1.0, 0.8, 0.25),
            Aim.EXPLAIN: (1.0, 1.4, 0.9, 0.4, 0.25, 0.4, 0.4, 0.85, 0.4, 0.6, 1.0, 0.6, 0.25),
            Aim.HOW_TO: (0.85, 1.5, 1.15, 0.4, 0.5, 0.7, 0.5, 1.3, 0.5, 0.7, 0.7, 0.6, 0.25),
            Aim.CONFIGURATION: (0.7, 1.0, 1.0, 0.4, 1.6, 1.9, 1.6, 0.5, 0.4, 1.8, 1.0, 1.0, 0.25),
            Aim.CI: (0.5, 0.8, 0.8, 0.4, 2.2, 1.0, 1.0, 0.4, 0.4, 0.8, 0.8, 0.8, 0.25),
            Aim.WHERE: (1.4, 0.7, 0.4, 0.3, 0.4, 0.4, 0.4, 0.6, 0.4, 0.6, 1.4, 0.6, 0.25),
            Aim.CONTRIBUTING: (0.7, 1.0, 1.9, 0.6, 0.7, 0.6, 0.7, 0.5, 0.4, 0.4, 0.5, 0.5, 0.25),
            Aim.API: (1.15, 1.2, 0.5, 0.4, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.95, 0.95, 0.25),
            Aim.ENTRIES: (0.25, 1.0, 1.9, 1.9, 0.7, 0.6, 0.7, 0.5, 0.4, 0.4, 0.5, 0.5, 0.25),
            Aim.EXTENDING: (1.15, 1.35, 1.5, 0.4, 0.4, 0.5, 0.4, 1.0, 0.6, 0.8, 0.7, 0.7, 0.25),
            Aim.DEVELOPING: (0.5, 1.0, 1.8, 0.3, 1.0, 1.6, 0.5, 0.4, 0.3, 0.5, 0.5, 0.5, 0.25),
            Aim.TESTS: (0.6, 0.6, 0.6, 0.3, 0.5, 0.5, 0.4, 0.4, 1.9, 0.4, 0.6, 0.6, 0.25),
            Aim.HISTORY: (0.6, 0.4, 0.3, 0.8, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.25),
            Aim.RELEASES: (0.4, 0.8, 0.5, 2.5, 0.4, 0.5, 0.4, 0.3, 0.3, 0.3, 0.3, 0.4, 0.25),
            Aim.DECLARED: (0.3, 1.0, 1.2, 0.3, 0.8, 1.9, 0.5, 0.3, 0.2, 0.4, 0.8, 0.8, 0.5),
        }.items()
    }
)
"""Weight of a match by the question's aim and the file's place; chosen by hand, then checked on questions
about ten repositories (`docs/explanation/questions.md`)."""
_GIVEN: Mapping[tuple[Aim, FilePlace], float] = MappingProxyType(
    {
        (Aim.CONTRIBUTING, FilePlace.CONTRIBUTING): 0.35,
        (Aim.DEVELOPING, FilePlace.CONTRIBUTING): 0.25,
        (Aim.EXTENDING, FilePlace.CONTRIBUTING): 0.15,
        (Aim.DEVELOPING, FilePlace.MANIFEST): 0.15,
        (Aim.ENTRIES, FilePlace.CHANGES): 0.5,
        (Aim.RELEASES, FilePlace.CHANGES): 0.5,
        (Aim.DECLARED, FilePlace.MANIFEST): 0.5,
        (Aim.CONFIGURATION, FilePlace.MANIFEST): 0.15,
        (Aim.CONFIGURATION, FilePlace.STYLE): 0.25,
        (Aim.CONFIGURATION, FilePlace.WORKFLOW): 0.1,
    }
)
"""Score of a file for its place alone, relative to 1 for the best match."""
_README = lazily(r"(?i)^readme\b[^/]*$")
_MAIN_WORKFLOW = lazily(
    r"(?i)(^\.github/workflows/([^/]*[_.-])?(ci|cicd|tests?|testing|regress|builds?|checks?|main|lint|pr|rust"
    r"|go|python|node|java|ruby|php)(?P<more>[_.-][^/]*)?\.ya?ml|^\.gitlab-ci\.ya?ml|^\.travis\.ya?ml"
    r"|^\.circleci/config\.ya?ml|^azure-pipelines\.ya?ml|^\.?appveyor\.ya?ml|^jenkinsfile|^\.cirrus\.ya?ml)$"
)
"""Workflows that check each change; more words in a name mean another check."""
_OF_MAIN_WORKFLOW, _OF_WORKFLOW_BESIDE = 0.3, 0.15
"""Scores of workflows for their place alone if a question is about CI."""
_GIVING = frozenset(aim for aim, _ in _GIVEN)
_DEEP = 0.4
"""Factor of `_GIVEN` for files in folders other than `.github` and folders of documents."""
_ON_ONE_MATTER = lazily(r"(?i)(^|/)security[^/]*$|^\.github/.*\.ya?ml$")
"""Pages that answer only questions for their subject."""
_SHALLOW = lazily(r"^([^/]*|\.github/.*|docs?/.*|documentation/.*)$")


_COPIED = lazily(
    r"(?i)/(installer|generators?|scaffold(s|ing)?|skeletons?|boilerplates?|priv)/([^/]+/)*templates?/|/archetypes/[^/]+\.md$"
    r"|/(locales?|i18n|l10n|translations?|lang(uages?)?)/[^.]*[^/]*\.(ya?ml|json|po|properties|xml|arb|ftl|php)$"
)
"""Templates for new projects, and translations: they look like the code and pages that answer."""
_ASIDE = lazily(
    r"(?i)/_?(([a-z0-9]+[-_])*tests?|(?-i:[a-z]+Tests?)|testing|test[-_]?(?:data|env(?:ironment)?s?|suites?|cases?)|examples?|samples?|demos?|fixtures?|snippets|bench\w*)/"
)
_SETTINGS = frozenset({FilePlace.MANIFEST, FilePlace.SETTINGS, FilePlace.STYLE})
_OF_ASIDE = 0.5
"""Weight of settings of tests and examples: they say little about the project's own."""
_FORM = lazily(r"(?i)/((issue|pull_request)_template|merge_request_templates?|issue_templates?)(/|[^/]*$)")
"""Forms to fill in for an issue."""
_PROPOSAL = lazily(
    r"(?i)/(?:adrs?|rf[cd]s?|decisions|designs?|(?:design[-_])?proposals|enhancements|keps)/(?:[^/]+/){0,5}[^/]+"
    r"\.(?:mdx?|rst|adoc|txt)$"
)
_OF_TRACKER = lazily(
    r"(?i)^\.github/workflows/((prs?|(new-)?issues?|auto|mark|require|pull-request)[_-])?"
    r"(lock|stales?|stale-?bot|label\w*|triage|greet\w*|welcome|assign|no-?response|close|sponsors?"
    r"|add-to-project|needs-\w+)([_.-][^/]*)?\.ya?ml$"
)
"""Workflows that look after issues and pull requests, and run nothing of the project."""
_OF_COPIED = 0.4
_EXPECTED = lazily(r"(?i)\.(csv|tsv|jsonl?|snap|xml|html?|svg|txt|log|out|expected|golden)$")
"""Input and expected output of tests, which are no tests."""


def is_aside(path: str) -> bool:
    """Return whether a path is that of settings of tests or examples."""
    return _traits_of(path).handicap == "aside"


def place_factor(aims: tuple[Aim, ...], path: str) -> float:
    """Return how much a match in a file counts for these aims."""
    if Aim.TESTS in aims and _EXPECTED.search(path):
        return _FACTORS[Aim.TESTS][FilePlace.DATA]
    return _factor_of(aims, _traits_of(path))


@lru_cache(maxsize=1_024)
def _factor_of(aims: tuple[Aim, ...], traits: _PathTraits) -> float:
    factor = 1.0
    for aim in aims:
        factor *= _FACTORS[aim][traits.place]
    mean = float(factor ** (1 / len(aims)))
    if traits.handicap == "aside":
        return mean * _OF_ASIDE
    if not traits.handicap or (traits.handicap == "form" and Aim.CONTRIBUTING in aims):
        return mean
    return min(mean, _OF_COPIED)


def is_proposal(path: str) -> bool:
    """Return whether a path is that of a page on a proposal or a decision."""
    return _PROPOSAL.search(f"/{path}") is not None


def is_form(path: str) -> bool:
    """Return whether a path is that of a form to fill in for an issue or a pull request."""
    return _FORM.search(f"/{path}") is not None


def is_readme(path: str) -> bool:
    """Return whether a path is that of the project's README."""
    return _README.match(path) is not None


def is_main_workflow(path: str) -> bool:
    """Return whether a path is that of a workflow that checks each change."""
    main = _MAIN_WORKFLOW.search(path)
    return main is not None and not main["more"]


def given_score(aims: tuple[Aim, ...], path: str) -> float:
    """Return the score of a file for its place alone, relative to 1 for the best match."""
    if Aim.CI in aims and (main := _MAIN_WORKFLOW.search(path)):
        return _OF_WORKFLOW_BESIDE if main["more"] else _OF_MAIN_WORKFLOW
    if _GIVING.isdisjoint(aims):
        return 0.0
    place, handicap = _traits_of(path)
    total = sum(_GIVEN.get((aim, place), 0.0) for aim in aims)
    if not total or handicap == "aside" or _ON_ONE_MATTER.search(path):
        return 0.0
    return total if _SHALLOW.match(path) else total * _DEEP
