import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from pydantic import BaseModel

from asked import *

litellm.suppress_debug_info = True


class Place(BaseModel):
    the_city: str


def completion(messages, model=MODEL, **more):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    given = {"api_base": f"{URL}/v1", "api_key": KEY, "num_retries": 0, "max_retries": 0, **more}
    return litellm.completion(model=f"openai/{model}", messages=messages, **given)


def streamed(messages, **more):
    chunks = list(completion(messages, stream=True, stream_options={"include_usage": True}, **more))
    return litellm.stream_chunk_builder(chunks, messages=messages)


def read(answer):
    said(answer.choices[0].message.content)
    usage = answer.usage
    cost(usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens)


def user(text):
    return {"role": "user", "content": text}


def results(message, content):
    return [{"role": "tool", "tool_call_id": call.id, "content": content} for call in message.tool_calls]


@scenario("create, and its usage")
def _():
    read(completion(HELLO))


@scenario("stream, and its usage")
def _():
    read(streamed([user(HELLO)]))


def tools(ask):
    message = ask([user(WEATHER)], tools=TOOLS).choices[0].message
    called([(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls])
    answered = ask([user(WEATHER), message, *results(message, SUNNY)], tools=TOOLS)
    said(answered.choices[0].message.content, "Sunny")


@scenario("tools in parallel, and their results")
def _():
    tools(completion)


@scenario("tools in parallel, streamed, and their results")
def _():
    tools(streamed)


@scenario("structured output, whole and streamed")
def _():
    for ask in (completion, streamed):
        place = Place.model_validate_json(ask([user(PLACE)], response_format=Place).choices[0].message.content)
        expect(IS_SANDBOX or place.the_city == "Paris", place)


@scenario("an image")
def _():
    content = [{"type": "text", "text": PICTURE}, {"type": "image_url", "image_url": {"url": IMAGE}}]
    said(completion([user(content)]).choices[0].message.content, "image")


@scenario("reasoning, sent back as it came")
def _():
    for ask in (completion, streamed):
        more = {
            "tools": TOOLS[:1],
            "reasoning_effort": "high",
            "max_completion_tokens": 20_000,
            "allowed_openai_params": ["reasoning_effort"],
        }
        message = ask([user(THINK)], **more).choices[0].message
        thought(message.reasoning_content)
        answered = ask([user(THINK), message, *results(message, SUNNY_AND_THINK)], **more).choices[0].message
        said(answered.content, "Sunny")
        thought(answered.reasoning_content)


@scenario("embeddings")
def _():
    texts = ["the red house", "a sailing boat"]
    made = litellm.embedding(model="openai/sandbox-embed", input=texts, api_base=f"{URL}/v1", api_key=KEY)
    expect([len(given["embedding"]) for given in made.data] == [256, 256], "vectors")


@scenario("errors by their status")
def _():
    fails(400, lambda: completion("Hi", model="nobody"))
    error = fails(400, lambda: completion(refused(400)))
    expect(isinstance(error, litellm.BadRequestError), type(error))
    expect(isinstance(fails(429, lambda: completion(refused(429), model=LIMITED)), litellm.RateLimitError), "of 429")
    fails(500, lambda: completion(refused(500), model=FAILING))
    error = fails(401, lambda: completion("Hi", api_key="gw_wrong_key_0123456789abcdef"))
    expect(isinstance(error, litellm.AuthenticationError), type(error))


@scenario("an error in mid-stream")
def _():
    chunks = completion(BROKEN, stream=True)
    breaks((chunk.choices[0].delta.content for chunk in chunks if chunk.choices), Exception)


report()
