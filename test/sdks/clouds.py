"""The providers' own libraries for Python, each against the fake of its place."""

import json
import os
import traceback

import boto3
import openai
from anthropic import AnthropicBedrock, AnthropicVertex
from botocore.config import Config
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

TEXT = os.environ["SPOKEN_TEXT"]
THOUGHT = os.environ["SPOKEN_THOUGHT"]
CITY = os.environ["SPOKEN_CITY"]
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
AWS = {"aws_access_key_id": os.environ["AWS_KEY"], "aws_secret_access_key": os.environ["AWS_SECRET"]}


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


def runtime():
    config = Config(retries={"max_attempts": 1})
    return boto3.client("bedrock-runtime", endpoint_url=os.environ["BEDROCK"], region_name="us-east-1", config=config, **AWS)


def converse(text):
    return {
        "modelId": CLAUDE,
        "messages": [{"role": "user", "content": [{"text": text}]}],
        "inferenceConfig": {"maxTokens": 4000},
        "toolConfig": {"tools": [{"toolSpec": {"name": "get_weather", "inputSchema": {"json": SCHEMA}}}]},
    }


def boto3_converse():
    answer = runtime().converse(**converse("play:tools"))
    equal(answer["stopReason"], "tool_use")
    equal(answer["output"]["message"]["content"][0]["toolUse"]["input"], {"city": CITY})
    equal(answer["usage"]["cacheReadInputTokens"], 5)


def boto3_converse_stream():
    stream = runtime().converse_stream(**converse("play:text"))["stream"]
    deltas = [event["contentBlockDelta"]["delta"]["text"] for event in stream if "contentBlockDelta" in event]
    equal("".join(deltas), TEXT)


def boto3_converse_exceptions():
    client = runtime()
    for name in ["ThrottlingException", "ValidationException", "AccessDeniedException", "ModelErrorException"]:
        try:
            client.converse(**converse(f"fails:{name}"))
        except client.exceptions.ClientError as error:
            equal(type(error).__name__, name)
        else:
            raise AssertionError(f"{name} was not raised")


def boto3_invoke_model_with_response_stream():
    body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": [{"role": "user", "content": "Hi"}]}
    stream = runtime().invoke_model_with_response_stream(modelId=CLAUDE, body=json.dumps(body))["body"]
    events = [json.loads(event["chunk"]["bytes"]) for event in stream]
    equal("".join(event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta"), TEXT)


ASKED = {"max_tokens": 4000, "messages": [{"role": "user", "content": "play:reasoning"}]}
THINKING = {"type": "enabled", "budget_tokens": 2000}


def claude(client, model):
    message = client.messages.create(model=model, thinking=THINKING, **ASKED)
    equal([message.content[0].thinking, message.content[1].text], [THOUGHT, TEXT])
    with client.messages.stream(model=model, thinking=THINKING, **ASKED) as stream:
        equal(stream.get_final_text(), TEXT)


def anthropic_bedrock():
    client = AnthropicBedrock(
        aws_access_key=AWS["aws_access_key_id"],
        aws_secret_key=AWS["aws_secret_access_key"],
        aws_region="us-east-1",
        base_url=os.environ["BEDROCK"],
        max_retries=0,
    )
    # Bedrock takes the version that this client names for models from 4.7 on.
    claude(client, "us.anthropic.claude-opus-4-7")


def anthropic_vertex():
    url = os.environ["VERTEX"] + "/v1"
    token = os.environ["VERTEX_TOKEN"]
    client = AnthropicVertex(access_token=token, project_id="house", region="global", base_url=url, max_retries=0)
    claude(client, "claude-sonnet-4-5@20250929")
    counted = client.messages.count_tokens(model="claude-sonnet-4-5@20250929", messages=ASKED["messages"])
    equal(counted.input_tokens, 9)


def gemini(client):
    model = "gemini-3.8-flash"
    answer = client.models.generate_content(model=model, contents="Hi")
    equal(answer.text, TEXT)
    equal(answer.usage_metadata.cached_content_token_count, 5)
    streamed = client.models.generate_content_stream(model=model, contents="Hi")
    equal("".join(chunk.text or "" for chunk in streamed), TEXT)
    declared = {"name": "get_weather", "description": "The weather", "parameters_json_schema": SCHEMA}
    tools = [types.Tool(function_declarations=[types.FunctionDeclaration(**declared)])]
    config = types.GenerateContentConfig(tools=tools)
    question = types.Content(role="user", parts=[types.Part(text="play:tools")])
    called = client.models.generate_content(model=model, contents=[question], config=config)
    equal(called.function_calls[0].args, {"city": CITY})
    result = types.Part.from_function_response(name="get_weather", response={"result": "18 degrees play:text"})
    result.function_response.id = called.function_calls[0].id
    turns = [question, called.candidates[0].content, types.Content(role="user", parts=[result])]
    equal(client.models.generate_content(model=model, contents=turns, config=config).text, TEXT)


def google_genai():
    options = types.HttpOptions(base_url=os.environ["GEMINI"], api_version="v1beta")
    gemini(genai.Client(api_key="google-key-0123456789", http_options=options))


def google_genai_vertex():
    options = types.HttpOptions(base_url=os.environ["GEMINI"], api_version="v1")
    credentials = Credentials("ya29.token-0123456789")
    gemini(genai.Client(vertexai=True, project="house", location="global", credentials=credentials, http_options=options))


def azure(client):
    messages = [{"role": "user", "content": "Hi"}]
    equal(client.chat.completions.create(model="house-gpt", messages=messages).choices[0].message.content, TEXT)
    chunks = client.chat.completions.create(model="house-gpt", messages=messages, stream=True)
    equal("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), TEXT)
    equal(client.responses.create(model="house-gpt", input="Hi", store=False).output_text, TEXT)
    try:
        client.chat.completions.create(model="house-gpt", messages=[{"role": "user", "content": "filter:prompt"}])
    except openai.BadRequestError as error:
        equal(error.code, "content_filter")
        equal(error.body["innererror"]["code"], "ResponsibleAIPolicyViolation")
    else:
        raise AssertionError("the filter let it pass")


def openai_azure():
    url, key = os.environ["AZURE"], os.environ["AZURE_KEY"]
    azure(openai.AzureOpenAI(azure_endpoint=url, api_key=key, api_version="2024-10-21", max_retries=0))


def openai_azure_entra():
    # Behind /openai/v1, Azure documents OpenAI's own client: AzureOpenAI of Python adds paths of deployments there.
    token, url = os.environ["ENTRA_TOKEN"], os.environ["AZURE"] + "/openai/v1"
    azure(openai.OpenAI(base_url=url, api_key=lambda: token, max_retries=0))


CASES = [
    boto3_converse,
    boto3_converse_stream,
    boto3_converse_exceptions,
    boto3_invoke_model_with_response_stream,
    anthropic_bedrock,
    anthropic_vertex,
    google_genai,
    google_genai_vertex,
    openai_azure,
    openai_azure_entra,
]

failed = 0
for case in CASES:
    try:
        case()
        print(f"ok      {case.__name__}")
    except Exception:
        failed += 1
        print(f"not ok  {case.__name__}\n{traceback.format_exc(limit=-3)}")
print(f"{len(CASES) - failed} passed, {failed} failed")
raise SystemExit(1 if failed else 0)
