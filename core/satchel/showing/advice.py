"""Advice about a window: warnings, and a command for each recommendation, tried to measure its savings."""

from __future__ import annotations

import shlex
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import SatchelError
from satchel.patterns import lazily
from satchel.showing.anatomy import Anatomy, Repeat, WindowPiece
from satchel.spelling import format_count
from satchel.view.tables import clip_text

if TYPE_CHECKING:
    from satchel.config import Config
    from satchel.conversation.counting import Counts
    from satchel.host import Host
    from satchel.messages import Conversation
    from satchel.tokens.models import Model


FULL, FILLING = 0.95, 0.85
"""Shares of the window from which to warn."""
_MUCH = 0.05
"""Share of the tokens from which something is worth a recommendation."""
_LARGE = 2_000
"""Tokens of an output that is worth squeezing, and the size to squeeze it to."""
_MOST_OUTPUTS, _MOST_REPEATS, _MOST_TOOLS = 5, 3, 5
_MUCH_OF_A_PACK, _SPENT = 0.25, 0.97
_NAMED = ("pointer", "headers")
"""Levels that show little of a file."""
_LONGEST_TASK = 120
"""Characters of a task that a command quotes."""
_LONGEST_PATH, _LONGEST_WHAT = 40, 80
_NEEDS_SHELL = lazily(r"[|&;<>()`#\\]|^\s*(?:\w+=|(?:cd|source|export|set|eval|\.)\s)")
_SESSION = "session "


class Advice(NamedTuple):
    """One recommendation."""

    what: str
    command: str = ""
    """The command for it, "" for a warning."""
    saves: int = 0
    """Tokens that it saves, as measured; 0 if unknown."""


class Trials(NamedTuple):
    """Tries a recommendation, so that its savings are measured."""

    compact: Callable[[int], int]
    """Compacts to this many tokens; returns the tokens of the outcome, 0 if that is impossible."""
    squeeze: Callable[[WindowPiece, int], int]
    """Squeezes an output to this many tokens; returns those of the outcome."""


def advise(anatomy: Anatomy, source: str = "", trials: Trials | None = None) -> list[Advice]:
    """Return warnings and recommendations, the most urgent first.

    Args:
        anatomy: the window.
        source: the window's source in a command: a file, "" for stdin, or the result of `name_session`.
        trials: tries each of them out; without it no savings are shown.
    """
    if anatomy.source == "pack":
        return _advise_pack(anatomy)
    return [
        *_advise_compaction(anatomy, source, trials),
        *_shorten_outputs(anatomy, source, trials),
        *_drop_tools(anatomy),
    ]


def say_nothing(anatomy: Anatomy) -> Advice:
    """Return the advice for a window that needs no change."""
    free = f"{max(0, anatomy.window - anatomy.total):,} tokens are free, and " if anatomy.window else ""
    return Advice(f"nothing to do: {free}nothing large is repeated")


def shorten_path(path: str, most: int = _LONGEST_PATH) -> str:
    """Return a path, or the end of one longer than `most` characters: its end identifies it."""
    if len(path) <= most:
        return path
    end = path[-(most - 1) :]
    at = end.find("/")
    return f"…{end[at:] if 0 <= at < len(end) - 1 else end}"


def _advise_compaction(anatomy: Anatomy, source: str, trials: Trials | None) -> list[Advice]:
    """Return the effect of a compaction: to half of a filling window, or without repeated content."""
    share = anatomy.total / anatomy.window if anatomy.window else 0.0
    repeats = [
        one for one in anatomy.repeats if one.tokens - one.tokens // one.times >= _MUCH * anatomy.total
    ]
    copies = _find_copies(anatomy)
    twice = [*map(_describe_repeat, repeats[:_MOST_REPEATS]), *(what for what, _ in copies)]
    spare = sum(one.tokens - one.tokens // one.times for one in repeats) + sum(more for _, more in copies)
    found = []
    if share >= FILLING:
        how = "holds more than fits" if share > 1 else "is full" if share >= FULL else "is filling up"
        what = f"the window {how}: {anatomy.total:,} of {anatomy.window:,} tokens"
        found.append(_compact(what, anatomy, anatomy.window // 2, source, trials))
    if twice:
        target = max(1, anatomy.total - spare)
        found.append(_compact("; ".join(twice), anatomy, target, source, trials))
    return found


def _describe_repeat(repeat: Repeat) -> str:
    return (
        f"{shorten_path(repeat.path)} was read {repeat.times} times: {repeat.tokens:,} tokens of the window"
    )


def _find_copies(anatomy: Anatomy) -> list[tuple[str, int]]:
    """Return the outputs that are repeated in the window, each with its superfluous tokens."""
    same: dict[str, list[WindowPiece]] = defaultdict(list)
    for piece in anatomy.pieces:
        if piece.section == "results" and piece.blocks[0].text:
            same[piece.blocks[0].text].append(piece)
    found = []
    for pieces in same.values():
        again = sum(piece.tokens for piece in pieces[1:])
        if again >= _MUCH * anatomy.total:
            tokens = again + pieces[0].tokens
            found.append((f"{pieces[0].what} is there {len(pieces)} times: {tokens:,} tokens", again))
    return sorted(found, key=lambda one: -one[1])[:_MOST_REPEATS]


def _compact(what: str, anatomy: Anatomy, target: int, source: str, trials: Trials | None) -> Advice:
    left = trials.compact(target) if trials is not None else 0
    saves = max(0, anatomy.total - left) if left else 0
    return compact_to(target, what, source, saves, unit=anatomy.unit)


def name_session(name: str, store: str | None = None) -> str:
    """Return the source of a session's window for a command."""
    kept = f" --store {shlex.quote(store)}" if store else ""
    return f"{_SESSION}--session {shlex.quote(name)}{kept}"


def compact_to(tokens: int, what: str, source: str, saves: int, *, unit: str = "") -> Advice:
    """Return the advice to compact a source, as `advise` takes it, to `tokens` of a model."""
    budget = f"--budget {tokens}" + (f" --model {shlex.quote(unit)}" if unit else "")
    command = f"satchel compact {budget} < {shlex.quote(source or 'messages.json')}"
    if source.startswith(_SESSION):
        command = f"satchel session window {source.removeprefix(_SESSION)} {budget}"
    return Advice(what, command, saves)


def _shorten_outputs(anatomy: Anatomy, source: str, trials: Trials | None) -> list[Advice]:
    outputs = [piece for piece in anatomy.dearest if piece.section == "results" and piece.tokens >= _LARGE]
    if not outputs:
        return []
    together = sum(piece.tokens for piece in outputs)
    noun = "output takes" if len(outputs) == 1 else "outputs take"
    ran = next((piece for piece in outputs if piece.command.isprintable() and piece.command), None)
    longest = clip_text(outputs[0].what, _LONGEST_WHAT)
    if ran is None:
        what = f"{len(outputs)} long {noun} {together:,} tokens; the longest is {longest}"
        spare = sum(piece.tokens - _LARGE for piece in outputs)
        return [_compact(what, anatomy, max(1, anatomy.total - spare), source, trials)]
    tried = outputs[:_MOST_OUTPUTS] if trials is not None else []
    saves = sum(max(0, piece.tokens - trials.squeeze(piece, _LARGE)) for piece in tried) if trials else 0
    one = "the longest is" if ran is outputs[0] else "the longest of a command is"
    what = f"{len(outputs)} long {noun} {together:,} tokens; {one} {clip_text(ran.what, _LONGEST_WHAT)}"
    return [Advice(what, f"satchel run --budget {_LARGE} -- {_give_to_run(ran.command)}", saves)]


def _give_to_run(command: str) -> str:
    """Return a command after `satchel run --`, with a shell if it needs one."""
    return f"bash -c {shlex.quote(command)}" if _NEEDS_SHELL.search(command) else command


def _drop_tools(anatomy: Anatomy) -> list[Advice]:
    """Return the definitions of tools that take much of every request, uncalled ones first."""
    tools = [piece for piece in anatomy.dearest if piece.section == "tools"]
    tokens = sum(piece.tokens for piece in tools)
    if tokens < 2 * _MUCH * anatomy.total:
        return []
    idle = [piece for piece in tools if piece.what.removeprefix("tool ") not in anatomy.called]
    spare = sum(piece.tokens for piece in idle)
    what = f"the definitions of {len(tools)} tools take {tokens:,} tokens of every request"
    if not idle:
        return [Advice(f"{what}, most of it {_list_tools(tools)}; each of them was called")]
    return [
        Advice(f"{what}; {len(idle)} were never called, leave them out: {_list_tools(idle)}", saves=spare)
    ]


def _list_tools(tools: Sequence[WindowPiece]) -> str:
    names = [piece.what.removeprefix("tool ") for piece in tools]
    more = f" and {len(names) - _MOST_TOOLS} more" if len(names) > _MOST_TOOLS else ""
    return f"{', '.join(names[:_MOST_TOOLS])}{more}"


def _advise_pack(anatomy: Anatomy) -> list[Advice]:
    task = anatomy.task
    quoted = shlex.quote(task) if 0 < len(task) <= _LONGEST_TASK and task.isprintable() else "TASK"
    named = [piece for piece in anatomy.pieces if piece.level in _NAMED]
    found = []
    if anatomy.window and anatomy.total >= anatomy.window * _SPENT and named:
        what = (
            f"the budget is spent, and {format_count(len(named), 'item')} of the pack "
            f"{'is' if len(named) == 1 else 'are'} shown by name or outline only; a larger budget shows more"
        )
        found.append(Advice(what, f"satchel pack {quoted} --budget {2 * anatomy.window}"))
    largest = next((piece for piece in anatomy.dearest if piece.path), None)
    if largest is not None and largest.tokens > anatomy.total * _MUCH_OF_A_PACK:
        share = f"{largest.tokens / anatomy.total:.0%} of the pack"
        what = f"{shorten_path(largest.path)} alone is {share}; to see why:"
        budget = f" --budget {anatomy.window}" if anatomy.window else ""
        found.append(Advice(what, f"satchel why {shlex.quote(largest.path)} {quoted}{budget}"))
    return found


def make_trials(
    conversation: Conversation, counts: Counts, host: Host, config: Config, model: Model | None = None
) -> Trials:
    """Return trials of recommendations on a conversation, in tokens of a model if one is known."""
    compacts = partial(_try_compact, conversation, host, config, model)
    squeezes = partial(_try_squeeze, counts)
    if model is None:
        return Trials(compacts, squeezes)
    return Trials(
        compacts,
        lambda piece, budget: model.to_model_tokens(
            squeezes(piece._replace(tokens=model.countable(piece.tokens)), budget)
        ),
    )


def _try_compact(
    conversation: Conversation, host: Host, config: Config, model: Model | None, budget: int
) -> int:
    """Return the tokens of a conversation after compaction, 0 if it can't be compacted."""
    from satchel.compaction.compacting import compact
    from satchel.conversation import write

    with tempfile.TemporaryDirectory() as store:
        try:
            made = compact(
                write(conversation), budget=budget, store=store, model=model or "", host=host, config=config
            )
            return made.tokens
        except SatchelError:  # it can't keep to the budget: there is nothing to tell
            return 0


def _try_squeeze(counts: Counts, piece: WindowPiece, budget: int) -> int:
    """Return the tokens of an output after squeezing."""
    from satchel.output.squeezing import squeeze

    text = piece.blocks[0].text
    if not text:
        return piece.tokens
    with tempfile.TemporaryDirectory() as store:
        shorter = squeeze(text, command=piece.command, budget=budget, store=store).text
    return piece.tokens + counts.texts([shorter])[0] - counts.texts([text])[0]
