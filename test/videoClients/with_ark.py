import time
import urllib.request

from volcenginesdkarkruntime import Ark

from fetched import *

client = Ark(base_url=f"{URL}/api/v3", api_key=KEY)
tasks = client.content_generation.tasks
task = tasks.create(model=MODEL, content=[{"type": "text", "text": PROMPT}])
while True:
    record = tasks.get(task_id=task.id)
    if record.status not in ("queued", "running"):
        break
    time.sleep(0.5)
assert record.status == "succeeded", record
assert task.id in [one.id for one in tasks.list(page_size=50).items]
fetched(urllib.request.urlopen(record.content.video_url).read())
