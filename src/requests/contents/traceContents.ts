import { kinds } from "../../contract/kinds.ts"
import type { Trace, TracedContents } from "../../contract/records/Trace.ts"
import type { Regex } from "../../regex/Regex.ts"
import { cutAt, readAlong } from "../readAlong.ts"
import { contentsOf } from "./contentsOf.ts"

/** Characters of a request and of an answer's stream that are read, each. */
const mostOfRequest = 4 * 1024 * 1024
const mostOfAnswer = 1024 * 1024

interface Telling {
  /** Patterns to take out beside secrets; undefined if nothing is taken out. */
  readonly redact: ReadonlyArray<Regex> | undefined
  /** Called once the answer was read: true if nothing is told after all. */
  readonly isWithheld: () => boolean
}

/**
 * Returns the same answer, and gives its contents to the trace once they were read by the client. Only a generation of text
 * has contents.
 */
export const traceContents = (
  trace: Trace,
  text: string,
  answer: Response,
  { isWithheld, redact }: Telling
): Response => {
  if (!trace.calls.some(({ operation }) => operation === kinds.text.operation)) return answer
  const { promise, reject, resolve } = Promise.withResolvers<TracedContents>()
  trace.contents = promise
  const request = cutAt(text, mostOfRequest)
  return readAlong(answer, mostOfAnswer, (taken) => {
    if (isWithheld()) resolve({ attributes: {}, whole: {}, cut: ["gen_ai.input.messages", "gen_ai.output.messages"] })
    else contentsOf(request, taken, { redact }).then(resolve, reject)
  })
}
