import { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"

/** Clients act on the code: they send the whole conversation again. */
const refusalOf = (error_code: string, message: string) =>
  new InvalidRequest({ param: "thread", message: `thread: ${message}`, details: { error_code } })

/** @param feature the field that threads exclude */
export const unthreadable = (feature: string, message: string): InvalidRequest =>
  new InvalidRequest({
    param: "thread",
    message: `thread: ${message}; send the whole conversation without it`,
    details: { error_code: "thread_unsupported_request", unsupported: [feature] }
  })

export const threadNotFound = (id: string): NotFound =>
  new NotFound({
    param: "thread.previous_message_id",
    message: `thread.previous_message_id: there is nothing to continue under ${show(id)}; send the whole conversation`,
    details: { error_code: "thread_not_found" }
  })

export const alreadyContinued = (id: string): InvalidRequest =>
  refusalOf("thread_already_continued", `${show(id)} has been continued, which can be done once; continue its answer`)

export const continueInFlight = (id: string): InvalidRequest =>
  refusalOf("thread_continue_in_flight", `another request is continuing ${show(id)}; wait for its answer`)

/** @param fields those that differ from the thread's */
export const fingerprintMismatch = (fields: ReadonlyArray<string>): InvalidRequest =>
  refusalOf(
    "thread_fingerprint_mismatch",
    `${fields.join(" and ")} must be left out, or what the thread began with; another needs a new thread`
  )

/** The caller's id, shortened. */
const show = (id: string) => JSON.stringify(id.slice(0, 80))
