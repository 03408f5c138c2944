"""Put a document into a template: the task and words of your own around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from satchel.errors import UsageError
from satchel.patterns import lazily
from satchel.spelling import nearest

if TYPE_CHECKING:
    from satchel.tokens.counting import Counter

PLACEHOLDERS = ("context", "task", "workspace")
"""Names for double braces in a template: the document, the task, the name of the folder."""
_PLACEHOLDER = lazily(r"\{\{\s*(\S*?)\s*\}\}")
_FOLDER = Path(__file__).with_name("templates")
_MOST_BYTES = 1_000_000
_BORDER_TOKENS = 2
"""Extra tokens if text follows a document, since the line ends between may merge."""


class DocumentFrame(NamedTuple):
    """The text above and below a document."""

    above: str = ""
    below: str = ""

    def count_above(self, counter: Counter, prologue: str) -> int:
        """Return the tokens that the upper part adds to a document that begins with `prologue`."""
        if not self.above:
            return 0
        both, alone = counter.count([self.above + prologue, prologue])
        return both - alone

    def count_below(self, counter: Counter, document: str) -> int:
        """Return the tokens that the lower part adds to a document."""
        if not self.below:
            return 0
        last = document[document.rfind("\n", 0, -1) + 1 :]
        both, alone = counter.count([last + self.below, last])
        return both - alone

    def reserve(self, counter: Counter, prologue: str) -> int:
        """Return the most tokens that both parts need."""
        below = counter.count([self.below])[0] + _BORDER_TOKENS if self.below else 0
        return self.count_above(counter, prologue) + below


def list_templates() -> list[str]:
    """Return the names of satchel's own templates."""
    return sorted(file.name.removesuffix(".md") for file in _FOLDER.iterdir() if file.name.endswith(".md"))


def read_template(name: str) -> str:
    """Return the text of a template: one of satchel's own, or a file.

    Raises:
        UsageError: there is neither, or the file can't be read as text.
    """
    if name in list_templates():
        return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    path = Path(name).expanduser()
    if not path.is_file():
        known = list_templates()
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"the templates are {', '.join(known)}"
        raise UsageError(f"template {name}: no such file; {hint}")
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"template {name} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"template {name} is not UTF-8 at byte {error.start}") from error
    if len(data) > _MOST_BYTES:
        raise UsageError(f"template {name} has more than {_MOST_BYTES:,} bytes")
    return text


def fill_template(template: str, *, task: str, workspace: str) -> DocumentFrame:
    """Return the text above and below the document of a template.

    `{{task}}` and `{{workspace}}` are replaced, once: braces in a task are text. The document takes the place
    of `{{context}}`, on lines of its own.

    Raises:
        UsageError: a placeholder is unknown, or `{{context}}` is not there exactly once.
    """
    values = {"task": task.strip(), "workspace": workspace}
    sides = [""]
    at = 0
    for found in _PLACEHOLDER.finditer(template):
        sides[-1] += template[at : found.start()]
        at = found.end()
        if found[1] == "context":
            sides.append("")
        else:
            sides[-1] += _value_of(found, values, template)
    sides[-1] += template[at:]
    if len(sides) != 2:
        raise UsageError(f"the template must have {{{{context}}}} exactly once, not {len(sides) - 1} times")
    above, below = sides
    above = f"{above.rstrip(' ')}\n" if above.strip() and not above.endswith("\n") else above
    below = below.removeprefix("\n")
    return DocumentFrame(above, below if below.endswith("\n") or not below else f"{below}\n")


def _value_of(found: re.Match[str], values: dict[str, str], template: str) -> str:
    if found[1] not in values:
        line = template.count("\n", 0, found.start()) + 1
        known = ", ".join(f"{{{{{name}}}}}" for name in PLACEHOLDERS)
        raise UsageError(f"the template's line {line}: {found[0]} is unknown; it may have {known}")
    return values[found[1]]
