"""The client of programs with asyncio: the same methods, without threads."""

from __future__ import annotations

from contextlib import aclosing
from typing import (
    Any,
    AsyncGenerator,
    Awaitable,
    Callable,
    Dict,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
    cast,
)

from . import operations as op
from .address import Address
from .async_transport import AsyncTokenCallback, AsyncTransport, Sender
from .conversation import SETTLED, Message, Position, Questions, belongs, call_of, new_message, next_request
from .errors import ToolwireError, is_transient
from .events import ApprovalRequest, Event, Pending, Session
from .sockets import SocketSender
from .sse import FrameReader
from .tools import Decision, Tool

OnAsyncApproval = Callable[[ApprovalRequest], Union[Optional[Decision], Awaitable[Optional[Decision]]]]


class AsyncClient:
    """Talks to one server. Holds no connection between calls; belongs to one event loop.

    Cancelling a task, or leaving a loop over events by `aclose`, closes its connection and cancels no run.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        *,
        api_key: Optional[str] = None,
        token: Optional[AsyncTokenCallback] = None,
        retries: int = 8,
        backoff_s: float = 0.5,
        httpx: Any = None,
    ) -> None:
        """`token` returns a browser token or another one that expires. `httpx` is an `httpx.AsyncClient` to send with."""
        address = Address(base_url)
        sender: Sender = SocketSender(address)
        if httpx is not None:
            from .httpx_sender import HttpxSender

            sender = HttpxSender(address, httpx)
        self._http = AsyncTransport(address, sender, api_key, token, retries, backoff_s)

    # -- conversations ------------------------------------------------------------------------

    def chat(
        self,
        session_id: str,
        message: str,
        *,
        tools: Sequence[Tool] = (),
        on_approval: Optional[OnAsyncApproval] = None,
        idempotency_key: Optional[str] = None,
        **options: Any,
    ) -> AsyncGenerator[Event, None]:
        """Sends a message and yields every event of the answer, the last one being `done`.

        A lost connection is resumed behind the last event, so nothing is missed and nothing comes twice.
        Calls of `tools` are run here and answered. `on_approval` is asked about calls that need permission;
        when it returns None, or is not given, the conversation ends paused and can be answered later with
        `approve`, `deny`, `answer` and read on with `follow`. `options` are further fields of the request,
        such as `model` or `max_turns`. Raises ToolwireError when the server refuses.
        """
        request = new_message(session_id, message, tools, idempotency_key, options)
        return self._converse(Position(session_id), request, tools, on_approval)

    def follow(
        self,
        session_id: str,
        *,
        after: Optional[str] = None,
        tools: Sequence[Tool] = (),
        on_approval: Optional[OnAsyncApproval] = None,
    ) -> AsyncGenerator[Event, None]:
        """Yields what a session has behind the event with the id `after`, from its beginning without it.

        Ends when nothing runs and everything is read. What waits for one of `tools` is run and answered, also
        when another process made the call, and then the events go on.
        """
        return self._converse(Position(session_id, after), None, tools, on_approval)

    async def events(
        self,
        session_id: str,
        *,
        wire: str = "chat",
        after: Optional[str] = None,
        follow: bool = False,
    ) -> AsyncGenerator[Tuple[Optional[str], Dict[str, Any]], None]:
        """Yields `(id, event)` of a whole session, through any wire; pass an id as `after` to read on behind it.

        Ends when everything is read, unless `follow` is true.
        """
        position = Position(session_id, after)
        query = {"wire": wire, "follow": True if follow else None}
        async with aclosing(self._read(position, None, query)) as events:
            async for event in events:
                yield position.last_id, event

    # -- sessions -----------------------------------------------------------------------------

    async def create_session(self, **options: Any) -> Session:
        """Options: `title`, `model`, `workspace`, `permission_mode`, `effort`, `tools`."""
        return cast(Session, await self._http.run(op.create_session(options)))

    async def sessions(self, **query: Any) -> List[Session]:
        """Last updated first. Query: `text`, `status`, `tag`, `archived`, `cursor`, `limit`, `inputs`.

        What was archived is left out unless `archived` is true; then it is all there is.
        """
        return cast(List[Session], await self._http.run(op.list_sessions(query)))

    async def session(self, session_id: str) -> Session:
        return cast(Session, await self._http.run(op.get_session(session_id)))

    async def update_session(self, session_id: str, **changes: Any) -> Session:
        """Changes: `title`, `model`, `permission_mode`, `effort`, `tags`, `archived`."""
        return cast(Session, await self._http.run(op.update_session(session_id, changes)))

    async def tag(self, session_id: str, *tags: str) -> Session:
        """The session has these tags from now on, and no others; none takes them all away."""
        return await self.update_session(session_id, tags=list(tags))

    async def archive(self, session_id: str) -> Session:
        """Lists leave it out from now on; nothing of it is lost."""
        return await self.update_session(session_id, archived=True)

    async def restore(self, session_id: str) -> Session:
        """Takes it out of the archive."""
        return await self.update_session(session_id, archived=False)

    async def delete_session(self, session_id: str) -> None:
        """Idempotent: a session that is already deleted counts as deleted now."""
        try:
            await self._http.run(op.delete_session(session_id))
        except ToolwireError as error:
            if error.status != 410:
                raise

    async def fork(self, session_id: str, **options: Any) -> Session:
        """A new session with the same past; `at` says up to where. Sent once."""
        return cast(Session, await self._http.run(op.fork(session_id, options)))

    async def cancel(self, session_id: str, reason: Optional[str] = None) -> bool:
        """False when nothing was running. Sent once: a late repetition could stop the next run."""
        return bool(await self._http.run(op.cancel(session_id, reason)))

    async def messages(self, session_id: str) -> List[Dict[str, Any]]:
        return cast(List[Dict[str, Any]], await self._http.run(op.messages(session_id)))

    async def export(self, session_id: str) -> Dict[str, Any]:
        """The whole log with the session's data."""
        return cast(Dict[str, Any], await self._http.run(op.export(session_id)))

    async def tools(self) -> List[Dict[str, Any]]:
        """The server's own tools."""
        return cast(List[Dict[str, Any]], await self._http.run(op.tools()))

    # -- answers: each may be given twice, the first one counts ---------------------------------

    async def pending(
        self, *, limit: Optional[int] = None, inputs: Optional[Literal["full", "short"]] = None
    ) -> List[Pending]:
        """Everything that waits for a user or client, over all sessions.

        With `inputs="short"` long arguments are cut, for lists that are read often: such items have `input_cut`,
        and `input_chars` tells how long the arguments are, in UTF-16 code units.
        """
        return cast(List[Pending], await self._http.run(op.pending(limit, inputs)))

    async def decide(self, approval_id: str, decision: Decision) -> Dict[str, Any]:
        """The decision that applies; its `first` is false when it was answered before."""
        return cast(Dict[str, Any], await self._http.run(op.decide(approval_id, decision)))

    async def approve(
        self,
        approval_id: str,
        *,
        rule: Optional[str] = None,
        rule_ttl_s: Optional[int] = None,
        input: Any = None,
    ) -> Dict[str, Any]:
        """With `rule` the like is not asked about again, for `rule_ttl_s` seconds where that is given."""
        return await self.decide(approval_id, Decision(True, rule=rule, rule_ttl_s=rule_ttl_s, input=input))

    async def deny(self, approval_id: str, reason: Optional[str] = None) -> Dict[str, Any]:
        """The reason reaches the model."""
        return await self.decide(approval_id, Decision(False, reason=reason))

    async def answer(self, approval_id: str, answer: Any) -> Dict[str, Any]:
        """Answers a question, or a call instead of running it."""
        return await self.decide(approval_id, Decision(True, answer=answer))

    async def give_outputs(self, session_id: str, outputs: Iterable[Mapping[str, Any]]) -> Dict[str, Any]:
        """Answers client tools: `{"tool_use_id", "output", "is_error"?}` each."""
        return cast(Dict[str, Any], await self._http.run(op.give_outputs(session_id, outputs)))

    # -- the stream ---------------------------------------------------------------------------

    async def _converse(
        self,
        position: Position,
        message: Optional[Message],
        tools: Sequence[Tool],
        on_approval: Optional[OnAsyncApproval],
    ) -> AsyncGenerator[Event, None]:
        """Reads one part of the answer after the other: after each pause that could be answered comes another."""
        while True:
            questions = Questions()
            async with aclosing(self._read(position, message, {"wire": "chat"})) as events:
                async for event in events:
                    questions.note(event)
                    yield cast(Event, event)
            if not await self._answer_pending(position.session_id, tools, on_approval, questions):
                return
            if message:
                message.part_done = False

    async def _answer_pending(
        self,
        session_id: str,
        tools: Sequence[Tool],
        on_approval: Optional[OnAsyncApproval],
        questions: Questions,
    ) -> bool:
        """True when something was answered that the session waited for. What waits is asked of the server."""
        if not tools and on_approval is None:
            return False
        answered = False
        for item in (await self.session(session_id))["pending"]:
            call = call_of(session_id, item, tools)
            question = questions.asked(item)
            decision = await _decided(on_approval, question)
            if call:
                await self._give(session_id, await call[0].run_async(call[1]))
                answered = True
            elif decision is not None:
                await self.decide(item["id"], decision)
                answered = True
        return answered

    async def _give(self, session_id: str, output: Mapping[str, Any]) -> None:
        try:
            await self.give_outputs(session_id, [output])
        except ToolwireError as error:
            if error.code not in SETTLED:
                raise

    async def _read(
        self, position: Position, message: Optional[Message], query: Mapping[str, Any]
    ) -> AsyncGenerator[Dict[str, Any], None]:
        """Events over as many connections as it takes. Ends when the message's answer is done, or at a 204."""
        attempt = 0
        while True:
            try:
                async with aclosing(self._connection(position, message, query)) as events:
                    async for event in events:
                        attempt = 0
                        if belongs(event, message):
                            yield event
                        if message and message.part_done:
                            return
                if position.complete:
                    return
                # It ended by itself: whether that was all says the next response.
                if attempt == 0:
                    attempt = 1
                    continue
            except ToolwireError as error:
                if attempt >= self._http.retries or not is_transient(error.status):
                    raise
            await self._http.pause(attempt)
            attempt += 1

    async def _connection(
        self, position: Position, message: Optional[Message], query: Mapping[str, Any]
    ) -> AsyncGenerator[Dict[str, Any], None]:
        operation, headers = next_request(position, message, query)
        reader = FrameReader()
        async with self._http.open(operation, headers) as reply:
            position.complete = reply.status == 204
            async for chunk in reply.chunks:
                for frame in reader.feed(chunk):
                    event = position.take(frame)
                    if event is not None:
                        yield event


async def _decided(
    on_approval: Optional[OnAsyncApproval], question: Optional[ApprovalRequest]
) -> Optional[Decision]:
    if on_approval is None or question is None:
        return None
    decision = on_approval(question)
    if decision is None or isinstance(decision, Decision):
        return decision
    return await decision
