"""Facts that a project declares about itself: the questions for each, and the files that declare it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from satchel.patterns import lazily
from satchel.questions.aims import Aim, is_main_workflow, is_readme, place_of
from satchel.stems import stem
from satchel.workspace.files.kinds import DOCUMENT_ENDINGS

_MATTERS = lazily(r"(?i)/(security|code[-_]of[-_]conduct|issue_template|pull_request_template)[^/]*$")
"""Pages of contributors that are about something else."""
_PATTERN = lazily(r"<(\w+)>")
"""A placeholder for a pattern at the head of the table, or for the endings of documents."""


class Fact(Enum):
    """A fact that a project declares about itself."""

    DEPENDENCIES = "dependencies"
    """The packages that it needs."""
    VERSIONS = "versions"
    """The versions of a language or of a runtime that it works with."""
    LICENCE = "licence"
    RELEASING = "releasing"
    """How a release of it is made."""
    INSTALLING = "installing"
    SETUP = "setup"
    """How its developers build and run it."""
    PEOPLE = "people"
    """Who maintains it."""
    ENTRY = "entry"
    """Where its program begins."""
    CONVENTIONS = "conventions"
    """How its code is to be written."""
    REPORTING = "reporting"
    """How a bug or a hole in its security is reported."""
    CONTAINERS = "containers"
    """How it runs in a container."""
    DEPLOYING = "deploying"
    """How it is put on a server."""
    CONFIGURING = "configuring"
    """Where it reads its own settings."""
    ENVIRONMENT = "environment"
    """The environment variables that it reads."""
    SCHEMA = "schema"
    """The tables of its database."""
    ENDPOINTS = "endpoints"
    """The addresses that it answers over HTTP."""
    JOBS = "jobs"
    """Its work in the background or at set times."""
    TRANSLATIONS = "translations"
    """The texts that it shows in other languages."""
    ERRORS = "errors"
    """Where it handles errors that nothing else handles."""
    OWN_VERSION = "own_version"
    """Its own version."""
    STARTING = "starting"
    """The first steps of its program."""
    COMMAND_LINE = "command_line"
    """The options that its program takes."""
    SETTINGS = "settings"
    """Where its settings are defined, for adding one."""
    PORT = "port"
    """The port on which it listens."""


IN_CODE = frozenset(
    {Fact.CONFIGURING, Fact.ENVIRONMENT, Fact.SCHEMA, Fact.ENDPOINTS, Fact.JOBS, Fact.TRANSLATIONS}
    | {Fact.ERRORS, Fact.STARTING, Fact.SETTINGS, Fact.COMMAND_LINE, Fact.PORT}
)
"""Facts that code declares: a question where or how they are asks for code."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_OF_ALL = _stems(
    "project projects repo repository codebase code library app application tool program software work main"
    " current here this need officially"
)
"""Words beside a fact that name no other part of a project."""
_SURELY = 0.9
_NAMED = frozenset({Fact.DEPENDENCIES, Fact.VERSIONS, Fact.LICENCE, Fact.PEOPLE, Fact.ENTRY})
"""Facts that a question may ask for by their name alone."""
_LONGEST = 100
"""Most characters of a question for a fact: longer ones ask for more."""


class _Saying(NamedTuple):
    """A form of question for a fact."""

    fact: Fact
    needed: frozenset[str]
    """Stems, one of which a question must have."""
    beside: frozenset[str]
    """Stems that it may have beside that."""
    never: frozenset[Aim] = frozenset()
    """Aims of questions about something with the name of a fact in the code, or its use."""
    words: str = ""
    """A pattern that its text must match."""


_OF_CODE = frozenset({Aim.EXPLAIN, Aim.WHERE, Aim.API, Aim.EXTENDING})
_RUNTIMES = _stems(
    "python cpython pypy node nodejs go golang rust rustc msrv java jdk jvm kotlin scala ruby php perl lua"
    " swift elixir erlang dotnet net framework typescript deno bun compiler haskell ghc ocaml"
    " dart flutter julia clojure zig nim crystal terraform"
)
_SAYINGS = (
    _Saying(
        Fact.DEPENDENCIES,
        _stems("dependency dependencies depend requirements"),
        _stems("third party external packages modules crates gems dev development runtime direct list use"),
        _OF_CODE | {Aim.HOW_TO},
        r"(?=.*\b(the|this|it|its|our|your|we|project|repo\w*|ha(s|ve)|needs?|list|which|uses?|used)\b)"
        r".*\b(dependenc(y|ies)|requirements)\b"
        r"|\b(it|this( \w+)?|we|project|repo\w*) depends? on\b|\bdo(es)? (it|we|(this|the) \w+) depend on\b",
    ),
    _Saying(
        Fact.DEPENDENCIES,
        _stems("third party"),
        _stems("external packages modules crates gems list use"),
        _OF_CODE | {Aim.HOW_TO},
        r"\b(librar(y|ies)|packages|modules|crates|gems)\b",
    ),
    _Saying(
        Fact.DEPENDENCIES,
        _stems("technology technologies tech stack framework frameworks"),
        _stems("use uses used built written libraries languages based"),
        _OF_CODE | {Aim.HOW_TO},
        r"\b(tech(nology)? stack|technolog(y|ies)|(which|what) frameworks?)\b",
    ),
    _Saying(
        Fact.VERSIONS,
        _RUNTIMES,
        _stems(
            "version versions minimum oldest lowest newest latest least supported support require compatible"
            " run under against with still compile compiles build builds pin pinned"
        )
        | _RUNTIMES,
        _OF_CODE,
        r"^(?!.*\d\.\d).*\b(versions?|minimum|oldest|lowest|newest|supp?ort\w*|requires?d?|msrv|compatib\w*)\b",
    ),
    _Saying(
        Fact.VERSIONS,
        _RUNTIMES,
        _stems("sdk toolchain platform have require required install installed used run runs use uses"),
        _OF_CODE,
        r"^\W*(which|what) (\S+ ){1,3}?((do|must|should) (i|we|you|one) (need|have|install|use)"
        r"|does (it|this|the) (\w+ )?(need|require|run on|use)|is (needed|required))\b",
    ),
    _Saying(
        Fact.VERSIONS,
        _stems("standard standards version versions"),
        _stems("minimum lowest supported support require required need compile compiles use uses written in"),
        _OF_CODE,
        r"^(?!.*\d\.\d).*\bc(\+\+|pp|xx)?(?!\w)",
    ),
    _Saying(
        Fact.LICENCE, _stems("license licence licensed licenced licensing"), _stems("kind type under use")
    ),
    _Saying(
        Fact.RELEASING,
        _stems("release releases released releasing publish published"),
        _stems("new version next process procedure steps checklist cut tag ship make do"),
        _OF_CODE,
    ),
    _Saying(
        Fact.RELEASING,
        _stems("releases released releasing"),
        _stems("process procedure made make do"),
        words=r"\b(releases|released|release process)\b",
    ),
    _Saying(
        Fact.INSTALLING,
        _stems("install installing installation"),
        _stems("get instructions locally machine computer"),
        _OF_CODE,
    ),
    _Saying(
        Fact.SETUP,
        _stems("build compile locally setup develop development dev bootstrap"),
        _stems(
            "set up environment env start started get source scratch machine run running instructions local"
        ),
        _OF_CODE,
    ),
    _Saying(
        Fact.PEOPLE,
        _stems("maintain maintains maintainer maintainers author authors owner owners"),
        _stems("who people core team behind"),
        words=r"\bwho\b|\bmaintainers?\b",
    ),
    _Saying(
        Fact.ENTRY,
        _stems("entry entrypoint"),
        _stems("point points start begin starts begins"),
        words=r"\bentry[- ]?points?\b(?! (get )?(started|begun))",
    ),
    _Saying(
        Fact.CONVENTIONS,
        _stems("convention conventions style guideline guidelines standards"),
        _stems("coding naming formatting format rules follow guide use apply"),
        frozenset({Aim.EXPLAIN, Aim.API, Aim.EXTENDING}),
        r"\b(coding|code|naming|style) (conventions?|style|guidelines?|standards|rules)\b|\bconventions\b"
        r"|\bstyle ?guide\b",
    ),
    _Saying(
        Fact.REPORTING,
        _stems("bug bugs issue issues vulnerability vulnerabilities"),
        _stems("report reporting file open submit create raise security"),
        frozenset({Aim.EXPLAIN, Aim.API, Aim.EXTENDING}),
        r"\b(report|file|open|submit|raise)\w*\b.{0,40}\b(bugs?|issues?|vulnerabilit(y|ies))\b",
    ),
    _Saying(
        Fact.CONTAINERS,
        _stems("docker dockerfile podman"),
        _stems("compose image images container containers run running start use using set up build local"),
        _OF_CODE,
    ),
    _Saying(
        Fact.DEPLOYING,
        _stems("deploy deploying deployment production kubernetes k8s helm host hosting self-host"),
        _stems(
            "self myself run running set up server servers own vps cloud chart cluster environment put docker"
        ),
        _OF_CODE,
        r"\b(deploy\w*|production|kubernetes|k8s|helm|self[- ]?host\w*|hosting|host (this|it))\b",
    ),
    _Saying(
        Fact.CONFIGURING,
        _stems("config configuration configurations settings cfg conf"),
        _stems("load loaded loading read reading reads parse parsed parsing file files get come from"),
        frozenset({Aim.HOW_TO, Aim.API, Aim.EXTENDING}),
        r"\b(config\w*|settings|cfg|conf)( files?)? (is |are |gets? )?(being )?(load|read|pars|com)\w*"
        r"|\b(load|read|pars)(e?s|ing)? (the |its |our )?(config|settings|cfg)",
    ),
    _Saying(
        Fact.ENVIRONMENT,
        _stems("environment env variables vars envvars"),
        _stems(
            "variable var set use uses need needs available supported support list read config configure"
            " required requires mandatory necessary optional must provide define defined there"
        ),
        frozenset({Aim.EXPLAIN, Aim.EXTENDING}),
        r"\benv(ironment)?[- ]?var(iable)?s\b",
    ),
    _Saying(
        Fact.PORT,
        _stems("port ports"),
        _stems(
            "listen listens listening run runs running use uses used default number server web http service"
            " api bind binds bound start starts serve serves served available expose exposes exposed open"
            " opens ui site"
        ),
        frozenset({Aim.EXPLAIN, Aim.HOW_TO, Aim.WHERE, Aim.EXTENDING}),
        r"\b(which|what) (tcp |http |network )?ports?\b.*"
        r"\b(listen|run|use|serve|bind|bound|start|open|expose|available)\w*\b",
    ),
    _Saying(
        Fact.COMMAND_LINE,
        _stems("option options flag flags switch switches argument arguments args"),
        _stems(
            "command commands line cli program tool binary executable terminal available support supported"
            " accept accepts take takes list exist there have give pass possible commandline understand"
        ),
        frozenset({Aim.EXPLAIN, Aim.EXTENDING}),
        r"^(?=.*\b(command[- ]?lines?|cli|terminal|program|binary|executable)\b)(?!.*['\"`]).*"
        r"\b(options?|flags?|switches|arguments?|args)\b",
    ),
    _Saying(
        Fact.SCHEMA,
        _stems("database databases db schema schemas table tables model models"),
        _stems(
            "sql data look looks like structure structured layout defined define describe show entity"
            " entities columns relationship relationships diagram"
        ),
        words=r"\b(database|db|sql|data)[- ](schema|structure|tables|models?|layout)\b"
        r"|\b(which|what) tables\b|\bdatabase structured\b"
        r"|\b(schema|structure|tables|entities) (of|in) (the|our|its) (database|db)\b",
    ),
    _Saying(
        Fact.ENDPOINTS,
        _stems("endpoint endpoints route routes url urls"),
        _stems(
            "api http rest list available expose exposes define defined declared registered exist exists"
            " offer offers provide provides server all web show"
        ),
        words=r"\b(which|what|list|all|show)\b.{0,60}\b(endpoints|routes|urls)\b"
        r"|\bwhere are (the |all |our )*((rest|web|http) )?(api )?(endpoints|routes|urls)\b",
    ),
    _Saying(
        Fact.JOBS,
        _stems("jobs tasks workers cron crons cronjob cronjobs queue queues"),
        _stems(
            "background scheduled schedule periodic recurring run running runs executed processed defined"
            " list define exist work async there queued"
        ),
        frozenset({Aim.EXPLAIN, Aim.HOW_TO, Aim.API, Aim.EXTENDING}),
        r"\b(background|scheduled|periodic|recurring) (jobs?|tasks?|workers?|processing)\b"
        r"|\bcron ?(jobs?|tasks?)\b|\b(jobs|tasks) (are |get )?scheduled\b",
    ),
    _Saying(
        Fact.TRANSLATIONS,
        _stems(
            "translation translations translate translated i18n internationalization internationalisation"
            " l10n localization localisation localized locale locales"
        ),
        _stems(
            "add new where stored file files string strings text texts ui language languages change supported"
            " support available other how contribute another translator handled handle work which exist"
        ),
        frozenset({Aim.EXPLAIN, Aim.API}),
        r"\b(translat\w*|i18n|l10n|locali[sz]\w*|internationali[sz]\w*|locales)\b",
    ),
    _Saying(
        Fact.ERRORS,
        _stems("error errors exception exceptions"),
        _stems("handling handle handled handles done caught reported logged globally centrally work where"),
        frozenset({Aim.HOW_TO, Aim.API, Aim.EXTENDING}),
        r"\b(error|exception)s?[- ]((is |are |gets? )?(being )?(handled|caught|reported)|handling)\b"
        r"|\bhandles? (errors|exceptions)\b",
    ),
    _Saying(
        Fact.OWN_VERSION,
        _stems("version"),
        _stems("number set defined stored declared bumped bump kept specified current latest package own is"),
        frozenset({Aim.EXPLAIN, Aim.API, Aim.EXTENDING}),
        r"\bversion( number| string)? (is |being |gets )*(set|defined|stored|declared|bumped|kept)\b"
        r"|\b(what|which) version (is|of) (this|it|the)\b|\bcurrent version\b|\bbump the version\b",
    ),
    _Saying(
        Fact.STARTING,
        _stems("startup start starts started boot boots bootup launch launches launched"),
        _stems("happens application server service process when order sequence run first what begin up does"),
        frozenset({Aim.HOW_TO, Aim.API, Aim.EXTENDING}),
        r"\b(on|at|during|after) (start-?up|boot|launch)\b|\b(start-?up|boot) (sequence|process|order)\b"
        r"|\bwhen (it|the (app\w*|program|server|service|process)) (starts|boots|launches|is started)\b"
        r"|\bhow does (it|the (app\w*|program|server|service)) (start|boot)\b",
    ),
    _Saying(
        Fact.SETTINGS,
        _stems("setting settings preference preferences config configuration option options"),
        _stems("add new create define introduce another user value key where"),
        frozenset({Aim.API}),
        r"\b(add|create|define|introduce)\b.{0,20}"
        r"\b(settings?|preferences?|config(uration)? (option|value|key|setting)s?)\b",
    ),
)


def find_fact(
    own: AbstractSet[str], aims: AbstractSet[Aim], text: str, *, certainty: float = 1.0
) -> Fact | None:
    """Return the fact that a question asks for, None if it asks for more or for something else.

    `own` are the stems of its words. An uncertain question (`certainty` below 0.9) only asks for facts that
    are no deeds: "minimum Go version", and not "release 3.1".
    """
    said, low = own - _OF_ALL, text.strip().lower()
    if len(low) > _LONGEST:
        return None
    for one in _SAYINGS:
        is_said = not said.isdisjoint(one.needed) and said <= one.needed | one.beside
        is_open = certainty >= _SURELY or one.fact in _NAMED
        if is_said and is_open and one.never.isdisjoint(aims) and lazily(one.words).search(low):
            return one.fact
    return None


class Declaration(NamedTuple):
    """A place that declares a fact; the fields are those of `declarations.toml`."""

    path: str = ""
    place: str = ""
    lines: str = ""
    headings: str = ""
    names: str = ""
    first: int = 0
    terms: Sequence[str] = ()
    or_all: bool = False
    anywhere: bool = False
    counted: bool = False
    """Whether the file with most declarations comes first, among all counted rows."""

    def fits(self, path: str) -> bool:
        """Return whether files of this path may declare the fact."""
        if self.place == "main workflow":
            return is_main_workflow(path)
        if self.place == "readme":
            return is_readme(path)
        if self.place and (place_of(path).value != self.place or _MATTERS.search(f"/{path}")):
            return False
        return not self.path or lazily(self.path).search(f"/{path.lower()}") is not None


@functools.cache
def _read_rows() -> Mapping[str, list[Declaration]]:
    import tomllib  # most tasks ask for no fact

    written = tomllib.loads(Path(__file__).with_name("declarations.toml").read_text(encoding="utf-8"))
    patterns = {"page": DOCUMENT_ENDINGS, **written.pop("patterns")}
    return {name: [one for row in rows for one in _read_row(row, patterns)] for name, rows in written.items()}


def _read_row(row: dict[str, Any], patterns: Mapping[str, str]) -> Iterator[Declaration]:
    """Yield a row of the table once for each of its paths or places, with the patterns that it names."""

    def fill(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return _PATTERN.sub(lambda found: patterns.get(found[1], found[0]), value)

    filled = {key: fill(value) for key, value in row.items()}
    key = "place" if isinstance(row.get("place"), list) else "path"
    places = row.get(key, "")
    for one in places if isinstance(places, list) else [places]:
        yield Declaration(**filled | {key: fill(one)})


def list_rows(fact: Fact) -> Sequence[Declaration]:
    """Return the places that may declare a fact, the best first."""
    return _read_rows()[fact.value]


def find_declaration(fact: Fact, path: str) -> tuple[int, Declaration] | None:
    """Return the place of a fact in a file of this path, after its rank, 0 for the best."""
    ranked = enumerate(list_rows(fact))
    return next(((rank, row) for rank, row in ranked if row.fits(path)), None)


def list_declaring_terms(fact: Fact) -> tuple[str, ...]:
    """Return the words that may declare a fact anywhere in code, () for facts of certain files."""
    return tuple(term for row in list_rows(fact) if row.anywhere for term in row.terms)


def may_declare(fact: Fact, path: str) -> bool:
    """Return whether a file may declare a fact of its project, by its path."""
    found = find_declaration(fact, path)
    return found is not None and not found[1].anywhere
