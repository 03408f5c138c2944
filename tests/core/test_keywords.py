"""Keywords of public functions that take them as a dictionary."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import satchel
from satchel import PointerError
from satchel.archive import Archive
from satchel.output import squeeze_stream

MESSAGES = [{"role": "user", "content": "say something"}]


@pytest.mark.parametrize(
    ("call", "name", "hint"),
    [
        (lambda **more: satchel.compact(MESSAGES, budget=900, **more), "compact", ("strategi", "strategy")),
        (lambda **more: satchel.squeeze("a\n", **more), "squeeze", ("comand", "command")),
        (
            lambda **more: squeeze_stream([b"a"], archive=Archive(Path()), **more),
            "squeeze",
            ("qestion", "question"),
        ),
        (lambda **more: satchel.expand("a.py", **more), "expand", ("hosts", "host")),
    ],
)
def test_an_unknown_keyword_is_refused_with_the_nearest_one(
    call: Callable[..., Any], name: str, hint: tuple[str, str]
) -> None:
    wrong, right = hint

    with pytest.raises(
        TypeError, match=rf"{name}\(\) got an unexpected keyword argument '{wrong}'.*'{right}'"
    ):
        call(**{wrong: "x"})


def test_options_can_be_written_once_and_handed_on(tmp_path: Path) -> None:
    options: satchel.CompactOptions = {"store": tmp_path, "format": "openai", "strategy": "recent"}
    known: satchel.SqueezeOptions = {"command": "make", "exit_code": 2}

    assert satchel.compact(MESSAGES, budget=900, **options).messages == MESSAGES
    assert satchel.squeeze("error: no rule\n", store=tmp_path, **known).text == "error: no rule\n"


def test_expand_reads_the_store_it_is_given(tmp_path: Path) -> None:
    with pytest.raises(PointerError):
        satchel.expand("blob:" + "0" * 64, tmp_path, store=tmp_path)
