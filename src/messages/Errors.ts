import type { Failure } from "../contract/Failure.ts"
import type { FailureTable, TypedBody } from "../contract/wire.ts"
import { failureUnion, typedBody } from "../contract/wire.ts"

const row = (status: number, type: string) => ({ status, code: type, type })

/** The form of each failure in `/v1/messages` (docs/api.md#errors-of-messages), over HTTP and in a stream. */
const table: FailureTable<Failure["_tag"]> = {
  InvalidRequest: row(400, "invalid_request_error"),
  AuthMissing: row(401, "authentication_error"),
  AuthInvalid: row(401, "authentication_error"),
  InsufficientBalance: row(402, "insufficient_balance"),
  QuotaExceeded: row(403, "quota_exceeded"),
  ModelForbidden: row(403, "quota_exceeded"),
  Forbidden: row(403, "permission_error"),
  UnknownRoute: row(404, "invalid_request_error"),
  NotFound: row(404, "invalid_request_error"),
  Conflict: row(409, "invalid_request_error"),
  TooLarge: row(413, "request_too_large"),
  UnsupportedEncoding: row(415, "invalid_request_error"),
  Undecodable: row(422, "invalid_request_error"),
  RateLimited: row(429, "rate_limit_error"),
  UpstreamFailed: row(500, "internal_server_error"),
  Internal: row(500, "internal_server_error")
}

/** The failures of a messages endpoint. */
export const MessagesError = failureUnion("Messages", table, typedBody)

/** A failure's body in this family, for the in-band `error` frame and for a failed task. */
export const errorBody = (failure: Failure): TypedBody => typedBody.encode(failure, table[failure._tag])
