"""A loop by the tool runner of Anthropic's library of PyPI, streamed: thinking, a picture and a PDF as results."""

import os
import sys

from anthropic import Anthropic, beta_tool

model, prompt = sys.argv[1:3]
client = Anthropic(base_url=os.environ["GATEWAY_URL"], api_key=os.environ["GATEWAY_KEY"], max_retries=0)


def source(media_type: str, name: str):
    return {"type": "base64", "media_type": media_type, "data": os.environ[name]}


@beta_tool
def look(what: str) -> str:
    """Looks at a thing.

    Args:
        what: The thing.
    """
    return what + ": 4711"


@beta_tool
def show_picture():
    """Shows a picture."""
    return [{"type": "image", "source": source("image/png", "PIXEL")}]


@beta_tool
def show_paper():
    """Shows a paper."""
    return [{"type": "document", "source": source("application/pdf", "PDF")}]


cached = {"cache_control": {"type": "ephemeral"}}
runner = client.beta.messages.tool_runner(
    model=model,
    max_tokens=8000,
    thinking={"type": "adaptive"},
    system=[{"type": "text", "text": "You look at things.", **cached}],
    messages=[{"role": "user", "content": [{"type": "text", "text": prompt, **cached}]}],
    tools=[look, show_picture, show_paper],
    stream=True,
)
message = runner.until_done()
print("".join(block.text for block in message.content if block.type == "text"))
