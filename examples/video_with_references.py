"""Makes a video of what the images show.

    pip install requests
    GATEWAY_KEY=gw_… python examples/video_with_references.py cat.png sofa.png
"""

import base64
import mimetypes
import os
import sys
import time

import requests

GATEWAY = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
HEADERS = {"authorization": f"Bearer {os.environ['GATEWAY_KEY']}"}
TASKS = f"{GATEWAY}/api/v3/contents/generations/tasks"


def image(path, role):
    """A part with the file as a data URI, so that the upstream need not fetch it."""
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    url = f"data:{mimetypes.guess_type(path)[0]};base64,{data}"
    return {"type": "image_url", "role": role, "image_url": {"url": url}}


text = {"type": "text", "text": "The cat of image 1 on the sofa of image 2"}
body = {
    "model": "sandbox-video",
    "content": [text, *(image(path, "reference_image") for path in sys.argv[1:])],
    "ratio": "16:9",
    "resolution": "480p",
    "duration": 4,
}
created = requests.post(TASKS, headers=HEADERS, json=body, timeout=60)
created.raise_for_status()
task = created.json()
print(f"created: {task['id']}")

while "content" not in task:
    time.sleep(1)
    task = requests.get(f"{TASKS}/{task['id']}", headers=HEADERS, timeout=60).json()
    print(task["status"])
    if task["status"] in ("failed", "expired", "cancelled"):
        sys.exit(task.get("error", {}).get("message", task["status"]))

with open("with-references.mp4", "wb") as file:
    file.write(requests.get(task["content"]["video_url"], timeout=60).content)
print("saved: with-references.mp4")
