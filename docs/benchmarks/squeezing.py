"""Print how many facts of outputs survive at each budget, what squeezing saves, and what `compact` keeps.

The outputs are those of `tests/data/outputs`; tokens are exact, in o200k_base.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from satchel import Host, compact
from satchel.output.reading import Plugins
from satchel.output.squeezing import squeeze

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "outputs"
BUDGETS = (3_000, 600, 300, 120)
LARGE = 2_000
WINDOW, NEWER = 1_500, (0, 1, 2, 6)
"""Tokens of a conversation's window, and how many newer outputs follow the one with the facts."""


def cases() -> Iterator[Any]:
    """Yield the outputs with their facts."""
    for name in ("make", "later"):
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        if spec is None or spec.loader is None:
            raise SystemExit(f"{FOLDER / name}.py can't be read")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        for _, case in module.build():
            yield case


def survives(fact: Any, text: str) -> bool:
    """Whether a text holds a fact; all parts of one that has several."""
    return all(" ".join(part.split()) in text for part in ([fact] if isinstance(fact, str) else fact))


def measure(store: str, budget: int, plugins: Plugins) -> str:
    """Return one line of the table."""
    must, nice, saved = [], [], []
    for case in cases():
        result = squeeze(
            case.text,
            command=case.command,
            exit_code=case.exit_code,
            budget=budget,
            store=store,
            plugins=plugins,
        )
        text = " ".join(result.text.split())
        must += [survives(fact, text) for fact in case.must]
        nice += [survives(fact, text) for fact in getattr(case, "nice", [])]
        tokens = plugins.count(case.text)
        saved += [1 - plugins.count(result.text) / tokens] if tokens >= LARGE else []
    shares = (sum(must) / len(must), sum(nice) / len(nice), sum(saved) / len(saved))
    return f"{budget:>6} " + " ".join(f"{share:>7.1%}" for share in shares)


def conversation(case: Any, newer: int) -> list[dict[str, Any]]:
    """Return messages in which a case's command is run, then others, and something is said."""
    ran = [
        ("make", case.command, case.text),
        *((f"ls{at}", "ls src", "main.py\nmail.py") for at in range(newer)),
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "make the checks pass"}]
    for name, command, output in ran:
        call = {"name": "bash", "arguments": json.dumps({"command": command})}
        calls = [{"id": name, "type": "function", "function": call}]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages.append({"role": "tool", "tool_call_id": name, "content": output})
    return [*messages, {"role": "assistant", "content": "I look."}, {"role": "user", "content": "go on"}]


def kept(store: str, newer: int, plugins: Plugins, host: Host) -> str:
    """Return one line of the table of what a window keeps of the facts that must survive."""
    must = []
    for case in cases():
        if plugins.count(case.text) >= LARGE:
            window = compact(conversation(case, newer), budget=WINDOW, store=store, host=host)
            text = " ".join(" ".join(str(one.get("content") or "") for one in window.messages).split())
            must += [survives(fact, text) for fact in case.must]
    return f"{newer:>6} {sum(must) / len(must):>7.1%}"


def main() -> None:
    """Print the tables."""
    print("budget    must    nice   saved (outputs of 2,000 tokens and more)")
    with tempfile.TemporaryDirectory() as store:
        plugins = Plugins()
        for budget in BUDGETS:
            print(measure(store, budget, plugins))
        print(f"newer outputs, and facts that compact keeps in {WINDOW:,} tokens")
        host = Host.installed()
        for newer in NEWER:
            print(kept(store, newer, plugins, host))


if __name__ == "__main__":
    main()
