import type { JsonObject } from "../../contract/fields.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { sseEvents } from "../framing/sse.ts"
import type { SseEvent } from "../framing/sse.ts"
import { framesNamed, WholeFrames } from "../framing/WholeFrames.ts"
import type { Reader } from "../generationOf.ts"
import { noBack } from "../protocols/back.ts"
import { isObject, objectAt, parseJson } from "../protocols/json.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { garbled } from "../protocols/upstreamFailure.ts"
import type { Dialect } from "./Dialect.ts"

/**
 * Reads an answer that passes through: the names in it are replaced, the rest is the upstream's own text. The
 * protocol's machine tells usage, the end and failures, from those frames that hold any.
 */
export const forwarded = <S>(
  protocol: Protocol<S>,
  dialect: Dialect,
  rewrite: (answer: JsonObject) => JsonObject
): Reader => new Forwarded(protocol, dialect, rewrite)

/** One for each answer: an object and no closures, since thousands of them are read at a time. */
class Forwarded<S> implements Reader {
  readonly #protocol: Protocol<S>
  readonly #dialect: Dialect
  readonly #rewrite: (answer: JsonObject) => JsonObject
  #cutter: WholeFrames | undefined
  #state: S

  constructor(protocol: Protocol<S>, dialect: Dialect, rewrite: (answer: JsonObject) => JsonObject) {
    this.#protocol = protocol
    this.#dialect = dialect
    this.#rewrite = rewrite
    this.#state = protocol.begin(noBack)
  }

  push(bytes: Uint8Array): Batch {
    const whole = (this.#cutter ??= new WholeFrames()).push(bytes)
    return whole === undefined ? [] : this.#frames(whole)
  }

  end(): Batch {
    const events = this.#rest()
    const ending = events.at(-1)?.type
    return ending === "finished" || ending === "failed"
      ? events
      : [...events, ...this.#protocol.end(this.#state, false)]
  }

  whole(text: string): Batch {
    const answer = parseJson(text)
    if (!isObject(answer)) return [noAnswer]
    const frames = this.#protocol.frames(this.#dialect.account(answer))
    if (frames === undefined) return [noAnswer]
    const told: Array<GenerationEvent> = []
    for (const frame of frames) this.#step(frame, told)
    told.push(...this.#protocol.end(this.#state, true))
    const ending = told.pop()
    if (ending === undefined) return told
    if (ending.type === "finished") {
      told.push({ type: "native", text: JSON.stringify(this.#rewrite(answer)), terminal: true })
    }
    told.push(ending)
    return told
  }

  /** What a frame tells beside its content, which is in the text that passes through. */
  #step(frame: JsonObject, told: Array<GenerationEvent>): void {
    const [next, events] = this.#protocol.step(this.#state, frame)
    this.#state = next
    for (const event of events) if (isAccount(event)) told.push(event)
  }

  /** A frame with the caller's names; undefined where it has none. */
  #rename({ event }: SseEvent, frame: unknown): string | undefined {
    const { answerIn } = this.#dialect
    const answer = objectAt(frame, answerIn)
    if (answer === undefined || !isObject(frame)) return undefined
    return written({ event, data: JSON.stringify({ ...frame, [answerIn]: this.#rewrite(answer) }) })
  }

  /** Whole frames: the bytes around those that concern us go through as they are. */
  #frames(bytes: Uint8Array): Batch {
    const places = framesNamed(this.#dialect.names, bytes)
    return places.length === 0 ? [{ type: "native", bytes, terminal: false }] : this.#read(bytes, places)
  }

  #read(bytes: Uint8Array, places: ReadonlyArray<number>): Batch {
    const events: Array<GenerationEvent> = []
    let passed = 0
    const pass = (until: number) => {
      if (until > passed) events.push({ type: "native", bytes: bytes.subarray(passed, until), terminal: false })
    }
    for (let index = 0; index < places.length; index += 2) {
      const [start = 0, end = 0] = [places[index], places[index + 1]]
      const frame = bytes.subarray(start, end)
      const [event] = sseEvents(frame)
      if (event === undefined) {
        // Without data it is none, though it looks like one to some.
        pass(start)
        passed = end
        continue
      }
      if (!this.#dialect.concerns(event.event, event.data)) continue
      const parsed = parseJson(event.data)
      const told: Array<GenerationEvent> = []
      if (isObject(parsed)) this.#step(parsed, told)
      else told.push(noAnswer)
      const renamed = this.#rename(event, parsed)
      const ending = told.at(-1)
      if (ending?.type === "failed") {
        // The family tells failures in its own words; ours hold nothing of the upstream's.
        pass(start)
        return [...events, ...told]
      }
      if (ending?.type === "finished") {
        pass(start)
        const text = renamed ?? utf8Decoder.decode(frame)
        return [...events, ...told.slice(0, -1), { type: "native", text, terminal: true }, ending]
      }
      events.push(...told)
      if (renamed === undefined) continue
      pass(start)
      passed = end
      events.push({ type: "native", bytes: utf8.encode(renamed), terminal: false })
    }
    pass(bytes.length)
    return events
  }

  /** What the stream's end has cut off: no more than its closing blank line, or it is none. */
  #rest(): Batch {
    const [frame] = sseEvents(this.#cutter?.rest() ?? empty)
    return frame !== undefined && isObject(parseJson(frame.data)) ? this.#frames(utf8.encode(written(frame))) : []
  }
}

/** Content is in the text that passes through; what it cost and how it ended is told beside it. */
const isAccount = (event: GenerationEvent): boolean =>
  event.type === "started" || event.type === "usage" || event.type === "finished" || event.type === "failed"

const utf8 = new TextEncoder()
const utf8Decoder = new TextDecoder()

const empty = new Uint8Array()

const noAnswer: GenerationEvent = { type: "failed", failure: garbled }

const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
