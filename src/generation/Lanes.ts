import type { Citation, SearchOutcome } from "./Conversation.ts"
import type { Logprobs } from "./GenerationEvent.ts"
import type { ServerCallResult, ShownTool } from "./ServerCall.ts"

export type OpenItem =
  | { readonly type: "text" }
  | { readonly type: "refusal" }
  | { readonly type: "reasoning" }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string }
  | {
      readonly type: "tool-call"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  | { readonly type: "search"; readonly id: string; readonly query: string }
  | { readonly type: "server-tools"; readonly server: string; readonly tools: ReadonlyArray<ShownTool> }
  | {
      readonly type: "server-call"
      readonly id: string
      readonly server: string
      readonly tool: string
      readonly approval?: string | undefined
    }
  | { readonly type: "approval-asked"; readonly server: string; readonly tool: string; readonly arguments: string }

/** An event of the ordered items. */
export type ItemEvent =
  | { readonly type: "open"; readonly item: OpenItem }
  | { readonly type: "delta"; readonly text: string; readonly logprobs?: Logprobs }
  | { readonly type: "citation"; readonly citation: Citation }
  /** The arguments of a server's tool are whole. */
  | { readonly type: "written" }
  | {
      readonly type: "close"
      readonly signature: string | undefined
      readonly outcome: SearchOutcome | undefined
      /** Of a call of a server's tool; absent if it has none. */
      readonly result?: ServerCallResult | undefined
      /** The upstream did not end it; the end of the generation did. */
      readonly isCut: boolean
    }

interface Closing {
  readonly signature?: string | undefined
  readonly outcome?: SearchOutcome
  readonly result?: ServerCallResult
}

/** An item that has started. */
interface Lane {
  readonly item: OpenItem
  /** Its events from the time when an earlier item was open. */
  waiting: Array<ItemEvent>
  hasEnded: boolean
  signature: string | undefined
  outcome: SearchOutcome | undefined
  result: ServerCallResult | undefined
}

type Loose = "text" | "refusal" | "reasoning"

/**
 * The open items. Events of the first one are emitted; those of the others wait until all items before them are closed.
 * Every method returns the events to emit and takes constant time.
 */
export class Lanes {
  #queue: Array<Lane> = []
  /** The index of the first open item. */
  #first = 0
  /** Text, refusals and reasoning have no ids: the next item ends them, so at most the last item is one of them. */
  #loose: Lane | undefined
  /** Calls and searches by id, until they end; undefined marks an ended one. */
  readonly #named = new Map<string, Lane | undefined>()

  /** Starts a call or a search. A repeated start changes nothing. */
  start(id: string, item: OpenItem): ReadonlyArray<ItemEvent> {
    if (this.#named.has(id)) return none
    const lane = laneOf(item)
    this.#named.set(id, lane)
    return this.#enter(lane)
  }

  open(item: OpenItem & { readonly type: Loose }): ReadonlyArray<ItemEvent> {
    const lane = laneOf(item)
    const events = this.#enter(lane)
    this.#loose = lane
    return events
  }

  /** Adds a complete item. */
  tell(item: OpenItem): ReadonlyArray<ItemEvent> {
    const lane = laneOf(item)
    lane.hasEnded = true
    return this.#enter(lane)
  }

  /** Continues an open item of this type, or starts one. */
  write(type: Loose, text: string, logprobs?: Logprobs): ReadonlyArray<ItemEvent> {
    if (text === "") return none
    const delta: ItemEvent = logprobs === undefined ? { type: "delta", text } : { type: "delta", text, logprobs }
    // The common case.
    if (this.#loose?.item.type === type) return this.#push(this.#loose, delta)
    const opened = this.open({ type })
    return this.#loose === undefined ? opened : [...opened, ...this.#push(this.#loose, delta)]
  }

  cite(citation: Citation): ReadonlyArray<ItemEvent> {
    return this.#loose?.item.type === "text" ? this.#push(this.#loose, { type: "citation", citation }) : none
  }

  writeCall(id: string, text: string): ReadonlyArray<ItemEvent> {
    const lane = this.#named.get(id)
    const isCall = lane?.item.type === "tool-call" || lane?.item.type === "server-call"
    return text === "" || !isCall ? none : this.#push(lane, { type: "delta", text })
  }

  /** The arguments of a call of a server's tool are whole. */
  written(id: string): ReadonlyArray<ItemEvent> {
    const lane = this.#named.get(id)
    return lane?.item.type === "server-call" ? this.#push(lane, { type: "written" }) : none
  }

  /** True if an item of this type is open. */
  isOpen(type: Loose): boolean {
    return this.#loose?.item.type === type
  }

  endLoose(type: Loose, closing: Closing = {}): ReadonlyArray<ItemEvent> {
    return this.#loose?.item.type === type ? this.#end(this.#loose, closing) : none
  }

  end(type: "tool-call" | "search" | "server-call", id: string, closing: Closing = {}): ReadonlyArray<ItemEvent> {
    const lane = this.#named.get(id)
    if (lane?.item.type !== type) return none
    this.#named.set(id, undefined)
    return this.#end(lane, closing)
  }

  /** The events that close every open item. The state does not change. */
  finish(): ReadonlyArray<ItemEvent> {
    const events: Array<ItemEvent> = []
    for (let at = this.#first; at < this.#queue.length; at++) {
      const lane = this.#queue[at]
      if (lane === undefined) break
      for (const event of lane.waiting) events.push(event)
      const outcome = lane.outcome ?? (lane.hasEnded ? undefined : unanswered(lane.item))
      events.push({ type: "close", signature: lane.signature, outcome, result: lane.result, isCut: !lane.hasEnded })
    }
    return events
  }

  #enter(lane: Lane): ReadonlyArray<ItemEvent> {
    if (this.#loose !== undefined) this.#loose.hasEnded = true
    this.#loose = undefined
    const opening: ItemEvent = { type: "open", item: lane.item }
    const isAlone = this.#first === this.#queue.length
    this.#queue.push(lane)
    // Usually no other item is open.
    if (isAlone && !lane.hasEnded) return [opening]
    lane.waiting.push(opening)
    return this.#flush()
  }

  #push(lane: Lane, event: ItemEvent): ReadonlyArray<ItemEvent> {
    if (lane === this.#queue[this.#first]) return [event]
    lane.waiting.push(event)
    return none
  }

  #end(lane: Lane, { outcome, result, signature }: Closing): ReadonlyArray<ItemEvent> {
    if (lane === this.#loose) this.#loose = undefined
    lane.hasEnded = true
    lane.signature = signature
    lane.outcome = outcome
    lane.result = result
    return this.#flush()
  }

  /** Emits the first item's events. If it has ended, closes it and continues with the next one. */
  #flush(): ReadonlyArray<ItemEvent> {
    const events: Array<ItemEvent> = []
    for (let lane = this.#queue[this.#first]; lane !== undefined; lane = this.#queue[this.#first]) {
      for (const event of lane.waiting) events.push(event)
      lane.waiting = []
      if (!lane.hasEnded) break
      const { outcome, result, signature } = lane
      events.push({ type: "close", signature, outcome, result, isCut: false })
      this.#first++
    }
    if (2 * this.#first > this.#queue.length) {
      this.#queue.splice(0, this.#first)
      this.#first = 0
    }
    return events
  }
}

const none: ReadonlyArray<ItemEvent> = []

const laneOf = (item: OpenItem): Lane => ({
  item,
  waiting: [],
  hasEnded: false,
  signature: undefined,
  outcome: undefined,
  result: undefined
})

const unanswered = (item: OpenItem): SearchOutcome | undefined =>
  item.type === "search" ? { type: "error", code: "unavailable" } : undefined
