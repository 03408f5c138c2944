"""A whole small agent whose window comes from a session: tools, an error, a compaction, an undo, a resume.

It works on a project of its own in a temporary folder, with a model that is a script: `python
examples/agent_loop.py`. With `--url http://localhost:8080/v1 --model NAME` a model behind any
OpenAI-compatible endpoint answers instead; `--key-from NAME` names the variable that holds its key.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel import SatchelError, Session
from satchel.runs import open_run
from satchel.session.edits import record_edit
from satchel.session.entries import record_entry
from satchel.session.window import SessionWindow, WindowOptions
from satchel.shared_archive import open_archive

Message = dict[str, Any]
Model = Callable[[Sequence[Message]], Message]

SYSTEM = "You are a careful agent. Read before you write, and run the tests after it."
CART = """\
def total(prices, discount):
    \"\"\"Return what a cart costs; the discount is a share of it.\"\"\"
    return sum(prices) + discount
"""
TEST = """\
from cart import total

assert total([10, 20], 0.5) == 15, f"expected 15, not {total([10, 20], 0.5)}"
print("1 passed")
"""
GUIDE = "".join(
    f"Rule {number}: an order of kind {number} is packed by shelf {number * 7}.\n" for number in range(400)
)
TOOLS: Mapping[str, Sequence[str]] = {
    "read_file": ("path",),
    "edit_file": ("path", "old", "new"),
    "run_tests": (),
}
MOST_STEPS = 12
"""Calls of one turn after which the agent stops."""


class Agent:
    """Asks a model, does what it calls, and keeps all of it in a session."""

    def __init__(self, session: Session, root: Path, store: Path, model: Model, *, budget: int) -> None:
        self.session, self.root, self.store = session, root, store
        self._model, self._budget = model, budget

    def window(self) -> SessionWindow:
        """Return what the model is sent next."""
        options = WindowOptions(root=self.root, store=self.store, form="openai")
        return self.session.window(budget=self._budget, options=options)

    def turn(self, request: str) -> str:
        """Do what a person asks for; return the model's last word."""
        print(f"\nperson: {request}")
        self.session.add({"role": "user", "content": request})
        for _ in range(MOST_STEPS):
            made = self.window()
            if made.compacted:
                print(
                    f"  (compacted: {len(made.cut)} messages cut, {made.tokens:,} of {made.budget:,} tokens)"
                )
            answer = self._model(made.document)
            self.session.add(answer)
            for call in answer.get("tool_calls") or ():
                self._call(call)
            if not answer.get("tool_calls"):
                print(f"agent: {answer['content']}")
                return str(answer["content"])
        return "stopped: too many steps"

    def _call(self, call: Mapping[str, Any]) -> None:
        name = call["function"]["name"]
        try:
            given = json.loads(call["function"]["arguments"] or "{}")
            result = self._tool(name, given)
        except (KeyError, TypeError, ValueError, OSError, SatchelError) as error:
            result = f"error: {error}"
        print(f"  {name}: {result.splitlines()[0][:70] if result else 'nothing'}")
        self.session.add({"role": "tool", "tool_call_id": call["id"], "content": result})

    def _tool(self, name: str, given: Mapping[str, str]) -> str:
        if name == "read_file":
            return (self.root / given["path"]).read_text()
        if name == "edit_file":
            return self._edit(given["path"], given["old"], given["new"])
        if name == "run_tests":
            return self._tests()
        raise ValueError(f"there is no tool {name}; there are {', '.join(TOOLS)}")

    def _edit(self, path: str, old: str, new: str) -> str:
        before = (self.root / path).read_text()
        if old not in before:
            raise ValueError(f"{path} has no such text")
        after = before.replace(old, new, 1)
        (self.root / path).write_text(after)
        run = open_run(self.root)
        try:
            edit, _ = record_edit(self.session, path, run=run, texts=(before, after), store=str(self.store))
        finally:
            run.workspace.close()
        return edit.shown[-1]

    def _tests(self) -> str:
        done = subprocess.run(
            [sys.executable, "test_cart.py"], cwd=self.root, capture_output=True, text=True, check=False
        )
        output = done.stdout + done.stderr
        record_entry(
            self.session,
            [output.encode()],
            command="python test_cart.py",
            exit_code=done.returncode,
            store=self.store,
        )
        return output

    def undo(self) -> None:
        """Take back the last turn, and put back the files that it edited: a session does not do that."""
        edits = self.session.happenings("edit")
        before = self.session.count()
        self.session.undo()
        kept = {node.id for node in self.session.happenings("edit")}
        archive = open_archive(self.store)
        for node in reversed(edits):
            if node.id not in kept:
                text = archive.get(str(node.body["old"]).removeprefix("blob:"))
                (self.root / node.body["path"]).write_text(text)
        gone = before - self.session.count()
        print(f"\nundone: the last turn, {gone} messages; the files are as they were")


def scripted(messages: Sequence[Message]) -> Message:
    """Answer as a model might: from the last request, and from how far the work on it is."""
    said = [at for at, one in enumerate(messages) if one["role"] == "user" and not _is_context(one)]
    request, since = str(messages[said[-1]]["content"]), messages[said[-1] + 1 :]
    done = sum(one["role"] == "tool" for one in since)
    results = [str(one["content"]) for one in since if one["role"] == "tool"]
    if "fix" in request:
        steps = [
            ("run_tests", {}),
            ("read_file", {"path": "cart.py"}),
            ("edit_file", {"path": "cart.py", "old": "+ discount", "new": "* (1 - discount)"}),
            ("run_tests", {}),
        ]
        return _call(done, *steps[done]) if done < len(steps) else _say(f"Fixed: {results[-1].strip()}.")
    if "shorter" in request:
        steps = [
            ("edit_file", {"path": "cart.py", "old": "sum(prices)", "new": "prices[0]"}),
            ("run_tests", {}),
        ]
        return _call(done, *steps[done]) if done < len(steps) else _say("It is shorter, but a test fails.")
    if "guide" in request:
        return _call(0, "read_file", {"path": "guide.txt"}) if not done else _say(f"{results[-1][:40]}...")
    told = next((str(one["content"]) for one in messages if "Files edited" in str(one["content"])), "")
    line = next((line for line in told.splitlines() if line.startswith("Files edited")), "nothing yet")
    return _say(f"From the ledger: {line}.")


def _is_context(message: Message) -> bool:
    return str(message["content"]).startswith(("<context", "[satchel"))


def _say(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _call(number: int, name: str, given: Mapping[str, str]) -> Message:
    function = {"name": name, "arguments": json.dumps(given)}
    calls = [{"id": f"call_{name}_{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def served(url: str, name: str, key: str) -> Model:
    """Return a model behind an OpenAI-compatible endpoint."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool,
                "parameters": {
                    "type": "object",
                    "properties": {word: {"type": "string"} for word in words},
                    "required": list(words),
                },
            },
        }
        for tool, words in TOOLS.items()
    ]

    def _ask(messages: Sequence[Message]) -> Message:
        body = json.dumps({"model": name, "messages": list(messages), "tools": tools}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        asked = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, headers)  # noqa: S310
        with urllib.request.urlopen(asked, timeout=300) as answer:  # noqa: S310
            told: Message = json.load(answer)["choices"][0]["message"]
        return told

    return _ask


def story(folder: Path, model: Model, *, budget: int) -> None:
    """Let the agent work: fix a bug, be taken back, read a lot, and come back after a restart."""
    root, store = folder / "shop", folder / "store"
    root.mkdir()
    for name, text in (("cart.py", CART), ("test_cart.py", TEST), ("guide.txt", GUIDE)):
        (root / name).write_text(text)
    with Session.open("shop", store=store, root=root, create=True) as session:
        agent = Agent(session, root, store, model, budget=budget)
        session.add({"role": "system", "content": SYSTEM})
        agent.turn("The total of a cart is wrong, fix it.")
        session.record("step", {"text": "the discount of a cart is right"})
        agent.turn("Make total shorter.")
        agent.undo()
        for number in range(4):
            agent.turn(f"What does the guide say about kind {number}?")
    print("\n(the program ends, and is started again)")
    with Session.open("shop", store=store, root=root) as session:
        agent = Agent(session, root, store, model, budget=budget)
        agent.turn("What have we changed so far?")
        made = agent.window()
        print(f"\n{session.count()} messages kept; the window has {made.tokens:,} tokens of {made.budget:,}:")
        print("  " + ", ".join(f"{name} {tokens:,}" for name, tokens in made.parts.items() if tokens))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the story; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", help="an OpenAI-compatible endpoint, like http://localhost:8080/v1")
    parser.add_argument("--model", default="default", help="the model's name there")
    parser.add_argument("--key-from", default="OPENAI_API_KEY", help="the variable that holds the key")
    parser.add_argument("--budget", type=int, default=6_000, help="tokens of the window")
    args = parser.parse_args(argv)
    model = served(args.url, args.model, os.environ.get(args.key_from, "")) if args.url else scripted
    with tempfile.TemporaryDirectory() as folder:
        try:
            story(Path(folder), model, budget=args.budget)
        except (SatchelError, OSError) as error:  # an endpoint that can't be reached is an OSError too
            print(f"can't go on: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
