import { outcomeOf } from "../src/requests/outcome.ts"
import type { RequestHistogram } from "../src/requests/RequestHistogram.ts"
import type { RequestView } from "../src/requests/RequestView.ts"

/** Numbers of requests of a time, by outcome. */
export interface Bucket {
  readonly time: number
  readonly well: number
  readonly refused: number
  readonly failed: number
}

interface Counts {
  requests: number
  refused: number
  failed: number
  usd: number
}

const nothing = (): Counts => ({ requests: 0, refused: 0, failed: 0, usd: 0 })

/** Numbers of requests by time and outcome: the gateway's counts, or row by row, plus new ones. */
export const requestTally = (widthMs: number) => {
  const buckets = new Map<number, Counts>()
  const total = nothing()
  const bucketOf = (ms: number): Counts => {
    const at = Math.floor(ms / widthMs) * widthMs
    let bucket = buckets.get(at)
    if (bucket === undefined) buckets.set(at, (bucket = nothing()))
    return bucket
  }
  return {
    widthMs,
    total: (): Readonly<Counts> => total,
    add(rows: ReadonlyArray<RequestView>) {
      for (const row of rows) {
        const outcome = outcomeOf(row)
        for (const counts of [bucketOf(Date.parse(row.time)), total]) {
          counts.requests += 1
          counts.usd += row.cost_usd ?? 0
          if (outcome === "refused") counts.refused += 1
          else if (outcome === "failed" || outcome === "cut") counts.failed += 1
        }
      }
    },
    /** Adds the gateway's counts. */
    addAll({ data }: RequestHistogram) {
      for (const { cost_usd: usd, failed, refused, requests, time } of data) {
        for (const counts of [bucketOf(Date.parse(time)), total]) {
          counts.requests += requests
          counts.refused += refused
          counts.failed += failed
          counts.usd += usd
        }
      }
    },
    /** The buckets of a time span. */
    between(from: number, to: number): ReadonlyArray<Bucket> {
      const first = Math.floor(from / widthMs) * widthMs
      return Array.from({ length: Math.max(1, Math.ceil((to - first) / widthMs)) }, (_, index) => {
        const time = first + index * widthMs
        const { failed, refused, requests } = buckets.get(time) ?? nothing()
        return { time, well: requests - refused - failed, refused, failed }
      })
    }
  }
}
export type RequestTally = ReturnType<typeof requestTally>

const nice = [
  100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5
]
/** A round bucket width, in ms. */
export const niceWidth = (leastMs: number): number => nice.find((width) => width >= leastMs) ?? 864e5
