"""Context of the workspace in the current folder for `llm`: a fragment, tools and a template."""

from collections.abc import Callable

import llm

import satchel


def pack(task: str) -> str:
    """Return the code and documents of this workspace that matter for a task, within 8,000 tokens."""
    return satchel.pack(task, budget=8_000).text


def expand(pointer: str) -> str:
    """Return what a pointer of a pack stands for, like src/app.py:10-40, within 8,000 tokens."""
    return satchel.expand(pointer, budget=8_000)


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    """Add `llm -f satchel:TASK`."""
    register("satchel", lambda task: llm.Fragment(pack(task), f"satchel:{task}"))


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Add `llm -T satchel_pack -T satchel_expand`."""
    register(pack, name="satchel_pack")
    register(expand, name="satchel_expand")


@llm.hookimpl
def register_template_loaders(register: Callable[..., None]) -> None:
    """Add `llm -t satchel:TASK`."""
    register("satchel", _make_template)


def _make_template(task: str) -> llm.Template:
    return llm.Template(name="satchel", fragments=[f"satchel:{task}"], prompt=f"{task}\n\n$input")
