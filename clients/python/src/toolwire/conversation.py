"""What the clients know about a conversation: where reading continues, and what is answered. Pure."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, cast

from .errors import ToolwireError
from .events import ApprovalRequest, Pending
from .operations import Operation, new_key, session_path
from .sse import Frame
from .tools import Tool, ToolCall

# Another client was first, or nothing waits any more: the stream says what came of it.
SETTLED = ("already_answered", "expired", "unknown_call")


class Position:
    """Where reading continues."""

    def __init__(self, session_id: str, last_id: Optional[str] = None) -> None:
        self.session_id = session_id
        self.last_id = last_id
        # The server has said that nothing runs and everything is read.
        self.complete = False

    def take(self, frame: Frame) -> Optional[Dict[str, Any]]:
        """The event of a frame, behind which reading continues from now on."""
        self.last_id = frame.id or self.last_id
        event = read_event(frame.data)
        if event is not None and event.get("type") == "log.reset":
            self.last_id = None
        return event


class Message:
    """A message that was sent, and which of the session's events are its answer."""

    def __init__(self, body: Mapping[str, Any], key: str) -> None:
        self.body = body
        self.key = key
        self._conversation: Optional[str] = None
        # The current part of the answer, up to a pause or the end, has been read.
        self.part_done = False

    def takes(self, event: Mapping[str, Any]) -> bool:
        """Whether the event belongs to the answer; the first one says which conversation that is."""
        conversation = event.get("conversation_id")
        self._conversation = self._conversation or conversation
        mine = conversation is None or conversation == self._conversation
        self.part_done = mine and event.get("type") == "done"
        return mine


def new_message(
    session_id: str,
    text: str,
    tools: Sequence[Tool],
    idempotency_key: Optional[str],
    options: Mapping[str, Any],
) -> Message:
    body: Dict[str, Any] = {"session_id": session_id, "message": text, **options}
    if tools:
        body["tools"] = [tool.spec() for tool in tools]
    return Message(body, idempotency_key or new_key())


def next_request(
    position: Position, message: Optional[Message], query: Mapping[str, Any]
) -> Tuple[Operation, Dict[str, str]]:
    """The request that brings the next events, with its headers."""
    headers = {"accept": "text/event-stream"}
    # Sent again with its key until an event has come: the server answers with the run of the first one.
    if message and position.last_id is None:
        headers["idempotency-key"] = message.key
        return Operation("POST", "/api/chat/stream", body=message.body, key=message.key), headers
    if position.last_id is not None:
        headers["last-event-id"] = position.last_id
    return Operation("GET", f"{session_path(position.session_id)}/events", query=query), headers


def belongs(event: Mapping[str, Any], message: Optional[Message]) -> bool:
    """Whether the caller gets the event. Raises `log_reset` where the answer to a message is no longer there."""
    if message is None:
        return True
    if event.get("type") == "log.reset":
        raise ToolwireError(
            "log_reset",
            "The cursor belongs to an earlier history. Read the session from the start.",
            status=410,
        )
    return message.takes(event)


def read_event(data: str) -> Optional[Dict[str, Any]]:
    """The event of a frame; None for one that holds none, as a newer server may send."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return cast(Dict[str, Any], event) if isinstance(event, dict) else None


class Questions:
    """Approval requests of the part of the answer that is being read."""

    def __init__(self) -> None:
        self._asked: Dict[str, ApprovalRequest] = {}

    def note(self, event: Mapping[str, Any]) -> None:
        if event.get("type") == "tool_approval_request":
            self._asked[str(event["approval_id"])] = cast(ApprovalRequest, event)

    def asked(self, item: Pending) -> Optional[ApprovalRequest]:
        return self._asked.get(item["id"])


def call_of(session_id: str, item: Pending, tools: Sequence[Tool]) -> Optional[Tuple[Tool, ToolCall]]:
    """The call that waits, with the tool that runs it; None when it is none of ours."""
    found: List[Tool] = [tool for tool in tools if tool.name == item["name"]]
    if item["kind"] != "client_tool" or not found:
        return None
    arguments = json.loads(item["input_text"] or "{}")
    return found[-1], ToolCall(session_id, item["call_id"], item["name"], arguments)
