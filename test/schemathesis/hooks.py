"""What Schemathesis can't know of the gateway: a model that it serves, and that one address may guess only so many keys."""

import json
import os
import zlib

import schemathesis

# A model for each path that asks for one; without it every request would end at "no such model".
SERVED = json.loads(os.environ["SCHEMATHESIS_MODELS"])


@schemathesis.hook
def before_call(context, case, kwargs):
    # Ten wrong guesses a minute are a 429, counted by address: each request comes from an address of its own.
    count = zlib.crc32(repr((case.id, case.path, case.query, case.body)).encode("utf-8", "replace"))
    case.headers["x-forwarded-for"] = f"10.{count >> 16 & 255}.{count >> 8 & 255}.{count & 255}"
    model = SERVED.get(case.operation.path)
    # What is wrong with a model stays wrong; of those that could be one, most become one that is there.
    if model is None or not isinstance(case.body, dict) or count % model["of"] >= model["served"]:
        return
    if isinstance(case.body.get("model"), str) and case.body["model"] != "":
        case.body["model"] = model["id"]
