"""Session files of agents: their messages, what they cost, and where the agent compacted."""
# ruff: noqa: E501 (records as the agents write them)

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.formats import find_transcript, read_transcript

import satchel
from satchel import ConversationError, Transcript
from satchel.conversation import find_spoken, flaws_of
from satchel.plugin_api import TranscriptUsage

CLAUDE: list[dict[str, Any]] = [
    {"type": "file-history-snapshot", "messageId": "x"},
    {"type": "user", "uuid": "1", "sessionId": "s", "timestamp": "2026-11-20T10:00:00Z", "message": {"role": "user", "content": "Fix it"}},
    {
        "type": "assistant",
        "uuid": "2",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "claude-opus",
            "content": [{"type": "text", "text": "I read it."}],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 10, "output_tokens": 7},
        },
    },
    {
        "type": "assistant",
        "uuid": "3",
        "message": {"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}]},
    },
    {"type": "user", "uuid": "4", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}]}},
    {"type": "user", "uuid": "5", "isSidechain": True, "message": {"role": "user", "content": "of a helper"}},
    {"type": "system", "subtype": "compact_boundary", "uuid": "6"},
    {"type": "user", "uuid": "7", "isCompactSummary": True, "message": {"role": "user", "content": "Summary"}},
]  # fmt: skip
CODEX: list[dict[str, Any]] = [
    {"timestamp": "T0", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
    {"timestamp": "2026-11-20T10:00:00Z", "type": "turn_context", "payload": {"model": "gpt-5-codex"}},
    {"timestamp": "2026-11-20T10:00:00Z", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]}},
    {"timestamp": "T2", "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}},
    {"timestamp": "T3", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "x = 1"}},
    {"timestamp": "T3", "type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 105, "cached_input_tokens": 90, "output_tokens": 7}}}},
    {"timestamp": "T4", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}},
]  # fmt: skip
PI: list[dict[str, Any]] = [
    {"type": "session", "id": "s", "cwd": "/w"},
    {"type": "message", "timestamp": "2026-11-20T10:00:00Z", "message": {"role": "user", "content": "Fix it"}},
    {
        "type": "message",
        "message": {
            "role": "assistant",
            "model": "m",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I read it."}, {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a.py"}}],
            "usage": {"input": 15, "cacheRead": 90, "cacheWrite": 0, "output": 7},
        },
    },
    {"type": "message", "message": {"role": "toolResult", "toolCallId": "t1", "toolName": "read", "content": [{"type": "text", "text": "x = 1"}], "isError": True}},
    {"type": "compaction", "summary": "What was done."},
]  # fmt: skip
OPENHANDS: list[dict[str, Any]] = [
    {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it"}, "timestamp": "2026-11-20T10:00:00Z"},
    {"id": 1, "source": "agent", "action": "run", "args": {"command": "cat a.py", "thought": "I read it."}, "tool_call_metadata": {"tool_call_id": "t1", "function_name": "execute_bash"}},
    {"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": "x = 1"},
    {"id": 3, "source": "agent", "action": "finish", "args": {"final_thought": "Done."}},
]  # fmt: skip
OPENCODE: list[dict[str, Any]] = [
    {
        "info": {"id": "s"},
        "messages": [
            {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Fix it"}]},
            {
                "info": {"role": "assistant", "modelID": "m", "tokens": {"input": 15, "output": 7, "cache": {"read": 90, "write": 0}}},
                "parts": [{"type": "text", "text": "I read it."}, {"type": "tool", "callID": "t1", "tool": "read", "state": {"status": "completed", "input": {"path": "a.py"}, "output": "x = 1"}}],
            },
        ],
    }
]  # fmt: skip
GEMINI: list[dict[str, Any]] = [
    {
        "sessionId": "s",
        "messages": [
            {"type": "user", "content": "Fix it", "timestamp": "2026-11-20T10:00:00Z"},
            {"type": "info", "content": "not for the model"},
            {
                "type": "gemini",
                "content": "I read it.",
                "model": "gemini-3",
                "tokens": {"input": 105, "cached": 90, "output": 7},
                "toolCalls": [{"id": "t1", "name": "read_file", "args": {"path": "a.py"}, "status": "success", "result": [{"functionResponse": {"response": {"output": "x = 1"}}}]}],
            },
        ],
    }
]  # fmt: skip
GEMINI_LOG: list[dict[str, Any]] = [
    {"sessionId": "s", "projectHash": "h", "startTime": "2026-11-20T10:00:00Z"},
    {"id": "0", "type": "user", "content": [{"text": "not for the model: taken back"}]},
    {"$rewindTo": "0"},
    {"id": "1", "type": "user", "content": [{"text": "Fix it"}], "timestamp": "2026-11-20T10:00:00Z"},
    {"$set": {"lastUpdated": "2026-11-20T10:00:00Z"}},
    {"id": "2", "type": "gemini", "content": "I read it.", "model": "gemini-3"},
    {
        "id": "2", "type": "gemini", "content": "I read it.", "model": "gemini-3",
        "tokens": {"input": 105, "cached": 90, "output": 7},
        "toolCalls": [{"id": "t1", "name": "read_file", "args": {"path": "a.py"}, "status": "success", "result": [{"functionResponse": {"response": {"output": "x = 1"}}}]}],
    },
]  # fmt: skip
OPENHANDS_1: list[dict[str, Any]] = [
    {"id": "0", "source": "agent", "system_prompt": {"type": "text", "text": "Be brief."}, "tools": [], "kind": "SystemPromptEvent"},
    {"id": "1", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}]}, "kind": "MessageEvent"},
    {"id": "2", "source": "agent", "thought": [{"type": "text", "text": "I read it."}], "action": {"path": "a.py", "kind": "FileEditorAction"}, "tool_name": "file_editor", "tool_call_id": "t1", "tool_call": {"id": "t1", "name": "file_editor", "arguments": '{"command": "view", "path": "a.py"}'}, "llm_response_id": "r1", "kind": "ActionEvent"},
    {"id": "3", "source": "environment", "tool_name": "file_editor", "tool_call_id": "t1", "observation": {"content": [{"type": "text", "text": "x = 1"}], "is_error": False, "kind": "FileEditorObservation"}, "action_id": "2", "kind": "ObservationEvent"},
    {"id": "4", "source": "agent", "thought": [], "action": {"message": "Done.", "kind": "FinishAction"}, "tool_name": "finish", "tool_call_id": "t2", "tool_call": {"id": "t2", "name": "finish", "arguments": '{"message": "Done."}'}, "llm_response_id": "r2", "kind": "ActionEvent"},
    {"id": "5", "source": "environment", "tool_name": "finish", "tool_call_id": "t2", "observation": {"content": [{"type": "text", "text": "Done."}], "kind": "FinishObservation"}, "action_id": "4", "kind": "ObservationEvent"},
]  # fmt: skip
QWEN: list[dict[str, Any]] = [
    {"uuid": "1", "parentUuid": None, "sessionId": "s", "timestamp": "2026-11-20T10:00:00Z", "type": "user", "cwd": "/w", "message": {"role": "user", "parts": [{"text": "Fix it"}]}},
    {"uuid": "9", "parentUuid": "1", "type": "assistant", "message": {"role": "model", "parts": [{"text": "not for the model: taken back"}]}},
    {"uuid": "2", "parentUuid": "1", "type": "assistant", "model": "qwen3", "message": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "I read it."}]}},
    {"uuid": "2", "parentUuid": "1", "type": "assistant", "model": "qwen3", "usageMetadata": {"promptTokenCount": 105, "cachedContentTokenCount": 90, "candidatesTokenCount": 7}, "message": {"role": "model", "parts": [{"functionCall": {"id": "t1", "name": "read_file", "args": {"path": "a.py"}}}]}},
    {"uuid": "3", "parentUuid": "2", "type": "tool_result", "message": {"role": "user", "parts": [{"functionResponse": {"id": "t1", "name": "read_file", "response": {"error": "x = 1"}}}]}},
    {"uuid": "4", "parentUuid": "3", "type": "system", "subtype": "ui_telemetry", "message": {"role": "system", "parts": []}},
    {"uuid": "5", "parentUuid": "4", "type": "user", "subtype": "notification", "message": {"role": "user", "parts": [{"text": "a helper is done"}]}},
]  # fmt: skip
COPILOT: list[dict[str, Any]] = [
    {"type": "session.start", "data": {"sessionId": "s", "selectedModel": "gpt-5-mini"}, "id": "e1", "parentId": None},
    {"type": "system.message", "data": {"content": "Be brief.", "role": "system"}, "id": "e2"},
    {"type": "user.message", "data": {"content": "Fix it", "attachments": []}, "id": "e3", "timestamp": "2026-11-20T10:00:00Z"},
    {"type": "assistant.message", "data": {"content": "I read it.", "toolRequests": [{"toolCallId": "t1", "name": "view", "arguments": '{"path": "a.py"}'}]}, "id": "e4"},
    {"type": "assistant.message", "data": {"content": "of a helper", "parentToolCallId": "t1"}, "id": "e5"},
    {"type": "tool.execution_complete", "data": {"toolCallId": "t1", "success": True, "result": {"content": "x = 1"}}, "id": "e6"},
    {"type": "assistant.message", "data": {"content": "Done.", "toolRequests": []}, "id": "e7"},
]  # fmt: skip
KIMI: list[dict[str, Any]] = [
    {"type": "metadata", "protocol_version": "1.4"},
    {"type": "config.update", "systemPrompt": "Be brief.", "modelAlias": "kimi-k2"},
    {"type": "context.append_message", "message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}], "toolCalls": []}, "time": 1795168800000},
    {"type": "context.append_loop_event", "event": {"type": "step.begin", "uuid": "u1"}},
    {"type": "context.append_loop_event", "event": {"type": "content.part", "stepUuid": "u1", "part": {"type": "think", "think": "hm"}}},
    {"type": "context.append_loop_event", "event": {"type": "content.part", "stepUuid": "u1", "part": {"type": "text", "text": "I read it."}}},
    {"type": "context.append_loop_event", "event": {"type": "tool.call", "stepUuid": "u1", "toolCallId": "t1", "name": "Read", "args": {"path": "a.py"}}},
    {"type": "context.append_loop_event", "event": {"type": "step.end", "uuid": "u1", "usage": {"inputOther": 15, "inputCacheRead": 90, "inputCacheCreation": 0, "output": 7}}},
    {"type": "context.append_loop_event", "event": {"type": "tool.result", "toolCallId": "t1", "result": {"output": "x = 1", "isError": True}}},
]  # fmt: skip
KIMI_CONTEXT: list[dict[str, Any]] = [
    {"role": "_system_prompt", "content": "Be brief."},
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": "Fix it"},
    {
        "role": "assistant",
        "content": [
            {"type": "think", "think": "hm", "encrypted": None},
            {"type": "text", "text": "I read it."},
        ],
        "tool_calls": [
            {"type": "function", "id": "t1", "function": {"name": "Read", "arguments": '{"path": "a.py"}'}}
        ],
    },
    {"role": "_usage", "token_count": 105},
    {"role": "tool", "content": "x = 1", "tool_call_id": "t1"},
    {"role": "_checkpoint", "id": 1},
    {"role": "assistant", "content": "Done."},
]
CURSOR: list[dict[str, Any]] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "Fix it"}]}},
    {"role": "assistant", "message": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I read it."}, {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}]}},
    {"role": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "x = 1"}]}]}},
    {"type": "turn_ended", "status": "success"},
]  # fmt: skip
FILES = {
    "claude-code": CLAUDE,
    "codex": CODEX,
    "pi": PI,
    "openhands": OPENHANDS,
    "opencode": OPENCODE,
    "gemini": GEMINI,
    "gemini log": GEMINI_LOG,
    "openhands 1": OPENHANDS_1,
    "qwen": QWEN,
    "copilot": COPILOT,
    "kimi": KIMI,
    "kimi context": KIMI_CONTEXT,
    "cursor": CURSOR,
}


def written(records: list[dict[str, Any]]) -> str:
    """Return records as their agent writes them: JSON Lines, or one object."""
    return "\n".join(map(json.dumps, records))


@pytest.fixture(params=sorted(FILES))
def transcript(request: pytest.FixtureRequest) -> Transcript:
    """Each agent's session, read."""
    found = read_transcript(written(FILES[request.param]))
    assert found.source == request.param.split()[0]
    return found


def test_calls_keep_their_results(transcript: Transcript) -> None:
    messages = transcript.messages
    calls = [block for message in messages for block in message.calls]
    results = [block for message in messages for block in message.results]

    assert [block.id for block in calls] == [block.id for block in results]
    assert [block.text for block in results] == ["x = 1"]
    assert flaws_of(transcript.conversation) == []


def test_what_the_person_said_is_first(transcript: Transcript) -> None:
    first = transcript.messages[0]

    assert (first.role, first.text) == ("user", "Fix it")


def test_what_is_no_message_is_left_out(transcript: Transcript) -> None:
    shown = json.dumps(transcript.document)

    assert "of a helper" not in shown
    assert "not for the model" not in shown


@pytest.mark.parametrize(
    "agent", ["claude-code", "codex", "pi", "opencode", "gemini", "gemini log", "qwen", "kimi"]
)
def test_usage_is_that_of_the_provider(agent: str) -> None:
    usages = read_transcript(written(FILES[agent])).usages

    assert list(usages.values()) == [TranscriptUsage(105, 90, 7)]


def test_records_of_one_answer_are_one_message() -> None:
    transcript = read_transcript(written(CLAUDE))

    answers = [message for message in transcript.document if message["role"] == "assistant"]
    assert [[block["type"] for block in answer["content"]] for answer in answers] == [["text", "tool_use"]]
    assert [one.place for one in transcript.compactions] == [3]
    assert transcript.model == "claude-opus"
    assert transcript.at[0] == 1_795_168_800


def test_what_a_person_typed_while_tools_ran_stands_behind_the_results() -> None:
    call = CLAUDE[3]
    second = {
        **call,
        "uuid": "3b",
        "message": {
            **call["message"],
            "content": [
                {"type": "text", "text": "\n\n"},
                {"type": "tool_use", "id": "t2", "name": "Read", "input": {}},
            ],
        },
    }
    typed = {"type": "user", "uuid": "4b", "message": {"role": "user", "content": "And the tests?"}}
    result = {
        "type": "user",
        "uuid": "4c",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t2", "content": "y"}],
        },
    }
    found = read_transcript(written([*CLAUDE[:4], second, CLAUDE[4], typed, result]))

    assert [block["type"] for block in found.document[-1]["content"]] == [
        "tool_result",
        "tool_result",
        "text",
    ]
    assert flaws_of(found.conversation) == []


def claude_code(kind: str, name: str, above: str | None, content: Any, **message: Any) -> dict[str, Any]:
    """Return a record of Claude Code."""
    told = {"role": kind, "content": content, **message}
    return {"type": kind, "uuid": name, "parentUuid": above, "sessionId": "s", "message": told}


def use(name: str) -> list[dict[str, Any]]:
    """Return a call as the content of a message."""
    return [{"type": "tool_use", "id": name, "name": "Read", "input": {"file_path": f"{name}.py"}}]


def result(name: str) -> list[dict[str, Any]]:
    """Return a call's result as the content of a message."""
    return [{"type": "tool_result", "tool_use_id": name, "content": f"text of {name}"}]


def texts_of(found: Transcript) -> list[str]:
    """Return what the messages of a session say, each with its role's first letter."""
    return [f"{one.role[0]}: {block.text}" for one in found.messages for block in one.blocks if block.text]


def test_calls_side_by_side_are_kept_whichever_result_the_answer_goes_on_from() -> None:
    found = read_transcript(
        written(
            [
                claude_code("user", "u", None, "Read them"),
                claude_code("assistant", "a1", "u", use("t1"), id="m1"),
                claude_code("assistant", "a2", "a1", use("t2"), id="m1"),
                claude_code("user", "r1", "a1", result("t1")),
                claude_code("user", "r2", "a2", result("t2")),
                claude_code("assistant", "b", "r1", "Both are read.", id="m2"),
            ]
        )
    )

    assert [block.id for one in found.messages for block in one.calls] == ["t1", "t2"]
    assert [block.id for one in found.messages for block in one.results] == ["t1", "t2"]
    assert found.beside == 0
    assert flaws_of(found.conversation) == []


def test_what_was_said_before_the_context_was_cleared_is_read() -> None:
    records = [
        claude_code("user", "u1", None, "Plan the retry"),
        claude_code("assistant", "a1", "u1", "The plan: three tries.", id="m1"),
        {"type": "progress", "uuid": "p", "parentUuid": None, "data": {"hookEvent": "SessionStart"}},
        claude_code("user", "u2", "p", "Implement the plan"),
        claude_code("assistant", "a2", "u2", "It is done.", id="m2"),
    ]
    found = read_transcript(written(records))

    said = ["u: Plan the retry", "a: The plan: three tries.", "u: Implement the plan", "a: It is done."]
    assert texts_of(found) == said
    assert len(found.window) == 2
    assert [one.text for one in found.compactions] == ["cleared"]


def test_a_copy_of_a_conversation_in_its_own_file_is_read_once() -> None:
    began = {"timestamp": "2026-01-21T15:30:16.888Z"}
    records = [
        {**claude_code("user", "u1", None, "Fix it"), **began},
        claude_code("assistant", "a1", "u1", use("t1"), id="m1"),
        claude_code("user", "r1", "a1", result("t1")),
        {**claude_code("user", "u2", None, "Fix it"), **began},
        claude_code("assistant", "a2", "u2", use("t1"), id="m1"),
        claude_code("user", "r2", "a2", result("t1")),
        claude_code("assistant", "a3", "r2", "Fixed.", id="m2"),
    ]
    found = read_transcript(written(records))

    assert [message["role"] for message in found.document] == ["user", "assistant", "user", "assistant"]
    assert found.beside == 3


def test_a_call_that_a_copy_of_a_conversation_lost_stands_with_its_answer() -> None:
    began = {"timestamp": "2026-01-21T15:30:16.888Z"}
    records = [
        {**claude_code("user", "u1", None, "Fix it"), **began},
        claude_code("assistant", "a1", "u1", use("t1"), id="m1"),
        claude_code("user", "r1", "a1", result("t1")),
        claude_code("assistant", "b1", "r1", use("t2"), id="m2"),
        claude_code("assistant", "b2", "b1", use("t3"), id="m2"),
        claude_code("user", "s1", "b1", result("t2")),
        claude_code("user", "s2", "b2", result("t3")),
        {**claude_code("user", "u2", None, "Fix it"), **began},
        claude_code("assistant", "a2", "u2", use("t1"), id="m1"),
        claude_code("user", "r2", "a2", result("t1")),
        claude_code("assistant", "b3", "r2", use("t3"), id="m2"),
        claude_code("user", "s3", "b3", result("t3")),
    ]
    found = read_transcript(written(records))

    assert [[call.id for call in message.calls] for message in found.messages if message.calls] == [
        ["t1"],
        ["t2", "t3"],
    ]
    assert flaws_of(found.conversation) == []


def test_a_branch_goes_on_above_a_parent_that_is_not_in_the_file() -> None:
    found = read_transcript(
        written(
            [
                claude_code("user", "u1", None, "Fix it"),
                {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
                claude_code("user", "u2", "elsewhere", "And the tests"),
            ]
        )
    )

    assert texts_of(found) == ["u: Fix it", "u: And the tests"]


QUEUE = {"type": "queue-operation", "sessionId": "s"}
ABSORBED: dict[str, list[dict[str, Any]]] = {
    "removed": [
        {**QUEUE, "operation": "enqueue", "content": "does it fail locally?"},
        {**QUEUE, "operation": "remove"},
    ],
    "removed for a reason": [
        {**QUEUE, "operation": "enqueue", "content": "does it fail locally?"},
        {**QUEUE, "operation": "remove", "reason": "absorbed_mid_turn"},
    ],
    "attached": [
        {**QUEUE, "operation": "enqueue", "content": "does it fail locally?"},
        {**QUEUE, "operation": "remove", "content": "does it fail locally?"},
        {
            "type": "attachment", "uuid": "q", "parentUuid": "a1",
            "attachment": {"type": "queued_command", "prompt": "does it fail locally?"},
        },
        {**QUEUE, "operation": "enqueue", "content": "no, wait"},
        {**QUEUE, "operation": "remove", "content": "no, wait"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("how", sorted(ABSORBED))
def test_words_that_a_running_turn_absorbed_are_a_persons(how: str) -> None:
    above = "q" if how == "attached" else "a1"
    found = read_transcript(
        written(
            [
                claude_code("user", "u", None, "Fix the test"),
                claude_code("assistant", "a1", "u", use("t1"), id="m1"),
                *ABSORBED[how],
                claude_code("user", "r1", above, result("t1")),
                claude_code("assistant", "a2", "r1", "Let me see.", id="m2"),
            ]
        )
    )

    said = [text for text in texts_of(found) if text[0] != "a"]
    assert said == ["u: Fix the test", "t: text of t1", "u: does it fail locally?"]
    assert flaws_of(found.conversation) == []


def test_words_that_were_taken_back_from_the_queue_are_not_read() -> None:
    found = read_transcript(
        written(
            [
                claude_code("user", "u", None, "Fix it"),
                {**QUEUE, "operation": "enqueue", "content": "in a helper?"},
                {**QUEUE, "operation": "popAll", "content": "in a helper?"},
                {**QUEUE, "operation": "enqueue", "content": "go on"},
                {**QUEUE, "operation": "dequeue"},
                claude_code("user", "u2", "u", "go on"),
            ]
        )
    )

    assert texts_of(found) == ["u: Fix it", "u: go on"]


def test_a_file_that_a_person_attached_is_not_their_words() -> None:
    held = {"type": "text", "file": {"filePath": "/r/a.py", "content": "x = 1"}}
    attached = {"type": "file", "filename": "/r/a.py", "content": held}
    found = read_transcript(
        written(
            [
                claude_code("user", "u", None, "Read @a.py"),
                {"type": "attachment", "uuid": "f", "parentUuid": "u", "attachment": attached},
                claude_code("assistant", "a", "f", "It holds a number.", id="m"),
            ]
        )
    )

    typed, given, _ = found.messages
    assert "file: /r/a.py\nx = 1" in given.text
    assert [find_spoken(typed), find_spoken(given)] == ["Read @a.py", ""]


def test_files_that_opencode_stores_are_read_one_after_another() -> None:
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}
    info = {"sessionID": "ses_1"}
    state = {"status": "completed", "input": {"command": "ls"}, "output": "a.py"}
    found = read_transcript(
        written(
            [
                {**info, "id": "msg_2", "role": "assistant", "time": {"created": 1_764_000_002_000}},
                {**info, "id": "msg_1", "role": "user", "time": {"created": 1_764_000_001_000}},
                {**info, "id": "prt_1", "messageID": "msg_1", "type": "text", "text": "Read @a.py"},
                {
                    **info,
                    "id": "prt_2",
                    "messageID": "msg_1",
                    "type": "text",
                    "text": "x = 1",
                    "synthetic": True,
                },
                {**info, "id": "prt_3", "messageID": "msg_1", **image},
                {
                    **info,
                    "id": "prt_4",
                    "messageID": "msg_2",
                    "type": "tool",
                    "callID": "c",
                    "tool": "bash",
                    "state": state,
                },
            ]
        )
    )

    assert [text for one in found.messages if (text := find_spoken(one))] == ["Read @a.py"]
    assert [block.text for one in found.messages for block in one.results] == ["a.py"]
    assert found.document[0]["content"][2]["source"]["data"] == "AAAA"
    again = read_transcript(found.file.write(found, found.document))
    assert again.document[0] == found.document[0]


def test_gemini_keeps_what_the_model_was_given() -> None:
    result = [{"functionResponse": {"response": {"output": "x = 1"}}}, {"text": "--- b.py ---"}]
    call = {"id": "t", "name": "read_file", "args": {}, "status": "success", "result": result}
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    found = read_transcript(
        written(
            [
                {"sessionId": "s", "projectHash": "h"},
                {"id": "1", "type": "user", "content": [{"text": "Look"}, picture]},
                {
                    "id": "2",
                    "type": "gemini",
                    "content": "",
                    "toolCalls": [{**call, "resultDisplay": "Read 1 line"}],
                },
            ]
        )
    )

    assert [block.text for one in found.messages for block in one.results] == ["x = 1\n--- b.py ---"]
    assert found.document[0]["content"][1]["source"]["data"] == "AAAA"
    again = read_transcript(found.file.write(found, found.document))
    assert again.document[0] == found.document[0]


@pytest.mark.parametrize(
    "told",
    [
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}},
        {"system_instruction": "Be brief."},
        {"config": {"systemInstruction": "Be brief."}},
    ],
)
def test_a_request_to_the_api_of_gemini_is_read_with_its_instructions(told: dict[str, Any]) -> None:
    contents = [
        {"role": "user", "parts": [{"text": "Look"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": "a.py"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x = 1"}}}]},
    ]

    found = read_transcript(json.dumps({"model": "models/gemini-2.5-pro", **told, "contents": contents}))

    assert (found.model, found.instructions) == ("gemini-2.5-pro", "Be brief.")
    assert [one.role for one in found.messages] == ["user", "assistant", "tool"]


def test_a_session_of_gemini_with_one_question_is_read() -> None:
    found = read_transcript(
        json.dumps(
            {"sessionId": "s", "projectHash": "h", "messages": [{"id": "1", "type": "user", "content": "Hi"}]}
        )
    )

    assert texts_of(found) == ["u: Hi"]


def test_words_that_codex_holds_as_an_event_alone_are_read() -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"type": "response_item", "payload": {"type": "message", **payload}}

    found = read_transcript(
        written(
            [
                {"type": "session_meta", "payload": {"id": "s"}},
                item(
                    role="user", content=[{"type": "input_text", "text": "# Context\n## My request\nFix it"}]
                ),
                {"type": "event_msg", "payload": {"type": "user_message", "message": "Fix it"}},
                item(role="assistant", content=[{"type": "output_text", "text": "Fixed."}]),
                {"type": "event_msg", "payload": {"type": "user_message", "message": "And the tests"}},
            ]
        )
    )

    assert texts_of(found) == ["u: # Context\n## My request\nFix it", "a: Fixed.", "u: And the tests"]


def test_items_of_the_responses_api_are_read_all_the_same() -> None:
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "Fix it"},
        {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "done"},
        {"type": "item_reference", "id": "rs_1"},
        {"role": "user", "content": "Thanks"},
    ]

    assert find_transcript(json.dumps(items), "items.json") is None  # a list of messages
    assert read_transcript(written(items)).document == items


@pytest.mark.parametrize(
    "records",
    [
        [{"type": "user", "content": "Fix it"}, {"type": "reasoning", "id": "r", "summary": []}],
        [{"type": "metadata", "id": 1}, {"type": "llm.request", "input": [], "messages": []}],
    ],
)
def test_sessions_of_agents_that_are_not_known_are_refused(records: list[dict[str, Any]]) -> None:
    with pytest.raises(ConversationError, match="2 records, none is a message of an agent's session"):
        find_transcript(written(records), "it.jsonl")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            '{"responderUsername": "Copilot", "requests": [{"message": {"text": "Fix it"}}]}',
            "a chat of VS Code",
        ),
        (
            '{"kind": 0, "v": {"requests": []}}\n{"kind": 1, "k": ["requests"], "v": []}',
            "it reads events.jsonl",
        ),
        (b"SQLite format 3\0\x10\xff", "a SQLite database, not a session file"),
        (
            '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool-call"}]}]',
            "it: messages as the Vercel AI SDK has them",
        ),
        ('{"messages": [{"role": "tool", "content": [{"type": "tool-result"}]}]}', "the Vercel AI SDK"),
        ('[{"type": "human", "data": {"content": "Hi"}}]', "LangChain .* what is sent to the provider"),
        ('[{"lc": 1, "type": "constructor", "id": [], "kwargs": {}}, 7]', "LangChain"),
    ],
)
def test_what_is_known_and_not_read_is_refused_by_its_name(given: bytes | str, said: str) -> None:
    with pytest.raises(ConversationError, match=said):
        find_transcript(given, "it")


def test_blocks_of_anthropic_in_records_like_those_of_pi_are_kept() -> None:
    found = read_transcript(
        written(
            [
                {"type": "message", "id": "1", "message": {"role": "user", "content": "Run it"}},
                {
                    "type": "message",
                    "id": "2",
                    "parentId": "1",
                    "message": {"role": "assistant", "content": use("t")},
                },
                {
                    "type": "message",
                    "id": "3",
                    "parentId": "2",
                    "message": {"role": "user", "content": result("t")},
                },
            ]
        )
    )

    assert [block.text for one in found.messages for block in one.results] == ["text of t"]


def test_the_file_of_a_helper_is_read() -> None:
    records = [
        {**claude_code("user", "u", None, "Look for the cause"), "isSidechain": True},
        {**claude_code("assistant", "a", "u", "It is the cache.", id="m"), "isSidechain": True},
    ]

    assert texts_of(read_transcript(written(records))) == ["u: Look for the cause", "a: It is the cache."]


def test_a_line_that_is_being_written_is_left_out() -> None:
    whole = read_transcript(written(CLAUDE))

    assert read_transcript(written(CLAUDE) + '\n{"type": "us').document == whole.document


def test_a_program_reads_a_session_file() -> None:
    found = satchel.read_transcript(written(CLAUDE).encode())

    assert found.source == "claude-code"
    assert found.document == read_transcript(written(CLAUDE)).document


def test_a_broken_line_is_left_out_and_named() -> None:
    lines = written(CLAUDE).split("\n")
    whole = read_transcript("\n".join(lines))
    found = read_transcript("\n".join([*lines[:2], lines[2][:40], *lines[2:]]))

    assert found.document == whole.document
    assert [problem.split(":")[0] for problem in found.problems] == ["line 3 is left out"]


def test_broken_lines_of_no_agent_are_refused() -> None:
    with pytest.raises(ConversationError, match="line 2"):
        read_transcript('{"a": 1}\noh no\n{"a": 2}\n')


@pytest.mark.parametrize("agent", sorted(FILES))
def test_what_is_read_can_be_written_back(agent: str) -> None:
    found = read_transcript(written(FILES[agent]))

    again = read_transcript(found.file.write(found, found.document))

    assert (again.model, again.instructions) == (found.model, found.instructions)
    assert again.source == agent.split()[0]
    assert again.first == found.first or agent in ("claude-code", "openhands", "qwen")
    assert [(one.role, [block.text for block in one.blocks]) for one in again.messages] == [
        (one.role, [block.text for block in one.blocks]) for one in found.messages
    ]
    assert [block.error for one in again.messages for block in one.results] == [
        block.error for one in found.messages for block in one.results
    ]
    assert flaws_of(again.conversation) == []


COMPACTED = {
    "qwen": [
        *QWEN,
        {"uuid": "6", "parentUuid": "5", "type": "system", "subtype": "chat_compression", "systemPayload": {"compressedHistory": [{"role": "user", "parts": [{"text": "What was done."}]}]}},
        {"uuid": "7", "parentUuid": "6", "type": "assistant", "message": {"role": "model", "parts": [{"text": "Go on."}]}},
    ],
    "copilot": [
        *COPILOT,
        {"type": "session.compaction_complete", "data": {"summaryContent": "What was done.", "preCompactionTokens": 9000}, "id": "e8"},
        {"type": "assistant.message", "data": {"content": "Go on."}, "id": "e9"},
    ],
    "kimi": [
        *KIMI,
        {"type": "context.apply_compaction", "contextSummary": "What was done.", "tokensBefore": 9000},
        {"type": "context.append_loop_event", "event": {"type": "content.part", "stepUuid": "u2", "part": {"type": "text", "text": "Go on."}}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("agent", sorted(COMPACTED))
def test_what_a_compaction_left_is_sent_next(agent: str) -> None:
    found = read_transcript(written(COMPACTED[agent]))
    first, last = found.window

    assert "What was done." in json.dumps(first)
    assert "Go on." in json.dumps(last)
    assert len(found.compactions) == 1
    assert "I read it." in json.dumps(found.document)


def test_words_of_a_program_in_a_session_of_qwen_are_not_a_persons() -> None:
    (message,) = [one for one in read_transcript(written(QWEN)).messages if "a helper is done" in one.text]

    assert find_spoken(message) == ""


def test_turns_that_were_taken_back_in_kimi_are_not_said() -> None:
    def asked(text: str, kind: str) -> dict[str, Any]:
        message = {"role": "user", "content": [{"type": "text", "text": text}], "origin": {"kind": kind}}
        return {"type": "context.append_message", "message": message}

    more = [asked("Do more", "user"), asked("<system-reminder>be nice</system-reminder>", "injection")]
    undone = [*KIMI, *more, {"type": "context.undo", "count": 1}]
    too_many = [*KIMI, {"type": "context.undo", "count": 3}]

    assert read_transcript(written(undone)).document == read_transcript(written(KIMI)).document
    assert read_transcript(written(too_many)).document == read_transcript(written(KIMI)).document


def test_a_cleared_context_of_kimi_is_not_sent() -> None:
    after = {"type": "context.append_message", "message": {"role": "user", "content": [{"type": "text", "text": "Now this"}]}}  # fmt: skip
    found = read_transcript(written([*KIMI, {"type": "context.clear"}, after]))

    assert [one.text for one in found.window_conversation.messages] == ["Now this"]
    assert found.messages[0].text == "Fix it"


def test_parts_of_kimi_without_a_step_belong_to_the_step_that_began() -> None:
    parts = [{"type": "context.append_loop_event", "event": {"type": "content.part", "part": {"type": "text", "text": said}}} for said in ("One.", "Two.")]  # fmt: skip
    found = read_transcript(written([*KIMI[:4], *parts, {"type": "context.append_loop_event", "event": {"type": "step.begin", "uuid": "u2"}}, parts[0]]))  # fmt: skip

    assert [one.text for one in found.messages] == ["Fix it", "One.\nTwo.", "One."]


def test_what_kimi_cli_put_in_is_not_a_persons() -> None:
    said = [*KIMI_CONTEXT, {"role": "user", "content": "<system>CHECKPOINT 2</system>"}]
    failed = {"role": "tool", "content": "<system>ERROR: no such file</system>", "tool_call_id": "t1"}
    found = read_transcript(written(said))
    failing = read_transcript(written([*KIMI_CONTEXT[:5], failed]))

    assert [find_spoken(one) for one in found.messages if one.role == "user"] == ["Fix it", ""]
    assert [block.error for one in failing.messages for block in one.results] == [True]
    assert found.instructions == "Be brief."


def test_calls_of_cursor_without_ids_get_some() -> None:
    calls = [{"type": "tool_use", "name": "Shell", "input": {"command": word}} for word in ("ls", "pwd")]
    said = [CURSOR[0], {"role": "assistant", "message": {"content": calls}}]
    ids = [call.id for message in read_transcript(written(said)).messages for call in message.calls]

    assert len(set(ids) - {""}) == 2


def test_a_rewritten_history_of_gemini_is_a_compaction() -> None:
    summary = {"id": "9", "type": "user", "content": [{"text": "What was done."}]}
    after = {"id": "10", "type": "gemini", "content": "Going on."}
    found = read_transcript(written([*GEMINI_LOG, {"$set": {"messages": [summary]}}, after]))

    assert [message["content"][0]["text"] for message in found.window] == ["What was done.", "Going on."]
    assert [message.text for message in found.messages[:2]] == ["Fix it", "I read it."]
    assert len(found.compactions) == 1


def test_a_condensation_of_openhands_leaves_its_summary() -> None:
    forgotten = {
        "id": "6",
        "source": "environment",
        "kind": "Condensation",
        "forgotten_event_ids": ["2", "3"],
    }
    found = read_transcript(
        written([*OPENHANDS_1, {**forgotten, "summary": "It was read.", "summary_offset": 1}])
    )

    assert [block["text"] for one in found.window for block in one["content"]] == [
        *("Fix it", "It was read.", "Done."),
    ]
    assert found.instructions == "Be brief."


def test_actions_of_one_answer_of_openhands_are_one_message() -> None:
    first, result = OPENHANDS_1[2:4]
    second = {
        **first,
        "id": "7",
        "thought": [],
        "tool_call_id": "t3",
        "tool_call": {**first["tool_call"], "id": "t3"},
    }
    refused = {
        "source": "environment",
        "tool_name": "file_editor",
        "tool_call_id": "t3",
        "rejection_reason": "no",
        "kind": "UserRejectObservation",
    }
    found = read_transcript(written([OPENHANDS_1[1], first, second, result, refused]))

    assert [one["role"] for one in found.document] == ["user", "assistant", "user"]
    assert [block.text for block in found.messages[-1].results] == ["x = 1", "Action rejected: no"]
    assert flaws_of(found.conversation) == []


def test_events_that_stand_one_after_another_are_read() -> None:
    joined = "".join(json.dumps(event, indent=1) for event in OPENHANDS_1)

    assert read_transcript(joined).document == read_transcript(written(OPENHANDS_1)).document


def test_records_without_a_message_are_refused() -> None:
    with pytest.raises(ConversationError, match="3 records, none is a message"):
        read_transcript('{"a": 1}\n{"a": 2}\n{"a": 3}\n')


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "hi"}],
        {"messages": [{"role": "user", "content": "hi"}]},
        {"input": "hi"},
        [{"type": "message", "role": "user", "content": "hi"}],
        [{"type": "function_call_output", "call_id": name, "output": "hi"} for name in "ab"],
        [],
    ],
)
def test_messages_are_no_transcript(document: Any) -> None:
    assert find_transcript(json.dumps(document), "stdin") is None


KEYS = (
    "type",
    "message",
    "role",
    "content",
    "payload",
    "parts",
    "info",
    "messages",
    "action",
    "source",
    "args",
)
odd_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["user", "assistant", "message"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=20,
)


@given(odd_json)
def test_whatever_is_read_is_read_or_refused(document: Any) -> None:
    try:
        transcript = read_transcript(json.dumps(document))
    except ConversationError:
        return
    assert transcript.document
