import { isObject, parseJson, textAt } from "../../contract/json/json.ts"
import { sseEvents } from "../framing/sse.ts"
import type { SseEvent } from "../framing/sse.ts"
import type { EventDialect } from "./Dialect.ts"
import { writeEvent } from "./writeEvent.ts"

/**
 * Repairs frames that the dialect's clients cannot read: some servers and proxies omit names or numbers of frames. The
 * first frame shows it; frames of other servers are not touched.
 */
export class Mender {
  readonly #dialect: EventDialect
  #isNeeded: boolean | undefined
  #number = 0

  constructor(dialect: EventDialect) {
    this.#dialect = dialect
  }

  /** @param bytes whole frames */
  mend(bytes: Uint8Array): Uint8Array {
    if (this.#isNeeded === undefined) {
      const first = firstEvent(bytes)
      if (first === undefined) return bytes
      this.#isNeeded = first.event === "message" || this.#dialect.lacks(first.data)
    }
    if (!this.#isNeeded) return bytes
    return utf8.encode(
      sseEvents(bytes)
        .map((frame) => this.#mended(frame))
        .join("")
    )
  }

  #mended({ data, event }: SseEvent): string {
    // Dialects of named events have no `[DONE]`, and a frame without data is no event.
    const words = data.trim()
    if (words === "[DONE]" || words === "") return ""
    const frame = parseJson(data)
    if (!isObject(frame)) return writeEvent({ event, data })
    const numbered = this.#dialect.numbered(frame, this.#number++)
    return writeEvent({
      event: event === "message" ? (textAt(frame, "type") ?? event) : event,
      data: numbered === frame ? data : JSON.stringify(numbered)
    })
  }
}

/** The first event of whole frames. Usually it is the first frame, and the others need not be decoded. */
const firstEvent = (bytes: Uint8Array): SseEvent | undefined =>
  sseEvents(bytes.subarray(0, endOfFrame(bytes)))[0] ?? sseEvents(bytes)[0]

/** The offset after the first blank line in its usual form, otherwise the end of the bytes. */
const endOfFrame = (bytes: Uint8Array): number => {
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2
  }
  return bytes.length
}

const lineFeed = 10
const utf8 = new TextEncoder()
