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
): Reader => {
  const cutter = new WholeFrames()
  let state = protocol.begin(noBack)

  const step = (frame: JsonObject): Batch => {
    const [next, events] = protocol.step(state, frame)
    state = next
    return events.filter(isAccount)
  }

  /** A frame with the caller's names; undefined where it has none. */
  const rename = ({ event }: SseEvent, frame: unknown): string | undefined => {
    const answer = objectAt(frame, dialect.answerIn)
    if (answer === undefined || !isObject(frame)) return undefined
    return written({ event, data: JSON.stringify({ ...frame, [dialect.answerIn]: rewrite(answer) }) })
  }

  /** Whole frames: the bytes around those that concern us go through as they are. */
  const frames = (bytes: Uint8Array): Batch => {
    const places = framesNamed(dialect.names, bytes)
    return places.length === 0 ? [{ type: "native", bytes, terminal: false }] : read(bytes, places)
  }

  const read = (bytes: Uint8Array, places: ReadonlyArray<number>): Batch => {
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
      if (!dialect.concerns(event.event, event.data)) continue
      const parsed = parseJson(event.data)
      const told = isObject(parsed) ? step(parsed) : [noAnswer]
      const renamed = rename(event, parsed)
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

  const whole = (text: string): Batch => {
    const answer = parseJson(text)
    const frames = isObject(answer) ? protocol.frames(answer) : undefined
    if (!isObject(answer) || frames === undefined) return [noAnswer]
    const told = [...frames.flatMap(step), ...protocol.end(state, true)]
    const ending = told.at(-1)
    if (ending?.type !== "finished") return told
    const native = { type: "native", text: JSON.stringify(rewrite(answer)), terminal: true } as const
    return [...told.slice(0, -1), native, ending]
  }

  /** What the stream's end has cut off: no more than its closing blank line, or it is none. */
  const rest = (): Batch => {
    const [frame] = sseEvents(cutter.rest())
    return frame !== undefined && isObject(parseJson(frame.data)) ? frames(utf8.encode(written(frame))) : []
  }

  return {
    push: (bytes) => {
      const whole = cutter.push(bytes)
      return whole === undefined ? [] : frames(whole)
    },
    end: () => {
      const events = rest()
      const ending = events.at(-1)?.type
      return ending === "finished" || ending === "failed" ? events : [...events, ...protocol.end(state, false)]
    },
    whole
  }
}

/** Content is in the text that passes through; what it cost and how it ended is told beside it. */
const isAccount = (event: GenerationEvent): boolean =>
  event.type === "started" || event.type === "usage" || event.type === "finished" || event.type === "failed"

const utf8 = new TextEncoder()
const utf8Decoder = new TextDecoder()

const noAnswer: GenerationEvent = { type: "failed", failure: garbled }

const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
