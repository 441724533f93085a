import type { Failure } from "../contract/Failure.ts"
import type { FailureTable, TypedBody } from "../contract/wire.ts"
import { failureUnion, typedBody } from "../contract/wire.ts"

const row = (status: number, type: string) => ({ status, code: type, type })

/** How `/v1/messages` says each failure (docs/api.md#errors-of-messages), over HTTP and inside a stream. */
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

/** Every way a messages endpoint can fail. */
export const MessagesError = failureUnion("Messages", table, typedBody)

/** The family's body for a failure, as the in-band `error` frame and a failed task carry it. */
export const errorBody = (failure: Failure): TypedBody => typedBody.encode(failure, table[failure._tag])
