import type { ResponseFrame } from "../encoding.ts"
import type { ResponseObject } from "../ResponseObject.ts"

/** The first events of every background response, up to its current status. */
export const lifecycle = (response: ResponseObject): ReadonlyArray<ResponseFrame> => {
  const inState = (status: ResponseObject["status"]): ResponseObject => ({
    ...response,
    status,
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null
  })
  const queued = inState("queued")
  return [
    { type: "response.created", sequence_number: 0, response: queued },
    { type: "response.queued", sequence_number: 1, response: queued },
    { type: "response.in_progress", sequence_number: 2, response: inState("in_progress") }
  ].slice(0, response.status === "queued" ? 2 : 3)
}

/** The number of the last of them. The answer's events follow. */
export const lastOfLifecycle = 2

/** True for these events. */
export const isLifecycle = ({ type }: { readonly type: string }): boolean =>
  type === "response.created" || type === "response.queued" || type === "response.in_progress"

/** True if a response will not change any more. */
export const isOver = ({ status }: Pick<ResponseObject, "status">): boolean =>
  status !== "queued" && status !== "in_progress"
