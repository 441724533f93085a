import type { Limits } from "../contract/Caller.ts"
import type { Limits as Written } from "./sections/Model.ts"

/** Limits as the configuration file spells them. */
export const limitsOf = (written: Written): Limits => ({
  requestsPerMinute: written.requests_per_minute,
  tokensPerMinute: written.tokens_per_minute,
  concurrentRequests: written.concurrent_requests,
  concurrentTasks: written.concurrent_tasks
})
