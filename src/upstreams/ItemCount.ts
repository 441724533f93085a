import { answerBounds } from "../contract/jsonBounds.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"

/** Counts what an answer consists of: texts, reasoning, calls, searches and what they found, citations. */
export class ItemCount {
  #items = 0
  #last: GenerationEvent["type"] | undefined

  /** Whether an answer is longer with this event than any is read. */
  exceeds(event: GenerationEvent): boolean {
    // Nearly all of a stream.
    if (event.type === this.#last && isDelta.has(event.type)) return false
    // The first piece behind a start is of the same item.
    this.#last =
      event.type === "text-start" ? "text-delta" : event.type === "reasoning-start" ? "reasoning-delta" : event.type
    this.#items += sizeOf(event)
    return this.#items > answerBounds.items
  }
}

const isDelta: ReadonlySet<GenerationEvent["type"]> = new Set(["text-delta", "reasoning-delta", "refusal-delta"])

const sizeOf = (event: GenerationEvent): number => {
  switch (event.type) {
    // Another kind of text than before is another item.
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
