import asyncio
import os
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

# An agent with a tool, as the library's guide has it.


def read_note(number: int) -> str:
    """Reads a note."""
    return f"the note {number} says 4711"


model, prompt = sys.argv[1:3]
llm = OpenAILike(
    model=model,
    api_base=os.environ["OPENAI_BASE_URL"],
    api_key=os.environ["OPENAI_API_KEY"],
    is_chat_model=True,
    is_function_calling_model=True,
)


async def main() -> None:
    agent = FunctionAgent(tools=[read_note], llm=llm, system_prompt="Be brief.")
    print(await agent.run(prompt))
    print(llm.complete("Hello there"))


asyncio.run(main())
