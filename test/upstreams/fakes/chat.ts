import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Dialect, Scenario } from "./scenarios.ts"
import { spoken, textOf } from "./scenarios.ts"

const chunk = (model: string, delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model,
  choices: [{ index: 0, delta, finish_reason, logprobs: null }]
})

/** vLLM names the stop sequence. */
const ending = (scenario: Scenario, model: string): JsonObject => ({
  ...chunk(model, {}),
  choices: [{ index: 0, delta: {}, finish_reason: reason(scenario), ...stopped(scenario) }]
})
const stopped = (scenario: Scenario): JsonObject => (scenario === "stop" ? { stop_reason: spoken.stop } : {})

const usage: JsonObject = {
  prompt_tokens: 20,
  completion_tokens: 8,
  total_tokens: 28,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 3 }
}

const call = (index: number, id: string, city: string): ReadonlyArray<JsonObject> => [
  { tool_calls: [{ index, id, type: "function", function: { name: "get_weather", arguments: "" } }] },
  { tool_calls: [{ index, function: { arguments: '{"city":' } }] },
  { tool_calls: [{ index, function: { arguments: `"${city}"}` } }] }
]

const said = (scenario: Scenario) => Array.from(textOf(scenario)).map((content) => ({ content }))

const callId = (turn: number, n: number) => `call_${turn * 10 + n}`

const thought = [{ reasoning_content: "The user " }, { reasoning_content: "greets me." }]

const deltas = (scenario: Scenario, turn: number): ReadonlyArray<JsonObject> => {
  switch (scenario) {
    case "tools":
      return call(0, callId(turn, 1), spoken.city)
    case "parallel-tools":
      return [...call(0, callId(turn, 1), spoken.city), ...call(1, callId(turn, 2), spoken.other)]
    case "reasoning":
      return [...thought, ...said(scenario)]
    case "reasoning-tools":
      return [...thought, ...call(0, callId(turn, 1), spoken.city)]
    case "refusal":
      return [{ refusal: spoken.refusal }]
    default:
      return said(scenario)
  }
}

const reason = (scenario: Scenario) =>
  scenario === "max-tokens" ? "length" : scenario.endsWith("tools") ? "tool_calls" : "stop"

const message = (scenario: Scenario, turn: number): JsonObject => {
  const tool = (n: number, city: string) => ({
    id: callId(turn, n),
    type: "function",
    function: { name: "get_weather", arguments: `{"city":"${city}"}` }
  })
  switch (scenario) {
    case "tools":
      return { content: null, tool_calls: [tool(1, spoken.city)] }
    case "parallel-tools":
      return { content: null, tool_calls: [tool(1, spoken.city), tool(2, spoken.other)] }
    case "reasoning":
      return { content: textOf(scenario), reasoning_content: spoken.thought }
    case "reasoning-tools":
      return { content: null, reasoning_content: spoken.thought, tool_calls: [tool(1, spoken.city)] }
    case "refusal":
      return { content: null, refusal: spoken.refusal }
    default:
      return { content: textOf(scenario) }
  }
}

export const chat: Dialect = {
  path: "/v1/chat/completions",
  named: false,
  end: "data: [DONE]\n\n",
  frames: (scenario, model, turn = 0) => [
    chunk(model, { role: "assistant", content: "" }),
    ...deltas(scenario, turn).map((delta) => chunk(model, delta)),
    ...(scenario === "error-after"
      ? [{ error: { message: "worker 10.0.0.3 died", type: "server_error", code: "internal" } }]
      : [ending(scenario, model), { ...chunk(model, {}), choices: [], usage }])
  ],
  answer: (scenario, model, turn = 0) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", ...message(scenario, turn) },
        finish_reason: reason(scenario),
        ...stopped(scenario)
      }
    ],
    usage
  }),
  error: (_, message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } })
}
