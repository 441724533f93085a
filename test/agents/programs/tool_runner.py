import sys

from anthropic import Anthropic, beta_tool

# The tool runner of the client library, with its threads as it has them by itself.


@beta_tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The city's name.
    """
    return f"18 degrees in {city}"


model, prompt = sys.argv[1:3]
runner = Anthropic(max_retries=0).beta.messages.tool_runner(
    model=model,
    max_tokens=1000,
    messages=[{"role": "user", "content": prompt}],
    tools=[get_weather],
)
message = runner.until_done()
print("".join(block.text for block in message.content if block.type == "text"))
