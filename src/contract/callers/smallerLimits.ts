import type { Limits } from "./Caller.ts"

/** The smaller of each limit. */
export const smallerLimits = (one: Limits, other: Limits): Limits => ({
  requestsPerMinute: least(one.requestsPerMinute, other.requestsPerMinute),
  tokensPerMinute: least(one.tokensPerMinute, other.tokensPerMinute),
  concurrentRequests: least(one.concurrentRequests, other.concurrentRequests),
  concurrentTasks: least(one.concurrentTasks, other.concurrentTasks),
  unfinished: one.unfinished ?? other.unfinished
})

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
