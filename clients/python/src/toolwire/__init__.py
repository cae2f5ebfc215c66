"""Client of a Toolwire server: sessions, streamed tool calls, approvals, client tools. Standard library only."""

from .client import Client
from .errors import ToolwireError
from .events import ApprovalRequest, Event, Pending, Session, Usage
from .tools import Decision, Tool, ToolCall, approve, deny

__all__ = [
    "ApprovalRequest",
    "Client",
    "Decision",
    "Event",
    "Pending",
    "Session",
    "Tool",
    "ToolCall",
    "ToolwireError",
    "Usage",
    "approve",
    "deny",
]
