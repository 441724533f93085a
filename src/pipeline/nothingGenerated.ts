import type { Batch, Generation } from "../generation/Generation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"

/** A generation without output, which costs nothing. */
export const nothingGenerated = (): Generation => {
  let rest: Batch | undefined = [
    { type: "started", usage: noUsage },
    { type: "usage", usage: noUsage },
    { type: "finished", reason: "stop", stopSequence: null }
  ]
  return {
    next: () => {
      const batch = rest
      rest = undefined
      return batch
    },
    cancel: () => {}
  }
}
