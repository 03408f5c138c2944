"""Keys in every channel: files, diffs, messages of commits, names, tasks, errors and caches."""

# ruff: noqa: E501 - the data of the cases is long
from __future__ import annotations

import random
import string

from tests.hostile.ground import NEIGHBOUR, Expect, Ground

_LETTERS = string.ascii_letters + string.digits


def _drawn(seed: int, length: int, letters: str = _LETTERS) -> str:
    return "".join(random.Random(seed).choices(letters, k=length))


def _github(seed: int) -> str:
    return f"ghp_{_drawn(seed, 36)}"


def _aws(seed: int) -> str:
    return f"AKIA{_drawn(seed, 16, string.ascii_uppercase + '234567')}"


def _block(kind: str) -> tuple[str, str]:
    body = "\n".join(_drawn(line, 64) for line in range(8))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n", body.split("\n")[3]


def key_in_code(ground: Ground) -> Expect:
    key = _aws(1)
    ground.write("aws.py", f"def {NEIGHBOUR}_aws():\n    return client('{key}', '{_drawn(2, 40)}')\n")
    return Expect(secret=[key], shown=["_aws"])


def key_in_a_signature(ground: Ground) -> Expect:
    key = _github(3)
    ground.write("sign.py", f"def {NEIGHBOUR}_signed(token='{key}'):\n    return token\n")
    return Expect(secret=[key], shown=["_signed"])


def key_in_a_diff(ground: Ground) -> Expect:
    key, old = _github(4), _github(5)
    ground.write("conf.py", f"TOKEN = '{old}'  # {NEIGHBOUR}\n")
    ground.repository()
    ground.write("conf.py", f"TOKEN = '{key}'  # {NEIGHBOUR}\n")
    return Expect(secret=[key, old])


def key_in_a_deleted_file(ground: Ground) -> Expect:
    key = _github(6)
    ground.write("gone.py", f"TOKEN = '{key}'  # {NEIGHBOUR}\n")
    ground.repository()
    (ground.root / "gone.py").unlink()
    return Expect(secret=[key])


def key_in_a_message(ground: Ground) -> Expect:
    key = _github(7)
    ground.repository()
    ground.write("x.txt", "x")
    ground.commit(f"{NEIGHBOUR} with {key}\n\nand {key} in the body")
    return Expect(secret=[key])


def key_in_the_name_of_a_branch(ground: Ground) -> Expect:
    key = _github(8)
    ground.repository()
    ground.git("checkout", "-q", "-b", f"fix/{key}")
    return Expect(secret=[key])


def key_in_the_task(ground: Ground) -> Expect:
    key = _github(10)
    return Expect(task=f"{NEIGHBOUR} says bad token {key}", secret=[key], of_satchel=True)


def key_in_a_log(ground: Ground) -> Expect:
    key = _github(11)
    ground.write("build.log", f"error: {NEIGHBOUR} failed with {key}\n" * 3)
    ground.write("pytest.log", f"E   AssertionError: {key} in {NEIGHBOUR}\n")
    return Expect(secret=[key])


def private_key_in_a_string(ground: Ground) -> Expect:
    block, line = _block("RSA PRIVATE KEY")
    text = block.replace("\n", "\\n")
    ground.write("pem.py", f"KEY = '''{block}'''\n\n\ndef {NEIGHBOUR}_pem():\n    return \"{text}\"\n")
    return Expect(secret=[line])


def private_key_files(ground: Ground) -> Expect:
    lines = []
    for name, kind in (
        ("server.pem", "PRIVATE KEY"),
        ("id_ed25519", "OPENSSH PRIVATE KEY"),
        ("x.key", "EC PRIVATE KEY"),
    ):
        block, line = _block(kind)
        ground.write(name, block)
        lines.append(line)
    return Expect(secret=lines, told=["server.pem", "id_ed25519"])


def credential_files(ground: Ground) -> Expect:
    words = [f"hidden{_drawn(seed, 12)}" for seed in range(12, 20)]
    ground.write(".env", f"DATABASE_PASSWORD={words[0]}\nNOTE={words[1]}\n")
    ground.write(".env.production", f"X={words[2]}\n")
    ground.write(".netrc", f"machine example.org login me password {words[3]}\n")
    ground.write(".npmrc", f"//registry.npmjs.org/:_authToken={words[4]}\n")
    ground.write("terraform.tfstate", f'{{"outputs": {{"x": {{"value": "{words[5]}"}}}}}}')
    ground.write("kubeconfig", f"apiVersion: v1\nkind: Config\nusers:\n- user:\n    token: {words[6]}\n")
    ground.write(".aws/credentials", f"[default]\naws_secret_access_key = {words[7]}\n")
    return Expect(secret=words, task=f"{NEIGHBOUR} in app.py and .env and @.netrc")


def example_of_a_credential_file(ground: Ground) -> Expect:
    ground.write(".env.example", f"# for {NEIGHBOUR}\nDATABASE_URL=postgres://localhost/shop\n")
    return Expect(shown=["localhost/shop"])


def credential_file_that_is_pinned(ground: Ground) -> Expect:
    word = _drawn(21, 16)
    ground.write(".env", f"PASSWORD={word}\n")
    return Expect(argv=["--pin", ".env"], codes=[0, 1, 2], secret=[word], of_satchel=True)


def credential_file_in_other_letters(ground: Ground) -> Expect:
    words = [_drawn(seed, 16) for seed in (22, 23, 24)]
    ground.write(".ENV", f"NOTE={words[0]}\n")
    ground.write("deploy/ID_RSA", f"{words[1]}\n")
    ground.write("conf/.Env.Local", f"NOTE={words[2]}\n")
    return Expect(secret=words)


def password_in_an_address(ground: Ground) -> Expect:
    word = _drawn(25, 14)
    ground.write("db.py", f"URL = 'postgresql://admin:{word}@db.example.org/{NEIGHBOUR}'\n")
    return Expect(secret=[word])


def password_by_its_name(ground: Ground) -> Expect:
    word = _drawn(26, 18)
    ground.write("conf.yaml", f"name: {NEIGHBOUR}\ndatabase:\n  password: {word}\n")
    return Expect(secret=[word])


def service_account(ground: Ground) -> Expect:
    block, line = _block("PRIVATE KEY")
    text = block.replace("\n", "\\n")
    ground.write("account.json", f'{{"type": "service_account", "private_key": "{text}"}}')
    return Expect(secret=[line])


def key_in_utf16(ground: Ground) -> Expect:
    key = _github(27)
    ground.write("notes.txt", f"{NEIGHBOUR} {key}\r\n".encode("utf-16"))
    return Expect(secret=[key])


def key_in_a_notebook(ground: Ground) -> Expect:
    key = _github(28)
    ground.write("book.ipynb", f'{{"cells": [{{"cell_type": "code", "source": ["t = \'{key}\'  # {NEIGHBOUR}"], '
                 f'"outputs": [{{"text": ["{key}"]}}]}}], "nbformat": 4}}')  # fmt: skip
    return Expect(secret=[key])


def key_in_the_configuration(ground: Ground) -> Expect:
    key = _github(29)
    ground.write("satchel.toml", f'budget = "{key}"\n{key} = 1\n')
    return Expect(codes=[2], secret=[], of_satchel=True)


def remote_with_a_password(ground: Ground) -> Expect:
    key = _github(30)
    ground.repository()
    ground.git("remote", "add", "origin", f"https://me:{key}@example.org/{NEIGHBOUR}.git")
    return Expect(secret=[key])


def many_keys(ground: Ground) -> Expect:
    keys = [_github(100 + number) for number in range(200)]
    ground.write(
        "keys.py", "".join(f"K{number} = '{key}'  # {NEIGHBOUR}\n" for number, key in enumerate(keys))
    )
    return Expect(secret=keys)
