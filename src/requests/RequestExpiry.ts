import { Clock, Context, Duration, Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { RequestStore } from "./store/RequestStore.ts"

/** How long, and how many, request rows are kept. */
export class RequestRetention extends Context.Tag("gateway/requests/RequestRetention")<
  RequestRetention,
  { readonly keep: Duration.Duration; readonly maxRows: number }
>() {}

/** Rows per deletion, few enough not to delay streams. */
const batch = 500

/** How long the results of calls that used up an approval are kept, for a client that asks again. */
const resultsMs = 24 * 3_600_000

const sweep = Effect.gen(function* () {
  const store = yield* RequestStore
  const { keep, maxRows } = yield* RequestRetention
  const nowMs = yield* Clock.currentTimeMillis
  const removed = yield* store.removeOld(nowMs - Duration.toMillis(keep), maxRows, batch)
  const forgotten = yield* store.forgetResults(nowMs - resultsMs, batch)
  return Effect.sleep(removed + forgotten > 0 ? "50 millis" : "1 minute")
})

/** Reaper of request rows: deletes expired rows, and the oldest beyond the maximum, in small batches. */
export const RequestExpiry = Layer.scopedDiscard(daemon("requestExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
