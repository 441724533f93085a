import { codedBody, failureUnion } from "../contract/wire.ts"

const invalidUrl = { status: 404, code: "invalid_url", type: "invalid_request_error" } as const
const forbidden = { status: 403, code: "permission_denied", type: "authentication_error" } as const
const noBalance = { status: 402, code: "insufficient_balance", type: "authentication_error" } as const
const internal = { status: 500, code: "internal_server_error", type: "server_error" } as const

/** Renders failures of video tasks (docs/api.md#errors-of-video-tasks); `param` is always null. */
export const VideosError = failureUnion(
  "Videos",
  {
    InvalidRequest: { status: 400, code: "invalid_params", type: "invalid_request_error" },
    AuthMissing: { status: 401, code: "auth_missing", type: "authentication_error" },
    AuthInvalid: { status: 401, code: "auth_invalid", type: "authentication_error" },
    InsufficientBalance: noBalance,
    QuotaExceeded: noBalance,
    ModelForbidden: forbidden,
    Unpriced: forbidden,
    UnknownModel: { status: 400, code: "invalid_params", type: "invalid_request_error" },
    Forbidden: forbidden,
    NotFound: invalidUrl,
    UnknownRoute: invalidUrl,
    Conflict: { status: 409, code: "conflict", type: "invalid_request_error" },
    TooLarge: { status: 413, code: "invalid_params", type: "invalid_request_error" },
    UnsupportedEncoding: { status: 415, code: "invalid_params", type: "invalid_request_error" },
    Undecodable: { status: 422, code: "invalid_params", type: "invalid_request_error" },
    RateLimited: { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" },
    UpstreamFailed: internal,
    Unavailable: { status: 503, code: "server_error", type: "server_error" },
    Internal: internal
  },
  codedBody({ param: false })
)
