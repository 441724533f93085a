import { isJsonObject } from "../contract/fields.ts"
import { objectAt, textAt } from "../contract/json/json.ts"
import type { RenderFailure } from "./compile.ts"

/** Renders a family's failures as socket events, with the status and the `error_code`, if there is one. */
export const socketFailure =
  (render: RenderFailure): RenderFailure =>
  (failure, requestId) => {
    const { body, status } = render(failure, requestId)
    const error = objectAt(body, "error") ?? {}
    const code =
      "details" in failure && isJsonObject(failure.details) ? textAt(failure.details, "error_code") : undefined
    return { status, body: { type: "error", status, error: code === undefined ? error : { ...error, code } } }
  }
