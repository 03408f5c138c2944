"""Models by name: their windows, and the ratio of their tokens to satchel's counts."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from satchel.errors import UnknownNameError
from satchel.patterns import lazily
from satchel.spelling import nearest

# factors are used as ten-thousandths: in integers, converting there and back never increases a count
_FINE = 10_000


class Model(NamedTuple):
    """A model's window and its vocabulary.

    `context_tokens` is the window in the model's own tokens, input and answer together;
    `reply_tokens` the longest answer it can give, None if its maker names none. Counts are taken
    in `encoding`. A count of n is about `n * factor` tokens of the model,
    and 95 % of files have no more than `n * factor_p95`: a budget of b model tokens is `b / factor`
    counted ones to plan with, `b / factor_p95` to be on the safe side. `exact` holds where the
    vocabulary is the counted one, and then both factors are 1.
    """

    name: str
    family: str
    context_tokens: int
    reply_tokens: int | None = None
    encoding: str = "o200k_base"
    factor: float = 1.0
    factor_p95: float = 1.0
    exact: bool = False

    @property
    def counted(self) -> Model:
        """Return it with counted tokens as its tokens, for budgets in counted tokens."""
        return self._replace(factor=1.0, factor_p95=1.0)

    @property
    def unit(self) -> str:
        """Return the name for commands to count in its tokens, "" if it needs none."""
        return "" if self.exact and self.encoding == "o200k_base" else self.name

    def to_model_tokens(self, counted: int) -> int:
        """Return the approximate tokens of the model for `counted` tokens of `encoding`, rounded up."""
        return -(-counted * round(self.factor * _FINE) // _FINE)

    def countable(self, tokens: int, *, safe: bool = False) -> int:
        """Return the largest count whose `to_model_tokens` is at most `tokens`; `safe` uses `factor_p95`."""
        factor = self.factor_p95 if safe else self.factor
        return max(0, tokens) * _FINE // round(factor * _FINE)


class UnknownModelWarning(UserWarning):
    """A model's name is not in the table: its tokens are estimated."""


_ESTIMATED = (1.20, 1.50)
"""Factors of an unlisted model: as wide as the widest unmeasured one."""


@cache
def _table() -> Mapping[str, Any]:
    """Read `models.json`: models by the beginning of their names, other names and spellings for them.

    The longest name that begins the given one is taken, so a family's last line answers for its unnamed
    members. `factor` is for code, the dearest common kind of text, measured over 6,094 files against
    o200k (mean and 95th percentile per file); OpenAI's own vocabularies are counted as they are. Those of
    Gemini and of makers whose vocabulary was not measured are assumed; that of DeepSeek V4 is used for V3
    and R1; any unknown Claude has the highest one. `spellings` are those of other makers and servers.
    """
    held: dict[str, Any] = json.loads(
        resources.files("satchel.tokens").joinpath("models.json").read_text("utf-8")
    )
    held["models"] = {str(row["name"]): row for row in held["models"]}
    return held


_SIMILAR = 0.75
"""Similarity of words from which one may be the other misspelt: `opsu` and `opus` have .75."""
_SIZE = lazily(r":\d+(?:\.\d+)?b\b", re.IGNORECASE)


def model_names() -> tuple[str, ...]:
    """Return the names and name beginnings that `find_model` knows, sorted."""
    return tuple(sorted(_table()["models"]))


def find_model(name: str) -> Model:
    """Return the model called `name`, as makers, routers, servers and people spell it.

    A provider in front (`anthropic/`, `openrouter/anthropic/`, `bedrock/us.anthropic.`), a date or a
    size behind and a tag (`:free`, `:70b`) are allowed. Raises UnknownNameError with the nearest name.
    """
    table, plain = _table(), _plain(name)
    if not _SIZE.search(name):  # `mistral:7b` is one of a family, not the one that most people mean
        plain = table["aliases"].get(plain, plain)
    known = [one for one in table["models"] if _begins(one, plain)]
    if not known:
        raise UnknownNameError("model", name, model_names())
    row = table["models"][max(known, key=len)]
    return Model(
        name,
        **table["vocabularies"][row["vocabulary"]],
        context_tokens=row["window"],
        reply_tokens=row["reply"],
    )


def find_or_estimate(name: str, *, warns: bool = True) -> Model:
    """Return the model called `name`; an unknown one is estimated, with an `UnknownModelWarning`.

    A known name with a misspelt word is warned of, too. The window of an unknown model is 0. Without `warns`
    there is no warning, because it was given before.
    """
    if warns and (doubt := describe_doubt(name)):
        warnings.warn(doubt, UnknownModelWarning, stacklevel=2)
    try:
        return find_model(name)
    except UnknownNameError:
        factor, most = _ESTIMATED
        return Model(name, "unknown", 0, factor=factor, factor_p95=most)


def describe_doubt(name: str) -> str:
    """Return the doubt about a model's name: it is unknown, or misspelt; "" if there is none."""
    try:
        found = find_model(name)
    except UnknownNameError as error:
        return f"{error.summary.rstrip('?')}; its tokens are estimated"
    meant = _find_misspelt(name)
    if not meant:
        return ""
    return f"no model is called {name!r}; did you mean {meant!r}; its tokens are those of {found.family}"


_WORD = lazily(r"[a-z]{3,}")


@cache
def _list_words() -> frozenset[str]:
    """Return the words in names of models."""
    names = (*_table()["models"], *_table()["aliases"], *_table()["aliases"].values())
    return frozenset(word for name in names for word in _WORD.findall(name))


def _find_misspelt(name: str) -> str:
    """Return the name nearest to a misspelt one, "" if each of its words may well be new."""
    plain, known = _plain(name), _list_words()
    if plain in _table()["models"] or plain in _table()["aliases"]:
        return ""
    for word in _WORD.findall(plain):
        meant = nearest(word, known, cutoff=_SIMILAR) if word not in known else ""
        if meant and not word.startswith(meant):  # `flashx` is a name of its own
            return nearest(plain, (*_table()["models"], *_table()["aliases"])) or plain.replace(word, meant)
    return ""


def find_known(name: str) -> Model | None:
    """Return the model that a request or a session file names, None if the name is unknown."""
    try:
        return find_model(name) if name else None
    except UnknownNameError:
        return None


def _plain(name: str) -> str:
    last = name.strip().lower().rsplit("/", 1)[-1]
    last = re.sub(r"\[\w+\]$", "", last)  # Claude Code: claude-opus-4-6[1m]
    # Bedrock: us.anthropic.claude-...-v1:0; Ollama: llama3.1:70b; fine-tuned: ft:gpt-4o:acme::id
    last = last.removeprefix("ft:").split(":", 1)[0].split("@", 1)[0].replace("_", "-")
    last = re.sub(rf"^(?:[a-z]{{2,6}}\.)?(?:{_table()['makers']})\.(?=[a-z])", "", last)
    for spelling, plain in _table()["spellings"]:
        last = re.sub(spelling, plain, last)
    return last


def _begins(known: str, plain: str) -> bool:
    if not plain.startswith(known):
        return False
    rest = plain[len(known) :]
    if not known[-1].isdigit():
        return not rest or rest[0] in "-.0123456789"
    # "gpt-4" begins neither "gpt-4o" nor "gpt-4.9", "claude-opus-4" not "claude-opus-4-9"
    return not rest or (rest[0] == "-" and not re.match(r"-\d{1,2}(?:-|$)", rest))


LOCAL_ENDINGS = (".gguf",)
OLLAMA = "ollama:"


def is_local(model: str) -> bool:
    """Return whether a model's name is that of a file, of a folder by its path, or of a model of Ollama."""
    if model.startswith(OLLAMA) or model.lower().endswith(LOCAL_ENDINGS):
        return True
    # A provider's model is named with a slash too, like openai/gpt-5: a folder must be there.
    return Path(model).name != model and Path(model).is_dir()
