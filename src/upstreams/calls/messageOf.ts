import type { Failure } from "../../contract/failures/Failure.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** The upstream's words about the request; empty if the failure is about something else. */
export const messageOf = (error: Failure | UpstreamError): string => {
  const failure = error._tag === "UpstreamError" ? error.failure : error
  return failure._tag === "InvalidRequest" ? failure.message : ""
}
