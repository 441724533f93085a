/** What leaves in one write with its head, whatever of headers that has, in bytes. */
const inOneWrite = 12_288

/**
 * The body of an answer that is there as a whole. Once something was waited for, Bun sends the head of a `Response` whose
 * text is longer than its buffer (16 KB, the head included) in a dozen writes, each a system call and a packet of its own:
 * five times the cost of an answer of 20 KB. A stream that it reads directly goes out with its head, in one. Such an answer
 * has no `content-length`.
 */
export const wholeBody = (body: Text): Text | ReadableStream<Uint8Array> =>
  bytesIn(body) <= inOneWrite ? body : direct(new Whole(body))

type Text = string | Uint8Array<ArrayBuffer>

/** The platform knows more streams than its types do. */
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

  /** Ends it once all of it is taken: a gateway that stops waits for what has not ended. */
  pull(controller: ReadableStreamDirectController): void | Promise<void> {
    const written = controller.write(this.#body)
    const end = () => void controller.end()
    // Whoever has left takes nothing more.
    return written instanceof Promise ? written.then(end, end) : end()
  }
}
