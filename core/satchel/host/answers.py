"""Check plugins' answers in the thread where the plugin runs; raise BrokenContractError if one is invalid.

Each field is read once and by its exact type: an object that pretends to be an `int`, a text with overridden
methods, or a subclass of one of satchel's classes becomes a plain value or is rejected. With `copied`
everything is copied, so that no plugin keeps a reference to the run's objects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from satchel.host.kinds import PluginKind
from satchel.interfaces import MOST_SHARE

if TYPE_CHECKING:
    from satchel.conversation.transcripts import TranscriptDraft
    from satchel.devices import Device
    from satchel.interfaces import FormatRules, FormatSign
    from satchel.items import ContextItem, Selection
    from satchel.messages import Flaw, Message
    from satchel.parts import Lines, Part, Symbol
    from satchel.redaction.rules import RedactionRule

_name_of = type.__dict__["__name__"].__get__
_MOST_NAMES = 100_000
"""Most symbols, and most references, of one part."""
_LARGEST = 1 << 62
"""Limit of whole numbers that an index can store."""
_BYTES_EACH, _FRAME = 4, 16
"""Most tokens per byte of a text, and most tokens for its beginning and end."""
_LONGEST_TOKEN, _LONGEST_WORD = 256, 32
"""Most characters, and most letters or digits, per token on average in any vocabulary."""
_GUESSED, _PART_OF_GUESS = 2_000, 4
"""Characters from which a batch's sum is compared with a guess, and the fraction (1/4) that it must reach."""
_WORDS = bytes(byte for byte in range(128) if chr(byte).isalnum())


class BrokenContractError(Exception):
    """A plugin's answer breaks the contract of its kind."""


def a(value: object) -> str:
    """Return the name of a value's type with its article, without calling any code of the value."""
    if value is None:
        return "None"
    name = str(_name_of(type(value)))
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name:.60}"


def is_a(value: object, *kinds: type) -> bool:
    """Return whether a value has one of the types, whatever its `__class__` says."""
    return issubclass(type(value), kinds)


def _require_a(value: object, kind: type, what: str) -> None:
    """Raise unless a value is of a class of satchel's or a subclass."""
    if not is_a(value, kind):
        article = "an" if kind.__name__[0] in "AEIO" else "a"
        raise BrokenContractError(f"{what} {a(value)}, not {article} {kind.__name__}")


def plain_text(value: Any, what: str) -> str:
    """Return a text as a plain str; raise if it is not a text."""
    if type(value) is str:
        return value
    if is_a(value, str):
        return str.__str__(value)
    raise BrokenContractError(f"{what} is {a(value)}, not a text")


def plain_int(value: object, what: str, *, least: int = 0, most: int = _LARGEST) -> int:
    """Return a whole number as a plain int; raise if it is not one or is out of bounds."""
    if not is_a(value, int) or is_a(value, bool):
        raise BrokenContractError(f"{what} is {a(value)}, not a whole number")
    number = int.__int__(value)  # type: ignore[arg-type]
    if not least <= number <= most:
        bounds = f"{least} or more" if most == _LARGEST else f"{least} to {most}"
        raise BrokenContractError(f"{what} is {_format_int(number)}, not {bounds}")
    return number


def plain_float(value: object, what: str, *, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a number as a plain finite float; raise if it is not one or is out of bounds."""
    if is_a(value, bool) or not is_a(value, int, float):
        raise BrokenContractError(f"{what} is {a(value)}, not a number")
    try:
        number = float.__float__(value) if is_a(value, float) else float(int.__int__(value))  # type: ignore[arg-type]
    except OverflowError:
        raise BrokenContractError(f"{what} is too large a number") from None
    if not math.isfinite(number):
        raise BrokenContractError(f"{what} is {number}, not a finite number")
    if not least <= number <= most:
        bounds = f"{least:.7g} or more" if most == math.inf else f"between {least:.7g} and {most:.7g}"
        raise BrokenContractError(f"{what} is {number:.6g}, not {bounds}")
    return number


def check_setting(kind: PluginKind, name: str, value: object, what: str = "") -> Any:
    """Return a plugin kind's setting as a plain value; raise if it is out of bounds."""
    check = _SETTINGS.get(kind, {}).get(name)
    return value if check is None else check(value, what or name)


_SETTINGS: Mapping[PluginKind, Mapping[str, Callable[[object, str], Any]]] = {
    PluginKind.PROVIDER: {"max_items": plain_int, "max_tokens": partial(plain_float, least=0.0)},
    PluginKind.SCORER: {"weight": partial(plain_float, least=0.0, most=1e6)},
    PluginKind.COMPRESSOR: {"share": partial(plain_float, least=0.0, most=MOST_SHARE)},
    PluginKind.TOKENIZER: {"error": partial(plain_float, least=0.0, most=1.0)},
}


def plain_flag(value: object, what: str) -> bool:
    """Return a bool; raise if the value is not one."""
    if value is True or value is False:
        return value
    raise BrokenContractError(f"{what} is {a(value)}, not True or False")


def plain_lines(value: object, what: str) -> Lines:
    """Return a first and a last line number, or (0, 0); raise if the value is not such a pair."""
    numbers = _members(value)
    are_numbers = [type(line) for line in numbers] == [int, int]
    if are_numbers and -_LARGEST < numbers[1] < numbers[0] < _LARGEST:
        raise BrokenContractError(f"{what} {numbers} ends before it begins")
    if not are_numbers or not 0 <= numbers[0] <= numbers[1] < _LARGEST:
        raise BrokenContractError(f"{what} is {a(value)} that is not a pair of line numbers")
    return numbers


def _members(value: Any) -> tuple[Any, ...]:
    """Return a tuple's elements, whatever its subclass overrides; () if it is not a tuple."""
    return tuple.__getitem__(value, slice(None)) if is_a(value, tuple) else ()


def plain_texts(value: object, what: str) -> tuple[str, ...]:
    """Return texts as a tuple of plain str; raise if the value is not a collection of texts."""
    if is_a(value, str) or not is_a(value, Collection):
        raise BrokenContractError(f"{what} is {a(value)}, not texts")
    return tuple(plain_text(one, f"one of {what}") for one in at_most(value, _MOST_NAMES, what))


def plain_numbers(value: object, what: str, *, most: float = 1e6) -> dict[str, float]:
    """Return non-negative numbers by name as a plain dict; raise if they are not."""
    if not is_a(value, Mapping):
        raise BrokenContractError(f"{what} is {a(value)}, not numbers by name")
    return {
        plain_text(key, f"a name in {what}"): plain_float(number, f"a number in {what}", least=0.0, most=most)
        for key, number in pairs(value, _MOST_NAMES, what)
    }


def iterate(answer: Any, what: str) -> Iterator[Any]:
    """Return an iterator of an answer; raise if it is not a row of such values."""
    if isinstance(answer, Iterable):
        return iter(answer)
    raise BrokenContractError(f"returned {describe(answer)}, expected a list of {what}")


def describe(answer: object) -> str:
    """Return the name of an answer's type, or of the class that it is."""
    return f"class {answer.__name__}" if isinstance(answer, type) else a(answer)


def at_most(answer: Any, most: int, what: str) -> list[Any]:
    """Return an answer's elements as a list; raise if there are more than `most` (it may be endless)."""
    if not isinstance(answer, Iterable):
        raise BrokenContractError(f"{what}: {describe(answer)}, not a list")
    found = list(islice(iter(answer), most + 1))
    if len(found) > most:
        raise BrokenContractError(f"{what}: more than {most}")
    return found


def pairs(answer: Any, most: int, what: str) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping, at most `most`."""
    return [(key, value) for key, value in at_most(answer.items(), most, what)]


def _format_int(number: int) -> str:
    return str(number) if abs(number) < 10**20 else f"a number of {number.bit_length()} bits"


def check_scores(answer: Iterable[object], count: int) -> list[float]:
    """Return the answer as floats; raise if it is not `count` finite numbers from 0 to 1."""
    scores: list[Any] = list(islice(iterate(answer, "scores"), count + 1))
    if len(scores) != count:
        few = f"scores for {len(scores)} of"
        raise BrokenContractError(
            f"returned {few if len(scores) < count else 'more scores than'} {count} parts"
        )
    if (
        set(map(type, scores)) == {float}
        and min(scores) >= 0
        and max(scores) <= 1
        and math.isfinite(sum(scores))
    ):
        return scores  # a NaN shows in the sum
    return [_plain_fraction(score, f"score {at}") for at, score in enumerate(scores)]


def check_chances(answer: object, counts: Sequence[int]) -> list[list[float]]:
    """Return the answer as floats; raise if it does not have `counts` finite numbers from 0 for the items."""
    chances = list(islice(iterate(answer, "chances"), len(counts) + 1))
    if len(chances) != len(counts):
        raise BrokenContractError(f"returned chances for {len(chances)} items of {len(counts)}")
    checked = []
    for at, (mine, count) in enumerate(zip(chances, counts, strict=True)):
        numbers = list(islice(iter(mine), count + 1))
        if len(numbers) != count:
            raise BrokenContractError(f"returned {len(numbers)} chances for the {count} parts of item {at}")
        plain = (
            set(map(type, numbers)) <= {float}
            and math.isfinite(sum(numbers))
            and min(numbers, default=0) >= 0
        )
        checked.append(
            numbers
            if plain
            else [plain_float(one, f"a chance of item {at}", least=0.0, most=_MOST_CHANCE) for one in numbers]
        )
    return checked


_MOST_CHANCE = 1e12
"""Largest chance, up to a common factor."""


_plain_fraction = partial(plain_float, least=0.0, most=1.0)
_ITEM: Mapping[str, Callable[[object, str], Any]] = {
    "id": plain_text,
    "provider": plain_text,
    "kind": plain_text,
    "title": plain_text,
    "path": plain_text,
    "text": lambda value, what: None if value is None else plain_text(value, what),
    "relevance": _plain_fraction,
    "modified": plain_float,
    "trusted": plain_flag,
    "content": plain_text,
    "lines": plain_lines,
    "note": plain_text,
    "worked_on": plain_flag,
    "is_answer": plain_flag,
}
"""The check of each field of an item, in field order."""


def check_items(answer: Iterable[object], *, copied: bool = False) -> list[ContextItem]:
    """Return the answer as a list; raise if something in it is not a well-formed context item."""
    return [_check_item(item, place, copied=copied) for place, item in enumerate(answer)]


def _check_item(item: Any, place: int, *, copied: bool) -> ContextItem:
    from satchel.items import ContextItem

    _require_a(item, ContextItem, f"item {place} is")
    given = {name: getattr(item, name) for name in _ITEM}
    try:
        checked = {name: check(given[name], name) for name, check in _ITEM.items()}
    except BrokenContractError as error:
        raise BrokenContractError(f"item {place}: {error}") from None
    if not checked["id"]:
        raise BrokenContractError(f"item {place} has an empty id")
    if not checked["path"] and checked["text"] is None and not checked["note"]:
        raise BrokenContractError(f"item {checked['id']!r:.60} has neither a text nor a path to read it from")
    if copied and checked["text"] is not None:
        checked["text"] = replace_surrogates(checked["text"])
    if not copied and type(item) is ContextItem and all(checked[name] is given[name] for name in _ITEM):
        return item
    return ContextItem(**checked)


def replace_surrogates(text: str) -> str:
    """Return a text with each half of a broken surrogate pair replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def check_claim(answer: object) -> float:
    """Return how well a representer knows an item; raise if it is not a finite number from 0 to 1."""
    return _plain_fraction(answer, "a claim")


def check_parts(answer: Iterable[object], text: str, *, copied: bool = False) -> list[Part]:
    """Return the answer as a list; raise if it is not a sequence of parts of `text` in line order.

    With `copied` the fields that only the host fills are emptied.
    """
    from satchel.parts import Part

    last, before, parts = text.count("\n") + 1, 0, []
    for place, part in enumerate(answer):
        _require_a(part, Part, f"part {place} is")
        checked: Any = _plain_part(part, place, last) if copied or type(part) is not Part else part
        _check_part_lines(checked, before, last)
        before = checked.lines[1]
        parts.append(checked)
    return parts


def _plain_part(part: Any, place: int, last: int) -> Part:
    """Return a part of plain values, with only the fields that a representer fills."""
    from satchel.parts import Part

    kind, name, lines, head, span, symbols, refs = _members(part)[:7]
    what = f"part {place}:"
    return Part(
        plain_text(kind, f"{what} kind"),
        plain_text(name, f"{what} name"),
        plain_lines(lines, f"{what} lines"),
        plain_lines(head, f"{what} head"),
        _check_last_line(plain_lines(span, f"{what} span"), last, f"{what} span"),
        tuple(_plain_symbol(one, what, last) for one in _to_list(symbols, f"{what} symbols")),
        tuple(plain_text(one, f"{what} one of refs") for one in _to_list(refs, f"{what} refs")),
    )


def _plain_symbol(symbol: object, what: str, last: int) -> Symbol:
    from satchel.parts import Symbol

    _require_a(symbol, Symbol, f"{what} one of symbols is")
    name, kind, lines, head = _members(symbol)
    return Symbol(
        plain_text(name, f"{what} a symbol's name"),
        plain_text(kind, f"{what} a symbol's kind"),
        _check_last_line(plain_lines(lines, f"{what} a symbol's lines"), last, f"{what} a symbol's lines"),
        _check_last_line(plain_lines(head, f"{what} a symbol's head"), last, f"{what} a symbol's head"),
    )


def _check_last_line(lines: Lines, last: int, what: str) -> Lines:
    if lines[1] > last:
        raise BrokenContractError(f"{what} ends at {_format_int(lines[1])}, behind the last line, {last}")
    return lines


def _to_list(value: object, what: str) -> list[Any]:
    if not is_a(value, tuple, list):
        raise BrokenContractError(f"{what} is {a(value)}, not a tuple")
    return at_most(value, _MOST_NAMES, what)


def _check_part_lines(part: Part, before: int, last: int) -> None:
    if type(part.kind) is not str or type(part.name) is not str:
        raise BrokenContractError("a part's kind or name is not text")
    for lines in (part.lines, part.head, part.span):
        if type(lines) is not tuple or [type(line) for line in lines] != [int, int]:
            raise BrokenContractError(f"{a(lines)} is not a pair of line numbers")
    first, end = part.lines
    if not before < first <= end <= last:
        wrong = (
            f"the text ends at line {last}"
            if end > last
            else f"the part before it ends at line {before}"
            if before and first <= before
            else "lines count from 1 and rise"
        )
        raise BrokenContractError(f"part {part.name!r:.60} has lines {first} to {end}, but {wrong}")
    if part.head != (0, 0) and not part.lines[0] <= part.head[0] <= part.head[1] <= part.lines[1]:
        raise BrokenContractError(
            f"part {part.name!r:.60} has head {part.head} outside its lines {part.lines}"
        )


def check_spans(answer: Iterable[object], size: int, *, most: int) -> list[tuple[int, int, str]]:
    """Return the answer as a list; raise if one is not a start, end and kind within a text of `size`."""
    spans: list[tuple[int, int, str]] = []
    for span in iterate(answer, "spans"):
        if len(spans) == most:
            raise BrokenContractError(f"found more than {most} secrets in one text")
        values = list(islice(iter(span), 4)) if is_a(span, tuple, list) else []
        if len(values) != 3:
            raise BrokenContractError(f"found {a(span)}, no start, end and kind within the text")
        start = plain_int(values[0], "the start of a secret", most=max(0, size))
        end = plain_int(values[1], "the end of a secret", most=size)
        if start >= end:
            raise BrokenContractError(f"found {start} to {end}, no start, end and kind within the text")
        spans.append((start, end, plain_text(values[2], "the kind of a secret")))
    return spans


_MOST_RULES = 10_000
_RULE: Mapping[str, Callable[[Any, str], Any]] = {
    "regex": plain_text,
    "keywords": plain_texts,
    "kind": plain_text,
    "description": plain_text,
    "check": plain_text,
    "secret_group": plain_int,
    "entropy": partial(plain_float, least=0.0, most=64.0),
    "path": plain_text,
    "lead": plain_int,
    "lead_characters": plain_text,
}
_ALLOWANCE: Mapping[str, Callable[[Any, str], Any]] = {
    "regexes": plain_texts,
    "target": plain_text,
    "stopwords": plain_texts,
    "paths": plain_texts,
}


def check_rules(answer: Iterable[object]) -> tuple[RedactionRule, ...]:
    """Return the answer as a tuple of rules that can be used; raise if one can't."""
    from satchel.redaction import rules

    copies = tuple(map(_check_rule, at_most(answer, _MOST_RULES, "the rules")))
    try:
        return rules.check_rules(copies, "returned")
    except rules.RuleError as error:
        raise BrokenContractError(str(error)) from None


def _check_rule(rule: Any) -> RedactionRule:
    from satchel.redaction.rules import Allowance, RedactionRule

    _require_a(rule, RedactionRule, "returned")
    name = plain_text(rule.id, "a rule's id")
    given = {field: check(getattr(rule, field), field) for field, check in _RULE.items()}
    allowances = []
    for one in rule.allowances:
        _require_a(one, Allowance, f"rule {name!r:.60}: has")
        allowed = {field: check(getattr(one, field), field) for field, check in _ALLOWANCE.items()}
        allowed["stopwords"] = tuple(map(str.lower, allowed["stopwords"]))
        allowances.append(Allowance(**allowed))
    return RedactionRule(name, **given, allowances=tuple(allowances), anchored=bool(rule.anchored))


def check_devices(answer: Iterable[object]) -> Sequence[Device]:
    """Return the answer as a tuple; raise if something in it is not a device with valid sizes."""
    return tuple(map(_check_device, answer))


def _check_device(device: Any) -> Device:
    from satchel.devices import Device, Memory

    _require_a(device, Device, "returned")
    name = plain_text(device.name, "a device's name")
    if not name or not device.source:
        raise BrokenContractError(f"device {name!r:.60} has no {'source' if name else 'name'}")
    total = plain_int(device.total_bytes, f"device {name!r:.60}: total_bytes")
    free = plain_int(device.free_bytes, f"device {name!r:.60}: free_bytes")
    memory = device.memory
    _require_a(memory, Memory, f"device {name!r:.60}: memory is")
    if free > total:
        raise BrokenContractError(f"device {name!r:.60} has {free} of {total} bytes free")
    said = {
        field: plain_text(getattr(device, field), f"device {name!r:.60}: {field}")
        for field in ("source", "id", "note", "problem")
    }
    return Device(name, total, free, memory=memory, **said)


def check_counts(answer: Iterable[object], texts: Sequence[str]) -> list[int]:
    """Return the answer as a list; raise if it is not one non-negative whole number for each text."""
    counts = list(islice(iterate(answer, "counts"), len(texts) + 1))
    if len(counts) != len(texts):
        more = "more than " if len(counts) > len(texts) else ""
        raise BrokenContractError(
            f"returned {more}{min(len(counts), len(texts))} counts for {len(texts)} texts"
        )
    named = (
        (count, f"the count of a text of {len(text)} characters")
        for count, text in zip(counts, texts, strict=True)
    )
    return [plain_int(count, what) for count, what in named]


def check_plausible_counts(answer: Iterable[object], texts: Sequence[str]) -> list[int]:
    """Return the result of `check_counts`; raise if a count is impossibly high or low.

    No vocabulary has more than four tokens per byte, none for a text with letters, or one token for
    hundreds of characters.
    """
    counts = check_counts(answer, texts)
    for count, text in zip(counts, texts, strict=True):
        _check_plausible(count, text)
    _check_sum(sum(counts), texts)
    return counts


def _check_plausible(count: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    words = len(data) - len(data.translate(None, _WORDS))
    solid = len(data.translate(None, b" \t\r\n"))
    least = max(-(-words // _LONGEST_WORD), -(-solid // (4 * _LONGEST_TOKEN)))
    most = _BYTES_EACH * len(data) + _FRAME
    plain_int(count, f"the count of a text of {len(text)} characters", least=least, most=most)


def _check_sum(total: int, texts: Sequence[str]) -> None:
    """Raise if long enough texts have far fewer tokens than a guess."""
    size = sum(map(len, texts))
    if size < _GUESSED or total * 2 >= size // 2:
        return
    from satchel.tokens.guessing import guess

    # runs of empty lines are few tokens, but the guess counts one for each line
    guessed = sum(guess("\n".join(filter(str.strip, text.split("\n")))) for text in texts)
    if total * _PART_OF_GUESS < guessed:
        raise BrokenContractError(
            f"counted {total} tokens in {size} characters, where about {guessed} are likely"
        )


def check_selection(answer: object, ids: Collection[str]) -> Selection:
    """Return a packer's answer with plain values; raise if it is not a selection of these candidates."""
    from satchel.items import Selection

    _require_a(answer, Selection, "returned")
    given: Any = answer
    if not is_a(given.choices, Mapping):
        raise BrokenContractError(f"choices is {a(given.choices)}, not options by id")
    choices = {
        plain_text(key, "an id in choices"): plain_int(option, "an option in choices")
        for key, option in pairs(given.choices, len(ids), "choices")
    }
    return Selection(choices, plain_int(given.tokens, "tokens"), plain_float(given.worth, "worth", least=0.0))


def check_message(answer: object) -> Message | None:
    """Return a compressor's answer as a new message, or None; raise unless it is a speaker's text."""
    from satchel.messages import Block, BlockKind, Message

    if answer is None:
        return None
    if not is_a(answer, Message):
        raise BrokenContractError(f"returned {a(answer)}, not a message")
    given: Any = answer
    role = plain_text(given.role, "role")
    if role not in ("user", "assistant"):
        raise BrokenContractError(f"returned a message of the role {role!r:.60}")
    said = []
    for block in _to_list(given.blocks, "blocks"):
        _require_a(block, Block, "a block is")
        kind = block.kind
        if kind is not BlockKind.TEXT:
            raise BrokenContractError("returned a message that is empty or more than text")
        said.append(replace_surrogates(plain_text(block.text, "a block's text")))
    if not "".join(said).strip():
        raise BrokenContractError("returned a message that is empty or more than text")
    return Message(role, tuple(Block(BlockKind.TEXT, text) for text in said))


_MOST_MESSAGES = 1_000_000
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_RAW = (dict, list, str, int, float, bool, type(None))
_PLAIN_BLOCK = (("text", str), ("name", str), ("id", str), ("error", bool), ("fixed", bool), ("free", bool))


def check_format_rules(rules: object) -> FormatRules:
    """Return the rules of a message format; raise if one has the wrong type."""
    from satchel.interfaces import FormatRules

    if not is_a(rules, FormatRules):
        raise BrokenContractError(f"rules is {a(rules)}, not FormatRules")
    given = dict(zip(FormatRules._fields, _members(rules), strict=True))
    kept = frozenset(plain_texts(given.pop("kept_history"), "kept_history"))
    return FormatRules(**{name: plain_flag(flag, name) for name, flag in given.items()}, kept_history=kept)


def check_signs(answer: Iterable[object]) -> list[FormatSign]:
    """Return the first sure sign and the first unsure one; raise for anything but a sign."""
    from satchel.interfaces import FormatSign

    found: dict[bool, FormatSign] = {}
    for sign in iterate(answer, "signs"):
        _require_a(sign, FormatSign, "returned")
        what, message, sure = _members(sign)
        is_sure = plain_flag(sure, "sure")
        found.setdefault(
            is_sure, FormatSign(plain_text(what, "what"), plain_int(message, "message", least=-1), is_sure)
        )
        if len(found) == 2:
            break
    return list(found.values())


def check_messages(answer: Iterable[object]) -> tuple[Message, ...]:
    """Return messages that a format read: the same objects, by which later changes are detected."""
    from satchel.messages import Message

    messages: list[Any] = at_most(answer, _MOST_MESSAGES, "the messages")
    for at, message in enumerate(messages):
        if type(message) is not Message:
            raise BrokenContractError(f"message {at} is {a(message)}, not a Message")
        what = f"message {at}"
        if type(message.role) is not str or message.role not in _ROLES:
            raise BrokenContractError(f"{what}: role is not one of {', '.join(sorted(_ROLES))}")
        _require_type(message.index, int, f"{what}: index")
        _require_type(message.outside, bool, f"{what}: outside")
        _check_blocks(message.blocks, f"{what}: blocks")
        if message.original is not message.blocks:
            _check_blocks(message.original, f"{what}: original")
        _check_raw(message.raw, what)
    return tuple(messages)


def _check_blocks(blocks: Any, what: str, *, inner: bool = False) -> None:
    from satchel.messages import Block, BlockKind

    _require_type(blocks, tuple, what)
    for block in blocks:
        _require_type(block, Block, f"one of {what}")
        _require_type(block.kind, BlockKind, f"kind of {what}")
        for name, kind in _PLAIN_BLOCK:
            _require_type(getattr(block, name), kind, f"{name} of {what}")
        _check_raw(block.raw, what)
        if inner:
            _require_type(block.blocks, tuple, f"blocks inside of {what}")
        else:
            _check_blocks(block.blocks, what, inner=True)


def _check_raw(raw: Any, what: str) -> None:
    if type(raw) not in _RAW:
        raise BrokenContractError(f"{what}: raw is {a(raw)}, not JSON")


def _require_type(value: Any, kind: type, what: str) -> None:
    if type(value) is not kind:
        raise BrokenContractError(f"{what} is {a(value)}, not {kind.__name__}")


def check_mended(answer: Any) -> tuple[tuple[Message, ...], tuple[Flaw, ...]]:
    """Return mended messages and their flaws; raise if either is invalid."""
    from satchel.messages import Flaw

    messages, flaws = at_most(answer, 2, "what mend returns")
    checked = []
    for flaw in at_most(flaws, _MOST_MESSAGES, "the flaws"):
        _require_a(flaw, Flaw, "returned")
        index = plain_int(flaw.index, "index", least=-1)
        checked.append(Flaw(index, plain_text(flaw.rule, "rule"), plain_text(flaw.what, "what")))
    return check_messages(messages), tuple(checked)


def check_json(answer: Any, *kinds: type) -> Any:
    """Return a value for a request; raise if it has none of the types, by default JSON's."""
    for one in (answer, *(answer if type(answer) is list else ())):
        if type(one) not in (kinds if kinds and one is answer else _RAW):
            raise BrokenContractError(
                f"returned {a(answer)}{'' if one is answer else f' with {a(one)}'}, not JSON"
            )
    return answer


def check_draft(draft: Any) -> TranscriptDraft:
    """Return the draft of a session file; raise if a part of it is invalid."""
    if type(draft).__name__ != "TranscriptDraft":
        raise BrokenContractError(f"returned {a(draft)}, not a TranscriptDraft")
    for name in ("model", "instructions"):
        _require_type(getattr(draft, name), str, name)
    for name in ("context_tokens", "beside"):
        plain_int(getattr(draft, name), name)
    _require_type(draft.is_bare, bool, "is_bare")
    _require_type(draft.first, dict, "first")
    for name in ("document", "window"):
        _check_objects(getattr(draft, name), name)
    _require_type(draft.at, list, "at")
    for at in draft.at:
        plain_float(at, "at")
    _require_type(draft.usages, dict, "usages")
    for place, usage in draft.usages.items():
        plain_int(place, "a place of usages")
        for tokens in _members(usage):
            plain_int(tokens, "a usage")
    _require_type(draft.compactions, list, "compactions")
    for compaction in draft.compactions:
        place, before, after, text, at = _members(compaction)
        plain_int(place, "place of a compaction")
        _check_objects(list(_members(before)), "before of a compaction")
        _check_objects(list(_members(after)), "after of a compaction")
        _require_type(text, str, "text of a compaction")
        plain_float(at, "at of a compaction")
    return draft  # type: ignore[no-any-return]


def _check_objects(messages: Any, what: str) -> None:
    _require_type(messages, list, what)
    for message in messages:
        _require_type(message, dict, f"one of {what}")
