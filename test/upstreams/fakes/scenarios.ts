import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Asked } from "./fakeUpstream.ts"

/** What a fake upstream plays; it reads the name behind the last `play:` of a request (`play:parallel-tools`). */
export const scenarios = [
  "text",
  "tools",
  "parallel-tools",
  "reasoning",
  "reasoning-tools",
  "search",
  "refusal",
  "max-tokens",
  "stop",
  "json",
  "error-before",
  "error-after"
] as const
export type Scenario = (typeof scenarios)[number]

type Place =
  | { readonly model: string; readonly stream: boolean }
  | { readonly status: number; readonly answer: JsonObject }

/** How a dialect says each scenario, as recorded from the real thing (`null` where it has no such thing). */
export interface Dialect {
  readonly path: string
  /** The model and the way of answering, where a request has them elsewhere than in its body, or another answer. */
  readonly placed?: (asked: Asked) => Place | undefined
  /** A frame of a stream, where it is no plain event. */
  readonly written?: (frame: JsonObject) => string
  /** The answer to a prompt that the service blocks, where it is none of the others. */
  readonly blocked?: JsonObject
  /** The data of a stream's events, in order. `turn` makes the ids of tool calls differ from those of other turns. */
  readonly frames: (scenario: Scenario, model: string, turn?: number) => ReadonlyArray<JsonObject>
  /** The answer in one piece. */
  readonly answer: (scenario: Scenario, model: string, turn?: number) => JsonObject
  /** The body of an HTTP error. */
  readonly error: (status: number, message: string) => JsonObject
  /** Whether events carry their name, and how the stream ends. */
  readonly named: boolean
  readonly end: string
}

/** The text that a scenario says. */
export const textOf = (scenario: Scenario): string =>
  scenario === "json" ? spoken.json : scenario === "stop" ? spoken.untilStop : spoken.text

export const spoken = {
  text: "Hello, wörld 🦊!",
  /** A stop sequence, and the text before it. */
  stop: "🦊",
  untilStop: "Hello, wörld ",
  json: '{"the_city":"Paris"}',
  thought: "The user greets me.",
  city: "Paris",
  other: "Rome",
  refusal: "I can't help with that.",
  url: "https://example.com/a",
  title: "Example A",
  signature: "EqQBCkYIBxgCKkDTfakesignature==",
  encrypted: "gAAAAABofakeencryptedcontent=="
}
