"""Open tasks: checkbox lists in Markdown, and TODO and FIXME comments that concern the task."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import ContextItem, WorkspaceError, agree, format_count, lazily, safe_text, visible
from satchel_plugins.providers.files import RoleFactors, role_factor, text_of_file
from satchel_plugins.providers.texts import Relation

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

BOX = lazily(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+\[([ xX])\](?:[ \t]|$)")
HEADING = lazily(r" {0,3}#{1,6}[ \t]")
_FENCE = lazily(r" {0,3}(`{3,}|~{3,})")
_LISTS = lazily(
    r"(?:^|/)(?:to-?dos?|tasks?|checklist|backlog|roadmap|plan)\.(?:md|markdown)$|(?:^|/)(?:to-?dos?|tasks?)/[^/]+\.(?:md|markdown)$",
    re.IGNORECASE,
)
_OF_EACH_CHANGE = lazily(
    r"(?:^|/)(?:(?:pull|merge)_request_template|issue_template|contributing)(?:[./]|$)", re.IGNORECASE
)
"""Pages with boxes to tick for each change: they are no open tasks of the project."""
_MARKDOWN = (".md", ".markdown", ".mdx")
_COMMENT = lazily(r"(?<![\w.\"'])(?:TODO|FIXME)\b(?!\(\)|[\"'=])")
_WORDS = ("TODO", "FIXME")
_COMMENTS = "comments 1"
"""Name of the stored lines; change the number together with the search for them."""
_ABOUT_TASKS = lazily(
    r"\b(?:to-?dos?|fixmes?|checklists?|backlog|roadmap|open (?:tasks?|items?|points?)|next (?:tasks?|steps?)"
    r"|what(?:'s| is) (?:left|next|open|missing)|remaining|unfinished|still to do)\b",
    re.IGNORECASE,
)
_FACTORS: RoleFactors = {
    "changes": 0.2,
    "test": 0.3,
    "bundled": 0.2,
    "document": 0.3,
    "data": 0.3,
    "code": 1.0,
}
_FEWEST_BOXES = 3
_LARGEST = 150_000
_LONGEST_LINE = 240
_MOST_RANKED = 80
"""Most files with comments whose roles are checked."""
_MOST_LISTS = 10
"""Markdown files that are read for lists."""


@attrs.frozen(eq=False, repr=False)
class Tasks:
    """Offer task lists and comments that share words with the task, or all of them if it asks what to do.

    A list shows its open items under their headings, and the number of done ones.
    """

    name, wave = "tasks", 1
    max_items: int = 6
    max_tokens: int = 3_000
    open_items: int = 40
    """Maximum number of open items shown from one list, the ones nearest to the task first."""
    comments: int = 20
    """Maximum number of comments offered."""
    comment_files: int = 20
    """Files that are read for comments."""
    least_shared: float = 0.15
    """Share of the task's words, by weight, that a list or a comment must hold."""

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return one item per list and one for all comments, best first."""
        if not workspace.index.documents:
            return []
        relation = Relation(task, workspace)
        asked = _ABOUT_TASKS.search(task.text[:20_000]) is not None
        least = 0.0 if asked else self.least_shared
        items = [*self._lists(task, workspace, relation, least=least)]
        items += self._comments(task, workspace, relation, least=least)
        items.sort(key=lambda item: (-item.relevance, item.id))
        return items[: self.max_items]

    def _lists(
        self, task: Task, workspace: Workspace, relation: Relation, *, least: float
    ) -> Iterator[ContextItem]:
        for path in _list_paths(task, workspace):
            if least and _OF_EACH_CHANGE.search(path):
                continue
            text = text_of_file(workspace, path)
            checklist = _checklist(text)
            done = sum(box for _, _, box in checklist)
            open_ones = [(heading, line) for heading, line, box in checklist if not box]
            few = len(checklist) < (1 if _LISTS.search(path) else _FEWEST_BOXES)
            # Done items say nothing about open ones; a list counts by its best item.
            share = max(
                (relation.share(f"{path} {heading} {line}") for heading, line in open_ones), default=0.0
            )
            if few or not open_ones or share < least:
                continue
            lines = self._render(open_ones, relation)
            counted = f"{len(open_ones)} open, {done} done in {safe_text(path)}"
            rest = len(open_ones) - sum(BOX.match(line) is not None for line in lines)
            more = (
                [f"{format_count(rest, 'more open item')} {agree(rest, 'is', 'are')} left out"]
                if rest
                else []
            )
            yield self._item(
                f"tasks:{path}", f"open tasks of {path}", [counted, *lines, *more], share if least else 1.0
            )

    def _render(self, open_ones: Sequence[tuple[str, str]], relation: Relation) -> list[str]:
        """Return the open items under their headings, in order; of too many, the ones that fit best."""
        shares = [relation.share(line) if len(open_ones) > self.open_items else 0.0 for _, line in open_ones]
        ranked = sorted(range(len(open_ones)), key=lambda at: (-shares[at], at))
        lines: list[str] = []
        last = ""
        for at in sorted(ranked[: self.open_items]):
            heading, line = open_ones[at]
            lines += [heading] * (heading != last and bool(heading))
            lines.append(line)
            last = heading
        return lines

    def _comments(
        self, task: Task, workspace: Workspace, relation: Relation, *, least: float
    ) -> Iterator[ContextItem]:
        named = {ref.path for ref in (*task.references, *task.pins, *task.open_files) if ref.path}
        paths = _find_commented_files(task, workspace, named, any_file=not least)[: self.comment_files]
        noted = [(path, number, line) for path in paths for number, line in _read_comments(workspace, path)]
        found = sorted(
            _find_related(noted, relation, named, least=least), key=lambda one: (-one[0], one[1], one[2])
        )
        if found:
            lines = [f"{safe_text(path)}:{number} {line}" for _, path, number, line in found[: self.comments]]
            best = found[0][0] if least else 1.0
            yield self._item("tasks:comments", "TODO and FIXME comments", lines, best)

    def _item(self, id_: str, title: str, lines: Sequence[str], share: float) -> ContextItem:
        text = visible("".join(f"{line}\n" for line in lines))
        relevance = round(min(1.0, 0.2 + share), 4)
        return ContextItem(id_, self.name, "tasks", title, text=text, relevance=relevance)


def _find_related(
    noted: Iterable[tuple[str, int, str]], relation: Relation, named: Collection[str | None], *, least: float
) -> Iterator[tuple[float, str, int, str]]:
    """Yield the comments that concern the task, each after its share."""
    for path, number, line in noted:
        own = relation.share(line)
        share = own + relation.share(path) / 2 + (0.5 if path in named else 0.0)
        if share >= least and (own or path in named or not least):
            yield share, path, number, line


def _prose(paths: Iterable[str]) -> Sequence[str]:
    """Return the paths of Markdown files."""
    return [path for path in paths if path.lower().endswith(_MARKDOWN)]


def _list_paths(task: Task, workspace: Workspace) -> list[str]:
    """Return Markdown files that may hold lists: by their names, and the nearest to the task."""
    ranking = workspace.ranking.files(task)
    documents = workspace.index.documents
    prose = [
        path
        for path in workspace.files.of_paths(_prose)
        if documents[path].kind == "text" and documents[path].size <= _LARGEST
    ]
    score = {path: ranking.body.get(path, 0.0) + ranking.path.get(path, 0.0) for path in prose}
    named = [path for path in prose if _LISTS.search(path)]
    near = [path for path in prose if score[path] > 0]
    order = sorted({*named, *near}, key=lambda path: (not _LISTS.search(path), -score[path], path))
    return order[:_MOST_LISTS]


def _read_comments(workspace: Workspace, path: str) -> Sequence[tuple[int, str]]:
    """Return number and text of each line with a mark, from the index while the file is the same."""
    try:
        return workspace.texts.derived(path, _COMMENTS, lambda text: [*_find_marked(text)])
    except (WorkspaceError, OSError):
        return []


def _checklist(text: str) -> list[tuple[str, str, bool]]:
    """Return each checkbox item: its heading, its line, whether it is done. Code is not a list."""
    found: list[tuple[str, str, bool]] = []
    if "[ ]" not in text:
        return found
    heading, fence = "", ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if opening:
            fence = "" if fence and opening[1].startswith(fence) else fence or opening[1]
        elif fence:
            continue
        elif HEADING.match(line):
            heading = line.strip()[:_LONGEST_LINE]
        elif box := BOX.match(line):
            found.append((heading, line.rstrip()[:_LONGEST_LINE], box[1] != " "))
    return found


def _find_commented_files(task: Task, workspace: Workspace, named: set[str], *, any_file: bool) -> list[str]:
    """Return files that hold the word TODO or FIXME and concern the task, best first."""
    index, ranking = workspace.index, workspace.ranking.files(task)
    holding = {id_ for term in ("todo", "fixme") for id_ in index.postings(term)}
    documents = filter(None, map(index.numbered.by_id.get, holding))
    scores = {
        path: 2.0 * (path in named) + ranking.body.get(path, 0.0) + ranking.path.get(path, 0.0)
        for _, path, size, _, kind, *_ in documents
        if kind == "text" and size <= _LARGEST
    }
    code = [path for path in scores if not path.lower().endswith(_MARKDOWN)]
    fitting = (path for path in code if any_file or scores[path] > 0)
    best = nlargest(_MOST_RANKED, fitting, key=lambda path: (scores[path], path))
    return sorted(best, key=lambda path: (-scores[path] * role_factor(path, _FACTORS), path))


def _find_marked(text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line with a mark; a call such as `context.TODO()` is not a mark."""
    number, counted, ended = 1, 0, -1
    for at in _places(text):
        if at < ended or not _COMMENT.match(text, at):
            continue
        number += text.count("\n", counted, at)
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        counted, ended = at, len(text) if end < 0 else end
        # A long line is minified code: the words around the mark are enough.
        shown = text[max(start, at - 80) : min(ended, at + _LONGEST_LINE)]
        yield number, " ".join(shown.split())


def _places(text: str) -> list[int]:
    """Return the places of the words: `find` searches a text many times faster than an expression."""
    places = []
    for word in _WORDS:
        at = text.find(word)
        while at >= 0:
            places.append(at)
            at = text.find(word, at + len(word))
    return sorted(places)
