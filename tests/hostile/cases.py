"""The table of all hostile workspaces: each public function of a group's module is one."""

from __future__ import annotations

from types import ModuleType

from tests.hostile import contentcases, gitcases, ignorecases, pathcases, processcases, secretcases
from tests.hostile.ground import Case


def _of(group: str, module: ModuleType) -> list[Case]:
    own = [
        (name, build) for name, build in vars(module).items()
        if not name.startswith("_") and getattr(build, "__module__", "") == module.__name__
    ]  # fmt: skip
    return [Case(group, name, build) for name, build in own]


CASES = (
    *_of("git", gitcases),
    *_of("paths", pathcases),
    *_of("ignore", ignorecases),
    *_of("secrets", secretcases),
    *_of("content", contentcases),
    *_of("process", processcases),
)
