"""Find the commands that test, lint or build the project itself: in its pages, manifests and workflows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from types import MappingProxyType

from satchel.items import ContextItem
from satchel.packing.weighing.chances import PartPlace, WeighedItems
from satchel.packing.weighing.describing import is_readme
from satchel.parts import find_parts
from satchel.patterns import lazily
from satchel.questions import FilePlace, Question, place_of
from satchel.questions.aims import is_main_workflow
from satchel.questions.reading import stem_all

_BEFORE = r"(?im)(?:^[ \t$>#*-]{0,40}(?:run: )?|[`;|&][ \t]{0,4})(?:sudo |[A-Z_]{1,40}=\S{0,80} ){0,4}"
"""What may stand before a command: the beginning of a line, a prompt, a backtick, another command."""
_OPTIONS = r"(?: -\S{1,40}| \w{1,40}=\S{1,80}){0,6}"
_FOLDERS = r"(?:[\w.-]{0,40}/){0,3}"
_RUNNERS = (
    rf"{_FOLDERS}(?:npm|pnpm|yarn|bun|npx|hatch|poetry|pdm|uv|rye|composer|mvnw?|gradlew?|meson|rake|mise)"
    rf"(?: run| exec| x)?{_OPTIONS}(?: [\w:./-]{{1,60}}){{0,3}}? "
)
"""Programs that run what is named behind them."""
_WORDS = rf"(?:\./)?(?:make|just|task|bundle exec \w+|rails|invoke|ant|ninja|scripts?/|bin/){_OPTIONS} ?"
"""The same, which are words of prose as well: what is named stands right behind them."""
_TARGETS = MappingProxyType(
    {
        "test": r"(?:test|check|spec|verify)",
        "lint": r"(?:lint|fmt|format|style|spotless|typecheck|types)",
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
        "build": r"pip3? install (?:-e|--editable|-r|-U|\.)|cargo (?:build|run)\b|go (?:build|run|install)\b"
        r"|(?:npm|pnpm|yarn|bun|bundle|composer|poetry|pdm) (?:ci|i|install)\b|uv sync\b"
        r"|docker[ -]compose up\b|(?:dotnet|swift|zig|stack|cabal|bazel|mix) (?:build|run|compile)\b"
        r"|cmake (?:-[SB]|--build|--preset|\.)|meson setup\b|\./(?:configure|build|setup|bootstrap)\b"
        r"|make(?=[\s`]|$)",
    }
)
_ASKED = MappingProxyType(
    {
        "test": frozenset(stem_all("test tests spec specs suite")),
        "lint": frozenset(stem_all("lint linter format formatter type check style")),
        "build": frozenset(stem_all("build compile setup set develop development dev bootstrap locally")),
    }
)
"""Words of a question that tell what is to be run."""
_MANIFEST = 3
"""Rank of manifests."""
_PLACES = 4
"""Parts with a command that are shown first."""


def find_commands(
    items: WeighedItems, question: Question, read: Callable[[ContextItem], str]
) -> list[PartPlace]:
    """Return the parts with commands of the kind that a question asks for, the best first.

    What people are told comes before what programs run: pages on contributing, the README, targets of
    manifests, the workflow that checks each change.
    """
    kind = next((name for name, words in _ASKED.items() if not words.isdisjoint(question.own)), "")
    ranked = sorted((rank, at) for at, (one, _) in enumerate(items) if (rank := _rank(one.item)))
    found: list[PartPlace] = []
    for rank, at in ranked if kind else ():
        lines = find_command_lines(kind, read(items[at][0].item), is_manifest=rank == _MANIFEST)
        found += [(at, number) for number in find_parts(items[at][1].parts, lines)]
    return found[:_PLACES]


def _rank(item: ContextItem) -> int:
    """Return the place of a file among those that may tell commands, from 1 on, 0 for any other."""
    place, folder = place_of(item.path), item.path.rpartition("/")[0]
    if item.kind != "file" or folder not in {"", "docs", "doc", ".github", ".github/workflows"}:
        return 0
    if place is FilePlace.WORKFLOW:
        return 4 if is_main_workflow(item.path) else 0
    if place is FilePlace.MANIFEST:
        return 0 if folder else _MANIFEST
    if is_readme(item.path):
        return 2
    return int(place is FilePlace.CONTRIBUTING)


def find_command_lines(kind: str, text: str, *, is_manifest: bool = False) -> list[int]:
    """Return the lines of a text that have a command of a kind, or of a manifest a target of that name."""
    target = _TARGETS[kind]
    if is_manifest:
        pattern = rf'(?m)^(?:[ \t]*"{target}[\w:-]*"[ \t]*:[ \t]*"|{target}[\w-]*[ \t]*:(?!=))'
    else:
        named = rf"[\w:./-]{{0,60}}{target}[\w:-]{{0,60}}(?=[\s`'\"]|$)"
        pattern = rf"{_BEFORE}(?:{_FOLDERS}(?:{_TOOLS[kind]})|{_RUNNERS}{named}|{_WORDS}{named})"
    ends = [match.end() for match in lazily(pattern).finditer(text)]
    return [1 + number for number in accumulate(text.count("\n", *span) for span in pairwise([0, *ends]))]
