"""A secret in a file, a diff, a message or a log stands in nothing that satchel writes or keeps."""

from __future__ import annotations

from pathlib import Path

import satchel_plugins
from satchel import Host, expand

from .repositories import Asked, commit, git, packed, write_files

KEY = "AKIA" + "Z7QK3VXW5RTYUIOP"
TASK = "the uploader can't sign in to the bucket"


def workspace(root: Path) -> Path:
    write_files(root, {"upload.py": f'def sign_in(bucket):\n    return connect(bucket, "{KEY}")\n'})
    git(root, "init", "-q", "-b", "main")
    commit(root, f"Sign in to the bucket with {KEY}", day=1)
    (root / "upload.py").write_text(f'def sign_in(bucket, retries=3):\n    return connect(bucket, "{KEY}")\n')
    (root / "test.log").write_text(f"ERROR upload.py:2: sign in to the bucket refused for {KEY}\n")
    return root


def test_no_document_shows_a_secret_and_it_is_counted(tmp_path: Path) -> None:
    bundle = packed(
        TASK, workspace(tmp_path / "w"), 20_000, Asked(host=Host.of(satchel_plugins, deadline_seconds=None))
    )

    assert {"file", "diff", "commit"} <= {item.kind for item in bundle.items}
    assert KEY not in str(bundle)
    assert "[redacted:aws-access-key-id:" in bundle.text
    assert sum(bundle.secrets.values()) >= 2


def test_a_second_pack_says_the_same(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    asked = Asked(host=Host.of(satchel_plugins, deadline_seconds=None))

    assert packed(TASK, root, 20_000, asked).text == packed(TASK, root, 20_000, asked).text


def test_expand_shows_no_secret_at_any_level(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")

    for level in ("full", "excerpt", "symbols", "diff"):
        assert KEY not in expand(
            "upload.py", root, level=level, host=Host.of(satchel_plugins, deadline_seconds=None)
        )


def test_the_cache_holds_no_secret(tmp_path: Path, own_home: Path) -> None:
    packed(
        TASK, workspace(tmp_path / "w"), 20_000, Asked(host=Host.of(satchel_plugins, deadline_seconds=None))
    )

    kept = [file.read_bytes() for file in own_home.rglob("*") if file.is_file()]
    assert kept
    assert all(KEY.encode() not in data and KEY.lower().encode() not in data for data in kept)


def test_the_mark_of_a_secret_that_only_the_last_commit_has_is_no_forgery(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w")
    git(root, "commit", "-q", "--amend", "-m", "Sign in to the bucket")
    (root / "test.log").unlink()
    (root / "upload.py").write_text("def sign_in(bucket):\n    return connect(bucket, ask_for_key())\n")

    bundle = packed(TASK, root, 20_000, Asked(host=Host.of(satchel_plugins, deadline_seconds=None)))

    assert '-    return connect(bucket, "[redacted:aws-access-key-id:' in bundle.text
