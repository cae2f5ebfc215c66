"""`python -m toolwire "message"`: one conversation on the terminal."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Callable, Dict, Optional, TextIO, cast

from .client import Client
from .errors import ToolwireError
from .events import ApprovalRequest
from .marks import mark_controls
from .questions import ask_questions
from .tools import Decision, approve, deny

_SHOWN_LINES = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="toolwire", description="Sends one message and prints the answer.")
    parser.add_argument("message")
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--session", help="continue this session; a new one without it")
    parser.add_argument("--api-key")
    given = parser.parse_args()
    client = Client(given.url, api_key=given.api_key)
    try:
        session = given.session or client.create_session()["id"]
        print(mark_controls(f"session {session}"), file=sys.stderr)
        for event in client.chat(session, given.message, on_approval=_ask):
            show(event, sys.stdout)
    except ToolwireError as error:
        print(mark_controls(str(error)), file=sys.stderr)
        return 1
    return 0


def _ask(request: ApprovalRequest) -> Optional[Decision]:
    """Without a terminal nobody can be asked: the call goes on waiting."""
    if not sys.stdin.isatty():
        return None
    if request.get("kind") == "question":
        schema = request.get("schema")
        if schema and schema.get("properties"):
            message = request.get("message", "")
            if message != "\n".join(schema["properties"]):
                print(mark_controls(f"\n{message}"))
            return approve(answer=ask_questions(schema, _prompt))
        return approve(answer=_prompt(f"\n{request.get('message', 'Your answer?')}{_options(request)} "))
    reply = _prompt(f"\n{request.get('message', '')}{_tool_use(dict(request))}Allow this call? [y/N] ")
    return approve() if reply.strip().lower() in ("y", "yes") else deny()


def _options(request: ApprovalRequest) -> str:
    labels = [_label(one) for one in request.get("options", [])]
    return f" ({' / '.join(labels)})" if labels else ""


def _label(option: Any) -> str:
    return str(cast(Dict[str, Any], option).get("label") if isinstance(option, dict) else option)


def _prompt(text: str) -> str:
    return input(mark_controls(text))


def show(event: Any, out: TextIO) -> None:
    """Prints one event, with marks for hidden characters; most say nothing."""
    printer = _PRINTERS.get(event["type"])
    if printer:
        out.write(mark_controls(printer(event)))
        out.flush()


def _tool_use(event: Dict[str, Any]) -> str:
    tool = event["tool"]
    return f"\n\n🔧 {tool['name']} {json.dumps(tool['input'], ensure_ascii=False)}\n"


def _tool_result(event: Dict[str, Any]) -> str:
    lines = event["content"].split("\n")
    rest = len(lines) - _SHOWN_LINES
    shown = [*lines[:_SHOWN_LINES], *([f"... ({rest} more lines)"] if rest > 0 else [])]
    return "".join(f"   {line}\n" for line in (["❌" if event["is_error"] else "✅", *shown])) + "\n"


def _result(event: Dict[str, Any]) -> str:
    data = event["data"]
    usage = data["usage"]
    return (
        f"\n\n💰 ${data['total_cost_usd']:.4f} | ⏱ {data['duration_ms']} ms | 🔄 {data['num_turns']} turns"
        f" | 📝 {usage['input_tokens']} in / {usage['output_tokens']} out\n"
    )


_PRINTERS: Dict[str, Callable[[Dict[str, Any]], str]] = {
    "text_delta": lambda event: str(event["content"]),
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "error": lambda event: f"\n{event['code']}: {event['error']}\n",
    "paused": lambda event: f"\n⏸ {event['reason']}\n",
    "result": _result,
}

if __name__ == "__main__":
    sys.exit(main())
