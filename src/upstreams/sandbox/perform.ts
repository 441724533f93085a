import type { FinishReason, GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { UpstreamFailed } from "../../contract/Failure.ts"
import { countText, firstTokens, splitWords } from "../../generation/tokenizer.ts"
import { failureOf } from "./directive.ts"
import type { Directive } from "./directive.ts"
import type { Script, ScriptItem } from "./script.ts"

/** The events of a generation, and whether it goes silent after them instead of ending. */
export interface Performance {
  readonly events: ReadonlyArray<GenerationEvent>
  readonly staysSilent: boolean
}

/**
 * Plays a script within the caller's limits: stop sequences, the token limit, the directive's cut and stall. Every token
 * counts once, in the order it is said; a tool call that does not fit whole is not begun.
 *
 * @param isWordwise whether text comes word by word or in one piece
 */
export const perform = (
  script: Script,
  conversation: Conversation,
  directive: Directive,
  inputTokens: number,
  isWordwise: boolean
): Performance => {
  const most = conversation.maxOutputTokens ?? Infinity
  const limit = Math.min(most, directive.cut ?? Infinity, directive.stall ?? Infinity)
  const events: Array<GenerationEvent> = [{ type: "started", usage: { ...noUsage, inputTokens } }]
  const said = new Said(events, limit, isWordwise, conversation.stopSequences)
  for (const item of script.items) if (!said.say(item)) break

  const usage: Usage = {
    ...noUsage,
    inputTokens,
    outputTokens: said.tokens,
    reasoningTokens: said.reasoningTokens,
    searches: said.searches
  }
  events.push({ type: "usage", usage })
  const isMaxed = said.isFull && limit === most
  if (
    directive.stall !== undefined &&
    !(isMaxed && most < directive.stall) &&
    directive.stall <= (directive.cut ?? Infinity)
  ) {
    return { events, staysSilent: true }
  }
  if (directive.cut !== undefined && !(isMaxed && most < directive.cut)) {
    events.push({ type: "failed", failure: cutFailure(directive) })
    return { events, staysSilent: false }
  }
  const reason: FinishReason = isMaxed ? "max-tokens" : said.stopSequence === null ? script.reason : "stop-sequence"
  events.push({ type: "finished", reason, stopSequence: isMaxed ? null : said.stopSequence })
  return { events, staysSilent: false }
}

const cutFailure = ({ cut, error }: Directive) =>
  error === undefined
    ? new UpstreamFailed({ message: `The sandbox broke the stream after ${cut} tokens, as the directive asked` })
    : failureOf(error)

class Said {
  tokens = 0
  reasoningTokens = 0
  searches = 0
  /** Whether something was left out because the limit was reached. */
  isFull = false
  stopSequence: string | null = null
  readonly #events: Array<GenerationEvent>
  readonly #limit: number
  readonly #isWordwise: boolean
  readonly #stops: ReadonlyArray<string>

  constructor(events: Array<GenerationEvent>, limit: number, isWordwise: boolean, stops: ReadonlyArray<string>) {
    this.#events = events
    this.#limit = limit
    this.#isWordwise = isWordwise
    this.#stops = stops
  }

  /** Answers whether there may be more. */
  say(item: ScriptItem): boolean {
    switch (item.type) {
      case "reasoning":
        return this.#reason(item)
      case "text":
        return this.#write(item)
      case "refusal":
        return this.#pieces(item.text, (text) => this.#events.push({ type: "refusal-delta", text }))
      case "tool-call":
        return this.#call(item)
      case "search":
        return this.#search(item)
    }
  }

  #reason(item: ScriptItem & { readonly type: "reasoning" }): boolean {
    if (!this.#hasRoom()) return false
    const before = this.tokens
    this.#events.push({ type: "reasoning-start" })
    const fits = this.#pieces(item.text, (text) => {
      if (item.isReadable) this.#events.push({ type: "reasoning-delta", text })
    })
    this.reasoningTokens += this.tokens - before
    this.#events.push({ type: "reasoning-end", signature: item.signature })
    return fits
  }

  #write(item: ScriptItem & { readonly type: "text" }): boolean {
    if (!this.#hasRoom()) return false
    const [text, stop] = untilStop(item.text, this.#stops)
    let written = 0
    let cited = 0
    this.#events.push({ type: "text-start" })
    const fits = this.#pieces(text, (piece) => {
      this.#events.push({ type: "text-delta", text: piece })
      written += piece.length
      for (let next = item.citations[cited]; next !== undefined && next.end <= written; next = item.citations[cited]) {
        this.#events.push({ type: "citation", citation: next })
        cited++
      }
    })
    this.#events.push({ type: "text-end" })
    if (fits) this.stopSequence = stop
    return fits && stop === null
  }

  #call(item: ScriptItem & { readonly type: "tool-call" }): boolean {
    const { callId, kind, name } = item
    const tokens = countText(name) + countText(item.arguments)
    if (this.tokens + tokens > this.#limit) {
      this.isFull = true
      return false
    }
    this.tokens += tokens
    this.#events.push({ type: "tool-call-start", callId, name, kind })
    const pieces = this.#isWordwise ? splitWords(item.arguments).map(({ text }) => text) : [item.arguments]
    for (const text of pieces) this.#events.push({ type: "tool-call-delta", callId, text })
    this.#events.push({ type: "tool-call-end", callId })
    return true
  }

  #search(item: ScriptItem & { readonly type: "search" }): boolean {
    const { id, outcome, query } = item
    const tokens = countText(query)
    if (this.tokens + tokens > this.#limit) {
      this.isFull = true
      return false
    }
    this.tokens += tokens
    if (outcome.type === "results") this.searches++
    this.#events.push({ type: "search-start", id, query }, { type: "search-end", id, outcome })
    return true
  }

  /** Says a text as far as the limit allows; answers whether all of it was said. */
  #pieces(text: string, emit: (piece: string) => void): boolean {
    if (!this.#isWordwise) {
      const tokens = countText(text)
      if (this.tokens + tokens <= this.#limit) {
        this.tokens += tokens
        if (text !== "") emit(text)
        return true
      }
    }
    for (const word of splitWords(text)) {
      const room = this.#limit - this.tokens
      if (word.tokens > room) {
        const part = room > 0 ? firstTokens(word.text, room) : ""
        if (part !== "") emit(part)
        this.tokens = this.#limit
        this.isFull = true
        return false
      }
      this.tokens += word.tokens
      emit(word.text)
    }
    return true
  }

  #hasRoom(): boolean {
    if (this.tokens < this.#limit) return true
    this.isFull = true
    return false
  }
}

/** The text up to the first stop sequence in it, and that sequence. */
const untilStop = (text: string, stops: ReadonlyArray<string>): readonly [string, string | null] => {
  let end = text.length
  let found: string | null = null
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop)
    if (at !== -1 && at < end) {
      end = at
      found = stop
    }
  }
  return [end === text.length ? text : text.slice(0, end), found]
}
