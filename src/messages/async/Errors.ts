import { Struct } from "effect"
import { failureRows } from "../../contract/failures/failureRows.ts"
import { codedBody, failureUnion } from "../../contract/wire.ts"

const invalidUrl = { status: 400, code: "invalid_url", type: "invalid_request_error" } as const

/**
 * The form of each failure in task queries (docs/api.md#errors-of-task-queries). The rest is as in the responses
 * family.
 */
export const TasksError = failureUnion(
  "Tasks",
  {
    InvalidRequest: invalidUrl,
    UnknownRoute: invalidUrl,
    ...Struct.pick(failureRows, "AuthMissing", "AuthInvalid", "Forbidden"),
    NotFound: { ...failureRows.NotFound, code: "task_not_found" },
    ...Struct.pick(failureRows, "TooLarge", "UnsupportedEncoding", "Undecodable", "RateLimited"),
    ...Struct.pick(failureRows, "UpstreamFailed", "Unavailable", "Internal")
  },
  codedBody({ param: false })
)
