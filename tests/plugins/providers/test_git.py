"""The provider `git`: the summary, the diffs and the commits that a task is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.amounts import is_full
from tests.core.repositories import commit, git, write_files

from satchel import Host, PointerError, Workspace, WorkspaceError, expand, why
from satchel.references import make_task
from satchel_plugins.providers import GitProvider

from .shop import CART, CART_TASK, FILES, MAIL, MAIL_TASK, by_id, edit, gathered, make_shop


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a repository with seven commits."""
    return make_shop(tmp_path / "shop")


def change(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    edit(root, {path: text.replace(old, new)})


def test_a_plain_folder_has_nothing(tmp_path: Path) -> None:
    assert gathered(GitProvider(), write_files(tmp_path / "plain", FILES)) == []


def test_an_empty_repository_has_nothing_but_its_state(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")

    assert gathered(GitProvider(), tmp_path) == []
    (item,) = gathered(GitProvider(), tmp_path, "what did I change in git?")
    assert item.text == "branch main, no commit yet\nworking tree clean\n"


def test_before_the_first_commit_staged_files_are_told(tmp_path: Path) -> None:
    git(write_files(tmp_path / "new", {"a.py": "x = 1\n"}), "init", "-q", "-b", "main")
    git(tmp_path / "new", "add", "-A")

    (item,) = gathered(GitProvider(), tmp_path / "new", "x")

    assert item.text == "branch main, no commit yet\nstaged, 1 file: new a.py\n"


@pytest.mark.weekly
def test_a_clean_tree_is_told_only_where_the_task_asks(shop: Path) -> None:
    assert "git:status" not in by_id(gathered(GitProvider(), shop))

    status = by_id(gathered(GitProvider(), shop, "review my changes"))["git:status"]

    assert status.text is not None
    assert status.text.startswith("branch main at commit ")
    assert status.text.endswith("\nworking tree clean\n")
    assert status.relevance == 1.0


def test_the_summary_counts_and_names_what_changed(shop: Path) -> None:
    change(shop, "shop/cart.py", "sum(self.prices)", "max(self.prices)")
    git(shop, "add", "-A")
    (shop / "shop/tax.py").unlink()
    edit(shop, {"new.py": "x = 1\n"})

    text = by_id(gathered(GitProvider(), shop))["git:status"].text or ""

    assert text.split("\n")[1:] == [
        "staged, 1 file: changed shop/cart.py",
        "not staged, 1 file: deleted shop/tax.py",
        "untracked, 1 file: new.py",
        "",
    ]


def test_the_summary_is_small_however_much_changed(shop: Path) -> None:
    edit(shop, {f"some/long/folder/name/file_number_{n}.py": "x = 1\n" for n in range(300)})
    change(shop, "shop/mail.py", "postman", "post")

    text = by_id(gathered(GitProvider(), shop))["git:status"].text or ""

    assert len(text) < 600
    assert "untracked, 300 files: " in text
    assert " and 294 more\n" in text


def test_a_merge_in_conflict_is_told(shop: Path) -> None:
    git(shop, "checkout", "-qb", "side")
    change(shop, "shop/tax.py", "19", "200")
    commit(shop, "raise the tax", day=20)
    git(shop, "checkout", "-q", "main")
    change(shop, "shop/tax.py", "19", "8")
    commit(shop, "lower the tax", day=21)
    with pytest.raises(AssertionError):
        git(shop, "merge", "side")

    status = by_id(gathered(GitProvider(), shop, MAIL_TASK))["git:status"]

    assert "a merge is in progress\nin conflict, 1 file: shop/tax.py\n" in (status.text or "")
    assert status.relevance == 1.0


def test_uncommitted_work_is_one_diff_for_each_file(shop: Path) -> None:
    change(shop, "shop/cart.py", "return sum(self.prices)", "return sum(self.prices) - self.discount(0)")

    diff = by_id(gathered(GitProvider(), shop))["diff:shop/cart.py"]

    assert diff.title == "diff of shop/cart.py"
    assert (diff.text or "").startswith(
        "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -8,7 +8,7 @@ class Cart:\n"
    )
    assert "-        return sum(self.prices)\n+        return sum(self.prices) - self" in (diff.text or "")
    assert diff.relevance > 0.8


@pytest.mark.weekly
def test_a_diff_that_the_task_is_not_about_is_only_named(shop: Path) -> None:
    change(shop, "shop/cart.py", "self.prices[3]", "self.prices[4]")
    change(shop, "shop/mail.py", "postman", "post")

    found = {task: by_id(gathered(GitProvider(), shop, task)) for task in (CART_TASK, MAIL_TASK)}

    assert [id_ for id_ in found[CART_TASK] if id_.startswith("diff:")] == ["diff:shop/cart.py"]
    assert [id_ for id_ in found[MAIL_TASK] if id_.startswith("diff:")] == ["diff:shop/mail.py"]
    assert "shop/mail.py" in (found[CART_TASK]["git:status"].text or "")


def test_all_diffs_are_offered_where_the_task_asks_for_changes(shop: Path) -> None:
    change(shop, "shop/tax.py", "19", "20")
    change(shop, "shop/mail.py", "postman", "post")

    found = by_id(gathered(GitProvider(), shop, "write a commit message for my changes"))

    assert {"diff:shop/tax.py", "diff:shop/mail.py"} <= found.keys()


def test_a_credential_file_is_only_named(shop: Path) -> None:
    write_files(shop, {".env": "CART_TOTAL=hunter1\n", "keys/cart.txt": "cart\n"})
    commit(shop, "add settings", day=20)
    key = "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n"
    edit(shop, {".env": "CART_TOTAL=hunter3\n", "keys/cart.txt": key})

    items = gathered(GitProvider(), shop, "review my changes of the cart total in .env")

    assert by_id(items)["diff:.env"].note == "credentials, changed"
    assert by_id(items)["diff:keys/cart.txt"].note == "credentials, changed"
    assert not [item for item in items if "hunter" in (item.text or "")]


@pytest.mark.costly
@pytest.mark.parametrize("since", ["", "HEAD"])
@pytest.mark.parametrize("task", [CART_TASK, "write a commit message for my changes"])
def test_of_what_satchelignore_names_no_change_is_told(shop: Path, since: str, task: str) -> None:
    change(shop, "shop/cart.py", "sum(", "max(")
    edit(shop, {".satchelignore": "cart.py\nnotes/\n", "notes/cart.txt": "the cart\n"})
    git(shop, "add", "-f", "notes/cart.txt")
    change(shop, "shop/mail.py", "def ", "async def ")

    found = by_id(gathered(GitProvider(since=since), shop, task))

    summary = found["git:status"] if "git:status" in found else found["review:summary"]
    assert "shop/mail.py" in (summary.text or "")
    told = [
        item
        for item in found.values()
        if item.kind != "commit" and item.id != "git:subjects" and ":.satchelignore" not in item.id
    ]
    assert not [item for item in told if "cart" in f"{item.id}{item.text}"]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "before", "after", "note"),
    [
        ("cart.bin", b"\0\1cart", b"\0\2cart", "binary, changed"),
        ("package-lock.json", b'{"cart": 1}\n', b'{"cart": 2}\n', "lockfile, changed"),
        ("cart.js", b"x\n", b"var cart=1;" * 400 + b"\n", "minified, changed"),
    ],
)
def test_what_is_no_text_for_people_is_only_named(
    shop: Path, name: str, before: bytes, after: bytes, note: str
) -> None:
    write_files(shop, {name: before})
    commit(shop, "add it", day=20)
    edit(shop, {name: after})

    item = by_id(gathered(GitProvider(), shop, f"review my changes of {name}"))[f"diff:{name}"]

    assert (item.note, item.text) == (note, None)


def test_of_a_huge_diff_the_hunks_nearest_the_task_are_shown(shop: Path) -> None:
    lines = [f"word_{n} = {n}\n" for n in range(4_000)]
    lines[2_000] = "grand_total = discount\n"
    write_files(shop, {"big.py": "".join(lines)})
    commit(shop, "add it", day=20)
    lines[::20] = [f"{line.rstrip()} + 1\n" for line in lines[::20]]
    edit(shop, {"big.py": "".join(lines)})

    item = by_id(gathered(GitProvider(max_tokens=3_000), shop))["diff:big.py"]

    assert "+grand_total = discount + 1\n" in (item.text or "")
    assert len(item.text or "") < 1_200
    assert " without " in item.title


def test_everything_stays_within_the_caps(shop: Path) -> None:
    write_files(shop, {f"cart_{n}.py": f"cart = {n}\n" * 200 for n in range(80)})
    commit(shop, "many carts", day=20)
    edit(shop, {f"cart_{n}.py": f"grand_total = {n}\n" * 200 for n in range(80)})

    items = gathered(GitProvider(), shop)

    assert len(items) <= GitProvider().max_items
    assert sum(len((item.text or "").encode()) for item in items) / 3 <= GitProvider().max_tokens
    assert [item for item in items if item.kind == "commit"]


def test_the_commits_nearest_to_the_task_are_told(shop: Path) -> None:
    commits = [item for item in gathered(GitProvider(), shop) if item.kind == "commit"]

    assert len(commits) == 3
    assert all("price of the cart with a discount" in (item.text or "") for item in commits)
    assert (commits[0].text or "").startswith("20")
    assert (commits[0].text or "").endswith("\nfiles: shop/cart.py\n")


@pytest.mark.weekly
def test_two_unrelated_tasks_share_less_than_a_third(shop: Path) -> None:
    change(shop, "shop/cart.py", "self.prices[3]", "self.prices[4]")
    change(shop, "shop/mail.py", "postman", "post")
    cart, mail = (by_id(gathered(GitProvider(), shop, task)).keys() for task in (CART_TASK, MAIL_TASK))

    assert len(cart) >= 4
    assert len(cart & mail) / len(cart | mail) < 0.3


def test_a_task_about_nothing_in_the_history_gets_no_commit(shop: Path) -> None:
    assert gathered(GitProvider(), shop, "quaternion slerp interpolation of kangaroos") == []


def test_a_commit_is_found_by_its_id_and_by_an_issue_it_mentions(shop: Path) -> None:
    sha = git(shop, "rev-parse", "HEAD~6")

    by_sha = gathered(GitProvider(), shop, f"what is wrong with {sha[:9]}?")
    by_issue = gathered(GitProvider(), shop, "follow up on #42")

    assert [(item.id, item.relevance) for item in by_sha if item.kind == "commit"] == [(f"commit:{sha}", 1.0)]
    assert "(#42)" in (by_issue[0].text or "")


def test_of_a_message_the_reason_is_told_and_the_trailers_are_not(shop: Path) -> None:
    message = "round the cart\n\nPrices had three digits.\n\nSigned-off-by: A <a@example.invalid>\n"
    change(shop, "shop/cart.py", "sum(", "round(sum(")
    commit(shop, message, day=20)

    text = gathered(GitProvider(), shop, "round the digits of the cart")[0].text or ""

    assert text.split("\n")[1:] == ["Prices had three digits.", "files: shop/cart.py", ""]


CODE = "```py\nround(1.004, 2)\nround(1.005, 2)\nround(2.675, 2)\n```\n"


@pytest.mark.costly
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (f"As here:\n\n{CODE}\nSigned-off-by: A <a@example.invalid>\n", f"As here:\n{CODE}"),
        (
            f"Six lines.\n{'Prices had three digits.' + chr(10)}" * 3 + CODE,
            "Six lines.\nPrices had three digits.\n" * 3
            + CODE[:22]
            + "```\n[cut here; satchel expand commit:SHA]\n",
        ),
        (f"{'Prices had three digits.' + chr(10)}" * 7 + CODE, None),
        ("word " * 99 + "word\nmore\n", "word " * 99 + "word\n[cut here; satchel expand commit:SHA]\n"),
    ],
    ids=["whole", "cut in a block of code", "cut where a block begins", "cut by letters"],
)
def test_of_a_message_what_is_cut_is_told_and_no_block_of_code_stays_open(
    shop: Path, body: str, told: str | None
) -> None:
    change(shop, "shop/cart.py", "sum(", "round(sum(")
    commit(shop, f"round the cart\n\n{body}", day=20)
    sha = git(shop, "rev-parse", "HEAD")

    text = (gathered(GitProvider(), shop, "round the digits of the cart")[0].text or "").partition("\n")[2]

    pointer = f"commit:{sha[:10]}"
    told = (
        "Prices had three digits.\n" * 7 + "[cut here; satchel expand commit:SHA]\n" if told is None else told
    )
    assert text == told.replace("commit:SHA", pointer) + "files: shop/cart.py\n"
    assert f"\n\n{body.strip()}\n" in expand(pointer, shop)


def test_since_shows_all_that_changed_from_there_whatever_the_task(shop: Path) -> None:
    edit(shop, {"shop/fresh.py": "fresh = 1\n"})
    git(shop, "add", "-A")
    change(shop, "shop/tax.py", "19", "20")

    items = by_id(gathered(GitProvider(since="HEAD~2"), shop, "anything"))

    diffs = {id_: item for id_, item in items.items() if item.kind == "diff"}
    base = git(shop, "rev-parse", "HEAD~2")[:12]
    assert diffs.keys() == {f"review:shop/{name}.py@{base}" for name in ("cart", "mail", "fresh", "tax")}
    assert {item.relevance for item in diffs.values()} == {1.0}
    assert diffs[f"review:shop/tax.py@{base}"].title == "diff of shop/tax.py since HEAD~2"
    assert (diffs[f"review:shop/fresh.py@{base}"].text or "").startswith(
        "--- /dev/null\n+++ b/shop/fresh.py\n@@"
    )


@pytest.mark.costly
@pytest.mark.parametrize("ref", ["no-such-branch", "--output=x", "-p"])
def test_since_what_is_no_commit_is_a_clear_error(shop: Path, ref: str) -> None:
    with pytest.raises(WorkspaceError, match="is not a commit here; give a branch, a tag or a commit id"):
        gathered(GitProvider(since=ref), shop)


def test_since_without_a_repository_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="nothing to compare `since` with"):
        gathered(GitProvider(since="main"), write_files(tmp_path / "plain", FILES))


def test_a_damaged_repository_costs_the_diff_alone(shop: Path) -> None:
    change(shop, "shop/cart.py", "sum(", "max(")
    blob = git(shop, "rev-parse", "HEAD:shop/cart.py")
    (shop / ".git/objects" / blob[:2] / blob[2:]).unlink()
    workspace = Workspace.open(shop)

    items = list(GitProvider().gather(make_task(CART_TASK, workspace.index.documents), workspace, ()))

    assert {item.kind for item in items} == {"status", "commit"}
    assert ["can't be read" in str(problem) for problem in workspace.problems] == [True]
    workspace.close()


@pytest.mark.weekly
def test_a_deleted_file_is_named_and_for_a_review_shown(shop: Path) -> None:
    (shop / "shop/mail.py").unlink()

    status = by_id(gathered(GitProvider(), shop, MAIL_TASK))["git:status"]
    head = git(shop, "rev-parse", "HEAD")[:12]
    diff = by_id(gathered(GitProvider(since="HEAD"), shop, MAIL_TASK))[f"review:shop/mail.py@{head}"]

    assert "not staged, 1 file: deleted shop/mail.py\n" in (status.text or "")
    assert (diff.text or "").startswith("--- a/shop/mail.py\n+++ /dev/null\n@@")
    assert f"-{MAIL.splitlines()[0]}\n" in (diff.text or "")


def test_a_renamed_file_says_what_it_was(shop: Path) -> None:
    git(shop, "mv", "shop/cart.py", "shop/basket.py")
    change(shop, "shop/basket.py", "sum(", "max(")

    diff = by_id(gathered(GitProvider(), shop))["diff:shop/basket.py"]

    assert (diff.text or "").startswith(
        "renamed from shop/cart.py\n--- a/shop/cart.py\n+++ b/shop/basket.py\n"
    )


def test_a_hostile_task_of_megabytes_is_no_burden(shop: Path) -> None:
    assert isinstance(gathered(GitProvider(), shop, "deadbeef1 " * (1_000_000 if is_full() else 5_000)), list)


def test_the_host_takes_it_with_settings() -> None:
    assert (GitProvider(since="main").since, GitProvider().wave, CART.count("class")) == ("main", 1, 1)
    assert Host.empty().problems == []


@pytest.mark.weekly
def test_why_knows_a_commit_by_its_id(shop: Path) -> None:
    sha = git(shop, "rev-parse", "HEAD~6")

    asked = [why(ref, f"follow up on {sha[:9]}", shop) for ref in (sha[:8], f"commit:{sha}")]

    assert [one.kept for one in asked] == [True, True]
    with pytest.raises(PointerError, match="the task is not about that commit"):
        why(sha[:8], "zxqv", shop)
    with pytest.raises(PointerError, match="no such commit in this repository"):
        why("0123456789", "zxqv", shop)


def test_a_secret_in_a_message_stays_out_of_the_expanded_commit(shop: Path) -> None:
    secret = "ghp_" + "x7Kq2Lm9Rt4Vb8Nc3Zw6Yp1Sd5Fg0Hj2Ka9Q"
    change(shop, "shop/cart.py", "sum(", "round(sum(")
    commit(shop, f"round the cart\n\nThe token was {secret}.\n", day=20)

    text = expand(f"commit:{git(shop, 'rev-parse', 'HEAD')}", shop)

    assert "The token was " in text
    assert secret not in text


@pytest.mark.weekly
def test_of_changes_some_of_which_are_staged_each_says_what_it_is(shop: Path) -> None:
    for path in ("shop/cart.py", "shop/tax.py"):
        edit(shop, {path: (shop / path).read_text() + "\nONE = 1\n"})
        git(shop, "add", path)
    edit(
        shop, {"shop/tax.py": (shop / "shop/tax.py").read_text() + "TWO = 22\n", "shop/new.py": "THREE = 3\n"}
    )

    every = by_id(gathered(GitProvider(), shop, "write a commit message for my changes"))
    staged = by_id(gathered(GitProvider(), shop, "write a commit message for the staged changes"))

    lines = (every["review:summary"].text or "").splitlines()
    assert {line.partition(" ")[0]: line.rpartition(", ")[2] for line in lines[1:]} == {
        "shop/cart.py": "staged",
        "shop/tax.py": "staged in part",
        "shop/new.py": "not staged",
    }
    assert {id_ for id_ in staged if id_.startswith("diff:")} == {"diff:shop/cart.py", "diff:shop/tax.py"}
    git(shop, "add", "-A")
    assert "staged" not in (
        by_id(gathered(GitProvider(), shop, "review my changes"))["review:summary"].text or ""
    )
