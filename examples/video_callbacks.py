"""Creates a video, receives its signed callbacks (queued, running, succeeded) and downloads the clip.

    GATEWAY_ALLOW_ADDRESSES=127.0.0.0/8 bun start
    pip install requests standardwebhooks
    GATEWAY_KEY=gw_… GATEWAY_WEBHOOK_SECRET=whsec_… python examples/video_callbacks.py

A gateway calls no private address unless its operator allows it, hence the variable: this receiver listens on the
loopback.
"""

import os
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
from standardwebhooks import Webhook

gateway = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
webhook = Webhook(os.environ["GATEWAY_WEBHOOK_SECRET"])
changes = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        # Raises if the signature is not the gateway's.
        changes.put(webhook.verify(body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()

created = requests.post(
    f"{gateway}/api/v3/contents/generations/tasks",
    headers={"authorization": f"Bearer {os.environ['GATEWAY_KEY']}"},
    json={
        "model": "sandbox-video",
        "content": [{"type": "text", "text": "A lighthouse at dusk"}],
        "resolution": "480p",
        "duration": 4,
        "callback_url": f"http://127.0.0.1:{receiver.server_port}/",
    },
    timeout=60,
)
created.raise_for_status()
print(f"created: {created.json()['id']}")

while True:
    task = changes.get(timeout=120)
    print(f"callback: {task['status']}", flush=True)
    if task["status"] not in ("queued", "running"):
        break
if "content" not in task:
    sys.exit(task.get("error", {}).get("message", task["status"]))
with open("callbacks.mp4", "wb") as file:
    file.write(requests.get(task["content"]["video_url"], timeout=60).content)
print("saved: callbacks.mp4")
