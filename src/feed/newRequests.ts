import { Clock, Effect } from "effect"
import type { RequestStore } from "../requests/store/RequestStore.ts"
import type { NewsPoll } from "./News.ts"

/** The most rows per poll. */
const most = 200
/** How much later than a row with a higher id a row may become visible, in ms (another node's longer transaction). */
const lateMs = 1_000

/** Newly stored requests. */
export const newRequests = (store: RequestStore): NewsPoll => {
  /** All rows up to this id were reported. */
  let floor = 0
  /** Rows beyond it that were reported: time by id. */
  let reported = new Map<number, number>()
  const page = (after: number) => store.list({}, { before: undefined, limit: most, after })

  return {
    begin: Effect.map(store.list({}, { before: undefined, limit: 1 }), ({ data: [last] }) => {
      floor = last?.id ?? 0
      reported = new Map()
    }),
    look: Effect.gen(function* () {
      const { data } = yield* page(floor)
      const nowMs = yield* Clock.currentTimeMillis
      const fresh = data.filter(({ id }) => !reported.has(id)).toReversed()
      const first = fresh[0]
      // A full page of new rows means that older ones were left out.
      const skipped =
        fresh.length < most || first === undefined ? 0 : first.id - 1 - Math.max(floor, ...reported.keys())
      for (const { id } of fresh) reported.set(id, nowMs)
      for (const [id, reportedMs] of reported) if (reportedMs < nowMs - lateMs) floor = Math.max(floor, id)
      for (const id of reported.keys()) if (id <= floor) reported.delete(id)
      return { requests: fresh, skipped: Math.max(0, skipped) }
    })
  }
}
