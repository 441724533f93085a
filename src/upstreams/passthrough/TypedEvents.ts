import type { JsonObject } from "../../contract/fields.ts"
import { isObject, parseJson, textAt } from "../../contract/json/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent, Usage, UsageEvent } from "../../generation/GenerationEvent.ts"
import { eventLimit, sseEvents } from "../framing/sse.ts"
import type { SseEvent } from "../framing/sse.ts"
import { WholeFrames } from "../framing/WholeFrames.ts"
import { cutOff, failedWith, noAnswer } from "../protocols/upstreamFailure.ts"
import type { Reader } from "../text/generationOf.ts"
import { writeEvent } from "./writeEvent.ts"

interface Typed {
  /** True for the type of the last event, which may have the usage. */
  readonly isLast: (type: string) => boolean
  /** The usage that is known before the first event. */
  readonly begins?: Usage
  /** True if events have no text to count: `soFar` tells their usage. */
  readonly isTold?: true
  /** The usage after these frames, which were counted. Absent if only the last event tells it. */
  readonly soFar?: (frames: Uint8Array) => { readonly usage: Usage; readonly counted: "untold-tokens" }
  /** The usage that the last event tells. */
  readonly usageOf: (last: JsonObject) => UsageEvent | undefined
}

/** Reads events that tell their kind by a `type` in their data. Only the last one, and failures, are parsed. */
export class TypedEvents implements Reader {
  readonly #typed: Typed
  readonly #frames = new WholeFrames(eventLimit)
  #hasBegun = false
  #isOver = false

  constructor(typed: Typed) {
    this.#typed = typed
  }

  push(bytes: Uint8Array): Batch {
    const frames = this.#frames.push(bytes)
    const events = frames === undefined ? [] : this.#framed(frames)
    const { begins } = this.#typed
    if (this.#hasBegun || begins === undefined) return events
    this.#hasBegun = true
    return [{ type: "started", usage: begins }, ...events]
  }

  end(): Batch {
    const rest = this.#frames.rest()
    const events = rest.length > 0 && !this.#isOver ? this.#framed(rest) : []
    return this.#isOver ? events : [...events, { type: "failed", failure: cutOff }]
  }

  whole(text: string): Iterable<Batch> {
    const answer = parseJson(text)
    return [[isObject(answer) && isObject(answer["error"]) ? failedWith(answer["error"]) : noAnswer(text)]]
  }

  #framed(frames: Uint8Array): Batch {
    if (this.#isOver) return []
    const all = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength)
    if (!all.includes(".done") && !all.includes("error")) return this.#passed(frames)
    const events = sseEvents(frames)
    const at = events.findIndex((event) => this.#ends(event))
    const ending = events[at]
    if (ending === undefined) return this.#passed(frames)
    this.#isOver = true
    const before = utf8.encode(events.slice(0, at).map(writeEvent).join(""))
    return [...(before.length > 0 ? this.#passed(before) : []), ...this.#ended(ending)]
  }

  #passed(bytes: Uint8Array): ReadonlyArray<GenerationEvent> {
    const { isTold, soFar } = this.#typed
    const passed = { type: "passthrough", terminal: false, bytes, ...(isTold && { isTold }) } as const
    return soFar === undefined ? [passed] : [{ type: "usage", ...soFar(bytes) }, passed]
  }

  #ends({ data, event }: SseEvent): boolean {
    const frame = parseJson(data)
    const type = textAt(frame, "type") ?? event
    return type === "error" || (isObject(frame) && isObject(frame["error"])) || this.#typed.isLast(type)
  }

  #ended(event: SseEvent): ReadonlyArray<GenerationEvent> {
    const frame = parseJson(event.data)
    if (!isObject(frame)) return [noAnswer(event.data)]
    const type = textAt(frame, "type") ?? event.event
    if (!this.#typed.isLast(type)) return [failedWith(isObject(frame["error"]) ? frame["error"] : frame)]
    const usage = this.#typed.usageOf(frame)
    return [
      ...(usage === undefined ? [] : [usage]),
      { type: "passthrough", terminal: true, text: writeEvent(event), isRepeated: true },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
}

const utf8 = new TextEncoder()
