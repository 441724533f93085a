import { Clock, Context, Duration, Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { RequestStore } from "./store/RequestStore.ts"

/** How long requests are kept, and how many at most. */
export class RequestRetention extends Context.Tag("gateway/requests/RequestRetention")<
  RequestRetention,
  { readonly keep: Duration.Duration; readonly maxRows: number }
>() {}

/** Few enough that no stream waits for the statement. */
const batch = 500

const sweep = Effect.gen(function* () {
  const store = yield* RequestStore
  const { keep, maxRows } = yield* RequestRetention
  const nowMs = yield* Clock.currentTimeMillis
  const removed = yield* store.removeOld(nowMs - Duration.toMillis(keep), maxRows, batch)
  return Effect.sleep(removed > 0 ? "50 millis" : "1 minute")
})

/** Removes requests whose time is over, and the oldest of too many, a few at a time. */
export const RequestExpiry = Layer.scopedDiscard(daemon("requestExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
