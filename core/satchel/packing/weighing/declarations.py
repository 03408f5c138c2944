"""Find a project's declarations of facts about itself, and the commands that test, lint and build it."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from types import MappingProxyType

from satchel.items import ContextItem
from satchel.packing.weighing.backbone import module_of
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.parts import Part, end_of_span, find_parts, number_lines
from satchel.patterns import lazily
from satchel.questions import FilePlace, Question, place_of
from satchel.questions.aims import Aim, is_form, is_main_workflow, is_readme
from satchel.questions.facts import (
    IN_CODE,
    Declaration,
    Fact,
    find_declaration,
    list_declaring_terms,
    list_rows,
)
from satchel.questions.words import stem_all, stem_parts
from satchel.workspace.index.documents import Index

_ASIDE = lazily(
    r"(?i)/(\.(devcontainer|vitepress|vuepress|storybook|docusaurus)"
    r"|([^/]*[-_])?(tests?|testing|testdata|examples?|samples?|demos?|fixtures?|playgrounds?|bench\w*"
    r"|templates?|website|docs)([-_][^/]*)?|[\w.]{0,60}(unit|integration|functional|\.)tests?|testapps?)/"
)
"""Folders of programs beside the project's own."""
TRANSLATED = lazily(r"(?i)/(lang|locales?|i18n|translations?)/")
"""Folders of texts in other languages, in files that may have the endings of code."""
_PAGES = lazily(r"(?i)\.(md|mdx|rst|txt|adoc)$")
_OF_TESTS = lazily(r"(^|\.)[Tt]ests?\b")
"""Modules and classes of tests inside a file of code."""
_OF_PROGRAM = IN_CODE - {Fact.TRANSLATIONS}
"""Facts that a project without a program does not have, though its tests and examples may."""
_LINE_BY_LINE = frozenset(
    {
        Fact.ENDPOINTS,
        Fact.ENVIRONMENT,
        Fact.JOBS,
        Fact.OWN_VERSION,
        Fact.VERSIONS,
        Fact.COMMAND_LINE,
        Fact.PORT,
    }
)
"""Facts declared line by line; a list of dependencies goes on below the line that opens it."""
_MOST_DECLARING = 6
"""Most files that are read because they have the words of a declaration most often."""
_MANY_ALIKE = 5
"""Files of one name from which each concerns only its own folder: `sinks/http/config.rs`."""
_MOST = 100
"""Most parts that declare a fact and are shown first."""
_BEFORE = r"(?im)(?:^[ \t$>#*-]{0,40}(?:run: )?|[`;|&][ \t]{0,4})(?:sudo |[A-Z_]{1,40}=\S{0,80} ){0,4}"
"""Text before a command: the beginning of a line, a prompt, a backtick, another command."""
_OPTIONS = r"(?: -\S{1,40}| \w{1,40}=\S{1,80}){0,6}"
_FOLDERS = r"(?:[\w.-]{0,40}/){0,3}"
_RUNNERS = (
    rf"{_FOLDERS}(?:npm|pnpm|yarn|bun|npx|hatch|poetry|pdm|uv|rye|pixi|composer|mvnw?|gradlew?|meson|rake|mise|spin)"
    rf"(?: run| exec| x)?{_OPTIONS}(?: [\w:./-]{{1,60}}){{0,3}}? "
)
"""Programs that run the target named after them."""
_WORDS = rf"(?:\./)?(?:make|just|task|bundle exec \w+|rails|invoke|ant|ninja|scripts?/|bin/){_OPTIONS} ?"
"""The same for programs that are words of prose as well: the target follows at once."""
_INTERPRETERS = rf"(?:dotnet fsi|python[\d.]{{0,6}}|bash|sh|ruby|node|php|perl|julia|Rscript){_OPTIONS} "
_OF_SCRIPT = r"\.(?:sh|py|js|mjs|rb|php|fsx|jl|R|pl|ps1)\b"
"""Programs that run a script named after them, and the endings of scripts."""
_TARGETS = MappingProxyType(
    {
        "test": r"(?:test|check|spec|verify)",
        "lint": r"(?:lint|fmt|format|style|spotless|typecheck|types|cs[-:](?:check|fix)|analy[sz]e)",
        "docs": r"(?:docs?|documentation|site|website|html)",
        "build": r"(?:build|install|setup|bootstrap|dev|develop|start|serve|compile|assemble|package|all)",
    }
)
_TOOLS = MappingProxyType(
    {
        "test": r"(?:py\.?test|tox|nox|rspec|phpunit|ctest|vitest|jest|mocha|bats|gotestsum)(?=[\s`]|$)"
        r"|python[\d.]{0,6} -m (?:pytest|unittest|tox|nox)\b|cargo (?:test|nextest)\b"
        r"|(?:go|deno|dotnet|mix|swift|flutter|dart|lein|zig build|stack|cabal|bazel|sbt) test\b",
        "lint": r"(?:ruff|flake8|pylint|eslint|prettier|rubocop|golangci-lint|mypy|pyright|pre-commit|phpcs"
        r"|phpstan|php-cs-fixer|biome|gofmt|ktlint|clang-format|shellcheck)(?=[\s`]|$)"
        r"|cargo (?:fmt|clippy)\b|go (?:vet|fmt)\b|mix (?:format|credo)\b|dotnet format\b",
        "docs": r"(?:mkdocs|mdbook|hugo|jekyll|vitepress|antora) (?:build|serve|dev)\b"
        r"|sphinx-\w{1,20}(?=[\s`]|$)|python[\d.]{0,6} -m (?:mkdocs|sphinx)\b|(?:tox|nox) -[es] ?docs?\b"
        r"|cargo doc\b|mix docs\b",
        "build": r"pip3? install (?:-e|--editable|-r|-U|\.)|cargo (?:build|run)\b|go (?:build|run|install)\b"
        r"|(?:npm|pnpm|yarn|bun|bundle|composer|poetry|pdm) (?:ci|i|install)\b|uv sync\b"
        r"|docker[ -]compose up\b|(?:dotnet|swift|zig|stack|cabal|bazel|mix) (?:build|run|compile)\b"
        r"|cmake (?:-[SB]|--build|--preset|\.)|meson setup\b|\./(?:configure|build|setup|bootstrap)\b"
        r"|make(?=[\s`]|$)",
    }
)
_MENTIONS = lazily(r"(?i)\b(?:and|or|of|on|from|like|than|the|an?)\s+$")
_RUNS = lazily(r"(?i)\b(?:runs?|running|uses?|using|execut|invok|calls?|with|via)")
_MENTIONING = 200
"""Letters before the name of a program that show whether it is run."""
_ASKED = MappingProxyType(
    {
        "test": frozenset(stem_all("test tests spec specs suite")),
        "lint": frozenset(stem_all("lint linter format formatter type check style")),
        "docs": frozenset(stem_all("doc docs documentation website")),
        "build": frozenset(stem_all("build compile setup set develop development dev bootstrap locally")),
    }
)
"""Words of a question for each kind of command."""
_CHECKS = frozenset(stem_all("command run check checks execute"))
"""Words of a question that ask for commands to run."""
_SENDING = frozenset(stem_all("pull pr commit push merge submit"))
"""Words for sending a change that has passed its checks."""
_OF_RUNNING = frozenset(
    stem_all(
        "run execute start launch invoke work hack check source project repository repo this it command all"
        " full whole unit server built environment dependency install own main branch from before after pass"
        " get single one individual specific particular only just"
    )
)
"""Words that only say that a command is run."""
_OF_README, _MANIFEST = 2, 3
"""Ranks of the README and of instructions for agents, and of manifests."""
_OF_COMMANDS = lazily(r"^(|\.github(/workflows)?|(docs?|documentation|site|website)(/[\w-]+){0,3})$")
"""Folders of files that may have commands."""
_SCRIPTS = MappingProxyType(
    {
        kind: rf"(?i)^(?:(?:\.?scripts?|bin|hack|tools?|dev|\.?ci)/)?"
        rf"(?:{target}s?(?:\.(?:ba)?sh)?|run[-_]?{target}s?(?:\.(?:(?:ba)?sh|py|rb|js))?)$"
        for kind, target in _TARGETS.items()
    }
)
"""Scripts named after the things they run: `scripts/test`, `runtests.py`."""
_ON_BUILDING = lazily(r"(?i)/(get(ting)?[-_]?started|install(ation|ing)?|quick[-_]?start|set[-_]?up)\.\w+$")
_ON_STARTING = lazily(
    r"(?i)/(contribut\w*|hacking|get(ting)?[-_ ]?started|develop\w*|building|compil\w*|testing"
    r"|quick[-_ ]?start|set[-_ ]?up)([-_ .][^/]*)?$"
)
"""Pages on starting to work on a project, which come before pages on a part of that."""
_ON_PROPOSALS = lazily(r"(?m)^[ \t]*(?:-[ \t]*)?[\"']?(?:pull_request|merge_requests?|merge_request_event)\b")
"""The trigger of a workflow that runs for each proposed change."""
_CHECKING = 8
"""Most parts of workflows that are shown first."""
_PLACES, _FOR_AGENTS = 5, 2
"""Most parts with a command that are shown first, and most of a file of instructions for agents."""


def _choose(row: Declaration, parts: Sequence[Part], text: Callable[[], str], *, is_alone: bool) -> list[int]:
    """Return the numbers of the parts that declare a fact; in a file with namesakes, only named parts."""
    if row.headings:
        heading = lazily(row.headings)
        tops = [at for at, part in enumerate(parts) if part.name and heading.search(part.name)]
        return _list_sections(parts, tops)
    if row.names:
        name = lazily(row.names)
        called = [(at, *part.name.rpartition(".")) for at, part in enumerate(parts)]
        tops = [
            at
            for at, owner, _, own in called
            if (name.search(own) or name.search(f"{owner.rpartition('.')[2]}.{own}"))
            and not _OF_TESTS.search(owner)
        ]
        return _list_sections(parts, tops) or list(range(len(parts) if row.or_all and is_alone else 0))
    if row.first:
        return [at for at, part in enumerate(parts) if part.lines[0] <= row.first]
    if not row.lines:
        return list(range(len(parts)))
    return find_parts(parts, _find_lines(row, text()))


def _find_lines(row: Declaration, text: str) -> list[int]:
    """Return the numbers of the lines that declare a fact."""
    line = lazily(row.lines)
    return [number for number, written in enumerate(text.split("\n"), 1) if line.search(written)]


def _list_sections(parts: Sequence[Part], tops: Iterable[int]) -> list[int]:
    """Return the parts of the definitions and sections that some parts open."""
    return sorted({one for at in tops for one in range(at, end_of_span(parts, at))})


def find_declarations(
    items: WeighedItems,
    fact: Fact,
    read: Callable[[ContextItem], str],
    *,
    own: Collection[str] = (),
    among: Collection[int] | None = None,
) -> list[PartPlace]:
    """Return the parts that declare a fact, the best first, from beside the project if it has none itself.

    Of equal places, a page named by a question's `own` stems alone comes first: `docker.md`. If numbers of
    items are given, only items `among` these are searched.
    """
    found = [row for row in _find_ranked(items, fact, read, own) if among is None or row[-2] in among]
    aside = fact not in _OF_PROGRAM and all(is_aside for _, is_aside, *_ in found)
    ranked = sorted(row for row in found if aside or not row[1])
    return [(at, part) for *_, at, part in ranked][:_MOST]


def find_declaring_files(question: Question, index: Index) -> list[str]:
    """Return the files of code with the most words that declare the facts a question asks for."""
    facts = [fact for fact in (question.fact, *question.beside) if fact is not None]
    terms = {term for fact in facts for term in list_declaring_terms(fact)}
    counts: Counter[int] = Counter()
    for postings in index.postings_of(terms).values() if terms else ():
        counts.update(postings)
    documents = index.numbered.by_id if terms else {}
    ranked = sorted((-count, documents[one].path) for one, count in counts.items() if one in documents)
    fitting = (path for _, path in ranked if place_of(path) is FilePlace.CODE)
    return list(islice(fitting, _MOST_DECLARING))


def find_declaring_lines(
    items: WeighedItems, places: Iterable[PartPlace], fact: Fact, read: Callable[[ContextItem], str]
) -> dict[int, dict[int, list[int]]]:
    """Return the lines of some parts that each declare one value of a fact, by item and part."""
    found: dict[int, dict[int, list[int]]] = {}
    lines: dict[int, list[int]] = {}
    for at, part in places if fact in _LINE_BY_LINE else ():
        item, split = items[at]
        if at not in lines:
            _, row = find_declaration(fact, item.item.path) or (0, Declaration())
            lines[at] = _find_lines(row, read(item.item)) if row.lines else []
        first, last = split.parts[part].lines
        if lines[at]:
            found.setdefault(at, {})[part] = [line for line in lines[at] if first <= line <= last]
    return found


def _find_ranked(
    items: WeighedItems, fact: Fact, read: Callable[[ContextItem], str], own: Collection[str]
) -> Iterator[tuple[int, bool, bool, int, int, str, int, int]]:
    """Yield declarations of a fact: rank, whether aside, whether not `own`, depth, length, path, item, part.

    For counted rows, the depth is the negative number of declaring lines.
    """
    counted = min((rank for rank, row in enumerate(list_rows(fact)) if row.counted), default=0)
    alike = Counter(one.item.path.rpartition("/")[2] for one, _ in items)
    for at, (one, split) in enumerate(items):
        path = one.item.path
        found = find_declaration(fact, path) if one.item.kind in ("file", "instructions") else None
        if found is None:
            continue
        rank, row = found
        if row.terms and split.terms.keys().isdisjoint(row.terms):
            continue
        folders = f"/{path}".partition("/src/main/")[0]  # packages below it may be called `samples`
        is_of_tests = place_of(path) is FilePlace.TEST
        is_aside = (is_of_tests or _ASIDE.search(f"{folders}/") is not None) and not _PAGES.search(path)
        is_aside = is_aside or (fact is not Fact.TRANSLATIONS and TRANSLATED.search(f"/{path}") is not None)
        if row.counted:
            lines = _find_lines(row, read(one.item))
            rank, depth, parts = counted, -len(lines), find_parts(split.parts, lines)
        else:
            is_alone = alike[path.rpartition("/")[2]] < _MANY_ALIKE
            depth = path.count("/")
            parts = _choose(row, split.parts, functools.partial(read, one.item), is_alone=is_alone)
        is_called = place_of(path) is FilePlace.DOCUMENT and {*stem_parts(module_of(path))} <= {*own}
        is_called = is_called or (fact is Fact.SETUP and _ON_STARTING.search(f"/{path}") is not None)
        for part in parts:
            yield rank, is_aside, not is_called, depth, len(path), path, at, part


def find_commands(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts with commands of the kind that a question asks for, the best first.

    Text for people comes before commands of programs: pages on contributing, the README, targets of
    manifests, the workflow that checks each change.
    """
    kinds = _list_kinds(question)
    ranked = sorted(
        (rank, _ON_STARTING.search(f"/{one.item.path}") is None, len(one.item.path), at)
        for at, (one, _) in enumerate(items)
        if (rank := _rank(one.item, kinds))
    )
    found: list[PartPlace] = []
    for rank, _, _, at in ranked if kinds else ():
        text = read(items[at][0].item)
        is_script = _is_script(items[at][0].item.path, kinds)
        is_manifest = rank == _MANIFEST and not is_script
        lines = _list_lines(kinds, text, is_manifest=is_manifest)
        numbers = find_parts(items[at][1].parts, lines or [1] * is_script)
        is_for_agents = items[at][0].item.kind == "instructions"
        found += [(at, number) for number in (numbers[:_FOR_AGENTS] if is_for_agents else numbers)]
    return found[:_PLACES]


def find_job_lines(
    items: WeighedItems,
    places: Iterable[PartPlace],
    question: Question,
    read: Callable[[ContextItem], str],
) -> dict[int, dict[int, list[int]]]:
    """Return the lines with the commands that a question asks for in parts of workflows, by item and part.

    A job is long, with much preparation before these lines.
    """
    jobs: defaultdict[int, list[int]] = defaultdict(list)
    for at, number in places:
        if place_of(items[at][0].item.path) is FilePlace.WORKFLOW:
            jobs[at].append(number)
    found: dict[int, dict[int, list[int]]] = {}
    for at, numbers in jobs.items():
        lines = _list_lines(_list_kinds(question), read(items[at][0].item))
        spans = {number: items[at][1].parts[number].lines for number in numbers}
        found[at] = {
            number: [line for line in lines if first <= line <= last]
            for number, (first, last) in spans.items()
        }
    return found


def find_scripts(question: Question, paths: Iterable[str]) -> list[str]:
    """Return the scripts with the commands that a question about working on the project asks for."""
    kinds = _list_kinds(question) if Aim.DEVELOPING in question.aims or asks_for_checks(question) else ()
    return [path for path in paths if _is_script(path, kinds)] if kinds else []


def _list_kinds(question: Question) -> list[str]:
    """Return the kinds of commands that a question asks for."""
    if asks_for_checks(question):
        return ["lint", "test"]
    return [name for name, words in _ASKED.items() if not words.isdisjoint(question.own)][:1]


def _is_script(path: str, kinds: Iterable[str]) -> bool:
    """Return whether a path is that of a script named after the thing it runs."""
    return any(lazily(_SCRIPTS[kind]).search(path) for kind in kinds)


def find_inner_manifests(items: WeighedItems) -> list[int]:
    """Return the inner manifests of a project with many of one name, without the outermost ones."""
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, (one, _) in enumerate(items):
        if place_of(one.item.path) is FilePlace.MANIFEST:
            places[one.item.path.rpartition("/")[2]].append((one.item.path.count("/"), at))
    many = [sorted(found) for found in places.values() if len(found) >= _MANY_ALIKE]
    return [at for found in many for depth, at in found if depth > found[0][0]]


def find_checks(items: WeighedItems, read: Callable[[ContextItem], str]) -> list[PartPlace]:
    """Return the parts of workflows for proposed changes that test or lint, main workflows first."""
    found: list[tuple[bool, str, int, int]] = []
    for at, (one, split) in enumerate(items):
        path = one.item.path
        text = read(one.item) if place_of(path) is FilePlace.WORKFLOW else ""
        if _ON_PROPOSALS.search(text):
            numbers = find_parts(split.parts, _list_lines(("test", "lint"), text))
            found += [(not is_main_workflow(path), path, at, number) for number in numbers]
    return [(at, number) for *_, at, number in sorted(found)[:_CHECKING]]


def asks_for_checks(question: Question) -> bool:
    """Return whether a question asks for the checks of a change before it is sent, by hand or in CI."""
    return Aim.CONTRIBUTING in question.aims and not (
        _CHECKS.isdisjoint(question.own) or _SENDING.isdisjoint(question.own)
    )


def asks_beside_commands(question: Question) -> bool:
    """Return whether a question names more than the thing to run: "run the tests against postgres"."""
    return not question.own <= _OF_RUNNING.union(*_ASKED.values())


def _rank(item: ContextItem, kinds: Collection[str]) -> int:
    """Return the rank of a file among the ones that may have commands, from 1 on, 0 for any other.

    Pages on installing may have the commands for building, too.
    """
    place, folder = place_of(item.path), item.path.rpartition("/")[0]
    if item.kind == "instructions" and not folder:
        return _OF_README
    if item.kind != "file":  # a diff of the Makefile is not the Makefile
        return 0
    if _is_script(item.path, kinds) or (place is FilePlace.MANIFEST and not folder):
        return _MANIFEST
    if place is FilePlace.MANIFEST or is_form(item.path) or not _OF_COMMANDS.search(folder):
        return 0
    if place is FilePlace.WORKFLOW:
        return 4 if is_main_workflow(item.path) else 0
    is_on_building = "build" in kinds and place is FilePlace.DOCUMENT and _ON_BUILDING.search(item.path)
    if is_on_building or is_readme(item.path):
        return _OF_README
    return int(place is FilePlace.CONTRIBUTING)


def _list_lines(kinds: Iterable[str], text: str, *, is_manifest: bool = False) -> list[int]:
    """Return the lines of a text with a command of any of these kinds, in order."""
    return sorted(
        {line for kind in kinds for line in find_command_lines(kind, text, is_manifest=is_manifest)}
    )


def find_command_lines(kind: str, text: str, *, is_manifest: bool = False) -> list[int]:
    """Return the lines of a text with a command of a kind, or of a manifest with a target of that name."""
    target = _TARGETS[kind]
    if is_manifest:
        row = rf'[ \t]*"{target}[\w:-]*"[ \t]*:[ \t]*"'
        recipe = rf"@?{target}[\w-]*(?:[ \t]+[*+]?\w{{1,40}}){{0,4}}[ \t]*:(?!=)"
        pattern = rf"(?m)^(?:{row}|{recipe}| {{2}}{target}[\w:-]*:[ \t]*$)"
    else:
        of_name = rf"[\w:./-]{{0,60}}{target}[\w:-]{{0,60}}"
        named = rf"{of_name}(?:{_OF_SCRIPT})?(?=[\s`'\"]|$)"
        script = rf"{_INTERPRETERS}{of_name}{_OF_SCRIPT}"
        pattern = rf"{_BEFORE}(?:{_FOLDERS}(?:{_TOOLS[kind]})|{_RUNNERS}{named}|{_WORDS}{named}|{script})"
    found = lazily(pattern).finditer(text)
    return number_lines(text, [match.end() for match in found if not _is_mention(text, match)])


def _is_mention(text: str, command: re.Match[str]) -> bool:
    """Return whether a program is only named in a sentence: "tests based on httpx and `pytest`"."""
    first, last = command.span()
    if text[first] != "`" or text[last : last + 1] != "`" or " " in command[0]:
        return False
    before = text[max(text.rfind("\n", 0, first) + 1, first - _MENTIONING) : first]
    return bool(_MENTIONS.search(before)) and not _RUNS.search(before)
