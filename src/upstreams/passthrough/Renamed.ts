/** A name that stands alike in every chunk of an answer, and what replaces it there. */
export class Renamed {
  readonly #upstreams: string
  readonly #callers: string
  /** The same by their bytes, each a character, as `replaceAll` takes them: such text is replaced in without being decoded. */
  readonly #bytes: readonly [upstreams: string, callers: string] | undefined

  /** @param upstreams as the upstream writes it; nothing is replaced where it is empty */
  constructor(upstreams: string, callers: string) {
    this.#upstreams = upstreams
    this.#callers = callers
    const isOther = upstreams !== "" && upstreams !== callers
    // In what replaces, a dollar sign means something, and two mean one.
    this.#bytes = isOther ? [bytesOf(upstreams), bytesOf(callers).replaceAll("$", "$$$$")] : undefined
  }

  /** A chunk's text with the caller's name. */
  replaced(data: string): string {
    const { length } = this.#upstreams
    const at = this.#bytes === undefined ? -1 : data.indexOf(this.#upstreams)
    return at === -1 ? data : data.slice(0, at) + this.#callers + data.slice(at + length)
  }

  /** The same for the bytes of any number of chunks. */
  replacedIn(bytes: Buffer): Uint8Array {
    if (this.#bytes === undefined) return bytes
    return Buffer.from(bytes.toString("latin1").replaceAll(...this.#bytes), "latin1")
  }
}

const bytesOf = (text: string): string => Buffer.from(text).toString("latin1")
