import { Effect } from "effect"
import { RetryAfter } from "../routing/RetryAfter.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { makeFailedAttempts } from "./Attempts.ts"
import { ReadOns } from "./ReadOns.ts"
import { makeUsageDoubts } from "./usageDoubts.ts"
import { makeServing } from "./waysServed.ts"

/** Services that observe failed calls, lanes that rest, implausible usage, and answers without clients. */
export const makeObservers = Effect.all({
  failedAttempts: makeFailedAttempts,
  coolDowns: Effect.map(Effect.clock, (clock) => new RetryAfter(clock)),
  upstreams: TextUpstreams,
  readOns: Effect.map(Effect.clock, (clock) => new ReadOns(clock)),
  reportDoubt: makeUsageDoubts,
  serving: makeServing
})

export type Observers = Effect.Effect.Success<typeof makeObservers>
