import type { Failure } from "../contract/failures/Failure.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { jitter, unreachableDelay } from "../tasks/backoff.ts"
import { maxAttempts } from "../tasks/maxAttempts.ts"
import type { HeldLine } from "./store/BatchRow.ts"

interface Wait {
  /** `waits`: for a limit, so that fewer lines of the batch run. `failed`: for its upstream. */
  readonly how: "waits" | "failed"
  readonly delayMs: number
  /** How often the line has failed, with its node or at its upstream. */
  readonly attempts: number
}

/** The delays after failures that the line itself may have caused, in ms. */
const failedDelays = [1_000, 10_000, 60_000, 300_000]

/**
 * How a line whose request failed goes on; undefined if it ends. No client is waiting, so limits and an upstream that is
 * away are waited for until the batch expires. Other failures of upstreams, which may bill them, count as attempts.
 */
export const waitAfter = (
  failure: Failure,
  { attempts, tries }: Pick<HeldLine, "attempts" | "tries">,
  { mayBeAtFault }: Pick<RequestRecord, "mayBeAtFault">,
  random: number
): Wait | undefined => {
  const delayMs = unreachableDelay(tries, random)
  if (failure._tag === "Unavailable") return { how: "waits", delayMs, attempts }
  if (failure._tag === "RateLimited")
    return failure.neverFits === true ? undefined : { how: "waits", delayMs, attempts }
  if (failure._tag !== "UpstreamFailed") return undefined
  if (!mayBeAtFault) return { how: "failed", delayMs, attempts }
  const failedMs = attempts + 1 < maxAttempts ? failedDelays[attempts] : undefined
  return failedMs === undefined
    ? undefined
    : { how: "failed", delayMs: jitter(failedMs, random), attempts: attempts + 1 }
}
