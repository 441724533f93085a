"""What each library is asked, of the sandbox or of a model whose upstream plays what it is told, and how it went."""

import json
import os
import sys
import warnings

warnings.simplefilter("ignore")

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
PIXEL = os.environ["PIXEL"]
MODEL, LIMITED, FAILING = sys.argv[1:4]
IS_SANDBOX = MODEL == "sandbox-text"
IMAGE = f"data:image/png;base64,{PIXEL}"


def ask(played, sandbox):
    """What a fake upstream plays, or what makes the sandbox do the like."""
    return sandbox if IS_SANDBOX else f"play:{played}"


HELLO = ask("text", "Hello!")
WEATHER = ask("parallel-tools", "The weather and the time in Paris?")
PLACE = ask("json", "Where is the tower?")
PLACE_BY_TOOL = ask("tools", "Where is the tower?")
PLACES_BY_TOOL = ask("parallel-tools", "Which weather is it in Paris, and which time?")
PICTURE = ask("text", "What is this?")
THINK = ask("reasoning-tools", "The weather in Paris?")
BROKEN = ask("error-after", "[[sandbox: tokens=100 cut=20]] Hi")
# Of a tool; what the model does after it.
SUNNY = ask("text", "Sunny")
SUNNY_AND_THINK = ask("reasoning", "Sunny")


def refused(status):
    return ask(f"error-before status:{status}", f"[[sandbox: error={status}]] Hi")


def weather_tool(name="get_weather"):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "The weather, or the time",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }


TOOLS = [weather_tool(), weather_tool("get_time")]
THOUGHT = "The user greets me."


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def said(text, sandbox="Hello!"):
    """The model's words, whole and in their order."""
    expect(sandbox in text if IS_SANDBOX else text == "Hello, wörld 🦊!", f"said {text!r}")


def cost(prompt, cached, completion):
    """What was used, as it was told."""
    holds = prompt > 0 and completion > 0 if IS_SANDBOX else (prompt, cached, completion) == (20, 5, 8)
    expect(holds, f"used {prompt}, {cached}, {completion}")


def called(calls):
    """Pairs of names and arguments."""
    if IS_SANDBOX:
        expect([name for name, _ in calls] == ["get_weather", "get_time"], f"called {calls}")
        expect(all(isinstance(arguments["city"], str) for _, arguments in calls), f"called {calls}")
    else:
        expect(calls == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})], f"called {calls}")


def thought(text):
    expect(len(text) > 0 if IS_SANDBOX else text == THOUGHT, f"thought {text!r}")


def fails(status, call, read=lambda error: error.status_code):
    """A call that is answered with an HTTP error, which its library tells by its status."""
    try:
        answer = call()
    except Exception as error:
        expect(read(error) == status, f"expected {status}; got {read(error)} of {type(error).__name__}: {error}")
        return error
    raise AssertionError(f"expected {status}; got {answer!r}")


def breaks(pieces, kind):
    """A stream that says something, and then fails."""
    heard = ""
    try:
        for piece in pieces:
            heard += piece or ""
    except kind as error:
        expect(heard != "", f"said nothing before {error}")
        return
    raise AssertionError(f"ended well: {heard!r}")


scenarios = []


def scenario(name):
    def keep(run):
        scenarios.append((name, run))
        return run

    return keep


def report():
    """A line for each scenario: its name, and what is wrong."""
    for name, run in scenarios:
        wrong = None
        try:
            run()
        except BaseException as error:
            wrong = f"{type(error).__name__}: {error}"[:600]
        # Libraries print to the same stream.
        print(f"\n[[{json.dumps({'name': name, 'wrong': wrong})}]]", flush=True)
