"""What LiteLLM's calculator makes of the worked prices, run once by hand: `python litellm.py < cases.json > litellm.json`."""

import importlib.metadata
import json
import os
import sys
from decimal import ROUND_HALF_UP, Decimal

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
sys.path.pop(0)  # This file's own name.
import litellm
from litellm.llms.anthropic.chat.transformation import AnthropicConfig
from litellm.llms.vertex_ai.gemini.vertex_and_google_ai_studio_gemini import VertexGeminiConfig
from litellm.types.llms.openai import ResponsesAPIResponse
from litellm.types.utils import EmbeddingResponse, ModelResponse, Usage

providers = {"google": "gemini"}
of_a_response = {"created_at": 1, "parallel_tool_calls": True, "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1}


def cost(case):
    provider = providers.get(case["provider"], case["provider"])
    model = case["model"] if provider in ("openai", "anthropic") else f"{provider}/{case['model']}"
    answer, wire = case["answer"], case["wire"]
    common = {"model": model, "custom_llm_provider": provider}
    if wire == "embeddings":
        answer = EmbeddingResponse(model=model, usage=Usage(**answer["usage"]))
        return litellm.completion_cost(answer, call_type="aembedding", **common)
    tier = case.get("headers", {}).get("x-gemini-service-tier", answer.get("service_tier"))
    if wire == "responses":
        answer = ResponsesAPIResponse(**{**of_a_response, "model": case["model"], **answer})
        return litellm.completion_cost(answer, call_type="aresponses", service_tier=tier, **common)
    if wire == "messages":
        told = answer["usage"]
        usage = AnthropicConfig().calculate_usage(usage_object=told, reasoning_content=None, speed=told.get("speed"))
    elif wire == "gemini":
        usage = VertexGeminiConfig._calculate_usage(completion_response=answer)
    else:
        usage = Usage(**answer["usage"])
    return litellm.completion_cost(ModelResponse(model=case["model"], usage=usage), service_tier=tier, **common)


def nano_usd(usd):
    return int((Decimal(str(usd)) * 10**9).to_integral_value(ROUND_HALF_UP))


named = [case for case in json.load(sys.stdin)["cases"] if "LiteLLM" in case["how"]]
found = {case["id"]: nano_usd(cost(case)) for case in named}
json.dump({"calculator": f"litellm {importlib.metadata.version('litellm')}", "nano_usd": found}, sys.stdout, indent=2)
print()
