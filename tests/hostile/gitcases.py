"""Repositories that want git to run a program, to read elsewhere, to hang or to break."""

# ruff: noqa: E501 - the data of the cases is long
from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.hostile.ground import NEIGHBOUR, OUTSIDE, Expect, Ground


def _driven(ground: Ground, attributes: str, settings: str) -> Expect:
    """Make a changed repository with attributes and settings; PROGRAM stands for the trap."""
    ground.repository()
    ground.write(".gitattributes", attributes)
    ground.configure(settings.replace("PROGRAM", ground.program(".git/trap.sh")))
    os.utime(ground.root / "app.py", (1, 1))  # git has to look at the content again
    return Expect()


def clean_filter(ground: Ground) -> Expect:
    return _driven(ground, "* filter=evil\n", '[filter "evil"]\nclean = PROGRAM\nrequired = true\n')


def smudge_filter(ground: Ground) -> Expect:
    return _driven(ground, "* filter=evil\n", '[filter "evil"]\nsmudge = PROGRAM\n')


def process_filter(ground: Ground) -> Expect:
    return _driven(ground, "* filter=evil\n", '[filter "evil"]\nprocess = PROGRAM\nrequired\n')


def filter_with_an_odd_name(ground: Ground) -> Expect:
    return _driven(ground, "* filter=e.v.il\n", '[filter "e.v.il"]\nclean = PROGRAM\n')


def filter_with_an_equals_sign(ground: Ground) -> Expect:
    return _driven(ground, "* filter=e=vil\n", '[filter "e=vil"]\nclean = PROGRAM\n')


def filter_in_an_included_file(ground: Ground) -> Expect:
    trap = ground.program("trap.sh")
    ground.write("conf/evil", f'[filter "evil"]\nclean = {trap}\n[core]\nfsmonitor = {trap}\n')
    return _driven(ground, "* filter=evil\n", "[include]\npath = ../conf/evil\n")


def filter_in_a_conditional_include(ground: Ground) -> Expect:
    trap = ground.program("trap.sh")
    ground.write("conf/evil", f'[filter "evil"]\nclean = {trap}\n[diff "d"]\ntextconv = {trap}\n')
    return _driven(ground, "* filter=evil\n", '[includeIf "gitdir:**"]\npath = ../conf/evil\n')


def filter_in_the_config_of_a_worktree(ground: Ground) -> Expect:
    settings = '[filter "evil"]\nclean = PROGRAM\n[core]\nfsmonitor = PROGRAM\n'
    trap = ground.program("trap.sh")
    expect = _driven(ground, "* filter=evil\n", "[extensions]\nworktreeConfig = true\n")
    ground.write(".git/config.worktree", settings.replace("PROGRAM", trap))
    return expect


def textconv(ground: Ground) -> Expect:
    return _driven(ground, "* diff=evil\n", '[diff "evil"]\ntextconv = PROGRAM\ncachetextconv = true\n')


def diff_external(ground: Ground) -> Expect:
    return _driven(ground, "", "[diff]\nexternal = PROGRAM\n")


def diff_driver_command(ground: Ground) -> Expect:
    return _driven(ground, "* diff=evil\n", '[diff "evil"]\ncommand = PROGRAM\ntrustExitCode = true\n')


def merge_driver(ground: Ground) -> Expect:
    return _driven(ground, "* merge=evil\n", '[merge "evil"]\ndriver = PROGRAM %O %A %B\n')


def fsmonitor(ground: Ground) -> Expect:
    return _driven(ground, "", "[core]\nfsmonitor = PROGRAM\nuntrackedCache = true\n")


def hooks_path(ground: Ground) -> Expect:
    expect = _driven(ground, "", "[core]\nhooksPath = ../hooks\n")
    for name in ("post-index-change", "reference-transaction", "pre-commit", "fsmonitor-watchman"):
        ground.program(f"hooks/{name}")
    return expect


def hooks_in_place(ground: Ground) -> Expect:
    ground.repository()
    for name in (
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "pre-auto-gc",
        "sendemail-validate",
    ):
        ground.program(f".git/hooks/{name}")
    os.utime(ground.root / "app.py", (1, 1))
    return Expect()


def signatures(ground: Ground) -> Expect:
    expect = _driven(
        ground, "", "[log]\nshowSignature = true\n[gpg]\nprogram = PROGRAM\n[gpg \"ssh\"]\nprogram = PROGRAM\n"
        "[commit]\ngpgSign = true\n",
    )  # fmt: skip
    text = ground.git("cat-file", "commit", "HEAD")
    head, _, body = text.partition("\n\n")
    signed = (
        f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n{body}\n"
    )
    ground.write(".git/signed", signed)
    made = ground.git("hash-object", "-t", "commit", "-w", ".git/signed")
    ground.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "update-ref", "HEAD", made)
    return expect


def pagers_and_editors(ground: Ground) -> Expect:
    return _driven(
        ground, "",
        "[core]\npager = PROGRAM\neditor = PROGRAM\nsshCommand = PROGRAM\naskPass = PROGRAM\ngitProxy = PROGRAM\n"
        "alternateRefsCommand = PROGRAM\n[pager]\nlog = PROGRAM\nstatus = PROGRAM\ndiff = PROGRAM\n"
        "blame = PROGRAM\nconfig = PROGRAM\n[sequence]\neditor = PROGRAM\n[credential]\nhelper = !PROGRAM\n"
        "[interactive]\ndiffFilter = PROGRAM\n[color]\nui = always\n",
    )  # fmt: skip


def aliases_of_commands(ground: Ground) -> Expect:
    return _driven(
        ground,
        "",
        "".join(f"[alias]\n{name} = !PROGRAM\n" for name in ("log", "status", "diff", "blame", "ls-files")),
    )


def maintenance(ground: Ground) -> Expect:
    return _driven(
        ground, "", "[gc]\nauto = 1\nautoPackLimit = 1\n[maintenance]\nauto = true\n[gc]\nrecentObjectsHook = PROGRAM\n"
        "[receive]\nautogc = true\n[uploadpack]\npackObjectsHook = PROGRAM\n",
    )  # fmt: skip


def tracing_in_the_environment(ground: Ground) -> Expect:
    ground.repository()
    trap = ground.program(".git/trap.sh")
    names = (
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "GIT_EDITOR",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
    )
    files = {"GIT_TRACE": str(ground.root / "trace"), "GIT_TRACE2_EVENT": str(ground.root / "trace2")}
    counted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": trap}
    return Expect(env={**dict.fromkeys(names, trap), **files, **counted})


def another_repository_in_the_environment(ground: Ground) -> Expect:
    ground.repository()
    there = ground.foreign_repository()
    return Expect(
        env={
            "GIT_DIR": f"{there}/.git", "GIT_WORK_TREE": str(there), "GIT_INDEX_FILE": f"{there}/.git/index",
            "GIT_OBJECT_DIRECTORY": f"{there}/.git/objects", "GIT_COMMON_DIR": f"{there}/.git",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{there}/.git/objects", "GIT_NAMESPACE": "x",
            "GIT_CEILING_DIRECTORIES": str(ground.base), "GIT_CONFIG": f"{there}/.git/config",
        }
    )  # fmt: skip


def gitdir_file_to_another_repository(ground: Ground) -> Expect:
    ground.write(".git", f"gitdir: {ground.foreign_repository()}/.git\n")
    return Expect(told=["git"])


def gitdir_link_to_another_repository(ground: Ground) -> Expect:
    ground.link(".git", ground.foreign_repository() / ".git")
    return Expect(told=["git"])


def gitdir_file_by_a_relative_path(ground: Ground) -> Expect:
    ground.foreign_repository()
    ground.write(".git", "gitdir: ../outside/private/.git\n")
    return Expect(told=["git"])


def gitdir_file_into_the_workspace(ground: Ground) -> Expect:
    expect = _driven(
        ground, "* filter=evil\n", '[filter "evil"]\nclean = PROGRAM\n[core]\nfsmonitor = PROGRAM\n'
    )
    (ground.root / ".git").rename(ground.root / "data")
    ground.write(".git", "gitdir: data\n")
    return expect


def common_folder_of_another_repository(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/commondir", f"{ground.foreign_repository()}/.git\n")
    return Expect(told=["git"])


def alternates_to_another_repository(ground: Ground) -> Expect:
    there = ground.foreign_repository()
    ground.repository()
    ground.write(".git/objects/info/alternates", f"{there}/.git/objects\n")
    ground.git("update-ref", "HEAD", ground.git("rev-parse", "HEAD", folder=there))
    return Expect()


def alternates_by_a_relative_path(ground: Ground) -> Expect:
    there = ground.foreign_repository()
    ground.repository()
    ground.write(".git/objects/info/alternates", "../../../outside/private/.git/objects\n")
    ground.git("update-ref", "HEAD", ground.git("rev-parse", "HEAD", folder=there))
    return Expect()


def objects_are_a_link(ground: Ground) -> Expect:
    there = ground.foreign_repository()
    head = ground.git("rev-parse", "HEAD", folder=there)
    ground.repository()
    shutil.rmtree(ground.root / ".git/objects")
    ground.link(".git/objects", there / ".git/objects")
    ground.write(".git/refs/heads/main", f"{head}\n")
    return Expect()


def head_and_refs_are_links(ground: Ground) -> Expect:
    there = ground.foreign_repository()
    ground.repository()
    for name in ("refs", "objects/pack", "HEAD", "logs", "index"):
        place = ground.root / ".git" / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        ground.link(f".git/{name}", there / ".git" / name)
    return Expect()


def gitdir_file_that_is_a_link_to_a_text(ground: Ground) -> Expect:
    ground.link(".git", ground.outside / "secret.txt")
    return Expect(told=["git"])


def config_is_a_link_to_a_text(ground: Ground) -> Expect:
    ground.repository()
    (ground.root / ".git/config").unlink()
    ground.link(".git/config", ground.outside / "secret.txt")
    return Expect(told=["git"])


def head_is_a_link_to_a_text(ground: Ground) -> Expect:
    ground.repository()
    (ground.root / ".git/HEAD").unlink()
    ground.link(".git/HEAD", ground.outside / "secret.txt")
    return Expect(told=["git"])


def packed_refs_are_a_link_to_a_text(ground: Ground) -> Expect:
    ground.repository()
    ground.link(".git/packed-refs", ground.outside / "secret.txt")
    return Expect()


def worktree_elsewhere(ground: Ground) -> Expect:
    ground.repository()
    ground.configure(f"[core]\nworktree = {ground.outside}\n")
    return Expect(told=["git"])


def worktree_is_the_whole_disk(ground: Ground) -> Expect:
    ground.repository()
    ground.configure("[core]\nworktree = /\n")
    return Expect()


def embedded_bare_repository(ground: Ground) -> Expect:
    ground.repository()
    inner = ground.root / "cache.git"
    ground.git("init", "-q", "--bare", str(inner))
    trap = ground.program("trap.sh")
    with (inner / "config").open("a") as file:
        file.write(f"[core]\nbare = false\nworktree = {ground.root}\nfsmonitor = {trap}\n")
    return Expect()


def root_looks_like_a_bare_repository(ground: Ground) -> Expect:
    ground.git("init", "-q", "--bare", str(ground.root))
    with (ground.root / "config").open("a") as file:
        file.write(f"[core]\nbare = false\nworktree = {ground.root}\nfsmonitor = {ground.program()}\n")
    return Expect()


def embedded_repository_with_traps(ground: Ground) -> Expect:
    ground.repository()
    inner = ground.root / "lib"
    inner.mkdir()
    ground.git("init", "-q", folder=inner)
    ground.write("lib/x.txt", "x")
    ground.git("add", "-A", folder=inner)
    ground.git("commit", "-q", "-m", "x", folder=inner)
    trap = ground.program()
    with (inner / ".git/config").open("a") as file:
        file.write(f"[core]\nfsmonitor = {trap}\nhooksPath = {ground.root}\n[diff]\nexternal = {trap}\n")
    ground.write("lib/.gitattributes", "* filter=evil\n")
    return Expect()


def submodule_with_an_update_command(ground: Ground) -> Expect:
    embedded_repository_with_traps(ground)
    trap = f"{ground.root}/trap.sh"
    ground.write(".gitmodules", f'[submodule "lib"]\npath = lib\nurl = ext::{trap}\nupdate = !{trap}\n')
    ground.configure(
        f'[submodule]\nrecurse = true\n[submodule "lib"]\nurl = ext::{trap}\nactive = true\nupdate = !{trap}\n'
        "[diff]\nsubmodule = diff\nignoreSubmodules = none\n[status]\nsubmoduleSummary = true\n"
    )
    ground.git("-c", "core.hooksPath=/dev/null", "add", "lib", ".gitmodules", check=False)
    ground.write("lib/x.txt", "changed")
    ground.ran.unlink(missing_ok=True)
    return Expect()


def partial_clone(ground: Ground) -> Expect:
    ground.repository()
    trap = ground.program(".git/trap.sh")
    blob = ground.git("rev-parse", "HEAD:old.txt")
    (ground.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    ground.configure(
        "[extensions]\npartialClone = evil\n[core]\nrepositoryFormatVersion = 1\n"
        f'[remote "evil"]\npromisor = true\nurl = ext::{trap} x\nuploadpack = {trap}\npartialclonefilter = blob:none\n'
        f'[protocol]\nallow = always\n[protocol "ext"]\nallow = always\n'
    )
    return Expect()


def partial_clone_of_a_folder(ground: Ground) -> Expect:
    partial_clone(ground)
    there = ground.foreign_repository()
    text = (ground.root / ".git/config").read_text()
    (ground.root / ".git/config").write_text(text.replace("ext::", f"{there} #"))
    return Expect()


def partial_clone_by_a_helper_of_its_own(ground: Ground) -> Expect:
    partial_clone(ground)
    ground.program("bin/git-remote-evil")
    ground.configure('[remote "evil"]\nvcs = evil\nproxy = x\n')
    return Expect(env={"PATH": f"{ground.root}/bin:{os.environ['PATH']}"})


def git_program_in_the_workspace(ground: Ground) -> Expect:
    ground.repository()
    ground.program("git")
    ground.program("bin/git")
    return Expect(env={"PATH": f".:{ground.root}:{ground.root}/bin::{os.environ['PATH']}"})


def git_program_behind_a_link(ground: Ground) -> Expect:
    ground.repository()
    ground.program("bin/git")
    (ground.outside / "bin").symlink_to(ground.root / "bin")
    return Expect(env={"PATH": f"{ground.outside}/bin:{os.environ['PATH']}"})


def no_git_program(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".gitignore", "kept-out.txt\n")
    ground.write("kept-out.txt", "ignored-text-5512")
    return Expect(
        env={"PATH": str(ground.outside)}, hidden=["ignored-text-5512"], told=["git"], of_satchel=True
    )


def another_owner(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".gitignore", "kept-out.txt\n")
    ground.write("kept-out.txt", "ignored-text-5512")
    if os.geteuid() == 0:
        for place in (ground.root, ground.root / ".git"):
            os.chown(place, 12345, 12345)
        return Expect(hidden=["ignored-text-5512"], told=["belongs to another user"])
    return Expect(hidden=["ignored-text-5512"])


def excludes_file_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    ground.configure(f"[core]\nexcludesFile = {ground.fifo('pipe')}\n")
    return Expect()


def attributes_file_is_a_fifo(ground: Ground) -> Expect:
    expect = _driven(ground, "", "")
    ground.configure(f"[core]\nattributesFile = {ground.fifo('pipe')}\n")
    return expect


def attributes_file_never_ends(ground: Ground) -> Expect:
    return _driven(ground, "", "[core]\nattributesFile = /dev/zero\n")


def excludes_file_never_ends(ground: Ground) -> Expect:
    return _driven(ground, "", "[core]\nexcludesFile = /dev/zero\n")


def ignore_file_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    ground.fifo(".gitignore")
    return Expect()


def attributes_in_the_tree_are_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    ground.fifo("deep/.gitattributes")
    ground.fifo(".gitattributes")
    os.utime(ground.root / "app.py", (1, 1))
    return Expect()


def info_files_are_fifos(ground: Ground) -> Expect:
    ground.repository()
    for name in ("exclude", "attributes", "grafts", "sparse-checkout"):
        (ground.root / ".git/info" / name).unlink(missing_ok=True)
        ground.fifo(f".git/info/{name}")
    return Expect()


def parts_of_git_are_fifos(ground: Ground) -> Expect:
    ground.repository()
    (ground.root / ".git/index").unlink()
    ground.fifo(".git/index")
    return Expect(told=["git"])


def config_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    (ground.root / ".git/config").unlink()
    ground.fifo(".git/config")
    return Expect(told=["git"])


def head_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    (ground.root / ".git/HEAD").unlink()
    ground.fifo(".git/HEAD")
    return Expect(told=["git"])


def gitdir_is_a_fifo(ground: Ground) -> Expect:
    ground.fifo(".git")
    return Expect()


def refs_are_fifos(ground: Ground) -> Expect:
    ground.repository()
    ground.fifo(".git/packed-refs")
    ground.fifo(".git/refs/heads/other")
    ground.fifo(".git/shallow")
    return Expect()


def included_config_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    ground.configure(f"[include]\npath = {ground.fifo('pipe')}\n")
    return Expect(told=["git"])


def mailmap_is_a_fifo(ground: Ground) -> Expect:
    ground.repository()
    ground.configure(f"[log]\nmailmap = true\n[mailmap]\nfile = {ground.fifo('pipe')}\n")
    ground.fifo(".mailmap")
    return Expect()


def mailmap_never_ends(ground: Ground) -> Expect:
    ground.repository()
    ground.configure("[log]\nmailmap = true\n[mailmap]\nfile = /dev/zero\nblob = HEAD:old.txt\n")
    return Expect()


def order_and_revisions_to_ignore(ground: Ground) -> Expect:
    ground.repository()
    pipe = ground.fifo("pipe")
    ground.configure(
        f"[diff]\norderFile = {pipe}\n[blame]\nignoreRevsFile = {pipe}\nignoreRevsFile = /dev/zero\n"
    )
    return Expect()


def headings_by_a_slow_expression(ground: Ground) -> Expect:
    ground.write("slow.txt", "a" * 5_000 + "\n" + "line\n" * 50)
    expect = _driven(ground, "*.txt diff=evil\n", '[diff "evil"]\nxfuncname = "((a*)*)*(\\\\2)*b"\n')
    ground.write("slow.txt", "a" * 5_000 + "\n" + "line\n" * 49 + "other\n")
    return expect


def taste_that_spoils_the_answer(ground: Ground) -> Expect:
    return _driven(
        ground, "",
        "[diff]\nnoprefix = true\nmnemonicPrefix = true\ncontext = 100\nalgorithm = histogram\nstatGraphWidth = x\n"
        "renames = copies\nwsErrorHighlight = all\n[core]\nquotePath = false\nabbrev = 4\nbigFileThreshold = 1\n"
        "[log]\nfollow = true\ndiffMerges = combined\nshowRoot = false\n[format]\npretty = raw\n"
        "[status]\nshortFormat = true\nshowUntrackedFiles = all\nrelativePaths = false\n[i18n]\n"
        "logOutputEncoding = UTF-16\ncommitEncoding = latin-1\n[color]\nui = always\n",
    )  # fmt: skip


def settings_that_are_no_settings(ground: Ground) -> Expect:
    return _driven(ground, "", "[core]\nbare = perhaps\nabbrev = x\n[diff]\nrenameLimit = y\ncontext = -1\n")


def config_that_is_no_config(ground: Ground) -> Expect:
    ground.repository()
    ground.configure("[[[ core\n\0 = \n")
    return Expect(told=["git"])


def names_that_look_like_options(ground: Ground) -> Expect:
    for name in ("--output=x", "-p", "--exec=sh", "-", "--", ":(glob)**", "HEAD"):
        ground.write(name, f"looks like an option, for {NEIGHBOUR}\n")
    ground.repository()
    ground.write("--output=x", f"changed, for {NEIGHBOUR}\n")
    return Expect(shown=["--output=x"])


def branches_that_look_like_options(ground: Ground) -> Expect:
    ground.repository()
    head = ground.git("rev-parse", "HEAD")
    for name in ("--output=pwned", "-p", "HEAD", "@{upstream}"):
        ground.write(f".git/refs/heads/{name}", f"{head}\n")
    ground.write(".git/HEAD", "ref: refs/heads/--output=pwned\n")
    return Expect()


def since_looks_like_an_option(ground: Ground) -> Expect:
    ground.repository()
    return Expect(argv=["--since=--output=pwned"], codes=[1, 2], of_satchel=True)


def replaced_and_grafted_history(ground: Ground) -> Expect:
    ground.repository()
    head = ground.git("rev-parse", "HEAD")
    ground.git("replace", "--graft", head)
    ground.write(".git/info/grafts", f"{head}\n")
    ground.git("notes", "add", "-m", "note-text-8812")
    return Expect(hidden=["note-text-8812"])


def damaged_index(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/index", b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\0" * 40)
    return Expect(told=["git"])


def empty_index(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/index", b"")
    return Expect()


def huge_numbers_in_the_index(ground: Ground) -> Expect:
    ground.repository()
    index = ground.root / ".git/index"
    data = bytearray(index.read_bytes())
    data[8:12] = b"\x7f\xff\xff\xff"
    index.write_bytes(data)
    return Expect(told=["git"])


def damaged_pack(ground: Ground) -> Expect:
    ground.repository()
    ground.git("gc", "-q")
    for pack in (ground.root / ".git/objects/pack").glob("*.pack"):
        pack.chmod(0o644)
        pack.write_bytes(pack.read_bytes()[:12] + b"\xff" * 300)
    return Expect()


def damaged_pack_index(ground: Ground) -> Expect:
    ground.repository()
    ground.git("gc", "-q")
    for file in (ground.root / ".git/objects/pack").glob("*.idx"):
        file.chmod(0o644)
        file.write_bytes(b"\0" * 50)
    return Expect()


def missing_objects(ground: Ground) -> Expect:
    ground.repository()
    shutil.rmtree(ground.root / ".git/objects")
    (ground.root / ".git/objects").mkdir()
    return Expect()


def objects_of_nothing(ground: Ground) -> Expect:
    ground.repository()
    for file in (ground.root / ".git/objects").glob("??/*"):
        file.chmod(0o644)
        file.write_bytes(b"")
    return Expect()


def head_to_nowhere(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/HEAD", "ref: refs/heads/gone\n")
    return Expect()


def head_to_itself(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/HEAD", "ref: HEAD\n")
    return Expect()


def head_of_nothing(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/HEAD", b"")
    return Expect(told=["git"])


def head_out_of_the_folder(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/HEAD", "ref: ../../outside/secret.txt\n")
    return Expect()


def no_commit_yet(ground: Ground) -> Expect:
    ground.git("init", "-q")
    return Expect()


def empty_git_folder(ground: Ground) -> Expect:
    (ground.root / ".git").mkdir()
    return Expect()


def half_written(ground: Ground) -> Expect:
    ground.repository()
    head = ground.git("rev-parse", "HEAD")
    for name in ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"):
        ground.write(f".git/{name}", b"")
    ground.write(".git/MERGE_HEAD", f"{head}\n")
    ground.write(".git/MERGE_MSG", "merging\n")
    ground.write(".git/rebase-merge/git-rebase-todo", f"exec {ground.program('trap.sh')}\npick {head}\n")
    ground.write(".git/rebase-merge/head-name", "refs/heads/main\n")
    return Expect()


def in_conflict(ground: Ground) -> Expect:
    ground.repository(changed=False)
    ground.git("checkout", "-q", "-b", "other", "HEAD~1")
    ground.write("old.txt", f"theirs {NEIGHBOUR}\n")
    ground.commit("theirs")
    ground.git("merge", "-q", "main", check=False)
    return Expect(shown=["<<<<<<<"])


def shallow_clone(ground: Ground) -> Expect:
    source = ground.outside / "source"
    ground.repository(changed=False)
    shutil.move(ground.root, source)
    ground.git("clone", "-q", "--depth", "1", f"file://{source}", str(ground.root), folder=ground.outside)
    ground.write("old.txt", f"changed for {NEIGHBOUR}\n")
    return Expect(shown=["old.txt"])


def linked_worktree(ground: Ground) -> Expect:
    source = ground.outside / "source"
    ground.repository(changed=False)
    shutil.move(ground.root, source)
    ground.git("worktree", "add", "-q", str(ground.root), "-b", "side", folder=source)
    ground.write("old.txt", f"changed-in-worktree for {NEIGHBOUR}\n")
    return Expect(shown=["+changed-in-worktree", "-second"])


def folder_of_a_repository_elsewhere(ground: Ground) -> Expect:
    ground.repository(changed=False)
    there = ground.outside / "separate"
    shutil.move(ground.root / ".git", there)
    ground.git("init", "-q", "--separate-git-dir", str(there))
    ground.write("old.txt", f"changed-elsewhere for {NEIGHBOUR}\n")
    return Expect(shown=["changed-elsewhere"])


def sha256_repository(ground: Ground) -> Expect:
    ground.git("init", "-q", "--object-format=sha256")
    ground.write("old.txt", "first\n")
    ground.commit("begin")
    ground.write("old.txt", f"changed-in-sha256 for {NEIGHBOUR}\n")
    return Expect(shown=["+changed-in-sha256", "-first"])


def repository_of_the_future(ground: Ground) -> Expect:
    ground.repository()
    ground.configure(
        "[core]\nrepositoryFormatVersion = 99\n[extensions]\nrefStorage = reftable\nunheardOf = true\n"
    )
    return Expect(told=["git"])


def tag_that_points_at_itself(ground: Ground) -> Expect:
    ground.repository()
    ground.write(".git/refs/tags/loop", "ref: refs/tags/loop\n")
    ground.write(".git/refs/heads/x", "ref: refs/heads/y\n")
    ground.write(".git/refs/heads/y", "ref: refs/heads/x\n")
    return Expect()


def words_for_a_model_in_the_history(ground: Ground) -> Expect:
    ground.repository()
    key = "ghp_" + "uT7vQe0LxZ4mRk9WbYc2HsNd8JfPa6GiXo1V"
    ground.write("x.txt", "x")
    ground.commit(f"fix {NEIGHBOUR} with {key}\n\n\x1b[2J\u202e hidden")
    return Expect(hidden=["\x1b[2J", "\u202e"], secret=[key])


def repository_around_the_workspace(ground: Ground) -> Expect:
    (ground.base / "plan.txt").write_text(f"{OUTSIDE} {NEIGHBOUR}\n")
    ground.git("init", "-q", folder=ground.base)
    ground.git("add", "-A", folder=ground.base)
    ground.git("commit", "-q", "-m", "all", folder=ground.base)
    Path(ground.base / "plan.txt").write_text(f"changed {OUTSIDE} {NEIGHBOUR}\n")
    return Expect()
