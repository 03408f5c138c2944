"""No private door: all built-ins under another name, installed as a third party's, give the same answers."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from tests.amounts import some
from tests.core.repositories import commit, make_repository, write_files
from tests.processes import run_satchel
from tests.vocabularies import lend_cache

import satchel_plugins

TASK = "why is the total of the cart wrong after a refund"
SHOP = {
    "README.md": "# shop\n\nSells things. Run `make test`.\n",
    "AGENTS.md": "Say what you changed.\n",
    "docs/refunds.md": "# Refunds\n\n## Rules\n\nA refund lowers the total of the cart.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["attrs>=24"]\n\n'
    "[tool.ruff]\nline-length = 99\n",
    "shop/cart.py": 'import attrs\n\n\nclass Cart:\n    """What a person wants to buy."""\n\n'
    "    def total(self):\n"
    "        return sum(self.prices) - self.refunds\n\n    def refund(self, amount):\n"
    "        self.refunds += amount\n",
    "shop/till.py": "from shop.cart import Cart\n\n\ndef pay(cart: Cart) -> int:\n"
    "    # TODO: round the total\n    return cart.total()\n",
    "web/cart.ts": "export function total(prices: number[]): number {\n"
    "  return prices.reduce((a, b) => a + b, 0)\n}\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n"
    "    assert Cart().total() == 0\n",
}
TALK = json.dumps(
    [
        {"role": "system", "content": "You help in a shop."},
        {"role": "user", "content": "why is the total wrong?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "Read", "arguments": '{"path": "shop/cart.py"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": SHOP["shop/cart.py"] * 40},
        {"role": "assistant", "content": "Because refunds are counted twice."},
        {"role": "user", "content": "mend it, then"},
    ]
)
LOG = "".join(f"compiling part {number}\n" for number in range(400)) + "error: cart.py:7: total is wrong\n"
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "pack": (("pack", TASK, "--budget", "1500"), ""),
    "pack a question": (
        ("pack", "how is the line length configured?", "--budget", "900", "--format", "json"),
        "",
    ),
    "pack the whole": (("pack", "explain the architecture", "--budget", "900"), ""),
    "pack a review": (("pack", "review", "--since", "HEAD~1", "--budget", "1200"), ""),
    "why": (("why", "shop/cart.py", TASK, "--budget", "1500"), ""),
    "explain": (("pack", TASK, "--budget", "700", "--explain", "--strategy", "recent"), ""),
    "expand": (("expand", "shop/cart.py", "--level", "symbols"), ""),
    "compact": (("compact", "--budget", "500"), TALK),
    "compact by summaries": (("compact", "--budget", "500", "--compressor", "summarize"), TALK),
    "squeeze": (("squeeze", "--budget", "120", "--command", "make"), LOG),
    "count": (("count", "-"), TALK),
    "show": (("show", "-"), TALK),
    "suggest": (("suggest",), ""),
    "pack of a session": (
        ("pack", TASK, "--budget", "1500", "--session", "s", "--store", "{home}/store"),
        "",
    ),
    "window": (("session", "window", "--session", "s", "--budget", "1500", "--store", "{home}/store"), ""),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("renamed") / "shop", SHOP)
    write_files(root, {"shop/cart.py": SHOP["shop/cart.py"].replace("- self", "+ self")})
    commit(root, "Add refunds to the total of the cart", day=3)
    return root


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of all built-ins, as the distribution `renamed`."""
    site = tmp_path_factory.mktemp("site")
    source = Path(satchel_plugins.__file__).parent
    shutil.copytree(source, site / "renamed_plugins", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (site / "renamed_plugins").rglob("*.py"):
        path.write_text(path.read_text("utf-8").replace("satchel_plugins", "renamed_plugins"), "utf-8")
    info = site / "renamed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: renamed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[satchel]\nrenamed = renamed_plugins\n")
    return site


_KINDS = ("providers", "representers", "packers", "compressors", "tokenizers", "worth_models")
"""Kinds whose plugins no other built-in names, as `trees` names the scorers and session files the formats."""
_CLASS = re.compile(r'^(    name(?:, \w+)*(?:: ClassVar\[str\])? = ")(?=[\w-]+")', re.MULTILINE)
_READ_ONLY = '[provider.read_only]\nfiles = ["docs/*.md"]\n'
_OTHER_NAMES = """
strategy = "x-hybrid"
compressor = "x-hybrid"
fallback_compressor = "x-summarize"
emergency_compressor = "x-truncate"
worth_model = "x-trees"
tokenizer = "x-offline"
[provider.x-read_only]
files = ["docs/*.md"]
"""


@pytest.fixture(scope="module")
def with_other_names(others: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same folder, where most plugins have another name too: `x-` before their own."""
    site = tmp_path_factory.mktemp("named") / "site"
    shutil.copytree(others, site)
    for path in (site / "renamed_plugins").rglob("*.py"):
        if path.relative_to(site / "renamed_plugins").parts[0].removesuffix(".py") in _KINDS:
            text = _CLASS.sub(r"\1x-", path.read_text("utf-8"))
            named = r'(Later\(")(?=[^"]+", "(?!renamed_plugins\.representers\.treesitter))'
            path.write_text(re.sub(named, r"\1x-", text), "utf-8")
    return site


def answers(home: Path, root: Path, site: Path | None, settings: str, names: str = "{}") -> dict[str, str]:
    """Return what each command prints with these plugins and settings of a person.

    `names` tells what `--strategy` and `--compressor` call a plugin.
    """
    config = home / "config" / "satchel"
    config.mkdir(parents=True)
    (config / "satchel.toml").write_text(settings)
    env = {name: text for name, text in os.environ.items() if not name.startswith(("SATCHEL_", "PYTEST"))}
    env |= {
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "SATCHEL_CACHE_DIR": str(lend_cache(home / "cache")),
        "PYTHONPATH": str(site) if site else "",
    }

    def run(words: tuple[str, ...], given: str) -> str:
        named = [
            names.format(word) if before in ("--strategy", "--compressor") else word.format(home=home)
            for before, word in zip(("", *words), words, strict=False)
        ]
        done = run_satchel(named, given=given, env=env, cwd=root)
        assert done.returncode == 0, done.stderr
        return done.stdout.replace(str(home), "HOME")

    run(("session", "new", "--session", "s", "--store", "{home}/store"), "")
    run(("session", "add", "--session", "s", "--store", "{home}/store"), TALK)
    run(("session", "read-only", "add", "web/*.ts", "--session", "s", "--store", "{home}/store"), "")
    return {name: run(*COMMANDS[name]) for name in some(list(COMMANDS))}


@pytest.fixture(scope="module")
def built_in(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return answers(tmp_path_factory.mktemp("own"), shop, None, _READ_ONLY)


@pytest.mark.costly
@pytest.mark.parametrize("settings", ["", 'trust = ["renamed"]'], ids=["untrusted", "trusted"])
def test_a_third_partys_copy_of_all_built_ins_gives_the_same_answers(
    settings: str, shop: Path, others: Path, built_in: dict[str, str], tmp_path: Path
) -> None:
    copied = answers(tmp_path, shop, others, f'disable = ["builtin"]\n{settings}\n{_READ_ONLY}')

    for name, text in copied.items():
        # counts of others' tokenizers are kept under their distribution, which JSON tells
        plain = text.replace("renamed:offline 1.0: ", "").replace("renamed", "satchel")
        assert plain == built_in[name], name


@pytest.mark.costly
def test_no_name_of_a_plugin_decides(
    shop: Path, with_other_names: Path, built_in: dict[str, str], tmp_path: Path
) -> None:
    settings = f'disable = ["builtin"]\n{_OTHER_NAMES}'

    copied = answers(tmp_path, shop, with_other_names, settings, names="x-{}")

    for name, text in copied.items():
        plain = text.replace("renamed:x-offline 1.0: ", "").replace("x-", "").replace("renamed", "satchel")
        assert plain == built_in[name].replace("x-", ""), name
