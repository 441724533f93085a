import { isObject, parseJson } from "../../contract/json/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import { sseParser } from "../framing/sse.ts"
import type { FrameParser } from "../framing/Framing.ts"
import type { SseEvent } from "../framing/sse.ts"
import type { Reader } from "../text/generationOf.ts"
import { cutOff, noAnswer } from "../protocols/upstreamFailure.ts"
import type { Dialect } from "./Dialect.ts"
import { Gathered } from "./Gathered.ts"

type Whole = Pick<Dialect, "gathers" | "isLast">

/** Reads an answer in one piece. If the server streams regardless, it builds the whole answer. */
export const gatherAnswer = (reader: Reader, dialect: Whole): Reader => new GatheringReader(reader, dialect)

class GatheringReader implements Reader {
  readonly #reader: Reader
  readonly #dialect: Whole
  /** Created only for a stream. */
  #stream: { readonly parser: FrameParser; readonly gathered: Gathered } | undefined

  constructor(reader: Reader, dialect: Whole) {
    this.#reader = reader
    this.#dialect = dialect
  }

  whole(text: string): Iterable<Batch> {
    return this.#reader.whole(text)
  }

  push(bytes: Uint8Array): Batch {
    return this.#read(this.#streamed().parser.push(bytes)) ?? []
  }

  end(): Batch {
    const rest = this.#streamed().parser.end()
    return this.#read(rest.filter(({ data }) => data === done || isObject(parseJson(data)))) ?? this.#whole(false)
  }

  #streamed() {
    return (this.#stream ??= { parser: sseParser(), gathered: new Gathered(this.#dialect) })
  }

  /** The events of the whole answer; undefined while more frames are to come. */
  #read(events: ReadonlyArray<SseEvent>): Batch | undefined {
    for (const { data } of events) {
      if (data === done) return this.#whole(true)
      if (data.trim() === "") continue
      const frame = parseJson(data)
      if (!isObject(frame)) return [noAnswer(data)]
      this.#streamed().gathered.add(frame, data.length)
      if (this.#dialect.isLast(frame)) return this.#whole(true)
    }
    return undefined
  }

  #whole(isMarked: boolean): Batch {
    const answer = this.#streamed().gathered.whole(isMarked)
    if (answer === undefined) return [{ type: "failed", failure: cutOff }]
    return [...this.whole(JSON.stringify(answer))].flat()
  }
}

const done = "[DONE]"
