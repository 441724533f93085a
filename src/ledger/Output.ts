import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { countText } from "../generation/tokenizer.ts"

/** Gathers what a generation produced, to be counted if need be: an answer that tells its usage never is. */
export class Output {
  searches = 0
  // An answer in one piece needs none of these.
  #text: Pieces | undefined
  #reasoning: Pieces | undefined
  #native: Native | undefined

  take(event: GenerationEvent): void {
    switch (event.type) {
      case "text-delta":
      case "refusal-delta":
      case "tool-call-delta":
        ;(this.#text ??= new Pieces()).add(event.text)
        return
      case "tool-call-start":
        ;(this.#text ??= new Pieces()).add(event.name)
        return
      case "reasoning-delta":
        ;(this.#reasoning ??= new Pieces()).add(event.text)
        return
      case "search-end":
        this.searches++
        return
      case "native":
        ;(this.#native ??= new Native()).add(event.terminal ? event.text : event.bytes)
    }
  }

  tokens(): number {
    const text = (this.#text?.whole() ?? "") + (this.#native?.generated() ?? "")
    return countText(text) + this.reasoningTokens()
  }

  reasoningTokens(): number {
    return countText(this.#reasoning?.whole() ?? "")
  }
}

const utf8 = new TextDecoder()

/** Text in pieces of a word each, which would take many times its own room if they were kept as they are. */
class Pieces {
  #loose: Array<string> = []
  #joined: Array<string> | undefined

  add(piece: string): void {
    this.#loose.push(piece)
    if (this.#loose.length < 64) return
    this.#joined ??= []
    this.#joined.push(this.#loose.join(""))
    this.#loose = []
  }

  whole(): string {
    return [...(this.#joined ?? []), ...this.#loose].join("")
  }
}

/** In bytes: chunks that are kept as they came, and how much of each kind before it is looked through. */
const large = { from: 2_048, most: 65_536 }
const small = { first: 1_024, most: 8_192 }

const empty = new Uint8Array()

/** Keeps forwarded frames, whose text is looked for only once there is a lot of them. */
class Native {
  #large: Array<string | Uint8Array> = []
  #largeBytes = 0
  /** Small chunks behind each other. */
  #small = empty
  #smallBytes = 0
  readonly #text = new Pieces()

  add(frames: string | Uint8Array): void {
    if (typeof frames === "string" || frames.length >= large.from) {
      this.#large.push(frames)
      this.#largeBytes += frames.length
      if (this.#largeBytes > large.most) this.#lookThrough()
      return
    }
    if (this.#smallBytes + frames.length > small.most) this.#lookThrough()
    if (this.#smallBytes + frames.length > this.#small.length) {
      const grown = new Uint8Array(Math.min(small.most, Math.max(small.first, 2 * this.#smallBytes + frames.length)))
      grown.set(this.#small.subarray(0, this.#smallBytes))
      this.#small = grown
    }
    this.#small.set(frames, this.#smallBytes)
    this.#smallBytes += frames.length
  }

  generated(): string {
    this.#lookThrough()
    return this.#text.whole()
  }

  #lookThrough(): void {
    for (const frames of this.#large) {
      this.#text.add(generatedText(typeof frames === "string" ? frames : utf8.decode(frames)))
    }
    this.#text.add(generatedText(utf8.decode(this.#small.subarray(0, this.#smallBytes))))
    this.#large = []
    this.#largeBytes = 0
    this.#smallBytes = 0
  }
}

/** The generated text inside forwarded stream frames: the strings that deltas of either dialect carry. */
const generatedText = (frames: string): string => {
  let text = ""
  for (const [, value] of frames.matchAll(/"(?:delta|text|thinking|partial_json)":\s*"((?:[^"\\]|\\.)*)"/g))
    text += value
  return text
}
