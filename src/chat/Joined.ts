import { appendText } from "../generation/appendText.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { addUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import type { Machine, PassthroughFrame } from "../generation/Machine.ts"

export interface Joining<S extends { readonly usage: Usage }> {
  /** True if the client reads a stream. */
  readonly stream: boolean
  /** Writes an answer, without the end of the stream. */
  readonly machine: (index: number) => Machine<S, PassthroughFrame>
  /** Stores what a later request needs of an answer. The last frames wait for it. Never rejects. */
  readonly keep?: (state: S) => Promise<void> | undefined
  /** The last frames of the stream. */
  readonly end: (states: ReadonlyArray<S>, usage: Usage) => string
  /** The whole answer as JSON. */
  readonly whole: (states: ReadonlyArray<S>, usage: Usage) => string
}

/**
 * Combines several generations of one request. Chunks are sent as they come, each with the index of its answer, and the
 * total usage at the end. The first failure ends all of them.
 */
export const join = <S extends { readonly usage: Usage }>(
  generations: ReadonlyArray<Generation>,
  options: Joining<S>
): Generation => new Joined(generations, options)

interface Part<S> {
  readonly generation: Generation
  readonly machine: Machine<S, PassthroughFrame>
  state: S
  /** True if the upstream reported usage. */
  hasUsage: boolean
  isOver: boolean
  next: Promise<readonly [Part<S>, Batch | undefined]> | undefined
}

class Joined<S extends { readonly usage: Usage }> implements Generation {
  readonly passthrough = true
  readonly #parts: ReadonlyArray<Part<S>>
  readonly #options: Joining<S>
  #isOver = false
  /** Chunks not sent yet. */
  #held = ""
  #hasBegun = false

  constructor(generations: ReadonlyArray<Generation>, options: Joining<S>) {
    this.#options = options
    this.#parts = generations.map((generation, index) => {
      const one = options.machine(index)
      return { generation, machine: one, state: one.initial, hasUsage: false, isOver: false, next: undefined }
    })
  }

  get adapted(): ReadonlyArray<string> {
    return this.#parts[0]?.generation.adapted ?? []
  }

  async next(): Promise<Batch | undefined> {
    while (!this.#isOver) {
      const running = this.#parts.filter((part) => !part.isOver)
      if (running.length === 0) {
        await Promise.all(this.#parts.flatMap(({ state }) => this.#options.keep?.(state) ?? []))
        // Cancelled meanwhile.
        if (this.#isOver) return undefined
        this.#isOver = true
        return this.#end()
      }
      const [part, batch] = await Promise.race(running.map(waitFor))
      if (this.#isOver) return undefined
      part.next = undefined
      const given = this.#read(part, batch)
      if (given.length > 0) return given
    }
    return undefined
  }

  cancel(how?: GenerationEnding): void {
    this.#isOver = true
    for (const { generation } of this.#parts) generation.cancel(how)
  }

  #read(part: Part<S>, batch: Batch | undefined): Batch {
    if (batch === undefined) {
      part.isOver = true
      return []
    }
    const inner: Array<GenerationEvent> = []
    let failure: GenerationEvent | undefined
    for (const event of batch) {
      if (event.type === "failed") {
        failure = event
        break
      }
      if (event.type === "usage") part.hasUsage = true
      if (event.type === "finished") part.isOver = true
      else if (event.type !== "started" && event.type !== "usage") inner.push(event)
      const [state, frames] = part.machine.step(part.state, event)
      part.state = state
      for (const { written } of frames) if (typeof written === "string") this.#held = appendText(this.#held, written)
    }
    if (failure !== undefined) this.cancel("failed")
    const ended = failure === undefined ? [] : [failure]
    // The deltas are for usage counting, in case the client disconnects.
    if (!this.#options.stream) return [...inner, ...ended]
    // Nothing is sent while answers only begin, so that a failure can still be an HTTP error.
    if (inner.length > 0) this.#hasBegun = true
    if (this.#held === "" || !this.#hasBegun) return ended
    const bytes = utf8.encode(this.#held)
    this.#held = ""
    return [{ type: "passthrough", bytes, terminal: false }, ...ended]
  }

  #end(): Batch {
    const used = this.#parts.map(({ state }) => state.usage).reduce(addUsage, noUsage)
    const hasUsage = this.#parts.every((part) => part.hasUsage)
    const told: ReadonlyArray<GenerationEvent> = hasUsage ? [{ type: "usage", usage: used }] : []
    const as = (usage: Usage) => this.#text(usage)
    // A whole answer repeats its deltas. In a stream, usage counting only saw these chunks.
    const repeated = this.#options.stream ? {} : { isRepeated: true as const }
    return [
      ...told,
      // Without reported usage, the text is made once the usage is counted.
      {
        type: "passthrough",
        terminal: true,
        text: hasUsage ? as(used) : "",
        usageFrame: { isTotal: true, as },
        ...repeated
      },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }

  /** The last frames of a stream, or the whole answer. */
  #text(usage: Usage): string {
    const { end, stream, whole } = this.#options
    const states = this.#parts.map(({ state }) => state)
    return stream ? this.#held + end(states, usage) : whole(states, usage)
  }
}

const utf8 = new TextEncoder()

const waitFor = <S>(part: Part<S>): Promise<readonly [Part<S>, Batch | undefined]> =>
  (part.next ??= Promise.resolve(part.generation.next()).then((batch) => [part, batch] as const))
