import type { HostedCall } from "../contract/records/HostedCall.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { endOfString } from "../contract/json/endOfString.ts"
import { appendText } from "../generation/appendText.ts"
import { countText } from "../tokens/tokenizer.ts"

/** Collects the output of a generation, to count its tokens if the upstream reports no usage. */
export class Output {
  searches = 0
  /** Calls of other hosted tools. */
  readonly calls: Partial<Record<HostedCall, number>> = {}
  #text = ""
  #reasoning = ""
  /** The tokens of text that was let go of. */
  #textTokens = 0
  #reasoningTokens = 0
  #passthrough: PassthroughText | undefined

  take(event: GenerationEvent): void {
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
      case "tool-call-delta":
      case "server-call-delta":
        this.#text = appendText(this.#text, event.text)
        if (this.#text.length > mostHeld) this.#letGo()
        return
      case "tool-call-start":
        this.#text = appendText(this.#text, event.name)
        return
      case "reasoning-delta":
        this.#reasoning = appendText(this.#reasoning, event.text)
        if (this.#reasoning.length > mostHeld) this.#letGo()
        return
      case "search-end":
        this.searches++
        return
      case "image":
        this.#textTokens += imageTokens
        return
      case "passthrough":
        if (event.terminal ? event.isRepeated === true : event.isTold === true) return
        if (!event.terminal && event.called !== undefined) this.#called(event.called)
        ;(this.#passthrough ??= new PassthroughText()).add(event.terminal ? event.text : event.bytes)
    }
  }

  #called(call: HostedCall): void {
    if (call === "web_search") this.searches++
    else this.calls[call] = (this.calls[call] ?? 0) + 1
  }

  #letGo(): void {
    this.#textTokens += countText(this.#text)
    this.#reasoningTokens += countText(this.#reasoning)
    this.#text = this.#reasoning = ""
  }

  tokens(): number {
    return this.#textTokens + countText(this.#text) + (this.#passthrough?.tokens() ?? 0) + this.reasoningTokens()
  }

  reasoningTokens(): number {
    return this.#reasoningTokens + countText(this.#reasoning)
  }
}

/** Gemini's count for an image of the usual size that it makes. */
const imageTokens = 1_290

/** The longest text that is kept, in UTF-16 units: of a longer one only the tokens are. */
const mostHeld = 4 * 1024 * 1024

const utf8 = new TextDecoder()

/** In bytes: the size from which chunks are kept as they came, and the most kept of each kind before it is scanned. */
const large = { from: 2_048, most: 65_536 }
const small = { first: 1_024, most: 8_192 }

const empty = new Uint8Array()

/** Keeps passthrough frames and scans them for text once there are many. */
class PassthroughText {
  #large: Array<string | Uint8Array> = []
  #largeBytes = 0
  /** Small chunks, one after the other. */
  #small = empty
  #smallBytes = 0
  #deltas = ""
  #texts = ""
  /** The tokens of texts that were let go of. */
  #deltaTokens = 0
  #textTokens = 0

  add(frames: string | Uint8Array): void {
    if (typeof frames === "string" || frames.length >= large.from) {
      this.#large.push(frames)
      this.#largeBytes += frames.length
      if (this.#largeBytes > large.most) this.#lookThrough()
      return
    }
    if (this.#smallBytes + frames.length > small.most) this.#lookThrough()
    if (this.#smallBytes + frames.length > this.#small.length) {
      const wider = new Uint8Array(Math.min(small.most, Math.max(small.first, 2 * this.#smallBytes + frames.length)))
      wider.set(this.#small.subarray(0, this.#smallBytes))
      this.#small = wider
    }
    this.#small.set(frames, this.#smallBytes)
    this.#smallBytes += frames.length
  }

  /** If the deltas are plain text, the other texts repeat them. */
  tokens(): number {
    this.#lookThrough()
    const hasDeltas = this.#deltas !== "" || this.#deltaTokens > 0
    return hasDeltas ? this.#deltaTokens + countText(this.#deltas) : this.#textTokens + countText(this.#texts)
  }

  #lookThrough(): void {
    for (const frames of this.#large) this.#lookInto(typeof frames === "string" ? frames : utf8.decode(frames))
    this.#lookInto(utf8.decode(this.#small.subarray(0, this.#smallBytes)))
    this.#large = []
    this.#largeBytes = 0
    this.#smallBytes = 0
    if (this.#deltas.length + this.#texts.length > mostHeld) this.#letGo()
  }

  #letGo(): void {
    this.#deltaTokens += countText(this.#deltas)
    this.#textTokens += countText(this.#texts)
    this.#deltas = this.#texts = ""
  }

  /** The generated text in passthrough stream frames: the strings in the deltas of any dialect. */
  #lookInto(frames: string): void {
    generated.lastIndex = 0
    for (let found = generated.exec(frames); found !== null; found = generated.exec(frames)) {
      const start = generated.lastIndex
      // Twenty times as fast as an expression for the whole string.
      const end = endOfString(frames, start - 1)
      if (end === frames.length) return
      generated.lastIndex = end + 1
      const value = frames.slice(start, end)
      if (found[1] === "delta") this.#deltas = appendText(this.#deltas, value)
      else this.#texts = appendText(this.#texts, value)
    }
  }
}

const generated = /"(delta|text|thinking|partial_json|arguments|content|reasoning_content|reasoning|refusal)":\s*"/g
