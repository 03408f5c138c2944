"""What `show` says of a window: its numbers add up, whatever stands in it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.core.formats import ANTHROPIC, FORMATS, read, read_transcript
from tests.processes import run_satchel

from satchel import ConversationError, Session
from satchel.conversation import Counts
from satchel.plugin_api import Conversation
from satchel.showing import (
    Advice,
    Anatomy,
    ModelMemory,
    Trials,
    WindowTurn,
    advise,
    costs,
    describe_call,
    dissect,
    dissect_pack,
    dissect_session,
    draw,
    find_latest,
    find_price,
    name_session,
    share_by_section,
)
from satchel.testing.contracts import FourLetters
from satchel.view import window_json


def call(id_: str, name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def answer(id_: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": text}]}


SAID = {"type": "text", "text": "I look."}
READS: list[dict[str, Any]] = [
    {"role": "user", "content": "Fix the login"},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "I look."}, call("1", "Read", file_path="app.py")],
    },
    answer("1", "x = 1\n" * 400),
    {"role": "assistant", "content": [call("2", "Bash", command="cat src/app.py")]},
    answer("2", "y = 2\n" * 300),
    {"role": "assistant", "content": [call("3", "Read", file_path="app.py")]},
    answer("3", "x = 1\n" * 400),
    {"role": "assistant", "content": [call("4", "Bash", command="make test")]},
    answer("4", "a line of the build\n" * 900),
    {"role": "assistant", "content": "Done."},
]


def anatomy_of(messages: list[dict[str, Any]], window: int = 20_000) -> Anatomy:
    import attrs

    conversation = read(messages, "anthropic")
    counted = Counts(FourLetters(), form=ANTHROPIC)
    return attrs.evolve(dissect(conversation, counted), window=window)


def drawn(anatomy: Anatomy, width: int = 80) -> str:
    target = io.StringIO()
    draw(anatomy, advise(anatomy, "s.jsonl"), price=find_price("claude-sonnet-4-5"), file=target, width=width)
    return target.getvalue()


def test_the_sections_and_the_pieces_add_up_to_the_window() -> None:
    anatomy = anatomy_of(READS)

    assert sum(anatomy.sections.values()) == anatomy.total
    assert sum(piece.tokens for piece in anatomy.pieces) == anatomy.total


words = st.text(max_size=60)
messages = st.lists(
    st.one_of(
        st.builds(lambda text: {"role": "user", "content": text}, words),
        st.builds(lambda text: {"role": "assistant", "content": [{"type": "text", "text": text}]}, words),
        st.builds(lambda text: {"role": "assistant", "content": [call("1", text or "t", path=text)]}, words),
        st.builds(lambda text: answer("1", text), words),
    ),
    max_size=8,
)


SEVERAL: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "content": [call("1", "Read", file_path="a.py"), call("2", "Bash", command="make")],
    },
    {"role": "user", "content": answer("1", "x = 1\n" * 50)["content"] + answer("2", "a line")["content"]},
]


@given(messages, st.sampled_from([40, 80, 120, 200]))
@settings(deadline=None)
@example(SEVERAL, 80)
def test_any_messages_add_up_and_fit_the_width(given_messages: list[dict[str, Any]], width: int) -> None:
    anatomy = anatomy_of(given_messages)

    assert sum(anatomy.sections.values()) == anatomy.total
    assert all(piece.tokens >= 0 for piece in anatomy.pieces if piece.message >= 0)
    shown = drawn(anatomy, width)
    assert all(len(line) <= width for line in shown.splitlines())
    assert "\x1b" not in shown


parts = st.lists(st.tuples(st.sampled_from(["files", "calls", "dialog"]), st.integers(0, 9_000)), max_size=20)


@given(parts, st.integers(0, 10**6))
def test_sections_do_not_depend_on_how_finely_they_are_cut(of: list[tuple[str, int]], total: int) -> None:
    finer = [piece for name, tokens in of for piece in ((name, tokens // 3), (name, tokens - tokens // 3))]

    def sums(parts: list[tuple[str, int]]) -> dict[str, int]:
        found: Counter[str] = Counter()
        for (name, _), tokens in zip(parts, share_by_section(total, parts), strict=True):
            found[name] += tokens
        return found

    assert sums(of) == sums(finer)
    assert sum(sums(of).values()) == (total if of else 0)


def test_what_was_read_is_told_from_what_was_run() -> None:
    anatomy = anatomy_of(READS)
    sections = {piece.what: piece.section for piece in anatomy.pieces}

    assert sections["Read app.py"] == "files"
    assert sections["Bash cat src/app.py"] == "files"
    assert sections["Bash make test"] == "results"
    assert sections["user: Fix the login"] == "dialog"


def test_a_file_that_was_read_twice_is_found() -> None:
    repeats = anatomy_of(READS).repeats

    assert [(repeat.path, repeat.times) for repeat in repeats] == [("app.py", 2)]


def test_each_recommendation_has_a_command() -> None:
    advice = advise(anatomy_of(READS, window=7_000), "a session.jsonl")

    assert advice[0].command == "satchel compact --budget 3500 < 'a session.jsonl'"
    assert any("app.py was read 2 times" in one.what for one in advice)
    assert any(one.command == "satchel run --budget 2000 -- make test" for one in advice)


def test_the_command_for_a_session_names_it_and_its_store() -> None:
    told = advise(anatomy_of(READS), name_session("a b", "postgresql://host/db"))

    assert told[0].command.startswith(
        "satchel session window --session 'a b' --store postgresql://host/db --budget "
    )


def test_a_text_that_stands_there_twice_is_told() -> None:
    twice: list[dict[str, Any]] = [
        {"role": "assistant", "content": [call("5", "Bash", command="git log")]},
        answer("5", "a commit\n" * 700),
        {"role": "assistant", "content": [call("6", "Bash", command="git log")]},
        answer("6", "a commit\n" * 700),
    ]

    told = [one.what for one in advise(anatomy_of([*READS, *twice]))]

    assert any("app.py was read 2 times" in what and "Bash git log is there 2 times" in what for what in told)
    assert not any("git log stands" in one.what for one in advise(anatomy_of([*READS, *twice[:2]])))


def test_tools_that_nobody_called_are_told() -> None:
    tools: list[dict[str, Any]] = [
        {"name": name, "description": "long " * 500, "input_schema": {}} for name in ("Read", "Web", "Image")
    ]
    conversation = read({"messages": READS, "tools": tools}, "anthropic")
    anatomy = dissect(conversation, Counts(FourLetters(), form=ANTHROPIC))

    (told,) = [one for one in advise(anatomy) if "tools" in one.what]
    pieces = {piece.what: piece.tokens for piece in anatomy.pieces if piece.section == "tools"}

    assert "2 were never called, leave them out: " in told.what
    assert told.saves == pieces["tool Web"] + pieces["tool Image"]
    assert sum(anatomy.sections.values()) == anatomy.total


def test_a_pack_is_advised_too() -> None:
    item = {"kind": "file", "level": "excerpt", "tokens": 70, "path": "src/a b.py"}
    named = {"kind": "file", "level": "pointer", "tokens": 28, "path": "b.py"}
    told = advise(dissect_pack({"items": [item, named], "tokens": 99, "budget": 100, "task": "fix it"}))

    assert [one.command for one in told] == [
        "satchel pack 'fix it' --budget 200",
        "satchel why 'src/a b.py' 'fix it' --budget 100",
    ]
    assert advise(dissect_pack({"items": [], "tokens": 9, "budget": 100})) == []


def test_an_edit_is_no_reading() -> None:
    for command, section in (("view", "files"), ("str_replace", "results")):
        given_messages: list[dict[str, Any]] = [
            {"role": "assistant", "content": [call("1", "str_replace_editor", command=command, path="a.py")]},
            answer("1", "text " * 50),
        ]
        found = [piece.section for piece in anatomy_of(given_messages).pieces]
        assert found == ["calls", section, "frame"]


def edit(at: int, path: str) -> list[dict[str, Any]]:
    return [
        {
            "role": "assistant",
            "content": [call(str(at), "Edit", file_path=path, old="a " * 90, new="b " * 90)],
        },
        answer(str(at), "done"),
    ]


def test_two_files_with_a_long_path_are_two_things() -> None:
    folder = "/home/somebody/work/a-long-name/of-a-project/with/many/folders/below/one/another"
    shown = drawn(anatomy_of([*edit(1, f"{folder}/parser.py"), *edit(2, f"{folder}/lexer.py")]), 80)

    assert "call: Edit …" in shown
    assert "/parser.py " in shown
    assert "/lexer.py " in shown
    assert "2 times" not in shown


def test_a_shell_around_a_command_is_not_the_command() -> None:
    asked = describe_call("shell", json.dumps({"command": ["bash", "-lc", "cat src/app.py"]}))

    assert (asked.what, asked.path) == ("shell cat src/app.py", "src/app.py")
    assert describe_call("shell", json.dumps({"command": ["rg", "two words"]})).command == "rg 'two words'"


@pytest.mark.parametrize(
    ("command", "advised"),
    [
        ("make test", "make test"),
        ('grep -r "two words" src', 'grep -r "two words" src'),
        ("cd a && make 2>&1 | tail", "bash -c 'cd a && make 2>&1 | tail'"),
        ("X=1 make", "bash -c 'X=1 make'"),
    ],
)
def test_an_advised_command_can_be_copied(command: str, advised: str) -> None:
    long = [
        {"role": "assistant", "content": [call("1", "Bash", command=command)]},
        answer("1", "a line of the build\n" * 900),
    ]

    (told,) = advise(anatomy_of(long))

    assert told.command == f"satchel run --budget 2000 -- {advised}"


@pytest.mark.parametrize(
    "given_input", [{"url": "https://example.org"}, {"command": f"echo {'x' * 500}"}, {"command": "a\nb"}]
)
def test_an_output_that_no_command_repeats_is_compacted(given_input: dict[str, str]) -> None:
    long = [
        {"role": "assistant", "content": [call("1", "Fetch", **given_input)]},
        answer("1", "a line of the page\n" * 900),
    ]

    (told,) = advise(anatomy_of(long), "s.jsonl")

    assert told.command.startswith("satchel compact --budget ")


def test_thoughts_are_named() -> None:
    thinks = {"type": "thinking", "thinking": "", "signature": "x" * 400}

    assert "assistant: (thinking)" in drawn(anatomy_of([{"role": "assistant", "content": [thinks]}]))


def chart(anatomy: Anatomy) -> list[str]:
    """Return the lines of the history."""
    return drawn(anatomy, 120).partition("history\n")[2].partition("\nage")[0].splitlines()


def test_a_long_history_is_drawn_whole() -> None:
    many = [{"role": "assistant", "content": f"turn {at}"} for at in range(140)]

    long, short = chart(anatomy_of(many)), chart(anatomy_of(many[:60]))

    assert (len(long[0]), long[0][0], long[0][-1]) == (47, "▁", "█")
    assert long[1].startswith("140 turns, 3 to a bar, at most ")
    assert (len(short[0]), short[1][:17]) == (60, "60 turns, at most")


def test_a_compaction_in_a_bar_of_several_turns_is_marked() -> None:
    import attrs

    turns = [WindowTurn(at, 100, 90 if at else 0, at == 70, is_counted=False) for at in range(140)]

    lines = chart(attrs.evolve(anatomy_of(READS), turns=tuple(turns)))

    assert lines[1] == f"{' ' * 23}C"
    assert "; 1 compaction (C); 89% from the cache, 0 misses (m)" in lines[2]


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_no_line_ends_in_spaces(width: int) -> None:
    assert [line for line in drawn(anatomy_of(READS), width).splitlines() if line != line.rstrip()] == []


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_thing_has_one_row_and_keeps_the_end_of_its_path(width: int) -> None:
    path = "/home/somebody/work/a-long-name/of-a-project/src/package/parser.py"
    reads: list[dict[str, Any]] = []
    for at in range(3):
        reads += [
            {"role": "assistant", "content": [call(str(at), "Read", file_path=path)]},
            answer(str(at), "text " * 400),
        ]
    anatomy = anatomy_of(reads)
    rows = [line for line in drawn(anatomy, width).partition("largest")[2].splitlines() if "Read" in line]

    assert "parser.py (3 times)" in rows[0]
    assert rows[0].startswith(f"{anatomy.sections['files']:,}")


def test_ages_add_up_to_the_messages() -> None:
    many = READS + [{"role": "assistant", "content": f"turn {at}"} for at in range(9)]
    ages = anatomy_of(many).ages

    assert sum(age.tokens for age in ages) == sum(
        one.tokens for one in anatomy_of(many).pieces if one.message >= 0
    )
    assert ages[0].tokens < ages[1].tokens
    assert "age: " in drawn(anatomy_of(many))


def test_where_nothing_is_wrong_it_says_so() -> None:
    quiet = anatomy_of([{"role": "user", "content": "Fix the login"}])

    assert "nothing to do: 19," in drawn(quiet)
    assert "a guess" not in drawn(quiet)


@pytest.mark.parametrize(("model", "tells"), [("", "--model or --window"), ("m.gguf", "--window")])
def test_a_guessed_window_says_what_tells_it(model: str, tells: str) -> None:
    import attrs

    guessed = attrs.evolve(anatomy_of(READS), model=model, is_window_guessed=True)

    assert f"the window is a guess; set it with {tells}" in " ".join(drawn(guessed, 200).split())


def test_text_that_acts_on_a_terminal_or_on_rich_is_shown_as_it_is() -> None:
    shown = drawn(anatomy_of([{"role": "user", "content": "\x1b[31m [bold]red[/bold] \u202egnp"}]))

    assert "[bold]red[/bold]" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_secrets_are_taken_out_before_lines_are_cut() -> None:
    key = "ghp_" + "Zq8vT2mXr5Lk9WbN4cJ7" + "yHs1DfG6pEa3QuRw"
    anatomy = anatomy_of([{"role": "user", "content": "x" * 60 + f" token {key}"}])

    assert not any("ghp_Zq" in piece.what for piece in anatomy.pieces)


def test_a_pack_is_shown_by_levels() -> None:
    items = [
        {
            "tokens": 70,
            "kind": "file",
            "level": "full",
            "title": "a.py",
            "path": "a.py",
            "scores": {"lexical": 1},
        },
        {"tokens": 20, "kind": "file", "level": "symbols", "title": "b.py", "path": "b.py", "scores": {}},
    ]

    anatomy = dissect_pack({"tokens": 100, "budget": 200, "items": items})

    assert anatomy.sections == {"whole files": 70, "outlines": 20, "frame": 10}
    assert anatomy.window == 200


def test_items_of_a_pack_are_named_by_what_they_are() -> None:
    kinds = ("commit", "error", "diff", "a plugin's")
    items = [{"tokens": 10 + at, "kind": kind, "title": kind} for at, kind in enumerate(kinds)]

    anatomy = dissect_pack({"tokens": 46, "items": items})

    assert anatomy.sections == {"other": 13, "diffs": 12, "errors": 11, "commits": 10}


def test_what_is_no_pack_is_refused() -> None:
    with pytest.raises(ConversationError):
        dissect_pack({"items": [{"tokens": "many"}], "tokens": 3})


def test_turns_are_those_of_the_session_file() -> None:
    def record(number: int, cached: int) -> dict[str, Any]:
        usage = {"input_tokens": 10, "cache_read_input_tokens": cached, "output_tokens": 1}
        message = {
            "id": f"m{number}",
            "role": "assistant",
            "content": "ok",
            "model": "claude-sonnet-4-5",
            "usage": usage,
        }
        return {"type": "assistant", "uuid": f"u{number}", "message": message}

    asked = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "go on"}}
    boundary = {"type": "system", "subtype": "compact_boundary"}
    records = [asked, record(1, 0), asked, record(2, 990), boundary, asked, record(3, 40)]
    transcript = read_transcript("\n".join(map(json.dumps, records)))

    anatomy = dissect(transcript.conversation, Counts(FourLetters(), form=ANTHROPIC), transcript)

    assert [(turn.tokens, turn.cached, turn.compacted) for turn in anatomy.turns] == [
        (10, 0, False),
        (1_000, 990, False),
        (50, 40, True),
    ]
    assert "1 compaction (C)" in drawn(anatomy)


def test_the_longest_name_has_the_price() -> None:
    price = find_price("anthropic/claude-opus-4-5-20251101")

    assert price is not None
    assert price.of_window(1_000_000) == price.input == 5.0
    assert price.of_window(1_000_000, cached=True) < price.input
    assert find_price("nobody-knows") is None


@pytest.mark.parametrize(
    ("model", "same"),
    [
        ("claude-opus-5-5[1m]", "claude-opus-5-5"),
        ("anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
    ],
)
def test_a_date_or_a_cloud_behind_a_name_changes_no_price(model: str, same: str) -> None:
    assert find_price(model) == find_price(same) is not None


@pytest.mark.parametrize(
    "model", ["claude-opus-4-9", "claude-opus-6", "gpt-5-ultra", "gpt-5.7", "o3-deep-research"]
)
def test_another_model_of_a_family_has_no_price_until_the_table_has_it(model: str) -> None:
    assert find_price(model) is None


def test_a_long_request_costs_more_where_the_maker_says_so() -> None:
    price = find_price("claude-haiku-5-5")

    assert price is not None
    assert price.of_window(100_000) == pytest.approx(0.01)
    assert price.of_window(100_001) == pytest.approx(0.0500005)
    assert price.of_window(200_000, cached=True) == pytest.approx(0.01)


def test_every_price_of_the_table_can_be() -> None:
    table = json.loads((Path(costs.__file__).parent / "prices.json").read_text("utf-8"))

    assert re.fullmatch(r"20\d\d-\d\d", table["date"])
    for name, (fresh, cached, output, *long) in table["models"].items():
        assert 0 < cached <= fresh < output, name
        assert len(long) in (0, 4), name
        assert not long or (long[1] >= fresh and long[2] >= cached and long[3] >= output), name


def test_the_newest_session_of_a_folder_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "my shop"
    folder.mkdir()
    name = "".join(letter if letter.isalnum() else "-" for letter in str(folder))
    older = tmp_path / "home/.claude/projects" / name / "a.jsonl"
    newer = tmp_path / "home/.codex/sessions/2026/11/rollout-1.jsonl"
    other = tmp_path / "home/.codex/sessions/2026/11/rollout-2.jsonl"
    for at, (path, text) in enumerate(
        [(older, "{}"), (newer, json.dumps({"cwd": str(folder)})), (other, "{}")]
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_000 + at, 1_000 + at))

    assert find_latest(folder, tmp_path / "home") == newer
    assert find_latest(tmp_path / "elsewhere", tmp_path / "home") is None


@pytest.mark.parametrize("place", ["checksum", "marker"])
def test_the_newest_session_of_gemini_is_found(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    named = hashlib.sha256(str(folder).encode()).hexdigest() if place == "checksum" else "shop-1"
    file = tmp_path / "home/.gemini/tmp" / named / "chats/session-2026-11-26T08-00-a.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text('{"sessionId": "a", "projectHash": "b"}\n')
    if place == "marker":
        (file.parent.parent / ".project_root").write_text(str(folder))

    assert find_latest(folder, tmp_path / "home") == file
    assert find_latest(tmp_path / "home", tmp_path / "home") is None


def test_a_folder_of_a_repository_has_the_session_of_its_top(tmp_path: Path) -> None:
    below = tmp_path / "shop/src/pages"
    below.mkdir(parents=True)
    sessions = tmp_path / "home/.claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(tmp_path / "shop"))
    sessions.mkdir(parents=True)
    (sessions / "a.jsonl").write_text("{}")

    assert find_latest(below, tmp_path / "home") is None
    (tmp_path / "shop/.git").mkdir()
    assert find_latest(below, tmp_path / "home") == sessions / "a.jsonl"


def test_the_session_of_a_helper_is_not_the_newest(tmp_path: Path) -> None:
    folder = tmp_path / "home/.claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(tmp_path))
    folder.mkdir(parents=True)
    for at, name in enumerate(("main.jsonl", "agent-1f.jsonl")):
        (folder / name).write_text("{}")
        os.utime(folder / name, (1_000 + at, 1_000 + at))

    assert find_latest(tmp_path, tmp_path / "home") == folder / "main.jsonl"


def test_sessions_are_found_where_the_environment_moved_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    file = tmp_path / "elsewhere/sessions/2026/11/26/rollout-1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"type": "session_meta", "payload": {"cwd": str(tmp_path)}}))

    assert find_latest(tmp_path) == file


def test_a_saving_is_told_only_as_it_was_tried() -> None:
    anatomy = anatomy_of(READS, window=7_000)
    tried = advise(anatomy, "s.jsonl", Trials(lambda budget: budget - 7, lambda piece, budget: 11))

    assert [one.saves for one in advise(anatomy, "s.jsonl")] == [0, 0, 0]
    outputs = [piece for piece in anatomy.pieces if piece.section == "results" and piece.tokens >= 2_000]
    assert tried[0].saves == anatomy.total - (3_500 - 7)
    assert tried[-1].saves == sum(piece.tokens - 11 for piece in outputs) > 0


def test_the_memory_of_a_model_adds_up_beside_the_window() -> None:
    anatomy = anatomy_of(READS)
    gib = 1 << 30
    memory = ModelMemory("m.gguf", 8 * gib, 4 * gib, gib // 4, gib, gib / anatomy.total, 40_000, "memory")
    for width in (40, 80, 120, 200):
        target = io.StringIO()
        draw(anatomy, [], price=None, file=target, width=width, memory=memory)
        assert all(len(line) <= width for line in target.getvalue().splitlines())

    told = window_json(anatomy, [], None, memory)["memory"]
    parts = ("weights_bytes", "compute_bytes", "cache_bytes", "free_bytes")
    assert sum(told[part] for part in parts) == told["total_bytes"]
    assert "2.8 GiB" in target.getvalue()
    assert (
        f"the window ends at 40,000 tokens, where the memory is used up: {40_000 - anatomy.total:,} more"
        in (target.getvalue())
    )


def _counts_of(conversation: Conversation) -> Counts:
    return Counts(FourLetters(), form=conversation.format)


def test_a_session_of_satchel_adds_up(tmp_path: Path) -> None:
    with Session.open("s", store=tmp_path / "store", root=tmp_path, create=True) as session:
        session.add({"role": "user", "content": "Fix the login"})

    store = str(tmp_path / "store")
    anatomy, conversation = dissect_session(
        "s", store=store, root=tmp_path, formats=FORMATS, counts_of=_counts_of
    )

    assert anatomy.total == sum(piece.tokens for piece in anatomy.pieces) == sum(anatomy.sections.values())
    assert anatomy.source == "session s"
    assert len(conversation.messages) == 1


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_command_stands_whole_on_its_line_and_nothing_else_is_wider(width: int) -> None:
    anatomy = anatomy_of(READS)
    advice = [Advice("app.py was read twice", f"satchel compact --budget 9 < '{'a  folder/' * 20}s.jsonl'")]
    target = io.StringIO()

    draw(anatomy, advice, price=None, file=target, width=width)

    lines = target.getvalue().splitlines()
    assert f"  {advice[0].command}" in lines
    assert max(len(line) for line in lines if line != f"  {advice[0].command}") <= width


@pytest.mark.weekly
def test_a_line_is_kept_while_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(READS))
    monkeypatch.chdir(tmp_path)
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"SATCHEL_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def show(*words: str) -> str:
        shown: str = run_satchel(["show", *words], given="", check=True).stdout
        return shown

    first = show("talk.json", "--line")
    (kept,) = (tmp_path / "cache/lines").iterdir()
    kept.write_text(kept.read_text().replace(first[:3], "kept"))
    assert show("--line", "talk.json") == first.replace(first[:3], "kept", 1)

    assert show("talk.json", "--line", "--window", "10k") != first
    (tmp_path / "satchel.toml").write_text("budget = 9000\n")
    assert show("talk.json", "--line") == first
    file.write_text(json.dumps(READS[:4]))
    assert show("talk.json", "--line") not in ("", first)
