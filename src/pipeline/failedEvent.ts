import { codedError } from "../contract/failures/codedErrors.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Frame } from "../generation/Machine.ts"

/** A failure in the middle of a stream, as OpenAI's clients read it. */
export const failedEvent = (failure: Failure): ReadonlyArray<Frame> => {
  const { code, message, param, type } = codedError(failure)
  return [Object.assign({ type: "error" }, { error: { type, code, message, param } })]
}
