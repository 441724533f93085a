import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { toEffect } from "../flow/toEffect.ts"
import type { Limits } from "./Limits.ts"

/** Counts a request that came over no connection. Fails if its caller may have no more of them for now. */
export const countRequest = ({ admit }: Pick<Limits, "admit">, caller: Caller): Effect.Effect<void, RateLimited> =>
  Effect.flatMap(
    toEffect(() => admit(caller)),
    ({ refusal }) => refusal ?? Effect.void
  )
