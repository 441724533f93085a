import { Effect } from "effect"

/** As of a process that SIGINT ended: who reads the output must not take an empty one for a token. */
const stoppedBySignal = 130

/** A command that a signal stops fails, unlike others. */
export const failsIfStopped = Effect.onInterrupt(() => Effect.sync(() => process.exit(stoppedBySignal)))
