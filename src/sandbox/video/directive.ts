import { Either } from "effect"
import { parseDirectives } from "../parseDirectives.ts"

/** What `[[sandbox: …]]` in a prompt asks for; docs/sandbox.md tells each with an example. */
export interface VideoDirective {
  /** How long it is queued, in ms. */
  readonly queueMs: number
  /** How long it runs at least, in ms. */
  readonly renderMs: number
  /** The HTTP status with which a submit is refused. */
  readonly error: number | undefined
  /** The code with which it fails after it ran. */
  readonly fail: string | undefined
}

/** Short, but long enough for each state to be seen. */
const usual: VideoDirective = { queueMs: 200, renderMs: 0, error: undefined, fail: undefined }

/** Takes the directives out of a prompt; left is the setting that breaks a rule, and the rule. */
export const readDirective = (
  prompt: string
): Either.Either<{ readonly prompt: string; readonly directive: VideoDirective }, string> => {
  const taken = parseDirectives(prompt)
  if (typeof taken === "string") return Either.left(`[[sandbox: …]]: ${taken}`)
  let directive = usual
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

/** As long as the longest expiry. */
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
