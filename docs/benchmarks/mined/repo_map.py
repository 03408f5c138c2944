"""Draw aider's repo map, in aider's environment: requests are lines of JSON, answers `map: JSON`."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

LEAST_NAME = 5


class Model:
    """What a repo map asks of a model: to count."""

    info: Mapping[str, Any] = {}

    def __init__(self) -> None:
        import tiktoken
        from litellm.litellm_core_utils import default_encoding  # type: ignore[import-not-found]  # it ships the tables

        self.loaded_from = default_encoding
        self.encoding = tiktoken.get_encoding("o200k_base")

    def token_count(self, text: str) -> int:
        """Return the o200k tokens of a text."""
        return len(self.encoding.encode(str(text), disallowed_special=()))


def mentioned(text: str, paths: list[str]) -> Iterator[str]:
    """Yield the files that a message names: by path, by name, or by a word that is the name's stem."""
    words = {word.strip("\"'`*_,.!;:?()") for word in text.split()}
    stems = {word.lower() for word in re.split(r"\W+", text) if len(word) >= LEAST_NAME}
    for path in paths:
        name = PurePosixPath(path)
        if {path, name.name} & words or name.stem.lower() in stems:
            yield path


def draw(request: Mapping[str, Any], maps: dict[str, Any]) -> str:
    """Return the map for a request."""
    from aider.io import InputOutput  # type: ignore[import-not-found]  # aider's environment has it
    from aider.repomap import RepoMap  # type: ignore[import-not-found]  # the same

    root, budget, paths = request["root"], request["budget"], request["paths"]
    if root not in maps:
        io = InputOutput(pretty=False, yes=True)
        maps[root] = RepoMap(map_tokens=budget, root=root, main_model=Model(), io=io, refresh="always")
    files = [os.path.join(root, path) for path in paths]
    names = set(mentioned(request["text"], paths))
    words = set(re.split(r"\W+", request["text"]))
    drawn = maps[root].get_ranked_tags_map(
        [], files, budget, mentioned_fnames=names, mentioned_idents=words, force_refresh=True
    )
    return drawn or ""


def main() -> None:
    """Answer requests until there are no more."""
    warnings.filterwarnings("ignore")
    os.environ.setdefault("TQDM_DISABLE", "1")
    maps: dict[str, Any] = {}
    for line in sys.stdin:
        print("map: " + json.dumps(draw(json.loads(line), maps)), flush=True)


if __name__ == "__main__":
    main()
