import type { JsonObject } from "../../contract/fields.ts"
import { isObject, parseJson } from "../../contract/json.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../generationOf.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"

interface Kind {
  /** Whether it is one at all. */
  readonly isAnswer: (answer: JsonObject) => boolean
  /** What it tells of its usage, where it does. */
  readonly usageOf: (answer: JsonObject) => Usage | undefined
  /** A usage as its dialect tells it. */
  readonly telling: (usage: Usage) => JsonObject
}

/** Reads an answer that comes in one piece and passes through: the model's name is replaced, its usage told. */
export const wholeAnswer = ({ rewrite }: PassthroughRequest, { isAnswer, telling, usageOf }: Kind): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const answer = parseJson(text)
    if (!isObject(answer)) return [noAnswer(text)]
    if (isObject(answer["error"])) return [failedWith(answer["error"])]
    if (!isAnswer(answer)) return [noAnswer(text)]
    const usage = usageOf(answer)
    const told: ReadonlyArray<GenerationEvent> = usage === undefined ? [] : [{ type: "usage", usage }]
    const as = (usage: Usage) => JSON.stringify(rewrite({ ...answer, usage: telling(usage) }))
    return [
      ...told,
      { type: "passthrough", terminal: true, text: JSON.stringify(rewrite(answer)), telling: { isTotal: true, as } },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
})
