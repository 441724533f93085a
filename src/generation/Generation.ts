import type { GenerationEvent } from "./GenerationEvent.ts"

/** How a generation ended; `hang-up` is the client's. */
export type GenerationEnding = "finished" | "failed" | "hang-up"

/** The events that one chunk of an upstream held; never empty. */
export type Batch = ReadonlyArray<GenerationEvent>

/**
 * One running generation, pulled by whoever answers the client. Plain functions and promises: per-token work pays for
 * no fiber. Every way it can end arrives as an event (`finished` or `failed`), so `next` never rejects.
 */
export interface Generation {
  /** The next events; undefined once `finished` or `failed` was given. One call at a time. */
  readonly next: () => Batch | undefined | Promise<Batch | undefined>
  /**
   * Stops the work and frees what it holds, at once and any number of times; a waiting `next` then answers undefined.
   * @param how why it is stopped, where that matters to whoever pays for it; a hang-up unless said otherwise
   */
  readonly cancel: (how?: GenerationEnding) => void
  /** Asked once `finished` was given: what must be stored before the last frames leave; undefined is nothing. */
  readonly settled?: () => Promise<void> | undefined
  /** Whether the answer comes in the caller's own dialect, as `native` events. */
  readonly passthrough?: true
  /** Names of what the caller asked for and the upstream can't carry (`top_k`); undefined is nothing. */
  readonly adapted?: ReadonlyArray<string>
  /** The upstream's own id of the call; undefined where it has none. */
  readonly upstreamRequestId?: string
}
