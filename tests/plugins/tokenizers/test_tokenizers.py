from __future__ import annotations

import subprocess
import sys

import pytest

from satchel import Tokenizer
from satchel_plugins.tokenizers import TOKENIZERS

CLASSES = [later.load() for later in TOKENIZERS]


@pytest.mark.parametrize("plugin", CLASSES, ids=lambda plugin: plugin.name)
def test_each_tokenizer_is_one_with_no_settings_at_all(plugin: type[Tokenizer]) -> None:
    tokenizer = plugin()

    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.exact == (tokenizer.error == 0)


def test_the_names_are_all_different() -> None:
    assert sorted(plugin.name for plugin in CLASSES) == ["estimate", "offline", "tiktoken"]


def test_naming_the_tokenizers_loads_no_vocabulary() -> None:
    heavy = {"toktok", "tiktoken", "cattrs"}
    asked = f"import sys, satchel_plugins.tokenizers; print(sorted({heavy} & set(sys.modules)))"

    printed = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "[]"
