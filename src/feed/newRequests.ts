import { Clock, Effect } from "effect"
import type { RequestStore } from "../requests/store/RequestStore.ts"
import type { Look } from "./News.ts"

/** Rows of one look. */
const most = 200
/** For so long a row may come to light after one with a higher id, in ms: another node's, whose transaction ends later. */
const lateMs = 1_000

/** Requests as they are stored. */
export const newRequests = (store: RequestStore): Look => {
  /** Everything up to here has been told. */
  let floor = 0
  /** What has been told beyond it: by id, when. */
  let told = new Map<number, number>()
  const page = (after: number) => store.list({}, { before: undefined, limit: most, after })

  return {
    begin: Effect.map(store.list({}, { before: undefined, limit: 1 }), ({ data: [last] }) => {
      floor = last?.id ?? 0
      told = new Map()
    }),
    look: Effect.gen(function* () {
      const { data } = yield* page(floor)
      const nowMs = yield* Clock.currentTimeMillis
      const fresh = data.filter(({ id }) => !told.has(id)).toReversed()
      const first = fresh[0]
      // The page was too short where it is full of what nobody has seen.
      const skipped = fresh.length < most || first === undefined ? 0 : first.id - 1 - Math.max(floor, ...told.keys())
      for (const { id } of fresh) told.set(id, nowMs)
      for (const [id, toldMs] of told) if (toldMs < nowMs - lateMs) floor = Math.max(floor, id)
      for (const id of told.keys()) if (id <= floor) told.delete(id)
      return { requests: fresh, skipped: Math.max(0, skipped) }
    })
  }
}
