"""The client: sessions, and conversations as streams that outlive their connections."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, cast

from . import operations as op
from .conversation import SETTLED, Message, Position, Questions, belongs, call_of, new_message, next_request
from .errors import ToolwireError, is_transient
from .events import ApprovalRequest, Event, Pending, Session
from .sse import read_frames
from .tools import Decision, Tool
from .transport import TokenCallback, Transport

OnApproval = Callable[[ApprovalRequest], Optional[Decision]]


class Client:
    """Talks to one server. Holds no connection between calls; safe to share between threads."""

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        *,
        api_key: Optional[str] = None,
        token: Optional[TokenCallback] = None,
        retries: int = 8,
        backoff_s: float = 0.5,
    ) -> None:
        """`token` returns a browser token or another one that expires; it is called again before and after that."""
        self._http = Transport(base_url, api_key, token, retries, backoff_s)

    # -- conversations ------------------------------------------------------------------------

    def chat(
        self,
        session_id: str,
        message: str,
        *,
        tools: Sequence[Tool] = (),
        on_approval: Optional[OnApproval] = None,
        idempotency_key: Optional[str] = None,
        **options: Any,
    ) -> Iterator[Event]:
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
        on_approval: Optional[OnApproval] = None,
    ) -> Iterator[Event]:
        """Yields what a session has behind the event with the id `after`, from its beginning without it.

        Ends when nothing runs and everything is read. What waits for one of `tools` is run and answered, also
        when another process made the call, and then the events go on.
        """
        return self._converse(Position(session_id, after), None, tools, on_approval)

    def events(
        self,
        session_id: str,
        *,
        wire: str = "chat",
        after: Optional[str] = None,
        follow: bool = False,
    ) -> Iterator[Tuple[Optional[str], Dict[str, Any]]]:
        """Yields `(id, event)` of a whole session, through any wire; pass an id as `after` to read on behind it.

        Ends when everything is read, unless `follow` is true.
        """
        position = Position(session_id, after)
        for event in self._read(position, None, {"wire": wire, "follow": True if follow else None}):
            yield position.last_id, event

    # -- sessions -----------------------------------------------------------------------------

    def create_session(self, **options: Any) -> Session:
        """Options: `title`, `model`, `workspace`, `permission_mode`, `effort`, `tools`."""
        return cast(Session, self._http.run(op.create_session(options)))

    def sessions(self, **query: Any) -> List[Session]:
        """Last updated first. Query: `text`, `status`, `tag`, `archived`, `cursor`, `limit`, `inputs`.

        What was archived is left out unless `archived` is true; then it is all there is.
        """
        return cast(List[Session], self._http.run(op.list_sessions(query)))

    def session(self, session_id: str) -> Session:
        return cast(Session, self._http.run(op.get_session(session_id)))

    def update_session(self, session_id: str, **changes: Any) -> Session:
        """Changes: `title`, `model`, `permission_mode`, `effort`, `tags`, `archived`."""
        return cast(Session, self._http.run(op.update_session(session_id, changes)))

    def tag(self, session_id: str, *tags: str) -> Session:
        """The session has these tags from now on, and no others; none takes them all away."""
        return self.update_session(session_id, tags=list(tags))

    def archive(self, session_id: str) -> Session:
        """Lists leave it out from now on; nothing of it is lost."""
        return self.update_session(session_id, archived=True)

    def restore(self, session_id: str) -> Session:
        """Takes it out of the archive."""
        return self.update_session(session_id, archived=False)

    def delete_session(self, session_id: str) -> None:
        """Idempotent: a session that is already deleted counts as deleted now."""
        try:
            self._http.run(op.delete_session(session_id))
        except ToolwireError as error:
            if error.status != 410:
                raise

    def fork(self, session_id: str, **options: Any) -> Session:
        """A new session with the same past; `at` says up to where. Sent once."""
        return cast(Session, self._http.run(op.fork(session_id, options)))

    def cancel(self, session_id: str, reason: Optional[str] = None) -> bool:
        """False when nothing was running. Sent once: a late repetition could stop the next run."""
        return bool(self._http.run(op.cancel(session_id, reason)))

    def messages(self, session_id: str) -> List[Dict[str, Any]]:
        return cast(List[Dict[str, Any]], self._http.run(op.messages(session_id)))

    def export(self, session_id: str) -> Dict[str, Any]:
        """The whole log with the session's data."""
        return cast(Dict[str, Any], self._http.run(op.export(session_id)))

    def tools(self) -> List[Dict[str, Any]]:
        """The server's own tools."""
        return cast(List[Dict[str, Any]], self._http.run(op.tools()))

    # -- answers: each may be given twice, the first one counts ---------------------------------

    def pending(
        self, *, limit: Optional[int] = None, inputs: Optional[Literal["full", "short"]] = None
    ) -> List[Pending]:
        """Everything that waits for a user or client, over all sessions.

        With `inputs="short"` long arguments are cut, for lists that are read often: such items have `input_cut`,
        and `input_chars` tells how long the arguments are, in UTF-16 code units.
        """
        return cast(List[Pending], self._http.run(op.pending(limit, inputs)))

    def decide(self, approval_id: str, decision: Decision) -> Dict[str, Any]:
        """The decision that applies; its `first` is false when it was answered before."""
        return cast(Dict[str, Any], self._http.run(op.decide(approval_id, decision)))

    def approve(
        self,
        approval_id: str,
        *,
        rule: Optional[str] = None,
        rule_ttl_s: Optional[int] = None,
        input: Any = None,
    ) -> Dict[str, Any]:
        """With `rule` the like is not asked about again, for `rule_ttl_s` seconds where that is given."""
        return self.decide(approval_id, Decision(True, rule=rule, rule_ttl_s=rule_ttl_s, input=input))

    def deny(self, approval_id: str, reason: Optional[str] = None) -> Dict[str, Any]:
        """The reason reaches the model."""
        return self.decide(approval_id, Decision(False, reason=reason))

    def answer(self, approval_id: str, answer: Any) -> Dict[str, Any]:
        """Answers a question, or a call instead of running it."""
        return self.decide(approval_id, Decision(True, answer=answer))

    def give_outputs(self, session_id: str, outputs: Iterable[Mapping[str, Any]]) -> Dict[str, Any]:
        """Answers client tools: `{"tool_use_id", "output", "is_error"?}` each."""
        return cast(Dict[str, Any], self._http.run(op.give_outputs(session_id, outputs)))

    # -- the stream ---------------------------------------------------------------------------

    def _converse(
        self,
        position: Position,
        message: Optional[Message],
        tools: Sequence[Tool],
        on_approval: Optional[OnApproval],
    ) -> Iterator[Event]:
        """Reads one part of the answer after the other: after each pause that could be answered comes another."""
        while True:
            questions = Questions()
            for event in self._read(position, message, {"wire": "chat"}):
                questions.note(event)
                yield cast(Event, event)
            if not self._answer_pending(position.session_id, tools, on_approval, questions):
                return
            if message:
                message.part_done = False

    def _answer_pending(
        self,
        session_id: str,
        tools: Sequence[Tool],
        on_approval: Optional[OnApproval],
        questions: Questions,
    ) -> bool:
        """True when something was answered that the session waited for. What waits is asked of the server."""
        if not tools and on_approval is None:
            return False
        answered = False
        for item in self.session(session_id)["pending"]:
            call = call_of(session_id, item, tools)
            question = questions.asked(item)
            decision = on_approval(question) if question and on_approval else None
            if call:
                self._give(session_id, call[0].run(call[1]))
                answered = True
            elif decision is not None:
                self.decide(item["id"], decision)
                answered = True
        return answered

    def _give(self, session_id: str, output: Mapping[str, Any]) -> None:
        try:
            self.give_outputs(session_id, [output])
        except ToolwireError as error:
            if error.code not in SETTLED:
                raise

    def _read(
        self, position: Position, message: Optional[Message], query: Mapping[str, Any]
    ) -> Iterator[Dict[str, Any]]:
        """Events over as many connections as it takes. Ends when the message's answer is done, or at a 204."""
        attempt = 0
        while True:
            try:
                for event in self._connection(position, message, query):
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
            self._http.pause(attempt)
            attempt += 1

    def _connection(
        self, position: Position, message: Optional[Message], query: Mapping[str, Any]
    ) -> Iterator[Dict[str, Any]]:
        operation, headers = next_request(position, message, query)
        with self._http.open(operation, headers) as response:
            position.complete = response.status == 204
            for frame in read_frames(response):
                event = position.take(frame)
                if event is not None:
                    yield event
