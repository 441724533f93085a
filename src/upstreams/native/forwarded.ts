import type { JsonObject } from "../../contract/fields.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { sseEvents } from "../framing/sse.ts"
import type { SseEvent } from "../framing/sse.ts"
import { framesNamed, WholeFrames } from "../framing/WholeFrames.ts"
import type { Reader } from "../generationOf.ts"
import { noBack } from "../protocols/back.ts"
import { isObject, parseJson } from "../protocols/json.ts"
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

  /** Reads a frame that concerns us, and answers how it is told; undefined where nothing of it may be. */
  const read = ({ data, event }: SseEvent, events: Array<GenerationEvent>): string | undefined => {
    const parsed = parseJson(data)
    if (!isObject(parsed)) {
      events.push(noAnswer)
      return undefined
    }
    events.push(...step(parsed))
    // The family tells failures in its own words; ours hold nothing of the upstream's.
    if (events.at(-1)?.type === "failed") return undefined
    return written({ event, data: JSON.stringify(rename(parsed, dialect, rewrite)) })
  }

  /** Whole frames: the bytes between those that concern us go through as they are. */
  const frames = (bytes: Uint8Array): Batch => {
    const places = framesNamed(dialect.names, bytes)
    if (places.length === 0) return [{ type: "native", bytes, terminal: false }]
    const events: Array<GenerationEvent> = []
    const pieces: Array<Uint8Array> = []
    let passed = 0
    const pass = (until: number) => {
      if (until > passed) pieces.push(bytes.subarray(passed, until))
    }
    const together = (): Batch =>
      pieces.length === 0 ? [] : [{ type: "native", bytes: joined(pieces), terminal: false }]
    for (let index = 0; index < places.length; index += 2) {
      const [start = 0, end = 0] = [places[index], places[index + 1]]
      const [frame] = sseEvents(bytes.subarray(start, end))
      if (frame !== undefined && !dialect.concerns(frame.event, frame.data)) continue
      pass(start)
      passed = end
      if (frame === undefined) continue
      const renamed = read(frame, events)
      if (renamed === undefined) return [...together(), ...events]
      const last = events.at(-1)
      if (last?.type === "finished") {
        return [...together(), ...events.slice(0, -1), { type: "native", text: renamed, terminal: true }, last]
      }
      pieces.push(utf8.encode(renamed))
    }
    pass(bytes.length)
    return [...events, ...together()]
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

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)

const utf8 = new TextEncoder()

const noAnswer: GenerationEvent = { type: "failed", failure: garbled }

const rename = (frame: JsonObject, dialect: Dialect, rewrite: (answer: JsonObject) => JsonObject): JsonObject => {
  const answer = frame[dialect.answerIn]
  return isObject(answer) ? { ...frame, [dialect.answerIn]: rewrite(answer) } : frame
}

const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
