import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, objectAt, parseJson } from "../../contract/json/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import { Silence } from "../framing/Framing.ts"
import { sseEvents } from "../framing/sse.ts"
import { endOfBlank, endOfFrame, lineFeed, placesOf, startOfFrame } from "../framing/places.ts"
import { WholeFrames } from "../framing/WholeFrames.ts"
import type { Reader } from "../text/generationOf.ts"
import { noBack } from "../protocols/back.ts"
import type { ChunkWire } from "../protocols/Protocol.ts"
import { cutOff, noAnswer, tooLongAsStream } from "../protocols/upstreamFailure.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import { AskedSearches, mayCite } from "./AskedSearches.ts"
import { begins, isEmptyChoice, isSilent, unsaid } from "./choices.ts"
import type { CallSigning, Chunked } from "./Dialect.ts"
import { gatherAnswer } from "./gatherAnswer.ts"
import { Gathered } from "./Gathered.ts"
import { marksFor, marksOf } from "./marks.ts"
import type { Marks } from "./marks.ts"
import { Renamed } from "./Renamed.ts"
import { writtenFrames } from "./writeEvent.ts"

/**
 * Reads a passthrough answer in chunks. Only the model's name is replaced. Usage, the end and failures are read from
 * the frames that have any; the caller sees the usage only if it asked for it.
 */
export const passthroughChunks = <S>(
  protocol: ChunkWire<S>,
  dialect: Chunked,
  request: PassthroughRequest,
  isStream: boolean
): Reader => {
  const reader = new ChunkReader(protocol, dialect, request, isStream)
  return isStream ? reader : gatherAnswer(reader, dialect)
}

/** An object instead of closures, because thousands of answers are read at a time. */
class ChunkReader<S> implements Reader {
  readonly #protocol: ChunkWire<S>
  readonly #dialect: Chunked
  readonly #request: PassthroughRequest
  readonly #isStream: boolean
  readonly #cutter = new WholeFrames()
  readonly #signing: CallSigning | undefined
  readonly #marks: Marks
  readonly #searches: AskedSearches
  /** The answer of a stream, if the caller keeps it: then every chunk is parsed. */
  readonly #gathered: Gathered | undefined
  #state: S
  /** True once a chunk of the answer has arrived. */
  #hasBegun = false
  #silence: Silence | undefined
  /** The common fields of the chunks, for chunks that the gateway adds. */
  #head: JsonObject | undefined
  /** Each choice of an answer with several, true if its finish reason came. */
  readonly #choices: Map<unknown, boolean> | undefined
  /** The model's name. Undefined before the first chunk, and for an upstream with unusual whitespace. */
  #name: Renamed | undefined

  constructor(protocol: ChunkWire<S>, dialect: Chunked, request: PassthroughRequest, isStream: boolean) {
    this.#protocol = protocol
    this.#dialect = dialect
    this.#request = request
    this.#isStream = isStream
    this.#signing = dialect.signing?.()
    this.#marks = marksOf(dialect, mayCite(request.body))
    this.#searches = new AskedSearches(dialect, request.body)
    this.#state = protocol.begin(noBack)
    if (isStream && request.keep !== undefined) this.#gathered = new Gathered(dialect)
    if (Number(request.body["n"] ?? 1) > 1 || listAt(request.body, "prompt").length > 1) this.#choices = new Map()
  }

  push(bytes: Uint8Array): Batch {
    const whole = this.#cutter.push(bytes)
    return whole === undefined ? [] : this.#frames(whole)
  }

  end(): Batch {
    const rest = this.#cutter.rest()
    const [last] = sseEvents(rest)
    const isWhole = last !== undefined && (last.data === done || isObject(parseJson(last.data)))
    const events = isWhole ? this.#frames(utf8.encode(write(last.data))) : []
    const ending = events.at(-1)?.type
    return ending === "finished" || ending === "failed" ? events : [...events, ...this.#ended(false)]
  }

  *whole(text: string): Iterable<Batch> {
    const answer = parseJson(text)
    const frames = isObject(answer) ? this.#protocol.frames(answer) : undefined
    if (!isObject(answer) || frames === undefined) return yield [noAnswer(text)]
    const judged = this.#inOne(answer, frames)
    if (!this.#isStream || judged.at(-1)?.type === "failed") return yield judged
    this.#state = this.#protocol.begin(noBack)
    const chunks = this.#dialect.asStream(this.#request.rewrite(answer))
    const parts = yield* writtenFrames(text.length, chunks, false)
    if (parts === undefined) return yield [tooLongAsStream]
    for (const part of [...parts, write(done)]) {
      const emitted: Array<GenerationEvent> = []
      this.#read(utf8.encode(part), emitted)
      yield emitted
    }
  }

  #inOne(answer: JsonObject, frames: ReadonlyArray<JsonObject>): Batch {
    const events: Array<GenerationEvent> = []
    this.#searches.read(answer)
    for (const frame of frames) if (this.#step(frame, events)) return events
    const render = (usage?: Usage) => JSON.stringify(this.#kept(answer, usage))
    for (const ending of this.#protocol.end(this.#state, true)) {
      if (ending.type === "finished") {
        events.push({
          type: "passthrough",
          terminal: true,
          text: render(),
          usageFrame: { isTotal: true, as: render },
          ...(listAt(answer, "choices").every(isEmptyChoice) && { isEmpty: true })
        })
      }
      if (isAccount(ending)) events.push(ending)
    }
    return events
  }

  /** Parses the frames that matter and copies the others, replacing the model's name. */
  #frames(given: Uint8Array): Batch {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.length)
    const events: Array<GenerationEvent> = []
    // Carriage returns are rare. Without any, a blank line is two line feeds.
    if (bytes.includes(carriageReturn)) {
      this.#read(bytes, events)
      return events
    }
    let at = 0
    while (this.#name === undefined && at < bytes.length) {
      // Of blank lines there may be thousands: they are read at once.
      const end = bytes[at] === lineFeed ? endOfBlank(bytes, at) : endOfFrame(bytes, at)
      if (this.#read(bytes.subarray(at, end), events)) return events
      at = end
    }
    for (const place of placesOf(marksFor(bytes, this.#marks), bytes)) {
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

  /** Parses frames one by one. Returns true once the answer has ended. */
  #read(bytes: Uint8Array, events: Array<GenerationEvent>): boolean {
    const told = events.length
    const isOver = this.#parse(bytes, events)
    // Frames parsed in vain, and those before the answer.
    if (events.length === told || !this.#hasBegun) (this.#silence ??= new Silence()).add(bytes.length)
    return isOver
  }

  #parse(bytes: Uint8Array, events: Array<GenerationEvent>): boolean {
    for (const { data: given } of sseEvents(bytes)) {
      if (given === done) {
        events.push(...this.#ended(true))
        return true
      }
      if (given.trim() === "") continue
      const chunk = parseJson(given)
      if (!isObject(chunk)) {
        events.push(noAnswer(given))
        return true
      }
      const frame = this.#dialect.mended(chunk)
      this.#followChoices(frame)
      this.#gathered?.add(frame, given.length)
      const isMended = frame !== chunk
      const data = isMended ? JSON.stringify(frame) : given
      this.#searches.read(frame)
      if (this.#step(unsaid(frame), events)) return true
      if (this.#signing !== undefined) events.push(...this.#signing.read(frame))
      this.#learn(frame, data, isMended)
      const own = this.#frameForCaller(frame, data)
      if (own !== undefined) events.push(own)
    }
    return false
  }

  /** Returns true if the answer failed with this frame. */
  #step(frame: JsonObject, events: Array<GenerationEvent>): boolean {
    const [next, emitted] = this.#protocol.step(this.#state, frame)
    this.#state = next
    for (const event of emitted) {
      if (!isAccount(event)) continue
      if (event.type === "started") this.#hasBegun = true
      events.push(this.#searches.counted(event))
    }
    return emitted.at(-1)?.type === "failed"
  }

  #followChoices(frame: JsonObject): void {
    if (this.#choices === undefined) return
    for (const { finish_reason: finish, index } of listAt(frame, "choices").filter(isObject)) {
      this.#choices.set(index, this.#choices.get(index) === true || typeof finish === "string")
    }
  }

  /** @param isMended true if every chunk has to be parsed, which it is as long as the name is unknown */
  #learn(frame: JsonObject, data: string, isMended: boolean): void {
    if (this.#name !== undefined || listAt(frame, "choices").length === 0) return
    const { choices: _, usage: _usage, ...head } = this.#request.rewrite(frame)
    this.#head ??= head
    // Any chunk may be the first of another choice.
    if (isMended || this.#choices !== undefined || this.#gathered !== undefined) return
    const [upstreams] = model.exec(data) ?? []
    if (upstreams === undefined || frame["model"] === "") return
    // With unusual whitespace, a byte search would miss the frames that matter: then every chunk is parsed.
    const found = parseJson(`{${upstreams}}`)
    if (!isObject(found) || found["model"] !== frame["model"]) return
    this.#name = new Renamed(upstreams, `"model":${JSON.stringify(head["model"])}`)
  }

  /** The frame for the caller; undefined if it is a usage chunk that the caller did not ask for. */
  #frameForCaller(frame: JsonObject, data: string): GenerationEvent | undefined {
    const isUsage = isObject(frame["usage"])
    const isUsageAlone = isUsage && listAt(frame, "choices").every(isSilent)
    if (isUsageAlone && !this.#wantsUsage()) return undefined
    // LiteLLM sends usage with an empty choice, after the chunk that finished.
    if (isUsageAlone && listAt(frame, "choices").length > 0) {
      return this.#frameForCaller({ ...frame, choices: [] }, JSON.stringify({ ...frame, choices: [] }))
    }
    const event = passed(write(this.#name?.replaced(data) ?? this.#rewritten(frame, data)))
    if (!this.#hasBegun || begins(frame)) return { ...event, isBeginning: true }
    const own = listAt(frame, "choices").every(isEmptyChoice) ? { ...event, isBeginning: true as const } : event
    if (!isUsage || !this.#wantsUsage()) return own
    const as = (usage: Usage) =>
      utf8.encode(write(JSON.stringify(this.#request.rewrite({ ...frame, usage: this.#dialect.usage(usage) }))))
    return { ...own, usageFrame: { isTotal: true, as } }
  }

  #rewritten(frame: JsonObject, data: string): string {
    return frame["model"] === undefined ? data : JSON.stringify(this.#request.rewrite(frame))
  }

  /** The whole answer for the caller, perhaps with usage that the gateway counted. */
  #kept(answer: JsonObject | undefined, usage?: Usage): JsonObject | undefined {
    const counted = usage && { usage: this.#dialect.usage(usage) }
    const own = answer && this.#request.rewrite({ ...answer, ...counted })
    if (own !== undefined) this.#request.keep?.(own)
    return own
  }

  #wantsUsage(): boolean {
    return objectAt(this.#request.body, "stream_options")?.["include_usage"] === true
  }

  /** The end of the answer. Adds the usage if the caller wants it and the upstream sent none. */
  #ended(marked: boolean): Batch {
    if (!marked && this.#choices?.values().some((isOver) => !isOver)) return [{ type: "failed", failure: cutOff }]
    return this.#protocol.end(this.#state, marked).flatMap((ending): Batch => {
      if (ending.type !== "finished") return isAccount(ending) ? [ending] : []
      const answer = this.#gathered?.whole(marked)
      this.#kept(answer)
      const as = (usage: Usage) => {
        this.#kept(answer, usage)
        if (!this.#wantsUsage()) return write(done)
        const chunk = { ...this.#head, choices: [], usage: this.#dialect.usage(usage) }
        return write(JSON.stringify(chunk)) + write(done)
      }
      return [
        ...(this.#signing?.end() ?? []),
        { type: "passthrough", terminal: true, text: write(done), usageFrame: { isTotal: true, as }, isEmpty: true },
        ending
      ]
    })
  }
}

const done = "[DONE]"
const carriageReturn = 13

/** The spelling of JavaScript, Python and most other writers. Content has escaped quotes, which never match. */
const model = /"model": ?"(?:[^"\\]|\\.)*"/

const utf8 = new TextEncoder()

const passed = (text: string) => ({ type: "passthrough", bytes: utf8.encode(text), terminal: false }) as const

const write = (data: string): string => `data: ${data.includes("\n") ? data.replaceAll("\n", "\ndata: ") : data}\n\n`

const accounts = new Set<GenerationEvent["type"]>(["started", "usage", "tool-call-signed", "finished", "failed"])
const isAccount = ({ type }: GenerationEvent): boolean => accounts.has(type)
