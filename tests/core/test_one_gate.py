"""Text has one way out: the modules that call the rules, that read files, and that skip the last look."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import satchel
import satchel_plugins

CORE, PLUGINS = Path(satchel.__file__).parent, Path(satchel_plugins.__file__).parent
RULES = {"redact", "find"}
READERS = {"open", "read_bytes", "read_text", "fdopen"}
MAY_READ = {
    # what hands bytes of a workspace on, all of it to `texts`, which is the gate for files
    "satchel/workspace/files/contents.py",
    "satchel/workspace/files/texts.py",
    "satchel/workspace/workspace.py",
    "satchel/workspace/files/listing.py",
    # git's own files, and rules of what is ignored: names and numbers come of them, no text
    *(f"satchel/workspace/{name}.py" for name in ("git/repository", "git/running")),
    # settings, whose values the command line looks through
    "satchel/config/files.py",
    "satchel/workspace/instructions.py",
    # tables beside their modules
    "satchel/patterns.py",
    "satchel/workspace/files/kinds.py",
    "satchel/workspace/index/terms.py",
    "satchel/references/tracebacks.py",
    "satchel/redaction/values.py",
    "satchel/guarding/gauges.py",
    "satchel/mcp_server/server.py",
    "satchel_plugins/providers/packages/ecosystems.py",
    "satchel_plugins/providers/toolchain/needs.py",
    # files of satchel itself: indexes, archives, sessions, states, records, tables, models' weights
    "satchel/lazy_names.py",
    "satchel/config/values.py",
    "satchel/mcp_server/answers.py",
    "satchel/archive.py",
    "satchel/shared_archive.py",
    # settings of agent programs, into which satchel writes its entries; ends of their session files
    "satchel/agents",
    # they open stores, not files
    "satchel/host/adapting.py",
    "satchel/interfaces.py",
    "satchel/compaction/state.py",
    "satchel/host/loading.py",
    "satchel/host/registry.py",
    "satchel/host/records.py",
    "satchel/host/isolation.py",
    "satchel/compaction/compacting_child.py",
    "satchel/packing/indexing/worker.py",
    "satchel/host/observing.py",
    "satchel/cli/settings/plugins.py",
    "satchel/private_files.py",
    "satchel/runs.py",
    "satchel/redaction/scanning.py",
    "satchel/report/printed.py",
    "satchel/report/rendering.py",
    "satchel/report/sessions.py",
    # templates of documents, which the gate cleans before they are filled
    "satchel/packing/templating.py",
    "satchel/schemas/__init__.py",
    "satchel/tokens/models.py",
    "satchel/session",
    "satchel/sizing",
    "satchel/packing/learning.py",
    "satchel/redaction/rules.py",
    "satchel/packing/indexing/watching.py",
    "satchel/questions/word_tables.py",
    "satchel/questions/facts.py",
    "satchel/showing/finding.py",
    "satchel/showing/line_memo.py",
    "satchel/showing/costs.py",
    "satchel/cli/conversation/show.py",
    "satchel/workspace/index/documents.py",
    "satchel/workspace/index/store.py",
    "satchel_plugins/gpus",
    "satchel_plugins/tokenizers",
    "satchel_plugins/worth_models/trees.py",
    "satchel_plugins/representers/syntax.py",
    "satchel_plugins/representers/languages.py",
    "satchel_plugins/providers/packages/uses.py",
    "satchel_plugins/providers/toolchain",
    # streams of a command and of the person
    "satchel/cli",
    "satchel/output/running.py",
    "satchel/packing/indexing/updating.py",
    # providers that bring text along: `gathering` takes it through the gate
    "satchel_plugins/providers/editor.py",
    "satchel_plugins/providers/errors.py",
    "satchel_plugins/providers/instructions.py",
    "satchel_plugins/providers/notes.py",
    # help for tests
    "satchel/testing",
}
SKIPS_THE_LAST_LOOK = {
    "satchel/cli/conversation/compact.py": "the conversation itself, as its owner has it",
    "satchel/cli/settings/completion.py": "a script of our own",
    "satchel/cli/settings/config.py": "a schema of our own",
    "satchel/cli/packing/expand.py": "texts of the workspace and the archive",
    "satchel/cli/packing/pack.py": "a document, made of texts of the workspace",
    "satchel/cli/output/run.py": "an output, redacted as it came",
    "satchel/cli/session/messages.py": "ids, and messages as they came in",
    "satchel/cli/session/events.py": "an id",
    "satchel/cli/session/window.py": "a document and a conversation",
    "satchel/cli/output/squeeze.py": "an output, redacted as it came",
}


@functools.cache
def texts() -> dict[str, str]:
    return {
        path.relative_to(top.parent).as_posix(): path.read_text("utf-8")
        for top in (CORE, PLUGINS)
        for path in sorted(top.rglob("*.py"))
    }


def modules(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules in which one of some words stands."""
    for name, text in texts().items():
        if any(word in text for word in words):
            yield name, ast.parse(text)


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


def rules_of(tree: ast.Module) -> set[str]:
    """Return what a module imports of the rules that takes secrets out."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("satchel.redaction"):
            found |= {alias.name for alias in node.names} & RULES
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("satchel.redaction")}
    return found


def test_nobody_but_the_gate_calls_the_rules() -> None:
    found = {name for name, tree in modules("satchel.redaction") if rules_of(tree)}
    found = {name for name in found if not name.startswith("satchel/redaction/")}  # the gate is `scanning.py`

    assert found == {"satchel/testing/contracts.py"}


def test_nobody_but_those_who_are_known_reads_files() -> None:
    found = {name for name, tree in modules(*READERS) if any(called in READERS for called, _ in calls(tree))}
    known = {name for name in found for may in MAY_READ if name == may or name.startswith(f"{may}/")}

    assert found - known == set()


def test_a_command_is_looked_through_unless_its_text_came_through_the_gate() -> None:
    found = {
        name
        for name, tree in modules("is_shown")
        for _, call in calls(tree)
        if any(keyword.arg == "is_shown" for keyword in call.keywords)
    }

    assert found == set(SKIPS_THE_LAST_LOOK)


@pytest.mark.parametrize(
    "line",
    [
        "from satchel.redaction import redact",
        "from satchel.redaction.searching import find",
        "import satchel.redaction",
    ],
)
def test_another_way_to_the_rules_would_be_seen(line: str) -> None:
    assert rules_of(ast.parse(line))
