"""clients/bad-responses.json, through both clients; the TypeScript client reads the same table."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import socket
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional

from toolwire import Client, ToolwireError
from toolwire.aio import AsyncClient

try:
    import httpx
except ImportError:
    httpx = None  # type: ignore[assignment]

TABLE: Dict[str, Any] = json.loads((Path(__file__).parents[2] / "bad-responses.json").read_text("utf-8"))
KEY = "a-key-that-stays-here"
NOTHING = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"


class BadServer:
    """Sends each response to one connection, and nothing to all later ones."""

    def __init__(self, responses: List[List[Dict[str, Any]]], elsewhere: str = "") -> None:
        self.heads: List[str] = []
        self._responses = responses
        self._elsewhere = elsewhere
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "BadServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def cursors(self) -> List[Optional[str]]:
        found = [re.search(r"(?im)^last-event-id: (.*?)\r?$", head) for head in self.heads]
        return [match[1] if match else None for match in found]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self._answer(connection)
                except OSError:
                    pass  # The client has left, as it should.

    def _answer(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65_536)
        turn = len(self.heads)
        self.heads.append(head.decode("latin-1"))
        if turn >= len(self._responses):
            connection.sendall(NOTHING)
            return
        for part in self._responses[turn]:
            if "base64" in part:
                connection.sendall(base64.b64decode(part["base64"]))
            elif "gzip" in part:
                connection.sendall(gzip.compress(part["gzip"].encode()))
            else:
                piece = part["text"].replace("{elsewhere}", self._elsewhere).encode()
                for _ in range(max(1, part.get("times", 1) // 10_000)):
                    connection.sendall(piece * min(10_000, part.get("times", 1)))


class Outcome:
    def __init__(self) -> None:
        self.seqs: List[int] = []
        self.code: Optional[str] = None


def read(url: str) -> Outcome:
    outcome = Outcome()
    try:
        for _, event in Client(url, api_key=KEY, retries=1, backoff_s=0).events("s", wire="canonical"):
            outcome.seqs.append(event["seq"])
    except ToolwireError as error:
        outcome.code = error.code
    return outcome


async def read_async(url: str, **options: Any) -> Outcome:
    outcome = Outcome()
    client = AsyncClient(url, api_key=KEY, retries=1, backoff_s=0, **options)
    try:
        async for _, event in client.events("s", wire="canonical"):
            outcome.seqs.append(event["seq"])
    except ToolwireError as error:
        outcome.code = error.code
    return outcome


async def read_httpx(url: str) -> Outcome:
    async with httpx.AsyncClient() as client:
        return await read_async(url, httpx=client)


READERS = {
    "sync": read,
    "async": lambda url: asyncio.run(read_async(url)),
    **({"httpx": lambda url: asyncio.run(read_httpx(url))} if httpx else {}),
}


class BadResponses(unittest.TestCase):
    def test_every_row_of_the_table_has_its_outcome_in_every_client(self) -> None:
        self.assertGreater(len(TABLE["cases"]), 6)
        for case in TABLE["cases"]:
            for name, reader in READERS.items():
                expected = case.get("python", case["expect"])
                with self.subTest(case=case["name"], client=name), BadServer([]) as elsewhere:
                    with BadServer(case["responses"], elsewhere.url) as server:
                        outcome = reader(server.url)
                    self.assertEqual((outcome.seqs, outcome.code), (expected["seqs"], expected.get("code")))
                    self.assertEqual(server.cursors(), expected["cursors"])
                    self.assertNotIn("x-evil", "".join(server.heads))
                    self.assertEqual(elsewhere.heads, [])

    def test_a_key_is_in_no_repr_and_in_no_error(self) -> None:
        for make in (Client, AsyncClient):
            self.assertNotIn(KEY, repr(make("http://127.0.0.1:1", api_key=KEY)))
        for bad in ("x\r\nx-evil: 1", "schlüssel"):
            with self.assertRaises(ToolwireError) as caught:
                Client("http://127.0.0.1:1", api_key=KEY + bad, retries=0).tools()
            self.assertNotIn(KEY, f"{caught.exception!r} {caught.exception}")
            with self.assertRaises(ToolwireError) as caught:
                asyncio.run(AsyncClient("http://127.0.0.1:1", api_key=KEY + bad, retries=0).tools())
            self.assertNotIn(KEY, f"{caught.exception!r} {caught.exception}")

    def test_an_address_with_a_password_is_refused(self) -> None:
        for make in (Client, AsyncClient):
            with self.assertRaises(ValueError) as caught:
                make("http://me:secret-word@127.0.0.1:1")
            self.assertNotIn("secret-word", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
