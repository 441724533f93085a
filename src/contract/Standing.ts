import type { RateLimited } from "./Failure.ts"

/** Where a caller stands against how much a minute allows. */
export interface Standing {
  readonly limit: number
  /** 0 where it is used up. */
  readonly left: number
  /** Until the count begins afresh, from `atMs` on. */
  readonly resetMs: number
  /** When it stood so, in Unix ms. */
  readonly atMs: number
}

/** Whether a request may come in, and where its caller stands; `undefined` where nothing is counted. */
export interface Admitted {
  readonly requests: Standing | undefined
  readonly tokens: Standing | undefined
  /** Why it may not. */
  readonly refusal: RateLimited | undefined
}

/** Says on a reply where its caller stands, in the words of its family. */
export type TellStanding = (headers: Record<string, string>, kind: "requests" | "tokens", standing: Standing) => void
