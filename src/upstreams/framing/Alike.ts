/**
 * Most frames of a stream are the one before with another word. What such a frame says is known once one of its kind has
 * been read, and it need not be parsed.
 */
export class Alike {
  readonly #key: string
  #before = ""
  #after = ""
  /** A server that writes something else into each of its frames is not tried for ever. */
  #tries = 8

  /** @param key the name of the text that differs, in the frames' JSON */
  constructor(key: string) {
    this.#key = `${JSON.stringify(key)}:`
  }

  /** A frame's text, where it is like the last one that was learned; undefined where it is not, or has to be parsed. */
  textIn(data: string): string | undefined {
    const end = data.length - this.#after.length
    if (this.#after === "" || end <= this.#before.length) return undefined
    if (!data.startsWith(this.#before) || !data.endsWith(this.#after)) return undefined
    const text = data.slice(this.#before.length, end)
    return plain.test(text) ? text : undefined
  }

  /** A frame that says this text and nothing else. */
  learn(data: string, text: string): void {
    if (this.#tries === 0) return
    this.#tries--
    const written = this.#key + JSON.stringify(text)
    const at = data.indexOf(written)
    if (at === -1 || data.includes(written, at + 1)) return
    this.#before = data.slice(0, at + this.#key.length + 1)
    this.#after = data.slice(at + written.length - 1)
  }
}

/** Nothing that is written otherwise in JSON, ends a text there or may not stand in it. */
const plain = /^[ !#-[\]-\uFFFF]+$/
