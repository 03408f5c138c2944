"""What no strategy may cut: people's messages, last answers, the plan; and the check that all are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import attrs

from satchel.compaction.dialogue import find_speaker
from satchel.compaction.windows import category
from satchel.conversation import Counts, find_spoken, flaws_of, is_summary, read_arguments
from satchel.errors import UsageError
from satchel.messages import Block, BlockKind, Conversation, Exchange, Message
from satchel.patterns import lazily

PEOPLE = 0.5
"""Share of the budget for people's messages, word for word."""
RULES = 0.2
"""Share of the budget for people's messages with instructions, before all others."""
SAID = 0.66
"""Share of the budget for people's messages together with the plan and the agent's answers to them."""
_LISTS = lazily(
    r"(?:mcp__\w+?__)?(?:todo_?(?:write|list)?|write_?todos|update_?plan|update_?todo\w*|manage_todo\w*)"
)
_PLANS = lazily(r"exit_?plan_?mode|present_?plan|plan_?mode_?respond")
_ENTERS = lazily(r"enter_?plan_?mode")
_ASKS = lazily(
    r"(?:mcp__\w+?__)?(?:ask_?(?:the_?)?(?:user|human|follow_?up)\w*|query_?user|question"
    r"|(?:request_?|get_?)?(?:user|human)_?input)"
)
_REPLIES = lazily(
    r"\W*(?:the )?user (?:doesn't|does not|has|denied|declined|rejected|answered)\b.{0,400}?"
    r"\b(?:said|feedback|answer(?:ed|s)?(?: your questions?)?)\b[^\n:]{0,80}:\s*\S",
    re.IGNORECASE | re.DOTALL,
)
_MAKES, _UPDATES = lazily(r"task_?create"), lazily(r"task_?update")
_NUMBER = lazily(r"#(\w+)")
_ASIDE = 200
"""Characters of a text beside a call that only says what the call does."""
_ACTS = (BlockKind.CALL, BlockKind.RESULT)
_OVER = frozenset({"completed", "done", "deleted", "cancelled", "canceled"})
_LONGEST = 2_000
"""Characters of a message that is read from end to end; of a longer one, half of them at each end."""
_SENTENCE = 400
"""Characters of the longest sentence that counts as one."""
_ORDERS = r"""
    (?:^|[.!?;:(\n]\s*|["'«»]|(?<=\n)[*-]\s)
    (?:(?:and|but|also|so|ok(?:ay)?|please|oh|btw|by\ the\ way)[,:]?\s+){0,3}
    (?:(?:always|never)\s+(?!(?:mind|say|give|up|happy|here|fun|good|great|so|had|been|thought|heard|a|the|in
        |again|knew|saw)\b)[a-z]
      |(?:do\ not|don't)\s+(?:ever\s+)?(?:use|touch|add|change|edit|delete|remove|call|write|run|make|put
        |suggest|include|mention\ (?!it)|commit|push|deploy|install|create|modify|rename|send|upgrade|cite
        |translate)\b
      |remember(?:\s*:|\ that\b|\ to\b)|keep\ in\ mind|note\ that|note\s*:|rule\s*:|correction\b|make\ sure
      |(?:no|nope|sorry|actually|wait)\b,?\s+(?:no,?\s+)?(?:i\ meant|make\ it|use|it's\ \S*\d
        |[^.!?\n]{0,30}\bis\ (?!(?:not|fine|ok|okay|great|good|that|there|so)\b))\b
      |forget\ (?:what|about|that|the|it\ all)\b|scratch\ that|ignore\ (?:what|the|that|my|all)\b
      |only\ (?:use|write|answer|work|change|ever)\b|must\ not\b)
    """
"""Beginnings of sentences that say what to do, and what not."""
_TURNS = r"""
    \b(?:from\ (?:now|here)\ on|from\ this\ point|going\ forward,|henceforth
      |(?:use|set|take|call|write|put|keep|choose|go\ with)\ [^.!?\n]{0,60}\ (?:instead\ of|rather\ than)
      |we(?:'ve|\ have)?\ (?:decided|agreed|settled)
      |let's\ (?:go\ with|stick\ (?:with|to)|agree)|deadline\b|due\ (?:on|by)\b|todo\b|name\ is
      |i\ prefer|is\ now\b(?!\ \w+ing\b)|is\ (?:now\ )?called\b(?=\ [A-Z'"])|i\ (?:want|need)\ you\ to
      |under\ no\ circumstances|at\ all\ times|(?:i|we)\ no\ longer|(?:not|don't)\ [^.!?\n]{0,60}\bany\ ?more
      |must\ (?:not|never|always|be\ (?:below|under|above|over|at\ (?:least|most)|in|done|kept|written))
      |(?:cannot|can't|mustn't)\ [a-z]+\ [^.\n]{0,60}\b(?:before|until))\b
    |\d\S{0,20},?\ (?:instead\ of|rather\ than|not)\ \S{0,20}\d
    """
"""Turns of phrase in the middle of sentences."""
_OTHER_LANGUAGES = r"""
    \b(?:ab\ (?:jetzt|sofort|nun)|von\ nun\ an|künftig|merke?\ dir|denke?\ daran|vergiss|niemals
      |auf\ keinen\ fall|bitte\ (?:immer|nie|nicht)|antworte\ immer|statt(?:dessen)?
      |(?:wir|ich)\ haben?\ (?:uns\ )?(?:entschieden|beschlossen)
      |désormais|à\ partir\ de\ maintenant|dorénavant|souviens-toi|n'oublie|au\ lieu\ d|plutôt\ que
      |on\ a\ décidé|ne\ \w+\ jamais|a\ partir\ de\ ahora|de\ ahora\ en\ adelante|recuerda|hemos\ decidido
      |en\ (?:vez|lugar)\ de|nunca|olvida|a\ partir\ de\ agora|de\ agora\ em\ diante|lembre|em\ vez\ de
      |esqueça|decidimos|d'ora\ in\ poi|ricorda(?:ti)?|invece\ di|dimentica|abbiamo\ deciso
      |отныне|с\ этого\ момента|запомни|никогда|вместо|забудь|мы\ решили)\b
    |今後|これから|以降は|必ず|決して|覚えて|忘れないで|ではなく|代わりに|に決め|締め?切り?は|しないでください
    |从现在|從現在|今后|今後|以后都|必须|必須|不要|记住|記住|而不是|改用|别再|決定|决定|截止
    |من\ الآن|تذكر|لا\ تستخدم|بدلا|قررنا|دائم[اً]|앞으로|반드시|기억해|대신|하지\ 마
    """
_ENGLISH = lazily(f"{_ORDERS}|{_TURNS}", re.IGNORECASE | re.VERBOSE)
_OTHERS = lazily(_OTHER_LANGUAGES, re.IGNORECASE | re.VERBOSE)
_FOREIGN = lazily(
    r"\b(?:ab|von|künftig|merke?|denke?|vergiss|niemals|fall|bitte|antworte|statt|stattdessen|haben?|partir"
    r"|souviens|oublie|lieu|plutôt|jamais|ahora|recuerda|hemos|vez|lugar|nunca|olvida|agora|lembre|decidimos"
    r"|poi|ricorda|ricordati|invece|dimentica|abbiamo)\b",
    re.IGNORECASE,
)
"""Words that occur in turns of phrase of other languages written in Latin letters: each has one."""
_END = lazily(r"(?<!\b[DM]r)(?<!\bM[sx])(?<!\b[SN][to])(?<!e\.g)(?<!i\.e)[.!?](?=\s|$|[\"')*»])|[。！？]|\n")


class Intent(NamedTuple):
    """Exchanges by number, the newest first."""

    people: tuple[int, ...]
    """Messages that a person typed."""
    plan: tuple[int, ...]
    """The newest plan or list of tasks, as far as it is open."""
    answers: tuple[int, ...]
    """The agent's last answers before a person spoke again, in one message or several; its newest summary."""
    replies: tuple[int, ...]
    """Steps whose results hold a person's words: answers to questions, and reasons for a refused call."""
    rules: tuple[int, ...]
    """People's messages with instructions: rules, corrections, decisions."""


NO_INTENT = Intent((), (), (), (), ())


def find_intent(exchanges: Sequence[Exchange]) -> Intent:
    """Return people's messages, the answers to them, and the plan."""
    roles, acts = [one.role for one in exchanges], list(map(_calls, exchanges))
    newest = range(len(exchanges) - 1, -1, -1)
    people = tuple(at for at in newest if roles[at] == "user" and is_person(exchanges[at]))
    answers: list[int] = []
    for at in newest:
        if roles[at] != "assistant" or acts[at] or not _text(exchanges[at]).strip():
            continue
        if roles[at + 1 : at + 2] in ([], ["user"]) or at + 1 in answers[-1:]:
            answers.append(at)
    summary = [at for at in newest if roles[at] == "user" and is_summary(_text(exchanges[at]))][:1]
    plan = _find_plan(exchanges) if any(acts) else ()
    replies = tuple(at for at in newest if acts[at] and next(iter_replies(exchanges[at]), None))
    named = sum(bool(find_speaker(exchanges[at])) for at in people)
    typed = people if named * 2 <= len(people) else ()  # those who say their names talk to one another
    rules = tuple(at for at in typed if gives_instruction(find_spoken(exchanges[at].messages[0])))
    return Intent(people, plan, tuple(sorted([*answers, *summary], reverse=True)), replies, rules)


def iter_replies(exchange: Exchange) -> Iterator[Block]:
    """Yield the results of an exchange that hold a person's words, and the calls that asked for them."""
    asked = set[str]()
    for block in [block for message in exchange.messages for block in message.blocks]:
        if block.kind is BlockKind.CALL and _ASKS.fullmatch(block.name.lower()):
            asked.add(block.id)
            yield block
        elif block.kind is BlockKind.RESULT and (block.id in asked or _REPLIES.match(block.text)):
            yield block


def is_person(exchange: Exchange) -> bool:
    """Return whether a person typed something in a user message; an image counts as typed."""
    message = exchange.messages[0]
    if find_spoken(message):
        return True
    return not message.text.strip() and any(block.kind is BlockKind.IMAGE for block in message.blocks)


def has_tools(exchanges: Sequence[Exchange]) -> bool:
    """Return whether any tool is called: if not, all is talk, and the task says which of it matters."""
    return any(_calls(one) for one in exchanges)


def _calls(exchange: Exchange) -> bool:
    return any(block.kind in _ACTS for message in exchange.messages for block in message.blocks)


def _text(exchange: Exchange) -> str:
    return "\n".join(message.text for message in exchange.messages)


def _find_plan(exchanges: Sequence[Exchange]) -> tuple[int, ...]:
    """Return the call that set the newest list, those that made and moved open tasks, or the newest plan.

    If the agent began to plan and has not presented its plan, the call that says so is returned too.
    """
    listed = planned = entered = -1
    for at in range(len(exchanges) - 1, -1, -1):
        for message in exchanges[at].messages:
            for call in message.calls:
                name = call.name.lower()
                if listed < 0 and _LISTS.fullmatch(name) and _sets_list(call.text):
                    listed = at
                elif planned < 0 and _PLANS.fullmatch(name):
                    planned = at
                elif planned < 0 and _ENTERS.fullmatch(name):
                    entered = max(at, entered)
    tasks = _find_open_tasks(exchanges)
    found = {listed, *tasks} if listed >= 0 or tasks else {planned}
    return tuple(sorted((found | {entered}) - {-1}, reverse=True))


def find_old_lists(exchanges: Sequence[Exchange]) -> frozenset[int]:
    """Return the exchanges that only set lists and tasks that are replaced by newer ones, or done."""
    names = [[call.name.lower() for message in one.messages for call in message.calls] for one in exchanges]
    setting = {
        at
        for at, called in enumerate(names)
        if called and all(map(_sets_tasks, called)) and len(_text(exchanges[at])) <= _ASIDE
    }
    return frozenset(setting.difference(_find_plan(exchanges)) if setting else ())


def _sets_tasks(name: str) -> bool:
    return any(one.fullmatch(name) for one in (_LISTS, _MAKES, _UPDATES))


def _sets_list(arguments: str) -> bool:
    table = read_arguments(arguments)
    return any(
        isinstance(table.get(key), list) and table[key] for key in ("todos", "plan", "items", "todoList")
    )


def _find_open_tasks(exchanges: Sequence[Exchange]) -> set[int]:
    """Return the exchanges that made tasks that are still open, and those that set their latest status."""
    made: dict[str, int] = {}
    moved: dict[str, int] = {}
    status: dict[str, str] = {}
    for at, one in enumerate(exchanges):
        results = {block.id: block.text for message in one.messages for block in message.results}
        for call in [call for message in one.messages for call in message.calls]:
            name = call.name.lower()
            if _MAKES.fullmatch(name):
                number = _NUMBER.search(results.get(call.id, ""))
                made[number[1] if number else str(len(made) + 1)] = at
            elif _UPDATES.fullmatch(name):
                table = read_arguments(call.text)
                task = str(table.get("taskId") or table.get("id") or "")
                if table.get("status"):
                    moved[task], status[task] = at, str(table["status"])
    still = [task for task in made if status.get(task, "") not in _OVER]
    return {places[task] for task in still for places in (made, moved) if task in places}


_FAILED = lazily(
    r"^\s*(?:FAIL(?:ED)?\b|E {2,}\S|panic:|fatal:|error(?:\[\w+\])?:|Traceback \(most recent)"
    r"|\b[A-Z]\w*(?:Error|Exception): |\b[1-9]\d* (?:failed|errors?|failures)\b"
    r"|\[(?:err|ERR|fail|FAIL)\w*\]"
    r"|[Ee]xit (?:code|status)[: ]+[1-9]|\bFAILED\b|command not found|No such file or directory"
    r"|^make(?:\[\d+\])?: \*\*\*|undefined (?:symbol|reference)\b"
    r"|: (?:No route to host|Connection (?:refused|timed out|reset by peer)|Permission denied)\b"
    r"|\"(?:status|state|level|severity)\":\s*\"(?:error|failed|failure|fatal|critical)\""
    r"|\"error\":\s*(?:\{\s*\"|\"[^\"])",
    re.MULTILINE,
)


def tells_failure(text: str) -> bool:
    """Return whether an output reports a failure, at its beginning or its end."""
    return _FAILED.search(text[:4_000]) is not None or _FAILED.search(text[-4_000:]) is not None


def find_instructions(text: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of each sentence with an instruction, in order.

    It knows turns of phrase of a dozen languages; sentences that they miss stay as long as there is room.
    """
    place = 0
    others = not text.isascii() or _FOREIGN.search(text) is not None
    patterns = (_ENGLISH, _OTHERS) if others else (_ENGLISH,)
    for begin, end in _ends_of(text):
        at = max(begin, place)
        while found := _find_first(patterns, text, at, end):
            first = _begin_of(text, found.end() - 1, place)
            stop = _END.search(text, found.end(), first + _SENTENCE)
            last = stop.end() if stop else min(len(text), first + _SENTENCE)
            yield first, len(text[:last].rstrip())
            at = place = last


def _find_first(patterns: Sequence[re.Pattern[str]], text: str, start: int, end: int) -> re.Match[str] | None:
    found = [match for one in patterns if (match := one.search(text, start, end))]
    return min(found, key=lambda match: match.start(), default=None)


@lru_cache(maxsize=4096)
def gives_instruction(text: str) -> bool:
    """Return whether a person's message contains an instruction."""
    return next(find_instructions(text), None) is not None


def _ends_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that are read: most of a long text is pasted."""
    if len(text) <= _LONGEST:
        yield 0, len(text)
    else:
        yield 0, _LONGEST // 2
        yield len(text) - _LONGEST // 2, len(text)


def _begin_of(text: str, at: int, least: int) -> int:
    """Return the beginning of the sentence around a place, after an end that is not before `least`."""
    first = max(least, at - _SENTENCE // 2)
    begins = [found.end() for found in _END.finditer(text, first, at)]
    first = begins[-1] if begins else first
    return first + len(text[first:at]) - len(text[first:at].lstrip())


VERBATIM = 0.30
"""Share of the budget that the newest whole exchanges fill, word for word."""
LEAST_NEWEST = 256
"""Tokens that the newest user message keeps at least."""
MARK = "[satchel"


def is_user_message(exchange: Exchange) -> bool:
    """Return whether a user wrote it: it is not a note of satchel's own, or a result without its call."""
    first = exchange.messages[0]
    return exchange.role == "user" and (not first.text.startswith(MARK) or bool(find_spoken(first)))


def is_told_last(exchanges: Sequence[Exchange]) -> bool:
    """Return whether the last message is a user's, from a person or a program, and not packed context."""
    if not exchanges:
        return False
    return is_user_message(exchanges[-1]) and category(exchanges[-1].messages[0]) != "context"


@attrs.frozen
class Promised:
    """Exchanges that must be in the window, by number."""

    fixed: frozenset[int]
    """Whole: system, pins, the first user message where it fits."""
    newest: int
    """The newest user message, -1 if there is none (or where it is fixed)."""
    intent: Intent = NO_INTENT
    """Messages and plans: whole, as far as their shares of the budget go."""
    talk: bool = False
    """Whether no tool is called: then the task says which messages matter, unless all of them fit."""
    first: int = -1
    """The first user message, -1 if there is none or a pin wants it whole."""
    opening: int = -1
    """The first user message where it is too long for the window and cut inside, else -1."""

    @property
    def all(self) -> frozenset[int]:
        """Return all promised exchanges."""
        return self.fixed | {self.newest} if self.newest >= 0 else self.fixed

    def among(self, positions: Sequence[int]) -> Promised:
        """Return the same promises where only the exchanges at these positions are left."""
        places = {position: at for at, position in enumerate(positions)}
        fixed = frozenset(places[position] for position in self.fixed)
        intent = Intent(*(tuple(places[at] for at in part if at in places) for part in self.intent))
        newest, first, opening = (places.get(at, -1) for at in (self.newest, self.first, self.opening))
        return Promised(fixed, newest, intent, self.talk, first, opening)

    def give_way(self) -> Promised:
        """Return the promises where the first user message may be cut, as the newest may."""
        fixed = self.fixed - {self.first}
        if self.newest < 0:
            return attrs.evolve(self, fixed=fixed, newest=self.first)
        return attrs.evolve(self, fixed=fixed, opening=self.first)


def list_promises(exchanges: Sequence[Exchange], pins: Iterable[int | str]) -> Promised:
    """Return the exchanges that must be in the window.

    Raises:
        UsageError: a pin names no message.
    """
    said = [at for at, one in enumerate(exchanges) if is_user_message(one)]
    users = [at for at in said if is_person(exchanges[at])] or said
    fixed = {at for at, one in enumerate(exchanges) if one.role == "system"}
    fixed.update(at for pin in pins for at in _find_pin_matches([one.messages for one in exchanges], pin))
    first = users[0] if users and users[0] not in fixed else -1
    fixed.update(users[:1])
    newest = users[-1] if users and users[-1] not in fixed else -1
    return Promised(frozenset(fixed), newest, find_intent(exchanges), not has_tools(exchanges), first)


def check_pins(messages: Sequence[Message], pins: Iterable[int | str]) -> None:
    """Raise UsageError for a pin that names none of the messages, whether or not they are cut."""
    for pin in pins:
        _find_pin_matches([messages], pin)


def _find_pin_matches(groups: Sequence[Sequence[Message]], pin: int | str) -> list[int]:
    """Return the places of the groups with a message that a pin names."""
    number = _index(pin)
    if number is None and not str(pin).strip():
        raise UsageError("pin: expected the position of a message or a text in it, found nothing")
    top = 1 + max((message.index for one in groups for message in one), default=-1)
    wanted = number + top if number is not None and number < 0 else number

    def meant(message: Message) -> bool:
        if wanted is not None:
            return message.index == wanted
        return any(str(pin) in block.text for block in message.blocks)

    found = [at for at, one in enumerate(groups) if any(map(meant, one))]
    if not found:
        what = (
            f"there is no message {pin}, the last is {top - 1}"
            if number is not None
            else f"no message says {pin!r}"
        )
        raise UsageError(f"pin: {what}")
    return found


def _index(pin: int | str) -> int | None:
    if isinstance(pin, int):
        return pin
    digits = pin.removeprefix("-")
    return int(pin) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def check_promises(
    window: Conversation, promised_whole: Sequence[Message], *, counts: Counts, budget: int
) -> str:
    """Return the promise that a window breaks, "" if it keeps all of them.

    Args:
        window: the window to be sent.
        promised_whole: messages that it must hold word for word.
        counts: the counter of tokens.
        budget: most tokens of the window.
    """
    tokens = counts.total(window).total
    if tokens > budget:
        return f"it costs {tokens} tokens, the budget is {budget}"
    flaws = flaws_of(window)
    if flaws:
        return f"its provider would refuse it: {flaws[0]}"
    standing = {_texts_of(message) for message in window.messages}
    for message in promised_whole:
        if _texts_of(message) not in standing:
            return f"message {message.index} ({message.role}) must be whole in it"
    return ""


def _texts_of(message: Message) -> tuple[object, ...]:
    kept = (BlockKind.TEXT, BlockKind.CALL, BlockKind.RESULT)
    return (message.role, *((block.kind, block.text) for block in message.blocks if block.kind in kept))


def name_exchange(exchange: Exchange) -> str:
    """Name an exchange for a person: the number of its first message and its role."""
    first = exchange.messages[0]
    return f"message {first.index} ({first.role})" if first.index >= 0 else first.role
