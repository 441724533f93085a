"""Makes a video from text with OpenAI's client, and downloads it.

    pip install openai
    GATEWAY_KEY=gw_… python examples/video_from_text.py
"""

import os
import sys
import time

from openai import OpenAI

gateway = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(api_key=os.environ["GATEWAY_KEY"], base_url=f"{gateway}/v1")

video = client.videos.create(model="sandbox-video", prompt="A lighthouse at dusk", seconds="4", size="1280x720")
print(f"created: {video.id}")

while video.status in ("queued", "in_progress"):
    time.sleep(1)
    video = client.videos.retrieve(video.id)
    print(f"{video.status} {video.progress} %")

if video.status == "failed":
    sys.exit(video.error.message)
client.videos.download_content(video.id).write_to_file("from-text.mp4")
print("saved: from-text.mp4")
