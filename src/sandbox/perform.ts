import { withOrigin } from "../generation/origin.ts"
import type { FinishReason, GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { UpstreamFailed } from "../contract/failures/Failure.ts"
import { countText, eachWord, firstTokens } from "../tokens/tokenizer.ts"
import { failureOf } from "./directive.ts"
import type { Directive } from "./directive.ts"
import type { Script, ScriptItem } from "./script.ts"
import { asServed } from "./serving.ts"

/** The events of a generation, created lazily. Returns true if the stream then goes silent instead of ending. */
export type Performance = Generator<GenerationEvent, boolean>

/**
 * Plays a script within the caller's limits: stop sequences, the token limit, the directive's cut and stall. Each token
 * counts once, in order. A tool call that does not fit completely is left out.
 *
 * @param isWordwise true to emit text word by word, false in one piece
 */
export const perform = function* (
  script: Script,
  conversation: Conversation,
  directive: Directive,
  inputTokens: number,
  isWordwise: boolean
): Performance {
  const most = conversation.maxOutputTokens ?? Infinity
  const limit = Math.min(most, directive.cut ?? Infinity, directive.stall ?? Infinity)
  yield { type: "started", usage: { ...noUsage, inputTokens } }
  const performer = new Performer(limit, isWordwise, conversation.stopSequences)
  for (const item of script.items) if (!(yield* performer.say(item))) break

  const { serving } = directive
  const usage: Usage = asServed(
    {
      ...noUsage,
      inputTokens,
      outputTokens: performer.tokens,
      reasoningTokens: performer.reasoningTokens,
      searches: performer.searches
    },
    serving
  )
  yield { type: "usage", usage }
  const isMaxed = performer.isFull && limit === most
  if (
    directive.stall !== undefined &&
    !(isMaxed && most < directive.stall) &&
    directive.stall <= (directive.cut ?? Infinity)
  ) {
    return true
  }
  if (directive.cut !== undefined && !(isMaxed && most < directive.cut)) {
    yield { type: "failed", failure: cutFailure(directive) }
    return false
  }
  const reason: FinishReason = isMaxed
    ? "max-tokens"
    : performer.stopSequence === null
      ? script.reason
      : "stop-sequence"
  const tier = serving.served?.tier
  yield {
    type: "finished",
    reason,
    stopSequence: isMaxed ? null : performer.stopSequence,
    ...(tier !== undefined && { serviceTier: tier })
  }
  return false
}

const cutFailure = ({ cut, error }: Directive) =>
  error === undefined
    ? new UpstreamFailed({ message: `The sandbox broke the stream after ${cut} tokens, as the directive asked` })
    : failureOf(error)

/** The events of an item. Returns true if more items may follow. */
type Saying = Generator<GenerationEvent, boolean>

class Performer {
  tokens = 0
  reasoningTokens = 0
  searches = 0
  /** True once something was left out because of the limit. */
  isFull = false
  stopSequence: string | null = null
  readonly #limit: number
  readonly #isWordwise: boolean
  readonly #stops: ReadonlyArray<string>

  constructor(limit: number, isWordwise: boolean, stops: ReadonlyArray<string>) {
    this.#limit = limit
    this.#isWordwise = isWordwise
    this.#stops = stops
  }

  *say(item: ScriptItem): Saying {
    switch (item.type) {
      case "reasoning":
        return yield* this.#reason(item)
      case "text":
        return yield* this.#write(item)
      case "refusal":
        for (const text of this.#pieces(item.text)) yield { type: "refusal-delta", text }
        return !this.isFull
      case "tool-call":
        return yield* this.#call(item)
      case "search":
        return yield* this.#search(item)
    }
  }

  *#reason(item: ScriptItem & { readonly type: "reasoning" }): Saying {
    if (!this.#hasRoom()) return false
    const before = this.tokens
    yield { type: "reasoning-start" }
    for (const text of this.#pieces(item.text)) if (item.isReadable) yield { type: "reasoning-delta", text }
    this.reasoningTokens += this.tokens - before
    yield { type: "reasoning-end", signature: withOrigin({ by: "sandbox" }, item.signature) }
    return !this.isFull
  }

  *#write(item: ScriptItem & { readonly type: "text" }): Saying {
    if (!this.#hasRoom()) return false
    const [text, stop] = untilStop(item.text, this.#stops)
    let written = 0
    let cited = 0
    yield { type: "text-start" }
    for (const piece of this.#pieces(text)) {
      yield { type: "text-delta", text: piece }
      written += piece.length
      for (let next = item.citations[cited]; next !== undefined && next.end <= written; next = item.citations[cited]) {
        yield { type: "citation", citation: next }
        cited++
      }
    }
    yield { type: "text-end" }
    if (!this.isFull) this.stopSequence = stop
    if (item.isCut === true && stop === null) this.isFull = true
    return !this.isFull && stop === null
  }

  *#call(item: ScriptItem & { readonly type: "tool-call" }): Saying {
    const { callId, kind, name } = item
    const tokens = countText(name) + countText(item.arguments)
    if (item.isCut === true || this.tokens + tokens > this.#limit) {
      this.isFull = true
      return false
    }
    this.tokens += tokens
    yield { type: "tool-call-start", callId, name, kind }
    if (!this.#isWordwise) yield { type: "tool-call-delta", callId, text: item.arguments }
    else for (const { text } of eachWord(item.arguments)) yield { type: "tool-call-delta", callId, text }
    yield { type: "tool-call-end", callId }
    return true
  }

  *#search(item: ScriptItem & { readonly type: "search" }): Saying {
    const { id, outcome, query } = item
    const tokens = countText(query)
    if (this.tokens + tokens > this.#limit) {
      this.isFull = true
      return false
    }
    this.tokens += tokens
    if (outcome.type === "results") this.searches++
    yield { type: "search-start", id, query }
    yield { type: "search-end", id, outcome }
    return true
  }

  /** A text up to the limit, which is then reached if the text was cut. */
  *#pieces(text: string): Generator<string, void> {
    if (!this.#isWordwise) {
      const tokens = countText(text)
      if (this.tokens + tokens <= this.#limit) {
        this.tokens += tokens
        if (text !== "") yield text
        return
      }
    }
    for (const word of eachWord(text)) {
      const room = this.#limit - this.tokens
      if (word.tokens > room) {
        const part = room > 0 ? firstTokens(word.text, room) : ""
        if (part !== "") yield part
        this.tokens = this.#limit
        this.isFull = true
        return
      }
      this.tokens += word.tokens
      yield word.text
    }
  }

  #hasRoom(): boolean {
    if (this.tokens < this.#limit) return true
    this.isFull = true
    return false
  }
}

/** The text before its first stop sequence, and that sequence. */
const untilStop = (text: string, stops: ReadonlyArray<string>): readonly [string, string | null] => {
  let end = text.length
  let matched: string | null = null
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop)
    if (at !== -1 && at < end) {
      end = at
      matched = stop
    }
  }
  return [end === text.length ? text : text.slice(0, end), matched]
}
