"""Write a package for a new plugin: a working class, its entry point, and its contract tests."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import NamedTuple

from satchel.errors import UsageError
from satchel.host.kinds import PluginKind
from satchel.patterns import lazily

_NAME = lazily(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 60


class _Template(NamedTuple):
    """What differs between the kinds of plugins."""

    about: str
    """What the class does, as a sentence."""
    contract: str
    """The contract class of `satchel.testing.contracts`."""
    imports: str
    """Imports from the standard library, one per line."""
    names: str
    """Imports from `satchel` besides `hookimpl`, and lines of further imports."""
    body: str
    """The lines of the class below its docstring, `{name}` for the plugin's name."""
    settings: str = ""
    """An example line of its configuration table."""
    base: str = ""
    """The class that it inherits, in parentheses."""


_TEMPLATES = {
    PluginKind.PROVIDER: _Template(
        "Offers the files in a folder called `notes`.",
        "ProviderContract",
        "from collections.abc import Iterable, Sequence\nfrom typing import ClassVar",
        "ContextItem, Task, Workspace, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    wave: ClassVar[int] = 1
    folder: str = "notes"
    max_items: int = 20
    max_tokens: int = 4_000

    def gather(self, task: Task, workspace: Workspace, best: Sequence[ContextItem]) -> Iterable[ContextItem]:
        """Return items, best first; a file of the workspace needs no text, it is read when it is shown."""
        for file in workspace.files.entries():
            if file.path.startswith(f"{{self.folder}}/"):
                yield ContextItem(f"file:{{file.path}}", self.name, "file", file.path, path=file.path)
''',
        'folder = "docs/notes"',
    ),
    PluginKind.SCORER: _Template(
        "Scores the parts whose path names a word of the task.",
        "ScorerContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "Part, Task, Workspace, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    kinds: ClassVar[frozenset[str]] = frozenset({{"file"}})
    grain: ClassVar[str] = "item"
    weight: float = 0.3

    def score(self, parts: Sequence[Part], task: Task, workspace: Workspace) -> Sequence[float]:
        """Return one number from 0 to 1 for each part, in order."""
        words = {{word for word in task.text.lower().split() if len(word) > 3}}
        return [float(any(word in part.path.lower() for word in words)) for part in parts]
''',
        "weight = 0.8",
    ),
    PluginKind.REPRESENTER: _Template(
        "Splits files that end in `.notes` into a part for each paragraph.",
        "RepresenterContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "ContextItem, Part, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    version: ClassVar[str] = "1"

    def claims(self, item: ContextItem) -> float:
        """Return from 0 to 1 how well it knows an item like this; `item.text` may be None."""
        return 0.9 if item.path.endswith(".notes") else 0.0

    def split(self, item: ContextItem) -> Sequence[Part]:
        """Return parts in order of lines; lines that no part covers become blocks."""
        parts, first = [], 1
        lines = (item.text or "").split("\\n")
        for number, line in enumerate([*lines, ""], 1):
            if not line.strip():
                if first < number:
                    parts.append(Part("section", "", (first, number - 1), (first, first)))
                first = number + 1
        return parts
''',
    ),
    PluginKind.WORTH_MODEL: _Template(
        "Doubles the chances of parts whose name has a word of the task.",
        "WorthModelContract",
        "from collections.abc import Mapping\nfrom typing import ClassVar",
        "hookimpl\nfrom satchel.plugin_api import Chances, CorrectedChances, WeighedItems, split_words",
        '''\
    name: ClassVar[str] = "{name}"
    factor: float = 2.0

    def correct(self, items: WeighedItems, chances: Chances, query: Mapping[str, float]) -> CorrectedChances:
        """Return the chances that lines are needed, and that definitions are."""
        corrected = [
            [
                chance * (self.factor if query.keys() & set(split_words([part.name])[0]) else 1.0)
                for chance, part in zip(mine, split.parts, strict=True)
            ]
            for mine, (_, split) in zip(chances, items, strict=True)
        ]
        return CorrectedChances(corrected, corrected)
''',
        "factor = 3.0",
    ),
    PluginKind.PACKER: _Template(
        "Packs the smallest candidates first, each as large as still fits.",
        "PackerContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "BudgetError, Candidate, Selection, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Selection:
        """Choose for each kept candidate one of its options; what is pinned must be in."""
        choices: dict[str, int] = {{}}
        costs: list[tuple[str, int]] = []
        for candidate in (one for one in candidates if one.pinned):
            sizes = [option.tokens for option in candidate.options]
            choices[candidate.id] = min(range(candidate.floor, len(sizes)), key=sizes.__getitem__)
            costs.append((candidate.id, sizes[choices[candidate.id]]))
        left = budget - sum(tokens for _, tokens in costs)
        if left < 0:
            raise BudgetError(budget, costs)
        for candidate in sorted(candidates, key=lambda one: (one.options[-1].tokens, one.id)):
            now = choices.get(candidate.id)
            spent = 0 if now is None else candidate.options[now].tokens
            fitting = [at for at, one in enumerate(candidate.options) if one.tokens - spent <= left]
            if fitting and (now is None or fitting[-1] > now):
                choices[candidate.id] = fitting[-1]
                left -= candidate.options[fitting[-1]].tokens - spent
        chosen = [one.options[choices[one.id]] for one in candidates if one.id in choices]
        return Selection(choices, budget - left, sum(option.worth for option in chosen))
''',
    ),
    PluginKind.COMPRESSOR: _Template(
        "Puts the first line of each exchange in the place of what does not fit.",
        "CompressorContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "Tokenizer, hookimpl\nfrom satchel.messages import Exchange, Message",
        '''\
    name: ClassVar[str] = "{name}"

    def compress(self, exchanges: Sequence[Exchange], target: int, tokenizer: Tokenizer) -> Message | None:
        """Return one message of at most `target` tokens, or None to leave the exchanges out."""
        kept: list[str] = []
        for exchange in exchanges:
            text = exchange.messages[0].text.strip() if exchange.messages else ""
            line = f"{{exchange.role}}: {{text.partition(chr(10))[0]}}"
            if text and tokenizer.count(["\\n".join([*kept, line])])[0] <= target:
                kept.append(line)
        return Message("user", "\\n".join(kept)) if kept else None
''',
    ),
    PluginKind.GPU_BACKEND: _Template(
        "Reads the memory of a device from a file that another program writes.",
        "GpuBackendContract",
        "import json\nfrom collections.abc import Sequence\n"
        "from pathlib import Path\nfrom typing import ClassVar",
        "Device, NoDevicesError, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    file: str = "/run/{name}.json"

    def devices(self) -> Sequence[Device]:
        """Return the devices; sizes are in bytes."""
        try:
            found = json.loads(Path(self.file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoDevicesError(f"{{self.file}}: {{error}}") from error
        return [Device(one["name"], one["total_bytes"], one["free_bytes"], self.name) for one in found]
''',
        'file = "/tmp/devices.json"',
    ),
    PluginKind.TOKENIZER: _Template(
        "Counts a token for every four bytes of UTF-8.",
        "TokenizerContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    key: str = "{name}-1"
    exact: bool = False
    error: float = 0.3

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the tokens of each text; it must answer for every text, broken ones too."""
        return [-(-len(text.encode("utf-8", "surrogatepass")) // 4) for text in texts]
''',
    ),
    PluginKind.OBSERVER: _Template(
        "Counts the events of a run by their class.",
        "ObserverContract",
        "from collections import Counter\nfrom typing import ClassVar",
        "Event, hookimpl",
        '''\
    name: ClassVar[str] = "{name}"
    seen: Counter[str] = attrs.field(factory=Counter, init=False)

    def __call__(self, event: Event) -> None:
        """Take one event; what is printed goes to stderr."""
        self.seen[type(event).__name__] += 1
''',
    ),
    PluginKind.SCANNER: _Template(
        "Redacts the numbers of tickets, such as TICKET-12345.",
        "ScannerContract",
        "import re\nfrom collections.abc import Iterable\nfrom typing import ClassVar",
        "hookimpl",
        '''\
    name: ClassVar[str] = "{name}"

    def scan(self, text: str, path: str) -> Iterable[tuple[int, int, str]]:
        """Return start, end (not included) and kind of each secret."""
        return [(*found.span(), "ticket") for found in re.finditer(r"TICKET-[0-9]{{5}}", text)]
''',
    ),
    PluginKind.REDACTION_RULE: _Template(
        "Redacts the keys of a service of the house, such as house_4f9a0c1e...",
        "RedactionRulesContract",
        "from collections.abc import Sequence\nfrom typing import ClassVar",
        "hookimpl\nfrom satchel.plugin_api import RedactionRule",
        '''\
    name: ClassVar[str] = "{name}"
    prefix: str = "house"

    def rules(self) -> Sequence[RedactionRule]:
        """Return the rules; `parse_rules` reads them from a TOML text."""
        return [RedactionRule("{name}-key", rf"{{self.prefix}}_[a-z0-9]{{{{32}}}}", (f"{{self.prefix}}_",))]
''',
        'prefix = "acme"',
    ),
    PluginKind.MESSAGE_FORMAT: _Template(
        "Reads and writes turns that have a speaker; put your provider's keys in their place.",
        "MessageFormatContract",
        "import json\nfrom collections.abc import Iterator, Mapping, Sequence\n"
        "from typing import Any, ClassVar",
        "hookimpl\nfrom satchel.plugin_api import (\n    Block,\n    BlockKind,\n    ConversationError,\n"
        "    FormatRules,\n    FormatSign,\n    Message,\n    MessageFormat,\n    as_json,\n    item_at,\n"
        "    list_at,\n    text_at,\n)\n\n"
        'ROLES = {"rules": "system", "human": "user", "bot": "assistant", "tool": "tool"}\n'
        'SPEAKERS = {**{role: speaker for speaker, role in ROLES.items()}, "developer": "rules"}',
        '''\
    name: ClassVar[str] = "{name}"
    list_key: ClassVar[str] = "turns"
    rules: ClassVar[FormatRules] = FormatRules(json_arguments=True)

    def find_signs(self, items: Sequence[Any], request: Mapping[str, Any]) -> Iterator[FormatSign]:
        """Yield what shows that messages are of this format."""
        for at, item in enumerate(items):
            if isinstance(item, dict) and "speaker" in item:
                yield FormatSign("'speaker'", at)

    def read_messages(self, items: Any, place: str) -> list[Message]:
        """Return a message for each turn."""
        return [self._read(item_at(items, at, place), at, f"{{place}}[{{at}}]") for at in range(len(items))]

    def _read(self, turn: dict[str, Any], index: int, place: str) -> Message:
        speaker = text_at(turn, "speaker", place)
        if speaker not in ROLES:
            told = f"expected one of {{', '.join(ROLES)}}, not {{speaker!r}}"
            raise ConversationError(f"{{place}}.speaker", told)
        said = text_at(turn, "says", place)
        if speaker == "tool":
            blocks = [Block(BlockKind.RESULT, said, id=text_at(turn, "answers", place))]
        else:
            blocks = [Block(BlockKind.TEXT, said)] if said else []
            calls = list_at(turn, "calls", place)
            for at in range(len(calls)):
                where = f"{{place}}.calls[{{at}}]"
                call = item_at(calls, at, f"{{place}}.calls")
                given = as_json(call.get("with"), where)
                name, id_ = text_at(call, "tool", where), text_at(call, "id", where)
                blocks.append(Block(BlockKind.CALL, given, name, id_, raw=call))
        read = tuple(blocks)
        return Message(ROLES[speaker], read, index, raw=turn, original=read)

    def write_messages(self, messages: Sequence[Message], *, joined: bool) -> list[Any]:
        """Return the turns of messages: those that were not changed as they came."""
        written: list[Any] = []
        for message in messages:
            if message.raw is not None and message.blocks is message.original:
                written.append(message.raw)
            else:
                written += self._write(message)
        return written

    def _write(self, message: Message) -> Iterator[dict[str, Any]]:
        turn = {{**(message.raw or {{}}), "speaker": SPEAKERS[message.role]}}
        for result in message.results:
            yield {{**turn, "says": result.text, "answers": result.id}}
        if not message.results:
            calls = [
                {{
                    **(call.raw or {{}}),
                    "id": call.id,
                    "tool": call.name,
                    "with": json.loads(call.text or "{{}}"),
                }}
                for call in message.calls
            ]
            yield {{**turn, "says": message.text, **({{"calls": calls}} if calls else {{}})}}
''',
        base="(MessageFormat)",
    ),
    PluginKind.SESSION_FILE: _Template(
        "Reads files with a line of JSON for each message; put your agent's keys in their place.",
        "SessionFileContract",
        "import json\nfrom collections.abc import Mapping, Sequence\nfrom typing import Any, ClassVar",
        "hookimpl\nfrom satchel.plugin_api import Transcript, TranscriptDraft, blocks_of",
        '''\
    name: ClassVar[str] = "{name}"
    agent: ClassVar[str] = "{name}"
    message_format: ClassVar[str] = "anthropic"

    def recognizes(self, records: Sequence[Mapping[str, Any]]) -> bool:
        """Tell whether the first records of a file are this agent's."""
        return any("wrote" in record for record in records)

    def read(self, records: Sequence[Mapping[str, Any]]) -> TranscriptDraft:
        """Return the messages of a session."""
        found = TranscriptDraft()
        for record in records:
            if "wrote" in record:
                found.add({{"role": record["who"], "content": record["wrote"]}})
        return found

    def write(self, transcript: Transcript, document: Sequence[Mapping[str, Any]]) -> str:
        """Return a file with other messages."""
        lines = []
        for message in document:
            said = "\\n".join(block.get("text", "") for block in blocks_of(message["content"]))
            lines.append(json.dumps({{"who": message["role"], "wrote": said}}) + "\\n")
        return "".join(lines)
''',
    ),
    PluginKind.SESSION_STORE: _Template(
        "Keeps sessions in a folder; put a store of your own in place of `open_store`.",
        "SessionStoreContract",
        "from pathlib import Path\nfrom typing import ClassVar",
        "hookimpl\nfrom satchel.plugin_api import Store, open_store",
        '''\
    name: ClassVar[str] = "{name}"
    schemes: ClassVar[frozenset[str]] = frozenset({{"{scheme}"}})
    file: str = "sessions.sqlite"

    def open(self, address: str, *, create: bool) -> Store:
        """Open the store at an address such as {scheme}:///srv/sessions."""
        return open_store(Path(address.partition("://")[2]) / self.file, create=create)
''',
        'file = "team.sqlite"',
    ),
    PluginKind.BLOB_STORE: _Template(
        "Keeps blobs in a folder, a file for each.",
        "BlobStoreContract",
        "import os\nfrom collections.abc import Iterator\n"
        "from pathlib import Path\nfrom typing import ClassVar",
        "hookimpl\nfrom satchel.plugin_api import Blob, Blobs, replacing",
        '''\
    name: ClassVar[str] = "{name}"
    schemes: ClassVar[frozenset[str]] = frozenset({{"{scheme}"}})

    def open(self, address: str) -> Blobs:
        """Open the folder that stands after {scheme}://."""
        return Folder(Path(address.partition("://")[2]))


@attrs.frozen
class Folder:
    """The blobs of a folder."""

    folder: Path

    @property
    def place(self) -> str:
        """Name the folder."""
        return str(self.folder)

    def put(self, key: str, content: bytes) -> None:
        """Keep the bytes under a key, whole or not at all."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)

    def get(self, key: str) -> bytes | None:
        """Return the bytes of a key, None where there are none."""
        path = self.folder / key
        return path.read_bytes() if path.is_file() else None

    def touch(self, key: str) -> bool:
        """Make a blob the newest; return whether it is there."""
        path = self.folder / key
        if path.is_file():
            os.utime(path)
        return path.is_file()

    def list(self, prefix: str = "") -> Iterator[Blob]:
        """Yield the blobs whose keys begin with a text."""
        for path in self.folder.glob("**/*"):
            key = path.relative_to(self.folder).as_posix()
            if path.is_file() and key.startswith(prefix):
                yield Blob(key, path.stat().st_size, path.stat().st_mtime)

    def delete(self, key: str) -> None:
        """Remove a blob, where it is there."""
        (self.folder / key).unlink(missing_ok=True)

    def close(self) -> None:
        """Hold nothing open."""
''',
    ),
}

_PYPROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "{distribution}"
version = "0.1.0"
description = "A {kind} for satchel"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["satchel", "attrs>=24.2"]

[project.entry-points.satchel]
{module} = "{module}"

[project.optional-dependencies]
test = ["satchel[test]"]

[tool.hatch.build.targets.wheel]
packages = ["{module}"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""
_MODULE = '''\
"""A {kind} for satchel."""

{imports}

import attrs
from satchel import {names}


@attrs.{frozen}
class {cls}{base}:
    """{about}"""

{body}

@hookimpl
def {hook}() -> list[type[{cls}]]:
    """Return what this package brings."""
    return [{cls}]
'''
_TEST = '''\
"""What every {kind} promises, tried on this one; add facts of your own below."""

from satchel.testing.contracts import {contract}

from {module} import {cls}


class Test{cls}({contract}):
    """The contract of a {kind}."""

    plugin = {cls}
'''
_README = """\
# {distribution}

A {kind} for satchel. {about}

    pip install -e '.[test]'
    pytest
    satchel plugins

`satchel plugins` lists it as `{name}`; `--no-plugin {name}` leaves it out of one run.
{settings}"""
_SETTINGS = """Its fields are its settings. Change one in `satchel.toml`:

    [{kind}.{name}]
    {line}
"""


def write_package(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the package `satchel-NAME` into a new folder of that name; return the files in order.

    Args:
        kind: a kind of plugin, a value of `PluginKind`; a hyphen may replace an underscore.
        name: the plugin's name in lower case.
        folder: where the package's folder is created.

    Raises:
        UsageError: unknown kind, a name that can't be a module's, or an existing folder.
    """
    chosen = _parse_kind(kind)
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME or keyword.iskeyword(name):
        raise UsageError(
            f"{name[:_LONGEST_NAME]!r} can't name a plugin; use a to z, digits and single hyphens"
        )
    root = folder / f"satchel-{name.replace('_', '-')}"
    if root.exists() or root.is_symlink():
        raise UsageError(f"{root} exists already; choose another name, or another folder with --into")
    written = []
    for path, text in _render_files(chosen, name).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        written.append(place)
    return written


def _parse_kind(kind: str) -> PluginKind:
    try:
        return PluginKind(kind.replace("-", "_"))
    except ValueError:
        raise UsageError(
            f"no kind of plugin is called {kind!r}; the kinds are {', '.join(PluginKind)}"
        ) from None


def _render_files(kind: PluginKind, name: str) -> dict[str, str]:
    template = _TEMPLATES[kind]
    module = f"satchel_{name.replace('-', '_')}"
    body = template.body.format(name=name, scheme=name.replace("_", "-"))
    facts = {
        "kind": kind.value.replace("_", " "),
        "name": name,
        "distribution": f"satchel-{name.replace('_', '-')}",
        "module": module,
        "cls": "".join(word.capitalize() for word in name.replace("-", "_").split("_")),
        "about": template.about,
        "contract": template.contract,
        "imports": template.imports,
        "names": template.names,
        "base": template.base,
        "hook": kind.hook,
        "frozen": "define" if kind is PluginKind.OBSERVER else "frozen",
    }
    settings = (
        _SETTINGS.format(kind=kind.value, name=name, line=template.settings) if template.settings else ""
    )
    return {
        "pyproject.toml": _PYPROJECT.format(**facts),
        "README.md": _README.format(**facts, settings=settings),
        f"{module}/__init__.py": _MODULE.format(**facts, body=body),
        f"{module}/py.typed": "",
        f"tests/test_{name.replace('-', '_')}.py": _TEST.format(**facts),
    }
