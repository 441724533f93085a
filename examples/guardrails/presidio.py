"""A guardrail by Microsoft's Presidio: hides e-mail addresses, cards, phone numbers, … from models.

pip install presidio-analyzer presidio-anonymizer standardwebhooks
GUARDRAIL_SECRET=whsec_… python presidio.py 8790

The patterns of Presidio need no model, and work without a network. To find names of people too, use a model of spaCy in place of the blank one.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from standardwebhooks import Webhook


class BlankEngine(SpacyNlpEngine):
    """Splits texts into words, and knows no names."""

    def load(self):
        self.nlp = {"en": spacy.blank("en")}


registry = RecognizerRegistry()
registry.load_predefined_recognizers()
registry.remove_recognizer("SpacyRecognizer")
engine = BlankEngine()
engine.load()
analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])
webhook = Webhook(os.environ["GUARDRAIL_SECRET"])
hidden = ["EMAIL_ADDRESS", "CREDIT_CARD", "PHONE_NUMBER", "IBAN_CODE", "US_SSN", "IP_ADDRESS"]


def found_in(text):
    """The entities of a text without those that another one overlaps, the surest first."""
    kept = []
    for one in sorted(analyzer.analyze(text, language="en", entities=hidden), key=lambda it: (-it.score, it.start)):
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda it: -it.start)


def verdict_on(asked):
    # A tool's result comes after the request, whose placeholders go on.
    names, texts = {words: name for name, words in asked.get("placeholders", {}).items()}, []
    is_found = False
    for text in (one["text"] for one in asked["texts"]):
        for one in found_in(text):
            words = text[one.start : one.end]
            is_found = True
            if words not in names:
                names[words] = f"<{one.entity_type}_{len(names) + 1}>"
            name = names[words]
            text = text[: one.start] + name + text[one.end :]
        texts.append(text)
    if not is_found:
        return {"verdict": "allow"}
    if asked["type"] == "guardrail.output":
        # An answer's own addresses are not the caller's: they stay hidden.
        return {"verdict": "replace", "texts": texts}
    return {"verdict": "replace", "texts": texts, "placeholders": {name: words for words, name in names.items()}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            webhook.verify(body, dict(self.headers))
            status, answer = 200, verdict_on(json.loads(body))
        except Exception as wrong:
            status, answer = 400, {"error": type(wrong).__name__}
        written = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1] if len(sys.argv) > 1 else 8790)), Handler).serve_forever()
