"""The client: sessions, and conversations as streams that outlive their connections."""

from __future__ import annotations

import json
import uuid
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, cast
from urllib.parse import quote

from .errors import ToolwireError, is_transient
from .events import ApprovalRequest, Event, Pending, Session
from .sse import read_frames
from .tools import Decision, Tool, ToolCall
from .transport import Transport

OnApproval = Callable[[ApprovalRequest], Optional[Decision]]


class Client:
    """Talks to one server. Holds no connection between calls; safe to share between threads."""

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        *,
        api_key: Optional[str] = None,
        retries: int = 8,
        backoff_s: float = 0.5,
    ) -> None:
        self._http = Transport(base_url, api_key, retries, backoff_s)

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
        body = {"session_id": session_id, "message": message, **options}
        if tools:
            body["tools"] = [tool.spec() for tool in tools]
        request = _Request(body, idempotency_key or str(uuid.uuid4()))
        return self._converse(_Place(session_id), request, _Answers(tools, on_approval))

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
        return self._converse(_Place(session_id, after), None, _Answers(tools, on_approval))

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
        place = _Place(session_id, after)
        for frame in self._read(place, None, {"wire": wire, "follow": True if follow else None}):
            yield place.last_id, frame

    # -- sessions -----------------------------------------------------------------------------

    def create_session(self, **options: Any) -> Session:
        """Options: `title`, `model`, `workspace`, `permission_mode`, `effort`, `tools`."""
        return cast(Session, self._http.json("POST", "/api/sessions", body=options, key=str(uuid.uuid4())))

    def sessions(self, **query: Any) -> List[Session]:
        """Last updated first. Query: `text`, `status`, `tag`, `archived`, `cursor`, `limit`, `inputs`.

        What was archived is left out unless `archived` is true; then it is all there is.
        """
        return cast(List[Session], self._http.json("GET", "/api/sessions", query=query)["sessions"])

    def session(self, session_id: str) -> Session:
        return cast(Session, self._http.json("GET", _session(session_id)))

    def update_session(self, session_id: str, **changes: Any) -> Session:
        """Changes: `title`, `model`, `permission_mode`, `effort`, `tags`, `archived`."""
        return cast(Session, self._http.json("PATCH", _session(session_id), body=changes))

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
            self._http.json("DELETE", _session(session_id))
        except ToolwireError as error:
            if error.status != 410:
                raise

    def fork(self, session_id: str, **options: Any) -> Session:
        """A new session with the same past; `at` says up to where. Sent once."""
        return cast(Session, self._http.json("POST", f"{_session(session_id)}/fork", body=options))

    def cancel(self, session_id: str, reason: Optional[str] = None) -> bool:
        """False when nothing was running. Sent once: a late repetition could stop the next run."""
        body = {} if reason is None else {"reason": reason}
        return bool(self._http.json("POST", f"{_session(session_id)}/cancel", body=body)["cancelled"])

    def messages(self, session_id: str) -> List[Dict[str, Any]]:
        return cast(
            List[Dict[str, Any]], self._http.json("GET", f"{_session(session_id)}/messages")["messages"]
        )

    def export(self, session_id: str) -> Dict[str, Any]:
        """The whole log with the session's data."""
        return cast(Dict[str, Any], self._http.json("GET", f"{_session(session_id)}/export"))

    def tools(self) -> List[Dict[str, Any]]:
        """The server's own tools."""
        return cast(List[Dict[str, Any]], self._http.json("GET", "/api/tools")["tools"])

    # -- answers: each may be given twice, the first one counts ---------------------------------

    def pending(
        self, *, limit: Optional[int] = None, inputs: Optional[Literal["full", "short"]] = None
    ) -> List[Pending]:
        """Everything that waits for a user or client, over all sessions.

        With `inputs="short"` long arguments are cut, for lists that are read often: such items have `input_cut`,
        and `input_chars` tells how long the arguments are, in UTF-16 code units.
        """
        given = {"limit": limit, "inputs": inputs}
        query = {name: value for name, value in given.items() if value is not None}
        return cast(List[Pending], self._http.json("GET", "/api/pending", query=query)["pending"])

    def decide(self, approval_id: str, decision: Decision) -> Dict[str, Any]:
        """The decision that applies; its `first` is false when it was answered before."""
        path = f"/api/approvals/{quote(approval_id, safe='')}"
        return cast(
            Dict[str, Any], self._http.json("POST", path, body=decision.body(), key=str(uuid.uuid4()))
        )

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
        path = f"{_session(session_id)}/tool_outputs"
        body = {"tool_outputs": [dict(output) for output in outputs]}
        return cast(Dict[str, Any], self._http.json("POST", path, body=body, key=str(uuid.uuid4())))

    # -- the stream ---------------------------------------------------------------------------

    def _converse(
        self, place: "_Place", request: Optional["_Request"], answers: "_Answers"
    ) -> Iterator[Event]:
        """Reads one part of the answer after the other: after each pause that could be answered comes another."""
        while True:
            questions: Dict[str, ApprovalRequest] = {}
            for frame in self._read(place, request, {"wire": "chat"}):
                if frame.get("type") == "tool_approval_request":
                    questions[frame["approval_id"]] = cast(ApprovalRequest, frame)
                yield cast(Event, frame)
            if not self._answer_pending(place.session_id, answers, questions):
                return
            if request:
                request.part_done = False

    def _answer_pending(
        self, session_id: str, answers: "_Answers", questions: Mapping[str, ApprovalRequest]
    ) -> bool:
        """True when something was answered that the session waited for. What waits is asked of the server."""
        if not answers.any():
            return False
        answered = False
        for item in self.session(session_id)["pending"]:
            if item["kind"] == "client_tool":
                output = answers.output(session_id, item)
                if output is not None:
                    self._give(session_id, output)
                    answered = True
            elif item["id"] in questions:
                decision = answers.decision(questions[item["id"]])
                if decision is not None:
                    self.decide(item["id"], decision)
                    answered = True
        return answered

    def _give(self, session_id: str, output: Mapping[str, Any]) -> None:
        try:
            self.give_outputs(session_id, [output])
        except ToolwireError as error:
            # Somebody else was first, or nobody waits any more: the stream tells what came of it.
            if error.code not in ("already_answered", "expired", "unknown_call"):
                raise

    def _read(
        self, place: "_Place", request: Optional["_Request"], query: Mapping[str, Any]
    ) -> Iterator[Dict[str, Any]]:
        """Frames over as many connections as it takes. Ends when the request's answer is done, or at a 204."""
        attempt = 0
        while True:
            try:
                for frame in self._connection(place, request, query):
                    attempt = 0
                    if request and frame.get("type") == "log.reset":
                        raise ToolwireError("log_reset", "The cursor belongs to an earlier history. Read the session from the start.", status=410)
                    if request and not request.takes(frame):
                        continue
                    yield frame
                    if request and request.part_done:
                        return
                if place.complete:
                    return
                # Ended politely: whether that was all says the next answer.
                if attempt == 0:
                    attempt = 1
                    continue
            except ToolwireError as error:
                if attempt >= self._http.retries or not is_transient(error.status):
                    raise
            self._http.pause(attempt)
            attempt += 1

    def _connection(
        self, place: "_Place", request: Optional["_Request"], query: Mapping[str, Any]
    ) -> Iterator[Dict[str, Any]]:
        headers = {"accept": "text/event-stream"}
        # Sent again with its key until an event has come: the server answers with the run of the first one.
        if request and place.last_id is None:
            headers["idempotency-key"] = request.key
            opened = self._http.open("POST", "/api/chat/stream", body=request.body, headers=headers)
        else:
            if place.last_id is not None:
                headers["last-event-id"] = place.last_id
            path = f"{_session(place.session_id)}/events"
            opened = self._http.open("GET", path, query=query, headers=headers)
        with opened as response:
            place.complete = response.status == 204
            for frame in read_frames(response):
                place.last_id = frame.id or place.last_id
                event = _event(frame.data)
                if event is None:
                    continue
                if event.get("type") == "log.reset":
                    place.last_id = None
                yield event


class _Request:
    """A message that was sent, and which of the session's events are its answer."""

    def __init__(self, body: Mapping[str, Any], key: str) -> None:
        self.body = body
        self.key = key
        self._conversation: Optional[str] = None
        # The current part of the answer, up to a pause or the end, has been read.
        self.part_done = False

    def takes(self, frame: Mapping[str, Any]) -> bool:
        """Whether the frame belongs to the answer; the first one tells which conversation that is."""
        conversation = frame.get("conversation_id")
        self._conversation = self._conversation or conversation
        mine = conversation is None or conversation == self._conversation
        self.part_done = mine and frame.get("type") == "done"
        return mine


class _Answers:
    """What this process can answer by itself."""

    def __init__(self, tools: Sequence[Tool], on_approval: Optional[OnApproval]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._on_approval = on_approval

    def any(self) -> bool:
        return bool(self._tools) or self._on_approval is not None

    def output(self, session_id: str, item: Pending) -> Optional[Dict[str, Any]]:
        """Runs the call; None when its tool is not one of ours."""
        tool = self._tools.get(item["name"])
        if tool is None:
            return None
        call = ToolCall(session_id, item["call_id"], item["name"], json.loads(item["input_text"] or "{}"))
        return tool.run(call)

    def decision(self, question: ApprovalRequest) -> Optional[Decision]:
        return self._on_approval(question) if self._on_approval else None


class _Place:
    """Where reading continues."""

    def __init__(self, session_id: str, last_id: Optional[str] = None) -> None:
        self.session_id = session_id
        self.last_id = last_id
        # The server has said that nothing runs and everything is read.
        self.complete = False


def _event(data: str) -> Optional[Dict[str, Any]]:
    """The event of a frame; None for one that holds none, as a newer server may send."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _session(session_id: str) -> str:
    return f"/api/sessions/{quote(session_id, safe='')}"
