import type { Failure } from "./Failure.ts"
import { codedBody, failureUnion, programCodeOf } from "./wire.ts"
import type { CodedBody, FailureRow } from "./wire.ts"

const invalid = { type: "invalid_request_error", code: "invalid_params" } as const
const unauthorized: FailureRow = { status: 401, code: "auth_invalid", type: "authentication_error" }
const unpaid: FailureRow = { status: 402, code: "insufficient_quota", type: "insufficient_quota_error" }
const forbidden: FailureRow = { status: 403, code: "permission_error", type: "permission_error" }
const unknown: FailureRow = { status: 404, code: "invalid_request_error", type: "invalid_request_error" }
const failed: FailureRow = { status: 500, code: "server_error", type: "server_error" }

/** Errors of responses (docs/api.md#errors-of-responses), and of endpoints outside the families. */
const table = {
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
  Unavailable: { status: 503, code: "server_error", type: "server_error" },
  Internal: failed
} as const satisfies Record<Failure["_tag"], FailureRow>

const body = codedBody({ param: true, upstreamCodes: true })

/** Errors as `{error: {code, message, param, type}}` with the responses family's codes. */
export const CodedError = failureUnion("Responses", table, body)

/** The same where OpenAI answers an unknown model with a 404, on which its clients fall back: chat completions, embeddings. */
export const ModelNotFoundError = failureUnion(
  "Completions",
  { ...table, UnknownModel: { status: 404, code: "model_not_found", type: "invalid_request_error" } },
  body
)

/** The status of such an error. */
export const codedStatus = ({ _tag }: Failure): number => table[_tag].status

/** The same error inside a stream, which has the upstream's code, if it told one. */
export const codedError = (failure: Failure): CodedBody["error"] => {
  const { error } = body.encode(failure, table[failure._tag])
  const upstreamCode = failure._tag === "InvalidRequest" ? failure.upstreamCode : undefined
  const code = programCodeOf(failure) ?? upstreamCode
  return code === undefined ? error : { ...error, code }
}
