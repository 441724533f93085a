import { AccountId } from "../../src/contract/callers/Caller.ts"
import { RateLimited, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import type { Batch, Generation } from "../../src/generation/Generation.ts"
import type { Rest } from "../../src/generation/Rest.ts"
import type { UpstreamTrouble } from "../../src/generation/UpstreamTrouble.ts"
import { plainLane } from "../../src/routing/Lane.ts"
import type { Lane, Requester } from "../../src/routing/Lane.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"

/** A generation that says one word, and counts how often it was cancelled. */
export const word = (text: string, last?: Failure): Generation & { readonly cancelled: () => number } => {
  const batches: Array<Batch> = [
    [{ type: "text-delta", text }],
    [last === undefined ? { type: "finished", reason: "stop", stopSequence: null } : { type: "failed", failure: last }]
  ]
  let cancelled = 0
  return { next: () => batches.shift(), cancel: () => void cancelled++, cancelled: () => cancelled }
}

interface Refusal {
  readonly retry?: UpstreamError["retry"]
  readonly failure?: Failure
  readonly retryAfterMs?: number
  readonly trouble?: UpstreamTrouble
  readonly rests?: Rest
}

/** An account with a request in a lane, the same at every route. */
export const requester = (account: string, lane: Partial<Lane> & { readonly tokens?: number } = {}): Requester => {
  const { tokens = 0, ...others } = lane
  return { account: AccountId.make(account), laneAt: () => ({ ...plainLane, size: () => tokens, ...others }) }
}

export const refused = ({ failure, rests, retry = "again", retryAfterMs, trouble }: Refusal = {}) =>
  new UpstreamError({ failure: failure ?? new UpstreamFailed({}), retry, retryAfterMs, status: 500, trouble, rests })

export const tooMany = (retryAfterSeconds: number | null, rests: Rest = { part: "lane" }) =>
  refused({
    rests,
    failure: new RateLimited({ retryAfterSeconds }),
    trouble: "saturated",
    ...(retryAfterSeconds === null ? {} : { retryAfterMs: retryAfterSeconds * 1_000 })
  })
