import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import { BrokenBody } from "./client.ts"
import type { Exchange } from "./client.ts"
import { SseOverflow } from "./framing/sse.ts"
import { garbled } from "./protocols/upstreamFailure.ts"

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

/** What else is known of a generation. */
type Known = Pick<Generation, "native" | "adapted">

/** An upstream's answer as a generation: a stream or one piece, whichever it turned out to be. One batch a chunk. */
export const generationOf = (reader: Reader, exchange: Exchange, known: Known): Generation =>
  new Answer(reader, exchange, known)

class Answer implements Generation {
  declare readonly native?: true
  declare readonly adapted?: ReadonlyArray<string>
  readonly #reader: Reader
  readonly #exchange: Exchange
  readonly #streams: boolean
  #over = false
  #complete = false
  #cancelled = false

  constructor(reader: Reader, exchange: Exchange, { adapted, native }: Known) {
    this.#reader = reader
    this.#exchange = exchange
    this.#streams = exchange.headers.get("content-type")?.includes("text/event-stream") === true
    if (native !== undefined) this.native = native
    if (adapted !== undefined) this.adapted = adapted
  }

  async next(): Promise<Batch | undefined> {
    while (!this.#over && !this.#cancelled) {
      let batch: Batch
      try {
        if (this.#streams) {
          const bytes = await this.#exchange.read()
          batch = bytes === undefined ? this.#reader.end() : this.#reader.push(bytes)
        } else batch = this.#reader.whole(await this.#exchange.text(answerLimit))
      } catch (cause) {
        batch = failedBy(cause)
      }
      if (this.#cancelled) return undefined
      const last = batch.at(-1)
      if (last?.type === "finished" || last?.type === "failed") this.#over = true
      // At a stop sequence that the gateway found itself the upstream goes on writing.
      this.#complete = last?.type === "finished" && last.reason !== "stop-sequence"
      if (batch.length > 0) return batch
    }
    return undefined
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    // A complete answer's connection is worth keeping; everything else stops at once.
    if (this.#complete) this.#exchange.release()
    else this.#exchange.cancel()
  }
}

const failedBy = (cause: unknown): Batch => {
  if (cause instanceof BrokenBody) return [{ type: "failed", failure: new UpstreamFailed({ message: cause.message }) }]
  if (cause instanceof SseOverflow) return [{ type: "failed", failure: garbled }]
  // A defect of ours is an event too: a generation never rejects.
  return [{ type: "failed", failure: new Internal({}) }]
}
