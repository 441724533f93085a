import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import { ownTurn } from "../flow/eventLoop.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import { BrokenBody } from "./client.ts"
import type { Exchange } from "./client.ts"
import { SseOverflow } from "./framing/sse.ts"
import { garbled } from "./protocols/upstreamFailure.ts"
import { upstreamRequestIdIn } from "./upstreamRequestId.ts"

/** Makes events of what an upstream sent. The last one it gives is `finished` or `failed`. */
export interface Reader {
  /** The next bytes of a stream, cut anywhere. Throws `SseOverflow` where an event is too large. */
  readonly push: (bytes: Uint8Array) => Batch
  /** The stream is over without having said so; what is left of it may be cut short. */
  readonly end: () => Batch
  /** An answer in one piece. */
  readonly whole: (text: string) => Batch
}

/** The largest answer in one piece, in bytes. */
const answerLimit = 64 * 1024 * 1024

/** Events that are told in one turn of the event loop. */
const sliceLength = 500

/** What else is known of a generation. */
type Known = Pick<Generation, "passthrough" | "adapted">

/** An upstream's answer as a generation: a stream or one piece, whichever it turned out to be. One batch a chunk. */
export class Answer implements Generation {
  declare readonly passthrough?: true
  declare readonly adapted?: ReadonlyArray<string>
  declare readonly upstreamRequestId?: string
  readonly #reader: Reader
  readonly #exchange: Exchange
  #streams: boolean
  #heard = false
  /** What was taken and given back. */
  #first: Batch | undefined
  #pending: Promise<Batch | undefined> | undefined
  #isAccepted = false
  /** The rest of a batch that is told in slices. */
  #rest: Batch | undefined
  #over = false
  #complete = false
  #cancelled = false

  constructor(reader: Reader, exchange: Exchange, { adapted, passthrough: native }: Known) {
    this.#reader = reader
    this.#exchange = exchange
    this.#streams = exchange.headers.get("content-type")?.includes("text/event-stream") === true
    if (native !== undefined) this.passthrough = native
    if (adapted !== undefined) this.adapted = adapted
    const upstreamRequestId = upstreamRequestIdIn(exchange.headers)
    if (upstreamRequestId !== undefined) this.upstreamRequestId = upstreamRequestId
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    const rest = this.#rest
    if (rest !== undefined) return ownTurn().then(() => (this.#cancelled ? undefined : this.#sliced(rest)))
    if (this.#first === undefined && this.#pending === undefined) return this.#pull()
    if (this.#cancelled) return undefined
    const first = this.#first
    this.#first = undefined
    if (first !== undefined) return this.#sliced(first)
    const pending = this.#pending
    this.#pending = undefined
    return pending?.then((batch) => this.#sliced(batch))
  }

  /** A batch, or its beginning: whoever works on a long one gives the others their turn in between. */
  #sliced(batch: Batch | undefined): Batch | undefined {
    this.#rest = batch === undefined || batch.length <= sliceLength ? undefined : batch.slice(sliceLength)
    return this.#rest === undefined ? batch : batch?.slice(0, sliceLength)
  }

  /** What was taken of it comes again: events, and then what is still waited for. */
  giveBack(first: Batch | undefined, pending: Promise<Batch | undefined> | undefined): void {
    this.#isAccepted = true
    this.#first = first
    this.#pending = pending
  }

  #pull(): Promise<Batch | undefined> {
    if (this.#streams || this.#over || this.#cancelled) return this.#pullPieces()
    // Without a loop to wait in: most requests wait for just this.
    return this.#exchange.text(answerLimit).then(
      (text) => this.#take(this.#tried(text)),
      (cause: unknown) => this.#take(failedBy(cause))
    )
  }

  #tried(text: string): Batch {
    try {
      return this.#inOne(text)
    } catch (cause) {
      return failedBy(cause)
    }
  }

  async #pullPieces(): Promise<Batch | undefined> {
    while (!this.#over && !this.#cancelled) {
      let batch: Batch
      try {
        batch = await this.#piece()
      } catch (cause) {
        batch = failedBy(cause)
      }
      const taken = this.#take(batch)
      if (taken !== undefined) return taken
    }
    return undefined
  }

  /** A batch is there; undefined where nobody wants it, or it holds nothing. */
  #take(batch: Batch): Batch | undefined {
    if (this.#cancelled) return undefined
    const last = batch.at(-1)
    if (last?.type === "finished" || last?.type === "failed") this.#over = true
    // At a stop sequence that the gateway found itself the upstream goes on writing.
    this.#complete = last?.type === "finished" && last.reason !== "stop-sequence"
    if (batch.length === 0) return undefined
    // Whether an answer is accepted depends on how its first batch ends.
    return this.#isAccepted ? this.#sliced(batch) : batch
  }

  async #piece(): Promise<Batch> {
    const bytes = await this.#exchange.read()
    if (bytes === undefined) return this.#reader.end()
    if (this.#heard || !isOnePiece(bytes)) {
      this.#heard = true
      return this.#reader.push(bytes)
    }
    this.#streams = false
    return this.#inOne(await this.#remaining(bytes))
  }

  /** An answer in one piece that calls itself a stream. */
  async #remaining(first: Uint8Array): Promise<string> {
    const pieces = [first]
    let length = first.length
    for (let next = await this.#exchange.read(); next !== undefined; next = await this.#exchange.read()) {
      pieces.push(next)
      length += next.length
      if (length > answerLimit) break
    }
    return Buffer.concat(pieces).toString()
  }

  #inOne(text: string): Batch {
    // Looked at no further: what was put together of pieces would be copied.
    if (text.length > answerLimit) return [{ type: "failed", failure: garbled, said: "more than 64 MiB" }]
    // A stream that does not call itself one.
    return isStream.test(text)
      ? [...this.#reader.push(utf8.encode(text)), ...this.#reader.end()]
      : this.#reader.whole(text)
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    // A complete answer's connection is worth keeping; everything else stops at once.
    if (this.#complete) this.#exchange.release()
    else this.#exchange.cancel()
  }
}

const utf8 = new TextEncoder()
const isStream = /^(?:\uFEFF)?\s{0,10}(?:data|event|id):/
/** No field of a stream begins so. */
const isOnePiece = (bytes: Uint8Array): boolean => bytes[0] === brace || bytes[0] === angle
const brace = 123
const angle = 60

const failedBy = (cause: unknown): Batch => {
  if (cause instanceof BrokenBody) return [{ type: "failed", failure: new UpstreamFailed({ message: cause.message }) }]
  if (cause instanceof SseOverflow) return [{ type: "failed", failure: garbled }]
  // A defect of ours is an event too: a generation never rejects.
  return [{ type: "failed", failure: new Internal({}) }]
}
