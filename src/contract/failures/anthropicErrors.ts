import type { Failure } from "./Failure.ts"
import type { FailureTable } from "../wire.ts"
import { failureUnion, typedBody } from "../wire.ts"

const row = (status: number, type: string) => ({ status, code: type, type })

/** The form of each failure in `/v1/messages` (docs/api.md#errors-of-messages), over HTTP and in a stream. */
export const messagesErrors: FailureTable<Failure["_tag"]> = {
  InvalidRequest: row(400, "invalid_request_error"),
  AuthMissing: row(401, "authentication_error"),
  AuthInvalid: row(401, "authentication_error"),
  InsufficientBalance: row(402, "insufficient_balance"),
  QuotaExceeded: row(403, "quota_exceeded"),
  ModelForbidden: row(403, "quota_exceeded"),
  Unpriced: row(403, "quota_exceeded"),
  UnknownModel: row(400, "invalid_request_error"),
  Forbidden: row(403, "permission_error"),
  UnknownRoute: row(404, "invalid_request_error"),
  NotFound: row(404, "invalid_request_error"),
  Conflict: row(409, "invalid_request_error"),
  TooLarge: row(413, "request_too_large"),
  UnsupportedEncoding: row(415, "invalid_request_error"),
  Undecodable: row(422, "invalid_request_error"),
  RateLimited: row(429, "rate_limit_error"),
  UpstreamFailed: row(500, "internal_server_error"),
  ToolsFailed: row(400, "invalid_request_error"),
  Unavailable: row(503, "internal_server_error"),
  Internal: row(500, "internal_server_error")
}

const notFound = row(404, "not_found_error")

/** The failures of Anthropic's clients at paths outside the families, in Anthropic's own words. */
export const AnthropicError = failureUnion(
  "Anthropic",
  { ...messagesErrors, UnknownRoute: notFound, NotFound: notFound },
  typedBody
)
