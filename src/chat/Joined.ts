import { appendText } from "../generation/appendText.ts"
import type { Batch, Generation, GenerationEnding } from "../generation/Generation.ts"
import { addUsage } from "../generation/addUsage.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import type { Machine, PassthroughFrame } from "../generation/Machine.ts"
import type { Head } from "./chunks.ts"
import { endFrames } from "./chunks.ts"
import type { AnswerMessage } from "./Completion.ts"
import { choiceOf, completionOf, machine, messageOf } from "./encode.ts"
import type { State } from "./encode.ts"
import { usageOf } from "./usage.ts"

export interface JoinOptions {
  readonly head: Head
  readonly isLegacy: boolean
  /** True if the client reads a stream. */
  readonly stream: boolean
  /** Stores what a later request needs of the answer. The last frames wait for it. Never rejects. */
  readonly keep: (message: AnswerMessage) => Promise<void> | undefined
}

/**
 * Combines several generations of one request. Chunks are sent as they come, each with the index of its answer, and the
 * total usage at the end. The first failure ends all of them.
 */
export const join = (generations: ReadonlyArray<Generation>, options: JoinOptions): Generation =>
  new Joined(generations, options)

interface Part {
  readonly generation: Generation
  readonly machine: Machine<State, PassthroughFrame>
  state: State
  /** True if the upstream reported usage. */
  hasUsage: boolean
  isOver: boolean
  next: Promise<readonly [Part, Batch | undefined]> | undefined
}

class Joined implements Generation {
  readonly passthrough = true
  readonly #parts: ReadonlyArray<Part>
  readonly #options: JoinOptions
  #isOver = false
  /** Chunks not sent yet. */
  #held = ""
  #hasBegun = false

  constructor(generations: ReadonlyArray<Generation>, options: JoinOptions) {
    this.#options = options
    this.#parts = generations.map((generation, index) => {
      const one = machine({ head: options.head, index, isWhole: false, isLegacy: options.isLegacy })
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
        await Promise.all(this.#parts.flatMap(({ state }) => this.#options.keep(messageOf(state)) ?? []))
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

  #read(part: Part, batch: Batch | undefined): Batch {
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
    const { head, stream } = this.#options
    if (stream) return this.#held + endFrames(head, usageOf(usage))
    const choices = this.#parts.map(({ state }, index) => choiceOf(state, index))
    return JSON.stringify(completionOf(head, choices, usage))
  }
}

const utf8 = new TextEncoder()

const waitFor = (part: Part): Promise<readonly [Part, Batch | undefined]> =>
  (part.next ??= Promise.resolve(part.generation.next()).then((batch) => [part, batch] as const))
