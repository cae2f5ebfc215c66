"""Requests. One is repeated only when that cannot do a thing twice: reads, and POSTs with an Idempotency-Key."""

from __future__ import annotations

import http.client
import json
import random
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import urlencode, urlsplit

from .errors import ToolwireError, is_transient, refusal

# The server speaks at least every ten seconds; longer silence than this is a dead connection.
SILENCE_S = 25.0


class Transport:
    def __init__(self, base_url: str, api_key: Optional[str], retries: int, backoff_s: float) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url must be an http address, not {base_url!r}")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._api_key = api_key
        self.retries = retries
        self._backoff_s = backoff_s

    @contextmanager
    def open(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Iterator[http.client.HTTPResponse]:
        """Sends once. Raises `network` for a lost connection, and the server's refusal for a status of 400 or more."""
        make = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = make(self._host, self._port, timeout=SILENCE_S)
        try:
            payload = None if body is None else json.dumps(body).encode()
            connection.request(method, self._address(path, query), payload, self._headers(body, headers))
            response = connection.getresponse()
            if response.status >= 400:
                raise refusal(response.status, response.read())
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise ToolwireError("network", str(error) or type(error).__name__, retryable=True) from error
        finally:
            connection.close()

    def json(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None,
    ) -> Any:
        """The answer as JSON; None for a 204. Raises ToolwireError."""
        headers = {} if key is None else {"idempotency-key": key}
        repeatable = method != "POST" or key is not None
        attempt = 0
        while True:
            try:
                with self.open(method, path, body=body, query=query, headers=headers) as response:
                    return _whole(response)
            except ToolwireError as error:
                if not repeatable or attempt >= self.retries or not is_transient(error.status):
                    raise
            self.pause(attempt)
            attempt += 1

    def pause(self, attempt: int) -> None:
        """Waits before a repetition: exponential, at most 15 s, between half of that and all of it."""
        delay: float = min(15.0, self._backoff_s * 2 ** min(attempt, 30))
        time.sleep(delay * (0.5 + random.random() / 2))

    def _address(self, path: str, query: Optional[Mapping[str, Any]]) -> str:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        return self._prefix + path + (f"?{urlencode(given)}" if given else "")

    def _headers(self, body: Any, headers: Optional[Mapping[str, str]]) -> Dict[str, str]:
        all_headers = dict(headers or {})
        if body is not None:
            all_headers["content-type"] = "application/json"
        if self._api_key is not None:
            all_headers["authorization"] = f"Bearer {self._api_key}"
        return all_headers


def _whole(response: http.client.HTTPResponse) -> Any:
    """The body as JSON. A head that the cut hit hides how long its body was, so the body itself must be whole."""
    if response.status == 204:
        return None
    try:
        return json.loads(response.read())
    except (ValueError, RecursionError) as error:
        raise ToolwireError("network", "The answer was cut off.", retryable=True) from error


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
