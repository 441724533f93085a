import { hostedCalls, isHostedCall } from "../contract/records/HostedCall.ts"
import type { CallCounts } from "../contract/records/HostedCall.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Served } from "../contract/records/Served.ts"

/** Parts of the counted tokens that are no text. */
const parts = {
  audio_input: "audioInputTokens",
  audio_output: "audioOutputTokens",
  image_input: "imageInputTokens",
  image_output: "imageOutputTokens"
} as const
type Part = keyof typeof parts

/** How an answer was served, and what it used beside plain tokens, as a directive says. */
export interface Serving {
  readonly served?: Served
  readonly calls?: CallCounts
  readonly tokens?: Readonly<Partial<Record<Part, number>>>
}

const names = { tier: "tier", speed: "speed", geo: "geo" } as const
const word = /^[\w.-]{1,40}$/
const mostTokens = 100_000
/** More calls of one tool are not believed of any upstream. */
const mostCalls = 1_000
const calledTools = hostedCalls.filter((call) => call !== "web_search")

/** The names of the settings that `serve` takes. */
export const servingSettings: ReadonlyArray<string> = [...Object.keys(names), "call", ...Object.keys(parts)]

/** Applies a setting; undefined if it is none of these, a text if its value breaks a rule. */
export const serve = (serving: Serving, name: string, value = ""): Serving | string | undefined => {
  if (name === "tier" || name === "speed" || name === "geo") {
    return word.test(value) ? { ...serving, served: { ...serving.served, [names[name]]: value } } : "expected a word"
  }
  if (name === "call") return called(serving, value)
  if (name !== "audio_input" && name !== "audio_output" && name !== "image_input" && name !== "image_output") {
    return undefined
  }
  const count = countIn(value, mostTokens)
  return count === undefined
    ? `expected 1 to ${mostTokens}`
    : { ...serving, tokens: { ...serving.tokens, [name]: count } }
}

/** `code_interpreter`, or `code_interpreter:3`. */
const called = (serving: Serving, value: string): Serving | string => {
  const [tool = "", times = "1"] = value.split(":", 2)
  const count = countIn(times, mostCalls)
  if (!isHostedCall(tool) || tool === "web_search") return `expected one of ${calledTools.join(", ")}`
  return count === undefined
    ? `expected 1 to ${mostCalls} calls`
    : { ...serving, calls: { ...serving.calls, [tool]: count } }
}

const countIn = (text: string, most: number): number | undefined => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return count >= 1 && count <= most ? count : undefined
}

/** A usage with what a directive says of it. Parts are at most what was counted. */
export const asServed = (usage: Usage, { calls, served, tokens = {} }: Serving): Usage => {
  const part = (of: Part, whole: number) => {
    const count = Math.min(tokens[of] ?? 0, whole)
    return count === 0 ? {} : { [parts[of]]: count }
  }
  const { inputTokens, outputTokens } = usage
  return {
    ...usage,
    ...part("audio_input", inputTokens),
    ...part("image_input", inputTokens - Math.min(tokens.audio_input ?? 0, inputTokens)),
    ...part("audio_output", outputTokens),
    ...part("image_output", outputTokens - Math.min(tokens.audio_output ?? 0, outputTokens)),
    ...(calls && { calls }),
    ...(served && { served })
  }
}
