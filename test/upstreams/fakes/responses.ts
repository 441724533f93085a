import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { spoken, textOf } from "./scenarios.ts"

const usage: JsonObject = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 28
}

const message = (part: JsonObject): JsonObject => ({
  id: "msg_up",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [part]
})
/** The dialect has no stop sequences: the text goes on. */
const text = (scenario: Scenario, annotations: ReadonlyArray<JsonObject> = []) =>
  message({
    type: "output_text",
    text: scenario === "stop" ? spoken.text : textOf(scenario),
    annotations,
    logprobs: []
  })
const call = (n: number, city: string): JsonObject => ({
  id: `fc_${n}`,
  type: "function_call",
  status: "completed",
  call_id: `call_${n}`,
  name: "get_weather",
  arguments: `{"city":"${city}"}`
})

const reasoning = (turn: number): JsonObject => ({
  id: `rs_${turn * 10 + 1}`,
  type: "reasoning",
  summary: [{ type: "summary_text", text: spoken.thought }],
  encrypted_content: spoken.encrypted
})

const output = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  const first = turn * 10 + 1
  switch (scenario) {
    case "tools":
      return [call(first, spoken.city)]
    case "parallel-tools":
      return [call(first, spoken.city), call(first + 1, spoken.other)]
    case "reasoning":
      return [reasoning(turn), text(scenario)]
    case "reasoning-tools":
      return [reasoning(turn), call(first, spoken.city)]
    case "search":
      return [
        {
          id: "ws_1",
          type: "web_search_call",
          status: "completed",
          action: { type: "search", query: "hello", sources: [{ type: "url", url: spoken.url }] }
        },
        text(scenario, [{ type: "url_citation", start_index: 0, end_index: 5, url: spoken.url, title: spoken.title }])
      ]
    case "refusal":
      return [message({ type: "refusal", refusal: spoken.refusal })]
    default:
      return [text(scenario)]
  }
}

const response = (model: string, over: JsonObject): JsonObject => ({
  id: "resp_upstream",
  object: "response",
  created_at: 1_700_000_000,
  model,
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  store: false,
  previous_response_id: null,
  prompt_cache_retention: "in-memory",
  ...over
})

const done = (scenario: Scenario, model: string, turn = 0): JsonObject =>
  response(model, {
    status: scenario === "max-tokens" ? "incomplete" : "completed",
    incomplete_details: scenario === "max-tokens" ? { reason: "max_output_tokens" } : null,
    output: output(scenario, turn),
    usage
  })

const itemFrames = (item: JsonObject, output_index: number): ReadonlyArray<JsonObject> => {
  const at = { item_id: item["id"], output_index }
  const opened = (empty: JsonObject) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, status: "in_progress", ...empty }
  })
  const closed = { type: "response.output_item.done", output_index, item }
  switch (item["type"]) {
    case "message": {
      const part = (item["content"] as ReadonlyArray<JsonObject>)[0] as JsonObject
      const isText = part["type"] === "output_text"
      const kind = isText ? "output_text" : "refusal"
      const words = (isText ? part["text"] : part["refusal"]) as string
      const inPart = { ...at, content_index: 0 }
      return [
        opened({ content: [] }),
        { type: "response.content_part.added", ...inPart, part: { ...part, [isText ? "text" : "refusal"]: "" } },
        ...Array.from(words).map((delta) => ({ type: `response.${kind}.delta`, ...inPart, delta })),
        ...((part["annotations"] ?? []) as ReadonlyArray<JsonObject>).map((annotation, annotation_index) => ({
          type: "response.output_text.annotation.added",
          ...inPart,
          annotation_index,
          annotation
        })),
        { type: `response.${kind}.done`, ...inPart, [isText ? "text" : "refusal"]: words },
        { type: "response.content_part.done", ...inPart, part },
        closed
      ]
    }
    case "function_call": {
      const json = item["arguments"] as string
      return [
        opened({ arguments: "" }),
        ...[json.slice(0, 6), json.slice(6)].map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...at,
          delta
        })),
        { type: "response.function_call_arguments.done", ...at, arguments: json },
        closed
      ]
    }
    case "reasoning": {
      const inPart = { ...at, summary_index: 0 }
      return [
        opened({ summary: [], encrypted_content: "" }),
        { type: "response.reasoning_summary_part.added", ...inPart, part: { type: "summary_text", text: "" } },
        { type: "response.reasoning_summary_text.delta", ...inPart, delta: spoken.thought },
        { type: "response.reasoning_summary_text.done", ...inPart, text: spoken.thought },
        closed
      ]
    }
    default:
      return [
        opened({ action: { type: "search" } }),
        { type: "response.web_search_call.in_progress", ...at },
        { type: "response.web_search_call.searching", ...at },
        { type: "response.web_search_call.completed", ...at },
        closed
      ]
  }
}

const failure = { code: "server_error", message: "worker 10.0.0.3 died" }

export const responses: Dialect = {
  path: "/v1/responses",
  named: true,
  end: "",
  frames: (scenario, model, turn = 0) => {
    const begun = response(model, { status: "in_progress", output: [], usage: null })
    const ending =
      scenario === "error-after"
        ? [
            { type: "error", error: { type: "server_error", ...failure, param: null } },
            { type: "response.failed", response: response(model, { status: "failed", output: [], error: failure }) }
          ]
        : [
            {
              type: scenario === "max-tokens" ? "response.incomplete" : "response.completed",
              response: done(scenario, model, turn)
            }
          ]
    return [
      { type: "response.created", response: begun },
      { type: "response.in_progress", response: begun },
      ...output(scenario, turn).flatMap(itemFrames),
      ...ending
    ].map((frame, sequence_number) => ({ sequence_number, ...frame }))
  },
  answer: done,
  error: (_, message) => ({ error: { message, type: "invalid_request_error", param: "input", code: null } })
}
