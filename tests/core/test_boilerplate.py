"""Boilerplate: what the form of a report brings is left out of a task, what it is about stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Task
from satchel.references import make_task, strip_boilerplate

PATHS = ("src/app.py", "src/app/autodoc.py", "src/view.py")


@pytest.mark.parametrize(
    "line",
    [
        "<!-- say what happened -->",
        "- [x] I searched for it",
        "attrs          19.1.0",
        "pluggy==0.13.1",
        "numpy: 1.17.3",
        "- Python version: 3.8.2",
        "- OS: Linux",
        "No",
        "_No response_",
        "-------------- -------",
        "**Expected behavior**",
        "### Steps to reproduce",
        "Successfully installed attrs-19.1.0",
    ],
)
def test_what_every_report_holds_is_left_out(line: str) -> None:
    assert strip_boilerplate(f"Cut fails\n{line}\nagain").split() == ["Cut", "fails", "again"]


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] let src/app.py read it",
        "## Add a version to the header",
        "No file is found there",
        "timeout: 30 seconds are too few",
        "Python: the parser fails",
        "x = 1.5",
        "",
    ],
)
def test_what_is_asked_for_stays(line: str) -> None:
    task = f"Cut fails\n{line}\nwith an error"

    assert strip_boilerplate(task) == task


@pytest.mark.parametrize(
    "title",
    ["## Environment", "**Environment info**", "#### Versions", "### Sphinx extensions", "**Your project**"],
)
def test_a_section_on_versions_ends_at_the_next_heading(title: str) -> None:
    task = f"Cut fails\n{title}\nsphinx.ext.autodoc on a Mac\n## Proposal\nread more"

    assert strip_boilerplate(task) == "Cut fails\n## Proposal\nread more"


def test_such_a_section_ends_where_its_details_do() -> None:
    task = "Cut fails\n## Versions\n<details>\n```\nlibc 2\n```\n</details>\nIt worked before"

    assert strip_boilerplate(task).endswith("It worked before")
    assert "libc" not in strip_boilerplate(task)


def test_code_is_not_taken_for_a_heading() -> None:
    task = "Cut fails\n```\n# environment\ncut(1)\n```"

    assert strip_boilerplate(task) == task


def test_the_first_line_stays_whatever_it_says() -> None:
    assert strip_boilerplate("## Versions\nattrs 19.1.0") == "## Versions"


def named(text: str) -> set[str]:
    task: Task = make_task(text, PATHS)
    return {ref.path for ref in task.references}


def test_a_list_of_extensions_names_no_files_but_a_traceback_in_it_does() -> None:
    report = "Cut fails\n## Environment\napp.autodoc, view.py\n"

    assert "src/app/autodoc.py" not in named(report)
    assert named(f'{report}  File "src/app.py", line 3, in cut\n') == {"src/app.py"}
    assert named("Cut fails in view.py") == {"src/view.py"}


@given(st.text(st.sampled_from("<!->#* \nab:1.`[x]"), max_size=200))
def test_nothing_is_added_and_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = strip_boilerplate(text)

    assert len(once) <= len(text)
    assert set(once.split()) <= set(text.replace("<!--", " ").replace("-->", " ").split()) or "<!--" in text


@pytest.mark.parametrize("piece", ["<!--", "**a", "a " * 140 + "\n", "# " + "a " * 140 + "\n"])
def test_megabytes_take_little_time(piece: str) -> None:
    text = piece * (3_000_000 // len(piece))
    began = time.process_time()

    strip_boilerplate(text)

    assert time.process_time() - began < 5
