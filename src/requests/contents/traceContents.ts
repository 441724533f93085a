import { kinds } from "../../contract/kinds.ts"
import type { Trace, TracedContents } from "../../contract/records/Trace.ts"
import type { Regex } from "../../regex/Regex.ts"
import { cutAt, readAlong } from "../readAlong.ts"
import { contentsOf } from "./contentsOf.ts"

/** Characters of a request and of an answer's stream that are read, each. */
const mostOfRequest = 4 * 1024 * 1024
const mostOfAnswer = 1024 * 1024

/**
 * Returns the same answer, and gives its contents to the trace once they were read by the client. Only a generation of text
 * has contents.
 *
 * @param redact patterns to take out beside secrets; undefined if all is told
 */
export const traceContents = (
  trace: Trace,
  text: string,
  answer: Response,
  redact: ReadonlyArray<Regex> | undefined
): Response => {
  if (!trace.calls.some(({ operation }) => operation === kinds.text.operation)) return answer
  const { promise, reject, resolve } = Promise.withResolvers<TracedContents>()
  trace.contents = promise
  const request = cutAt(text, mostOfRequest)
  return readAlong(answer, mostOfAnswer, (taken) => {
    contentsOf(request, taken, { redact }).then(resolve, reject)
  })
}
