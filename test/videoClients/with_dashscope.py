import urllib.request

import dashscope
from dashscope import VideoSynthesis

from fetched import *

dashscope.base_http_api_url = URL
answer = VideoSynthesis.call(api_key=KEY, model=MODEL, prompt=PROMPT, resolution="720P", duration=5)
assert answer.status_code == 200 and answer.output.task_status == "SUCCEEDED", answer
fetched(urllib.request.urlopen(answer.output.video_url).read())
