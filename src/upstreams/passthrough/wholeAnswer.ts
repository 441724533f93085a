import type { JsonObject } from "../../contract/fields.ts"
import { isObject, parseJson } from "../../contract/json.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../generationOf.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"

interface Kind {
  /** The answer in the family's form, if the upstream has another; undefined if it is none. */
  readonly raise?: (answer: JsonObject) => JsonObject | undefined
  /** True if the JSON is an answer of this kind. */
  readonly isAnswer: (answer: JsonObject) => boolean
  /** The answer's usage, if it has any. */
  readonly usageOf: (answer: JsonObject) => Usage | undefined
  /** Usage in the dialect's form. */
  readonly renderUsage: (usage: Usage) => JsonObject
}

/** Reads a whole answer that passes through: replaces the model's name and reports the usage. */
export const wholeAnswer = (
  { rewrite }: PassthroughRequest,
  { isAnswer, raise, renderUsage, usageOf }: Kind
): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const told = parseJson(text)
    if (!isObject(told)) return [[noAnswer(text)]]
    if (isObject(told["error"])) return [[failedWith(told["error"])]]
    const answer = raise === undefined ? told : raise(told)
    if (answer === undefined || !isAnswer(answer)) return [[noAnswer(text)]]
    const usage = usageOf(answer)
    const usageEvents: ReadonlyArray<GenerationEvent> = usage === undefined ? [] : [{ type: "usage", usage }]
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
