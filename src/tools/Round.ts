import { reasoningItem } from "../generation/origin.ts"
import type { Item } from "../generation/Conversation.ts"
import type { Batch } from "../generation/Generation.ts"
import type { FinishReason, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { countText } from "../tokens/tokens.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import type { ServerCall, ServerTool, TextFilter } from "./ServerTool.ts"

/** A call of a server tool in a round. */
export interface WrittenCall {
  readonly tool: ServerTool
  readonly call: ServerCall
}

interface OpenCall extends WrittenCall {
  readonly call: ServerCall & { arguments: string }
  readonly isAsking: boolean
}

/** The end of a model's round. */
export type RoundEnd =
  | { readonly type: "finished"; readonly reason: FinishReason; readonly stopSequence: string | null }
  /** Already sent to the client. */
  | { readonly type: "failed" }

/**
 * One round of a model with server tools: emits the caller's part, intercepts calls of those tools, and collects the
 * items for the next round. The caller's own calls are held back behind them.
 */
export class Round {
  /** The calls of server tools that may run, in order. */
  readonly calls: Array<WrittenCall> = []
  /** Those that need the caller's approval. */
  readonly asking: Array<WrittenCall> = []
  usage: Usage | undefined
  end: RoundEnd | undefined
  hasCalled = false
  private readonly tools: ReadonlyArray<ServerTool>
  private readonly filter: TextFilter | undefined
  private readonly isFirst: boolean
  private readonly byCall = new Map<string, OpenCall>()
  private readonly heldBack: Array<GenerationEvent> = []
  private readonly items: Array<Item> = []
  /** The searches that ran on the model's side, by id. */
  private readonly queries = new Map<string, string>()
  private text = ""
  private reasoning = ""
  private written = ""

  constructor(tools: ReadonlyArray<ServerTool>, filter: TextFilter | undefined, isFirst: boolean) {
    this.tools = tools
    this.filter = filter
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

  /** The last events of a round that the caller answers: its own calls that were held back, then the approvals. */
  left(): ReadonlyArray<GenerationEvent> {
    return [...this.heldBack, ...this.asking.flatMap(({ call, tool }) => tool.asks?.(call) ?? [])]
  }

  /** True if the caller answers the round: it has calls of the caller's tools, or asks for approvals. */
  get isLeft(): boolean {
    return this.hasCalled || this.asking.length > 0
  }

  /** The round's text and reasoning, for the next round. */
  said(): ReadonlyArray<Item> {
    this.closeReasoning(undefined)
    const text: ReadonlyArray<Item> =
      this.text === "" ? [] : [{ type: "message", role: "assistant", content: [{ type: "text", text: this.text }] }]
    return [...this.items, ...text]
  }

  /** How many searches ran on the model's side. */
  get searches(): number {
    return this.queries.size
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
        if (this.filter === undefined) passed.push(event)
        else passed.push(...this.filter.write(event.text))
        return
      case "tool-call-start":
      case "tool-call-delta":
      case "tool-call-end":
        return this.call(event, passed)
      case "finished":
        passed.push(...this.endText())
        this.end = event
        return
      case "failed":
        passed.push(...this.endText(), event)
        this.end = { type: "failed" }
        return
      case "citation":
        passed.push(event)
        return
      default:
        passed.push(...this.endText(), event)
        this.remember(event)
    }
  }

  private call(
    event: Extract<GenerationEvent, { type: "tool-call-start" | "tool-call-delta" | "tool-call-end" }>,
    passed: Array<GenerationEvent>
  ) {
    if (event.type === "tool-call-start") {
      this.written += event.name
      const tool = this.tools.find(({ names }) => names.has(event.name))
      if (tool !== undefined) {
        const call = { id: randomHex(), name: event.name, arguments: "" }
        const isAsking = tool.asked?.has(event.name) === true
        ;(isAsking ? this.asking : this.calls).push({ tool, call })
        this.byCall.set(event.callId, { tool, call, isAsking })
        if (isAsking) return
        if (tool.opens !== undefined) passed.push(...this.endText(), ...tool.opens(call))
        return
      }
      this.hasCalled = true
      // If an id is used twice, it means the later call.
      this.byCall.delete(event.callId)
    }
    if (event.type === "tool-call-delta") this.written += event.text
    const own = this.byCall.get(event.callId)
    if (own !== undefined) {
      if (event.type !== "tool-call-delta") return
      own.call.arguments += event.text
      if (own.isAsking) return
      passed.push(...(own.tool.writes?.(own.call.id, event.text) ?? []))
      return
    }
    if (this.calls.length > 0) this.heldBack.push(event)
    else passed.push(...this.endText(), event)
  }

  private endText(): ReadonlyArray<GenerationEvent> {
    return this.filter?.end() ?? []
  }

  private remember(event: GenerationEvent) {
    switch (event.type) {
      case "search-start":
        this.closeReasoning(undefined)
        this.queries.set(event.id, event.query)
        return
      case "search-end":
        this.items.push({
          type: "search",
          id: event.id,
          query: this.queries.get(event.id) ?? "",
          outcome: event.outcome
        })
        return
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
