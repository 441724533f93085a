import os
import sys
from typing import Annotated

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool

# An agent with a tool.


@tool
def read_note(number: Annotated[int, "the note's number"]) -> str:
    """Reads a note."""
    return f"the note {number} says 4711"


model, prompt = sys.argv[1:3]
generator = OpenAIChatGenerator(model=model, api_base_url=os.environ["OPENAI_BASE_URL"])
answer = Agent(chat_generator=generator, tools=[read_note]).run(messages=[ChatMessage.from_user(prompt)])
print(answer["messages"][-1].text)
