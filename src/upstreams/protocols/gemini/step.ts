import { UpstreamFailed } from "../../../contract/failures/Failure.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { FinishReason, GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { signedImageId } from "../../../generation/signedText.ts"
import { TakenIds } from "../callIds.ts"
import type { Back } from "../back.ts"
import { unwrapCustom } from "../back.ts"
import { cutOff, failedWith, garbled, unknownReason } from "../upstreamFailure.ts"
import { codeIn } from "./codeParts.ts"
import { finishReasonOf } from "./finishReasons.ts"
import type { AddedText, Grounding } from "./grounding.ts"
import { citationEvents, groundingIn, searchesOf, searchEvents } from "./grounding.ts"
import { addLogprobs } from "./logprobs.ts"
import { fileIn } from "./media.ts"
import { noText, signedText, withPart } from "./signedParts.ts"
import type { SignedText } from "./signedParts.ts"
import { isServerPart, queriesIn, storedSignature } from "./serverParts.ts"
import { usageIn } from "./usage.ts"

export interface GeminiState {
  readonly back: Back
  readonly started: boolean
  /** The upstream's id of the answer; empty if it gave none. */
  readonly answerId: string
  /** The ids of the calls. Mutable. */
  readonly calls: TakenIds
  /** The text since the last other part. */
  readonly open: SignedText
  /** All texts of the answer, which chat completions have as one. */
  readonly said: SignedText
  /** The calls of Google's own tools since the last function's. */
  readonly served: ReadonlyArray<JsonObject>
  /** The queries among them, which an answer without grounding tells. */
  readonly queries: ReadonlyArray<string>
  readonly grounding: Grounding | undefined
  /** Pieces of the open text that stand for other parts, such as code. */
  readonly added: ReadonlyArray<AddedText>
  readonly searches: number
  /** True once the search was told. */
  readonly isSearchTold: boolean
  /** The reason that the prompt was blocked. */
  readonly blockReason: string | undefined
  /** The upstream's finish reason, and its words about it; undefined until it comes. */
  readonly finish: string | undefined
  readonly finishMessage: string | undefined
  readonly over: boolean
}

type Step = readonly [GeminiState, ReadonlyArray<GenerationEvent>]

export const begin = (back: Back): GeminiState => ({
  back,
  started: false,
  answerId: "",
  calls: new TakenIds(),
  open: noText,
  said: noText,
  served: [],
  queries: [],
  grounding: undefined,
  added: noneAdded,
  searches: 0,
  isSearchTold: false,
  blockReason: undefined,
  finish: undefined,
  finishMessage: undefined,
  over: false
})

/** One frame of a stream: an answer with the parts that are new. Only the first candidate is read. */
export const step = (state: GeminiState, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  if (isObject(frame["error"])) return [{ ...state, over: true }, [failedWith(frame["error"])]]
  const events: Array<GenerationEvent> = []
  const candidate = listAt(frame, "candidates")[0]
  const blockReason = textAt(objectAt(frame, "promptFeedback"), "blockReason") ?? state.blockReason
  let next: GeminiState = blockReason === state.blockReason ? state : { ...state, blockReason }
  if (!next.started && (candidate !== undefined || blockReason !== undefined)) {
    next = { ...next, started: true, answerId: textAt(frame, "responseId") ?? "" }
    events.push({ type: "started", usage: undefined })
  }
  if (isObject(candidate)) next = readCandidate(next, candidate, frame, events)
  const usage = usageIn(frame, next.searches)
  if (usage !== undefined) events.push({ type: "usage", usage })
  return [next, events]
}

const readCandidate = (
  state: GeminiState,
  candidate: JsonObject,
  frame: JsonObject,
  events: Array<GenerationEvent>
): GeminiState => {
  const grounding = groundingIn(candidate)
  let next = state
  if (grounding !== undefined) next = { ...next, grounding, searches: searchesOf(grounding, frame) }
  // In a stream, the searches are told after the text.
  if (grounding !== undefined && next.open.text === "") next = tellSearch(next, grounding, events)
  const before = events.length
  for (const part of listAt(objectAt(candidate, "content"), "parts")) {
    if (isObject(part)) next = readPart(next, part, events)
  }
  addLogprobs(events, before, objectAt(candidate, "logprobsResult"))
  const finish = textAt(candidate, "finishReason")
  return finish === undefined ? next : { ...next, finish, finishMessage: textAt(candidate, "finishMessage") }
}

const readPart = (state: GeminiState, part: JsonObject, events: Array<GenerationEvent>): GeminiState => {
  const file = fileIn(part)
  const written = textAt(part, "text")
  const text = written ?? codeIn(part) ?? (file?.isImage === false ? file.words : undefined)
  if (part["thought"] === true) {
    // Images of thoughts are drafts of the answer's.
    const thought = text ?? file?.words ?? ""
    if (thought !== "") events.push({ type: "reasoning-delta", text: thought })
    return endText(state, events)
  }
  const signature = textAt(part, "thoughtSignature") || undefined
  if (text !== undefined) {
    const next = readText(state, text, signature, events)
    return written === undefined ? withAdded(next, state.open.text.length, text.length) : next
  }
  if (file !== undefined) {
    const next = endText(state, events)
    const { data, mediaType } = file
    if (signature !== undefined) events.push({ type: "tool-call-signed", callId: signedImageId(data), signature })
    events.push({ type: "image", mediaType, data })
    return next
  }
  if (isServerPart(part)) return readServed(state, part)
  const call = objectAt(part, "functionCall")
  if (call === undefined) return state
  const next = tellQueries(endText(state, events), events)
  tellCall(next, call, storedSignature(signature, next.served), events)
  return { ...next, served: [] }
}

const readServed = (state: GeminiState, part: JsonObject): GeminiState => {
  if (state.served.length + state.queries.length > mostServed) return state
  const queries = [...state.queries, ...queriesIn(part)]
  const served = [...state.served, part]
  return { ...state, served, queries, searches: state.grounding === undefined ? queries.length : state.searches }
}

const mostServed = 100

const readText = (
  state: GeminiState,
  text: string,
  signature: string | undefined,
  events: Array<GenerationEvent>
): GeminiState => {
  if (text !== "") events.push({ type: "text-delta", text })
  if (text === "" && signature === undefined) return state
  return { ...state, open: withPart(state.open, text, signature), said: withPart(state.said, text, signature) }
}

/** Notes text that the upstream does not count: it wrote another part. */
const withAdded = (state: GeminiState, at: number, length: number): GeminiState =>
  state.added.length >= mostServed ? state : { ...state, added: [...state.added, { at, length }] }

const endText = (state: GeminiState, events: Array<GenerationEvent>): GeminiState => {
  if (state.open === noText) return state
  events.push(...signedText(state.open))
  return { ...state, open: noText, added: noneAdded }
}

/** A call comes whole. */
const tellCall = (
  { answerId, back, calls }: GeminiState,
  call: JsonObject,
  signature: string | undefined,
  events: Array<GenerationEvent>
): void => {
  const callId = calls.fresh(textAt(call, "id") ?? "", answerId)
  const name = back.callerName(textAt(call, "name") ?? "")
  const isCustom = back.isCustom(name)
  // A text is what the model wrote in place of an object.
  const args = textAt(call, "args") ?? JSON.stringify(objectAt(call, "args") ?? {})
  if (signature !== undefined) events.push({ type: "tool-call-signed", callId, signature })
  events.push(
    { type: "tool-call-start", callId, name, kind: isCustom ? "custom" : "function" },
    { type: "tool-call-delta", callId, text: isCustom ? unwrapCustom(args) : args },
    { type: "tool-call-end", callId }
  )
}

/** Tells the searches of an answer that has no grounding. */
const tellQueries = (state: GeminiState, events: Array<GenerationEvent>): GeminiState =>
  state.queries.length === 0
    ? state
    : tellSearch(state, state.grounding ?? { queries: state.queries, results: [], supports: [] }, events)

const tellSearch = (state: GeminiState, grounding: Grounding, events: Array<GenerationEvent>): GeminiState => {
  if (state.isSearchTold) return state
  events.push(...searchEvents(grounding, state.answerId))
  return { ...state, isSearchTold: true }
}

/** The end of the stream, which has no mark. */
export const end = (state: GeminiState, marked: boolean): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  if (state.blockReason !== undefined) return [{ type: "finished", reason: "refusal", stopSequence: null }]
  if (!state.started) return [{ type: "failed", failure: marked ? garbled : cutOff }]
  if (state.finish === undefined && !marked) return [{ type: "failed", failure: cutOff }]
  const told = finishReasonOf(state.finish ?? "STOP")
  if (told === "failed") {
    const said = [state.finish, state.finishMessage].filter((words) => words !== undefined).join(": ")
    return [{ type: "failed", failure: new UpstreamFailed({}), said }]
  }
  const reason: FinishReason = told ?? "stop"
  const events: Array<GenerationEvent> = []
  const { grounding } = state
  if (grounding !== undefined) events.push(...citationEvents(grounding, state.open.text, state.added))
  const last = endText(state, events)
  if (state.said.text !== state.open.text) events.push(...signedText(state.said))
  if (grounding === undefined) tellQueries(last, events)
  else tellSearch(last, grounding, events)
  events.push({
    type: "finished",
    reason,
    stopSequence: null,
    ...unknownReason(told === undefined, state.finish)
  })
  return events
}

/** A whole answer as one frame; undefined if it is not an answer. */
export const frames = (answer: JsonObject): ReadonlyArray<JsonObject> | undefined =>
  isObject(answer["error"]) || Array.isArray(answer["candidates"]) || isObject(answer["promptFeedback"])
    ? [answer]
    : undefined

const noneAdded: ReadonlyArray<never> = []
