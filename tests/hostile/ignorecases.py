"""Ignore rules that are easy to half understand: what they leave out must not come out."""

from __future__ import annotations

from tests.hostile.ground import NEIGHBOUR, Expect, Ground

_KEPT_OUT = "ignored-text-5512"
_KEPT_IN = "wanted_text_3307"


def _ruled(ground: Ground, rules: str | bytes, out: tuple[str, ...], kept: tuple[str, ...] = ()) -> Expect:
    """Make a repository with rules, files that they leave out and files that they do not."""
    ground.git("init", "-q")
    ground.write(".gitignore", rules)
    for path in out:
        ground.write(path, f"{NEIGHBOUR} {_KEPT_OUT}\n")
    for path in kept:
        ground.write(path, f"{NEIGHBOUR} {_KEPT_IN}\n")
    return Expect(hidden=[_KEPT_OUT], shown=[_KEPT_IN] if kept else [])


def negation(ground: Ground) -> Expect:
    return _ruled(ground, "*.txt\n!keep.txt\n", ("a.txt", "sub/b.txt"), ("keep.txt",))


def negation_below_an_ignored_folder(ground: Ground) -> Expect:
    return _ruled(ground, "out/\n!out/keep.txt\n", ("out/keep.txt", "out/a.txt"))


def negation_of_the_content_of_a_folder(ground: Ground) -> Expect:
    return _ruled(ground, "out/*\n!out/keep.txt\n", ("out/a.txt",), ("out/keep.txt",))


def anchored(ground: Ground) -> Expect:
    return _ruled(ground, "/top.txt\na/b.txt\n", ("top.txt", "a/b.txt"), ("sub/top.txt", "sub/a/b.txt"))


def two_stars(ground: Ground) -> Expect:
    return _ruled(
        ground,
        "**/x/*.txt\ny/**\nz/**/w.txt\n",
        ("x/a.txt", "q/x/b.txt", "y/d/c.txt", "z/w.txt", "z/1/2/w.txt"),
    )


def classes_and_escapes(ground: Ground) -> Expect:
    rules = "[!a]1.txt\n[0-9][[:digit:]].md\n\\#x.txt\n\\!y.txt\nq\\?.txt\n"
    return _ruled(ground, rules, ("b1.txt", "42.md", "#x.txt", "!y.txt", "q?.txt"), ("a1.txt",))


def only_folders(ground: Ground) -> Expect:
    return _ruled(ground, "thing/\n", ("thing/a.txt", "s/thing/b.txt"), ("t/thing",))


def blanks_at_the_end(ground: Ground) -> Expect:
    return _ruled(ground, "one.txt   \ntwo.txt\\ \n", ("one.txt", "two.txt "), ("two.txt",))


def windows_line_ends(ground: Ground) -> Expect:
    return _ruled(ground, b"*.log\r\nout/\r\n", ("a.log", "out/b.txt"))


def byte_order_mark(ground: Ground) -> Expect:
    return _ruled(ground, b"\xef\xbb\xbf*.log\n", ("a.log",))


def nested_files(ground: Ground) -> Expect:
    expect = _ruled(ground, "*.log\n", ("a.log", "sub/c.txt"), ("sub/b.log",))
    ground.write("sub/.gitignore", "!b.log\nc.txt\n")
    return expect


def rules_of_the_repository(ground: Ground) -> Expect:
    expect = _ruled(ground, "", ("own.txt",), ("other.txt",))
    ground.write(".git/info/exclude", "own.txt\n")
    return expect


def rules_of_the_user(ground: Ground) -> Expect:
    expect = _ruled(ground, "", ("mine.txt",), ("other.txt",))
    with (ground.home / ".gitconfig").open("a") as file:
        file.write("[core]\nexcludesFile = ~/rules\n")
    (ground.home / "rules").write_text("mine.txt\n")
    return expect


def rules_of_the_user_in_their_usual_place(ground: Ground) -> Expect:
    expect = _ruled(ground, "", ("mine.txt",), ("other.txt",))
    (ground.home / ".config/git").mkdir(parents=True)
    (ground.home / ".config/git/ignore").write_text("mine.txt\n")
    return expect


def rules_without_a_repository(ground: Ground) -> Expect:
    expect = _ruled(ground, "*.log\nout/\n!keep.log\n", ("a.log", "out/b.txt"), ("keep.log",))
    for file in sorted((ground.root / ".git").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    (ground.root / ".git").rmdir()
    return expect


def rules_of_the_user_without_a_repository(ground: Ground) -> Expect:
    expect = rules_without_a_repository(ground)
    ground.write("mine.txt", _KEPT_OUT)
    (ground.home / ".gitconfig").write_text("[core]\nexcludesFile = ~/rules\n")
    (ground.home / "rules").write_text("mine.txt\n")
    return expect


def tracked_though_ignored(ground: Ground) -> Expect:
    expect = _ruled(ground, "kept.txt\nout.txt\n", ("out.txt",), ("kept.txt",))
    ground.git("add", "-f", "kept.txt", "app.py")
    ground.git("commit", "-q", "-m", "x")
    return expect


def rules_behind_a_link(ground: Ground) -> Expect:
    ground.git("init", "-q")
    ground.write("rules", "*.txt\n")
    ground.link(".gitignore", "rules")
    ground.write("seen.txt", f"{NEIGHBOUR} {_KEPT_IN}\n")
    return Expect(shown=[_KEPT_IN])  # git does not follow it either


def rules_that_are_a_folder(ground: Ground) -> Expect:
    ground.git("init", "-q")
    ground.write(".gitignore/x.txt", f"{NEIGHBOUR} {_KEPT_IN}\n")
    return Expect(shown=[_KEPT_IN])


def rules_that_are_a_fifo_without_a_repository(ground: Ground) -> Expect:
    ground.fifo(".gitignore")
    ground.fifo("sub/.gitignore")
    return Expect()


def a_million_rules(ground: Ground) -> Expect:
    rules = "".join(f"name{number}/**/x*y\n" for number in range(60_000))
    return _ruled(ground, f"{rules}a.txt\n", ("a.txt",), ("b.txt",))


def rules_that_take_for_ever(ground: Ground) -> Expect:
    ground.write("a" * 200 + ".txt", f"{NEIGHBOUR} {_KEPT_IN}\n")
    return _ruled(ground, "*a" * 60 + "b\n" + "**/" * 100 + "x\n" + "[" * 5_000 + "\n", (), ("kept.txt",))


def own_rules(ground: Ground) -> Expect:
    expect = _ruled(ground, "", ("private.txt",), ("open.txt",))
    ground.write(".satchelignore", "private.txt\n")
    return expect._replace(of_satchel=True)


def own_rules_bring_nothing_back(ground: Ground) -> Expect:
    expect = _ruled(ground, "private.txt\n", ("private.txt",), ("open.txt",))
    ground.write(".satchelignore", "!private.txt\n")
    return expect


def ignored_file_that_the_task_names(ground: Ground) -> Expect:
    return _ruled(ground, "private.txt\n", ("private.txt",))._replace(task=f"{NEIGHBOUR} in app.py")
