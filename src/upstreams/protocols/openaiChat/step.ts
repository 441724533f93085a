import type { JsonObject } from "../../../contract/fields.ts"
import { UpstreamFailed } from "../../../contract/failures/Failure.ts"
import { atUrl } from "../../../generation/fileSource.ts"
import type { FinishReason, GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import { countAt, isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { linkAt } from "../../link.ts"
import { cutCall, cutOff, failedWith, garbled, unknownReason } from "../upstreamFailure.ts"
import { Calls } from "./calls.ts"
import { finishReasonOf } from "./finishReasons.ts"
import type { Thinking } from "./think.ts"
import { beginThinking, endThinking, readThinking } from "./think.ts"
import type { Provider } from "./Provider.ts"
import { ReasoningDetails } from "./reasoningDetails.ts"
import { usageIn } from "./usage.ts"

export interface ChatState {
  readonly back: Back
  /** Undefined if content is never searched for reasoning. */
  readonly thinking: Thinking | undefined
  readonly started: boolean
  /** The index of the choice that is read; undefined if its chunks have none. */
  readonly choice: number | undefined
  /** The upstream's id of the answer; empty if it gave none. */
  readonly answerId: string
  /** Mutable. */
  readonly calls: Calls
  /** Mutable; undefined if they need not come back. */
  readonly details: ReasoningDetails | undefined
  /** The upstream's finish reason; undefined until it comes. */
  readonly finish: string | undefined
  readonly stopSequence: string | null
  readonly serviceTier: string | undefined
  readonly over: boolean
}

type Step = readonly [ChatState, ReadonlyArray<GenerationEvent>]

export const begin = (
  back: Back,
  { signsCalls, thinkTags }: Pick<Provider, "signsCalls" | "thinkTags">
): ChatState => ({
  back,
  thinking: beginThinking(thinkTags),
  details: signsCalls === "reasoning_details" ? new ReasoningDetails() : undefined,
  started: false,
  choice: undefined,
  answerId: "",
  calls: new Calls(),
  finish: undefined,
  stopSequence: null,
  serviceTier: undefined,
  over: false
})

/** One chunk of a stream. Any chunk may have usage, and the last one counts. Only the first choice is read. */
export const step = (state: ChatState, chunk: JsonObject): Step => {
  if (state.over) return [state, []]
  const choice = choiceIn(state, chunk["choices"])
  const error = errorIn(chunk) ?? (choice?.["error"] === undefined ? undefined : objectAt(choice, "error"))
  if (error !== undefined) return [{ ...state, over: true }, [failedWith(error)]]
  const events: Array<GenerationEvent> = []
  let next = state
  if (!state.started && choice !== undefined) {
    next = { ...next, started: true, answerId: textAt(chunk, "id") ?? "", choice: numberAt(choice, "index") }
    events.push({ type: "started", usage: undefined })
  }
  if (choice !== undefined) next = readChoice(next, choice, events)
  const { service_tier: serviceTier } = chunk
  if (typeof serviceTier === "string" && serviceTier !== next.serviceTier) next = { ...next, serviceTier }
  const usage = usageIn(chunk, choice)
  if (usage !== undefined) events.push({ type: "usage", usage })
  return [next, events]
}

const readChoice = (state: ChatState, choice: JsonObject, events: Array<GenerationEvent>): ChatState => {
  // A few servers stream pieces under the name of the whole.
  const { delta, finish_reason: finish, logprobs, message, stop_reason: stop } = choice
  const piece = isObject(delta) ? delta : isObject(message) ? message : undefined
  const before = events.length
  const next = piece === undefined ? state : readDelta(state, piece, events)
  if (logprobs !== undefined && isObject(logprobs)) addLogprobs(events, before, listAt(logprobs, "content"))
  if (typeof finish !== "string") return next
  // vLLM names the matched stop sequence here; a number is a token id.
  return { ...next, finish, stopSequence: typeof stop === "string" ? stop : null }
}

/** The first choice that came is read, and no other is mixed into it. */
const choiceIn = ({ choice, started }: ChatState, choices: unknown): JsonObject | undefined => {
  if (!Array.isArray(choices)) return undefined
  for (const one of choices) {
    if (!isObject(one)) continue
    const { index } = one
    if (!started || choice === undefined || typeof index !== "number" || index === choice) return one
  }
  return undefined
}

/** The end of the stream. `[DONE]` alone is enough: some servers give no finish reason. */
export const end = (state: ChatState, marked: boolean): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  // No choice has come, so no answer has begun.
  if (!state.started) return [{ type: "failed", failure: marked ? garbled : cutOff }]
  if (state.finish === undefined && !marked) return [{ type: "failed", failure: cutOff }]
  const told = finishReasonOf(state.finish ?? "")
  if (told === "failed") return [{ type: "failed", failure: new UpstreamFailed({}), said: state.finish ?? "" }]
  const isCut = told === "max-tokens" || told === "context-exceeded"
  // If the upstream reports a cut, a cut call is no error.
  if (!isCut && state.calls.hasCut()) return [{ type: "failed", failure: cutCall }]
  // `sequence` corrects a `stop` after tool calls.
  const reason: FinishReason = state.stopSequence === null ? (told ?? "stop") : "stop-sequence"
  return [
    ...(state.thinking === undefined ? [] : endThinking(state.thinking, isCut || state.calls.hasAny())),
    ...(state.details?.signed(state.calls.firstId()) ?? []),
    ...state.calls.end(state.back, isCut),
    {
      type: "finished",
      reason,
      stopSequence: state.stopSequence,
      ...(state.serviceTier !== undefined && { serviceTier: state.serviceTier }),
      ...unknownReason(told === undefined, state.finish)
    }
  ]
}

/** A whole answer as one chunk. */
export const frames = (answer: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (errorIn(answer) !== undefined) return [answer]
  const choices = listAt(answer, "choices")
  const choice = choices[0]
  if (!isObject(choice) || !choices.every(hasMessage)) return undefined
  const message = objectAt(choice, "message")
  // Each call is separate, whatever its id and index.
  const calls = listAt(message, "tool_calls").flatMap((call, index) => (isObject(call) ? [{ ...call, index }] : []))
  const delta = calls.length === 0 ? choice["message"] : { ...message, tool_calls: calls }
  return [{ ...answer, choices: [{ ...choice, delta }] }]
}

/** A filter may have removed the message of a choice. */
const hasMessage = (choice: unknown): boolean => {
  const message = objectAt(choice, "message")
  if (message === undefined) return textAt(choice, "finish_reason") === "content_filter"
  const content = message["content"] ?? ""
  return typeof content === "string" || Array.isArray(content)
}

/** The error has its own field, or (vLLM, LMDeploy) it is the whole object. */
const errorIn = (chunk: JsonObject): unknown => {
  const error = chunk["error"] ?? undefined
  if (error !== undefined) return typeof error === "string" ? { message: error } : error
  return chunk["object"] === "error" ? chunk : undefined
}

const readDelta = (state: ChatState, delta: JsonObject, events: Array<GenerationEvent>): ChatState => {
  state.details?.read(delta)
  const { annotations, content, function_call: legacy, images, refusal, tool_calls } = delta
  const reasoning = reasoningIn(delta)
  if (reasoning !== "") events.push({ type: "reasoning-delta", text: reasoning })
  const thinking = readContent(content, events, state.thinking)
  if (Array.isArray(images)) for (const image of images) readImage(image, events)
  if (Array.isArray(annotations)) for (const annotation of annotations) readCitation(annotation, events)
  if (typeof refusal === "string" && refusal !== "") events.push({ type: "refusal-delta", text: refusal })
  const calls = legacy !== undefined && isObject(legacy) ? [{ index: 0, function: legacy }] : tool_calls
  if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) state.calls.step(call, state, events)
  return thinking === state.thinking ? state : { ...state, thinking }
}

/** Adds the log probabilities of a piece of content to its text. */
const addLogprobs = (events: Array<GenerationEvent>, from: number, content: ReadonlyArray<unknown>): void => {
  const logprobs = content.filter(isObject)
  const at = logprobs.length === 0 ? -1 : events.findIndex(({ type }, index) => index >= from && type === "text-delta")
  const text = events[at]
  if (text?.type === "text-delta") events[at] = { ...text, logprobs }
}

/** Servers use the older or the newer name, sometimes both at once; OpenRouter also has a list of pieces. */
const reasoningIn = ({ reasoning, reasoning_content: older, reasoning_details: details }: JsonObject): string => {
  if (typeof older === "string" && older !== "") return older
  if (typeof reasoning === "string" && reasoning !== "") return reasoning
  if (!Array.isArray(details)) return ""
  return details.map((detail) => textAt(detail, "text") ?? textAt(detail, "summary") ?? "").join("")
}

/** An image that the model made: bytes in a data URL, at OpenRouter, LiteLLM and Vercel. An address becomes text. */
const readImage = (image: unknown, events: Array<GenerationEvent>): void => {
  const at = objectAt(image, "image_url")
  const source = atUrl(textAt(at, "url") ?? "")
  if (source?.type === "base64") events.push({ type: "image", mediaType: source.mediaType, data: source.data })
  else if (linkAt(at, "url") !== undefined)
    events.push({ type: "text-delta", text: `\n\n![](${linkAt(at, "url")})\n\n` })
}

const readCitation = (annotation: unknown, events: Array<GenerationEvent>): void => {
  const cited = objectAt(annotation, "url_citation")
  const url = linkAt(cited, "url")
  if (url === undefined) return
  const start = countAt(cited, "start_index") ?? 0
  const end = countAt(cited, "end_index") ?? start
  const citedText = (textAt(cited, "content") ?? "").slice(0, 150)
  events.push({ type: "citation", citation: { url, title: textAt(cited, "title") ?? "", citedText, start, end } })
}

/** Content is a text, or (Mistral) a list of text and thinking parts. */
const readContent = (
  content: unknown,
  events: Array<GenerationEvent>,
  begun: Thinking | undefined
): Thinking | undefined => {
  if (typeof content === "string") return readText(content, events, begun)
  if (!Array.isArray(content)) return begun
  let thinking = begun
  for (const part of content) {
    thinking = readText(textAt(part, "text") ?? "", events, thinking)
    for (const thought of listAt(part, "thinking")) {
      const text = textAt(thought, "text")
      if (text) events.push({ type: "reasoning-delta", text })
    }
  }
  return thinking
}

const readText = (
  text: string,
  events: Array<GenerationEvent>,
  thinking: Thinking | undefined
): Thinking | undefined => {
  if (thinking !== undefined) return readThinking(thinking, text, events)
  if (text !== "") events.push({ type: "text-delta", text })
  return undefined
}
