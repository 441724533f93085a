/** The largest body in bytes that Bun sends in one write with its head. */
const inOneWrite = 12_288

/**
 * The body of a complete answer. After an asynchronous handler, Bun sends a `Response` longer than its buffer (16 KB, head
 * included) in a dozen writes, each a system call and a packet: five times the cost for 20 KB. A direct stream goes out
 * with its head in one write; the answer then has no `content-length`.
 */
export const wholeBody = (body: Text): Text | ReadableStream<Uint8Array> =>
  bytesIn(body) <= inOneWrite ? body : direct(new Whole(body))

type Text = string | Uint8Array<ArrayBuffer>

/** Bun's types do not declare direct streams as an argument. */
const direct = (source: Bun.DirectUnderlyingSource<Uint8Array>): ReadableStream<Uint8Array> =>
  Reflect.construct(ReadableStream, [source])

const bytesIn = (body: Text): number =>
  // A character takes three bytes at most.
  typeof body === "string" ? (body.length * 3 <= inOneWrite ? 0 : Buffer.byteLength(body)) : body.byteLength

class Whole implements Bun.DirectUnderlyingSource<Uint8Array> {
  readonly type = "direct"
  readonly #body: Text

  constructor(body: Text) {
    this.#body = body
  }

  /** Ends the stream once it is written: shutdown waits for open streams. */
  pull(controller: ReadableStreamDirectController): void | Promise<void> {
    const written = controller.write(this.#body)
    const end = () => void controller.end()
    // The write rejects if the client has left.
    return written instanceof Promise ? written.then(end, end) : end()
  }
}
