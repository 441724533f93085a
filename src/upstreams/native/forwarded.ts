import type { JsonObject } from "../../contract/fields.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { SseEvent } from "../framing/sse.ts"
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
  let state = protocol.begin(noBack)

  const step = (frame: JsonObject): Batch => {
    const [next, events] = protocol.step(state, frame)
    state = next
    return events.filter(isAccount)
  }

  const frames = (frames: ReadonlyArray<SseEvent>): Batch => {
    const events: Array<GenerationEvent> = []
    let text = ""
    const flush = () => {
      if (text !== "") events.push({ type: "native", text, terminal: false })
      text = ""
    }
    for (const frame of frames) {
      if (!dialect.concerns(frame.event, frame.data)) {
        text += written(frame)
        continue
      }
      const parsed = parseJson(frame.data)
      const told = isObject(parsed) ? step(parsed) : [noAnswer]
      const ending = told.at(-1)?.type
      // The family tells failures in its own words; ours hold nothing of the upstream's.
      if (ending === "failed" || !isObject(parsed)) {
        flush()
        return [...events, ...told]
      }
      const renamed = written({ event: frame.event, data: JSON.stringify(rename(parsed, dialect, rewrite)) })
      if (ending === "finished") {
        flush()
        return [...events, ...told.slice(0, -1), { type: "native", text: renamed, terminal: true }, ...told.slice(-1)]
      }
      text += renamed
      events.push(...told)
    }
    flush()
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

  const end = (rest: ReadonlyArray<SseEvent>): Batch => {
    const events = frames(rest.filter(({ data }) => isObject(parseJson(data))))
    const ending = events.at(-1)?.type
    return ending === "finished" || ending === "failed" ? events : [...events, ...protocol.end(state, false)]
  }

  return { frames, whole, end }
}

/** Content is in the text that passes through; what it cost and how it ended is told beside it. */
const isAccount = (event: GenerationEvent): boolean =>
  event.type === "started" || event.type === "usage" || event.type === "finished" || event.type === "failed"

const noAnswer: GenerationEvent = { type: "failed", failure: garbled }

const rename = (frame: JsonObject, dialect: Dialect, rewrite: (answer: JsonObject) => JsonObject): JsonObject => {
  const answer = frame[dialect.answerIn]
  return isObject(answer) ? { ...frame, [dialect.answerIn]: rewrite(answer) } : frame
}

const written = ({ event, data }: SseEvent): string => {
  const lines = data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data
  return event === "message" ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
