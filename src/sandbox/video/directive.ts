import { Either } from "effect"
import { parseDirectives } from "../parseDirectives.ts"

/** The settings of `[[sandbox: …]]` in a prompt (docs/sandbox.md). */
export interface VideoDirective {
  /** The time in the queue, in ms. */
  readonly queueMs: number
  /** The least running time, in ms. */
  readonly renderMs: number
  /** The HTTP status that refuses the submit. */
  readonly error: number | undefined
  /** The error code of a failure after running. */
  readonly fail: string | undefined
}

/** Short, but long enough for each state to be observed. */
const defaults: VideoDirective = { queueMs: 200, renderMs: 0, error: undefined, fail: undefined }

/** Removes directives from a prompt and parses them. Fails with the setting that breaks a rule, and the rule. */
export const readDirective = (
  prompt: string
): Either.Either<{ readonly prompt: string; readonly directive: VideoDirective }, string> => {
  const taken = parseDirectives(prompt)
  if (typeof taken === "string") return Either.left(`[[sandbox: …]]: ${taken}`)
  let directive = defaults
  for (const setting of taken.settings) {
    const next = apply(directive, setting)
    if (typeof next === "string") return Either.left(`[[sandbox: ${setting}]]: ${next}`)
    directive = next
  }
  return Either.right({ prompt: taken.rest.trim(), directive })
}

const apply = (directive: VideoDirective, setting: string): VideoDirective | string => {
  const [name = "", value = ""] = setting.split("=", 2)
  switch (name) {
    case "queue": {
      const queueMs = duration(value)
      return queueMs === undefined ? durationRule : { ...directive, queueMs }
    }
    case "render": {
      const renderMs = duration(value)
      return renderMs === undefined ? durationRule : { ...directive, renderMs }
    }
    case "error":
      return /^[45]\d\d$/.test(value) ? { ...directive, error: Number(value) } : "expected a status from 400 to 599"
    case "fail":
      return /^[\w.]{1,100}$/.test(value) ? { ...directive, fail: value } : "expected a code"
    default:
      return "expected queue, render, error or fail"
  }
}

/** The longest expiry of a task. */
const longestMs = 259_200_000
const durationRule = "expected a duration of at most 72h, such as 500ms, 2s, 1m or 3h"
const units = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000]
])

const duration = (text: string): number | undefined => {
  const [, amount, unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const ms = Math.round(Number(amount) * (units.get(unit) ?? 1))
  return ms <= longestMs ? ms : undefined
}
