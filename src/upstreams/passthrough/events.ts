import type { HostedCall } from "../../contract/records/HostedCall.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent, UsageFrame, Usage } from "../../generation/GenerationEvent.ts"
import { Silence } from "../framing/Framing.ts"
import { eventLimit, sseEvents } from "../framing/sse.ts"
import type { SseEvent } from "../framing/sse.ts"
import { framesNamed, WholeFrames } from "../framing/WholeFrames.ts"
import type { Reader } from "../text/generationOf.ts"
import { noBack } from "../protocols/back.ts"
import { isObject, objectAt, parseJson } from "../../contract/json/json.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { noAnswer, tooLongAsStream, tooMuchText } from "../protocols/upstreamFailure.ts"
import type { EventDialect } from "./Dialect.ts"
import { gatherAnswer } from "./gatherAnswer.ts"
import { Mender } from "./Mender.ts"
import { writeEvent, writtenFrames } from "./writeEvent.ts"

/**
 * Reads a passthrough answer in named events. Only names are replaced. The protocol's machine reads usage, the end and
 * failures from the frames that have any.
 */
export const passthroughEvents = <S>(
  protocol: Protocol<S>,
  dialect: EventDialect,
  rewrite: (answer: JsonObject) => JsonObject,
  isStream: boolean
): Reader => {
  const reader = new EventReader(protocol, dialect, rewrite, isStream)
  return isStream ? reader : gatherAnswer(reader, dialect)
}

/** An object instead of closures, because thousands of answers are read at a time. */
class EventReader<S> implements Reader {
  readonly #protocol: Protocol<S>
  readonly #dialect: EventDialect
  readonly #rewrite: (answer: JsonObject) => JsonObject
  readonly #isStream: boolean
  #cutter: WholeFrames | undefined
  #mender: Mender | undefined
  #state: S
  /** True once a frame of the answer has arrived. */
  #hasBegun = false
  #silence: Silence | undefined
  /** The usage that the answer began with. */
  #begun: JsonObject | undefined
  /** The data of the frames of finished items. */
  #items: Array<string> | undefined
  #itemsLength = 0

  constructor(
    protocol: Protocol<S>,
    dialect: EventDialect,
    rewrite: (answer: JsonObject) => JsonObject,
    isStream: boolean
  ) {
    this.#protocol = protocol
    this.#dialect = dialect
    this.#rewrite = (answer) => {
      const completed = dialect.completed(answer)
      this.#begun = objectAt(completed, "usage")
      return rewrite(completed)
    }
    this.#isStream = isStream
    this.#state = protocol.begin(noBack)
  }

  push(bytes: Uint8Array): Batch {
    const whole = (this.#cutter ??= new WholeFrames()).push(bytes)
    return whole === undefined ? [] : this.#frames(whole)
  }

  end(): Batch {
    const events = this.#rest()
    const ending = events.at(-1)?.type
    if (ending === "finished" || ending === "failed") return events
    const { lastFrame } = this.#dialect
    const emitted = this.#protocol.end(this.#state, false).filter(isAccount)
    const isWithoutLast = lastFrame !== undefined && emitted.at(-1)?.type === "finished"
    const last = isWithoutLast
      ? [{ type: "passthrough", terminal: true, text: writeEvent(lastFrame), isEmpty: true } as const]
      : []
    return [...events, ...last, ...emitted]
  }

  *whole(text: string): Iterable<Batch> {
    const answer = parseJson(text)
    const frames = isObject(answer) ? this.#protocol.frames(this.#dialect.account(answer)) : undefined
    if (!isObject(answer) || frames === undefined) return yield [noAnswer(text)]
    const stream = this.#isStream ? this.#dialect.asStream(answer) : undefined
    if (stream === undefined) return yield this.#inOne(answer, frames)
    const parts = yield* writtenFrames(text.length, stream, true)
    if (parts === undefined) return yield [tooLongAsStream]
    for (const part of parts) yield this.#read(utf8.encode(part))
  }

  #inOne(answer: JsonObject, frames: ReadonlyArray<JsonObject>): Batch {
    const emitted: Array<GenerationEvent> = []
    for (const frame of frames) this.#step(frame, emitted)
    emitted.push(...this.#protocol.end(this.#state, true))
    const ending = emitted.pop()
    if (ending === undefined) return emitted
    if (ending.type === "finished") {
      emitted.push({
        type: "passthrough",
        text: JSON.stringify(this.#rewrite(answer)),
        terminal: true,
        ...(this.#dialect.isEmpty(answer) && { isEmpty: true }),
        usageFrame: { isTotal: true, as: (usage) => JSON.stringify(this.#rewrite(this.#counted(answer, usage))) }
      })
    }
    emitted.push(ending)
    return emitted
  }

  /** Emits a frame's usage and end, but not its content, which passes through. */
  #step(frame: JsonObject, emitted: Array<GenerationEvent>): void {
    const [next, events] = this.#protocol.step(this.#state, frame)
    this.#state = next
    for (const event of events) {
      if (!isAccount(event)) continue
      if (event.type === "started") this.#hasBegun = true
      emitted.push(event)
    }
  }

  /** Counts a finished item of a hosted tool, and returns the tool. */
  #count({ data, event }: SseEvent, emitted: Array<GenerationEvent>): HostedCall | undefined {
    const frame = this.#dialect.concerns(event, data) ? parseJson(data) : undefined
    if (!isObject(frame)) return undefined
    this.#step(frame, emitted)
    return this.#dialect.calledIn?.(frame["item"])
  }

  /** A function that writes other usage into a frame; undefined if the frame has no usage. */
  #usageFrame(event: SseEvent, frame: unknown): UsageFrame<string> | undefined {
    if (!isObject(frame)) return undefined
    const usageIn = this.#dialect.usageIn(frame)
    if (usageIn === undefined) return undefined
    const { answerIn } = this.#dialect
    const as = (usage: Usage) => {
      const answer = this.#answerOf(frame)
      const counted =
        answer === undefined
          ? this.#counted(this.#dialect.completedEnd(frame, this.#begun), usage)
          : { ...frame, [answerIn]: this.#rewrite(this.#counted(answer, usage)) }
      return writeEvent({ event: event.event, data: JSON.stringify(counted) })
    }
    return { isTotal: usageIn === "totals", as }
  }

  #counted(answer: JsonObject, usage: Usage): JsonObject {
    return { ...answer, usage: this.#dialect.usage(usage) }
  }

  /** A frame with the caller's names and what it lacks; undefined if it needs neither. */
  #rename({ event }: SseEvent, frame: unknown): string | undefined {
    const { answerIn } = this.#dialect
    const answer = this.#answerOf(frame)
    if (!isObject(frame)) return undefined
    if (answer === undefined) {
      const completed = this.#dialect.completedEnd(frame, this.#begun)
      return completed === frame ? undefined : writeEvent({ event, data: JSON.stringify(completed) })
    }
    return writeEvent({ event, data: JSON.stringify({ ...frame, [answerIn]: this.#rewrite(answer) }) })
  }

  /** The answer object of a frame. The last one has the items, whether or not the server repeats them there. */
  #answerOf(frame: unknown): JsonObject | undefined {
    const { answerIn, isLast, withItems } = this.#dialect
    const answer = objectAt(frame, answerIn)
    if (answer === undefined || withItems === undefined || this.#items === undefined) return answer
    return isObject(frame) && isLast(frame) ? withItems(answer, this.#items) : answer
  }

  /** Parses the frames that matter and copies the others. */
  #frames(given: Uint8Array): Batch {
    const bytes = (this.#mender ??= new Mender(this.#dialect)).mend(given)
    if (bytes.length > 0) return this.#read(bytes)
    this.#saysNothing(given.length)
    return []
  }

  #read(bytes: Uint8Array): Batch {
    const events = this.#eventsIn(bytes)
    if (this.#hasBegun) return events
    this.#saysNothing(bytes.length)
    return events.map(asBeginning)
  }

  /** Counts what was parsed in vain, in bytes, and what comes before the answer. */
  #saysNothing(bytes: number): void {
    ;(this.#silence ??= new Silence()).add(bytes)
  }

  #eventsIn(bytes: Uint8Array): Batch {
    const places = framesNamed(this.#dialect.names, bytes)
    if (places.length === 0) return [{ type: "passthrough", bytes, terminal: false }]
    const events: Array<GenerationEvent> = []
    let passed = 0
    const pass = (until: number) => {
      if (until > passed) events.push({ type: "passthrough", bytes: bytes.subarray(passed, until), terminal: false })
    }
    for (let index = 0; index < places.length; index += 2) {
      const [start = 0, end = 0] = [places[index], places[index + 1]]
      const frame = bytes.subarray(start, end)
      const [event] = sseEvents(frame)
      if (event === undefined || event.data.trim() === "") {
        // A frame without data is no event in the standard, but some clients take it for one.
        pass(start)
        passed = end
        this.#saysNothing(end - start)
        continue
      }
      if (event.event === this.#dialect.itemEnd) {
        pass(start)
        passed = end
        const called = this.#count(event, events)
        this.#itemsLength += event.data.length
        if (this.#itemsLength > eventLimit) return [...events, { type: "failed", failure: tooMuchText }]
        ;(this.#items ??= []).push(event.data)
        const { data: item } = event
        events.push({ type: "passthrough", bytes: frame, terminal: false, item, ...(called && { called }) })
        continue
      }
      if (!this.#dialect.concerns(event.event, event.data)) {
        this.#saysNothing(end - start)
        continue
      }
      const parsed = parseJson(event.data)
      const emitted: Array<GenerationEvent> = []
      if (isObject(parsed)) this.#step(parsed, emitted)
      else emitted.push(noAnswer(event.data))
      const renamed = this.#rename(event, parsed)
      const usageFrame = this.#usageFrame(event, parsed)
      const ending = emitted.at(-1)
      if (ending?.type === "failed") {
        // The family renders the failure itself, without the upstream's details.
        pass(start)
        return [...events, ...emitted]
      }
      if (ending?.type === "finished") {
        pass(start)
        const text = renamed ?? utf8Decoder.decode(frame)
        return [
          ...events,
          ...emitted.slice(0, -1),
          {
            type: "passthrough",
            text,
            terminal: true,
            ...(usageFrame && { usageFrame }),
            ...(this.#dialect.isEmpty(this.#answerOf(parsed) ?? {}) && { isEmpty: true })
          },
          ending
        ]
      }
      events.push(...emitted)
      if (renamed === undefined && usageFrame === undefined) {
        if (emitted.length === 0) this.#saysNothing(end - start)
        continue
      }
      pass(start)
      passed = end
      events.push({
        type: "passthrough",
        bytes: renamed === undefined ? frame : utf8.encode(renamed),
        terminal: false,
        ...(isObject(parsed) && this.#dialect.begins(parsed) && { isBeginning: true }),
        ...(usageFrame && {
          usageFrame: { isTotal: usageFrame.isTotal, as: (usage) => utf8.encode(usageFrame.as(usage)) }
        })
      })
    }
    pass(bytes.length)
    return events
  }

  /** The last frame, if it only lacks its closing blank line. An incomplete one is dropped. */
  #rest(): Batch {
    const [frame] = sseEvents(this.#cutter?.rest() ?? empty)
    return frame !== undefined && isObject(parseJson(frame.data)) ? this.#frames(utf8.encode(writeEvent(frame))) : []
  }
}

/** Frames before the answer's first one may be another dialect's, so they don't accept the call. */
const asBeginning = (event: GenerationEvent): GenerationEvent =>
  event.type === "passthrough" && !event.terminal ? { ...event, isBeginning: true } : event

/** True for events other than content, which passes through as bytes. */
const isAccount = (event: GenerationEvent): boolean =>
  event.type === "started" || event.type === "usage" || event.type === "finished" || event.type === "failed"

const utf8 = new TextEncoder()
const utf8Decoder = new TextDecoder()

const empty = new Uint8Array()
