import type { JsonObject } from "../../contract/fields.ts"
import { isObject, parseJson } from "../../contract/json/json.ts"
import type { Usage, UsageEvent } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../text/generationOf.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import type { WholeForm } from "../protocols/Protocol.ts"
import { tokenlessUsage } from "./tokenlessUsage.ts"

/** Reads a family's whole answers. `body` is the request in the family's form. */
export interface WholeAnswer {
  /** True if servers of the dialect may lack the endpoint, so that another one answers in its place. */
  readonly isOptional?: true
  /** True if the JSON is an answer of this kind. */
  readonly isAnswer: (answer: JsonObject, body: JsonObject) => boolean
  /** The answer's usage, if it has any. */
  readonly usageOf: (answer: JsonObject, body: JsonObject) => Usage | undefined
  /** Counts the tokens of a usage whose pieces alone are told (`tokenlessUsage`). */
  readonly withTokens?: (usage: Usage, body: JsonObject, inputTokens: number) => Usage
  /** The usage by the gateway's count, if it counts more than the input's tokens. */
  readonly countUsage?: (body: JsonObject) => Usage
  /** Usage in the dialect's form. */
  readonly renderUsage: (usage: Usage) => JsonObject
}

/**
 * Reads a whole answer that passes through: replaces the model's name and reports the usage.
 *
 * @param raise puts an answer of another form into the family's; undefined if it is none
 */
export const wholeAnswer = (
  { body, rewrite }: PassthroughRequest,
  { countUsage, isAnswer, renderUsage, usageOf, withTokens }: WholeAnswer,
  raise?: WholeForm["raise"]
): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const told = parseJson(text)
    if (!isObject(told)) return [[noAnswer(text)]]
    if (isObject(told["error"])) return [[failedWith(told["error"])]]
    const answer = raise === undefined ? told : raise(told)
    if (isObject(answer?.["error"])) return [[failedWith(answer["error"])]]
    if (answer === undefined || !isAnswer(answer, body)) return [[noAnswer(text)]]
    const reported = usageOf(answer, body)
    const usage = reported ?? countUsage?.(body)
    const usageEvents = usage === undefined ? [] : [usageEvent(usage, reported !== undefined, body, withTokens)]
    const as = (usage: Usage) => JSON.stringify(rewrite({ ...answer, usage: renderUsage(usage) }))
    return [
      [
        ...usageEvents,
        {
          type: "passthrough",
          terminal: true,
          text: JSON.stringify(rewrite(answer)),
          usageFrame: { isTotal: true, as }
        },
        { type: "finished", reason: "stop", stopSequence: null }
      ]
    ]
  }
})

const usageEvent = (
  usage: Usage,
  isReported: boolean,
  body: JsonObject,
  withTokens: WholeAnswer["withTokens"]
): UsageEvent => {
  if (!isReported) return { type: "usage", usage, counted: "untold" }
  if (withTokens === undefined) return { type: "usage", usage }
  return tokenlessUsage(usage, (inputTokens) => withTokens(usage, body, inputTokens()))
}
