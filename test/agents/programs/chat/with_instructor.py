from collections.abc import Iterable

import instructor
import openai
from instructor import Mode
from pydantic import BaseModel

from asked import *

plain = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)


class get_weather(BaseModel):
    """The weather."""

    city: str


class get_time(BaseModel):
    """The time."""

    city: str


class Place(BaseModel):
    the_city: str


def using(mode):
    return instructor.from_openai(plain, mode=mode).chat.completions


def asking(text, model=MODEL):
    return {"model": model, "max_retries": 0, "messages": [{"role": "user", "content": text}]}


def found(place, city):
    expect(isinstance(city, str) and (IS_SANDBOX or city == "Paris"), place)


@scenario("create, and its usage")
def _():
    for mode in (Mode.TOOLS, Mode.TOOLS_STRICT):
        place, completion = using(mode).create_with_completion(response_model=get_weather, **asking(PLACE_BY_TOOL))
        found(place, place.city)
        usage = completion.usage
        cost(usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens)


@scenario("stream")
def _():
    parts = list(using(Mode.TOOLS).create_partial(response_model=get_weather, **asking(PLACE_BY_TOOL)))
    found(parts, parts[-1].city)


@scenario("tools in parallel")
def _():
    model = Iterable[get_weather | get_time]
    made = using(Mode.PARALLEL_TOOLS).create(response_model=model, **asking(PLACES_BY_TOOL))
    called([(type(one).__name__, {"city": one.city}) for one in made])


@scenario("structured output, whole and streamed")
def _():
    place = using(Mode.JSON_SCHEMA).create(response_model=Place, **asking(PLACE))
    found(place, place.the_city)
    parts = list(using(Mode.JSON_SCHEMA).create_partial(response_model=Place, **asking(PLACE)))
    found(parts, parts[-1].the_city)


@scenario("an image")
def _():
    content = ["play:json" if not IS_SANDBOX else PICTURE, instructor.Image.from_base64(IMAGE)]
    place = using(Mode.JSON_SCHEMA).create(response_model=Place, **asking(content))
    found(place, place.the_city)


@scenario("reasoning")
def _():
    place, completion = using(Mode.TOOLS).create_with_completion(
        response_model=get_weather,
        reasoning_effort="high",
        tool_choice="auto",
        max_completion_tokens=20_000,
        **asking(THINK),
    )
    found(place, place.city)
    thought(completion.choices[0].message.reasoning_content)


def status(error):
    """Of the library's own error, or that of the client which it gave up on."""
    while error is not None and not hasattr(error, "status_code"):
        error = error.__cause__ or error.__context__
    return getattr(error, "status_code", None)


@scenario("errors by their status")
def _():
    def create(text, model=MODEL):
        return using(Mode.TOOLS).create(response_model=get_weather, **asking(text, model))

    fails(400, lambda: create("Hi", "nobody"), status)
    fails(400, lambda: create(refused(400)), status)
    fails(429, lambda: create(refused(429), LIMITED), status)
    fails(500, lambda: create(refused(500), FAILING), status)
    other = instructor.from_openai(plain.with_options(api_key="gw_wrong_key_0123456789abcdef"))
    fails(401, lambda: other.chat.completions.create(response_model=get_weather, **asking("Hi")), status)


@scenario("an error in mid-stream")
def _():
    try:
        parts = list(using(Mode.MD_JSON).create_partial(response_model=Place, **asking(BROKEN)))
    except Exception as error:
        expect("upstream" in str(error) or "sandbox" in str(error), f"{type(error).__name__}: {error}")
        return
    raise AssertionError(f"ended well: {parts}")


report()
