import type { Failure } from "../contract/failures/Failure.ts"
import type { SpendingCap } from "../contract/callers/SpendingCap.ts"

/** A refusal as a program gets it that a person has signed in. */
export interface AgentRefusal {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The refusals that Claude Code acts on where it signed in with `/login` (`GET /protocol` of its own gateway: "Errors",
 * "Usage-limit headers"); undefined for those that are the same for everyone.
 */
export const agentRefusal = (failure: Failure, requestId: string, nowMs: number): AgentRefusal | undefined => {
  switch (failure._tag) {
    case "ModelForbidden":
    case "Unpriced":
      return { status: 400, body: bodyOf("invalid_request_error", failure.message, requestId), headers: {} }
    case "QuotaExceeded":
      return {
        status: 429,
        body: bodyOf("billing_error", failure.message, requestId),
        headers: { ...rejected, ...againAt(failure, nowMs) }
      }
    case "InsufficientBalance":
      return { status: 429, body: bodyOf("billing_error", failure.message, requestId), headers: rejected }
    default:
      return undefined
  }
}

const bodyOf = (type: string, message: string, requestId: string) => ({
  type: "error",
  error: { type, message },
  request_id: requestId
})

/** Without `overage-status` and `representative-claim`: with them the client shows words of its own. */
const rejected = {
  "x-should-retry": "false",
  "anthropic-ratelimit-unified-status": "rejected",
  "anthropic-ratelimit-unified-overage-utilization": "1",
  "anthropic-ratelimit-unified-overage-surpassed-threshold": "1",
  "anthropic-ratelimit-unified-overage-disabled-reason": "org_spend_cap_reached"
}

const againAt = (
  { period, resetsAtMs }: Extract<Failure, { readonly _tag: "QuotaExceeded" }>,
  nowMs: number
): Readonly<Record<string, string>> => {
  if (resetsAtMs === undefined) return {}
  const at = String(Math.ceil(resetsAtMs / 1_000))
  return {
    "retry-after": String(Math.max(1, Math.ceil((resetsAtMs - nowMs) / 1_000))),
    "anthropic-ratelimit-unified-reset": at,
    "anthropic-ratelimit-unified-overage-reset": at,
    ...(period === undefined ? {} : { "anthropic-ratelimit-unified-overage-period": period })
  }
}

/** From which part of a cap on the client warns. */
const thresholds = [0.95, 0.75]

/** Tells a program how much of its person's cap is used; the client warns beyond three quarters. */
export const tellSpending = (headers: Record<string, string>, { limit, resetsAtMs, used }: SpendingCap): void => {
  // Below 1 as long as requests are allowed.
  const part = Math.min(0.99, Math.max(0, used / limit))
  const surpassed = thresholds.find((threshold) => part >= threshold)
  const status = surpassed === undefined ? "allowed" : "allowed_warning"
  const at = String(Math.ceil(resetsAtMs / 1_000))
  headers["anthropic-ratelimit-unified-status"] = status
  headers["anthropic-ratelimit-unified-representative-claim"] = "overage"
  headers["anthropic-ratelimit-unified-overage-status"] = status
  headers["anthropic-ratelimit-unified-overage-utilization"] = part.toFixed(2)
  if (surpassed !== undefined) {
    headers["anthropic-ratelimit-unified-overage-surpassed-threshold"] = String(surpassed)
  }
  headers["anthropic-ratelimit-unified-reset"] = at
  headers["anthropic-ratelimit-unified-overage-reset"] = at
}
