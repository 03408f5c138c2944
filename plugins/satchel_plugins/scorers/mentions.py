"""Score the parts that the task or an error names: paths, frames, symbols, lines, quoted texts, changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import attrs

from satchel.plugin_api import Part, Task, Workspace, WorkspaceError, find_commits, find_frames, lazily
from satchel_plugins.scorers.wording import emphasize, text_of

if TYPE_CHECKING:
    from satchel.plugin_api import Part, Task, Workspace

_LONGEST_TASK = 1_000_000


def depths_of(task: Task) -> dict[str, int]:
    """Return for each written frame of the workspace how many others are further in."""
    return {text: depth for text, (depth, _) in _list_places(task).items()}


def file_depths_of(task: Task) -> dict[str, int]:
    """Return for each written frame of the workspace how many files are further in."""
    return {text: files for text, (_, files) in _list_places(task).items()}


def _list_places(task: Task) -> dict[str, tuple[int, int]]:
    """Return for each frame the numbers of frames and files further in, the least of several tracebacks."""
    paths = {ref.text: ref.path for ref in task.references if ref.lines[0]}
    places: dict[str, tuple[int, int]] = {}
    frames: dict[int, int] = {}
    files: dict[int, dict[str, int]] = {}
    for frame in find_frames(task.text[:_LONGEST_TASK]) if paths else ():
        if frame.text in paths:
            depth = frames[frame.trace] = frames.get(frame.trace, -1) + 1
            seen = files.setdefault(frame.trace, {})
            place = (depth, seen.setdefault(paths[frame.text], len(seen)))
            places[frame.text] = min(place, places.get(frame.text, place))
    return places


@attrs.frozen(eq=False, repr=False)
class Paths:
    """Give 1 to a file that the task or an editor names, and a little to its neighbours in the folder.

    Files named only by frames of a traceback have less the further they are from the error.
    """

    name, kinds, grain = "paths", frozenset({"*"}), "item"
    weight: float = 0.8
    neighbour: float = 0.15
    """Score of a neighbour."""
    caller: float = 1.0
    """How much less a file counts for each file of its traceback nearer to the error."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        depths = file_depths_of(task)
        named: dict[str, float] = {}
        for ref in (*task.references, *task.pins, *task.open_files):
            if ref.path:
                worth = 1 / (1 + self.caller * depths.get(ref.text, 0))
                named[ref.path] = max(worth, named.get(ref.path, 0.0))
        if not named:
            return [0.0] * len(parts)
        folders = {path.rpartition("/")[0] for path in named}
        return [self._score(part.path, named, folders) for part in parts]

    def _score(self, path: str, named: Mapping[str, float], folders: Collection[str]) -> float:
        beside = self.neighbour if path.rpartition("/")[0] in folders else 0.0
        return max(named.get(path, 0.0), beside)

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return who names its file, or a file beside it."""
        for refs, told in (
            (task.pins, "is pinned"),
            (task.references, "is in a file that the task names"),
            (task.open_files, "is in a file that is open in the editor"),
        ):
            if any(ref.path and ref.path == part.path for ref in refs):
                return told
        folder = part.path.rpartition("/")[0]
        beside = [ref.path for ref in task.references if ref.path and ref.path.rpartition("/")[0] == folder]
        return f"lies beside `{beside[0]}`, which the task names" if beside else ""


_SCOPE = lazily(
    r"\s*(?:(?P<area>[A-Za-z][\w./*-]*(?:, ?[\w./*-]+)*)(?:\((?P<inner>[\w./*, &-]+)\))?!?: "
    r"|\[(?P<bracket>[A-Za-z][\w./, -]*)\])"
)
_WORD = lazily(r"[a-z0-9-]+")
_KINDS = frozenset(
    "fix feat feature chore docs doc test tests refactor perf build ci style revert bugfix hotfix add remove"  # noqa: SIM905
    " update improve deps release wip bug bot error warning exception note question issue request".split()
)
"""Words in that place that name no area, but the kind of a change or a report."""
_LONGEST = 120
"""Characters of a line that are read."""


def scope_of(line: str) -> frozenset[str]:
    """Return the words of the area in the first line of a task or of a commit message."""
    match = _SCOPE.match(line[:_LONGEST])
    if match is None:
        return frozenset()
    area = match["inner"] or match["area"] or match["bracket"]
    words = frozenset(_WORD.findall(area.lower().replace("_", "-")))
    return frozenset() if words <= _KINDS else words


@attrs.frozen(eq=False, repr=False)
class Scopes:
    """Give 1 to files whose name or folder is the area, and a share by past commits to others.

    That is the folder's share, with its subfolders, of the changes in commits for the same area, divided by
    the largest: the words `rt` and `runtime` alone show no likeness. Each word of an area counts.
    """

    name, kinds, grain = "scopes", frozenset({"file"}), "item"
    weight: float = 1.8
    largest: int = 30
    """Commits of more files are skipped."""
    halving: int = 10
    """Number of later commits for the area after which a commit counts half."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part, all 0 if the first line names no area."""
        scope = scope_of(task.text.lstrip().partition("\n")[0])
        if not scope:
            return [0.0] * len(parts)
        shares = self._shares(scope, workspace)
        scores = {
            path: max(len(scope & _names(path)) / len(scope), shares.get(path.rpartition("/")[0], 0.0))
            for path in {part.path for part in parts}
        }
        return [scores[part.path] for part in parts]

    def _shares(self, scope: frozenset[str], workspace: Workspace) -> Mapping[str, float]:
        """Return for each folder its share, with its subfolders, of the changes in commits for the scope."""
        commits = [commit for commit in workspace.history.commits() if 0 < len(commit.paths) <= self.largest]
        alike = [commit.paths for commit in commits if scope_of(commit.subject) == scope]
        shares: dict[str, float] = {}
        for age, paths in enumerate(alike):
            weight = 0.5 ** (age / max(self.halving, 1)) / len(paths)
            for path in paths:
                for folder in _folders(path):
                    shares[folder] = shares.get(folder, 0.0) + weight
        most = max(shares.values(), default=1.0)
        return {folder: share / most for folder, share in shares.items()}

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return the area of the task that it belongs to."""
        scope = scope_of(task.text.lstrip().partition("\n")[0])
        if found := sorted(scope & _names(part.path)):
            return f"lies in {emphasize(found)}, the area that the task names"
        folder = part.path.rpartition("/")[0]
        return f"commits for {emphasize(sorted(scope))} changed its folder" if scope and folder else ""


def _names(path: str) -> frozenset[str]:
    """Return the names in a path: its folders, and its file without suffixes."""
    *folders, name = path.lower().replace("_", "-").split("/")
    return frozenset((*folders, name.partition(".")[0]))


def _folders(path: str) -> Iterator[str]:
    while folder := path.rpartition("/")[0]:
        yield folder
        path = folder


_PLACE = lazily(r"(.+):(\d{1,7})(?:-(\d{1,7}))?")
_MOST_STRINGS = 12
_MOST_READ = 12
"""Most files that are searched for a quoted string."""
_FEW = 3
"""Most files that may define a name in the task: with more, hardly each of them is meant."""
_COMMON = 5
"""A string in more parts says less about each."""


@attrs.frozen(eq=False, repr=False)
class Mentions:
    """Give 1 to a part whose lines or qualified name the task gives, less for weaker hints.

    In a traceback, the innermost frame in the workspace counts whole, its callers less and less. Lines
    that a gathered failure points at count, too.
    """

    name, kinds, grain = "mentions", frozenset({"*"}), "part"
    weight: float = 0.74
    last_name: float = 0.7
    """Score where `run` is named and the part is `Server.run`."""
    caller: float = 0.25
    """A frame's score is 1 / (1 + this times its distance from the innermost one)."""
    failure: float = 0.9
    """Score of the first failure of a report, and of the first place that it points at."""
    string: float = 0.9
    """Score of a part with a quoted string, word for word."""
    words: float = 0.3
    """Score of a part with all words of a quoted string."""
    number: float = 0.4
    """Score of a file touched by a commit whose message mentions a number in the task."""

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return 0..1 for each part."""
        failures = list(self._failures(parts))
        pointed = self._find_pointed(failures, task)
        touched = self._find_touched(task, workspace)
        strings = self._score_quoted(parts, task, workspace)
        scores = self._score_named(parts, task, workspace)
        if not (failures or pointed or touched or strings):
            return scores
        told = {(part.item, part.lines): worth for part, worth in failures}
        return [
            max(
                score,
                max(
                    (worth for lines, worth in pointed.get(part.path, ()) if _overlap(part, lines)),
                    default=0.0,
                ),
                touched.get(part.path, 0.0),
                strings.get(at, 0.0),
                told.get((part.item, part.lines), 0.0),
            )
            for at, (part, score) in enumerate(zip(parts, scores, strict=True))
        ]

    def _score_named(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> list[float]:
        """Score parts by their names; a symbol with a file counts in that file alone.

        Of a name that many files define, the definition in the file that fits the rest of the task counts.
        """
        symbols = {(ref.path, ref.name) for ref in task.references if ref.kind == "symbol" and ref.name}
        if not symbols:
            return [0.0] * len(parts)
        last_names = {(path, name.rpartition(".")[2]) for path, name in symbols}
        asked = {name for _, name in last_names}
        own = [one for item in workspace.terms.of_items(parts, names_of) for one in item]
        scores = [
            0.0 if asked.isdisjoint(last) else self._fit(part.path, (names, symbols), (last, last_names))
            for part, (names, last) in zip(parts, own, strict=True)
        ]
        plain = {name for path, name in symbols if not path and "." not in name}
        common = find_common((part.item for part in parts), (last for _, last in own), plain)
        if not common:
            return scores
        telling = asked - common
        doubtful = [
            score > 0 and telling.isdisjoint(last) for score, (_, last) in zip(scores, own, strict=True)
        ]
        ranking = workspace.ranking.files(task)
        fits = {
            part.path: ranking.body.get(part.path, 0.0) + ranking.path.get(part.path, 0.0)
            for part, is_doubtful in zip(parts, doubtful, strict=True)
            if is_doubtful
        }
        best = max(fits.values(), default=0.0) or 1.0
        return [
            score * fits[part.path] / best if is_doubtful else score
            for score, part, is_doubtful in zip(scores, parts, doubtful, strict=True)
        ]

    def _fit(self, path: str, *pairs: tuple[Set[str], Set[tuple[str, str]]]) -> float:
        """Return 1 if a whole name is among the symbols, less for a last name, given both pairs."""
        fits = (
            any((place, name) in symbols for name in names for place in ("", path))
            for names, symbols in pairs
        )
        return next((worth for worth, fit in zip((1.0, self.last_name), fits, strict=True) if fit), 0.0)

    def _find_pointed(
        self, failures: Sequence[tuple[Part, float]], task: Task
    ) -> dict[str, list[tuple[tuple[int, int], float]]]:
        """Return the lines of each file that are pointed at, with their worths."""
        depths = depths_of(task)
        pointed: dict[str, list[tuple[tuple[int, int], float]]] = {}
        for ref in (*task.references, *task.open_files):
            if ref.lines[0]:
                worth = 1 / (1 + self.caller * depths.get(ref.text, 0))
                pointed.setdefault(ref.path, []).append((ref.lines, worth))
        for part, worth in failures:
            for at, (path, lines) in enumerate(_places(part)):
                pointed.setdefault(path, []).append((lines, worth / (1 + self.caller * at)))
        return pointed

    def _failures(self, parts: Sequence[Part]) -> Iterator[tuple[Part, float]]:
        """Yield the gathered failures and their worths, the first of each report the highest."""
        ranks: dict[str, int] = {}
        for part in parts:
            if part.kind == "failure":
                rank = ranks[part.item] = ranks.get(part.item, -1) + 1
                yield part, self.failure / (1 + 0.1 * rank)

    def _find_touched(self, task: Task, workspace: Workspace) -> dict[str, float]:
        numbers = [ref.name for ref in task.references if ref.kind == "number"][:10]
        touched: dict[str, float] = {}
        for number in numbers:
            for commit in find_commits(workspace.history.commits(), number)[:20]:
                worth = self.number / max(1.0, len(commit.paths) / 3) ** 0.5
                for path in commit.paths:
                    touched[path] = max(touched.get(path, 0.0), worth)
        return touched

    def _score_quoted(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> dict[int, float]:
        """Score parts by quoted strings; the index shows which hold their words, few of them are read."""
        strings = [ref.text for ref in task.references if ref.kind == "string"][:_MOST_STRINGS]
        scores: dict[int, float] = {}
        read: dict[str, list[str]] = {}
        for string in strings:
            found = {}
            for at in _holding(parts, string, workspace):
                verbatim = _stands_in(parts[at], string, workspace, read)
                found[at] = self.string if verbatim else self.words
            exact = sum(worth == self.string for worth in found.values())
            for at, worth in found.items():
                common = min(1.0, _COMMON / max(exact if worth == self.string else len(found), 1))
                scores[at] = max(scores.get(at, 0.0), worth * common)
        return scores

    def reason(self, part: Part, parts: Sequence[Part], task: Task, workspace: Workspace) -> str:
        """Return how the task refers to it: by name, a line, a quoted text, the number of a change."""
        names, lasts = names_of([part])[0]
        for ref in task.references:
            if ref.kind == "symbol" and ref.name and ref.path in ("", part.path):
                if ref.name in names:
                    return "is named in the task"
                if ref.name.rpartition(".")[2] in lasts:
                    return f"is called `{ref.name.rpartition('.')[2]}`, a name in the task"
        for ref in (*task.references, *task.open_files):
            if ref.path == part.path and ref.lines[0] and _overlap(part, ref.lines):
                line = max(ref.lines[0], part.lines[0])
                return f"has line {line}, which the task points at"
        text = text_of(part, workspace)
        for ref in task.references:
            if ref.kind == "string" and ref.text and ref.text in text:
                return f"holds the text *{ref.text[:60]}*"
        touched = self._find_touched(task, workspace) if part.path else {}
        return "was touched by a commit about a number in the task" if part.path in touched else ""


def find_common(items: Iterable[str], lasts: Iterable[Set[str]], asked: Set[str]) -> set[str]:
    """Return the names of the task that more than three items define, given each part's names."""
    places: dict[str, set[str]] = {}
    for item, last in zip(items, lasts, strict=True):
        for name in last & asked if not asked.isdisjoint(last) else ():
            places.setdefault(name, set()).add(item)
    return {name for name, held in places.items() if len(held) > _FEW}


def names_of(parts: Sequence[Part]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return the names that each part defines, qualified and unqualified."""
    own = [{part.name, *(symbol.name for symbol in part.symbols)} - {""} for part in parts]
    return [(frozenset(names), frozenset(name.rpartition(".")[2] for name in names)) for names in own]


def _places(part: Part) -> Iterator[tuple[str, tuple[int, int]]]:
    for ref in part.refs:
        if place := _PLACE.fullmatch(ref):
            yield place[1], (int(place[2]), int(place[3] or place[2]))


def _overlap(part: Part, lines: tuple[int, int]) -> bool:
    return lines[0] <= part.lines[1] and part.lines[0] <= lines[1]


def _holding(parts: Sequence[Part], string: str, workspace: Workspace) -> list[int]:
    """Return the parts that hold every term of a string, [] if it has no term."""
    from satchel.plugin_api import count_text_terms

    terms = list(count_text_terms(string))
    if not terms:
        return []
    held = workspace.terms.term_counts(parts, terms)
    return [at for at, counts in enumerate(held) if len(counts) == len(terms)]


def _stands_in(part: Part, string: str, workspace: Workspace, read: dict[str, list[str]]) -> bool:
    """Return whether a part of a file has a string, reading at most twelve files."""
    if part.item != f"file:{part.path}":
        return False
    if part.path not in read:
        if len(read) >= _MOST_READ:
            return False
        try:
            read[part.path] = workspace.texts.read(part.path).split("\n")
        except (OSError, WorkspaceError):  # gone since it was listed: it holds nothing
            read[part.path] = []
    return string in "\n".join(read[part.path][part.lines[0] - 1 : part.lines[1]])
