import { Effect } from "effect"
import { makeFailedAttempts } from "./Attempts.ts"
import { makeUsageDoubts } from "./usageDoubts.ts"

/** Services that observe failed calls and implausible usage. */
export const makeObservers = Effect.all({
  failedAttempts: makeFailedAttempts,
  reportDoubt: makeUsageDoubts
})

export type Observers = Effect.Effect.Success<typeof makeObservers>
