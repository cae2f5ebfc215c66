"""The client for asyncio against a running server with the demo model; TOOLWIRE_URL says where it is."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import os
import random
import threading
import unittest
from contextlib import aclosing
from typing import Any, AsyncIterator, List

from cutting_proxy import CuttingProxy
from toolwire import Client, Tool, ToolwireError, approve
from toolwire.aio import AsyncClient

try:
    import httpx
except ImportError:
    httpx = None  # type: ignore[assignment]

URL = os.environ["TOOLWIRE_URL"]
SCHEMA = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}


def new_client(url: str = URL, **options: Any) -> AsyncClient:
    return AsyncClient(url, retries=40, backoff_s=0.001, **options)


async def collect(events: AsyncIterator[Any]) -> List[Any]:
    return [event async for event in events]


class Conversations(unittest.IsolatedAsyncioTestCase):
    def test_it_has_every_method_of_the_other_client_with_the_same_parameters(self) -> None:
        for name, method in inspect.getmembers(Client, inspect.isfunction):
            if not name.startswith("_"):
                expected = list(inspect.signature(method).parameters)
                self.assertEqual(list(inspect.signature(getattr(AsyncClient, name)).parameters), expected, name)

    async def test_a_conversation_with_a_tool_and_an_approval_needs_no_thread(self) -> None:
        client = new_client()
        session = (await client.create_session(title="from asyncio"))["id"]
        inputs: List[Any] = []

        async def handler(value: Any) -> Any:
            await asyncio.sleep(0)
            inputs.append(value)
            return {"ok": True}

        async def decide(_: Any) -> Any:
            await asyncio.sleep(0)
            return approve()

        threads = threading.active_count()
        tool = Tool("set_temperature", handler, "Sets the temperature.", SCHEMA)
        events = await collect(client.chat(session, "set the temperature to 0.8", tools=[tool]))
        self.assertEqual(inputs, [{"value": 0.8}])
        self.assertEqual(next(e for e in events if e["type"] == "tool_result")["content"], '{"ok": true}')
        asked = await collect(client.chat(session, "/ask", on_approval=decide))
        self.assertTrue(next(e for e in asked if e["type"] == "tool_approval")["approved"])
        self.assertEqual(threading.active_count(), threads)

    async def test_what_a_tool_raises_becomes_an_error_output(self) -> None:
        client = new_client()
        session = (await client.create_session())["id"]

        async def handler(_: Any) -> None:
            raise ValueError("too hot")

        tool = Tool("set_temperature", handler, "Sets the temperature.", SCHEMA)
        events = await collect(client.chat(session, "set the temperature to 99", tools=[tool]))
        result = next(e for e in events if e["type"] == "tool_result")
        self.assertEqual((result["is_error"], result["content"]), (True, "too hot"))

    async def test_events_are_those_of_an_uncut_reader_wherever_the_connection_breaks(self) -> None:
        chance = random.Random(11)
        for round_ in range(8):
            cuts = [chance.choice([-1, 0, 40, 300, 900, 2500, 6000]) for _ in range(10)]
            with CuttingProxy(URL, [100_000, *cuts]) as proxy, self.subTest(cuts=cuts):
                client = new_client(proxy.url)
                session = (await client.create_session())["id"]
                ran: List[Any] = []
                tool = Tool("set_temperature", lambda value: ran.append(value) or "ok", "Sets.", SCHEMA)
                message = "set the temperature to 5" if round_ % 2 else "/ask"
                seen = await collect(
                    client.chat(session, message, tools=[tool], on_approval=lambda _: approve())
                )
                whole = [event for _, event in await collect(new_client().events(session))]
                self.assertEqual(seen, whole)
                self.assertEqual(len(ran), round_ % 2)
                log = (await new_client().export(session))["events"]
                self.assertEqual(len([e for e in log if e["type"] == "input.message"]), 1)

    async def test_cancelling_a_reader_closes_its_connection_and_no_run(self) -> None:
        with CuttingProxy(URL, []) as proxy:
            client = new_client(proxy.url)
            session = (await client.create_session())["id"]
            first = asyncio.Event()

            async def reading() -> None:
                async for _ in client.chat(session, "/slow 2"):
                    first.set()

            task = asyncio.create_task(reading())
            await first.wait()
            before = {one for one in asyncio.all_tasks() if one is not asyncio.current_task()}
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(before - {task}, set())
            whole = [event for _, event in await collect(new_client().events(session, follow=False))]
            self.assertEqual([e["data"]["subtype"] for e in whole if e["type"] == "result"], ["success"])

    async def test_a_reader_that_leaves_early_resumes_where_it_stopped(self) -> None:
        client = new_client()
        session = (await client.create_session())["id"]
        await collect(client.chat(session, "list the files"))
        whole = await collect(client.events(session))
        async with aclosing(client.events(session)) as events:
            last = [await anext(events) for _ in range(5)][-1][0]
        self.assertEqual(await collect(client.events(session, after=last)), whole[5:])

    async def test_sessions_are_made_found_changed_and_deleted(self) -> None:
        client = new_client()
        session = (await client.create_session(title="asyncio zebra"))["id"]
        self.assertEqual([one["id"] for one in await client.sessions(text="asyncio zebra")], [session])
        self.assertEqual((await client.tag(session, "a"))["tags"], ["a"])
        self.assertTrue((await client.archive(session))["archived"])
        self.assertNotIn("archived", await client.restore(session))
        self.assertFalse(await client.cancel(session))
        await client.delete_session(session)
        await client.delete_session(session)
        with self.assertRaises(ToolwireError) as caught:
            await client.session(session)
        self.assertEqual((caught.exception.code, caught.exception.status), ("session_deleted", 410))

    async def test_an_unreachable_server_is_an_error_after_the_repetitions(self) -> None:
        with CuttingProxy(URL, [-1] * 50) as proxy:
            client = AsyncClient(proxy.url, retries=2, backoff_s=0.001)
            with self.assertRaises(ToolwireError) as caught:
                await client.sessions()
            self.assertEqual((caught.exception.code, caught.exception.status), ("network", 0))
            self.assertEqual(proxy.connections, 3)

    @unittest.skipUnless(httpx, "needs httpx")
    async def test_a_client_of_httpx_sends_the_same_requests_and_stays_open(self) -> None:
        async with httpx.AsyncClient() as sender:
            client = new_client(httpx=sender)
            session = (await client.create_session())["id"]
            events = await collect(client.chat(session, "/ask", on_approval=lambda _: approve()))
            self.assertEqual(events, [event for _, event in await collect(new_client().events(session))])
            self.assertFalse(sender.is_closed)


def token_of(seconds: float, name: str) -> str:
    """A token whose claims give it this many seconds."""
    claims = base64.urlsafe_b64encode(json.dumps({"iat": 0, "exp": seconds, "n": name}).encode()).decode()
    return f"twt_{name}.{claims.rstrip('=')}.sign"


class TokenServer:
    """Lets one token in, and remembers what was sent."""

    def __init__(self) -> None:
        self.valid = ""
        self.seen: List[str] = []
        self.url = ""

    async def __aenter__(self) -> "TokenServer":
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        token = head.lower().split("authorization: bearer ")[1].split("\r\n")[0]
        self.seen.append(f"{head.split(' ')[0]} {token}")
        good = token == self.valid.lower()
        body = b'{"tools": [], "cancelled": false}' if good else b'{"error":{"code":"unauthorized","message":"no"}}'
        status = "200 OK" if good else "401 Unauthorized"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


class Tokens(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.asked = 0
        self.life = 3600.0

    def next_token(self) -> str:
        self.asked += 1
        return token_of(self.life, f"t{self.asked}")

    async def each(self, server: TokenServer) -> List[Any]:
        """Both clients, as functions that send a read."""
        own = AsyncClient(server.url, token=self.next_token, backoff_s=0)
        other = Client(server.url, token=self.next_token, backoff_s=0)
        return [own.tools, lambda: asyncio.to_thread(other.tools)]

    async def test_one_token_serves_many_requests_and_a_refused_one_is_renewed_once(self) -> None:
        async with TokenServer() as server:
            for send in await self.each(server):
                self.asked, server.seen = 0, []
                server.valid = token_of(self.life, "t1")
                await asyncio.gather(*(send() for _ in range(5)))
                self.assertEqual(self.asked, 1)
                server.valid = token_of(self.life, "t2")
                await asyncio.gather(*(send() for _ in range(5)))
                self.assertEqual(self.asked, 2)

    async def test_a_token_is_renewed_before_it_expires(self) -> None:
        async with TokenServer() as server:
            self.life = 0.0
            for send in await self.each(server):
                self.asked = 0
                for n in (1, 2):
                    server.valid = token_of(self.life, f"t{n}")
                    await send()
                self.assertEqual(self.asked, 2)

    async def test_a_token_that_is_refused_again_is_an_error_and_a_post_without_a_key_is_sent_once(self) -> None:
        async with TokenServer() as server:
            for send in await self.each(server):
                self.asked, server.seen = 0, []
                server.valid = "other"
                with self.assertRaises(ToolwireError) as caught:
                    await send()
                self.assertEqual((caught.exception.code, len(server.seen)), ("unauthorized", 2))
            server.seen = []
            with self.assertRaises(ToolwireError):
                await AsyncClient(server.url, token=self.next_token).cancel("s")
            self.assertEqual(len(server.seen), 1)

    async def test_a_callback_that_fails_is_said_without_its_text_and_nothing_is_sent(self) -> None:
        def fails() -> str:
            raise RuntimeError("the secret is hunter2")

        async with TokenServer() as server:
            for bad in (fails, lambda: "", lambda: None, lambda: "a\nb"):
                with self.assertRaises(ToolwireError) as caught:
                    await AsyncClient(server.url, token=bad).tools()  # type: ignore[arg-type]
                self.assertEqual(caught.exception.code, "token_failed")
                self.assertNotIn("hunter2", str(caught.exception))
            self.assertEqual(server.seen, [])


if __name__ == "__main__":
    unittest.main()
