"""Libraries of PyPI against the sandbox, with their own defaults: sound, images, files, what is stored, text completions."""

import asyncio
import io
import os
import traceback
import warnings

import anthropic
import litellm
import openai
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from langchain_openai import OpenAI as LangChainOpenAI

warnings.filterwarnings("ignore", category=DeprecationWarning)
ROOT, KEY = os.environ["GATEWAY"], os.environ["GATEWAY_KEY"]
AT = {"base_url": f"{ROOT}/v1", "api_key": KEY, "max_retries": 0}
LITELLM = {"api_base": f"{ROOT}/v1", "api_key": KEY}
CLIENT = openai.OpenAI(**AT)
ASKED = [{"role": "user", "content": "Hi"}]


def holds(what):
    if not what:
        raise AssertionError("it does not hold")


def wav():
    spoken = CLIENT.audio.speech.create(model="sandbox-speech", input="Hello there", voice="alloy")
    return io.BytesIO(spoken.read())


def about_file(file_id):
    part = {"type": "file", "file_id": file_id}
    return [{"role": "user", "content": [part, {"type": "text", "text": "What?"}]}]


def openai_sound():
    sound = wav().read()
    for format in ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"]:
        heard = CLIENT.audio.transcriptions.create(model="sandbox-transcribe", file=("a.wav", sound), response_format=format)
        holds("bytes" in (heard if isinstance(heard, str) else heard.text))
    streamed = CLIENT.audio.transcriptions.create(model="sandbox-transcribe", file=("a.wav", sound), stream=True)
    holds([event.type for event in streamed][-1] == "transcript.text.done")
    holds(CLIENT.audio.translations.create(model="sandbox-transcribe", file=("a.wav", sound)).text)


def openai_images():
    drawn = CLIENT.images.generate(model="sandbox-image", prompt="A fox", size="256x256", n=2)
    holds(len(drawn.data) == 2 and drawn.data[0].b64_json)
    streamed = CLIENT.images.generate(model="sandbox-image", prompt="A fox", stream=True)
    holds([event.type for event in streamed] == ["image_generation.completed"])


def openai_files():
    file = CLIENT.files.create(file=("a.txt", b"Hello, file"), purpose="user_data")
    holds(CLIENT.files.content(file.id).read() == b"Hello, file")
    holds(file.id in [one.id for one in CLIENT.files.list(purpose="user_data")])
    parts = [{"type": "input_file", "file_id": file.id}, {"type": "input_text", "text": "What?"}]
    holds("Hello, file" in CLIENT.responses.create(model="sandbox-text", input=[{"role": "user", "content": parts}]).output_text)
    holds("Hello, file" in ChatOpenAI(model="sandbox-text", **AT).invoke(about_file(file.id)).content)
    holds(CLIENT.files.delete(file.id).deleted)
    long = b"x" * 300_000
    about = {"filename": "b.txt", "mime_type": "text/plain", "purpose": "user_data"}
    upload = CLIENT.uploads.upload_file_chunked(file=long, bytes=len(long), part_size=100_000, **about)
    holds(upload.status == "completed")


def openai_conversations():
    made = CLIENT.conversations.create(items=[{"type": "message", "role": "user", "content": "Blue."}])
    told = CLIENT.responses.create(model="sandbox-text", input="And?", conversation=made.id).output_text
    holds("Blue." in told and len(list(CLIENT.conversations.items.list(made.id))) == 3)


def openai_stored_completions():
    stored = CLIENT.chat.completions.create(model="sandbox-text", messages=ASKED, store=True, metadata={"run": "a"})
    listed = CLIENT.chat.completions.list(model="sandbox-text", metadata={"run": "a"}, order="desc", limit=1)
    holds([one.id for one in listed] == [stored.id])
    holds(CLIENT.chat.completions.update(stored.id, metadata={"run": "b"}).metadata == {"run": "b"})
    holds([message.content for message in CLIENT.chat.completions.messages.list(stored.id)] == ["Hi"])
    with CLIENT.chat.completions.stream(model="sandbox-text", messages=ASKED, store=True) as stream:
        streamed = stream.get_final_completion()
    told = CLIENT.chat.completions.retrieve(streamed.id).choices[0].message.content
    holds(told == streamed.choices[0].message.content)
    holds(CLIENT.chat.completions.delete(stored.id).deleted)


def openai_moderations_and_completions():
    holds(CLIENT.moderations.create(model="sandbox-moderation", input=["a", "b"]).results[1].flagged is False)
    holds(CLIENT.completions.create(model="sandbox-text", prompt="Say hi").choices[0].text)


def anthropic_files():
    client = anthropic.Anthropic(base_url=ROOT, api_key=KEY, max_retries=0)
    for files in [client.files, client.beta.files]:
        file = files.upload(file=("a.txt", b"Hello, file", "text/plain"))
        holds(file.id in [one.id for one in files.list()] and files.retrieve_metadata(file.id).filename == "a.txt")
        holds(files.download(file.id).read() == b"Hello, file")
        model = ChatAnthropic(model="sandbox-text", base_url=ROOT, api_key=KEY, betas=["files-api-2025-04-14"])
        holds("Hello, file" in model.invoke(about_file(file.id)).content)
        files.delete(file.id)


def langchain_batches():
    holds(len(ChatOpenAI(model="sandbox-text", **AT).batch(["a", "b", "c"])) == 3)
    holds("Ho" in LangChainOpenAI(model="sandbox-text", **AT).generate(["Hi", "Ho"]).generations[1][0].text)


def litellm_images_and_sound():
    for provider in ["openai", "litellm_proxy"]:
        drawn = litellm.image_generation(prompt="A fox", model=f"{provider}/sandbox-image", **LITELLM)
        holds(drawn.data[0].b64_json)
        spoken = litellm.speech(model=f"{provider}/sandbox-speech", voice="alloy", input="Hello", **LITELLM).read()
        file = ("a.wav", spoken)
        holds("bytes" in litellm.transcription(model=f"{provider}/sandbox-transcribe", file=file, **LITELLM).text)


def litellm_rerank():
    asked = {"query": "fox", "documents": ["a sea", "a fox"], "top_n": 1, "api_key": KEY}
    for provider, base in [("cohere", ROOT), ("jina_ai", ROOT), ("hosted_vllm", ROOT), ("litellm_proxy", f"{ROOT}/v1")]:
        ranked = litellm.rerank(model=f"{provider}/sandbox-rerank", api_base=base, **asked)
        holds(ranked.results[0]["index"] == 1)


def litellm_moderation_and_completions():
    holds(litellm.moderation(input="hi", model="sandbox-moderation", **LITELLM).results[0].flagged is False)
    asked = {"model": "text-completion-openai/sandbox-text", "prompt": "Say hi"}
    holds(litellm.text_completion(**asked, **LITELLM).choices[0].text)

    async def streamed():
        stream = await litellm.atext_completion(**asked, stream=True, **LITELLM)
        return "".join([chunk.choices[0].text or "" async for chunk in stream])

    holds("hi" in asyncio.run(streamed()))


CASES = [
    openai_sound,
    openai_images,
    openai_files,
    openai_conversations,
    openai_stored_completions,
    openai_moderations_and_completions,
    anthropic_files,
    langchain_batches,
    litellm_images_and_sound,
    litellm_rerank,
    litellm_moderation_and_completions,
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
