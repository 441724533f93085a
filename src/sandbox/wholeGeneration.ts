import type { Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** A generation that is over as soon as it begins. */
export const wholeGeneration = (events: ReadonlyArray<GenerationEvent>): Generation => {
  let left: ReadonlyArray<GenerationEvent> | undefined = events
  return {
    passthrough: true,
    next: () => {
      const batch = left
      left = undefined
      return batch
    },
    cancel: () => {
      left = undefined
    }
  }
}
