"""HTTP/1.1 over asyncio streams: one request per connection, no dependencies. `AsyncTransport` sends through it."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from typing import AsyncGenerator, AsyncIterator, Awaitable, Dict, Mapping, Optional, Tuple, TypeVar

from .address import SILENCE_S, Address
from .errors import ToolwireError

_T = TypeVar("_T")

# Bytes of a status line with its headers, of one line of a chunked body, and of one read.
_MAX_HEAD = 65_536
_READ = 65_536


class Reply:
    """Status, headers with names in lower case, and the body in pieces as they come."""

    def __init__(self, status: int, headers: Mapping[str, str], chunks: AsyncIterator[bytes]) -> None:
        self.status = status
        self.headers = headers
        self.chunks = chunks


class SocketSender:
    """Cancelling a task closes its connection at once."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._tls: Optional[ssl.SSLContext] = ssl.create_default_context() if address.secure else None

    @asynccontextmanager
    async def send(
        self, method: str, target: str, headers: Mapping[str, str], payload: Optional[bytes]
    ) -> AsyncGenerator[Reply, None]:
        address = self._address
        try:
            reader, writer = await self._connect()
        except OSError as error:
            raise _lost(error) from error
        wire = _Wire(reader, writer.transport)
        try:
            writer.write(_head(method, target, address.authority, headers, payload) + (payload or b""))
            await wire.alive(writer.drain())
            status, received = await _read_head(wire)
            yield Reply(status, received, _body(wire, method, status, received))
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            raise _lost(error) from error
        finally:
            writer.transport.abort()

    async def _connect(self) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Not by wait_for: before Python 3.12 it may swallow a cancellation."""
        address = self._address
        opening = asyncio.ensure_future(
            asyncio.open_connection(address.host, address.port, ssl=self._tls, limit=_MAX_HEAD)
        )
        try:
            await asyncio.wait({opening}, timeout=SILENCE_S)
        except asyncio.CancelledError:
            opening.add_done_callback(_give_up)
            opening.cancel()
            raise
        if not opening.done():
            opening.cancel()
            raise ConnectionError("no connection within 25 seconds")
        return opening.result()


def _give_up(opening: "asyncio.Future[Tuple[asyncio.StreamReader, asyncio.StreamWriter]]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[1].transport.abort()


class _Wire:
    """A connection that is aborted after 25 seconds of silence."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.WriteTransport) -> None:
        self._reader = reader
        self._transport = transport

    async def line(self) -> bytes:
        line = await self.alive(self._reader.readuntil(b"\n"))
        return line.rstrip(b"\r\n")

    async def read(self, size: int) -> bytes:
        return await self.alive(self._reader.read(size))

    async def alive(self, work: Awaitable[_T]) -> _T:
        watch = asyncio.get_running_loop().call_later(SILENCE_S, self._transport.abort)
        try:
            return await work
        finally:
            watch.cancel()


def _lost(error: BaseException) -> ToolwireError:
    return ToolwireError("network", str(error) or type(error).__name__, retryable=True)


def _head(
    method: str, target: str, authority: str, headers: Mapping[str, str], payload: Optional[bytes]
) -> bytes:
    length = {} if payload is None else {"content-length": str(len(payload))}
    whole = {"host": authority, "connection": "close", **length, **headers}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in whole.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


async def _read_head(wire: _Wire) -> Tuple[int, Mapping[str, str]]:
    """The first final status; 1xx come before it. Raises ValueError for what is no HTTP."""
    while True:
        version, _, rest = (await wire.line()).decode("latin-1").partition(" ")
        if not version.startswith("HTTP/1."):
            raise ValueError("the answer is no HTTP/1.1")
        status = int(rest[:3])
        headers: Dict[str, str] = {}
        size = 0
        while True:
            line = await wire.line()
            size += len(line)
            if size > _MAX_HEAD:
                raise ValueError("the headers are too long")
            if not line:
                break
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        if status >= 200:
            return status, headers


async def _body(
    wire: _Wire, method: str, status: int, headers: Mapping[str, str]
) -> AsyncIterator[bytes]:
    """Raises EOFError for a body that ends before its length."""
    if method == "HEAD" or status in (204, 304):
        return
    if headers.get("transfer-encoding", "").lower() == "chunked":
        async for chunk in _chunked(wire):
            yield chunk
        return
    length = headers.get("content-length")
    left = None if length is None else int(length)
    while left is None or left > 0:
        chunk = await wire.read(_READ if left is None else min(_READ, left))
        if not chunk:
            if left is not None:
                raise EOFError("the answer was cut off")
            return
        left = None if left is None else left - len(chunk)
        yield chunk


async def _chunked(wire: _Wire) -> AsyncIterator[bytes]:
    while True:
        left = int((await wire.line()).partition(b";")[0], 16)
        if left < 0:
            raise ValueError("a chunk of negative length")
        if left == 0:
            return
        while left > 0:
            chunk = await wire.read(min(_READ, left))
            if not chunk:
                raise EOFError("the answer was cut off")
            left -= len(chunk)
            yield chunk
        await wire.line()
