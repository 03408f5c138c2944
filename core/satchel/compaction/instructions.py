"""Find what a person laid down in passing: rules, corrections, decisions, what is to be remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from satchel.patterns import lazily

_LONGEST = 2_000
"""Characters of a message that is read from end to end; of a longer one, half of them at either end."""
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
"""How sentences begin that say what to do, and what not."""
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
"""Turns of phrase in the midst of sentences."""
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
"""Words of which one stands in each turn of phrase of another language that is written in Latin letters."""
_END = lazily(r"(?<!\b[DM]r)(?<!\bM[sx])(?<!\b[SN][to])(?<!e\.g)(?<!i\.e)[.!?](?=\s|$|[\"')*»])|[。！？]|\n")


def find_instructions(text: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end that lay something down, in order.

    It knows turns of phrase of a dozen languages: what they miss stands as long as there is room for it.
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
    """Tell whether a person lays something down in a message."""
    return next(find_instructions(text), None) is not None


def _ends_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that are read: a long one is mostly pasted."""
    if len(text) <= _LONGEST:
        yield 0, len(text)
    else:
        yield 0, _LONGEST // 2
        yield len(text) - _LONGEST // 2, len(text)


def _begin_of(text: str, at: int, least: int) -> int:
    """Return where the sentence begins that a place is in, behind an end that is not before `least`."""
    first = max(least, at - _SENTENCE // 2)
    begins = [found.end() for found in _END.finditer(text, first, at)]
    first = begins[-1] if begins else first
    return first + len(text[first:at]) - len(text[first:at].lstrip())
