import { failureRows } from "../contract/failures/failureRows.ts"
import { codedBody, failureUnion } from "../contract/wire.ts"

const invalidUrl = { status: 404, code: "invalid_url", type: "invalid_request_error" } as const
const forbidden = { status: 403, code: "permission_denied", type: "authentication_error" } as const
const noBalance = { status: 402, code: "insufficient_balance", type: "authentication_error" } as const
const internal = { status: 500, code: "internal_server_error", type: "server_error" } as const

/** Renders failures of video tasks (docs/api.md#errors-of-video-tasks); `param` is always null. */
export const VideosError = failureUnion(
  "Videos",
  {
    ...failureRows,
    AuthMissing: { ...failureRows.AuthMissing, code: "auth_missing" },
    InsufficientBalance: noBalance,
    QuotaExceeded: noBalance,
    ModelForbidden: forbidden,
    Unpriced: forbidden,
    Forbidden: forbidden,
    NotFound: invalidUrl,
    UnknownRoute: invalidUrl,
    UpstreamFailed: internal,
    ToolsFailed: internal,
    Internal: internal
  },
  codedBody({ param: false })
)
