"""Tools that run in this process, and answers to questions about other calls."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional


@dataclass(frozen=True)
class ToolCall:
    """One call of a client tool."""

    session_id: str
    call_id: str
    name: str
    input: Any


@dataclass(frozen=True)
class Tool:
    """`handler` gets the arguments and returns the output; what it raises becomes an error output."""

    name: str
    handler: Callable[[Any], Any]
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})

    def spec(self) -> Dict[str, Any]:
        """The tool as a message offers it."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.input_schema)}

    def run(self, call: ToolCall) -> Dict[str, Any]:
        """The output of one call. Never raises, except for what ends the process."""
        try:
            return _output(call, self.handler(call.input))
        except Exception as error:
            return _failure(call, error)

    async def run_async(self, call: ToolCall) -> Dict[str, Any]:
        """The same for a handler that may be a coroutine function."""
        try:
            output = self.handler(call.input)
            return _output(call, await output if inspect.isawaitable(output) else output)
        except Exception as error:
            return _failure(call, error)


def _output(call: ToolCall, output: Any) -> Dict[str, Any]:
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return {"tool_use_id": call.call_id, "output": text}


def _failure(call: ToolCall, error: Exception) -> Dict[str, Any]:
    """Whatever a handler raises is the model's to read."""
    return {"tool_use_id": call.call_id, "output": str(error) or type(error).__name__, "is_error": True}


@dataclass(frozen=True)
class Decision:
    """The answer to an approval request. Use `approve` and `deny`."""

    approved: bool
    reason: Optional[str] = None
    rule: Optional[str] = None
    input: Any = None
    answer: Any = None
    rule_ttl_s: Optional[int] = None

    def body(self) -> Dict[str, Any]:
        given: Dict[str, Any] = {"decision": "approved" if self.approved else "denied"}
        for name in ("reason", "rule", "rule_ttl_s", "input", "answer"):
            value = getattr(self, name)
            if value is not None:
                given[name] = value
        return given


def approve(
    *, rule: Optional[str] = None, rule_ttl_s: Optional[int] = None, input: Any = None, answer: Any = None
) -> Decision:
    """Lets the call run; with `input` with other arguments, with `answer` answered instead of run.

    With `rule` the like is not asked about again, for `rule_ttl_s` seconds where that is given.
    """
    return Decision(True, rule=rule, rule_ttl_s=rule_ttl_s, input=input, answer=answer)


def deny(reason: Optional[str] = None) -> Decision:
    """The reason reaches the model."""
    return Decision(False, reason=reason)
