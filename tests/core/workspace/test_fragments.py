"""What stands without the rest of its file is shown as it stands in the whole."""

from __future__ import annotations

import random
import string
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.core.repositories import Asked, commit, git, packed

import satchel_plugins
from satchel import Host, Session, expand
from satchel.config import Config
from satchel.runs import open_run
from satchel.session import record_edit
from satchel.workspace import find_hidden_lines, remove_hidden_lines

DRAWN = random.Random(11)
BODY = ["".join(DRAWN.choices(string.ascii_letters + string.digits, k=64)) for _ in range(24)]
CHANGED = [*BODY[:12], "".join(DRAWN.choices(string.ascii_letters + string.digits, k=64)), *BODY[13:]]


def block(lines: list[str]) -> str:
    body = "\n".join(lines)
    kind = "RSA PRIVATE"
    frame = f"-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----\n"
    return f'KEY = """\\\n{frame}"""\n\n\ndef upload():\n    pass\n'


def repository(root: Path) -> Path:
    root.mkdir()
    (root / "keys.py").write_text(block(BODY))
    git(root, "init", "-q", "-b", "main")
    commit(root, "Add the key of the upload", day=1)
    (root / "keys.py").write_text(block(CHANGED))
    return root


def pieces(text: str) -> list[str]:
    return [line for line in {*BODY, *CHANGED} if line[:20] in text or line[-20:] in text]


def test_a_diff_amid_a_private_key_shows_none_of_its_lines(tmp_path: Path) -> None:
    root = repository(tmp_path / "w")
    reviewed = Config(plugins={"provider": {"git": {"since": "HEAD"}}})
    for config in (None, reviewed):
        asked = Asked(host=Host.of(satchel_plugins, deadline_seconds=None), config=config)
        bundle = packed("the key of upload in keys.py", root, 9_000, asked)

        assert any(item.kind == "diff" and "@@" in item.text for item in bundle.items)
        assert pieces(bundle.text) == []
    assert (
        pieces(expand("keys.py", root, level="diff", host=Host.of(satchel_plugins, deadline_seconds=None)))
        == []
    )


def test_an_edit_amid_a_private_key_is_recorded_without_its_lines(tmp_path: Path, own_home: Path) -> None:
    root = repository(tmp_path / "w")
    with Session.open("s", store=tmp_path / "store", root=root, create=True) as session:
        run = open_run(root, host=Host.of(satchel_plugins, deadline_seconds=None))
        recorded, _ = record_edit(session, "keys.py", run=run)

    assert pieces("".join(recorded.shown)) == []
    kept = [file.read_bytes() for file in own_home.rglob("*") if file.is_file()]
    assert kept
    assert all(pieces(data.decode("latin-1")) == [] for data in kept)


def test_a_heading_cut_from_a_hidden_line_goes_too() -> None:
    line = "key = " + "k" * 200
    hidden = find_hidden_lines(f"a\n{line}\n", "a\nkey = [redacted:key:0000]\n")

    assert remove_hidden_lines(f"@@ -1,3 +1,3 @@ {line[:80]}\n-{line}\n b", hidden) == (
        "@@ -1,3 +1,3 @@\n-key = [redacted:key:0000]\n b"
    )


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20)))
def test_what_redaction_left_alone_stays(lines: list[str]) -> None:
    text = "\n".join(lines)

    assert find_hidden_lines(text, text) == {}
    assert remove_hidden_lines(text, {}) == text
