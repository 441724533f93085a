/** Replaces a name that every chunk of an answer repeats. */
export class Renamed {
  readonly #upstreams: string
  readonly #callers: string
  /** The same as one character per byte: `replaceAll` then works on bytes that were never decoded as UTF-8. */
  readonly #bytes: readonly [upstreams: string, callers: string] | undefined

  /** @param upstreams as the upstream writes it; empty replaces nothing */
  constructor(upstreams: string, callers: string) {
    this.#upstreams = upstreams
    this.#callers = callers
    const isOther = upstreams !== "" && upstreams !== callers
    // `$` is special in a replacement, `$$` is a literal one.
    this.#bytes = isOther ? [bytesOf(upstreams), bytesOf(callers).replaceAll("$", "$$$$")] : undefined
  }

  /** A chunk's text with the caller's name. */
  replaced(data: string): string {
    const { length } = this.#upstreams
    const at = this.#bytes === undefined ? -1 : data.indexOf(this.#upstreams)
    return at === -1 ? data : data.slice(0, at) + this.#callers + data.slice(at + length)
  }

  /** The bytes of any number of chunks with the caller's name. */
  replacedIn(bytes: Buffer): Uint8Array {
    if (this.#bytes === undefined) return bytes
    return Buffer.from(bytes.toString("latin1").replaceAll(...this.#bytes), "latin1")
  }
}

const bytesOf = (text: string): string => Buffer.from(text).toString("latin1")
