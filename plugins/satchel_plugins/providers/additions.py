"""The places of the last addition of a kind in a commit, for a task that adds one more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import OWN_PLACES, ContextItem, format_count, last_of, read_addition, safe_text
from satchel_plugins.providers.files import role_of
from satchel_plugins.providers.uses import Use, find_uses, group_by_path, list_places, order_paths

if TYPE_CHECKING:
    from satchel.plugin_api import Commit, Task, Workspace

_MOST_FILES = 400
"""Most files with all words of a name that are read."""
_MOST_TRIED, _NEAREST = 10, 20
"""Most commits with an addition of the kind whose names are searched, and most files near the task."""
_FEW, _FIRST = 3, 8
"""Most files alike in a folder, and most lines of each, that are listed of an addition."""
_TRAIL = (2, 40)
"""Least files of code, and most files in all, that name the addition."""
_COMMON = 2
"""Least commits with additions of a kind that change a file with things of that kind."""
_MOST_ASKED, _MOST_ADDED = 4, 200
"""Most commits whose added lines are read if no name leads to their places, and most lines of one."""
_MOST_LINES, _MOST_OF_WORD = 120, 30
"""Most lines that name it, and most for an option of one word, which has other meanings, too."""


@attrs.frozen(eq=False, repr=False)
class LastAddition:
    """Offer all places of the last addition of a kind in a commit, if a task adds one more of that kind.

    Of the commits whose messages say so ("add --quiet flag"), it takes the one with the largest share of its
    code files near the task. The item lists the lines that name the addition, or, if no message names it, the
    lines that a commit near the task added.
    """

    name, wave = "additions", 2
    max_items: int = 1
    max_tokens: int = 600

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the list of places, if the task adds one more of a kind."""
        return [*_list_example(task, workspace, best)][: self.max_items]


def _list_example(task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterator[ContextItem]:
    """Yield the list of places of the addition nearest to the task, of the kind that it adds one more of."""
    addition = read_addition(task.text)
    if addition is None or any(_find_trail(name, workspace) for name in addition.names):
        return
    alike = (
        (one, mine)
        for one in workspace.history.commits()
        if (mine := read_addition(one.subject)) and mine.is_example_for(addition)
    )
    newest = islice(alike, 2 * _MOST_TRIED)
    earlier = sorted(newest, key=lambda one: one[1].kind != addition.kind)[:_MOST_TRIED]
    near = {item.path for item in best[:_NEAREST]}
    named = ((one, name, _find_trail(name, workspace)) for one, mine in earlier for name in mine.names)
    trails = [(commit, name, trail, _measure_nearness(trail, near)) for commit, name, trail in named if trail]
    commit, name, trail, nearness = max(trails, key=itemgetter(3), default=(None, "", [], 0.0))
    commits = [one for one, _ in earlier]
    if not nearness and (item := _list_nearest_lines(commits, near, workspace)):
        yield item
    elif commit is not None:
        many = format_count(len(trail), "line")
        lead = f"{safe_text(name)}, which {commit.sha[:10]} added, is on {many} of"
        yield _list_places(f"uses of {safe_text(name)}", lead, trail, _find_common(commits))


def _list_nearest_lines(
    commits: Sequence[Commit], near: set[str], workspace: Workspace
) -> ContextItem | None:
    """Return the list of the lines added by the commit nearest to the task, None if no commit is near."""
    sharing = [one for one in commits if not near.isdisjoint(one.paths)]
    sharing.sort(key=lambda one: -len(near.intersection(one.paths)) / len(one.paths))
    for commit in sharing[:_MOST_ASKED]:
        lines = _find_added_lines(commit, workspace)
        if _measure_nearness(lines, near):
            sha = commit.sha[:10]
            lead = f"{sha} ({safe_text(commit.subject)}) added lines in"
            return _list_places(f"what {sha} added", lead, lines, _find_common(commits))
    return None


def _list_code(uses: Sequence[Use]) -> set[str]:
    """Return the paths of the files of code with uses."""
    return {use.path for use in uses if role_of(use.path) == "code"}


def _measure_nearness(uses: Sequence[Use], near: set[str]) -> float:
    """Return the share of the files of code with uses that are near the task."""
    code = _list_code(uses)
    return len(code.intersection(near)) / len(code) if code else 0.0


def _find_added_lines(commit: Commit, workspace: Workspace) -> list[Use]:
    """Return the lines of a commit that still exist, if it was about few files and some of code."""
    least, most = _TRAIL
    paths = [path for path in commit.paths if role_of(path) not in ("changes", "bundled")]
    if not least <= len(paths) <= most // 2:
        return []
    lines = workspace.history.brought_lines([commit], paths)
    uses = [Use(path, line, "") for (_, path), mine in lines.items() for line in mine]
    return uses if len(_list_code(uses)) >= least and len(uses) <= _MOST_ADDED else []


def _find_common(commits: Sequence[Commit]) -> set[str]:
    """Return the paths that two or more commits changed, and a fifth of them."""
    counts = Counter(path for one in commits for path in set(one.paths))
    return {path for path, count in counts.items() if count >= max(_COMMON, len(commits) / 5)}


def _list_places(title: str, lead: str, uses: Sequence[Use], common: set[str]) -> ContextItem:
    """Return a list of places, the common ones first, below a line that ends with the number of files."""
    by_path = group_by_path(uses)
    ordered = order_paths(uses)
    own = [path for path in ordered if path not in common]
    lines = [f"{lead} {format_count(len(by_path), 'file')}:"]
    for paths in ([path for path in ordered if path in common], own):
        if paths is own and 0 < len(own) < len(ordered):
            lines.append(OWN_PLACES)
        lines += [line for mine in _gather_folders(paths, by_path).values() for line in list_places(mine)]
    text = "".join(f"{line}\n" for line in lines)
    return ContextItem(f"uses:{title}", "additions", "uses", title, text=text)


def _gather_folders(ordered: Sequence[str], by_path: Mapping[str, Sequence[Use]]) -> dict[str, list[Use]]:
    """Return the first uses in each file; of more than three files alike in a folder, only in the first."""
    alike: dict[tuple[str, str, int], list[str]] = {}
    for path in ordered:
        folder, _, name = path.rpartition("/")
        alike.setdefault((folder, name.rpartition(".")[2], len(by_path[path])), []).append(path)
    shown: dict[str, list[Use]] = {}
    for paths in alike.values():
        is_many = len(paths) > _FEW
        for path in paths[:1] if is_many else paths:
            title = f"{path} and {len(paths) - 1} others beside it" if is_many else path
            shown[path] = [use._replace(path=title) for use in by_path[path][:_FIRST]]
    return shown


def _find_trail(name: str, workspace: Workspace) -> list[Use] | None:
    """Return the lines that name an addition, in any spelling, if they are in few files and some code."""
    plain = last_of(name).strip("-")
    words = [re.escape(word) for word in re.split(r"[-_. ]", plain) if word]
    form = re.compile(r"[-_. ]?".join(words), re.IGNORECASE)

    def is_use(line: str, _: str) -> bool:
        return form.search(line) is not None

    least, most = _TRAIL
    uses = find_uses(plain.replace("-", " "), is_use, workspace, most_files=_MOST_FILES)
    uses = [use for use in uses if role_of(use.path) not in ("changes", "bundled")]
    paths = {use.path for use in uses}
    is_word = len(words) == 1 and plain.islower()
    is_clear = len(paths) <= most and len(uses) <= (_MOST_OF_WORD if is_word else _MOST_LINES)
    return uses if is_clear and len(_list_code(uses)) >= least else None
