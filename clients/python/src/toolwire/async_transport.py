"""Requests without a thread. One is repeated only when that cannot do a thing twice: reads, and POSTs with a key."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import asynccontextmanager
from typing import Any, AsyncContextManager, AsyncGenerator, Awaitable, Callable, Mapping, Optional, Protocol, Union

from .address import Address, check_head, delay_of, headers_of, payload_of, read_json
from .errors import ToolwireError, is_signed_out, is_transient, refusal
from .operations import Operation
from .sockets import Reply
from .tokens import TokenHolder, token_failed

AsyncTokenCallback = Callable[[], Union[str, Awaitable[str]]]


class Sender(Protocol):
    """Sends one request. Raises `network` for a lost connection."""

    def send(
        self, method: str, target: str, headers: Mapping[str, str], payload: Optional[bytes]
    ) -> AsyncContextManager[Reply]: ...


class AsyncTransport:
    def __init__(
        self,
        address: Address,
        sender: Sender,
        api_key: Optional[str],
        token: Optional[AsyncTokenCallback],
        retries: int,
        backoff_s: float,
    ) -> None:
        self._address = address
        self._sender = sender
        self._api_key = api_key
        self._token = token
        self._held = TokenHolder()
        self._renewal = asyncio.Lock()
        self.retries = retries
        self._backoff_s = backoff_s

    @asynccontextmanager
    async def open(
        self, operation: Operation, headers: Optional[Mapping[str, str]] = None
    ) -> AsyncGenerator[Reply, None]:
        """Sends once, and again with the next token where the first was refused. Raises for a status of 400 or more."""
        credential = await self._credential()
        renewed = False
        while True:
            whole = headers_of(operation, headers or {}, credential)
            target = self._address.target(operation)
            async with self._sender.send(operation.method, target, whole, payload_of(operation)) as reply:
                check_head(reply.status, reply.headers.get("content-encoding"))
                if reply.status < 400:
                    yield reply
                    return
                error = refusal(reply.status, await read_whole(reply))
            if renewed or not (self._token and operation.repeatable and is_signed_out(error)):
                raise error
            refused, renewed = credential, True
            credential = await self._credential(refused)
            if credential == refused:
                raise error

    async def run(self, operation: Operation) -> Any:
        """The answer as JSON; None for a 204. Raises ToolwireError."""
        attempt = 0
        while True:
            try:
                async with self.open(operation) as reply:
                    return operation.read(read_json(reply.status, await read_whole(reply)))
            except ToolwireError as error:
                if not operation.repeatable or attempt >= self.retries or not is_transient(error.status):
                    raise
            await self.pause(attempt)
            attempt += 1

    async def pause(self, attempt: int) -> None:
        await asyncio.sleep(delay_of(attempt, self._backoff_s))

    async def _credential(self, refused: Optional[str] = None) -> Optional[str]:
        """One call of the callback serves all tasks that wait for it."""
        if self._token is None:
            return self._api_key
        async with self._renewal:
            held = self._held.valid(refused)
            if held is not None:
                return held
            try:
                asked = self._token()
                text = await asked if inspect.isawaitable(asked) else asked
            except Exception as error:
                raise token_failed(error) from error
            return self._held.take(text)


async def read_whole(reply: Reply) -> bytes:
    return b"".join([chunk async for chunk in reply.chunks])
