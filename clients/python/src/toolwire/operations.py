"""Requests of the session API as values. Pure: both clients send them, each in its own way."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional
from urllib.parse import quote

from .tools import Decision


@dataclass(frozen=True)
class Operation:
    """Repeated after a lost connection unless it is a POST without a key. `field` is the part of the answer that counts."""

    method: str
    path: str
    body: Any = None
    query: Optional[Mapping[str, Any]] = None
    key: Optional[str] = None
    field: Optional[str] = None

    @property
    def repeatable(self) -> bool:
        return self.method != "POST" or self.key is not None

    def read(self, answer: Any) -> Any:
        return answer if self.field is None else answer[self.field]


def new_key() -> str:
    return str(uuid.uuid4())


def session_path(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"


def create_session(options: Mapping[str, Any]) -> Operation:
    return Operation("POST", "/api/sessions", body=dict(options), key=new_key())


def list_sessions(query: Mapping[str, Any]) -> Operation:
    return Operation("GET", "/api/sessions", query=query, field="sessions")


def get_session(session_id: str) -> Operation:
    return Operation("GET", session_path(session_id))


def update_session(session_id: str, changes: Mapping[str, Any]) -> Operation:
    return Operation("PATCH", session_path(session_id), body=dict(changes))


def delete_session(session_id: str) -> Operation:
    return Operation("DELETE", session_path(session_id))


def fork(session_id: str, options: Mapping[str, Any]) -> Operation:
    return Operation("POST", f"{session_path(session_id)}/fork", body=dict(options))


def cancel(session_id: str, reason: Optional[str]) -> Operation:
    body = {} if reason is None else {"reason": reason}
    return Operation("POST", f"{session_path(session_id)}/cancel", body=body, field="cancelled")


def messages(session_id: str) -> Operation:
    return Operation("GET", f"{session_path(session_id)}/messages", field="messages")


def export(session_id: str) -> Operation:
    return Operation("GET", f"{session_path(session_id)}/export")


def tools() -> Operation:
    return Operation("GET", "/api/tools", field="tools")


def pending(limit: Optional[int], inputs: Optional[str]) -> Operation:
    return Operation("GET", "/api/pending", query={"limit": limit, "inputs": inputs}, field="pending")


def decide(approval_id: str, decision: Decision) -> Operation:
    path = f"/api/approvals/{quote(approval_id, safe='')}"
    return Operation("POST", path, body=decision.body(), key=new_key())


def give_outputs(session_id: str, outputs: Iterable[Mapping[str, Any]]) -> Operation:
    body: Dict[str, Any] = {"tool_outputs": [dict(output) for output in outputs]}
    return Operation("POST", f"{session_path(session_id)}/tool_outputs", body=body, key=new_key())
