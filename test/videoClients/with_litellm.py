import os
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from fetched import *

given = {"api_base": f"{URL}/v1", "api_key": KEY}
video = litellm.video_generation(model=f"openai/{MODEL}", prompt=PROMPT, **given)
while video.status not in ("completed", "failed"):
    time.sleep(0.5)
    video = litellm.video_status(video_id=video.id, **given)
assert video.status == "completed", video
fetched(litellm.video_content(video_id=video.id, **given))
