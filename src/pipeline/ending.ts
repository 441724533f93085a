import { UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Generation, GenerationEnding } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** The steps at the end of a generation. */
export interface Ending<S> {
  /** Stores a finished answer. The last frames wait for it. */
  readonly keep?: (state: S) => Promise<void> | undefined
  /** Stores a stream that failed midway. The failure is sent after it; its own failure is ignored. */
  readonly keepFailed?: (state: S) => Promise<void> | undefined
  /** Runs once, however the generation ended. */
  readonly ended?: (state: S, how: GenerationEnding) => void
}

/** A generation and the steps at its end. */
export interface Running<S> extends Ending<S> {
  readonly generation: Generation
  /** Releases what the request claimed; runs last. */
  readonly release?: ((how: GenerationEnding) => void) | undefined
}

/** Starts both writes that the last frames wait for, the family's and the charge's, so that they share a commit. */
export const storeEnd = <S>(running: Running<S>, state: S): Promise<unknown> | undefined => {
  const settled = running.generation.settled?.()
  const kept = running.keep?.(state)
  return settled === undefined || kept === undefined ? (settled ?? kept) : Promise.all([settled, kept])
}

/** Ends a generation and tells its family. */
export const finish = <S>({ ended, generation, release }: Running<S>, state: S, how: GenerationEnding): void => {
  generation.cancel(how)
  ended?.(state, how)
  release?.(how)
}

/** The event for a generation that stops without an ending. */
export const upstreamEnded: GenerationEvent = {
  type: "failed",
  failure: new UpstreamFailed({ message: "The model's upstream ended before its answer did" })
}
