import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"
import { ownTurn } from "../../flow/eventLoop.ts"
import { unpack } from "./unpack.ts"

/**
 * An answer whose headers have arrived. Read its body to the end or cancel it, otherwise its connection stays in use.
 */
export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /**
   * The next piece of the body, of at most 32 KiB; undefined at its end and after `cancel`. Between the pieces of what
   * came at once, the event loop has its turns. Rejects with a `BrokenBody`.
   */
  readonly read: () => Promise<Uint8Array | undefined>
  /** The body as text, cut once more than `limit` bytes were read. Rejects with a `BrokenBody`. */
  readonly text: (limit: number) => Promise<string>
  /** Closes the connection at once. May be called any number of times. */
  readonly cancel: () => void
  /** Reads the little that is left of the body, so that the connection can be reused; closes it if more comes. */
  readonly release: () => void
}

/** The body stopped before its end. The message may be shown to callers. */
export class BrokenBody extends Error {}

/** How much of a body is worked on in one turn of the event loop, in bytes: of a stream, and of a text that is only joined. */
export const pieceBytes = 32_768
const textPieceBytes = 1_048_576
/** Added for each chunk, because the work on millions of tiny ones adds up too. */
const chunkBytes = 512

/** How much, and for how long, the rest of a complete answer's body is read, in bytes and ms. */
const trailing = { bytes: 65_536, ms: 1_000 }

/** An answer whose body is yet to be read. */
export class Answer implements Exchange, HasDeadline {
  deadlinePlace = -1
  readonly status: number
  readonly headers: Headers
  readonly #response: Response
  readonly #controller: AbortController
  readonly #idleMs: number
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isPacked = false
  #pieceBytes = pieceBytes
  /** The rest of a chunk that is given in pieces. */
  #rest: Uint8Array | undefined
  /** The bytes given since the last turn of the event loop. A packed body's chunks don't wait for one. */
  #givenBytes = 0
  #cancelled = false
  #wentSilent = false
  /** True once the body has ended or was cancelled. */
  #stopped = false
  #lastReadMs = performance.now()

  constructor(response: Response, controller: AbortController, idleMs: number) {
    this.status = response.status
    this.headers = response.headers
    this.#response = response
    this.#controller = controller
    this.#idleMs = idleMs
    setDeadline(this, idleMs)
  }

  look(now: number): number {
    const due = this.#lastReadMs + this.#idleMs
    if (due > now) return due
    this.#wentSilent = true
    this.#controller.abort()
    return Infinity
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#rest !== undefined || this.#givenBytes > this.#pieceBytes) await this.#leave()
    if (this.#cancelled) return this.#stop()
    if (this.#rest !== undefined) return this.#cut(this.#rest)
    try {
      this.#reader ??= this.#unpacked()?.getReader()
      if (this.#reader === undefined) return this.#stop()
      const { done, value } = await this.#reader.read()
      this.#lastReadMs = performance.now()
      if (done || this.#cancelled) return this.#stop()
      return this.#isPacked || value.length > this.#pieceBytes ? this.#cut(value) : value
    } catch {
      this.#stop()
      if (this.#cancelled) return undefined
      throw this.#broken()
    }
  }

  #unpacked(): ReadableStream<Uint8Array> | null {
    const body = unpack(this.#response)
    this.#isPacked = body !== this.#response.body
    return body
  }

  /** The first piece of these bytes. */
  #cut(bytes: Uint8Array): Uint8Array {
    const most = this.#pieceBytes
    this.#rest = bytes.length > most ? bytes.subarray(most) : undefined
    const piece = this.#rest === undefined ? bytes : bytes.subarray(0, most)
    this.#givenBytes += piece.length + chunkBytes
    return piece
  }

  /** Lets the event loop have a turn. */
  async #leave(): Promise<void> {
    await ownTurn()
    this.#givenBytes = 0
    this.#lastReadMs = performance.now()
  }

  text(limit: number): Promise<string> {
    // The length of a compressed body does not bound its unpacked size, which is counted as it is read.
    const isKnown = this.#reader === undefined && !this.#cancelled && !this.headers.has("content-encoding")
    const length = isKnown ? this.headers.get("content-length") : null
    return length !== null && Number(length) <= limit ? this.#readWhole() : this.#readPieces(limit)
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#stop()
    this.#controller.abort()
  }

  release(): void {
    if (this.#stopped) return
    const timer = setTimeout(() => this.cancel(), trailing.ms)
    const over = () => clearTimeout(timer)
    this.text(trailing.bytes).then(over, over)
  }

  /** Reads a body of known, acceptable length in one piece, without a stream. */
  async #readWhole(): Promise<string> {
    try {
      return await this.#response.text()
    } catch {
      if (this.#cancelled) return ""
      throw this.#broken()
    } finally {
      this.#stop()
    }
  }

  async #readPieces(limit: number): Promise<string> {
    this.#pieceBytes = textPieceBytes
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    for (;;) {
      const bytes = await this.read()
      if (bytes === undefined) return text + decoder.decode()
      length += bytes.length
      text += decoder.decode(bytes, { stream: true })
      if (length > limit) {
        this.cancel()
        return text
      }
    }
  }

  #stop(): undefined {
    this.#stopped = true
    clearDeadline(this)
  }

  #broken(): BrokenBody {
    return new BrokenBody(
      this.#wentSilent ? "The model's upstream went silent" : "The connection to the model's upstream broke"
    )
  }
}
