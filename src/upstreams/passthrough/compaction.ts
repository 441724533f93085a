import { listAt, textAt } from "../../contract/json/json.ts"
import { responsesDialect } from "../protocols/openaiResponses/responsesDialect.ts"
import { readUsage } from "../protocols/openaiResponses/usage.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"

/** A compaction of an upstream of the responses dialect. */
export const compaction: WholeAnswer = {
  isOptional: true,
  isAnswer: (answer) => {
    const output = listAt(answer, "output")
    return output.length > 0 && output.every((item) => textAt(item, "type") !== undefined)
  },
  usageOf: (answer) => readUsage(answer["usage"], 0),
  renderUsage: responsesDialect.usage
}
