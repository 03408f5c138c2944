"""What the site has beside docs/: pages from the top of the repository, the API, a gallery of reports."""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE")
API = {
    "satchel": "What users import",
    "satchel.plugin_api": "What plugins import",
    "satchel.hookspecs": "Hooks",
    "satchel.errors": "Errors",
    "satchel.items": "Items",
    "satchel.messages": "Messages",
    "satchel.events": "Events",
}
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def _outside() -> dict[str, str]:
    """Return the files of the repository that the site has as pages: path -> path of the page."""
    found = {name: f"project/{name if name.endswith('.md') else f'{name}.md'}" for name in TOP}
    for readme in sorted([*ROOT.glob("examples/*/README.md"), *ROOT.glob("contrib/*/README.md")]):
        path = readme.relative_to(ROOT).as_posix()
        found[path] = found[posixpath.dirname(path)] = f"project/{path}"
    for script in sorted(ROOT.glob("examples/*.py")):
        found[f"examples/{script.name}"] = f"project/examples/{script.stem}.md"
    return found


def _content(path: str) -> str:
    """Return a file as a page; what is not Markdown stands there as code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    language = "python" if path.endswith(".py") else "text"
    return f"# {posixpath.basename(path)}\n\n````{language}\n{text}\n````\n"


def on_config(config: Any) -> Any:
    """Put the pages of a folder in the place of its name in the navigation."""
    config["nav"] = [_unfold(entry) for entry in config["nav"]]
    return config


def _unfold(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {title: _unfold(one) for title, one in entry.items()}
    if isinstance(entry, list):
        return [page for one in entry for page in _list_folder(one)]
    return entry


def _list_folder(entry: Any) -> list[Any]:
    if entry == "api/":
        return [f"api/{module}.md" for module in API]
    if isinstance(entry, str) and entry.endswith("/"):
        return [f"{entry}{page.name}" for page in sorted((ROOT / "docs" / entry).glob("*.md"))]
    return [_unfold(entry)]


def _api_text(module: str, title: str) -> str:
    """Return the page of a module; where it only hands on names of others, one entry for each of them."""
    held = importlib.import_module(module)
    names = getattr(held, "__all__", ())
    made = {name: getattr(held, name) for name in names}
    homes = {
        name: one.__module__ for name, one in made.items() if inspect.isclass(one) or inspect.isfunction(one)
    }
    if not any(home != module for home in homes.values()):
        return f"# {title}\n\n::: {module}\n"
    entries = [
        f"::: {home}.{name}\n    options: {{heading_level: 2, show_root_full_path: false}}\n"
        for name, home in sorted(homes.items(), key=lambda one: one[0].lower())
        if home.startswith("satchel") and home != module
    ]
    return f"# {title}\n\n`from {module} import ...`\n\n{chr(10).join(entries)}"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that stand nowhere in docs/."""
    for path, page in _outside().items():
        if (ROOT / path).is_file():
            files.append(File.generated(config, page, content=_content(path)))
    for module, title in API.items():
        files.append(File.generated(config, f"api/{module}.md", content=_api_text(module, title)))
    files.append(File.generated(config, "gallery/index.md", content=_gallery_text()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lead links from one part of the repository to another to the pages of the site."""
    source = _source_of(page.file.src_uri)
    spans = [match.span() for match in _CODE.finditer(markdown)]

    def lead(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in spans):
            return match[0]
        return f"]({_lead(match[1], source, page.file.src_uri)})"

    return _LINK.sub(lead, markdown)


def _source_of(uri: str) -> str:
    """Return the path in the repository of what a page shows."""
    pages = {page: path for path, page in _outside().items() if (ROOT / path).is_file()}
    return pages.get(uri, f"docs/{uri}")


def _lead(link: str, source: str, uri: str) -> str:
    if re.match(r"[a-z]+:|#", link):
        return link
    path, mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    page = _outside().get(target.rstrip("/"), target.removeprefix("docs/"))
    return f"{posixpath.relpath(page, posixpath.dirname(uri) or '.')}{mark}{anchor}"


def _gallery_text() -> str:
    from gallery import PAGES

    rows = "\n".join(
        f'- <a href="{name}.html">{about}</a>, made by `{command}`'
        for name, (about, command) in PAGES.items()
    )
    about = "Each is one file without a script; they are made anew with the site."
    return f"# Pages of satchel report\n\n{about}\n\n{rows}\n"


def on_post_build(config: Any) -> None:
    """Write the pages of the gallery beside its list."""
    from gallery import write_gallery

    write_gallery(Path(config["site_dir"]) / "gallery")
