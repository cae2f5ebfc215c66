"""Requests through an `httpx.AsyncClient` of the caller, with its proxies and certificates. Needs the extra `httpx`."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any, AsyncGenerator, Mapping, Optional

from .address import SILENCE_S, Address
from .errors import ToolwireError
from .sockets import Reply


class HttpxSender:
    """The client stays the caller's: it is never closed here, and redirects are never followed."""

    def __init__(self, address: Address, client: Any) -> None:
        self._address = address
        self._client = client

    @asynccontextmanager
    async def send(
        self, method: str, target: str, headers: Mapping[str, str], payload: Optional[bytes]
    ) -> AsyncGenerator[Reply, None]:
        import httpx

        try:
            async with self._client.stream(
                method,
                self._address.origin + target,
                headers=dict(headers),
                content=payload,
                timeout=SILENCE_S,
                follow_redirects=False,
            ) as response:
                received = {name.lower(): value for name, value in response.headers.items()}
                yield Reply(response.status_code, received, response.aiter_raw())
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise ToolwireError("network", str(error) or type(error).__name__, retryable=True) from error
