"""Split components of Vue and Svelte: the script by its definitions, and the rest of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from satchel.plugin_api import Part, lazily, lines_of
from satchel_plugins.representers.partition import Definition, Outline, partition
from satchel_plugins.representers.syntax import read_code

_TAG = lazily(r"<(?P<close>/?)(?P<name>script|template|style)\b[^<>]{0,400}>(?P<rest>[^\n]{0,400})")
_MACRO = lazily(r"(?:withDefaults\()?(?P<name>define(?:Props|Emits|Expose|Slots|Options|Model))\b")
_INSIDE = frozenset(" \t)}]>")
_USE = lazily(
    r"<([A-Z]\w{1,79}|[a-z]\w{0,40}(?:-\w{1,40}){1,6})\b|(?:@|v-on:|on:?)[\w:.|-]{1,60}=[\"'{]{1,2}\s*([A-Za-z_$]\w{1,79})"
    r"|(?<![\w.$])([A-Za-z_$]\w{1,79})\("
)
"""A use in a template: a component, a function that handles an event, or a called function."""


def component_parts(text: str) -> Sequence[Part]:
    """Return the definitions of the scripts, the template, the styles, and the text between."""
    lines = lines_of(text)
    sections = list(_find_sections(lines))
    scripts = [range(first, last - 1) for name, first, last in sections if name == "script"]
    code = ["" for _ in lines]
    for script in scripts:
        code[script.start : script.stop] = lines[script.start : script.stop]
    outline = read_code("\n".join(code), "TYPESCRIPT")
    others = [
        Definition(name, "section", first, last, (first, first))
        for name, first, last in sections
        if name != "script"
    ]
    inside = {
        number for each in others if each.name != "style" for number in range(each.first, each.last + 1)
    }
    uses = [(number, use) for number in sorted(inside) for use in _find_uses(lines[number - 1])]
    found = sorted((*outline.definitions, *_find_macros(code), *others), key=lambda each: each.first)
    return partition(text, Outline(found, outline.imports, sorted((*outline.refs, *uses))))


def _find_macros(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield a component's declarations without a name: `defineProps<{ size: number }>()`."""
    for number, line in enumerate(lines, 1):
        macro = _MACRO.match(line)
        if macro:
            below = takewhile(lambda one: one[:1] in _INSIDE, lines[number:])
            yield Definition(macro["name"], "property", number, number + len(list(below)), (number, number))


def _find_sections(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the first and the last line of each section; markup around them is a template too."""
    name, first, outside = "", 0, 0
    for number, line in enumerate((*lines, "<style>"), 1):
        tag = _TAG.match(line)
        if name:
            if tag and tag["close"] and tag["name"] == name:
                yield name, first, number
                name = ""
        elif tag and not tag["close"]:
            if outside:
                yield "template", outside, number - 1
            outside = 0
            if f"</{tag['name']}>" not in tag["rest"]:
                name, first = tag["name"], number
        elif line.strip() and not line.startswith("<!--"):
            outside = outside or number


def _find_uses(line: str) -> Iterator[str]:
    """Yield the names that a line of a template uses; `<user-card>` is the component `UserCard`."""
    for match in _USE.finditer(line[:1_000]):
        tag = match[1]
        if tag and "-" in tag:
            yield "".join(word.capitalize() for word in tag.split("-"))
        elif match.lastindex:
            yield match[match.lastindex]
