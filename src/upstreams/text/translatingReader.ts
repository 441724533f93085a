import type { JsonObject } from "../../contract/fields.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { withOrigin } from "../../generation/origin.ts"
import type { Origin } from "../../generation/Conversation.ts"
import { BrokenFrame } from "../framing/Framing.ts"
import type { Frame } from "../framing/Framing.ts"
import { serverSentEvents } from "../framing/sse.ts"
import type { Reader } from "./generationOf.ts"
import { ItemCount } from "./ItemCount.ts"
import { isObject, parseJson } from "../../contract/json/json.ts"
import type { Lowered, Protocol } from "../protocols/Protocol.ts"
import { beginStopSearch, stopAt } from "../protocols/stops.ts"
import { noAnswer } from "../protocols/upstreamFailure.ts"

interface TranslationOptions {
  /** The model's id at the upstream, recorded as the origin of its signatures. */
  readonly model: string
  /** The name of the upstream's key, if it has several. */
  readonly key?: string | undefined
  /** Called with every frame. */
  readonly onFrame?: ((frame: JsonObject) => void) | undefined
}

/**
 * The most of frames without an event, in UTF-16 units, and what each of them adds to its length. The input of a custom
 * tool has a frame for each token, is kept meanwhile, and is told as a whole.
 */
const mostSilent = 64 * 1024 * 1024
const silentFrame = 64

/** Reads an answer by the protocol's state machine. */
export const translatingReader = <S>(
  protocol: Protocol<S>,
  { back, stops }: Pick<Lowered, "back" | "stops">,
  { key, onFrame, model }: TranslationOptions
): Reader => {
  const withOrigin =
    protocol.signs === undefined ? undefined : sealing({ by: protocol.signs, model, key: protocol.signsByKey && key })
  const { contentType, parser: begin } = protocol.framing ?? serverSentEvents
  const parser = begin()
  let state = protocol.begin(back)
  const count = new ItemCount()
  let looking = beginStopSearch(stops)
  let silent = 0

  const stop = (events: Batch): Batch => {
    const [next, passed] = stopAt(looking, events)
    looking = next
    return passed
  }

  const saysNothing = (length: number) => {
    silent += length
    if (silent > mostSilent) throw new BrokenFrame(`more than ${mostSilent} characters of frames that say nothing`)
  }

  /** Returns true once the answer has ended. */
  const step = (frame: JsonObject, events: Array<GenerationEvent>): boolean => {
    onFrame?.(frame)
    const [next, emitted] = protocol.step(state, frame)
    state = next
    for (const event of emitted) {
      const failure = count.excess(event)
      if (failure !== undefined) {
        events.push({ type: "failed", failure })
        return true
      }
      events.push(withOrigin === undefined ? event : withOrigin(event))
    }
    return isEnd(emitted.at(-1))
  }

  const read = (frames: ReadonlyArray<Frame>, events: Array<GenerationEvent>): boolean => {
    for (const { data } of frames) {
      if (data === "[DONE]") {
        events.push(...protocol.end(state, true))
        return true
      }
      if (data.trim() === "") {
        saysNothing(data.length + silentFrame)
        continue
      }
      const frame = parseJson(data)
      if (!isObject(frame)) {
        events.push(noAnswer(data))
        return true
      }
      const told = events.length
      if (step(frame, events)) return true
      if (events.length === told) saysNothing(data.length + silentFrame)
    }
    return false
  }

  return {
    contentType,
    push: (bytes) => {
      const frames = parser.push(bytes)
      if (frames.length === 0) return []
      const events: Array<GenerationEvent> = []
      read(frames, events)
      return stop(events)
    },
    end: () => {
      const events: Array<GenerationEvent> = []
      const wholeFrames = parser.end().filter(({ data }) => data === "[DONE]" || isObject(parseJson(data)))
      if (!read(wholeFrames, events)) events.push(...protocol.end(state, false))
      return stop(events)
    },
    whole: (text) => {
      const answer = parseJson(text)
      const frames = isObject(answer) ? protocol.frames(answer) : undefined
      if (frames === undefined) return [[noAnswer(text)]]
      const events: Array<GenerationEvent> = []
      if (!frames.some((frame) => step(frame, events))) events.push(...protocol.end(state, true))
      return [stop(events)]
    }
  }
}

/** Adds the origin to reasoning signatures. */
const sealing =
  (origin: Origin) =>
  (event: GenerationEvent): GenerationEvent => {
    if (event.type === "redacted-reasoning") return { ...event, data: withOrigin(origin, event.data) }
    return event.type === "reasoning-end" && event.signature !== undefined
      ? { ...event, signature: withOrigin(origin, event.signature) }
      : event
  }

const isEnd = (event: GenerationEvent | undefined) => event?.type === "finished" || event?.type === "failed"
