import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, objectAt, parseJson } from "../../contract/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import { sseEvents } from "../framing/sse.ts"
import { endOfFrame, placesOf, startOfFrame } from "../framing/places.ts"
import { WholeFrames } from "../framing/WholeFrames.ts"
import type { Reader } from "../generationOf.ts"
import { noBack } from "../protocols/back.ts"
import type { Protocol } from "../protocols/Protocol.ts"
import { noAnswer, tooLongAsStream } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import type { ChunkDialect } from "./Dialect.ts"
import { gathered } from "./gathered.ts"
import { Renamed } from "./Renamed.ts"
import { writtenFrames } from "./written.ts"

/**
 * Reads an answer in chunks that passes through: the model's name is replaced, the rest is the upstream's own text. The
 * usage, the end and failures are told from those frames that hold any; a caller that did not ask for the usage does
 * not see it.
 */
export const passthroughChunks = <S>(
  protocol: Protocol<S>,
  dialect: ChunkDialect,
  request: PassthroughRequest,
  isStream: boolean
): Reader => {
  const reader = new ForwardedChunks(protocol, dialect, request, isStream)
  return isStream ? reader : gathered(reader, dialect)
}

/** One for each answer: an object and no closures, since thousands of them are read at a time. */
class ForwardedChunks<S> implements Reader {
  readonly #protocol: Protocol<S>
  readonly #dialect: ChunkDialect
  readonly #request: PassthroughRequest
  readonly #isStream: boolean
  readonly #cutter = new WholeFrames()
  #state: S
  /** Whether anything has come that belongs to an answer. */
  #hasBegun = false
  /** A chunk of the answer, for one that the gateway writes itself. */
  #head: JsonObject | undefined
  /** The model's name; undefined until a chunk of the answer has come, and where chunks are not written as most do. */
  #name: Renamed | undefined

  constructor(protocol: Protocol<S>, dialect: ChunkDialect, request: PassthroughRequest, isStream: boolean) {
    this.#protocol = protocol
    this.#dialect = dialect
    this.#request = request
    this.#isStream = isStream
    this.#state = protocol.begin(noBack)
  }

  push(bytes: Uint8Array): Batch {
    const whole = this.#cutter.push(bytes)
    return whole === undefined ? [] : this.#frames(whole)
  }

  end(): Batch {
    const rest = this.#cutter.rest()
    const [last] = sseEvents(rest)
    const isWhole = last !== undefined && (last.data === done || isObject(parseJson(last.data)))
    const events = isWhole ? this.#frames(utf8.encode(written(last.data))) : []
    const ending = events.at(-1)?.type
    return ending === "finished" || ending === "failed" ? events : [...events, ...this.#ended(false)]
  }

  whole(text: string): Batch {
    const answer = parseJson(text)
    const frames = isObject(answer) ? this.#protocol.frames(answer) : undefined
    if (!isObject(answer) || frames === undefined) return [noAnswer(text)]
    const judged = this.#inOne(answer, frames)
    if (!this.#isStream || judged.at(-1)?.type === "failed") return judged
    this.#state = this.#protocol.begin(noBack)
    const chunks = writtenFrames(text, this.#dialect.asStream(this.#request.rewrite(answer)), false)
    if (chunks === undefined) return [tooLongAsStream]
    const told: Array<GenerationEvent> = []
    this.#read(utf8.encode(chunks + written(done)), told)
    return told
  }

  #inOne(answer: JsonObject, frames: ReadonlyArray<JsonObject>): Batch {
    const events: Array<GenerationEvent> = []
    for (const frame of frames) if (this.#step(frame, events)) return events
    const told = (usage?: Usage) =>
      JSON.stringify(
        this.#request.rewrite(usage === undefined ? answer : { ...answer, usage: this.#dialect.usage(usage) })
      )
    for (const ending of this.#protocol.end(this.#state, true)) {
      if (ending.type === "finished") {
        events.push({ type: "passthrough", terminal: true, text: told(), telling: { isTotal: true, as: told } })
      }
      if (isAccount(ending)) events.push(ending)
    }
    return events
  }

  /** Whole frames: those that matter one by one, the others as they came but for the model's name. */
  #frames(given: Uint8Array): Batch {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.length)
    const events: Array<GenerationEvent> = []
    // Nobody writes carriage returns. Without any, a blank line is two line feeds.
    if (bytes.includes(carriageReturn)) {
      this.#read(bytes, events)
      return events
    }
    let at = 0
    while (this.#name === undefined && at < bytes.length) {
      const end = endOfFrame(bytes, at)
      if (this.#read(bytes.subarray(at, end), events)) return events
      at = end
    }
    for (const place of placesOf(bytes.includes(afterColon) ? concerningSpaced : concerning, bytes)) {
      if (place < at) continue
      const start = startOfFrame(bytes, place, at)
      this.#pass(bytes.subarray(at, start), events)
      at = endOfFrame(bytes, place)
      if (this.#read(bytes.subarray(start, at), events)) return events
    }
    this.#pass(bytes.subarray(at), events)
    return events
  }

  #pass(bytes: Buffer, events: Array<GenerationEvent>): void {
    if (bytes.length > 0)
      events.push({ type: "passthrough", bytes: this.#name?.replacedIn(bytes) ?? bytes, terminal: false })
  }

  /** Frames that matter, one by one. Answers whether the last event is the answer's end. */
  #read(bytes: Uint8Array, events: Array<GenerationEvent>): boolean {
    for (const { data } of sseEvents(bytes)) {
      if (data === done) {
        events.push(...this.#ended(true))
        return true
      }
      if (data.trim() === "") continue
      const frame = parseJson(data)
      if (!isObject(frame)) {
        events.push(noAnswer(data))
        return true
      }
      if (this.#step(unsaid(frame), events)) return true
      events.push(...this.#dialect.signed(frame))
      this.#learn(frame, data)
      const told = this.#told(frame, data)
      if (told !== undefined) events.push(told)
    }
    return false
  }

  /** Whether the answer has failed with this frame. */
  #step(frame: JsonObject, events: Array<GenerationEvent>): boolean {
    const [next, told] = this.#protocol.step(this.#state, frame)
    this.#state = next
    for (const event of told) {
      if (!isAccount(event)) continue
      if (event.type === "started") this.#hasBegun = true
      events.push(event)
    }
    return told.at(-1)?.type === "failed"
  }

  #learn(frame: JsonObject, data: string): void {
    if (this.#name !== undefined || listAt(frame, "choices").length === 0) return
    const { choices: _, usage: _usage, ...head } = this.#request.rewrite(frame)
    this.#head ??= head
    const [upstreams] = model.exec(data) ?? []
    if (upstreams === undefined || frame["model"] === "") return
    // Of an upstream with spaces of its own every chunk is read: what matters in it would not be found by its bytes.
    const found = parseJson(`{${upstreams}}`)
    if (!isObject(found) || found["model"] !== frame["model"]) return
    this.#name = new Renamed(upstreams, `"model":${JSON.stringify(head["model"])}`)
  }

  /** The frame as the caller gets it; undefined where it has not asked for it. */
  #told(frame: JsonObject, data: string): GenerationEvent | undefined {
    const isUsage = isObject(frame["usage"])
    const isUsageAlone = isUsage && listAt(frame, "choices").every(isSilent)
    if (isUsageAlone && !this.#wantsUsage()) return undefined
    // LiteLLM tells it beside a choice that says nothing, behind the one that has finished.
    if (isUsageAlone && listAt(frame, "choices").length > 0) {
      return this.#told({ ...frame, choices: [] }, JSON.stringify({ ...frame, choices: [] }))
    }
    const event = native(written(this.#name?.replaced(data) ?? this.#rewritten(frame, data)))
    if (!this.#hasBegun || begins(frame)) return { ...event, isBeginning: true }
    if (!isUsage || !this.#wantsUsage()) return event
    const as = (usage: Usage) =>
      utf8.encode(written(JSON.stringify(this.#request.rewrite({ ...frame, usage: this.#dialect.usage(usage) }))))
    return { ...event, telling: { isTotal: true, as } }
  }

  #rewritten(frame: JsonObject, data: string): string {
    return frame["model"] === undefined ? data : JSON.stringify(this.#request.rewrite(frame))
  }

  #wantsUsage(): boolean {
    return objectAt(this.#request.body, "stream_options")?.["include_usage"] === true
  }

  /** The end, said or not: an upstream that told no usage to a caller who wants it has it told here. */
  #ended(marked: boolean): Batch {
    return this.#protocol.end(this.#state, marked).flatMap((ending): Batch => {
      if (ending.type !== "finished") return isAccount(ending) ? [ending] : []
      const as = (usage: Usage) => {
        if (!this.#wantsUsage()) return written(done)
        const chunk = { ...this.#head, choices: [], usage: this.#dialect.usage(usage) }
        return written(JSON.stringify(chunk)) + written(done)
      }
      return [{ type: "passthrough", terminal: true, text: written(done), telling: { isTotal: true, as } }, ending]
    })
  }
}

const isSilent = (choice: unknown): boolean =>
  isObject(choice) && Object.keys(objectAt(choice, "delta") ?? {}).length === 0 && isAbsent(choice["finish_reason"])

/** Whether a chunk says nothing of the answer yet, only who gives it. */
const begins = (frame: JsonObject): boolean => {
  const choice = listAt(frame, "choices")[0]
  const { role: _, ...said } = objectAt(choice, "delta") ?? {}
  return isObject(choice) && isAbsent(choice["finish_reason"]) && Object.values(said).every(isAbsent)
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

const done = "[DONE]"
const carriageReturn = 13

/** What only few chunks have: a usage, a reason for the end, an error, a signature, the end itself. */
const concerning = [
  '"usage":{',
  '"finish_reason":"',
  '"error":',
  '"object":"error"',
  "[DONE]",
  '"thought_signature"'
].map((text) => Buffer.from(text))

/** Most servers write none; those that do may have written any of it so. */
const afterColon = Buffer.from('": ')
const concerningSpaced = [
  ...concerning,
  ...['"usage": {', '"finish_reason": "', '"object": "error"'].map((text) => Buffer.from(text))
]

/**
 * A chunk without what it says: the words are the upstream's own, and the frames that are not looked at hold most of
 * them. A call's arguments would seem cut.
 */
const unsaid = (frame: JsonObject): JsonObject => ({
  ...frame,
  choices: listAt(frame, "choices").map((choice) => (isObject(choice) ? { ...choice, delta: undefined } : choice))
})

/** As JavaScript, Python and most others write it. In a chunk's content such quotes would be escaped. */
const model = /"model": ?"(?:[^"\\]|\\.)*"/

const utf8 = new TextEncoder()

const native = (text: string) => ({ type: "passthrough", bytes: utf8.encode(text), terminal: false }) as const

const written = (data: string): string => `data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`

const accounts = new Set<GenerationEvent["type"]>(["started", "usage", "tool-call-signed", "finished", "failed"])
const isAccount = ({ type }: GenerationEvent): boolean => accounts.has(type)
