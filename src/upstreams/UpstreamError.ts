import { Data } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Rest } from "../generation/Rest.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"

/** A call that failed before anything was generated: the upstream refused it or could not be reached. */
export class UpstreamError extends Data.TaggedError("UpstreamError")<{
  /** The failure that the caller sees if no other route answers. */
  readonly failure: Failure
  /**
   * `again`: retry at this upstream too (overload, a broken connection). `elsewhere`: retry at another one (it rejects
   * our key, it lacks the model). `never`: the caller's input is at fault.
   */
  readonly retry: "again" | "elsewhere" | "never"
  /** The delay that the upstream asked for before a retry, in ms. */
  readonly retryAfterMs: number | undefined
  /** The upstream's HTTP status; undefined if there was no answer. */
  readonly status: number | undefined
  /**
   * Undefined where the request itself may have caused the failure, which then says nothing about other accounts'
   * calls.
   */
  readonly trouble?: UpstreamTrouble | undefined
  /** The part of the upstream that rests, if it refused for load (429, 498, 529, overload). */
  readonly rests?: Rest | undefined
  /** True if nothing was sent, so that the upstream cannot have done anything. If absent, it may have. */
  readonly neverSent?: boolean
  /** True if the gateway did not send the call at all. */
  readonly keptBack?: boolean
  /** True if the gateway stopped waiting for an answer, which the upstream may still make and bill. */
  readonly gaveUp?: boolean
  /** The upstream's id of the call. */
  readonly upstreamRequestId?: string | undefined
  /** For the log: the upstream's words without secrets, or the reason that no answer came (`ECONNREFUSED`). */
  readonly said?: string | undefined
}> {}

/** True if the key is refused, or its account has no money: the upstream itself is up. */
export const isUnusable = ({ trouble }: Pick<UpstreamError, "trouble">): boolean =>
  trouble === "refused-key" || trouble === "empty-account"

/** True if the error concerns the key of the call, or what its organisation has, so that another key may do better. */
export const isOfKey = (error: UpstreamError): boolean => {
  const { failure, rests, status, trouble } = error
  if (rests !== undefined) return rests !== "nothing" && rests.isOfEveryKey !== true
  if (trouble === "saturated") return status !== 529
  if (isUnusable(error)) return true
  return status === 402 || status === 429 || (status === 404 && failure._tag !== "UpstreamFailed")
}

/** The delay that an error inside an answer names, in ms. */
export const delayIn = (failure: Failure): number | undefined =>
  failure._tag === "RateLimited" && failure.retryAfterSeconds !== null ? failure.retryAfterSeconds * 1_000 : undefined

/** True if the model was not asked, whatever the request is: the upstream is down or takes no more, or was spared. */
export const isAway = ({ failure, keptBack, status, trouble }: UpstreamError): boolean =>
  keptBack === true ||
  trouble === "unreachable" ||
  failure._tag === "RateLimited" ||
  (status !== undefined && away.has(status))

/** 502 and 503 are also those of what stands before it. */
const away: ReadonlySet<number> = new Set([502, 503, 529])
