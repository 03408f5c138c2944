"""Look up a workspace's paths by the forms in which people and programs write them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, islice

from satchel.patterns import lazily
from satchel.spelling import nearest
from satchel.workspace.files.ignoring import compile_glob

_ALIKE = 0.7
"""Similarity of two names without their endings, 0 to 1, from which one may be meant by the other."""
_MOST_GLOBBED = 50
_MOST_FOUND = 10_000
"""Most answers that a long-lived process caches."""
_ANYBODYS = frozenset(
    {"__init__.py", "__main__.py", "conftest.py", "index.js", "index.ts", "lib.rs", "main.go", "main.js"}
    | {"main.py", "main.rs", "mod.rs", "setup.py", "types.py", "utils.py"}
)
"""Names so common that a match in another folder means nothing."""
PAGE = r"README|Readme|readme|CHANGELOG|CONTRIBUTING|LICENSE|SECURITY"
"""Names of a project's own pages, which folders and bundled projects have too."""
_PAGE_FILE = lazily(rf"(?:{PAGE})(?:\.\w{{1,9}})?")
_MODULE = lazily(r"\.(?:pyi?|java|kt|scala|groovy|cs|exs?|rb|lua|php|[jt]sx?)\Z")
_PACKAGES = lazily(r".*/(?:site-packages|dist-packages)/")
_NODE_PACKAGES = lazily(r".*/?node_modules/")
_GO_PACKAGES = lazily(r".*/pkg/mod/[^@]*@[^/]*/")
_STANDARD = lazily(
    r"/lib(?:64)?/python\d[\d.]*/|/[Pp]ython\.framework/|^<|^node:|^/rustc/|\.cargo/registry/"
    r"|/go/src/(?:runtime|net|testing|sync|os|reflect|internal)/|/libexec/src/|^(?:javax?|jdk|sun|kotlin|scala)/"
)


class KnownPaths:
    """Paths of a workspace, found by any suffix of whole components."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._found: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}

    def find(self, written: str) -> list[str]:
        """Return the paths that end in `written`, the shallowest first."""
        wanted = _components(written)
        if not wanted:
            return []
        found = [
            path for path in self._by_name.get(wanted[-1], ()) if path.split("/")[-len(wanted) :] == wanted
        ]
        return sorted(found, key=lambda path: (path.count("/"), path))

    def find_loosely(self, written: str) -> list[str]:
        """Return the result of `find`; for a longer path, by its longest known suffix of two or more parts.

        For an absolute path the file name alone is enough if only one file has it.
        """
        if written not in self._found:
            if len(self._found) > _MOST_FOUND:
                self._found.clear()
            self._found[written] = self._loosely(written)
        return self._found[written]

    def _loosely(self, written: str) -> list[str]:
        parts = _components(written)
        whole = self.find(written)
        if whole or len(parts) < 2:
            exact = [path for path in whole if path == "/".join(parts)]
            return exact if exact and (len(parts) > 1 or _PAGE_FILE.fullmatch(written)) else whole
        found = (self.find("/".join(parts[start:])) for start in range(1, len(parts) - 1))
        suffixed = next(filter(None, found), [])
        is_absolute = written.startswith(("/", "\\")) or written[1:2] == ":"
        return suffixed or (self._by_unique_name(parts[-1]) if is_absolute else [])

    def _by_unique_name(self, name: str) -> list[str]:
        named = self._by_name.get(name, [])
        return list(named) if len(named) == 1 and name not in _ANYBODYS else []

    def find_page(self, name: str) -> list[str]:
        """Return the page of that name at the top of the workspace, with any ending; [] if there is none.

        Of `README.md` and its translation `README.de.md` it is the first.
        """
        named = [path for path in self._all() if "/" not in path and _has_name(path, name)]
        return sorted(named, key=lambda path: (path.count("."), path))[:1]

    def find_frame(self, written: str) -> list[str]:
        """Return the files that a traceback's path may mean; none for the standard library.

        The path of an installed package means a workspace file if its full path exists there.
        """
        path = written.replace("\\", "/")
        if installed := _PACKAGES.match(path) or _GO_PACKAGES.match(path):
            inner = path[installed.end() :]
            return self.find(inner) if "/" in inner else []
        if installed := _NODE_PACKAGES.match(path):
            inner = path[installed.end() :]
            rooted = inner.partition("/")[2]
            return self.find(inner) or [one for one in self.find(rooted) if one == rooted and "/" in rooted]
        return [] if _STANDARD.search(path) else self.find_loosely(written)

    def find_module(self, names: Sequence[str]) -> tuple[str, int]:
        """Return the file of a dotted name and the number of names that it uses; ("", 0) if there is none.

        At least two names must match folders and the file: `shop.cart.Cart` is shop/cart.py, 2.
        """
        stems = self._module_stems()
        for count in range(len(names), 1, -1):
            wanted = list(names[:count])
            found = [path for path in stems.get(wanted[-1], ()) if _module_names(path)[-count:] == wanted]
            if found:
                return min(found, key=lambda path: (path.count("/"), path)), count
        return "", 0

    def _module_stems(self) -> dict[str, list[str]]:
        if not self._stems:
            for path in chain.from_iterable(self._by_name.values()):
                if _MODULE.search(path):
                    self._stems.setdefault(_module_names(path)[-1], []).append(path)
        return self._stems

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that a git-style glob matches, the shallowest first, at most 50.

        A glob without a folder matches names in every folder.
        """
        wanted = pattern.removeprefix("@").removeprefix("./").lstrip("/").encode("utf-8", "surrogateescape")
        fits, is_path = compile_glob(wanted).fullmatch, b"/" in wanted
        found = [path for path in self._all() if fits(_bytes(path if is_path else path.rpartition("/")[2]))]
        return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST_GLOBBED]

    def is_folder(self, name: str) -> bool:
        """Return whether some file is below a folder with this name or path."""
        inner = f"/{name.strip('/')}/"
        return any(inner in f"/{path}" for path in self._all())

    def nearest(self, written: str) -> str:
        """Return the known path most similar to `written`, "" if there is none."""
        name = written.rpartition("/")[2]
        close = nearest(name, islice(self._by_name, 20_000), cutoff=0.6)
        return self._by_name[close][0] if close and _are_alike(name, close) else ""

    def _all(self) -> Iterable[str]:
        return chain.from_iterable(self._by_name.values())


def _has_name(path: str, name: str) -> bool:
    return path.partition(".")[0].lower() == name.lower()


def _are_alike(written: str, name: str) -> bool:
    """Return whether names are alike without their endings, which thousands of files share."""
    import difflib

    asked, known = (one.rpartition(".")[0] or one for one in (written, name))
    return difflib.SequenceMatcher(None, asked, known).ratio() >= _ALIKE


def nearest_first(found: Sequence[str], folders: Collection[str]) -> list[str]:
    """Sort candidates for one name: shallowest first, then those in one of `folders`."""
    return sorted(found, key=lambda path: (path.count("/"), path.rpartition("/")[0] not in folders, path))


def _components(written: str) -> list[str]:
    return [part for part in written.replace("\\", "/").split("/") if part not in ("", ".")]


def _module_names(path: str) -> list[str]:
    names = _MODULE.sub("", path).split("/")
    return names[:-1] if names[-1] in ("__init__", "index") and len(names) > 1 else names


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
