import type { Failure } from "./Failure.ts"
import type { FailureRow } from "../wire.ts"

const invalid = { type: "invalid_request_error", code: "invalid_params" } as const
const unauthorized: FailureRow = { status: 401, code: "auth_invalid", type: "authentication_error" }
const unpaid: FailureRow = { status: 402, code: "insufficient_quota", type: "insufficient_quota_error" }
const forbidden: FailureRow = { status: 403, code: "permission_error", type: "permission_error" }
const unknown: FailureRow = { status: 404, code: "invalid_request_error", type: "invalid_request_error" }
const failed: FailureRow = { status: 500, code: "server_error", type: "server_error" }

/**
 * Status, code and type of each failure: those of responses (docs/api.md#errors-of-responses) and of endpoints outside the
 * families. Other families take these rows and override those that differ; only Anthropic's types are all its own.
 */
export const failureRows = {
  InvalidRequest: { status: 400, ...invalid },
  AuthMissing: unauthorized,
  AuthInvalid: unauthorized,
  InsufficientBalance: unpaid,
  QuotaExceeded: unpaid,
  ModelForbidden: forbidden,
  Unpriced: forbidden,
  UnknownModel: { status: 400, ...invalid },
  Forbidden: forbidden,
  NotFound: unknown,
  UnknownRoute: unknown,
  Conflict: { status: 409, code: "conflict", type: "invalid_request_error" },
  TooLarge: { status: 413, ...invalid },
  UnsupportedEncoding: { status: 415, ...invalid },
  Undecodable: { status: 422, ...invalid },
  RateLimited: { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" },
  UpstreamFailed: failed,
  ToolsFailed: { status: 424, code: "http_error", type: "external_connector_error" },
  Unavailable: { status: 503, code: "server_error", type: "server_error" },
  Internal: failed
} as const satisfies Record<Failure["_tag"], FailureRow>
