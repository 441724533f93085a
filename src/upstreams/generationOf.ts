import type { JsonObject } from "../contract/fields.ts"
import { Internal, UpstreamFailed } from "../contract/Failure.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { BrokenBody } from "./client.ts"
import type { Exchange } from "./client.ts"
import { SseOverflow, sseParser } from "./framing/sse.ts"
import type { SseEvent } from "./framing/sse.ts"
import { isObject, parseJson } from "./protocols/json.ts"
import type { Lowered, Protocol } from "./protocols/Protocol.ts"
import { lookFor, stopAt } from "./protocols/stops.ts"

/** The largest answer in one piece, in bytes. */
const answerLimit = 64 * 1024 * 1024

/** An upstream's answer as a generation: a stream or one piece, whichever it turned out to be. One batch a chunk. */
export const generationOf = <S>(
  protocol: Protocol<S>,
  lowered: Pick<Lowered, "back" | "stops">,
  exchange: Exchange
): Generation => {
  const streams = exchange.headers.get("content-type")?.includes("text/event-stream") === true
  const take = streams ? streamed(protocol, lowered, exchange) : whole(protocol, lowered, exchange)
  let stops = lookFor(lowered.stops)
  let over = false
  let cancelled = false

  const next = async (): Promise<Batch | undefined> => {
    while (!over && !cancelled) {
      const events = await take().catch(failedBy)
      if (cancelled) return undefined
      const [after, batch] = stopAt(stops, events)
      stops = after
      const last = batch.at(-1)?.type
      if (last === "finished" || last === "failed") over = true
      if (batch.length > 0) return batch
    }
    return undefined
  }

  return {
    next,
    cancel: () => {
      if (cancelled) return
      cancelled = true
      // A complete answer's connection is worth keeping; everything else stops at once.
      if (over && !stops.hit) exchange.release()
      else exchange.cancel()
    }
  }
}

type Take = () => Promise<Batch>

const streamed = <S>(protocol: Protocol<S>, { back }: Pick<Lowered, "back">, exchange: Exchange): Take => {
  const parser = sseParser()
  let state = protocol.begin(back)

  /** Stops behind the first event that ends the answer. */
  const read = (frames: ReadonlyArray<SseEvent>, events: Array<GenerationEvent>): boolean => {
    for (const { data } of frames) {
      if (data === "[DONE]") {
        events.push(...protocol.end(state, true))
        return true
      }
      const frame = parseJson(data)
      if (!isObject(frame)) {
        if (data.trim() === "") continue
        events.push({ type: "failed", failure: garbled })
        return true
      }
      const [next, emitted] = protocol.step(state, frame)
      state = next
      events.push(...emitted)
      const last = emitted.at(-1)?.type
      if (last === "finished" || last === "failed") return true
    }
    return false
  }

  return async () => {
    const events: Array<GenerationEvent> = []
    const bytes = await exchange.read()
    if (bytes !== undefined) {
      read(parser.push(bytes), events)
      return events
    }
    // What is left may be cut short: only whole frames of it count.
    const rest = parser.end().filter(({ data }) => data === "[DONE]" || isObject(parseJson(data)))
    if (!read(rest, events)) events.push(...protocol.end(state, false))
    return events
  }
}

const whole =
  <S>(protocol: Protocol<S>, { back }: Pick<Lowered, "back">, exchange: Exchange): Take =>
  async () => {
    const answer = parseJson(await exchange.text(answerLimit))
    const frames = isObject(answer) ? protocol.frames(answer) : undefined
    return frames === undefined ? [{ type: "failed", failure: garbled }] : read(protocol, protocol.begin(back), frames)
  }

const read = <S>(protocol: Protocol<S>, initial: S, frames: ReadonlyArray<JsonObject>): Batch => {
  const events: Array<GenerationEvent> = []
  let state = initial
  for (const frame of frames) {
    const [next, emitted] = protocol.step(state, frame)
    state = next
    events.push(...emitted)
  }
  return [...events, ...protocol.end(state, true)]
}

const garbled = new UpstreamFailed({ message: "The model's upstream sent something that is no answer" })

const failedBy = (cause: unknown): Batch => {
  if (cause instanceof BrokenBody) return [{ type: "failed", failure: new UpstreamFailed({ message: cause.message }) }]
  if (cause instanceof SseOverflow) return [{ type: "failed", failure: garbled }]
  // A defect of ours is an event too: a generation never rejects.
  return [{ type: "failed", failure: new Internal({}) }]
}
