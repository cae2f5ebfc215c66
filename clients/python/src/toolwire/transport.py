"""Requests over http.client. One is repeated only when that cannot do a thing twice: reads, and POSTs with a key."""

from __future__ import annotations

import http.client
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Generator, Mapping, Optional

from .address import SILENCE_S, Address, check_head, delay_of, headers_of, payload_of, read_json
from .errors import ToolwireError, is_signed_out, is_transient, refusal
from .operations import Operation
from .tokens import TokenHolder, token_failed

TokenCallback = Callable[[], str]


class Transport:
    def __init__(
        self,
        base_url: str,
        api_key: Optional[str],
        token: Optional[TokenCallback],
        retries: int,
        backoff_s: float,
    ) -> None:
        self._address = Address(base_url)
        self._api_key = api_key
        self._token = token
        self._held = TokenHolder()
        self._renewal = threading.Lock()
        self.retries = retries
        self._backoff_s = backoff_s

    @contextmanager
    def open(
        self, operation: Operation, headers: Optional[Mapping[str, str]] = None
    ) -> Generator[http.client.HTTPResponse, None, None]:
        """Sends once, and again with the next token where the first was refused. Raises for a status of 400 or more."""
        credential = self._credential()
        opened = self._open(operation, headers or {}, credential)
        try:
            response = opened.__enter__()
        except ToolwireError as error:
            if not (self._token and operation.repeatable and is_signed_out(error)):
                raise
            following = self._credential(refused=credential)
            if following == credential:
                raise
            opened = self._open(operation, headers or {}, following)
            response = opened.__enter__()
        try:
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise _lost(error) from error
        finally:
            opened.__exit__(None, None, None)

    @contextmanager
    def _open(
        self, operation: Operation, headers: Mapping[str, str], credential: Optional[str]
    ) -> Generator[http.client.HTTPResponse, None, None]:
        address = self._address
        make = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
        connection = make(address.host, address.port, timeout=SILENCE_S)
        try:
            whole = headers_of(operation, headers, credential)
            connection.request(operation.method, address.target(operation), payload_of(operation), whole)
            response = connection.getresponse()
            check_head(response.status, response.getheader("content-encoding"))
            if response.status >= 400:
                raise refusal(response.status, response.read())
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise _lost(error) from error
        finally:
            connection.close()

    def run(self, operation: Operation) -> Any:
        """The answer as JSON; None for a 204. Raises ToolwireError."""
        attempt = 0
        while True:
            try:
                with self.open(operation) as response:
                    return operation.read(read_json(response.status, response.read()))
            except ToolwireError as error:
                if not operation.repeatable or attempt >= self.retries or not is_transient(error.status):
                    raise
            self.pause(attempt)
            attempt += 1

    def pause(self, attempt: int) -> None:
        time.sleep(delay_of(attempt, self._backoff_s))

    def _credential(self, refused: Optional[str] = None) -> Optional[str]:
        """One call of the callback serves all threads that wait for it."""
        if self._token is None:
            return self._api_key
        with self._renewal:
            held = self._held.valid(refused)
            if held is not None:
                return held
            try:
                text = self._token()
            except Exception as error:
                raise token_failed(error) from error
            return self._held.take(text)


def _lost(error: Exception) -> ToolwireError:
    return ToolwireError("network", str(error) or type(error).__name__, retryable=True)
