import { Effect } from "effect"
import { RetryAfter } from "../routing/RetryAfter.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { makeFailedAttempts } from "./Attempts.ts"
import { makeUsageDoubts } from "./usageDoubts.ts"

/** Services that observe failed calls, lanes that rest, and implausible usage. */
export const makeObservers = Effect.all({
  failedAttempts: makeFailedAttempts,
  coolDowns: Effect.map(Effect.clock, (clock) => new RetryAfter(clock)),
  upstreams: TextUpstreams,
  reportDoubt: makeUsageDoubts
})

export type Observers = Effect.Effect.Success<typeof makeObservers>
