"""Providers: capped, checked, named, and never able to stop a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, cast

import attrs
import pytest

from satchel import ContextItem, Host, Provider, Task, Workspace
from satchel.host import Loaded, PluginKind
from satchel.packing import ActiveProvider, gather, merge_answers

from .fakes import Notes, host_with, note
from .repositories import Asked, packed
from .texts import file_item


@attrs.frozen
class Given:
    """A provider of what it is given."""

    name: ClassVar[str] = "given"
    wave: ClassVar[int] = 1
    items: tuple[object, ...] = ()
    max_items: int = 100
    max_tokens: int = 1_000

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        return self.items  # type: ignore[return-value]


def gathered(root: Path, *providers: Given) -> tuple[list[ContextItem], list[str]]:
    host = Host.empty()
    loaded = Loaded(PluginKind.PROVIDER, "given", Given, "test")
    sources = [ActiveProvider(loaded, cast(Provider, one)) for one in providers]
    workspace = Workspace.open(root)
    found = gather(host, sources, Task("x"), workspace=workspace)
    workspace.close()
    return [item for some in found for item in some], [problem.error for problem in host.problems]


def test_a_provider_that_floods_is_cut_and_said_so(polyglot: Path) -> None:
    bundle = packed("login", polyglot, 5_000, Asked(host=host_with(providers=[Notes])))

    assert [item.title for item in bundle.items if item.provider == "many_notes"] == [
        "note 0",
        "note 1",
        "note 2",
    ]
    assert [(problem.plugin, problem.stage) for problem in bundle.problems] == [("many_notes", "gather")]
    assert "3" in bundle.problems[0].error
    assert "src/shop/login.py" in [item.path for item in bundle.items]


def test_items_are_named_after_their_provider(polyglot: Path) -> None:
    found, problems = gathered(polyglot, Given(items=(note(1), note(2))))

    assert [(item.id, item.provider) for item in found] == [("note:1", "given"), ("note:2", "given")]
    assert problems == []


def test_a_provider_is_cut_at_its_tokens_and_said_so(polyglot: Path) -> None:
    found, problems = gathered(
        polyglot, Given(items=tuple(note(number, size=100) for number in range(9)), max_tokens=900)
    )

    assert 0 < len(found) < 9
    assert "more tokens than 900" in problems[0]
    assert f"its last {9 - len(found)} of kind note" in problems[0]


def test_an_item_that_names_a_file_that_is_not_there_is_left_out_alone(polyglot: Path) -> None:
    items = (file_item("x", "nosuch.py"), file_item("x", "../../etc/passwd"), note(1))

    found, problems = gathered(polyglot, Given(items=items))

    assert [item.id for item in found] == ["note:1"]
    assert len(problems) == 2


@pytest.mark.parametrize("junk", [None, 3, "text", attrs.evolve(note(1), relevance=float("nan"))])
def test_a_provider_that_answers_junk_is_left_out(polyglot: Path, junk: object) -> None:
    found, problems = gathered(polyglot, Given(items=(junk,)), Given(items=(note(7),)))

    assert [item.id for item in found] == ["note:7"]
    assert len(problems) == 1


def test_the_first_item_of_an_id_stays() -> None:
    one, other = note(1), attrs.evolve(note(1), title="another")

    assert tuple(merge_answers([[one, note(2)], [other]]).items) == (one, note(2))


def test_a_file_offered_twice_is_lifted_with_its_listed_facts_and_its_lines() -> None:
    listed = attrs.evolve(file_item("a.py", "x\n"), text=None, content="abc", relevance=0.4)
    named = attrs.evolve(listed, content="", provider="errors", relevance=0.9, lines=(3, 4))

    for offered in ([named, listed], [listed, named]):
        gathered = merge_answers([offered])

        assert gathered.lifted == tuple(gathered.items)
        assert gathered.items[0].content == "abc"
        assert (gathered.items[0].relevance, gathered.items[0].lines) == (0.9, (3, 4))


def test_what_providers_bring_stands_before_files() -> None:
    file = file_item("a.py", "x\n")

    assert tuple(merge_answers([[file, note(1)]]).items) == (note(1), file)


def test_a_file_that_is_shown_as_instructions_is_no_item_of_its_own() -> None:
    file = file_item("AGENTS.md", "x\n")
    instructions = attrs.evolve(file, id="instructions:AGENTS.md", kind="instructions")

    assert tuple(merge_answers([[file, instructions]]).items) == (instructions,)


def test_an_items_own_text_is_shown_and_counted(polyglot: Path) -> None:
    text = packed("note 1", polyglot, 5_000, Asked(host=host_with(providers=[Notes]))).text

    assert "note 1\nnote 1\n" in text


def test_items_with_texts_of_their_own_have_pointers_of_their_own(polyglot: Path) -> None:
    items = packed("note", polyglot, 5_000, Asked(host=host_with(providers=[Notes]))).items

    pointers = {item.pointer for item in items if item.provider == "many_notes"}
    assert len(pointers) == 3
    assert "satchel://blob/" not in pointers


def test_no_secret_stands_in_what_a_provider_writes(polyglot: Path) -> None:
    key = "AKIA" + "Z7QK3VXW5RTYUIOP"
    block = [f"{number:02}" + "kJ8x" * 15 + "zQ" for number in range(10)]
    lines = [
        "the key of the shop",
        "-----BEGIN RSA PRIVATE" + " KEY-----",
        *block,
        "-----END RSA PRIVATE" + " KEY-----",
    ]
    (polyglot / "keys.txt").write_text("\n".join(lines))
    (polyglot / ".env").write_text(f"KEY={key}\n")
    mine = attrs.evolve(file_item("file:keys.txt", "keys.txt"), kind="excerpt")
    items = (
        attrs.evolve(note(1), title=f"note of {key}"),
        attrs.evolve(note(2), text=None, note=f"named {key}"),
        attrs.evolve(mine, title="lines of keys.txt", text="\n".join(block[3:6])),
        attrs.evolve(mine, id="x", title="all of it", path=".env", text="first of all"),
    )

    found, problems = gathered(polyglot, Given(items=items))

    assert [problem.rpartition(".env ")[2] for problem in problems] == [
        "holds credentials, which are never shown"
    ]
    assert [len(item.title) > 0 for item in found] == [True] * 3
    assert not any(key in f"{item.title} {item.note} {item.text}" for item in found)
    assert not any(line in (found[2].text or "") for line in block)
