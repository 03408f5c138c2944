"""Find each item's representer and split the item, or read its parts from the index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, islice, pairwise
from operator import add
from typing import TYPE_CHECKING, NamedTuple, cast

import attrs

from satchel.errors import Problem, WorkspaceError
from satchel.host import Loaded, PluginKind
from satchel.host.answers import check_parts
from satchel.host.calling import Call
from satchel.items import ContextItem
from satchel.packing.weighing import worth
from satchel.packing.weighing.worth import cut, sum_stretches
from satchel.parts import NO_LINES, Lines, Part, SplitItem, Stretch, Stretches, Symbol, lines_of
from satchel.patterns import lazily
from satchel.runs import WorkspaceRun
from satchel.tokens.counting import Counter
from satchel.workspace.index.documents import content_hash
from satchel.workspace.index.store import find_parts
from satchel.workspace.index.terms import place_terms, vocabulary, words_in

if TYPE_CHECKING:
    from satchel.interfaces import Representer
    from satchel.packing.shapes import Shape


_SIGIL_LINES = lazily(r"^(@@+)\d", re.MULTILINE)
_FENCES = lazily(r"`{3,}")
_NO_DATA = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
_ELEMENT = "<(?=/?(?i:item|pointer|context)[\\s/>]|!\\[(?i:cdata)\\[)"
NOT_XML = lazily(f"{_NO_DATA}|]]>|{_ELEMENT}")
"""Text that character data must not contain, or that a reader could take for our own elements."""
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\r")))
_SOLID = lazily(r"[^\s/]")
_MAX_REFS = 60


def piece(lines: Sequence[str], first: int, last: int) -> str:
    """Return lines `first` to `last`, counted from 1, each ended by a line feed."""
    return "\n".join(lines[first - 1 : last]) + "\n"


class _LineRanges:
    """Cuts ranges of lines from a text."""

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self._text = text if text.endswith("\n") or not text else f"{text}\n"
        self._begins = [*accumulate([len(line) + 1 for line in lines], initial=0)]

    def __call__(self, first: int, last: int) -> str:
        """Return lines `first` to `last` as `piece` does."""
        return self._text[self._begins[first - 1] : self._begins[last]]


def cover_lines(parts: Sequence[Part], count: int) -> list[Part]:
    """Make the parts of a representer cover lines 1 to `count` exactly.

    Overlaps and lines outside the text are removed; uncovered lines become blocks.
    """
    covered: list[Part] = []
    next_line = 1
    for part in sorted(parts, key=lambda part: part.lines):
        first, last = max(part.lines[0], next_line), min(part.lines[1], count)
        if last < first:
            continue
        if first > next_line:
            covered.append(Part("block", "", (next_line, first - 1)))
        head = _trim_to_lines(part.head, first, last)
        same = part.lines == (first, last) and part.head == head
        covered.append(part if same else part._replace(lines=(first, last), head=head))
        next_line = last + 1
    if next_line <= count:
        covered.append(Part("block", "", (next_line, count)))
    return covered


def _trim_to_lines(head: tuple[int, int], first: int, last: int) -> tuple[int, int]:
    return head if first <= head[0] <= head[1] <= last and head != (first, last) else NO_LINES


def _join_blank_parts(parts: Sequence[Part], lines: Sequence[str]) -> list[Part]:
    """Join parts of only white space and slashes to a neighbour, since they can share tokens with it."""
    solid: list[Part] = []
    before = False
    for part in parts:
        is_solid = any(_SOLID.search(line) for line in lines[part.lines[0] - 1 : part.lines[1]])
        if solid and not (before and is_solid):
            kept = part if is_solid else solid[-1]
            solid[-1] = kept._replace(lines=(solid[-1].lines[0], part.lines[1]))
        else:
            solid.append(part)
        before = before or is_solid
    return solid


class _SplitDraft(NamedTuple):
    """An item whose parts and stretches are found but not yet counted."""

    item: ContextItem
    sigil: str
    parts: Sequence[Part]
    terms: Mapping[str, Sequence[int]]
    """The positions of the terms."""
    lengths: tuple[int, ...]
    """Terms in each part."""
    shapes: Sequence[Shape]
    runs: Sequence[tuple[int, Lines]]
    """The part index and the lines of each stretch."""
    bodies: Sequence[str]
    """The text of each stretch."""
    fine: Mapping[int, str]
    """The terms of each stretch, by its index, if its part has several."""
    heads: Sequence[str]
    """The text of each head."""

    def marks(self) -> list[str]:
        """Return the mark line of each body, then of each head."""
        firsts = [run[0] for _, run in self.runs]
        firsts += [part.head[0] for part in self.parts if part.head != NO_LINES]
        return [f"{self.sigil}{first}\n" for first in firsts]


def finish(item: ContextItem, parts: Sequence[Part], counter: Counter) -> SplitItem:
    """Complete the parts of an item with ids and counts, and determine its fence and sigil."""
    return finish_all([(item, parts)], counter)[0]


def finish_all(answers: Sequence[tuple[ContextItem, Sequence[Part]]], counter: Counter) -> list[SplitItem]:
    """Do the work of `finish` for all items, with two calls of the tokenizer and each word split once."""
    drafts = [_draft_item(item, parts) for item, parts in answers]
    return list(map(_make_split, drafts, *_count_drafts(drafts, counter)))


def _draft_item(item: ContextItem, parts: Sequence[Part]) -> _SplitDraft:
    from satchel.packing.shapes import LineRun, shapes

    text = item.text or ""
    lines = lines_of(text)
    whole = _join_blank_parts(cover_lines(parts, len(lines)), lines)
    runs = [(at, run) for at, part in enumerate(whole) for run in cut(lines, part)]
    show = _LineRanges(text, lines)
    bodies = [show(*run) for _, run in runs]
    fine = list(map(words_in, bodies))
    words = _by_part([at for at, _ in runs], fine, len(whole))
    terms = vocabulary().knowing(words)
    several = {at for (at, _), (after, _) in pairwise(runs) if at == after}
    held = [LineRun(part.lines, show(*part.lines), mine) for part, mine in zip(whole, words, strict=True)]
    places, lengths = place_terms(words, terms)
    return _SplitDraft(
        item=item,
        sigil=_extend_mark(_SIGIL_LINES.findall(text) if "@@" in text else (), "@@"),
        parts=whole,
        terms=places,
        lengths=lengths,
        shapes=shapes(lines, held, item.path or item.title),
        runs=runs,
        bodies=bodies,
        fine={number: terms.join_terms(fine[number]) for number, (at, _) in enumerate(runs) if at in several},
        heads=[show(*part.head) for part in whole if part.head != NO_LINES],
    )


def _by_part(places: Sequence[int], words: Sequence[Sequence[str]], parts: int) -> list[list[str]]:
    """Return the words of each part, given the part of each run of words."""
    found: list[list[str]] = [[] for _ in range(parts)]
    for at, mine in zip(places, words, strict=True):
        found[at] += mine
    return found


def _count_drafts(
    drafts: Sequence[_SplitDraft], counter: Counter
) -> tuple[list[list[int]], list[list[int]], Iterator[list[int]]]:
    """Return the tokens of bodies and heads, of their mark lines, and of joined bodies, each by draft."""
    marks = [draft.marks() for draft in drafts]
    once = list(dict.fromkeys(chain.from_iterable(marks)))
    pieces = [text for draft in drafts for text in (*draft.bodies, *draft.heads)]
    counted = iter(counter.after_mark([*pieces, *once]))
    of_pieces = [list(islice(counted, len(mine))) for mine in marks]
    of_marks = dict(zip(once, counted, strict=True))
    each_mark = [[of_marks[mark] for mark in mine] for mine in marks]
    return of_pieces, each_mark, _count_adjacent(drafts, of_pieces, counter)


def _count_adjacent(
    drafts: Sequence[_SplitDraft], counts: Sequence[Sequence[int]], counter: Counter
) -> Iterator[list[int]]:
    """Yield for each draft the tokens of its bodies when each follows the one before it."""
    sizes = [len(draft.bodies) for draft in drafts]
    bodies = [body for draft in drafts for body in draft.bodies]
    after_mark = [count for mine, size in zip(counts, sizes, strict=True) for count in mine[:size]]
    joined = iter(counter.count_adjacent(bodies, after_mark, starts=set(accumulate(sizes, initial=0))))
    return (list(islice(joined, size)) for size in sizes)


def _make_split(
    draft: _SplitDraft, pieces: Sequence[int], marks: Sequence[int], joined: Sequence[int]
) -> SplitItem:
    text, size = draft.item.text or "", len(draft.bodies)
    of_heads = map(add, pieces[size:], marks[size:])
    rows = zip(draft.runs, pieces, joined, marks, strict=False)
    stretches = [Stretch(at, run, tokens, after, mark) for (at, run), tokens, after, mark in rows]
    return SplitItem(
        parts=tuple(_complete_parts(draft, sum_stretches(stretches), of_heads)),
        terms=draft.terms,
        lengths=draft.lengths,
        fence=_extend_mark(_FENCES.findall(text) if "```" in text else (), "```"),
        sigil=draft.sigil,
        plain=_is_plain(text),
        stretches=Stretches(tuple(map(stretches.__getitem__, draft.fine)), tuple(draft.fine.values())),
    )


def _is_plain(text: str) -> bool:
    """Return whether a text has no match of `NOT_XML`, without running the expression over it."""
    if text.isascii():
        data = text.encode("ascii")
        odd = len(data.translate(None, _CONTROLS)) < len(data)
    else:
        odd = re.search(_NO_DATA, text) is not None
    return not odd and "]]>" not in text and not ("<" in text and re.search(_ELEMENT, text))


def _complete_parts(draft: _SplitDraft, sums: Sequence[Stretch], of_heads: Iterator[int]) -> Iterator[Part]:
    """Yield the parts with their ids and counts."""
    item = draft.item
    for part, count, shape in zip(draft.parts, sums, draft.shapes, strict=True):
        yield Part(
            part.kind,
            part.name,
            part.lines,
            part.head,
            part.span,
            part.symbols,
            part.refs[:_MAX_REFS],
            f"{item.content}:{part.lines[0]}-{part.lines[1]}",
            item.id,
            item.path,
            count.tokens,
            count.joined_tokens,
            next(of_heads) if part.head != NO_LINES else 0,
            count.mark_tokens,
            *shape,
        )


def _extend_mark(found: Sequence[str], shortest: str) -> str:
    return shortest[0] * max(len(shortest), *(len(mark) + 1 for mark in found)) if found else shortest


def to_row(split: SplitItem) -> tuple[str, str]:
    """Serialize a split for the index: its parts as JSON, field by field, and its terms."""
    columns = [*zip(*split.parts, strict=True)] or [()] * len(Part._fields)
    kinds, names, lines, heads, spans, symbols, refs = columns[:7]
    listed = [*chain.from_iterable(symbols)]
    parts = {
        "kinds": kinds,
        "names": names,
        "ranges": [[*chain.from_iterable(ranges)] for ranges in (lines, heads, spans)],
        "symbols": [[*map(len, symbols)], [one.name for one in listed], [one.kind for one in listed]],
        "ranges of symbols": [
            [*chain.from_iterable(one.lines for one in listed)],
            [*chain.from_iterable(one.head for one in listed)],
        ],
        "refs": refs,
        "counts": columns[10:],
        "lengths": split.lengths,
        "look": [split.fence, split.sigil, split.plain],
    }
    return json.dumps(parts, separators=(",", ":")), json.dumps(dict(split.terms), separators=(",", ":"))


_make_part = cast("Callable[[tuple[object, ...]], Part]", partial(tuple.__new__, Part))
"""Makes a part of all its fields: a pack reads some thousand, and `Part` takes its arguments one by one."""
_make_symbol = cast("Callable[[tuple[object, ...]], Symbol]", partial(tuple.__new__, Symbol))


def from_row(item: ContextItem, parts: str, terms: str, stored: tuple[str, str] = ("", "")) -> SplitItem:
    """Return the split in a row of `to_row`, for an item with the same content; `stored` is its place."""
    read = json.loads(parts)
    lines, heads, spans = map(_pairs, read["ranges"])
    sizes, *names_and_kinds = read["symbols"]
    symbols = map(_make_symbol, zip(*names_and_kinds, *map(_pairs, read["ranges of symbols"]), strict=True))
    fields = zip(
        read["kinds"],
        read["names"],
        lines,
        heads,
        spans,
        [tuple(islice(symbols, size)) if size else () for size in sizes],
        map(tuple, read["refs"]),
        [f"{item.content}:{first}-{last}" for first, last in lines],
        [item.id] * len(lines),
        [item.path] * len(lines),
        *read["counts"],
        strict=True,
    )
    fence, sigil, plain = read["look"]
    return SplitItem(
        tuple(map(_make_part, fields)),
        json.loads(terms),
        tuple(read["lengths"]),
        fence,
        sigil,
        plain,
        stored=stored,
    )


def _pairs(numbers: Sequence[int]) -> list[Lines]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


_MOST_PARTS = 200_000
_FORM = 9
"""Change it whenever the same content would give different stored parts: counting, marks, redaction."""
_STRETCHES = "|stretches"
_BATCH = 64


class Claim(NamedTuple):
    """A representer, with its plugin record."""

    loaded: Loaded
    representer: Representer

    @property
    def key(self) -> str:
        """Return the key of its splits in the index."""
        return f"{self.loaded.full_name} {self.loaded.version} {self.representer.version}"


def split_all(run: WorkspaceRun, items: Sequence[ContextItem]) -> dict[str, SplitItem]:
    """Return the split of each item by id; unreadable items are left out and recorded as problems.

    Known parts are taken from the index; only new content is read and split.
    """
    claims = claims_of(run, [item for item in items if not item.note])
    splits = _load_splits(run, items, claims)
    fresh = [(item, claims[item.id]) for item in items if item.id in claims and item.id not in splits]
    for start in range(0, len(fresh), _BATCH):
        splits.update(_split_batch(run, fresh[start : start + _BATCH]))
    for id_, split in splits.items():
        run.workspace.terms.learn(id_, split)
    return splits


def split_new(
    run: WorkspaceRun, items: Sequence[ContextItem], names: Mapping[str, str]
) -> dict[str, SplitItem]:
    """Split items that are known not to be in the index, each with the representer of the given full name."""
    known = {claim.loaded.full_name: claim for claim in _representers(run, items)}
    fresh = [(item, known[names[item.id]]) for item in items if names[item.id] in known]
    splits = split_all(run, [item for item in items if names[item.id] not in known])
    for start in range(0, len(fresh), _BATCH):
        splits.update(_split_batch(run, fresh[start : start + _BATCH]))
    return splits


def unsplit(
    run: WorkspaceRun, items: Sequence[ContextItem], claims: Mapping[str, Claim]
) -> list[ContextItem]:
    """Return the claimed items whose parts are not in the index, each content once per representer."""
    keys = {claim.loaded.full_name: _key(run, claim) for claim in claims.values()}
    known = set(run.workspace.index.store.rows("SELECT content, key FROM parts"))
    fresh: dict[tuple[object, ...], ContextItem] = {}
    for item in items:
        if item.id in claims:
            fresh.setdefault((item.content, keys[claims[item.id].loaded.full_name]), item)
    return [item for place, item in fresh.items() if place not in known]


def claims_of(run: WorkspaceRun, items: Sequence[ContextItem]) -> Mapping[str, Claim]:
    """Return the representer with the highest claim for each item, ties by name."""
    best: dict[str, tuple[float, Claim]] = {}
    representers = _representers(run, items)
    asked = tuple(items)
    calls = [
        Call(
            one.loaded,
            partial(_claims_of, one.representer),
            (asked,),
            "split",
            lend=not one.loaded.trusted,
            here=one.loaded.trusted,
        )
        for one in representers
    ]
    for one, answer in zip(representers, run.host.calls.call_all(calls), strict=True):
        if isinstance(answer, Problem):
            continue
        for item, claim in zip(items, answer, strict=True):
            if claim > best.get(item.id, (0.0, one))[0]:
                best[item.id] = (claim, one)
    return {id_: one for id_, (_, one) in best.items()}


def _representers(run: WorkspaceRun, items: Sequence[ContextItem]) -> list[Claim]:
    """Return the representers for the kinds of these items."""
    return [
        Claim(loaded, made) for loaded, made in run.all(PluginKind.REPRESENTER, {item.kind for item in items})
    ]


def _claims_of(representer: Representer, items: Sequence[ContextItem]) -> list[float]:
    claims = [float(representer.claims(item)) for item in items]
    return [claim if 0 <= claim <= 1 else 0.0 for claim in claims]


def _key(run: WorkspaceRun, claim: Claim) -> str:
    return f"{claim.key}|{run.counter.key}|{_FORM}"


def _load_splits(
    run: WorkspaceRun, items: Sequence[ContextItem], claims: Mapping[str, Claim]
) -> dict[str, SplitItem]:
    """Return the splits of the claimed items that are known, by item id, in the order of the items."""
    keys = {claim.loaded.full_name: _key(run, claim) for claim in claims.values()}
    splits: dict[str, SplitItem | None] = {}
    wanted: dict[str, list[ContextItem]] = {}
    for item in items:
        if item.id in claims and item.content:
            key = keys[claims[item.id].loaded.full_name]
            known = run.workspace.terms.last_split(item.id)
            splits[item.id] = known if known is not None and known.stored == (item.content, key) else None
            if splits[item.id] is None:
                wanted.setdefault(key, []).append(item)
    for key, missing in wanted.items():
        rows = find_parts(run.workspace.index.store, key, [item.content for item in missing])
        for item in missing:
            if item.content in rows:
                splits[item.id] = from_row(item, *rows[item.content], (item.content, key))
    return {id_: split for id_, split in splits.items() if split is not None}


def stretches_of(run: WorkspaceRun, split: SplitItem) -> Stretches:
    """Return the stretches of an item's long parts, from the index if they are stored there."""
    if split.stretches is not None:
        return split.stretches
    return run.workspace.terms.of_split(split, "stretches", partial(_read_stretches, run))


def _read_stretches(run: WorkspaceRun, split: SplitItem) -> Stretches:
    content, key = split.stored
    query = "SELECT parts, terms FROM parts WHERE content = ? AND key = ?"
    rows = run.workspace.index.store.rows(query, (content, key + _STRETCHES))
    return worth.from_row(str(rows[0][0]), str(rows[0][1])) if rows else Stretches((), ())


def _split_batch(run: WorkspaceRun, fresh: Sequence[tuple[ContextItem, Claim]]) -> dict[str, SplitItem]:
    loaded = [(loaded, claim) for item, claim in fresh if (loaded := _with_text(run, item)) is not None]
    calls = [
        Call(
            claim.loaded,
            claim.representer.split,
            (item,),
            "split",
            _MOST_PARTS,
            partial(check_parts, text=item.text or ""),
            lend=not claim.loaded.trusted,
        )
        for item, claim in loaded
    ]
    answers = run.host.calls.call_all(calls)
    found = [
        (item, _split_again(run, item, claim) if isinstance(answer, Problem) else answer)
        for (item, claim), answer in zip(loaded, answers, strict=True)
    ]
    splits: dict[str, SplitItem] = {}
    rows = []
    finished = finish_all(found, run.counter)
    for (item, claim), answer, split in zip(loaded, answers, finished, strict=True):
        splits[item.id] = split
        if not isinstance(answer, Problem):
            rows += _index_rows(item.content, _key(run, claim), split)
    insert = "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)"
    run.workspace.index.store.remember(lambda connection: connection.executemany(insert, rows))
    return splits


def _index_rows(content: str, key: str, split: SplitItem) -> list[tuple[str, ...]]:
    """Return the index rows of a split: the parts, and their stretches if there are any."""
    rows: list[tuple[str, ...]] = [(content, key, *to_row(split))]
    if split.stretches is not None and split.stretches.rows:
        rows.append((content, key + _STRETCHES, *worth.to_row(split.stretches)))
    return rows


def _with_text(run: WorkspaceRun, item: ContextItem) -> ContextItem | None:
    """Return the item with its text and hash, None if the file can no longer be read."""
    text = item.text
    if text is None:
        try:
            text = run.workspace.texts.read_ahead(item.path)
        except WorkspaceError as error:
            run.workspace.problems.append(Problem(item.path, "read", str(error)))
            return None
    content = item.content or content_hash(text.encode("utf-8", "replace"))
    return attrs.evolve(item, text=text, content=content)


def _split_again(run: WorkspaceRun, item: ContextItem, failed: Claim) -> Sequence[Part]:
    """Split an item whose representer failed, with the other representer that claims it most."""
    others = [one for one in _representers(run, [item]) if one.loaded.full_name != failed.loaded.full_name]
    claims = [
        run.host.calls.call(one.loaded, partial(_claims_of, one.representer), (item,), stage="split")
        for one in others
    ]
    able = [
        (claim[0], one) for one, claim in zip(others, claims, strict=True) if not isinstance(claim, Problem)
    ]
    for claim, one in sorted(able, key=lambda pair: -pair[0]):
        if claim > 0:
            check = partial(check_parts, text=item.text or "")
            answer = run.host.calls.call_all(
                [Call(one.loaded, one.representer.split, (item,), "split", _MOST_PARTS, check)]
            )[0]
            if not isinstance(answer, Problem):
                return cast("Sequence[Part]", answer)
    return ()
