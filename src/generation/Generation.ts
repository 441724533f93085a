import type { GenerationEvent } from "./GenerationEvent.ts"

/** The end of a generation. `hang-up`: the client disconnected. */
export type GenerationEnding = "finished" | "failed" | "hang-up"

/** The events of one upstream chunk, at least one. */
export type Batch = ReadonlyArray<GenerationEvent>

/**
 * A running generation, pulled by the client's response. Plain functions and promises: work per token must not cost a
 * fiber. Every end arrives as an event (`finished` or `failed`), so `next` never rejects.
 */
export interface Generation {
  /** The next events; undefined after `finished` or `failed`. One call at a time. */
  readonly next: () => Batch | undefined | Promise<Batch | undefined>
  /**
   * Stops the work and releases its resources at once. May be called any number of times; a pending `next` then
   * resolves to undefined.
   *
   * @param how the reason, for billing; defaults to `hang-up`
   */
  readonly cancel: (how?: GenerationEnding) => void
  /**
   * Called after `finished`: stores what must be durable before the last frames are sent; undefined if there is
   * nothing. After `cancel`: resolves once a generation is charged that is read on without its client.
   */
  readonly settled?: () => Promise<void> | undefined
  /** True if the answer passes through, as `passthrough` events in the caller's dialect. */
  readonly passthrough?: true
  /** Names of parameters that the upstream does not support (`top_k`); undefined if there are none. */
  readonly adapted?: ReadonlyArray<string>
  /** The upstream's headers that the caller gets. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  /** The upstream's id of the call; undefined if it gave none. */
  readonly upstreamRequestId?: string
}
