import { InvalidRequest, RateLimited, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { FinishReason } from "../generation/GenerationEvent.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { parseDirectives } from "./parseDirectives.ts"
import { serve, servingSettings } from "./serving.ts"
import type { Serving } from "./serving.ts"

/** The settings of `[[sandbox: …]]` in a user's text (docs/sandbox.md). */
export interface Directive {
  /** The delay before the first event, in ms. */
  readonly delayMs: number
  /** The delay between two words, in ms. */
  readonly paceMs: number
  /** The exact length of the answer. */
  readonly tokens: number | undefined
  /** The upstream's HTTP status. */
  readonly error: number | undefined
  /** The number of generated tokens after which the stream breaks. */
  readonly cut: number | undefined
  /** The number of generated tokens after which the stream goes silent. */
  readonly stall: number | undefined
  readonly finish: FinishReason | undefined
  /** The tools to call, in one turn. `none` calls none, whatever the text says. */
  readonly tools: ReadonlyArray<string> | "none"
  /** How the answer was served, and what it used beside plain tokens. */
  readonly serving: Serving
}

const noDirective: Directive = {
  delayMs: 0,
  paceMs: 0,
  tokens: undefined,
  error: undefined,
  cut: undefined,
  stall: undefined,
  finish: undefined,
  tools: [],
  serving: {}
}

/** Removes directives from a text and parses them. An unknown setting fails, because it is the tester's mistake. */
export const readDirective = (
  text: string
): { readonly text: string; readonly directive: Directive } | InvalidRequest => {
  const taken = parseDirectives(text)
  if (typeof taken === "string") return new InvalidRequest({ param: null, message: `[[sandbox: …]]: ${taken}` })
  const { rest, settings } = taken
  if (rest === text) return { text, directive: noDirective }
  let directive = noDirective
  for (const setting of settings) {
    const next = apply(directive, setting)
    if (typeof next === "string")
      return new InvalidRequest({ param: null, message: `[[sandbox: ${setting}]]: ${next}` })
    directive = next
  }
  return { text: rest.replaceAll(/[ \t]{2,}/g, " ").trim(), directive }
}

/** The failure that an upstream's status becomes. */
export const failureOf = (status: number): Failure => {
  const message = `The sandbox failed with status ${status}, as the directive asked`
  if (status === 400) return new InvalidRequest({ param: null, message })
  if (status === 429) return new RateLimited({ message, retryAfterSeconds: 1 })
  return new UpstreamFailed({ message })
}

/** The same of a call that is refused at once. */
export const refusalOf = (status: number): UpstreamError => {
  const failure = failureOf(status)
  return new UpstreamError({
    failure,
    // The sandbox always answers alike: only another upstream could do better.
    retry: status === 400 ? "never" : "elsewhere",
    retryAfterMs: failure._tag === "RateLimited" ? 1_000 : undefined,
    status
  })
}

const longestWaitMs = 600_000
const mostTokens = 100_000
const mostTools = 100

const finishes: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "max-tokens"],
  ["refusal", "refusal"],
  ["pause", "pause"],
  ["context", "context-exceeded"]
])

/** @returns the directive with the setting applied, or the rule that the setting breaks */
const apply = (directive: Directive, setting: string): Directive | string => {
  const [name = "", value] = setting.split("=", 2)
  switch (name) {
    case "delay":
      return given(duration(value), (delayMs) => ({ ...directive, delayMs }), durationRule)
    case "pace":
      return given(duration(value), (paceMs) => ({ ...directive, paceMs }), durationRule)
    case "tokens":
      return given(whole(value, 1, mostTokens), (tokens) => ({ ...directive, tokens }), `expected 1 to ${mostTokens}`)
    case "error":
      return given(statusOf(value), (error) => ({ ...directive, error }), statusRule)
    case "cut":
      return given(whole(value, 0, mostTokens), (cut) => ({ ...directive, cut }), `expected 0 to ${mostTokens}`)
    case "stall":
      return given(
        whole(value ?? "0", 0, mostTokens),
        (stall) => ({ ...directive, stall }),
        `expected 0 to ${mostTokens}`
      )
    case "finish":
      return given(
        finishes.get(value ?? ""),
        (finish) => ({ ...directive, finish }),
        `expected one of ${[...finishes.keys()].join(", ")}`
      )
    case "tool":
      return named(directive, value)
    default: {
      const serving = serve(directive.serving, name, value)
      if (serving === undefined) {
        return `expected delay, pace, tokens, error, cut, stall, finish, tool, ${servingSettings.join(", ")}`
      }
      return typeof serving === "string" ? serving : { ...directive, serving }
    }
  }
}

const named = (directive: Directive, value: string | undefined): Directive | string => {
  if (value === undefined || value === "") return "expected a name"
  const isNone = value === "none"
  if (directive.tools === "none" || (isNone && directive.tools.length > 0)) return "none stands alone"
  if (isNone) return { ...directive, tools: "none" }
  const tools = [...directive.tools, ...value.split(",")]
  return tools.length > mostTools ? `expected at most ${mostTools} names` : { ...directive, tools }
}

/** The status of `error=…`; undefined if it is none. */
export const statusOf = (value: string | undefined): number | undefined => whole(value, 400, 599)
export const statusRule = "expected a status from 400 to 599"

const durationRule = "expected a duration of at most 10m, such as 500ms, 2s or 1m"

const given = <A>(value: A | undefined, use: (value: A) => Directive, rule: string): Directive | string =>
  value === undefined || value === "" ? rule : use(value)

const units = { ms: 1, s: 1_000, m: 60_000 }

const duration = (text: string | undefined): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text ?? "")
  if (match === null) return undefined
  const unit = match[2] === "s" || match[2] === "m" ? match[2] : "ms"
  const ms = Number(match[1]) * units[unit]
  return ms <= longestWaitMs ? ms : undefined
}

const whole = (text: string | undefined, from: number, to: number): number | undefined => {
  if (text === undefined || !/^\d+$/.test(text)) return undefined
  const value = Number(text)
  return value >= from && value <= to ? value : undefined
}
