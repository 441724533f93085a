import hashlib
import os

URL, KEY, MODEL, PROMPT = (os.environ[name] for name in ("URL", "KEY", "MODEL", "PROMPT"))


def fetched(data):
    print(hashlib.sha256(data).hexdigest())
