"""The one error of this package: a refusal of the server, or the lack of an answer."""

from __future__ import annotations

import json
from typing import Any, Optional


class ToolwireError(Exception):
    """`code` is of the server's table, or `network`, `bad_response`, `frame_too_large` or `token_failed`; `status` is 0 without an answer."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        retryable: bool = False,
        request_id: Optional[str] = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.retryable = retryable
        self.request_id = request_id
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def is_transient(status: int) -> bool:
    """Statuses that say "not now"; every other 4xx is final."""
    return status in (0, 408, 429) or status >= 500


def is_signed_out(error: ToolwireError) -> bool:
    """The credential was refused; other errors have the status 401 too, such as a provider's key."""
    return error.status == 401 and error.code == "unauthorized"


def refusal(status: int, body: bytes) -> ToolwireError:
    """Reads a refusal; a body of another shape (a proxy's page) becomes `bad_response`. Never raises."""
    try:
        error = json.loads(body)["error"]
        code, message = str(error["code"]), str(error.get("message", error["code"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        text = f"The server answered with status {status}."
        return ToolwireError("bad_response", text, status=status, retryable=is_transient(status))
    return ToolwireError(
        code,
        message,
        status=status,
        retryable=error.get("retryable") is True,
        request_id=error.get("request_id"),
        details=error.get("details"),
    )
