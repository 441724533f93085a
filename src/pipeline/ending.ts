import { UpstreamFailed } from "../contract/Failure.ts"
import type { Generation, GenerationEnding } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** What an answer does when its generation ends. */
export interface Ending<S> {
  /** Runs when the generation has ended well, before the last frames leave: what it stores is there when they arrive. */
  readonly commit?: (state: S) => Promise<void> | undefined
  /** Runs when a stream's generation has failed in its midst, before that is told. */
  readonly failing?: (state: S) => Promise<void> | undefined
  /** Runs once, however it ended. */
  readonly ended?: (state: S, how: GenerationEnding) => void
}

/** What the last frames wait for: the family's own commit and the generation's, side by side so that they share one. */
export const storing = <S>(
  options: Ending<S> & { readonly generation: Generation },
  state: S
): Promise<unknown> | undefined => {
  const settled = options.generation.settled?.()
  const committed = options.commit?.(state)
  return settled === undefined || committed === undefined ? (settled ?? committed) : Promise.all([settled, committed])
}

/** What a generation that just stops amounts to. */
export const upstreamEnded: GenerationEvent = {
  type: "failed",
  failure: new UpstreamFailed({ message: "The model's upstream ended before its answer did" })
}
