import { isObject, listAt, parseJson, textAt } from "../../contract/json.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { Reader } from "../generationOf.ts"
import { responsesDialect } from "../protocols/openaiResponses/responsesDialect.ts"
import { readUsage } from "../protocols/openaiResponses/usage.ts"
import { failedWith, garbled, noAnswer } from "../protocols/upstreamFailure.ts"
import type { NativeRequest } from "../Upstream.ts"

/** Reads a compaction that an upstream of the responses dialect has made. */
export const forwardedCompaction = ({ rewrite }: NativeRequest): Reader => ({
  push: () => [],
  end: () => [{ type: "failed", failure: garbled, said: "a stream" }],
  whole: (text) => {
    const answer = parseJson(text)
    if (!isObject(answer)) return [noAnswer(text)]
    if (isObject(answer["error"])) return [failedWith(answer["error"])]
    const output = listAt(answer, "output")
    if (output.length === 0 || !output.every((item) => textAt(item, "type") !== undefined)) return [noAnswer(text)]
    const usage = readUsage(answer["usage"], 0)
    const told: ReadonlyArray<GenerationEvent> = usage === undefined ? [] : [{ type: "usage", usage }]
    const as = (usage: Usage) => JSON.stringify(rewrite({ ...answer, usage: responsesDialect.usage(usage) }))
    return [
      ...told,
      { type: "native", terminal: true, text: JSON.stringify(rewrite(answer)), telling: { isTotal: true, as } },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
})
