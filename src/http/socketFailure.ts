import { isJsonObject } from "../contract/fields.ts"
import { objectAt, textAt } from "../contract/json.ts"
import type { RenderFailure } from "./compile.ts"

/** A family's failures as a socket says them: an event with its status, and a code that programs act on where there is one. */
export const socketFailure =
  (render: RenderFailure): RenderFailure =>
  (failure, requestId) => {
    const { body, status } = render(failure, requestId)
    const error = objectAt(body, "error") ?? {}
    const code =
      "details" in failure && isJsonObject(failure.details) ? textAt(failure.details, "error_code") : undefined
    return { status, body: { type: "error", status, error: code === undefined ? error : { ...error, code } } }
  }
