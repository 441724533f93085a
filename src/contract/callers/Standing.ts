import type { RateLimited } from "../failures/Failure.ts"

/** A caller's use of a per-minute limit. */
export interface Standing {
  readonly limit: number
  /** 0 if the limit is exhausted. */
  readonly left: number
  /** Ms from `atMs` until the window resets. */
  readonly resetMs: number
  /** Time of the reading, in Unix ms. */
  readonly atMs: number
}

/** The rate limiter's decision on a request, with the caller's standing; `undefined` without a limit. */
export interface Admitted {
  readonly requests: Standing | undefined
  readonly tokens: Standing | undefined
  /** Present if the request is refused. */
  readonly refusal: RateLimited | undefined
}

/** Writes a caller's standing into reply headers, with the family's names. */
export type TellStanding = (headers: Record<string, string>, kind: "requests" | "tokens", standing: Standing) => void
