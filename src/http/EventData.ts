/** Parses a stream of server-sent events, with any chunking of the bytes, into the data of each event. */
export class EventData {
  readonly #decoder = new TextDecoder()
  /** Pieces of an unfinished line. */
  #pieces: Array<string> = []
  #data = ""

  push(bytes: Uint8Array): ReadonlyArray<string> {
    const text = this.#decoder.decode(bytes, { stream: true })
    const last = text.lastIndexOf("\n")
    if (last === -1) {
      this.#pieces.push(text)
      return []
    }
    const whole = this.#pieces.join("") + text.slice(0, last)
    this.#pieces = [text.slice(last + 1)]
    const events: Array<string> = []
    for (const line of whole.split(/\r?\n/)) {
      if (line.startsWith("data:")) this.#data += line.slice("data:".length)
      else if (line === "" && this.#data !== "") {
        events.push(this.#data.trim())
        this.#data = ""
      }
    }
    return events
  }
}
