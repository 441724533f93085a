import asyncio
import os
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

# An assistant with a tool whose result it reflects on.


async def read_note(number: int) -> str:
    """Reads a note."""
    return f"the note {number} says 4711"


model, prompt = sys.argv[1:3]
info = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
client = OpenAIChatCompletionClient(model=model, base_url=os.environ["OPENAI_BASE_URL"], model_info=info)


async def main() -> None:
    agent = AssistantAgent("reader", model_client=client, tools=[read_note], reflect_on_tool_use=True)
    result = await agent.run(task=prompt)
    print(result.messages[-1].content)


asyncio.run(main())
