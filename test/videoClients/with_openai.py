from openai import OpenAI

from fetched import *

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY)
video = client.videos.create_and_poll(model=MODEL, prompt=PROMPT)
assert video.status == "completed", video
fetched(client.videos.download_content(video.id).read())
