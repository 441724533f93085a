import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { toEffect } from "../flow/toEffect.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { Limits } from "../limits/Limits.ts"
import type { Admitted, AdmissionRequest, NotAdmitted } from "./admit.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import type { Observers } from "./observers.ts"
import { Work } from "./Work.ts"

type Admit = (caller: Caller, conversation: Conversation, asked: AdmissionRequest) => Admitted | NotAdmitted

/**
 * Fails if the caller's limits or money would refuse a request now, and keeps nothing of what it takes to find out. For
 * what costs others something before a request begins. The model's own limits are left to its beginning.
 */
export const makeAffords =
  (admit: Admit, limits: Pick<Limits, "begin">, ledger: Pick<Ledger, "open">, observers: Observers) =>
  (
    caller: Caller,
    conversation: Conversation,
    request: Incoming,
    asked: AdmissionRequest,
    options: GenerationOptions
  ): Effect.Effect<void, Failure> =>
    Effect.suspend(() => {
      const admitted = admit(caller, conversation, asked)
      // Another model may answer instead.
      if (!("fitting" in admitted)) return Effect.void
      const work = new Work(caller, admitted, request, options, observers)
      const { id } = work.entry
      return Effect.acquireUseRelease(
        toEffect(
          () => limits.begin(caller, { id }, () => work.limitedTokens()),
          (admission) => admission.done(0)
        ),
        () => Effect.uninterruptible(Effect.map(ledger.open(work), (charge) => charge.release())),
        (admission) => Effect.sync(() => admission.done(0))
      )
    })
