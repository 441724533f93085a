import { describe, expect, it } from "@effect/vitest"
import { errorField, errorWordsIn } from "../../../src/upstreams/protocols/errorWords.ts"

const raw = (raw: unknown) => ({ error: { code: 400, message: "Provider returned error", metadata: { raw } } })
const problem = { type: "missing", loc: ["body", "messages", 0, "content"], msg: "Field required", input: {} }

/** Error bodies as providers write them, with their words and the field that they name. */
const bodies: Readonly<Record<string, readonly [unknown, string | undefined, string?]>> = {
  OpenAI: [{ error: { message: "no", type: "t", param: "input[0].role", code: null } }, "no", "input[0].role"],
  Anthropic: [{ type: "error", error: { type: "invalid_request_error", message: "no" }, request_id: "req_1" }, "no"],
  "Google, in a list": [[{ error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }], "no"],
  Google: [{ error: { code: 400, message: "no", status: "INVALID_ARGUMENT" } }, "no"],
  "FastAPI, one problem": [{ detail: [problem] }, "messages[0].content: Field required", "messages[0].content"],
  "FastAPI, two problems": [
    { detail: [problem, { loc: ["body", "top_p"], msg: "Too large" }] },
    "messages[0].content: Field required; top_p: Too large",
    "messages[0].content"
  ],
  "FastAPI, a problem of no field": [{ detail: [{ loc: ["body"], msg: "JSON decode error" }] }, "JSON decode error"],
  "FastAPI in words": [{ detail: "Method Not Allowed" }, "Method Not Allowed"],
  Mistral: [
    { object: "error", message: { detail: [{ loc: ["body", "max_tokens"], msg: "Too large" }] }, code: null },
    "max_tokens: Too large",
    "max_tokens"
  ],
  "Mistral in words": [{ object: "error", message: "no", type: "invalid_request_message_order", code: "3230" }, "no"],
  "OpenRouter, of the provider behind it": [raw(JSON.stringify({ error: { message: "no" } })), "no"],
  "OpenRouter, of a FastAPI behind it": [raw(JSON.stringify({ detail: "no" })), "no"],
  "OpenRouter, of a provider with plain text": [raw("no such tool"), "no such tool"],
  "OpenRouter, of a provider with a page": [raw("<html>oops</html>"), "Provider returned error"],
  "OpenRouter, without the provider's words": [raw(undefined), "Provider returned error"],
  xAI: [{ code: "Client specified an invalid argument", error: "no" }, "no"],
  Ollama: [{ error: "no" }, "no"],
  vLLM: [{ object: "error", message: "no", type: "BadRequestError", code: 400 }, "no"],
  Alibaba: [{ code: "InvalidParameter", message: "no", request_id: "r" }, "no"],
  Bedrock: [{ message: "no" }, "no"],
  "Bedrock, refusing access": [{ Message: "no" }, "no"],
  Cloudflare: [{ result: null, success: false, errors: [{ code: 5006, message: "no" }], messages: [] }, "no"],
  "a list of texts": [{ errors: ["no"] }, "no"],
  "a text as JSON": ["no", "no"],
  "no words": [{ error: {} }, undefined],
  "empty words": [{ error: { message: "" } }, undefined]
}

describe("the words of an error", () => {
  it.each(Object.entries(bodies))("%s", (_, [body, words, field]) => {
    expect(errorWordsIn(JSON.stringify(body))).toBe(words)
    expect(errorField(body)).toBe(field)
  })

  it.each([
    ["plain text", "Payload too large\n", "Payload too large"],
    ["a page", "<!doctype html><p>Bad gateway</p>", undefined],
    ["half an object", '{"error": ', undefined],
    ["nothing", "", undefined]
  ])("%s", (_, body, words) => {
    expect(errorWordsIn(body)).toBe(words)
  })
})
