import { reasoningItem } from "../generation/origin.ts"
import type { Item } from "../generation/Conversation.ts"
import type { Batch } from "../generation/Generation.ts"
import type { FinishReason, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { countText } from "../tokens/tokens.ts"
import type { Citer } from "./Citer.ts"

/** The end of a model's turn. */
export type RoundEnd =
  | { readonly type: "finished"; readonly reason: FinishReason; readonly stopSequence: string | null }
  /** Already sent to the client. */
  | { readonly type: "failed" }

/**
 * One turn of a model that may search: emits the caller's part, intercepts calls of the search, and collects the items
 * for the next turn. The caller's own calls are held back behind a search.
 */
export class Round {
  /** The arguments of the requested searches, in order. */
  readonly searches: Array<{ arguments: string }> = []
  usage: Usage | undefined
  end: RoundEnd | undefined
  hasCalled = false
  private readonly name: string
  private readonly citer: Citer
  private readonly isFirst: boolean
  private readonly byCall = new Map<string, { arguments: string }>()
  private readonly heldBack: Array<GenerationEvent> = []
  private readonly items: Array<Item> = []
  private text = ""
  private reasoning = ""
  private written = ""

  /** @param name the search function's name */
  constructor(name: string, citer: Citer, isFirst: boolean) {
    this.name = name
    this.citer = citer
    this.isFirst = isFirst
  }

  /** The events of a batch that the client gets now. */
  take(batch: Batch): ReadonlyArray<GenerationEvent> {
    const passed: Array<GenerationEvent> = []
    for (const event of batch) {
      this.step(event, passed)
      if (this.end !== undefined) break
    }
    return passed
  }

  /** The caller's calls that were held back. */
  held(): ReadonlyArray<GenerationEvent> {
    return this.heldBack
  }

  /** The turn's text and reasoning, for the next turn. */
  said(): ReadonlyArray<Item> {
    this.closeReasoning(undefined)
    const text: ReadonlyArray<Item> =
      this.text === "" ? [] : [{ type: "message", role: "assistant", content: [{ type: "text", text: this.text }] }]
    return [...this.items, ...text]
  }

  /** The generated tokens, for an upstream that reports none. */
  countOutput(): number {
    return countText(this.written)
  }

  private step(event: GenerationEvent, passed: Array<GenerationEvent>) {
    switch (event.type) {
      case "started":
        this.usage = event.usage ?? this.usage
        if (this.isFirst) passed.push(event)
        return
      case "usage":
        this.usage = event.usage
        return
      case "text-delta":
        this.text += event.text
        this.written += event.text
        passed.push(...this.citer.write(event.text))
        return
      case "tool-call-start":
      case "tool-call-delta":
      case "tool-call-end":
        return this.call(event, passed)
      case "finished":
        passed.push(...this.citer.end())
        this.end = event
        return
      case "failed":
        passed.push(...this.citer.end(), event)
        this.end = { type: "failed" }
        return
      case "citation":
        passed.push(event)
        return
      default:
        passed.push(...this.citer.end(), event)
        this.remember(event)
    }
  }

  private call(
    event: Extract<GenerationEvent, { type: "tool-call-start" | "tool-call-delta" | "tool-call-end" }>,
    passed: Array<GenerationEvent>
  ) {
    if (event.type === "tool-call-start") {
      this.written += event.name
      if (event.name === this.name) {
        const search = { arguments: "" }
        this.searches.push(search)
        this.byCall.set(event.callId, search)
        return
      }
      this.hasCalled = true
      // If an id is used twice, it means the later call.
      this.byCall.delete(event.callId)
    }
    if (event.type === "tool-call-delta") this.written += event.text
    const search = this.byCall.get(event.callId)
    if (search !== undefined) {
      if (event.type === "tool-call-delta") search.arguments += event.text
      return
    }
    if (this.searches.length > 0) this.heldBack.push(event)
    else passed.push(...this.citer.end(), event)
  }

  private remember(event: GenerationEvent) {
    switch (event.type) {
      case "reasoning-delta":
        this.reasoning += event.text
        this.written += event.text
        return
      case "reasoning-end":
        return this.closeReasoning(event.signature)
      case "redacted-reasoning":
        this.closeReasoning(undefined)
        this.items.push(reasoningItem({ text: "", redacted: event.data }))
        return
      case "refusal-delta":
        this.written += event.text
    }
  }

  private closeReasoning(signature: string | undefined) {
    if (this.reasoning === "" && signature === undefined) return
    this.items.push(reasoningItem({ text: this.reasoning, signature }))
    this.reasoning = ""
  }
}
