import { answerBounds } from "../contract/jsonBounds.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** Counts the items of an answer: texts, reasoning, calls, searches and their results, citations. */
export class ItemCount {
  #items = 0
  #last: GenerationEvent["type"] | undefined

  /** True once the answer has more items than the gateway reads. */
  exceeds(event: GenerationEvent): boolean {
    if (event.type === this.#last && isDelta.has(event.type)) return false
    // The first delta belongs to the item that its start event counted.
    this.#last =
      event.type === "text-start" ? "text-delta" : event.type === "reasoning-start" ? "reasoning-delta" : event.type
    this.#items += sizeOf(event)
    return this.#items > answerBounds.items
  }
}

const isDelta: ReadonlySet<GenerationEvent["type"]> = new Set(["text-delta", "reasoning-delta", "refusal-delta"])

const sizeOf = (event: GenerationEvent): number => {
  switch (event.type) {
    // A switch to another kind of text begins another item.
    case "text-delta":
    case "reasoning-delta":
    case "refusal-delta":
    case "text-start":
    case "reasoning-start":
    case "redacted-reasoning":
    case "tool-call-start":
    case "search-start":
    case "citation":
      return 1
    case "search-end":
      return event.outcome.type === "results" ? event.outcome.results.length : 0
    default:
      return 0
  }
}
