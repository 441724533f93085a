import { Effect, Option, Stream } from "effect"
import { exportReads } from "../../requests/requestExport.ts"
import { operatorView } from "../../requests/RequestView.ts"
import type { RequestView } from "../../requests/RequestView.ts"
import type { RequestFilter } from "../../requests/store/matching.ts"
import type { RequestStore } from "../../requests/store/RequestStore.ts"

/** The first `limit` matching requests, newest first, from as many pages as it takes. */
export const matchingRequests = (requests: RequestStore, filter: RequestFilter, limit: number) =>
  Effect.gen(function* () {
    const all: Array<RequestView> = []
    let before: number | undefined
    do {
      const page = yield* Effect.orDie(requests.list(filter, { before, limit: limit - all.length }))
      all.push(...page.data.map(operatorView))
      before = page.next
    } while (before !== undefined && all.length < limit)
    return all
  })

/** All matching requests, newest first, as they are read. */
export const everyRequest = (requests: RequestStore, filter: RequestFilter) =>
  Stream.paginateEffect(undefined, (before: number | undefined) =>
    Effect.map(exportReads(requests, filter)(before), ({ next, rows }) => [rows, Option.fromNullable(next)] as const)
  )

/** The most rows of one poll. */
const mostNew = 1_000

/** Each run of the inner effect gives the requests stored since the last run, oldest first. */
export const following = (requests: RequestStore, filter: RequestFilter) =>
  Effect.gen(function* () {
    const newest = yield* Effect.orDie(requests.list({}, { before: undefined, limit: 1 }))
    let seen = newest.data[0]?.id ?? 0
    return Effect.gen(function* () {
      const { data } = yield* Effect.orDie(requests.list(filter, { before: undefined, limit: mostNew, after: seen }))
      const inOrder = data.toReversed()
      seen = inOrder.at(-1)?.id ?? seen
      return inOrder.map(operatorView)
    })
  })
