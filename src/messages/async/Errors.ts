import { codedBody, failureUnion } from "../../contract/wire.ts"

const invalidUrl = { status: 400, code: "invalid_url", type: "invalid_request_error" } as const
const unauthorized = { status: 401, code: "auth_invalid", type: "authentication_error" } as const
const failed = { status: 500, code: "server_error", type: "server_error" } as const

/**
 * The form of each failure in task queries (docs/api.md#errors-of-task-queries). The rest is as in the responses
 * family.
 */
export const TasksError = failureUnion(
  "Tasks",
  {
    InvalidRequest: invalidUrl,
    UnknownRoute: invalidUrl,
    AuthMissing: unauthorized,
    AuthInvalid: unauthorized,
    Forbidden: { status: 403, code: "permission_error", type: "permission_error" },
    NotFound: { status: 404, code: "task_not_found", type: "invalid_request_error" },
    TooLarge: { status: 413, code: "invalid_params", type: "invalid_request_error" },
    UnsupportedEncoding: { status: 415, code: "invalid_params", type: "invalid_request_error" },
    Undecodable: { status: 422, code: "invalid_params", type: "invalid_request_error" },
    RateLimited: { status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" },
    UpstreamFailed: failed,
    Unavailable: { status: 503, code: "server_error", type: "server_error" },
    Internal: failed
  },
  codedBody({ param: false })
)
