import { codedError } from "../../contract/failures/codedErrors.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Frame } from "../../generation/Machine.ts"
import type { OutputItem, ResponseObject } from "../ResponseObject.ts"

/** The events that end a response, not numbered yet. Clients know no event for a cancelled one. */
export const endingOf = (response: ResponseObject): ReadonlyArray<Frame & Readonly<Record<string, unknown>>> => {
  const { error, status } = response
  if (status !== "failed" || error === null) {
    return [{ type: status === "completed" ? "response.completed" : "response.incomplete", response }]
  }
  const { code, message, param, type } = error
  return [
    { type: "error", code, message, param, error: { type, code, message, param } },
    { type: "response.failed", response }
  ]
}

/** True for a response's last event. */
export const isLast = ({ type }: Frame): boolean =>
  type === "response.completed" || type === "response.incomplete" || type === "response.failed"

/** True for events that end a response, or announce its end. */
export const isEnding = (frame: Frame): boolean => frame.type === "error" || isLast(frame)

export const failedWith = (
  response: ResponseObject,
  failure: Failure,
  output: ReadonlyArray<OutputItem> = []
): ResponseObject => {
  const { code, message, param, type } = codedError(failure)
  return { ...response, status: "failed", error: { code, message, type, param }, output }
}

export const cancelledResponse = (response: ResponseObject, output: ReadonlyArray<OutputItem>): ResponseObject => ({
  ...response,
  status: "cancelled",
  output
})
