"""The official Python clients against a gateway: `sdk_cases.py openai|anthropic <url>`.

Prints one JSON line per case. The line "open" asks the test to let a waiting model continue.
"""
import asyncio
import json
import sys
import traceback

CASES = []
CITIES = ["Paris", "Oslo"]
ASK = "say wait and call weather@Paris, weather@Oslo"
FOUND = "got sunny in Paris | sunny in Oslo"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def case(function):
    CASES.append(function)
    return function


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def ask_to_open():
    print("open", flush=True)


def openai_cases(url):
    import openai

    client = openai.OpenAI(base_url=url + "/v1", api_key="sk-test", max_retries=0)
    tools = [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}]

    def say(text):
        return {"model": "demo", "messages": [{"role": "user", "content": text}]}

    def results(calls):
        return [
            {
                "role": "tool",
                "tool_call_id": call.id,
                "content": "sunny in " + json.loads(call.function.arguments)["city"],
            }
            for call in calls
        ]

    @case
    def streams_text_and_usage():
        chunks = list(
            client.chat.completions.create(**say("say hello"), stream=True, stream_options={"include_usage": True})
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        equal(text, "hello")
        equal(chunks[-1].usage.completion_tokens, 5)
        equal([c.choices[0].finish_reason for c in chunks if c.choices][-1], "stop")

    @case
    def streams_parallel_calls_and_their_results():
        request = {**say(ASK), "tools": tools}
        with client.chat.completions.stream(**request) as stream:
            kinds = [event.type for event in stream]
            first = stream.get_final_completion().choices[0]
        assert "tool_calls.function.arguments.delta" in kinds, kinds
        equal(first.finish_reason, "tool_calls")
        calls = first.message.tool_calls
        equal([json.loads(call.function.arguments)["city"] for call in calls], CITIES)
        request["messages"] = [*request["messages"], first.message, *results(calls)]
        with client.chat.completions.stream(**request) as stream:
            equal(stream.get_final_completion().choices[0].message.content, FOUND)

    @case
    def answers_whole_with_parallel_calls():
        request = {**say(ASK), "tools": tools}
        raw = client.chat.completions.with_raw_response.create(**request)
        session = raw.headers["x-session-id"]
        first = raw.parse().choices[0]
        equal([first.message.content, first.finish_reason], ["wait", "tool_calls"])
        request["messages"] = [*request["messages"], first.message, *results(first.message.tool_calls)]
        raw = client.chat.completions.with_raw_response.create(**request)
        equal(raw.headers["x-session-id"], session)
        equal(raw.parse().choices[0].message.content, FOUND)

    @case
    def reads_an_async_stream():
        async def read():
            async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="sk-test", max_retries=0) as client:
                stream = await client.chat.completions.create(**say("say hello"), stream=True)
                return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

        equal(asyncio.run(read()), "hello")

    @case
    def reads_through_heartbeats():
        stream = client.chat.completions.create(**say("slow and steady"), stream=True)
        text = ""
        for chunk in stream:
            if text == "" and chunk.choices[0].delta.content:
                ask_to_open()
            text += chunk.choices[0].delta.content or ""
        equal(text, "half and steady")

    @case
    def raises_errors_before_the_first_byte():
        for stream in [True, False]:
            try:
                client.chat.completions.create(**say("fail model_rate_limited 429"), stream=stream)
            except openai.RateLimitError as error:
                equal(error.status_code, 429)
                equal(error.response.headers["retry-after"], "2")
            else:
                raise AssertionError("no error")

    @case
    def raises_errors_in_the_middle_of_a_stream():
        text = ""
        try:
            for chunk in client.chat.completions.create(**say("fail model_unavailable 502 late"), stream=True):
                if text == "" and chunk.choices[0].delta.content:
                    ask_to_open()
                text += chunk.choices[0].delta.content or ""
        except openai.APIError as error:
            equal([text, error.message], ["half ", "No."])
        else:
            raise AssertionError("no error")

    @case
    def streams_a_response_with_parallel_calls_and_their_results():
        functions = [{"type": "function", "name": "weather", "parameters": SCHEMA}]
        with client.responses.stream(model="demo", input=ASK, tools=functions) as stream:
            kinds = [event.type for event in stream]
            first = stream.get_final_response()
        assert "response.function_call_arguments.delta" in kinds, kinds
        calls = [item for item in first.output if item.type == "function_call"]
        equal([json.loads(call.arguments)["city"] for call in calls], CITIES)
        outputs = [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": "sunny in " + json.loads(call.arguments)["city"],
            }
            for call in calls
        ]
        answer = client.responses.create(
            model="demo", previous_response_id=first.id, input=outputs, tools=functions
        )
        equal(answer.output_text, FOUND)

    @case
    def reads_a_response_through_heartbeats():
        text = ""
        for event in client.responses.create(model="demo", input="slow and steady", stream=True):
            if event.type == "response.output_text.delta":
                if text == "":
                    ask_to_open()
                text += event.delta
        equal(text, "half and steady")

    @case
    def finds_models():
        equal(client.models.retrieve("demo").id, "demo")
        assert "demo" in [model.id for model in client.models.list()]


def anthropic_cases(url):
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="sk-test", max_retries=0)
    tools = [{"name": "weather", "input_schema": SCHEMA}]

    def say(text):
        return {"model": "demo", "max_tokens": 100, "messages": [{"role": "user", "content": text}]}

    def text_of(message):
        return "".join(block.text for block in message.content if block.type == "text")

    def answered(request, message):
        calls = [block for block in message.content if block.type == "tool_use"]
        equal([call.input["city"] for call in calls], CITIES)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": "sunny in " + call.input["city"]}
            for call in calls
        ]
        turns = [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
        return {**request, "messages": [*request["messages"], *turns]}

    @case
    def streams_text_and_usage():
        with client.messages.stream(**say("say hello")) as stream:
            equal("".join(stream.text_stream), "hello")
            equal(stream.get_final_message().usage.output_tokens, 5)

    @case
    def streams_thinking_with_its_signature():
        with client.messages.stream(**say("think and say hm")) as stream:
            block = stream.get_final_message().content[0]
        equal([block.type, block.thinking], ["thinking", "let me see"])
        assert block.signature.startswith("sig-")

    @case
    def streams_parallel_calls_and_their_results():
        request = {**say(ASK), "tools": tools}
        with client.messages.stream(**request) as stream:
            kinds = [event.type for event in stream]
            first = stream.get_final_message()
        assert "input_json" in kinds, kinds
        equal(first.stop_reason, "tool_use")
        with client.messages.stream(**answered(request, first)) as stream:
            equal(text_of(stream.get_final_message()), FOUND)

    @case
    def answers_whole_with_parallel_calls():
        request = {**say(ASK), "tools": tools}
        raw = client.messages.with_raw_response.create(**request)
        session, first = raw.headers["x-session-id"], raw.parse()
        equal([text_of(first), first.stop_reason], ["wait", "tool_use"])
        raw = client.messages.with_raw_response.create(**answered(request, first))
        equal(raw.headers["x-session-id"], session)
        equal(text_of(raw.parse()), FOUND)

    @case
    def runs_tools_by_itself():
        @anthropic.beta_tool
        def weather(city: str) -> str:
            """The weather.

            Args:
                city: where
            """
            return "sunny in " + city

        runner = client.beta.messages.tool_runner(**say(ASK), tools=[weather])
        equal(text_of(runner.until_done()), FOUND)

    @case
    def reads_an_async_stream():
        async def read():
            async with anthropic.AsyncAnthropic(base_url=url, api_key="sk-test", max_retries=0) as client:
                async with client.messages.stream(**say("say hello")) as stream:
                    return "".join([text async for text in stream.text_stream])

        equal(asyncio.run(read()), "hello")

    @case
    def reads_through_heartbeats():
        pieces = []
        with client.messages.stream(**say("slow and steady")) as stream:
            for text in stream.text_stream:
                if not pieces:
                    ask_to_open()
                pieces.append(text)
        equal("".join(pieces), "half and steady")

    @case
    def raises_errors_before_the_first_byte():
        for stream in [True, False]:
            try:
                client.messages.create(**say("fail model_rate_limited 429"), stream=stream)
            except anthropic.RateLimitError as error:
                equal(error.status_code, 429)
            else:
                raise AssertionError("no error")

    @case
    def raises_errors_in_the_middle_of_a_stream():
        pieces = []
        try:
            with client.messages.stream(**say("fail model_unavailable 502 late")) as stream:
                for text in stream.text_stream:
                    if not pieces:
                        ask_to_open()
                    pieces.append(text)
        except anthropic.APIStatusError as error:
            equal("".join(pieces), "half ")
            assert "No." in str(error), str(error)
        else:
            raise AssertionError("no error")

    @case
    def counts_tokens():
        assert client.messages.count_tokens(model="demo", messages=say("hello")["messages"]).input_tokens > 0


def main(sdk, url):
    {"openai": openai_cases, "anthropic": anthropic_cases}[sdk](url)
    for function in CASES:
        try:
            function()
            problem = None
        except Exception:
            problem = traceback.format_exc(limit=-4)
        print(json.dumps({"case": function.__name__, "problem": problem}), flush=True)


main(*sys.argv[1:])
