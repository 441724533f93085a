import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { spoken, textOf } from "./scenarios.ts"

const input = {
  input_tokens: 15,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 5,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }
}
const usage = (scenario: Scenario): JsonObject => ({
  ...input,
  output_tokens: 8,
  service_tier: "standard",
  ...(scenario === "search" ? { server_tool_use: { web_search_requests: 1 } } : {})
})

const tool = (id: string, city: string): JsonObject => ({ type: "tool_use", id, name: "get_weather", input: { city } })

/** The content of the whole message; a stream says the same in pieces. */
const content = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  const text = { type: "text", text: textOf(scenario) }
  const thinking = { type: "thinking", thinking: spoken.thought, signature: spoken.signature }
  const id = (n: number) => `toolu_${turn * 10 + n}`
  switch (scenario) {
    case "tools":
      return [tool(id(1), spoken.city)]
    case "parallel-tools":
      return [tool(id(1), spoken.city), tool(id(2), spoken.other)]
    case "reasoning":
      return [thinking, text]
    case "reasoning-tools":
      return [thinking, tool(id(1), spoken.city)]
    case "search":
      return [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "hello" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [
            {
              type: "web_search_result",
              url: spoken.url,
              title: spoken.title,
              encrypted_content: "Eo8BFake",
              page_age: null
            }
          ]
        },
        {
          ...text,
          citations: [
            {
              type: "web_search_result_location",
              url: spoken.url,
              title: spoken.title,
              encrypted_index: "Eo8BIndex",
              cited_text: "Hello there"
            }
          ]
        }
      ]
    case "refusal":
      return [{ type: "text", text: spoken.refusal }]
    default:
      return [text]
  }
}

const reason = (scenario: Scenario) => {
  if (scenario === "max-tokens") return "max_tokens"
  if (scenario === "stop") return "stop_sequence"
  if (scenario === "refusal") return "refusal"
  return scenario.endsWith("tools") ? "tool_use" : "end_turn"
}

const stopped = (scenario: Scenario) => (scenario === "stop" ? spoken.stop : null)

const pieces = (block: JsonObject): readonly [JsonObject, ReadonlyArray<JsonObject>] => {
  switch (block["type"]) {
    case "text":
      return [
        { type: "text", text: "", ...(block["citations"] === undefined ? {} : { citations: [] }) },
        [
          ...((block["citations"] as ReadonlyArray<unknown>) ?? []).map((citation) => ({
            type: "citations_delta",
            citation
          })),
          ...Array.from(block["text"] as string).map((text) => ({ type: "text_delta", text }))
        ]
      ]
    case "thinking":
      return [
        { type: "thinking", thinking: "", signature: "" },
        [
          { type: "thinking_delta", thinking: block["thinking"] },
          { type: "signature_delta", signature: block["signature"] }
        ]
      ]
    case "tool_use":
    case "server_tool_use": {
      const json = JSON.stringify(block["input"])
      return [
        { ...block, input: {} },
        ["", json.slice(0, 5), json.slice(5)].map((partial_json) => ({ type: "input_json_delta", partial_json }))
      ]
    }
    default:
      return [block, []]
  }
}

const blockFrames = (block: JsonObject, index: number): ReadonlyArray<JsonObject> => {
  const [start, deltas] = pieces(block)
  return [
    { type: "content_block_start", index, content_block: start },
    ...(index === 0 ? [{ type: "ping" }] : []),
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ]
}

const message = (model: string): JsonObject => ({ id: "msg_upstream", type: "message", role: "assistant", model })

export const anthropic: Dialect = {
  path: "/v1/messages",
  named: true,
  end: "",
  frames: (scenario, model, turn = 0) => [
    {
      type: "message_start",
      message: {
        ...message(model),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1 }
      }
    },
    ...content(scenario, turn).flatMap(blockFrames),
    ...(scenario === "error-after"
      ? [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }]
      : [
          {
            type: "message_delta",
            delta: { stop_reason: reason(scenario), stop_sequence: stopped(scenario) },
            usage: usage(scenario)
          },
          { type: "message_stop" }
        ])
  ],
  answer: (scenario, model, turn = 0) => ({
    ...message(model),
    content: content(scenario, turn),
    stop_reason: reason(scenario),
    stop_sequence: stopped(scenario),
    usage: usage(scenario)
  }),
  error: (status, message) => ({
    type: "error",
    error: { type: status === 529 ? "overloaded_error" : "invalid_request_error", message },
    request_id: "req_upstream"
  })
}
