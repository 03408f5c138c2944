"""The promises of message formats, and of the session files of an agent."""

# ruff: noqa: S101 - these are tests, though they ship with satchel

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
import pytest

from satchel.conversation import Formats, flaws_of, repair, write
from satchel.conversation.transcripts import parse_transcript
from satchel.errors import ConversationError
from satchel.host import PluginKind
from satchel.host.answers import check_draft, check_format_rules, check_messages, check_signs, plain_int
from satchel.installed import find_user_formats
from satchel.messages import Block, BlockKind, Conversation, Message
from satchel.testing.bases import PluginContract

_SAID = (
    Message("user", "What does it cost?"),
    Message("assistant", (Block(BlockKind.CALL, '{"path": "a.py"}', "read", "call-1"),)),
    Message("tool", (Block(BlockKind.RESULT, "three", "read", "call-1"),)),
    Message("assistant", "Three."),
)
_OF_OTHERS: tuple[Any, ...] = (
    7,
    None,
    "said",
    {},
    {"role": "user", "content": "hello"},
    {"type": "message"},
    {"content": [7]},
)


class MessageFormatContract(PluginContract):
    """Messages are written as they were read, and new or changed ones are read back unchanged.

    `samples` are documents of the format: lists of messages, and requests that hold them.
    """

    kind = PluginKind.MESSAGE_FORMAT
    samples: ClassVar[Sequence[Any]] = ()

    @pytest.fixture
    def made(self, instance: Any) -> Conversation:
        """Make a conversation of new messages, repaired as for sending."""
        system = Message("system", "Be short.", outside=bool(instance.system_key))
        key = instance.list_key
        return repair(Conversation(instance, (system, *_SAID), {key: []}, list_key=key)).conversation

    @pytest.fixture
    def documents(self, made: Conversation) -> list[Any]:
        """Return the samples, and the document written from new messages."""
        return [*self.samples, write(made)]

    def test_what_is_read_is_well_formed(self, instance: Any, documents: list[Any]) -> None:
        """Types of all fields, and rules that are rules."""
        check_format_rules(instance.rules)
        for document in documents:
            assert check_messages(self.read(instance, document).messages)

    def test_unchanged_messages_are_written_as_they_came(self, instance: Any, documents: list[Any]) -> None:
        """Keys that it doesn't know included."""
        for document in documents:
            assert write(self.read(instance, document)) == document

    def test_new_messages_are_read_as_they_were_meant(self, instance: Any, made: Conversation) -> None:
        """Roles, texts, calls and results."""
        assert _describe(self.read(instance, write(made))) == _describe(made)

    def test_a_changed_text_is_written_and_all_else_stays(self, instance: Any, documents: list[Any]) -> None:
        """A compaction's shortened text reaches the provider."""
        for document in documents:
            read = self.read(instance, document)
            at, last = next((at, one) for at, one in reversed([*enumerate(read.messages)]) if one.text)
            changed = tuple(
                block.with_text("shorter") if block.text and block.kind in _TEXTUAL else block
                for block in last.blocks
            )
            shorter = (*read.messages[:at], attrs.evolve(last, blocks=changed), *read.messages[at + 1 :])
            told = _describe(self.read(instance, write(attrs.evolve(read, messages=shorter))))
            assert told == _describe(attrs.evolve(read, messages=shorter))

    def test_a_repaired_conversation_has_no_flaws(self, instance: Any, documents: list[Any]) -> None:
        """One call of `mend` is enough."""
        for document in documents:
            assert flaws_of(repair(self.read(instance, document)).conversation) == []

    def test_what_is_no_message_is_refused_with_its_place(self, instance: Any) -> None:
        """A person must find the message among thousands."""
        with pytest.raises(ConversationError) as raised:
            instance.read_messages([7], instance.list_key)
        assert raised.value.place == f"{instance.list_key}[0]"

    def test_it_looks_for_signs_in_messages_of_others(self, instance: Any, documents: list[Any]) -> None:
        """Any input yields signs and no failure."""
        assert all(
            sign.message < len(_OF_OTHERS) for sign in check_signs(instance.find_signs(_OF_OTHERS, {}))
        )
        for document in documents:
            request = document if isinstance(document, dict) else {}
            check_signs(instance.find_signs(request.get(instance.list_key, document), request))

    def test_what_is_told_of_images_windows_and_errors_is_well_formed(self, instance: Any) -> None:
        """Whole numbers, and JSON."""
        plain_int(instance.image_tokens(Block(BlockKind.IMAGE, raw={}), ""), "image_tokens")
        json.dumps([instance.describe_error("too long"), instance.with_window({"model": "m"}, 1_000)])

    def read(self, instance: Any, document: Any) -> Conversation:
        """Read a document in the format."""
        return Formats([instance], instance.name).read(document, instance.name)


_TEXTUAL = (BlockKind.TEXT, BlockKind.RESULT)


def _describe(conversation: Conversation) -> list[tuple[Any, ...]]:
    """Return the texts and calls that every format can express."""
    return [
        (message.role, block.kind, json.loads(block.text) if block.kind is BlockKind.CALL else block.text)
        for message in conversation.messages
        for block in message.blocks
        if block.text
    ]


class SessionFileContract(PluginContract):
    """A session becomes messages that can be read, and is written as a file of the same messages.

    `samples` are the records of files that the agent wrote.
    """

    kind = PluginKind.SESSION_FILE
    samples: ClassVar[Sequence[Sequence[Mapping[str, Any]]]] = ()

    def test_it_recognizes_its_own_files_and_no_others(self, instance: Any) -> None:
        """Files of providers' messages exist too."""
        assert all(instance.recognizes(records) for records in self.samples)
        assert not instance.recognizes([{"role": "user", "content": "hello"}, {"type": "note"}, {}])

    def test_what_it_reads_are_messages_of_its_format(self, instance: Any) -> None:
        """Each with its time, and the same each time."""
        form = find_user_formats().find(instance.message_format)
        for records in self.samples:
            draft = check_draft(instance.read(records))
            assert form.read_messages(draft.document, form.list_key)
            assert len(draft.at) == len(draft.document)
            assert draft == instance.read(records)

    def test_what_it_writes_is_read_as_the_same_messages(self, instance: Any) -> None:
        """A shorter session goes on in the agent."""
        formats = Formats(list(find_user_formats()), instance.message_format, lambda: [instance])
        for records in self.samples:
            found = parse_transcript("\n".join(map(json.dumps, records)), formats)
            again = parse_transcript(instance.write(found, found.document), formats)
            assert formats.read(again.document).messages == formats.read(found.document).messages
