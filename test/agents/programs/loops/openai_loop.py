"""A loop by OpenAI's library of PyPI, by chat completions or by responses; whole, with a picture and a PDF."""

import json
import os
import sys

from openai import OpenAI

model, prompt, way = sys.argv[1:4]
client = OpenAI(base_url=os.environ["GATEWAY_URL"] + "/v1", api_key=os.environ["GATEWAY_KEY"], max_retries=0)
look = {
    "name": "look",
    "description": "Looks at a thing",
    "parameters": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
}
picture = "data:image/png;base64," + os.environ["PIXEL"]
paper = {"filename": "paper.pdf", "file_data": "data:application/pdf;base64," + os.environ["PDF"]}
reads = os.environ["READS_IMAGES"] != ""


def result(arguments: str) -> str:
    return json.loads(arguments)["what"] + ": 4711"


def by_chat() -> str:
    shown = [{"type": "text", "text": prompt}]
    if reads:
        shown += [{"type": "image_url", "image_url": {"url": picture}}, {"type": "file", "file": paper}]
    messages = [{"role": "system", "content": "You look at things."}, {"role": "user", "content": shown}]
    while True:
        answer = client.chat.completions.create(
            model=model, messages=messages, tools=[{"type": "function", "function": look}]
        )
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            content = result(call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def by_responses() -> str:
    shown = [{"type": "input_text", "text": prompt}]
    if reads:
        shown += [{"type": "input_image", "image_url": picture}, {"type": "input_file", **paper}]
    sent = [{"role": "user", "content": shown}]
    before = None
    while True:
        answer = client.responses.create(
            model=model, input=sent, previous_response_id=before, tools=[{"type": "function", **look, "strict": False}]
        )
        before = answer.id
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return answer.output_text
        sent = [
            {"type": "function_call_output", "call_id": call.call_id, "output": result(call.arguments)}
            for call in calls
        ]


print(by_responses() if way == "responses" else by_chat())
