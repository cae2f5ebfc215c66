"""Shapes of what the server sends. Ignore types and fields that you do not know: more may come."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class _Frame(TypedDict, total=False):
    session_id: str
    conversation_id: str
    # Set on frames of a subagent: the call that started it.
    parent_tool_use_id: str


class ToolRef(TypedDict, total=False):
    id: str
    name: str
    # Present once the arguments are complete.
    input: Any


class SystemInit(_Frame):
    type: Literal["system"]
    subtype: str
    data: Dict[str, Any]


class TextDelta(_Frame):
    type: Literal["text_delta"]
    content: str


class ThinkingDelta(_Frame):
    type: Literal["thinking_delta"]
    content: str


class ContentBlockStart(_Frame, total=False):
    type: Literal["content_block_start"]
    block_type: Literal["text", "tool_use", "thinking"]
    index: int
    tool: ToolRef


class ToolInputDelta(_Frame, total=False):
    type: Literal["tool_input_delta"]
    partial_json: str
    tool_use_id: str
    index: int


class ToolUse(_Frame):
    type: Literal["tool_use"]
    tool: ToolRef


class ToolResult(_Frame, total=False):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str
    is_error: bool
    content_blocks: List[Dict[str, Any]]
    error_code: str
    retryable: bool


class ToolProgress(_Frame, total=False):
    type: Literal["tool_progress"]
    tool_use_id: str
    message: str
    progress: float
    total: float


class ToolExecute(_Frame):
    """Your client is to run this call."""

    type: Literal["tool_execute"]
    tool: ToolRef


class ApprovalRequest(_Frame, total=False):
    type: Literal["tool_approval_request"]
    approval_id: str
    tool: ToolRef
    kind: Literal["approval", "question"]
    message: str
    allow_edit: bool
    options: List[Any]
    schema: Dict[str, Any]
    expires_at: str


class ToolApproval(_Frame, total=False):
    type: Literal["tool_approval"]
    approval_id: str
    tool_use_id: str
    approved: bool
    decision: str
    reason: str
    by: str


class Paused(_Frame):
    type: Literal["paused"]
    reason: str
    pending_tools: List[Dict[str, Any]]


class Usage(TypedDict):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int
    cache_creation_input_tokens: int


class ResultData(TypedDict):
    subtype: str
    is_error: bool
    duration_ms: int
    total_cost_usd: float
    num_turns: int
    usage: Usage
    result: str


class Result(_Frame):
    type: Literal["result"]
    data: ResultData


class ErrorEvent(_Frame):
    type: Literal["error"]
    error: str
    code: str
    retryable: bool


class MessageAborted(_Frame, total=False):
    type: Literal["message_aborted"]
    message_id: str
    reason: str
    error: str
    code: str
    retryable: bool


class StreamEvent(_Frame):
    type: Literal["stream_event"]
    event_type: str
    data: Dict[str, Any]


class Done(_Frame):
    type: Literal["done"]
    claude_session_id: Optional[str]


Event = Union[
    SystemInit,
    TextDelta,
    ThinkingDelta,
    ContentBlockStart,
    ToolInputDelta,
    ToolUse,
    ToolResult,
    ToolProgress,
    ToolExecute,
    ApprovalRequest,
    ToolApproval,
    Paused,
    Result,
    ErrorEvent,
    MessageAborted,
    StreamEvent,
    Done,
]


class _WaitingCall(TypedDict):
    kind: Literal["client_tool", "approval", "question"]
    id: str
    call_id: str
    name: str
    input_text: str


class Pending(_WaitingCall, total=False):
    """What waits for a user or client. `id` is an approval's id, or the call id of a client tool."""

    input_cut: bool
    input_chars: int
    message: str
    session_id: str


class _SessionMarks(TypedDict, total=False):
    tags: List[str]
    archived: bool


class Session(_SessionMarks):
    """`tags` and `archived` are absent where there are none."""

    id: str
    claude_session_id: Optional[str]
    workspace_path: str
    created_at: str
    updated_at: str
    conversation_count: int
    title: Optional[str]
    model: str
    status: Literal["idle", "running", "paused", "failed"]
    is_waiting_for_tool: bool
    pending: List[Pending]
    thread_id: int
