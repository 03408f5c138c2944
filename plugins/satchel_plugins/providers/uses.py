"""The lines of a workspace in which something is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.plugin_api import WORD, WorkspaceError, safe_text, split_words

if TYPE_CHECKING:
    from satchel.plugin_api import Workspace


class Use(NamedTuple):
    """A line that names something."""

    path: str
    line: int
    text: str


def find_uses(
    name: str, is_use: Callable[[str, str], bool], workspace: Workspace, *, most_files: int
) -> list[Use]:
    """Return the lines of texts with the words of `name` for which `is_use` says so of line and path.

    None if more than `most_files` have all words: such a name says nothing.
    """
    found: list[Use] = []
    paths = list_files_with(name, workspace)
    for path in paths if len(paths) <= most_files else ():
        document = workspace.files.document(path)
        if document is None or document.kind != "text":
            continue
        try:
            text = workspace.texts.read(path)
        except WorkspaceError:  # it is gone since it was listed, so it names nothing any more
            continue
        lines = enumerate(text.split("\n"), 1)
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


def list_places(uses: Iterable[Use]) -> list[str]:
    """Return one line for each file, with the numbers of the lines: `shop/cart.py:3,14`."""
    numbers: dict[str, list[str]] = {}
    for use in uses:
        numbers.setdefault(safe_text(use.path), []).append(str(use.line))
    return [f"{path}:{','.join(mine)}" for path, mine in numbers.items()]


def show_uses(uses: Sequence[Use], most: int, *, longest: int = 120) -> list[str]:
    """Return each use as `path:line: text`; beyond `most` only their places, a line for each file."""
    shown = []
    for use in uses[:most]:
        text = use.text.strip()
        cut = text if len(text) <= longest else f"{text[:longest]}..."
        shown.append(f"{safe_text(use.path)}:{use.line}: {cut}")
    return [*shown, *list_places(uses[most:])]
