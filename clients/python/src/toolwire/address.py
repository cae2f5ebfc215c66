"""The address of a server, and what every request to it says. Pure."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, Mapping, Optional
from urllib.parse import urlencode, urlsplit

from .errors import ToolwireError
from .operations import Operation

# The server speaks at least every ten seconds; longer silence than this is a dead connection.
SILENCE_S = 25.0


class Address:
    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url must be an http address, not {base_url!r}")
        if parts.username or parts.password:
            raise ValueError("base_url must not hold a password: use api_key or token")
        self.secure = parts.scheme == "https"
        self.host = parts.hostname
        self.port = parts.port or (443 if self.secure else 80)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.authority = parts.netloc
        self._prefix = parts.path.rstrip("/")

    def target(self, operation: Operation) -> str:
        """Path and query of a request line."""
        query = {name: _text(value) for name, value in (operation.query or {}).items() if value is not None}
        return self._prefix + operation.path + (f"?{urlencode(query)}" if query else "")


def payload_of(operation: Operation) -> Optional[bytes]:
    return None if operation.body is None else json.dumps(operation.body).encode()


def headers_of(
    operation: Operation, headers: Mapping[str, str], credential: Optional[str]
) -> Dict[str, str]:
    whole = {"accept-encoding": "identity", **headers}
    if operation.key is not None:
        whole["idempotency-key"] = operation.key
    if operation.body is not None:
        whole["content-type"] = "application/json"
    if credential is not None:
        whole["authorization"] = f"Bearer {credential}"
    for name, value in whole.items():
        # Python's own error would show the value, which may be a key.
        if not (value.isascii() and value.isprintable()):
            raise ToolwireError("bad_request", f"The value of the header {name} cannot be sent.", status=400)
    return whole


def check_head(status: int, encoding: Optional[str]) -> None:
    """Raises `bad_response` for what no server of ours sends: a redirect, which is never followed, or packed bytes."""
    if 300 <= status < 400:
        raise ToolwireError(
            "bad_response", "The server redirects elsewhere. Use the address that it names.", status=status
        )
    if encoding not in (None, "", "identity"):
        raise ToolwireError("bad_response", "The response is compressed, though nothing asked for that.", status=status)


def read_json(status: int, body: bytes) -> Any:
    """The answer; None for a 204. A head that the cut hit hides how long its body was, so the body itself must be whole."""
    if status == 204:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ToolwireError("network", "The answer was cut off.", retryable=True) from error


def delay_of(attempt: int, backoff_s: float) -> float:
    """Seconds before a repetition: exponential, at most 15, between half of that and all of it."""
    delay: float = min(15.0, backoff_s * 2 ** min(attempt, 30))
    return delay * (0.5 + random.random() / 2)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
