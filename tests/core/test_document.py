"""Line numbers and templates: what stands in the document, and that every token of it is counted."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples

import satchel
from satchel import BudgetError, PackOptions, UnknownNameError, UsageError
from satchel.packing import fill_template, list_templates, read_template

from .repositories import recount, write_files
from .texts import odd_texts

LOGIN = "src/shop/login.py"
TASK = "login fails with a wrong password"
FORMS = ("markdown", "xml")
_NUMBERED = re.compile(r"(\d+)\t(.*)")


@pytest.mark.costly
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("budget", [150, 400, 3_000])
def test_numbered_lines_are_those_of_the_files_and_every_token_is_counted(
    polyglot: Path, budget: int, form: str
) -> None:
    options = PackOptions(line_numbers=True, form=form)
    bundle = satchel.pack(TASK, polyglot, budget=budget, options=options)

    assert bundle.tokens == recount(bundle.text) <= budget
    shown = [item for item in bundle.items if item.kind == "file" and item.level != "pointer"]
    assert shown
    for item in shown:
        lines = (polyglot / item.path).read_text().splitlines()
        numbered = [found for line in item.text.splitlines() if (found := _NUMBERED.fullmatch(line))]
        others = {line.rstrip("0123456789") for line in item.text.splitlines() if not _NUMBERED.match(line)}
        assert others <= {"...", "... "}
        if form == "markdown":
            assert all(lines[int(found[1]) - 1] == found[2] for found in numbered)


@given(texts=st.lists(odd_texts, min_size=1, max_size=3), form=st.sampled_from(FORMS))
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_odd_lines_with_numbers_are_counted_exactly(texts: list[str], form: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), {f"login{at}.txt": text for at, text in enumerate(texts)})
        options = PackOptions(line_numbers=True, form=form)
        bundle = satchel.pack("login", folder, budget=300, options=options)

    assert bundle.tokens == recount(bundle.text) <= 300


@pytest.mark.weekly
def test_a_numbered_pack_is_the_same_again(polyglot: Path) -> None:
    options = PackOptions(line_numbers=True)

    first = satchel.pack(TASK, polyglot, budget=600, options=options)
    assert satchel.pack(TASK, polyglot, budget=600, options=options).text == first.text


@pytest.mark.weekly
def test_a_numbered_file_that_the_reader_has_is_shown_as_a_diff(polyglot: Path) -> None:
    options = PackOptions(line_numbers=True)
    first = satchel.pack(TASK, polyglot, budget=5_000, pins=[LOGIN], options=options)
    path = polyglot / LOGIN
    path.write_text(path.read_text() + "\nADDED_AT_THE_END = 1\n")

    again = satchel.pack(TASK, polyglot, budget=5_000, options=PackOptions(line_numbers=True, seen=first))

    diff = next(item.text for item in again.items if item.kind == "diff" and LOGIN in item.title)
    assert "+ADDED_AT_THE_END = 1" in diff
    assert "\n-" not in diff


@pytest.mark.costly
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", ["", "\n", "\n\n", "\n\n// and no more\n", " x"])
def test_a_template_stands_around_the_document_and_is_counted(polyglot: Path, form: str, ending: str) -> None:
    template = f"Of {{{{ workspace }}}}: {{{{task}}}}\n\n{{{{context}}}}{ending}"
    for budget in (120, 700):
        options = PackOptions(template=template, form=form)
        bundle = satchel.pack(TASK, polyglot, budget=budget, options=options)

        assert bundle.text.startswith(f"Of {polyglot.name}: {TASK}\n\n")
        assert bundle.text.rstrip("\n").endswith(ending.strip())
        assert bundle.tokens == recount(bundle.text) <= budget


def test_braces_of_a_task_are_text() -> None:
    frame = fill_template("{{task}}\n{{context}}", task="what is {{context}} or {{nothing}}", workspace="")

    assert frame.above == "what is {{context}} or {{nothing}}\n"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (
            "a\nb {{contxt}}",
            "line 2: {{contxt}} is unknown; it may have {{context}}, {{task}}",
        ),
        ("no document", "exactly once, not 0 times"),
        ("{{context}}{{context}}", "exactly once, not 2 times"),
        ("{{}} {{context}}", "line 1: {{}} is unknown"),
    ],
)
def test_a_bad_template_is_named(polyglot: Path, template: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        satchel.pack(TASK, polyglot, options=PackOptions(template=template))


def test_a_template_that_leaves_nothing_is_an_error(polyglot: Path) -> None:
    with pytest.raises(BudgetError, match="what is around the document"):
        satchel.pack(TASK, polyglot, budget=50, options=PackOptions(template="word " * 60 + "{{context}}"))


def test_the_templates_that_satchel_brings_are_whole() -> None:
    for name in list_templates():
        assert "{{task}}" in read_template(name)
        assert fill_template(read_template(name), task="t", workspace="w").above is not None


def test_an_unknown_template_tells_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean review"):
        read_template("reviev")


def test_an_unknown_form_names_the_two(polyglot: Path) -> None:
    with pytest.raises(UnknownNameError, match="markdown"):
        satchel.pack(TASK, polyglot, options=PackOptions(form="markdwn", line_numbers=True))


@pytest.mark.costly
@pytest.mark.parametrize("budget", [1_200, 4_000])
def test_a_short_instruction_file_is_in_every_pack(tmp_path: Path, budget: int) -> None:
    rules = "# Rules\n\n- Run `make waddle` before each commit.\n- Never touch `certs.py`.\n"
    code = "def redirect_session(request):\n    return request.session.redirect()\n\n\n"
    files = {f"session{at}.py": code.replace("request", f"request{at}") * 20 for at in range(12)}
    root = write_files(tmp_path / "w", {**files, "PENGUIN.md": rules})

    text = satchel.pack("fix redirects of sessions", root, budget=budget).text

    assert rules in text
