import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { earlierNow } from "../sql/earlierNow.ts"
import { OldRows } from "./store/OldRows.ts"
import { RequestDays } from "./store/RequestDays.ts"
import { RequestStore } from "./store/RequestStore.ts"

/** How long, and how many, request rows are kept; and how long those of usage and the audit log are. */
export class RequestRetention extends Context.Tag("gateway/requests/RequestRetention")<
  RequestRetention,
  {
    readonly keep: Duration.Duration
    readonly maxRows: number
    readonly usage: Option.Option<Duration.Duration>
    readonly audit: Option.Option<Duration.Duration>
  }
>() {}

/** Rows per deletion, few enough not to delay streams. */
const batch = 500

/** How long the results of calls that used up an approval are kept, for a client that asks again. */
const resultsMs = 24 * 3_600_000

const sweep = Effect.gen(function* () {
  const store = yield* RequestStore
  const { audit, keep, maxRows, usage } = yield* RequestRetention
  const oldRows = yield* OldRows
  const nowMs = yield* earlierNow(yield* SqlClient.SqlClient)
  const removed = yield* store.removeOld(nowMs - Duration.toMillis(keep), maxRows, batch)
  const forgotten = yield* store.forgetResults(nowMs - resultsMs, batch)
  let old = 0
  for (const [table, kept] of [["usage", usage] as const, ["audit", audit] as const]) {
    if (Option.isSome(kept)) old += yield* oldRows.remove(table, nowMs - Duration.toMillis(kept.value), nowMs)
  }
  const added = yield* (yield* RequestDays).addNext(nowMs)
  return Effect.sleep(removed + forgotten + old + added > 0 ? "50 millis" : "1 minute")
})

/**
 * Reaper of request rows: deletes expired rows, and the oldest beyond the maximum, in small batches; and old rows of usage
 * and the audit log. It also adds up the days that are over.
 */
export const RequestExpiry = Layer.scopedDiscard(daemon("requestExpiry", sweep, backoff)).pipe(
  Layer.provide([Daemons.Default, OldRows.Default, RequestDays.Default])
)
