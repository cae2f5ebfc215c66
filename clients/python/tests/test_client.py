"""The client against a running server with the demo model; TOOLWIRE_URL says where it is."""

from __future__ import annotations

import io
import json
import os
import random
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from cutting_proxy import CuttingProxy
from toolwire import Client, Tool, ToolwireError, approve, deny
from toolwire import __main__ as terminal
from toolwire.__main__ import show
from toolwire.conversation import read_event
from toolwire.errors import is_transient
from toolwire.marks import mark_controls
from toolwire.sse import Frame, read_frames

URL = os.environ["TOOLWIRE_URL"]
SCHEMA = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}


def new_client(url: str = URL) -> Client:
    return Client(url, retries=40, backoff_s=0.001)


def types(events: List[Any]) -> List[str]:
    """Types in order, repetitions once, without the model's own events."""
    names = [event["type"] for event in events if event["type"] != "stream_event"]
    return [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]


def text_of(events: List[Any]) -> str:
    return "".join(event["content"] for event in events if event["type"] == "text_delta")


class Conversations(unittest.TestCase):
    def setUp(self) -> None:
        self.client = new_client()
        self.session = self.client.create_session(title="from Python")["id"]

    def test_a_message_is_answered_with_text_calls_figures_and_done(self) -> None:
        events: List[Any] = list(self.client.chat(self.session, "帮我看看当前目录下有什么文件"))
        self.assertEqual(types(events)[0], "system")
        self.assertEqual(types(events)[-2:], ["result", "done"])
        self.assertIn("README.md", text_of(events))
        written = "".join(e["partial_json"] for e in events if e["type"] == "tool_input_delta")
        used = next(e["tool"] for e in events if e["type"] == "tool_use")
        self.assertEqual(json.loads(written), used["input"])
        result = next(e for e in events if e["type"] == "tool_result")
        self.assertEqual((result["tool_use_id"], result["is_error"]), (used["id"], False))
        figures = next(e["data"] for e in events if e["type"] == "result")
        self.assertGreater(figures["usage"]["input_tokens"], 0)
        self.assertEqual(figures["num_turns"], 2)

    def test_an_approval_that_is_given_lets_the_call_run(self) -> None:
        asked: List[Any] = []

        def decide(request: Any) -> Any:
            asked.append(request)
            return approve()

        events: List[Any] = list(self.client.chat(self.session, "/ask", on_approval=decide))
        self.assertEqual(len(asked), 1)
        approval = next(e for e in events if e["type"] == "tool_approval")
        self.assertEqual((approval["approved"], approval["approval_id"]), (True, asked[0]["approval_id"]))
        self.assertFalse(next(e for e in events if e["type"] == "tool_result")["is_error"])
        self.assertEqual([e["data"]["subtype"] for e in events if e["type"] == "result"], ["paused", "success"])

    def test_a_place_that_the_log_does_not_have_is_answered_with_a_reset_and_everything_anew(self) -> None:
        list(self.client.chat(self.session, "hello"))
        whole = list(self.client.events(self.session))
        anew = list(self.client.events(self.session, after=f"{self.session}.99999.0"))
        head = self.client.export(self.session)["events"][-1]["seq"]
        self.assertEqual(anew[0], (None, {"type": "log.reset", "session_id": self.session, "head": head}))
        self.assertEqual(anew[1:], whole)

    def test_a_denial_reaches_the_model_with_its_reason(self) -> None:
        events: List[Any] = list(
            self.client.chat(self.session, "/ask", on_approval=lambda _: deny("not on a Friday"))
        )
        result = next(e for e in events if e["type"] == "tool_result")
        self.assertTrue(result["is_error"])
        self.assertIn("not on a Friday", result["content"])

    def test_a_question_can_be_answered_later_and_by_somebody_else(self) -> None:
        events: List[Any] = list(self.client.chat(self.session, "/ask"))
        self.assertEqual(types(events)[-3:], ["paused", "result", "done"])
        self.assertEqual(self.client.session(self.session)["status"], "paused")
        other = new_client()
        waiting = [item for item in other.pending() if item["session_id"] == self.session]
        self.assertEqual([item["kind"] for item in waiting], ["approval"])
        self.assertTrue(other.approve(waiting[0]["id"])["first"])
        again = other.deny(waiting[0]["id"])
        self.assertEqual((again["first"], again["decision"]), (False, "approved"))
        whole: List[Any] = list(other.follow(self.session))
        if types(whole)[-3:] == ["paused", "result", "done"]:
            self.fail("the conversation was not read beyond its pause")
        self.assertFalse(next(e for e in whole if e["type"] == "tool_result")["is_error"])

    def test_what_waits_is_listed_with_all_of_its_arguments_or_with_their_beginning(self) -> None:
        list(self.client.chat(self.session, "/big 8"))

        def listed(**query: Any) -> Any:
            return next(item for item in self.client.pending(**query) if item["session_id"] == self.session)

        whole = listed()
        self.assertGreater(len(whole["input_text"]), 4000)
        self.assertNotIn("input_cut", whole)
        self.assertEqual(listed(inputs="full"), whole)
        short = listed(inputs="short")
        self.assertTrue(short["input_cut"])
        self.assertEqual(short["input_chars"], len(whole["input_text"].encode("utf-16-le")) // 2)
        self.assertLessEqual(len(short["input_text"]), 2000)
        self.assertTrue(whole["input_text"].startswith(short["input_text"]))
        self.assertEqual(len(self.client.pending(limit=1)), 1)

    def test_a_tool_of_this_process_is_run_once_and_answered(self) -> None:
        inputs: List[Any] = []

        def handler(value: Any) -> Dict[str, Any]:
            inputs.append(value)
            return {"ok": True}

        tool = Tool("set_temperature", handler, "Sets the temperature.", SCHEMA)
        events: List[Any] = list(self.client.chat(self.session, "set the temperature to 0.8", tools=[tool]))
        self.assertEqual(inputs, [{"value": 0.8}])
        self.assertEqual(next(e for e in events if e["type"] == "tool_result")["content"], '{"ok": true}')
        self.assertEqual(types(events)[-2:], ["result", "done"])
        self.assertEqual(self.client.session(self.session)["status"], "idle")

    def test_what_a_tool_raises_becomes_an_error_output(self) -> None:
        def handler(_: Any) -> None:
            raise ValueError("too hot")

        tool = Tool("set_temperature", handler, "Sets the temperature.", SCHEMA)
        events: List[Any] = list(self.client.chat(self.session, "set the temperature to 99", tools=[tool]))
        result = next(e for e in events if e["type"] == "tool_result")
        self.assertEqual((result["is_error"], result["content"]), (True, "too hot"))

    def test_a_process_that_comes_later_takes_up_the_call_that_waits(self) -> None:
        nobody = Tool("set_temperature", lambda _: "", "Sets the temperature.", SCHEMA)
        for event in self.client.chat(self.session, "set the temperature to 21", tools=[nobody]):
            if event["type"] == "paused":
                break
        inputs: List[Any] = []
        tool = Tool("set_temperature", lambda value: inputs.append(value) or "warm", "", SCHEMA)
        events: List[Any] = list(new_client().follow(self.session, tools=[tool]))
        self.assertEqual(inputs, [{"value": 21}])
        self.assertEqual(next(e for e in events if e["type"] == "tool_result")["content"], "warm")

    def test_a_repeated_message_with_the_same_key_is_sent_once(self) -> None:
        first = list(self.client.chat(self.session, "hello", idempotency_key="same-key"))
        second = list(self.client.chat(self.session, "hello", idempotency_key="same-key"))
        self.assertEqual(second, first)
        self.assertEqual(self.client.session(self.session)["conversation_count"], 1)


class BrokenConnections(unittest.TestCase):
    def test_events_are_those_of_an_uncut_reader_wherever_the_connection_breaks(self) -> None:
        random_cuts = random.Random(7)
        for round_ in range(12):
            cuts = [random_cuts.choice([-1, 0, 40, 300, 900, 2500, 6000]) for _ in range(10)]
            # The first request makes the session.
            with CuttingProxy(URL, [100_000, *cuts]) as proxy, self.subTest(cuts=cuts):
                client = new_client(proxy.url)
                session = client.create_session()["id"]
                ran: List[Any] = []
                tool = Tool("set_temperature", lambda value: ran.append(value) or "ok", "Sets.", SCHEMA)
                message = "set the temperature to 5" if round_ % 2 else "/ask"
                seen = list(
                    client.chat(session, message, tools=[tool], on_approval=lambda _: approve())
                )
                whole = [event for _, event in new_client().events(session)]
                self.assertEqual(seen, whole)
                self.assertEqual(len(ran), round_ % 2)
                log = new_client().export(session)["events"]
                self.assertEqual(len([e for e in log if e["type"] == "input.message"]), 1)
                self.assertGreater(proxy.connections, 1)

    def test_a_session_can_be_read_on_behind_any_event(self) -> None:
        client = new_client()
        session = client.create_session()["id"]
        list(client.chat(session, "list the files"))
        whole = list(client.events(session))
        self.assertEqual(whole[-1][1]["type"], "done")
        for at in range(0, len(whole), 7):
            self.assertEqual(list(client.events(session, after=whole[at][0])), whole[at + 1 :])

    def test_an_unreachable_server_is_an_error_after_the_repetitions(self) -> None:
        with CuttingProxy(URL, [-1] * 50) as proxy:
            client = Client(proxy.url, retries=2, backoff_s=0.001)
            with self.assertRaises(ToolwireError) as caught:
                client.sessions()
            self.assertEqual((caught.exception.code, caught.exception.status), ("network", 0))
            self.assertEqual(proxy.connections, 3)


class Sessions(unittest.TestCase):
    def test_sessions_are_listed_renamed_forked_exported_and_deleted(self) -> None:
        client = new_client()
        made = client.create_session(title="python zebra")
        session = made["id"]
        list(client.chat(session, "hello"))
        self.assertEqual([one["id"] for one in client.sessions(text="python zebra")], [session])
        self.assertEqual(client.update_session(session, title="renamed")["title"], "renamed")
        self.assertNotEqual(client.fork(session)["id"], session)
        self.assertEqual([m["role"] for m in client.messages(session)], ["user", "assistant"])
        self.assertEqual(client.export(session)["session"]["id"], session)
        self.assertFalse(client.cancel(session))
        client.delete_session(session)
        client.delete_session(session)
        with self.assertRaises(ToolwireError) as caught:
            client.session(session)
        self.assertEqual((caught.exception.code, caught.exception.status), ("session_deleted", 410))

    def test_sessions_are_tagged_and_archived_and_found_by_it(self) -> None:
        client = new_client()
        session = client.create_session(title="python tagged")["id"]
        self.assertNotIn("tags", client.session(session))
        self.assertEqual(client.tag(session, "red", "blue")["tags"], ["blue", "red"])
        self.assertEqual([one["id"] for one in client.sessions(tag="red")], [session])
        self.assertEqual(client.tag(session, "green")["tags"], ["green"])
        self.assertEqual(client.sessions(tag="red"), [])
        self.assertTrue(client.archive(session)["archived"])
        self.assertEqual(client.sessions(tag="green"), [])
        self.assertEqual([one["id"] for one in client.sessions(tag="green", archived=True)], [session])
        self.assertNotIn("archived", client.restore(session))
        self.assertEqual([one["id"] for one in client.sessions(tag="green")], [session])
        self.assertNotIn("tags", client.tag(session))

    def test_a_refusal_tells_its_code_and_is_not_repeated(self) -> None:
        with CuttingProxy(URL, []) as proxy:
            with self.assertRaises(ToolwireError) as caught:
                list(new_client(proxy.url).chat("nothing-here", "hello"))
            self.assertEqual((caught.exception.code, caught.exception.status), ("session_not_found", 404))
            self.assertEqual(proxy.connections, 1)

    def test_an_address_that_is_none_is_refused_at_once(self) -> None:
        with self.assertRaises(ValueError):
            Client("localhost:8000")


class Frames(unittest.TestCase):
    def test_a_frame_that_the_end_cuts_in_two_is_left_out(self) -> None:
        stream = io.BytesIO("id: 1\ndata: 你\n\n: hb\n\ndata: a\r\ndata: b\r\n\r\nid: 3\ndata: lo".encode())
        self.assertEqual(list(read_frames(stream)), [Frame("你", "1"), Frame("a\nb")])

    def test_a_frame_without_end_is_an_error_after_what_stood_before_it(self) -> None:
        for endless in (b"data: " + b"x" * 2000, b"data: xxxxxxxx\n" * 200, b": " + b"x" * 2000):
            seen: List[Frame] = []
            with self.assertRaises(ToolwireError) as caught:
                for frame in read_frames(io.BytesIO(b"data: 1\n\n" + endless), 1000):
                    seen.append(frame)
            self.assertEqual((caught.exception.code, caught.exception.retryable), ("frame_too_large", False))
            self.assertFalse(is_transient(caught.exception.status))
            self.assertEqual(seen, [Frame("1")])

    def test_a_frame_of_the_limit_is_read_and_the_next_one_begins_anew(self) -> None:
        frame = b"data: " + b"x" * 992 + b"\n\n"
        self.assertEqual(len(list(read_frames(io.BytesIO(frame * 5), len(frame)))), 5)
        with self.assertRaises(ToolwireError):
            list(read_frames(io.BytesIO(frame), len(frame) - 1))

    def test_ids_that_no_header_can_carry_are_left_out(self) -> None:
        stream = io.BytesIO("id: 中\ndata: a\n\nid: a\x00\ndata: b\n\nid: s.1.0\ndata: c\n\n".encode())
        self.assertEqual([frame.id for frame in read_frames(stream)], [None, None, "s.1.0"])

    def test_any_bytes_are_frames_or_an_error_of_ours_and_no_more_than_came(self) -> None:
        honest = b'id: s.1.0\ndata: {"type":"text_delta","content":"a"}\n\n: hb\n\nevent: x\ndata: [1,\ndata: 2]\n\n'
        wounds = (b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\0", b"\r", b"\n\n", b"data:", b"[" * 5000, b"x" * 3000)
        chance = random.Random(int(os.environ.get("TOOLWIRE_FUZZ_SEED", "20261116")))
        for _ in range(2000):
            body = honest
            for _ in range(chance.randint(1, 4)):
                at, cut = chance.randint(0, len(body)), chance.choice((0, 0, 3, 30))
                body = body[:at] + chance.choice(wounds) + body[at + cut :]
            try:
                frames = list(read_frames(io.BytesIO(body), 4000))
            except ToolwireError as error:
                self.assertEqual(error.code, "frame_too_large")
                continue
            self.assertLessEqual(sum(len(frame.data) for frame in frames), len(body))
            for frame in frames:
                self.assertTrue(read_event(frame.data) is None or isinstance(read_event(frame.data), dict))

    def test_what_is_no_event_is_none(self) -> None:
        for data in ("", "{", "[1]", "null", "1e999", "[" * 100_000, '{"a":' * 100_000):
            self.assertIsNone(read_event(data))
        self.assertEqual(read_event('{"type":"done"}'), {"type": "done"})

    def test_the_terminal_shows_calls_with_their_output_cut_short(self) -> None:
        out = io.StringIO()
        show({"type": "tool_use", "tool": {"name": "Bash", "input": {"command": "ls"}}}, out)
        show({"type": "tool_result", "content": "x\n" * 30, "is_error": False}, out)
        show({"type": "something_new"}, out)
        self.assertIn('🔧 Bash {"command": "ls"}', out.getvalue())
        self.assertIn("... (11 more lines)", out.getvalue())


HIDDEN = "\u202e\x1b[2J\x9b\u200b\U000e0041"
MARKS = "⟨U+202E⟩⟨U+001B⟩[2J⟨U+009B⟩⟨U+200B⟩⟨U+E0041⟩"


class Marks(unittest.TestCase):
    def test_hidden_characters_are_marked_as_the_web_app_marks_them(self) -> None:
        table = Path(__file__).parents[3] / "packages/core/test/view/hidden-characters.json"
        cases = json.loads(table.read_text("utf-8"))
        self.assertGreater(len(cases), 15)
        for case in cases:
            self.assertEqual(mark_controls(case["text"]), case["shown"], case["name"])

    def test_every_event_is_printed_with_marks(self) -> None:
        tool = {"id": "c", "name": HIDDEN, "input": {"command": HIDDEN}}
        events: List[Dict[str, Any]] = [
            {"type": "text_delta", "content": f"{HIDDEN}\r"},
            {"type": "tool_use", "tool": tool},
            {"type": "tool_result", "content": HIDDEN, "is_error": True},
            {"type": "error", "code": "x", "error": f"{HIDDEN}\ud800"},
            {"type": "paused", "reason": HIDDEN},
        ]
        for event in events:
            out = io.StringIO()
            show(event, out)
            self.assertIn("⟨U+202E⟩", out.getvalue())
            self.assertEqual(mark_controls(out.getvalue()), out.getvalue())
            out.getvalue().encode("utf-8")

    def test_a_question_on_the_terminal_shows_the_whole_call_with_marks(self) -> None:
        command = "echo start\n" * 60 + f"rm -rf {HIDDEN} /"
        request: Any = {
            "message": f"May it {HIDDEN} run?",
            "tool": {"id": "c", "name": f"Bash{HIDDEN}", "input": {"command": command}},
        }
        prompts: List[str] = []

        def reply(text: str) -> str:
            prompts.append(text)
            return "y"

        with mock.patch.object(terminal.sys, "stdin") as stdin, mock.patch("builtins.input", reply):
            stdin.isatty.return_value = True
            decision = terminal._ask(request)
        self.assertTrue(decision is not None and decision.approved)
        self.assertIn(MARKS, prompts[0])
        self.assertIn("rm -rf", prompts[0])
        self.assertEqual(mark_controls(prompts[0]), prompts[0])

    def test_every_question_of_one_call_is_asked_and_answered(self) -> None:
        other = {"type": "string"}
        schema = {
            "properties": {
                "Which color?": {
                    "title": "Color",
                    "description": f"Which color?{HIDDEN}",
                    "anyOf": [{"const": "Red", "description": "Warm"}, {"const": "Blue"}, other, {"type": "null"}],
                },
                "Which sizes?": {
                    "title": "Which sizes?",
                    "anyOf": [
                        {"type": "array", "items": {"anyOf": [{"const": "S"}, {"const": "M"}, other]}},
                        {"type": "null"},
                    ],
                },
                "Anything else?": {"anyOf": [other, {"type": "null"}]},
                "odd": None,
            }
        }
        message = "\n".join(schema["properties"])
        request: Any = {"kind": "question", "message": message, "schema": schema, "tool": {}}
        prompts: List[str] = []
        replies = iter(["2", "1, XL,", "", "", ""])

        def reply(text: str) -> str:
            prompts.append(text)
            return next(replies)

        with mock.patch.object(terminal.sys, "stdin") as stdin, mock.patch("builtins.input", reply):
            stdin.isatty.return_value = True
            decision = terminal._ask(request)
        expected = {"Which color?": "Blue", "Which sizes?": ["S", "XL"], "Anything else?": None}
        self.assertEqual(decision.answer if decision else None, expected)
        self.assertEqual(len(prompts), 4)
        self.assertIn("1. Red: Warm", prompts[0])
        self.assertEqual(mark_controls(prompts[0]), prompts[0])


if __name__ == "__main__":
    unittest.main()
