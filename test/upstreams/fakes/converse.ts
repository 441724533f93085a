import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Scenario } from "./scenarios.ts"
import { spoken, textOf } from "./scenarios.ts"

/** Bedrock's Converse, as AWS documents it and its SDK reads it: an event is an object with its name as the only key. */

const usage = {
  inputTokens: 15,
  outputTokens: 8,
  totalTokens: 28,
  cacheReadInputTokens: 5,
  cacheWriteInputTokens: 0,
  cacheDetails: []
}

const call = (toolUseId: string, city: string): JsonObject => ({
  toolUse: { toolUseId, name: "get_weather", input: { city } }
})

const content = (scenario: Scenario, turn: number, model: string): ReadonlyArray<JsonObject> => {
  const text = { text: textOf(scenario) }
  // Claude alone signs.
  const signature = model.includes("claude") ? { signature: spoken.signature } : {}
  const thinking = { reasoningContent: { reasoningText: { text: spoken.thought, ...signature } } }
  const id = (n: number) => `tooluse_${turn * 10 + n}`
  switch (scenario) {
    case "tools":
      return [call(id(1), spoken.city)]
    case "parallel-tools":
      return [call(id(1), spoken.city), call(id(2), spoken.other)]
    case "reasoning":
      return [thinking, text]
    case "reasoning-tools":
      return [thinking, call(id(1), spoken.city)]
    case "refusal":
      return [{ text: spoken.refusal }]
    default:
      return [text]
  }
}

const stopReason = (scenario: Scenario): string => {
  if (scenario === "max-tokens") return "max_tokens"
  if (scenario === "stop") return "stop_sequence"
  if (scenario === "refusal") return "guardrail_intervened"
  return scenario.endsWith("tools") ? "tool_use" : "end_turn"
}

/** What the request asked for of the model's own fields. */
const ownFields = (scenario: Scenario): JsonObject =>
  scenario === "stop" ? { additionalModelResponseFields: { stop_sequence: spoken.stop } } : {}

export const converseAnswer = (scenario: Scenario, turn = 0, model = "claude"): JsonObject => ({
  metrics: { latencyMs: 12 },
  output: { message: { role: "assistant", content: content(scenario, turn, model) } },
  stopReason: stopReason(scenario),
  ...ownFields(scenario),
  usage
})

/** The deltas of a block. A text comes in characters, an input in pieces. */
const deltas = (block: JsonObject): ReadonlyArray<JsonObject> => {
  const { reasoningContent, text, toolUse } = block as {
    readonly text?: string
    readonly toolUse?: { readonly input: unknown }
    readonly reasoningContent?: { readonly reasoningText: { readonly text: string; readonly signature?: string } }
  }
  if (text !== undefined) return Array.from(text).map((piece) => ({ text: piece }))
  if (toolUse !== undefined) {
    const json = JSON.stringify(toolUse.input)
    return ["", json.slice(0, 5), json.slice(5)].map((input) => ({ toolUse: { input } }))
  }
  const { signature, text: thought = "" } = reasoningContent?.reasoningText ?? {}
  const signed = signature === undefined ? [] : [{ reasoningContent: { signature } }]
  return [{ reasoningContent: { text: thought } }, ...signed]
}

const blockEvents = (block: JsonObject, contentBlockIndex: number): ReadonlyArray<JsonObject> => {
  const { toolUse } = block as { readonly toolUse?: { readonly toolUseId: string; readonly name: string } }
  const start = toolUse && { toolUse: { toolUseId: toolUse.toolUseId, name: toolUse.name } }
  return [
    ...(start === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start } }]),
    ...deltas(block).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
    { contentBlockStop: { contentBlockIndex } }
  ]
}

/** The events of a stream. The usage comes behind the stop. */
export const converseEvents = (scenario: Scenario, turn = 0, model = "claude"): ReadonlyArray<JsonObject> => [
  { messageStart: { role: "assistant" } },
  ...content(scenario, turn, model).flatMap(blockEvents),
  ...(scenario === "error-after"
    ? []
    : [
        { messageStop: { stopReason: stopReason(scenario), ...ownFields(scenario) } },
        { metadata: { usage, metrics: { latencyMs: 12 } } }
      ])
]
