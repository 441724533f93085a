import type { Limits } from "../contract/callers/Caller.ts"
import type { KeyLimits } from "./sections/Model.ts"

/** Limits as the configuration file spells them. */
export const limitsOf = (written: KeyLimits): Limits => ({
  requestsPerMinute: written.requests_per_minute,
  tokensPerMinute: written.tokens_per_minute,
  concurrentRequests: written.concurrent_requests,
  concurrentTasks: written.concurrent_tasks,
  ...(written.unfinished !== undefined && { unfinished: written.unfinished })
})
