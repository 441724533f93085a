import type { FailedEvent } from "../generation/GenerationEvent.ts"
import type { Requester } from "../routing/Lane.ts"
import type { RetryAfter } from "../routing/RetryAfter.ts"
import { delayIn, UpstreamError } from "../upstreams/UpstreamError.ts"
import type { AdmittedRoute } from "./admit.ts"

/** Rests the lane of an answer that was refused for load after its beginning had left: later calls go elsewhere. */
export const brokenLane = (
  work: Requester<AdmittedRoute> & { readonly route: AdmittedRoute | undefined },
  { failure, rests, trouble }: FailedEvent,
  coolDowns: RetryAfter
): void => {
  const { route } = work
  if (route === undefined) return
  const retryAfterMs = delayIn(failure)
  coolDowns.recordFailure(
    route,
    work,
    new UpstreamError({ failure, retry: "again", retryAfterMs, status: 200, trouble, rests })
  )
}
