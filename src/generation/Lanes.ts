import type { Citation, SearchOutcome } from "./Conversation.ts"

export type OpenItem =
  | { readonly type: "text" }
  | { readonly type: "refusal" }
  | { readonly type: "reasoning" }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  | {
      readonly type: "tool-call"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  | { readonly type: "search"; readonly id: string; readonly query: string }

/** What happens to one item after the other. */
export type ItemEvent =
  | { readonly type: "open"; readonly item: OpenItem }
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "citation"; readonly citation: Citation }
  | {
      readonly type: "close"
      readonly signature: string | undefined
      readonly outcome: SearchOutcome | undefined
      /** The upstream never ended it; the generation's end did. */
      readonly isCut: boolean
    }

interface Closing {
  readonly signature?: string | undefined
  readonly outcome?: SearchOutcome
}

/** An item that has begun. */
interface Lane {
  readonly item: OpenItem
  /** What has come for it while an item before it was open. */
  waiting: Array<ItemEvent>
  hasEnded: boolean
  signature: string | undefined
  outcome: SearchOutcome | undefined
}

type Loose = "text" | "refusal" | "reasoning"

/**
 * The items that are open. The first one is live, and its events go through; those of the others wait until the items
 * before them are closed. Every method answers the events that go out, and takes the same time however many are open.
 */
export class Lanes {
  #queue: Array<Lane> = []
  /** Where the live one stands: those before it are closed. */
  #first = 0
  /** Text, refusals and reasoning have no ids: what begins next ends them, so one of them is open at most, the last. */
  #loose: Lane | undefined
  /** Calls and searches wait for their end; undefined stands for one that has ended. */
  readonly #named = new Map<string, Lane | undefined>()

  /** A call or a search; a repeated start changes nothing. */
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

  /** An item that is whole. */
  tell(item: OpenItem): ReadonlyArray<ItemEvent> {
    const lane = laneOf(item)
    lane.hasEnded = true
    return this.#enter(lane)
  }

  /** Goes on with an open item of this type, or opens one. */
  write(type: Loose, text: string): ReadonlyArray<ItemEvent> {
    if (text === "") return none
    const delta: ItemEvent = { type: "delta", text }
    // Nearly all of a stream.
    if (this.#loose?.item.type === type) return this.#push(this.#loose, delta)
    const opened = this.open({ type })
    return this.#loose === undefined ? opened : [...opened, ...this.#push(this.#loose, delta)]
  }

  cite(citation: Citation): ReadonlyArray<ItemEvent> {
    return this.#loose?.item.type === "text" ? this.#push(this.#loose, { type: "citation", citation }) : none
  }

  writeCall(id: string, text: string): ReadonlyArray<ItemEvent> {
    const lane = this.#named.get(id)
    return text === "" || lane?.item.type !== "tool-call" ? none : this.#push(lane, { type: "delta", text })
  }

  /** Whether an item of this type is open. */
  isOpen(type: Loose): boolean {
    return this.#loose?.item.type === type
  }

  endLoose(type: Loose, closing: Closing = {}): ReadonlyArray<ItemEvent> {
    return this.#loose?.item.type === type ? this.#end(this.#loose, closing) : none
  }

  end(type: "tool-call" | "search", id: string, closing: Closing = {}): ReadonlyArray<ItemEvent> {
    const lane = this.#named.get(id)
    if (lane?.item.type !== type) return none
    this.#named.set(id, undefined)
    return this.#end(lane, closing)
  }

  /** What closes all that is open. The lanes stay as they are. */
  finish(): ReadonlyArray<ItemEvent> {
    const events: Array<ItemEvent> = []
    for (let at = this.#first; at < this.#queue.length; at++) {
      const lane = this.#queue[at]
      if (lane === undefined) break
      for (const event of lane.waiting) events.push(event)
      const outcome = lane.outcome ?? (lane.hasEnded ? undefined : unanswered(lane.item))
      events.push({ type: "close", signature: lane.signature, outcome, isCut: !lane.hasEnded })
    }
    return events
  }

  #enter(lane: Lane): ReadonlyArray<ItemEvent> {
    if (this.#loose !== undefined) this.#loose.hasEnded = true
    this.#loose = undefined
    const opening: ItemEvent = { type: "open", item: lane.item }
    const isAlone = this.#first === this.#queue.length
    this.#queue.push(lane)
    // Mostly nothing else is open, and the item goes on at once.
    if (isAlone && !lane.hasEnded) return [opening]
    lane.waiting.push(opening)
    return this.#flush()
  }

  #push(lane: Lane, event: ItemEvent): ReadonlyArray<ItemEvent> {
    if (lane === this.#queue[this.#first]) return [event]
    lane.waiting.push(event)
    return none
  }

  #end(lane: Lane, { outcome, signature }: Closing): ReadonlyArray<ItemEvent> {
    if (lane === this.#loose) this.#loose = undefined
    lane.hasEnded = true
    lane.signature = signature
    lane.outcome = outcome
    return this.#flush()
  }

  /** What the live one holds; closes it if it has ended, and goes on with the next one. */
  #flush(): ReadonlyArray<ItemEvent> {
    const events: Array<ItemEvent> = []
    for (let lane = this.#queue[this.#first]; lane !== undefined; lane = this.#queue[this.#first]) {
      for (const event of lane.waiting) events.push(event)
      lane.waiting = []
      if (!lane.hasEnded) break
      events.push({ type: "close", signature: lane.signature, outcome: lane.outcome, isCut: false })
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
  outcome: undefined
})

const unanswered = (item: OpenItem): SearchOutcome | undefined =>
  item.type === "search" ? { type: "error", code: "unavailable" } : undefined
