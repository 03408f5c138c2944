"""Thirteen properties of a compacted conversation; run with a number, it checks as many conversations."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats import read

from satchel import BudgetError, Host, compact
from satchel.compaction.pieces import GAP
from satchel.conversation import Counts, exchanges_of, find_spoken, flaws_of, repair, write
from satchel.plugin_api import BlockKind, Conversation, Message
from satchel.pointers import parse
from satchel.shared_archive import open_archive

WORDS = [
    "fix",
    "src/app.py",
    "load_user",
    "KeyError",
    "the",
    "4711",
    "token",
    "tests/test_io.py",
    "maybe",
    "MAX_SIZE",
]
FORMS = ("openai", "anthropic", "responses", "ollama")


class Kept:
    """The plugins, made once."""

    def __init__(self) -> None:
        self.host = Host.installed(deadline_seconds=None)
        from satchel_plugins.tokenizers import OfflineTokenizer

        self.tokenizer = OfflineTokenizer()


def text(rng: random.Random, most: int) -> str:
    """Make some lines of words."""
    lines = [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(rng.randint(1, most))]
    return "\n".join(lines)


def steps(rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Yield what happens in a conversation: who says something, which calls are made."""
    for number in range(rng.randint(1, 24)):
        if rng.random() < 0.3:
            yield "user", text(rng, 30)
        else:
            calls = rng.choice((0, 1, 1, 2, 3))
            said = text(rng, 4) if not calls or rng.random() < 0.5 else ""
            yield "assistant", (said, [(f"c{number}-{k}", *call(rng)) for k in range(calls)])
        if rng.random() < 0.2:
            yield "assistant", (text(rng, 6), [])


def call(rng: random.Random) -> tuple[str, dict[str, Any], str]:
    """Make a call: its tool, its arguments, its result."""
    name, path = rng.choice(("run", "run", "Read", "Edit", "TodoWrite")), rng.choice(("a.py", "b.py"))
    if name == "TodoWrite":
        states = ("pending", "in_progress", "completed")
        todos = [{"content": text(rng, 1), "status": rng.choice(states)} for _ in range(rng.randint(1, 4))]
        return name, {"todos": todos}, "noted"
    if name == "Edit":
        return name, {"file_path": path, "old_string": text(rng, 6), "new_string": text(rng, 6)}, "done"
    if name == "Read":
        return name, {"file_path": path}, text(rng, 80)
    return name, {"path": path, "body": text(rng, 20)}, text(rng, 60)


def conversation(rng: random.Random, form: str) -> Any:
    """Write a conversation in a format."""
    events = [("user", text(rng, 6)), *steps(rng)]
    items: list[Any] = []
    if form in ("openai", "ollama") and rng.random() < 0.8:
        items.append({"role": "system", "content": text(rng, 3)})
    for who, what in events:
        if who == "user":
            items.append({"role": "user", "content": _wrap(what) if form == "anthropic" else what})
        else:
            items.extend(_ANSWERS[form](*what))
    if form == "anthropic":
        return {"system": text(rng, 3), "messages": items}
    return {"instructions": "be short", "input": items} if form == "responses" else items


def _wrap(said: str) -> Any:
    """Return what a person typed as an agent sends it: behind a note, before a reminder, or bare."""
    note = {"type": "text", "text": "[Request interrupted by user]"}
    reminder = {"type": "text", "text": f"<system-reminder>\n{said[:40]}\n</system-reminder>"}
    typed = {"type": "text", "text": said}
    return [[note, typed], [typed, reminder], said, said][len(said) % 4]


def _openai(said: str, made: list[Any]) -> list[Any]:
    calls = [
        {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
        for i, n, a, _ in made
    ]
    first = {"role": "assistant", "content": said or None, **({"tool_calls": calls} if calls else {})}
    return [first, *({"role": "tool", "tool_call_id": i, "content": r} for i, _, _, r in made)]


def _ollama(said: str, made: list[Any]) -> list[Any]:
    calls = [{"function": {"name": n, "arguments": a}} for _, n, a, _ in made]
    first = {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}
    return [first, *({"role": "tool", "tool_name": n, "content": r} for _, n, _, r in made)]


def _anthropic(said: str, made: list[Any]) -> list[Any]:
    use = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a, _ in made]
    thought = {"type": "thinking", "thinking": f"what to say: {said}", "signature": "s"}
    blocks = [*([{"type": "text", "text": said}] if said else []), *use]
    blocks = [thought, *blocks] if len(said) % 3 else blocks
    results = [{"type": "tool_result", "tool_use_id": i, "content": r} for i, _, _, r in made]
    return [
        {"role": "assistant", "content": blocks},
        *([{"role": "user", "content": results}] if results else []),
    ]


def _responses(said: str, made: list[Any]) -> list[Any]:
    first = [{"role": "assistant", "content": said}] if said else []
    calls = [
        {"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)} for i, n, a, _ in made
    ]
    return [
        *first,
        *calls,
        *({"type": "function_call_output", "call_id": i, "output": r} for i, _, _, r in made),
    ]


_ANSWERS = {"openai": _openai, "ollama": _ollama, "anthropic": _anthropic, "responses": _responses}


def faults(form: str, document: Any, share: float, kept: Kept, store: Path, **asked: Any) -> list[str]:
    """Return which of the properties do not hold for a window of a share of the conversation's tokens."""
    source = repair(read(document, form)).conversation
    counts = Counts(kept.tokenizer, form=source.format)
    total = counts.total(source).total
    budget = max(1, int(total * share))
    try:
        window = compact(document, budget=budget, format=form, host=kept.host, store=store, **asked)
    except BudgetError as error:
        return _refused(str(error), source, counts, budget)
    again = compact(document, budget=budget, format=form, host=kept.host, store=store, **asked)
    out = read(window.messages, form)
    found = ["deterministic"] if again.messages != window.messages else []
    found += [f"valid: {flaw}" for flaw in flaws_of(_joined(out))]
    if counts.total(out).total > budget or window.tokens > budget:
        found.append(f"budget: {counts.total(out).total} and {window.tokens} of {budget}")
    found += (
        [f"{window.tokens} tokens, {n} when read"] if (n := counts.total(out).total) != window.tokens else []
    )
    found += _promises(source, out, counts, budget)
    joined = counts.total(read(write(source), form)).total
    found += ["fits, but changed"] if max(total, joined) <= budget and _bodies(out) != _bodies(source) else []
    found += _expanding(window, source, store)
    if asked.get("compressor", "hybrid") == "hybrid":
        found += _said(source, out, counts, budget) + _again(window, form, kept, store, budget)
    return found if asked.get("compressor") == "summarize" else found + _invented(source, out)


def _joined(conversation: Conversation) -> Conversation:
    return conversation


def _refused(error: str, source: Conversation, counts: Counts, budget: int) -> list[str]:
    exchanges = exchanges_of(source)
    users = [one for one in exchanges if one.role == "user" and find_spoken(one.messages[0])]
    must = [one for one in exchanges if one.role == "system"] + users[:1]
    cost = sum(sum(counts.messages(one.messages)) for one in must) + counts.total(source).tools
    least = min(256, sum(counts.messages(users[-1].messages))) if len(users) > 1 else 0
    return (
        [] if cost + least + 40 > budget and "\n" not in error else [f"refused {budget} for {cost} + {least}"]
    )


def _words(message: Message) -> tuple[Any, ...]:
    return (message.role, *((b.kind, b.text) for b in message.blocks if b.kind is not BlockKind.THINKING))


def _bodies(conversation: Conversation) -> list[Any]:
    return [(b.kind, b.text) for m in conversation.messages for b in m.blocks]


def _promises(source: Conversation, out: Conversation, counts: Counts, budget: int) -> list[str]:
    standing = {block for message in out.messages for block in map(_block, message.blocks)}
    exchanges = exchanges_of(source)
    users = [one for one in exchanges if one.role == "user" and find_spoken(one.messages[0])]
    fixed = [one for one in exchanges if one.role == "system"] + users[:1]
    lost = [f"lost {m.role} {m.index}" for one in fixed for m in one.messages if not _stands(m, standing)]
    room = budget - counts.total(source).tools - 3 - sum(sum(counts.messages(one.messages)) for one in fixed)
    if len(users) > 1:
        cost = sum(counts.messages(users[-1].messages))
        newest = users[-1].messages[0]
        if cost <= room and not _stands(newest, standing):
            lost.append(f"newest user message lost: {cost} of {room}")
        room -= cost
    lost += _people(users, fixed, counts, budget, standing=standing, tools=counts.total(source).tools)
    tail = min(int(budget * 0.3), room)
    for one in reversed(exchanges):
        if one in fixed or (users and one is users[-1]):
            continue
        tail -= sum(counts.messages(one.messages))
        if tail < 0:
            break
        lost += [f"newest exchange {one.id} is not whole" for m in one.messages if not _stands(m, standing)]
    return lost


def _people(
    users: list[Any], fixed: list[Any], counts: Counts, budget: int, *, standing: set[Any], tools: int
) -> list[str]:
    """Return the users' messages that should stand: the newest first, in half of the budget.

    Where the other promises leave less, and where no tool is called, there may be fewer.
    """
    costs = [(one, sum(counts.messages(one.messages))) for one in users]
    fits, left = [], budget // 2
    for one, cost in reversed(costs):
        if cost > left:
            break
        fits.append(one)
        left -= cost
    rest = sum(sum(counts.messages(one.messages)) for one in fixed if one not in fits)
    needed = budget // 2 - left + rest + tools + int(budget * 0.3) + 60
    if needed > budget or (
        len(fits) < len(users) and not any(kind is BlockKind.CALL for kind, _ in standing)
    ):
        return []
    return [f"user message {one.id} lost" for one in fits if not _stands(one.messages[0], standing)]


def _said(source: Conversation, out: Conversation, counts: Counts, budget: int) -> list[str]:
    """Return what was said or planned and is not whole, where all of it fits in 55 % of the budget."""
    exchanges = exchanges_of(source)
    calls = [(one, call) for one in exchanges for message in one.messages for call in message.calls]
    if not calls:
        return []
    finals = [
        one
        for one, after in zip(exchanges, [*exchanges[1:], None], strict=True)
        if one.role == "assistant"
        and not any(message.calls for message in one.messages)
        and (after is None or after.role == "user")
    ]
    plans = [(one, call) for one, call in calls if call.name == "TodoWrite"][-1:]
    must = [
        *(one for one in exchanges if one.role in ("system", "user")),
        *finals,
        *(one for one, _ in plans),
    ]
    cost = sum(sum(counts.messages(one.messages)) for one in {one.id: one for one in must}.values())
    if cost + counts.total(source).tools + 60 > int(budget * 0.55):
        return []
    standing = {block for message in out.messages for block in map(_block, message.blocks)}
    lost = [f"final answer {one.id} lost" for one in finals if not _stands(one.messages[0], standing)]
    return lost + [f"plan {one.id} lost" for one, call in plans if _block(call) not in standing]


def _again(window: Any, form: str, kept: Kept, store: Path, budget: int) -> list[str]:
    """Return what is wrong with a window of a window: it has one note, and is valid."""
    smaller = max(1, budget * 2 // 3)
    try:
        second = compact(window.messages, budget=smaller, format=form, host=kept.host, store=store)
    except BudgetError:
        return []
    out = read(second.messages, form)
    found = [f"again: {flaw}" for flaw in flaws_of(out)]
    notes = sum(block.text.count("[satchel: ") for message in out.messages for block in message.blocks)
    found += [f"again: {notes} notes"] if notes > 1 else []
    return found + ([f"again: {second.tokens} of {smaller}"] if second.tokens > smaller else [])


def _block(block: Any) -> tuple[Any, str]:
    return block.kind, block.text


def _stands(message: Message, standing: set[Any]) -> bool:
    plain = (BlockKind.TEXT, BlockKind.CALL, BlockKind.RESULT)
    return all(_block(b) in standing for b in message.blocks if b.kind in plain and b.text.strip())


def _expanding(window: Any, source: Conversation, store: Path) -> list[str]:
    archive = open_archive(store)
    by_index: dict[int, list[str]] = {}
    for message in source.messages:
        by_index.setdefault(message.index, []).append(message.text)
    found = []
    for cut in window.cut:
        if not cut.pointer:
            found.append(f"cut {cut.index} has no pointer")
            continue
        pointer = parse(cut.pointer)
        given = archive.lines(pointer.blob, *pointer.lines)
        if not any(
            text.encode("utf-8", "replace").decode() in given.encode("utf-8", "replace").decode()
            for text in by_index[cut.index]
        ):
            found.append(f"cut {cut.index}: {cut.pointer} gives another text")
    return found


def _invented(source: Conversation, out: Conversation) -> list[str]:
    said = "\n".join(block.text for message in source.messages for block in message.blocks)
    lines = (
        line
        for m in out.messages
        for b in m.blocks
        if b.kind is not BlockKind.CALL
        for line in b.text.split("\n")
    )
    return [
        f"invented {line!r}" for line in lines if not line.startswith(("[satchel", GAP)) and line not in said
    ]


def main(count: int) -> int:
    """Check `count` conversations; print what does not hold."""
    kept, bad = Kept(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(count):
            rng = random.Random(seed)
            form = rng.choice(FORMS)
            document, share = conversation(rng, form), rng.choice((0.02, 0.1, 0.25, 0.5, 0.8, 1.0, 1.5))
            asked: dict[str, Any] = {
                "compressor": rng.choice(("hybrid", "hybrid", "mask", "delete", "summarize", "truncate"))
            }
            asked["strategy"] = rng.choice(("hybrid", "hybrid", "recent", "relevance", "compression"))
            found = faults(form, document, share, kept, Path(folder), **asked)
            if found:
                bad += 1
                print(seed, form, share, asked, found[:3])
    print(f"{count} conversations, {bad} with a fault")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
