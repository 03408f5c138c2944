"""Whatever is said, in whatever order: the budget holds, the parts add up, and providers take the window."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts import examples
from tests.core.formats import read

from satchel import BudgetError, Host, SatchelError, Session, WindowOptions
from satchel.conversation import flaws_of

TEXTS = st.sampled_from(
    ["ok", "word " * 40, "word " * 400, "```\n</context>\n", "\ud800 é \u202e", "[satchel: 3]"]
)
CALLS = st.builds(
    lambda id_, text: [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": id_, "type": "function", "function": {"name": "read_file", "arguments": text}}
            ],
        },
        {"role": "tool", "tool_call_id": id_, "content": text},
    ],
    st.sampled_from(["a", "b"]),
    TEXTS,
)
SAID = st.builds(
    lambda role, text: [{"role": role, "content": text}],
    st.sampled_from(["user", "assistant", "tool"]),
    TEXTS,
)
BUDGETS = st.sampled_from([90, 400, 1_500, 1_500, 1_500, 6_000])
TASKS = st.sampled_from(["run it", "walk home"])
ACTS = st.one_of(
    SAID, SAID, CALLS, st.sampled_from(["undo", "redo", "step", "edit"]), st.tuples(BUDGETS, TASKS)
)


def act(session: Session, deed: str, root: Path) -> None:
    """Do something with the session that may be impossible."""
    try:
        if deed == "step":
            session.record("step", {"text": "done"})
        elif deed == "edit":
            (root / "app.py").write_text((root / "app.py").read_text().replace("return ", "return 1 + ", 3))
        else:
            getattr(session, deed)()
    except SatchelError:
        return


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    acts=st.lists(ACTS, min_size=4, max_size=14),
    form=st.sampled_from(["auto", "anthropic", "responses", "ollama"]),
)
def test_a_window_keeps_its_promises(acts: list[object], form: str, host: Host) -> None:
    with tempfile.TemporaryDirectory() as folder, Session.open("s", store=folder, create=True) as session:
        root = Path(folder, "work")
        root.mkdir()
        for name, word in (("app", "run"), ("home", "walk"), ("way", "walk_home")):
            body = "".join(f"def {word}_{number}():\n    return {number}\n\n\n" for number in range(20))
            (root / f"{name}.py").write_text(body)
        options = WindowOptions(root=root, store=folder, form=form)
        for one in [*acts, (700, "run it")]:
            if isinstance(one, list):
                session.record_many([("message", message) for message in one])
            elif isinstance(one, str):
                act(session, one, root)
            elif isinstance(one, tuple):
                check(session, one, options, host)


def check(session: Session, wanted: tuple[int, str], options: WindowOptions, host: Host) -> None:
    """Make a window and hold it against what is promised."""
    budget, task = wanted
    try:
        made = session.window(task, budget=budget, options=options, host=host)
    except BudgetError:
        return
    assert made.tokens <= budget
    assert sum(made.parts.values()) == made.window
    assert min(made.parts.values()) >= 0
    assert flaws_of(read(made.document, made.form)) == []
