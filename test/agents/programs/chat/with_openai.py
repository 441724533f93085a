import json

import openai
from openai import OpenAI
from pydantic import BaseModel

from asked import *

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
completions = client.chat.completions


class Place(BaseModel):
    the_city: str


def user(text):
    return {"role": "user", "content": text}


def create(text, model=MODEL, **more):
    return completions.create(model=model, messages=[user(text)], **more)


def streamed(text, **more):
    messages = more.pop("messages", [user(text)])
    with completions.stream(
        model=MODEL, messages=messages, stream_options={"include_usage": True}, **more
    ) as stream:
        stream.until_done()
        return stream.get_final_completion()


def read(completion):
    said(completion.choices[0].message.content)
    usage = completion.usage
    cost(usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens)


def calls_of(message):
    return [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]


def results(message, content):
    return [{"role": "tool", "tool_call_id": call.id, "content": content} for call in message.tool_calls]


@scenario("create, and its usage")
def _():
    read(create(HELLO))


@scenario("stream, and its usage")
def _():
    read(streamed(HELLO))


def tools(ask):
    message = ask(messages=[user(WEATHER)]).choices[0].message
    called(calls_of(message))
    sent = message.model_dump(exclude_none=True, exclude={"parsed"})
    for call in sent["tool_calls"]:
        call["function"].pop("parsed_arguments", None)
    answered = ask(messages=[user(WEATHER), sent, *results(message, SUNNY)])
    said(answered.choices[0].message.content, "Sunny")


@scenario("tools in parallel, and their results")
def _():
    tools(lambda messages: completions.create(model=MODEL, messages=messages, tools=TOOLS))


@scenario("tools in parallel, streamed, and their results")
def _():
    tools(lambda messages: streamed("", messages=messages, tools=TOOLS))


@scenario("structured output, whole and streamed")
def _():
    parsed = completions.parse(model=MODEL, messages=[user(PLACE)], response_format=Place).choices[0].message.parsed
    expect(isinstance(parsed, Place) and (IS_SANDBOX or parsed.the_city == "Paris"), parsed)
    again = streamed(PLACE, response_format=Place).choices[0].message.parsed
    expect(again == parsed, again)


@scenario("an image")
def _():
    content = [{"type": "text", "text": PICTURE}, {"type": "image_url", "image_url": {"url": IMAGE}}]
    said(create(content).choices[0].message.content, "image")


def thinking(kept):
    """Two turns of a loop, streamed; `kept` is what of the first is sent back."""
    more = {"tools": TOOLS[:1], "reasoning_effort": "high", "max_completion_tokens": 20_000}
    message = streamed(THINK, **more).choices[0].message
    thought(message.reasoning_content)
    sent = {"role": "assistant", "content": message.content, "tool_calls": []}
    for call in message.tool_calls:
        function = {"name": call.function.name, "arguments": call.function.arguments}
        sent["tool_calls"].append({"id": call.id, "type": "function", "function": function})
    for name in kept:
        if getattr(message, name, None) is not None:
            sent[name] = getattr(message, name)
    messages = [user(THINK), sent, *results(message, SUNNY_AND_THINK)]
    answered = completions.create(model=MODEL, messages=messages, **more).choices[0].message
    said(answered.content, "Sunny")
    thought(answered.reasoning_content)


@scenario("reasoning, sent back whole")
def _():
    thinking(["reasoning_content", "reasoning_details"])


@scenario("reasoning, sent back as text")
def _():
    thinking(["reasoning_content"])


@scenario("reasoning that is not sent back")
def _():
    thinking([])


@scenario("three answers, whole and streamed")
def _():
    # The fake upstream of this dialect, which is asked for all of them at once, gives one whatever is asked for.
    count = 1 if MODEL == "behind-chat" else 3
    for completion in (create(HELLO, n=3), streamed(HELLO, n=3)):
        expect([choice.index for choice in completion.choices] == list(range(count)), completion)
        for choice in completion.choices:
            said(choice.message.content)


@scenario("embeddings, and the list of models")
def _():
    texts = ["the red house", "the red house", "a sailing boat"]
    one, same, other = (given.embedding for given in client.embeddings.create(model="sandbox-embed", input=texts).data)
    expect(len(one) == 256 and one == same and one != other, "vectors")
    expect(MODEL in [model.id for model in client.models.list()], "not listed")


@scenario("errors by their status")
def _():
    fails(400, lambda: create("Hi", model="nobody"))
    fails(401, lambda: client.with_options(api_key="gw_wrong_key_0123456789abcdef").models.list())
    fails(404, lambda: client.models.retrieve("nobody"))
    error = fails(400, lambda: create(refused(400)))
    expect(isinstance(error, openai.BadRequestError), type(error))
    expect(isinstance(fails(429, lambda: create(refused(429), model=LIMITED)), openai.RateLimitError), "of 429")
    expect(isinstance(fails(500, lambda: create(refused(500), model=FAILING)), openai.InternalServerError), "of 500")
    fails(400, lambda: create(refused(400), stream=True))


@scenario("an error in mid-stream")
def _():
    chunks = create(BROKEN, stream=True)
    breaks((chunk.choices[0].delta.content for chunk in chunks if chunk.choices), openai.APIError)


report()
