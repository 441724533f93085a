import { Internal, InvalidRequest, UpstreamFailed } from "../../contract/failures/Failure.ts"
import { withoutSecrets } from "../../contract/callers/withoutSecrets.ts"
import { ownTurn } from "../../flow/eventLoop.ts"
import type { Batch, Generation } from "../../generation/Generation.ts"
import { BrokenBody, pieceBytes } from "../calls/Exchange.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { BrokenFrame } from "../framing/Framing.ts"
import { serverSentEvents } from "../framing/sse.ts"
import { garbled } from "../protocols/upstreamFailure.ts"
import { upstreamRequestIdIn } from "../calls/upstreamRequestId.ts"

/** Turns an upstream's bytes into events, of which the last is `finished` or `failed`. */
export interface Reader {
  /** The content type of streams; by default that of server-sent events. */
  readonly contentType?: string
  /**
   * How an answer of a content type comes: in pieces of any bytes, in frames, or whole, whatever it begins with. Undefined
   * if its beginning tells. Absent for dialects of JSON and frames alone.
   */
  readonly comes?: (contentType: string) => "bytes" | "frames" | "whole" | undefined
  /** The headers that the caller gets with it. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  /** The next bytes of a stream, cut anywhere. Throws `BrokenFrame`. */
  readonly push: (bytes: Uint8Array) => Batch
  /** The stream ended without its end marker. The rest may be cut short. */
  readonly end: () => Batch
  /** An answer in one piece, in parts: each is work for one turn of the event loop, if the answer is long. */
  readonly whole: (text: string) => Iterable<Batch>
}

/** The largest answer in one piece, in bytes. */
const answerLimit = 64 * 1024 * 1024

/** The largest stream, in bytes, and what each event adds to its length. 100,000 tokens with log probabilities are 150 MB. */
const streamLimit = 256 * 1024 * 1024
const eventBytes = 100

/** Answers in one piece from this length on are worked on in turns: as JSON, which is parsed at once, or as frames. */
const inTurnsFrom = { json: 1024 * 1024, frames: 65_536 }

/** The most events emitted in one turn of the event loop. */
const sliceLength = 500

/** Other fields of the generation, and the texts to cut from what the upstream says of its failure. */
interface AnswerOptions extends Pick<Generation, "passthrough" | "adapted" | "replyHeaders"> {
  readonly secrets: () => ReadonlyArray<string>
}

/** An upstream's answer as a generation, streamed or in one piece. One batch per chunk. */
export class Answer implements Generation {
  declare readonly passthrough?: true
  declare readonly adapted?: ReadonlyArray<string>
  declare readonly replyHeaders?: Readonly<Record<string, string>>
  declare readonly upstreamRequestId?: string
  readonly #reader: Reader
  readonly #exchange: Exchange
  readonly #secrets: () => ReadonlyArray<string>
  #streams: boolean
  /** True if its beginning says nothing of how it comes. */
  readonly #isSure: boolean
  #hasBytes = false
  #streamBytes = 0
  /** Events that were read and given back. */
  #first: Batch | undefined
  #pending: Promise<Batch | undefined> | undefined
  #isAccepted = false
  /** The parts of a long answer in one piece that are still to come. */
  #parts: Iterator<Batch> | undefined
  /** The rest of a batch that is emitted in slices. */
  #rest: Batch | undefined
  #over = false
  #complete = false
  #cancelled = false

  constructor(
    reader: Reader,
    exchange: Exchange,
    { adapted, passthrough: isPassthrough, replyHeaders, secrets }: AnswerOptions
  ) {
    this.#reader = reader
    this.#exchange = exchange
    this.#secrets = secrets
    const { contentType = serverSentEvents.contentType } = reader
    const told = exchange.headers.get("content-type") ?? ""
    const comes = reader.comes?.(told)
    this.#isSure = comes === "bytes" || comes === "whole"
    this.#streams = comes === undefined ? told.includes(contentType) : comes !== "whole"
    if (isPassthrough !== undefined) this.passthrough = isPassthrough
    if (adapted !== undefined) this.adapted = adapted
    if (replyHeaders !== undefined) this.replyHeaders = replyHeaders
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

  /** A batch, or its first slice: working on a long batch in one go would block the event loop. */
  #sliced(batch: Batch | undefined): Batch | undefined {
    this.#rest = batch === undefined || batch.length <= sliceLength ? undefined : batch.slice(sliceLength)
    return this.#rest === undefined ? batch : batch?.slice(0, sliceLength)
  }

  /** Gives back events that were read, and the read that is still pending. */
  giveBack(first: Batch | undefined, pending: Promise<Batch | undefined> | undefined): void {
    this.#isAccepted = true
    this.#first = first
    this.#pending = pending
  }

  #pull(): Promise<Batch | undefined> {
    if (this.#streams || this.#parts !== undefined || this.#over || this.#cancelled) return this.#pullPieces()
    // No loop: most requests wait for this alone.
    return this.#exchange.text(answerLimit).then(
      (text) => {
        const batch = this.#take(this.#tried(text))
        return this.#parts === undefined ? batch : this.#pullPieces()
      },
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
        batch = this.#broken(cause)
      }
      const taken = this.#take(batch)
      if (taken !== undefined) return taken
    }
    return undefined
  }

  /** Handles a batch; undefined if it is cancelled or empty. */
  #take(given: Batch): Batch | undefined {
    if (this.#cancelled) return undefined
    const batch = withoutWords(given, this.#secrets)
    const last = batch.at(-1)
    if (last?.type === "finished" || last?.type === "failed") this.#over = true
    // After a stop sequence that the gateway matched, the upstream is still generating.
    this.#complete = last?.type === "finished" && last.reason !== "stop-sequence"
    if (batch.length === 0) return undefined
    // Acceptance depends on the last event of the first batch, so it is not sliced.
    return this.#isAccepted ? this.#sliced(batch) : batch
  }

  async #piece(): Promise<Batch> {
    if (this.#parts !== undefined) return this.#part(this.#parts)
    const bytes = await this.#exchange.read()
    if (bytes === undefined) return this.#reader.end()
    if (this.#hasBytes || this.#isSure || !isOnePiece(bytes)) {
      this.#hasBytes = true
      return this.#streamed(bytes)
    }
    this.#streams = false
    return this.#inOne(await this.#remaining(bytes))
  }

  #streamed(bytes: Uint8Array): Batch {
    const batch = this.#reader.push(bytes)
    this.#streamBytes += bytes.length + eventBytes * batch.length
    return this.#streamBytes > streamLimit ? tooLong("more than 256 MiB") : batch
  }

  async #part(parts: Iterator<Batch>): Promise<Batch> {
    await ownTurn()
    const { done, value } = parts.next()
    return done === true ? this.#reader.end() : value
  }

  /**
   * A stream whose connection broke. It is complete if its last events had come: some servers close the connection
   * without the end of the body, and Bun's `fetch` then drops what came with the close.
   */
  #broken(cause: unknown): Batch {
    // Bytes of other media types have no end marker.
    const mayBeWhole = this.#hasBytes && this.#reader.comes === undefined
    if (!(cause instanceof BrokenBody) || !mayBeWhole) return failedBy(cause)
    const rest = this.#ended()
    return rest.at(-1)?.type === "finished" ? rest : failedBy(cause)
  }

  #ended(): Batch {
    try {
      return this.#reader.end()
    } catch (cause) {
      return failedBy(cause)
    }
  }

  /** An answer in one piece whose content type says it is a stream. */
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
    // Inspecting it would copy a text that was joined from pieces.
    if (text.length > answerLimit) return tooLong("more than 64 MiB")
    // A stream whose content type does not say so.
    const isFrames = !this.#isSure && isStream.test(text)
    const parts = isFrames ? this.#inPieces(utf8.encode(text)) : this.#reader.whole(text)
    if (text.length < (isFrames ? inTurnsFrom.frames : inTurnsFrom.json)) return [...parts].flat()
    this.#parts = parts[Symbol.iterator]()
    return nothing
  }

  *#inPieces(bytes: Uint8Array): Iterable<Batch> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield this.#streamed(bytes.subarray(at, at + pieceBytes))
    yield this.#reader.end()
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    // The connection of a complete answer is worth keeping. Anything else is closed at once.
    if (this.#complete) this.#exchange.release()
    else this.#exchange.cancel()
  }
}

const nothing: Batch = []
const utf8 = new TextEncoder()
const isStream = /^(?:\uFEFF)?\s{0,10}(?:data|event|id):/
/** No field of an event stream begins like this. */
const isOnePiece = (bytes: Uint8Array): boolean => bytes[0] === brace || bytes[0] === angle
const brace = 123
const angle = 60

const tooLong = (said: string): Batch => [{ type: "failed", failure: garbled, said }]

/** A batch whose failure, if it has one, repeats no secrets: its words are for callers and for the log. */
const withoutWords = (batch: Batch, secrets: () => ReadonlyArray<string>): Batch => {
  const last = batch.at(-1)
  if (last?.type !== "failed") return batch
  const { failure, said } = last
  const show = (words: string) => withoutSecrets(words, secrets())
  return [
    ...batch.slice(0, -1),
    {
      ...last,
      ...(failure._tag === "InvalidRequest" && { failure: reworded(failure, show(failure.message)) }),
      ...(said !== undefined && { said: show(said) })
    }
  ]
}

const reworded = (
  { details, isInStream, param, reason, upstreamCode }: InvalidRequest,
  message: string
): InvalidRequest =>
  new InvalidRequest({
    param,
    message,
    ...(details !== undefined && { details }),
    ...(isInStream !== undefined && { isInStream }),
    ...(reason !== undefined && { reason }),
    ...(upstreamCode !== undefined && { upstreamCode })
  })

const failedBy = (cause: unknown): Batch => {
  if (cause instanceof BrokenBody) return [{ type: "failed", failure: new UpstreamFailed({ message: cause.message }) }]
  if (cause instanceof BrokenFrame) return [{ type: "failed", failure: garbled, said: cause.message }]
  // A defect becomes an event too: a generation never rejects.
  return [{ type: "failed", failure: new Internal({}) }]
}
