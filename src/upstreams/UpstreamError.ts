import { Data } from "effect"
import type { Failure } from "../contract/Failure.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"

/** A call that an upstream, or the way to it, refused before anything was generated. */
export class UpstreamError extends Data.TaggedError("UpstreamError")<{
  /** What the caller is told where nobody else answers. */
  readonly failure: Failure
  /**
   * Whether another try makes sense: `again` at this upstream too (overload, a broken connection), `elsewhere` at
   * another one (a key of ours it rejects, a model it lacks), `never` where the caller's input is at fault.
   */
  readonly retry: "again" | "elsewhere" | "never"
  /** How long the upstream asks us to wait before the next try, in ms. */
  readonly retryAfterMs: number | undefined
  /** The upstream's HTTP status; undefined where no answer came. */
  readonly status: number | undefined
  /** Undefined where the request itself may have caused the failure: it says nothing to other accounts. */
  readonly trouble?: UpstreamTrouble | undefined
  /** Without an answer: nothing was sent, so nothing can have been done. Where it isn't said, something may have been. */
  readonly neverSent?: boolean
  /** The gateway kept the call back itself: nobody was asked. */
  readonly keptBack?: boolean
  /** The upstream's own id of the call. */
  readonly upstreamRequestId?: string | undefined
  /** For the log: what the upstream said, without secrets, or why no answer came (`ECONNREFUSED`). */
  readonly said?: string | undefined
}> {}
