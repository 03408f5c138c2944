"""The page of `satchel report` in a browser: sizes, colours, keyboard, axe-core, and nothing that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.core.report.payloads import PAYLOADS, hostile_messages, hostile_output, hostile_pack
from tests.core.report.test_pages import talk

import satchel_plugins
from satchel import Host
from satchel.config import Config
from satchel.redaction import NO_SCANNERS
from satchel.report import ReportRequest, open_page, render_page

SIZES = [(360, 740), (800, 1000), (1440, 900)]
AXE = "axe_playwright_python"


class Shown(NamedTuple):
    """A page in the browser, and what it said and asked for."""

    page: Any
    events: list[str]


def write(path: Path, document: Any, **asked: Any) -> Path:
    host = Host.of(satchel_plugins, deadline_seconds=None)
    page = open_page(json.dumps(document).encode(), ReportRequest(**asked), host=host, config=Config())
    path.write_text(render_page(page, NO_SCANNERS), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        "talk": write(folder / "talk.html", talk(9), compact=900, store=str(folder), window=8_000),
        "pack": write(folder / "pack.html", hostile_pack()),
        "messages": write(folder / "messages.html", hostile_messages()),
        "output": write(folder / "output.html", hostile_output()),
    }


def show(chromium: Any, path: Path, **options: Any) -> Shown:
    page = chromium.new_context(**options).new_page()
    events: list[str] = []
    page.on("console", lambda message: events.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: events.append(f"error: {error}"))
    page.on("dialog", lambda dialog: events.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: events.append(f"request: {request.url}"))
    page.goto(path.as_uri())
    return Shown(page, events)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", ["talk", "pack", "messages", "output"])
def test_a_page_renders_and_loads_nothing(
    chromium: Any, pages: dict[str, Path], name: str, size: tuple[int, int]
) -> None:
    shown = show(chromium, pages[name], viewport={"width": size[0], "height": size[1]})

    assert shown.events == [f"request: {pages[name].as_uri()}"]
    assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert shown.page.title().startswith(("A pack", "A conversation", "A squeezed output"))
    for heading in ("The window", "Map", "Items"):
        assert shown.page.get_by_role("heading", name=heading, exact=True).is_visible()
    assert shown.page.get_by_role("group", name="map of the window").count() == 1


@pytest.mark.parametrize(("size", "scheme"), [(SIZES[0], "light"), (SIZES[1], "dark"), (SIZES[2], "light")])
@pytest.mark.parametrize("name", ["talk", "pack"])
def test_axe_finds_nothing(
    chromium: Any, pages: dict[str, Path], name: str, size: tuple[int, int], scheme: str
) -> None:
    axe = pytest.importorskip(AXE, reason="axe-core is not installed: pip install 'satchel[browser]'")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    viewport = {"width": size[0], "height": size[1]}
    # the page's own policy would not let axe run
    shown = show(chromium, pages[name], viewport=viewport, color_scheme=scheme, bypass_csp=True)
    shown.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    shown.page.add_script_tag(content=script)

    found = shown.page.evaluate("axe.run()")["violations"]

    assert [(one["id"], one["impact"], one["nodes"][0]["html"][:200]) for one in found] == []


def test_the_policy_stops_a_script_that_stands_in_the_file(
    chromium: Any, pages: dict[str, Path], tmp_path: Path
) -> None:
    text = pages["pack"].read_text(encoding="utf-8")
    forged = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
    (tmp_path / "forged.html").write_text(text.replace("</main>", f"{forged}</main>"), encoding="utf-8")

    shown = show(chromium, tmp_path / "forged.html")

    assert shown.page.title() != "ran"
    refused = [event for event in shown.events if "Content Security Policy" in event]
    assert len(refused) == 3, shown.events


def test_hostile_texts_stand_there_as_text(chromium: Any, pages: dict[str, Path]) -> None:
    shown = show(chromium, pages["pack"])

    text = shown.page.evaluate("document.querySelector('.items pre').textContent")
    assert PAYLOADS[0] in text
    assert shown.page.evaluate("document.querySelectorAll('script, img, iframe, base, object').length") == 0


def press(shown: Shown, key: str, until: str, most: int = 400) -> None:
    """Press a key until the focused element matches a selector."""
    for _ in range(most):
        shown.page.keyboard.press(key)
        if shown.page.evaluate("selector => document.activeElement.matches(selector)", until):
            return
    raise AssertionError(f"{key} never leads to {until}")


def test_everything_works_by_keyboard(chromium: Any, pages: dict[str, Path]) -> None:
    shown = show(chromium, pages["talk"], viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = shown.page

    press(shown, "Tab", "a.skip")
    assert page.locator("a.skip").is_visible()
    press(shown, "Tab", "#theme-auto")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    press(shown, "Tab", "svg a")
    href = page.evaluate("document.activeElement.getAttribute('href')")
    page.keyboard.press("Enter")
    assert page.locator(href).is_visible(), "a tile opens its item"
    press(shown, "Tab", ".items summary")
    before = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is not before
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_the_items_of_one_section_can_be_shown_alone(chromium: Any, pages: dict[str, Path]) -> None:
    shown = show(chromium, pages["talk"])
    rows = shown.page.locator(".items > li:visible")
    whole = rows.count()

    shown.page.get_by_role("radio", name="files").check()

    assert 0 < rows.count() < whole
    assert rows.count() == shown.page.locator(".items > li.i-files").count()


def test_what_a_screen_reader_says(chromium: Any, pages: dict[str, Path]) -> None:
    page = show(chromium, pages["talk"]).page

    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("navigation", name="Parts of this page").count() == 1
    assert page.get_by_role("img", name="stacked bar of the window").count() == 1
    assert page.get_by_role("table", name="Tokens by section").count() == 1
    assert (
        "tokens"
        in page.get_by_role("group", name="map of the window").get_by_role("link").first.aria_snapshot()
    )
