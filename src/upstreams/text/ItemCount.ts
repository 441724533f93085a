import type { UpstreamFailed } from "../../contract/failures/Failure.ts"
import { answerBounds } from "../../contract/json/jsonBounds.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { tooManyItems, tooMuchText } from "../protocols/upstreamFailure.ts"

/** The most text of an answer, in UTF-16 units. Encoders keep all of it, and write it several times. */
const mostText = 32 * 1024 * 1024

/** Counts the items of an answer (texts, reasoning, images, calls, searches and their results, citations) and their length. */
export class ItemCount {
  #items = 0
  #length = 0
  #last: GenerationEvent["type"] | undefined

  /** The failure of an answer that has more than the gateway reads. */
  excess(event: GenerationEvent): UpstreamFailed | undefined {
    if ("text" in event) this.#length += event.text.length
    else if ("data" in event) this.#length += event.data.length
    if (this.#length > mostText) return tooMuchText
    return this.#countItems(event) ? tooManyItems : undefined
  }

  #countItems(event: GenerationEvent): boolean {
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
    case "image":
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
