import { Cause } from "effect"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Admitted, NotAdmitted } from "./admit.ts"
import type { Attempts } from "./Attempts.ts"
import { fallbackReasonOf } from "./Fallbacks.ts"
import type { Fallbacks } from "./Fallbacks.ts"

type Admission = Admitted | NotAdmitted

interface Asking {
  /** Admits the request to another model. */
  readonly admit: (model: Model) => Admission
  /** Asks the routes of a model, within its limits and at its price. */
  readonly ask: (admitted: Admitted) => Future<Generation, Failure>
  /** The calls to all models. */
  readonly attempts: Attempts
  readonly fallbacks: Fallbacks
  /** True if the client has left: then no other model is asked. */
  readonly isLeft: () => boolean
}

/**
 * Asks a request's model, and others if that one does not answer. Each is admitted, limited and paid for as if it had
 * been requested. If none answers, the caller sees why the requested one did not.
 */
export const withFallbacks = (
  model: Model,
  admission: Admission,
  { admit, ask, attempts, fallbacks, isLeft }: Asking
): Future<Generation, Failure> => {
  const first = (): Future<Generation, Failure> => {
    if (!("fitting" in admission)) return after(model, admission, fallbackReasonOf(admission))
    return ask(admission).catchAll((failure) => {
      if (attempts.failure !== failure) return Future.fail(failure)
      attempts.remember()
      return after(model, failure, fallbackReasonOf(failure))
    })
  }
  const after = (
    last: Model,
    failure: Failure,
    reason: ReturnType<typeof fallbackReasonOf>
  ): Future<Generation, Failure> => {
    const next = isLeft() ? undefined : fallbacks.next(last, reason)
    if (next === undefined) {
      if (attempts.failure !== undefined) attempts.neverBegan(Cause.fail(failure))
      attempts.recall()
      return Future.fail(failure)
    }
    const admission = admit(next)
    if (!("fitting" in admission)) return after(next, failure, fallbackReasonOf(admission))
    return ask(admission).catchAll((error) => after(next, failure, fallbackReasonOf(error)))
  }
  return first()
}
