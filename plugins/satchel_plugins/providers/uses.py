"""The lines of a workspace that use a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from satchel.plugin_api import (
    WORD,
    ContextItem,
    compile_use,
    find_change_place,
    find_names_to_change,
    format_count,
    is_plain_word,
    last_of,
    safe_text,
    split_words,
)
from satchel_plugins.providers.files import RoleFactors, file_item, role_factor, role_of, text_of_file

if TYPE_CHECKING:
    from satchel.plugin_api import Task, Workspace

_MOST_FILES = 400
"""Most files with all words of a name that are read."""
_MOST_OF_WORD, _MOST_OF_DATA = 40, 5
"""Most files with a plain word, such as `record`, and most if all are data: a word in more files is no name
that a task is about."""
_LONGEST = 120
"""Most characters of a line that are shown."""
_LISTED, _FEW = 100, 10
"""Files whose lines are listed, and the fewest of them if the task names the definition that it changes."""
_PLACES: RoleFactors = {"code": 0, "document": 1, "test": 2, "data": 3, "bundled": 4, "changes": 5}
"""Order of the uses in a list, by the roles of their files."""


class Use(NamedTuple):
    """A line that names something."""

    path: str
    line: int
    text: str


def find_uses(
    name: str, is_use: Callable[[str, str], bool], workspace: Workspace, *, most_files: int
) -> list[Use]:
    """Return the lines of texts with the words of `name` that `is_use` accepts, given line and path.

    [] if more than `most_files` have all words: such a name says nothing.
    """
    found: list[Use] = []
    paths = list_files_with(name, workspace)
    for path in paths if len(paths) <= most_files else ():
        lines = enumerate(text_of_file(workspace, path).split("\n"), 1)
        found += [Use(path, number, line) for number, line in lines if is_use(line, path)]
    return found


def list_files_with(name: str, workspace: Workspace) -> list[str]:
    """Return the paths of texts that hold every word of a name."""
    words = [terms[-1] for terms in split_words(WORD.findall(name))]
    if not words:
        return []
    holding = workspace.index.postings_of(set(words)).values()
    ids = set.intersection(*(set(one) for one in holding))
    return sorted(path for path, document in workspace.index.documents.items() if document.id in ids)


def group_by_path(uses: Iterable[Use]) -> dict[str, list[Use]]:
    """Return the uses of each file."""
    by_path: dict[str, list[Use]] = {}
    for use in uses:
        by_path.setdefault(use.path, []).append(use)
    return by_path


def list_places(uses: Iterable[Use]) -> list[str]:
    """Return one line for each file, with the numbers of the lines: `shop/cart.py:3,14`."""
    return [
        f"{safe_text(path)}:{','.join(str(use.line) for use in mine)}"
        for path, mine in group_by_path(uses).items()
    ]


def show_uses(uses: Sequence[Use], most: int) -> list[str]:
    """Return each use as `path:line: text`; beyond `most` only their places, a line for each file."""
    shown = []
    for use in uses[:most]:
        text = use.text.strip()
        cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        shown.append(f"{safe_text(use.path)}:{use.line}: {cut}")
    return [*shown, *list_places(uses[most:])]


@attrs.frozen(eq=False, repr=False)
class NameUses:
    """Offer every place that uses a name, if a task renames or removes it or asks for its uses.

    A list of all places, one line for each file, and the files themselves.
    """

    name, wave = "uses", 1
    max_items: int = 40
    max_tokens: int = 4_000

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return the list of places for each name, and the files with most uses, code first."""
        items: list[ContextItem] = []
        files: dict[str, ContextItem] = {}
        place = find_change_place(task.text)
        holding = set(list_files_with(place.name, workspace)) if place and place.is_definition else set[str]()
        for name in find_names_to_change(task.text):
            word = compile_use(name)

            def is_use(line: str, _: str, word: re.Pattern[str] = word) -> bool:
                return word.search(line) is not None

            uses = find_uses(name, is_use, workspace, most_files=_MOST_FILES)
            ordered = order_paths(uses)
            near = {path for path in ordered if path in holding or (place and place.is_in(path, ()))}
            ordered.sort(key=lambda path: path not in near)
            if not ordered or (is_plain_word(name, task.text) and not _is_name(ordered)):
                continue
            listed = len(near) or _LISTED
            spellings = _find_spellings(name, workspace, uses) if not near else []
            items.append(_list_item(name, uses, ordered, spellings, listed=max(listed, _FEW)))
            for path in ordered:
                files.setdefault(path, file_item(workspace, path, self.name))
        return [*items, *files.values()][: self.max_items]


def _is_name(paths: Sequence[str]) -> bool:
    """Return whether a word in these files may be a name: few have it, some of them code."""
    is_rare = len(paths) <= _MOST_OF_DATA or any(role_of(path) == "code" for path in paths)
    return is_rare and len(paths) <= _MOST_OF_WORD


def order_paths(uses: Sequence[Use]) -> list[str]:
    """Return the paths of uses, code first, and of these the ones with the most uses."""
    counts = Counter(use.path for use in uses)
    return sorted(counts, key=lambda path: (role_factor(path, _PLACES), -counts[path], path))


def _list_item(
    name: str,
    uses: Sequence[Use],
    ordered: Sequence[str],
    spellings: Sequence[Use],
    *,
    listed: int,
) -> ContextItem:
    """Return the list of places in the first files that use a name, and of those with another spelling."""
    by_path = group_by_path(uses)
    many, files = format_count(len(uses), "line"), format_count(len(ordered), "file")
    lines = [f"{safe_text(name)} is on {many} of {files}:"]
    lines += [line for path in ordered[:listed] for line in list_places(by_path[path])]
    if left := ordered[listed:]:
        lines.append(f"and in {format_count(len(left), 'more file')}")
    if spellings:
        lines += ["in other spellings, or within other names:", *list_places(spellings)[:_LISTED]]
    text = "".join(f"{line}\n" for line in lines)
    return ContextItem(f"uses:{name}", "uses", "uses", f"uses of {safe_text(name)}", text=text)


def _find_spellings(name: str, workspace: Workspace, uses: Sequence[Use]) -> list[Use]:
    """Return the lines with the words of a name in another form: `env_prefix`, `resolveEnvPrefix`."""
    plain = last_of(name).replace("-", "_").strip("_")
    words = [term for term in split_words([plain])[0] if term != plain.lower()]
    if len(words) < 2:
        return []
    form = re.compile(r"[-_. ]?".join(rf"{re.escape(word)}s?" for word in words), re.IGNORECASE)
    known = {(use.path, use.line) for use in uses}

    def is_use(line: str, _: str) -> bool:
        return form.search(line) is not None

    found = find_uses(" ".join(words), is_use, workspace, most_files=_MOST_FILES)
    return [use for use in found if (use.path, use.line) not in known and role_of(use.path) != "changes"]
