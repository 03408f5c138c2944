"""What a person looks at: tables, bars, summaries, progress."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel import Bundle, Problem
from satchel.packing import BundleItem, LeftOut
from satchel.view import Progress, explain, json_text, summary, table
from satchel.view.tables import bar, clip_path


def item(path: str, level: str, *, kind: str = "file") -> BundleItem:
    return BundleItem(
        title="x.py",
        pointer=f"satchel://file/{path}",
        path=path,
        kind=kind,
        provider="files",
        level=level,
        tokens=100,
        salience=0.5,
        scores={"bm25": 0.75, "churn": 0.0, "names": 0.5},
        trusted=False,
        text="text\n",
    )


def bundle(*items: BundleItem, exact: bool = True) -> Bundle:
    return Bundle(
        task="t",
        budget=8000,
        tokens=7912,
        text="document\n",
        form="markdown",
        items=items,
        left_out=(LeftOut("satchel://file/z.py", "z.py", "no room", 10, 0.1),),
        left_out_counts=(("lib", "no room", 1202),),
        problems=(Problem("churn", "score", "broke", "satchel-churn"),),
        secrets={"aws-key": 2, "url-password": 1},
        exact=exact,
        tokenizer="offline",
    )


def test_the_summary_counts_files_by_how_they_are_shown() -> None:
    items = [
        item("a", "full"),
        item("b", "excerpt"),
        item("c", "diff"),
        item("d", "symbols"),
        item("e", "pointer"),
    ]

    line = summary(bundle(*items))

    assert line == (
        "7,912 of 8,000 tokens, 5 files (1 whole, 2 in part, 1 as outlines, 1 by name),"
        " 1,203 left out; problems: 1"
    )


def test_the_summary_tells_estimates_and_other_items() -> None:
    line = summary(bundle(item("a", "full"), item("", "full", kind="diff"), exact=False))

    assert line.startswith("about 7,912 of 8,000 tokens, 1 file (1 whole) and 1 other item, ")


def test_free_tokens_have_their_reason() -> None:
    def left_out(reason: str, max_chars: int | None = None) -> str:
        made = attrs.evolve(
            bundle(item("a", "full")), tokens=900, left_out=(), left_out_counts=((".", reason, 3),)
        )
        return summary(made, max_chars=max_chars).partition("left out; ")[2]

    assert left_out("nothing in it", 2_000).startswith(
        "7,100 tokens are free, but the rest matches the task too"
    )
    assert left_out("did not fit", 2_000).startswith(
        "7,100 tokens are free, but the limit of 2,000 characters is"
    )
    assert left_out("did not fit").startswith("problems")


def test_an_empty_pack_has_a_summary_and_an_explanation() -> None:
    assert "0 files, 1,203 left out" in summary(bundle())
    assert explain(bundle()) == "the pack is empty"


def test_the_table_shows_the_highest_scores() -> None:
    header, row = explain(bundle(item("src/a.py", "full"))).splitlines()

    assert header.split() == ["item", "level", "tokens", "salience", "scores"]
    assert row.split()[:3] == ["src/a.py", "full", "100"]
    assert row.endswith("bm25 0.75 names 0.50")


def test_json_keeps_what_is_in_the_bundle() -> None:
    answer = bundle(item("a.py", "full")).to_dict()

    assert list(answer)[:4] == ["schema", "task", "budget", "tokens"]
    assert answer["left_out_counts"] == [{"folder": "lib", "reason": "no room", "count": 1202}]
    assert answer["problems"][0]["distribution"] == "satchel-churn"


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=8))
def test_any_text_is_json_in_utf8_and_reads_back(value: object) -> None:
    assert json.loads(json_text(value).encode("utf-8")) == value


def test_half_a_surrogate_pair_is_escaped() -> None:
    assert json_text("a\udc80é") == '"a\\udc80é"\n'


@given(st.lists(st.tuples(st.text("ab ", max_size=6), st.text("ab", min_size=1, max_size=6)), min_size=1))
def test_columns_of_a_table_start_at_one_place(rows: list[tuple[str, str]]) -> None:
    lines = table(rows).split("\n")

    width = max(len(first) for first, _ in rows)
    assert [line[width + 2 :] for line in lines] == [second for _, second in rows]


@given(st.floats(0, 1))
def test_a_bar_shows_whatever_is_above_nothing(share: float) -> None:
    assert len(bar(share)) <= 10
    assert (len(bar(share)) > 0) == (share > 0)


@pytest.mark.parametrize(("text", "short"), [("abc", "abc"), ("a/long/path.py", "...path.py")])
def test_long_paths_keep_their_end(text: str, short: str) -> None:
    assert clip_path(text, 10) == short


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _wait_for(stream: io.StringIO, text: str) -> bool:
    deadline = time.monotonic() + 10
    while text not in stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    return text in stream.getvalue()


def test_progress_is_drawn_after_a_while_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, now = Terminal(), [0.0]
    with Progress("packing", stream, clock=lambda: now[0], delay=0.0) as progress:
        assert _wait_for(stream, "satchel: packing")
        for done in (1, 2_000, 6_000):
            progress("index", done, 10_000)
            now[0] += 2.0
        assert _wait_for(stream, "reading files")
        assert _wait_for(stream, "6,000 of 10,000, 3 s left")

    assert stream.getvalue().endswith("\x1b[2K")  # the line is erased


def test_what_follows_the_last_file_has_no_time_left_and_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, now = Terminal(), [0.0]
    with Progress("packing", stream, clock=lambda: now[0], delay=0.0) as progress:
        assert _wait_for(stream, "satchel: packing")
        for done in (0, 200, 399):
            progress("index", done, 400)
            now[0] += 2.0
        shown = len(stream.getvalue())
        progress("gather", 0, 0)
        assert _wait_for(stream, "asking the providers")
        time.sleep(0.3)

    assert " left" not in stream.getvalue()[shown:]
    assert "\u2578" not in stream.getvalue()[shown:]  # the end of a bar that stands still


def test_bytes_are_told_as_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, now = Terminal(), [0.0]
    with Progress("indexing", stream, clock=lambda: now[0], delay=0.0) as progress:
        assert _wait_for(stream, "satchel: indexing")
        for done in (0, 1_000_000, 3_000_000):
            progress("split", done, 6_000_000)
            now[0] += 4.0

        assert _wait_for(stream, "50%, 6 s left")


@pytest.mark.parametrize(("total", "told"), [(8_000_000, "50%, 4 s left"), (0, "4 MB")])
def test_what_is_read_piece_by_piece_is_told(monkeypatch: pytest.MonkeyPatch, total: int, told: str) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, now = Terminal(), [0.0]
    with Progress("squeezing", stream, clock=lambda: now[0], delay=0.0) as progress:
        assert _wait_for(stream, "satchel: squeezing")
        for _ in progress.follow([b"x" * 1_000_000] * 4, total):
            now[0] += 1.0

        assert _wait_for(stream, told)


@pytest.mark.weekly
def test_the_size_of_what_is_read_is_that_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * 5_000)
    asks = "from satchel.cli.streams import input_size; import sys; print(input_size(sys.argv[1]))"

    def size(name: str, **given: Any) -> int:
        ran = subprocess.run([sys.executable, "-c", asks, name], capture_output=True, check=True, **given)
        return int(ran.stdout)

    with (tmp_path / "log").open("rb") as stream:
        stream.seek(1_000)
        assert size("-", stdin=stream) == 4_000
    assert size(str(tmp_path / "log")) == 5_000
    assert size("-", input=b"x" * 9) == 0
    assert size(str(tmp_path / "none")) == size(str(tmp_path)) == 0


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress("packing", stream) as progress:
        progress("index", 1, 2)

    assert stream.getvalue() == ""


def test_the_time_left_follows_what_was_done_lately(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream, now = Terminal(), [0.0]
    with Progress("packing", stream, clock=lambda: now[0], delay=0.0) as progress:
        assert _wait_for(stream, "satchel: packing")
        for done in (10, 20, *range(520, 6_520, 500)):
            progress("index", done, 10_000)
            now[0] += 1.0
            if done == 20:
                assert _wait_for(stream, "20 of 10,000, 17 min left")
        assert _wait_for(stream, "6,020 of 10,000, 8 s left")


def test_progress_is_silent_where_stderr_is_no_terminal() -> None:
    stream = io.StringIO()
    with Progress("packing", stream, delay=0.0) as progress:
        progress("index", 1, 2)
        time.sleep(0.1)

    assert stream.getvalue() == ""
