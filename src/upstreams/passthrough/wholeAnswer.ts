import type { JsonObject } from "../../contract/fields.ts"
import { isObject, parseJson } from "../../contract/json.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../generationOf.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"

interface Kind {
  /** True if the JSON is an answer of this kind. */
  readonly isAnswer: (answer: JsonObject) => boolean
  /** The answer's usage, if it has any. */
  readonly usageOf: (answer: JsonObject) => Usage | undefined
  /** Usage in the dialect's form. */
  readonly renderUsage: (usage: Usage) => JsonObject
}

/** Reads a whole answer that passes through: replaces the model's name and reports the usage. */
export const wholeAnswer = ({ rewrite }: PassthroughRequest, { isAnswer, renderUsage, usageOf }: Kind): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const answer = parseJson(text)
    if (!isObject(answer)) return [noAnswer(text)]
    if (isObject(answer["error"])) return [failedWith(answer["error"])]
    if (!isAnswer(answer)) return [noAnswer(text)]
    const usage = usageOf(answer)
    const usageEvents: ReadonlyArray<GenerationEvent> = usage === undefined ? [] : [{ type: "usage", usage }]
    const as = (usage: Usage) => JSON.stringify(rewrite({ ...answer, usage: renderUsage(usage) }))
    return [
      ...usageEvents,
      { type: "passthrough", terminal: true, text: JSON.stringify(rewrite(answer)), usageFrame: { isTotal: true, as } },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
})
