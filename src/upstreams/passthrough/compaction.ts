import { listAt, textAt } from "../../contract/json.ts"
import type { Reader } from "../generationOf.ts"
import { responsesDialect } from "../protocols/openaiResponses/responsesDialect.ts"
import { readUsage } from "../protocols/openaiResponses/usage.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import { wholeAnswer } from "./wholeAnswer.ts"

/** Reads a compaction of an upstream of the responses dialect. */
export const passthroughCompaction = (request: PassthroughRequest): Reader =>
  wholeAnswer(request, {
    isAnswer: (answer) => {
      const output = listAt(answer, "output")
      return output.length > 0 && output.every((item) => textAt(item, "type") !== undefined)
    },
    usageOf: (answer) => readUsage(answer["usage"], 0),
    renderUsage: responsesDialect.usage
  })
