import base64

from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ThinkingPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.providers.openai import OpenAIProvider

from asked import *


def model(name=MODEL, key=KEY):
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=key, max_retries=0)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


class Place(BaseModel):
    the_city: str


def read(result):
    usage = result.usage if not callable(result.usage) else result.usage()
    cost(usage.input_tokens, usage.cache_read_tokens, usage.output_tokens)


def streamed(agent, prompt):
    """Its words, piece by piece, and the result."""
    result = agent.run_stream_sync(prompt)
    return "".join(result.stream_text(delta=True, debounce_by=None)), result


@scenario("create, and its usage")
def _():
    result = Agent(model()).run_sync(HELLO)
    said(result.output)
    read(result)


@scenario("stream, and its usage")
def _():
    text, result = streamed(Agent(model()), HELLO)
    said(text)
    read(result)


def weather_agent(asked, settings=None):
    agent = Agent(model(), model_settings=settings)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """The weather."""
        asked.append(("get_weather", {"city": city}))
        return SUNNY if settings is None else SUNNY_AND_THINK

    if settings is None:

        @agent.tool_plain
        def get_time(city: str) -> str:
            """The time."""
            asked.append(("get_time", {"city": city}))
            return SUNNY

    return agent


@scenario("tools in parallel, and their results")
def _():
    asked = []
    said(weather_agent(asked).run_sync(WEATHER).output, "Sunny")
    called(sorted(asked, key=lambda call: (call[0] != "get_weather", call[1]["city"])))


@scenario("tools in parallel, streamed, and their results")
def _():
    asked = []
    text, _ = streamed(weather_agent(asked), WEATHER)
    said(text, "Sunny")
    called(sorted(asked, key=lambda call: (call[0] != "get_weather", call[1]["city"])))


@scenario("structured output, whole and streamed")
def _():
    agent = Agent(model(), output_type=NativeOutput(Place))
    place = agent.run_sync(PLACE).output
    expect(IS_SANDBOX or place.the_city == "Paris", place)
    result = agent.run_stream_sync(PLACE)
    expect(list(result.stream_output(debounce_by=None))[-1] == place, "streamed")


@scenario("an image")
def _():
    image = BinaryContent(data=base64.b64decode(PIXEL), media_type="image/png")
    said(Agent(model()).run_sync([PICTURE, image]).output, "image")


@scenario("reasoning, sent back as it does")
def _():
    settings = OpenAIChatModelSettings(openai_reasoning_effort="high", max_tokens=20_000)
    for run in (lambda agent: agent.run_sync(THINK), lambda agent: streamed(agent, THINK)[1]):
        asked = []
        result = run(weather_agent(asked, settings))
        expect(len(asked) == 1, asked)
        parts = [part for message in result.all_messages() for part in message.parts]
        thoughts = [part.content for part in parts if isinstance(part, ThinkingPart)]
        expect(len(thoughts) == 2, thoughts)
        for text in thoughts:
            thought(text)


@scenario("errors by their status")
def _():
    def run(prompt, name=MODEL, key=KEY):
        return Agent(model(name, key)).run_sync(prompt)

    fails(400, lambda: run("Hi", "nobody"))
    fails(401, lambda: run("Hi", key="gw_wrong_key_0123456789abcdef"))
    fails(400, lambda: run(refused(400)))
    fails(429, lambda: run(refused(429), LIMITED))
    fails(500, lambda: run(refused(500), FAILING))


@scenario("an error in mid-stream")
def _():
    result = Agent(model()).run_stream_sync(BROKEN)
    breaks(result.stream_text(delta=True, debounce_by=None), ModelAPIError)


report()
