"""Makes the video between two images, its first frame and its last.

    pip install requests
    GATEWAY_KEY=gw_… python examples/video_from_frames.py first.png last.png
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


first, last = sys.argv[1:3]
body = {
    "model": "sandbox-video",
    "content": [
        {"type": "text", "text": "The door opens"},
        image(first, "first_frame"),
        image(last, "last_frame"),
    ],
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

with open("from-frames.mp4", "wb") as file:
    file.write(requests.get(task["content"]["video_url"], timeout=60).content)
print("saved: from-frames.mp4")
