"""Workspaces to test with, made with plain git and fixed dates, and the one call of `pack` in the tests."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

import attrs

import satchel_plugins
from satchel import Bundle, Host, PackOptions, Provider, hookimpl, pack
from satchel.config import Config
from satchel_plugins.providers import Files as Files_

Files = Mapping[str, str | bytes]

_PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
_QUICK = ("-c", "maintenance.auto=false", "-c", "init.templateDir=")
"""A commit starts no process that tidies up, and a repository has no samples of hooks to copy."""
_FIRST_DAY = 1_700_000_000


@attrs.frozen
class Asked:
    """What a test asks of `pack` beside the task, the root and the budget."""

    form: str = "markdown"
    pins: Sequence[str] = ()
    strategy: str | None = None
    model: str | None = None
    left_out: str = "best"
    config: Config | None = None
    host: Host | None = None


NOTHING = Asked()


class Plain:
    """All of the built-in plugins, but of the providers only the one that lists files."""

    satchel_scorers = staticmethod(satchel_plugins.satchel_scorers)
    satchel_representers = staticmethod(satchel_plugins.satchel_representers)
    satchel_packers = staticmethod(satchel_plugins.satchel_packers)
    satchel_tokenizers = staticmethod(satchel_plugins.satchel_tokenizers)
    satchel_message_formats = staticmethod(satchel_plugins.satchel_message_formats)
    satchel_session_files = staticmethod(satchel_plugins.satchel_session_files)

    @staticmethod
    @hookimpl
    def satchel_providers() -> Sequence[type[Provider]]:
        return [Files_]


def plain_host() -> Host:
    """Return a host that packs files alone, so that a test of the road sees what it wrote.

    Its calls have no deadline: a thread for each of them costs a third of a small pack.
    """
    return Host.of(Plain(), deadline_seconds=None)


def packed(task: str, root: Path, budget: int | str | None = 4_000, asked: Asked = NOTHING) -> Bundle:
    """Pack; the only place in the tests that knows the parameters of `pack`."""
    return pack(
        task,
        root,
        budget=budget,
        model=asked.model,
        pins=asked.pins,
        host=asked.host or plain_host(),
        options=PackOptions(
            strategy=asked.strategy or "", form=asked.form, left_out=asked.left_out, config=asked.config
        ),
    )


def recount(text: str) -> int:
    """Count the o200k tokens of a text with the tokenizer itself."""
    import toktok

    return int(toktok.batch_count([text], "o200k_base")[0]) if text else 0


def encode(text: str | bytes) -> bytes:
    """Return the bytes of a file."""
    return text if isinstance(text, bytes) else text.encode()


def write_files(root: Path, files: Files, *, age_seconds: int = 1_000) -> Path:
    """Write files that look as if they were left alone for a while; return the root."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(encode(text))
        then = os.stat(path).st_mtime - age_seconds
        os.utime(path, (then, then))
    return root


def git(root: Path, *arguments: str, day: int = 0) -> str:
    """Run plain git with no configuration but the repository's, on a fixed day; return what it wrote."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "SYSTEMROOT") if name in os.environ}
    date = f"{_FIRST_DAY + 86_400 * day} +0000"
    clean = {"HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    done = subprocess.run(
        ["git", *_PERSON, *_QUICK, *arguments],
        cwd=root,
        env=kept | clean | dates,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return os.fsdecode(done.stdout).strip()


def commit(root: Path, message: str, *, day: int = 0) -> str:
    """Commit everything; return the commit's id."""
    git(root, "add", "-A", day=day)
    git(root, "commit", "-q", "--allow-empty", "-m", message, day=day)
    return head_of(root)


def head_of(root: Path) -> str:
    """Return the id of the commit that is checked out, from the files where git has just written it."""
    head = (root / ".git/HEAD").read_text().strip()
    return (
        (root / ".git" / head.removeprefix("ref: ")).read_text().strip() if head.startswith("ref: ") else head
    )


_MADE: dict[Hashable, Path] = {}
"""The repositories of this process by what tells them apart: git takes ten times as long as a copy."""


def make_repository(root: Path, files: Files) -> Path:
    """Commit the files in three commits, a day apart; return the root."""
    return copy_made(root, tuple(files.items()), lambda folder: _committed(folder, files))


def copy_made(root: Path, key: Hashable, make: Callable[[Path], object]) -> Path:
    """Copy the repository that a function makes in a new folder, once for each key; return the root."""
    if key not in _MADE:
        folder = Path(tempfile.mkdtemp(prefix="satchel-tests-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        make(folder / "made")
        _MADE[key] = folder / "made"
    assert not root.exists()
    shutil.copytree(_MADE[key], root, symlinks=True)
    git(root, "update-index", "-q", "--refresh")
    return root


def _committed(root: Path, files: Files) -> Path:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    names = list(files)
    for day, start in enumerate(range(0, len(names), max(1, -(-len(names) // 3)))):
        some = names[start : start + max(1, -(-len(names) // 3))]
        write_files(root, {name: files[name] for name in some})
        commit(root, f"add {os.path.basename(some[0]).encode(errors='replace').decode()}", day=day)
    return root


def snapshot(root: Path) -> dict[str, tuple[int, int, int]]:
    """Return size, mode and time of change of everything below a folder, git's own files included."""
    facts = {path: path.lstat() for path in (root, *root.rglob("*"))}
    return {str(path): (fact.st_size, fact.st_mode, fact.st_mtime_ns) for path, fact in facts.items()}


def counting(read: Callable[[str], bytes]) -> tuple[Callable[[str], bytes], list[str]]:
    """Return a reader that notes what it reads, and its notes."""
    read_paths: list[str] = []

    def noted(path: str) -> bytes:
        read_paths.append(path)
        return read(path)

    return noted, read_paths


POLYGLOT: Files = {
    "README.md": (
        "# Shop\n\nA shop with a login.\n\n## Use\n\n```\nshop serve\n```\n\n## Mail\n\nSends mail.\n"
    ),
    "src/shop/login.py": (
        '"""Logging in."""\n\nimport hashlib\n\nfrom shop.mail import send\n\n\n'
        'class Session:\n    """A session of a user."""\n\n    def __init__(self, user):\n'
        "        self.user = user\n\n    def close(self):\n        self.user = None\n\n\n"
        'def check_password(user, password):\n    """Compare the password with the stored hash."""\n'
        "    digest = hashlib.sha256(password.encode()).hexdigest()\n    return digest == user.digest\n\n\n"
        "def login(user, password):\n    if not check_password(user, password):\n"
        '        send(user, "failed login")\n        return None\n    return Session(user)\n'
    ),
    "src/shop/mail.py": '"""Mail."""\n\n\ndef send(user, text):\n    print(user, text)\n',
    "src/shop/__init__.py": "",
    "native/buffer.c": (
        "/* A ring buffer.\n * Not thread safe. */\n\n#include <stdlib.h>\n\n"
        "/* Push one byte. */\nint ring_push(struct ring *r, char c)\n{\n    r->data[r->head++] = c;\n"
        "    return 0;\n}\n\n/* Pop one byte. */\nint ring_pop(struct ring *r)\n{\n"
        "    return r->data[--r->head];\n}\n"
    ),
    "native/buffer.h": (
        "// the ring\n#ifndef RING\n#define RING\nstruct ring { char data[64]; int head; };\n#endif\n"
    ),
    "web/cart.ts": (
        "// The cart.\nexport interface Line { name: string; price: number }\n\n"
        "export class Cart {\n  lines: Line[] = [];\n\n  total(): number {\n"
        "    return this.lines.reduce((sum, line) => sum + line.price, 0);\n  }\n}\n"
    ),
    "server/main.go": (
        'package main\n\nimport "fmt"\n\n// Serve answers requests.\nfunc Serve(port int) error {\n'
        '\tfmt.Println("serving", port)\n\treturn nil\n}\n\nfunc main() { _ = Serve(80) }\n'
    ),
    "engine/lib.rs": (
        "//! The engine.\n\npub struct Engine { speed: u32 }\n\nimpl Engine {\n"
        "    pub fn start(&mut self) { self.speed = 1; }\n}\n"
    ),
    "tests/test_login.py": (
        "from shop.login import login\n\n\ndef test_login():\n    assert login(None, '') is None\n"
    ),
    "package-lock.json": '{\n  "name": "shop",\n  "lockfileVersion": 3,\n  "packages": {}\n}\n',
    "gen/api_pb2.py": (
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n# source: api.proto\nX = 1\n"
    ),
    "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)),
    ".env": "SECRET=abc\n",
    "config/app.toml": '[server]\nport = 80\n\n[mail]\nhost = "localhost"\n',
}

STRANGE: Files = {
    "comment.c": (
        "/* first */\n\n/* second */\nint a(void)\n{\n    return 1;\n}\n/* tail */\n//\n//\n\nint b;\n"
    ),
    "slashes.go": "//\n//\n//\n\n// Package p\n//\npackage p\n//\nfunc A() {}\n//\n//\n",
    "blank.py": "\n\n\n\ndef f():\n    return 1\n\n\n\n\n\ndef g():\n\n    return 2\n",
    "spaces.py": "   \n\t\n  \ndef h():\n    return 3\n   \n\t\n",
    "crlf.py": "def one():\r\n    return 1\r\n\r\n\r\ndef two():\r\n    return 2\r\n",
    "lone_cr.txt": "one\rtwo\r\rthree\r\n\r\nfour\r",
    "no_end.js": "function f() { return 1; }\n\nfunction g() { return 2; }",
    "fences.md": "# T\n\n```python\nx\n```\n\n````\n```\n````\n\n@@12\n@@@@3 four\n\n## U\n\n   ```\n",
    "cdata.xml": "<a><![CDATA[x]]></a>\n<b>]]></b>\n]]>]]>\n",
    "feed.txt": "one\n\x0c\ntwo\x0b\n\x0cthree\n\x01\x02 four\x1b[31m\n\x7f\x85\u2028five\n\ufffe\uffff\n",
    "wide.txt": "\u2003\n\u2003\u1680\u202f\nx\n\u205f\ny\n\u3000\n\u00a0\n\u200b\nz\n",
    "empty.py": "",
    "white.py": "\n\n  \n",
    "one_line.txt": "word " * 20_000,
    "one_line.js": "var a=1;" * 12_500,
    "latin.py": "# caf\xe9 na\xefve\nname = 'M\xfcller'\n".encode("latin-1"),
    "utf16.txt": "sixteen bits\nsecond line\n".encode("utf-16"),
    "bom.py": b"\xef\xbb\xbfdef bom():\n    return 1\n",
    "broken.txt": "gr\xfc\xdfe aus K\xf6ln, ein l\xe4ngerer Text\n".encode() + b"\xff broken\n",
    "with space/a file (1).txt": "spaces in the name\n",
    "tail!.txt.": "punctuation at the end of the name\n",
    "back`tick.py": "x = 1\n",
    "quote\"and'amp&<>.py": "y = 1\n",
    "ünï/日本語.md": "# 日本語\n\n文脈\n",
    "/".join(["deep"] * 30) + "/leaf.py": "def leaf():\n    return 'deep'\n",
    "new\nline.py": "z = 1\n",
    "colon:12.py": "w = 1\n",
    os.fsdecode(b"latin-\xe9.py"): "v = 1\n",
    "emoji.py": "s = '\U0001f469\u200d\U0001f469 ok'\n# \u202e reversed\n",
    "mail.txt": "@@1 not a mark\n@@@2\n@@\n@@x\n",
    "long/" + "x" * 200 + ".txt": "long name\n",
}
"""Everything but binary files: what a bundle must show exactly as it is."""

_TOPIC = '''"""The {noun} module: everything about the {noun}."""

from {package}.core import registry


class {Noun}{Role}:
    """{Role} of a {noun}: it keeps the {other} and the {third}."""

    def __init__(self, {other}, {third}):
        self.{other} = {other}
        self.{third} = {third}

    def {verb}_{other}(self, value):
        """{Verb} the {other} of this {noun}."""
        if value is None:
            raise ValueError("{noun} without {other}")
        self.{other} = registry.lookup("{noun}", value)
        return self.{other}

    def {verb}_{third}(self, value):
        """{Verb} the {third} of this {noun}."""
        found = [entry for entry in self.{third} if entry.{other} == value]
        return found[0] if found else None


def {verb}_{noun}_{role}(source):
    """{Verb} a {noun} from a source, with its {other} and {third}."""
    return {Noun}{Role}(source.{other}, source.{third})
'''
_WORDS = {
    "billing": ("invoice", "discount", "receipt", "charge"),
    "video": ("codec", "frame", "bitrate", "encode"),
    "maps": ("tile", "longitude", "projection", "draw"),
    "chat": ("mailbox", "emoji", "thread", "deliver"),
    "weather": ("barometer", "humidity", "forecast", "measure"),
    "chess": ("bishop", "gambit", "checkmate", "castle"),
}
_ROLES = ("Reader", "Writer", "Store", "View", "Filter", "Queue")


def _topic_files() -> Files:
    made: dict[str, str | bytes] = {}
    for package, (noun, other, third, verb) in _WORDS.items():
        for role in _ROLES:
            words = {"noun": noun, "other": other, "third": third, "verb": verb, "package": package}
            words |= {"Noun": noun.title(), "Verb": verb.title(), "Role": role, "role": role.lower()}
            made[f"{package}/{noun}_{role.lower()}.py"] = _TOPIC.format(**words)
    return made


TOPICS: Files = _topic_files()
"""Six topics of six files each, which share no words but those of programs."""
