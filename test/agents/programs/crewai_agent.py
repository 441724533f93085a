import os
import sys

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

# A crew of one agent with a tool.


@tool("read_note")
def read_note(number: int) -> str:
    """Reads a note."""
    return f"the note {number} says 4711"


model, prompt = sys.argv[1:3]
llm = LLM(model=f"openai/{model}", base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
reader = Agent(role="reader", goal="read notes", backstory="You read notes.", llm=llm, tools=[read_note])
task = Task(description=prompt, expected_output="the note", agent=reader)
print(Crew(agents=[reader], tasks=[task]).kickoff().raw)
