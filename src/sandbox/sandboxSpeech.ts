import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { numberAt, textAt } from "../contract/json/json.ts"
import type { Generation } from "../generation/Generation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { countText } from "../tokens/tokens.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { readDirective, failureOf, refusalOf } from "./directive.ts"
import type { Directive } from "./directive.ts"
import type { Performance } from "./perform.ts"
import { play } from "./playback.ts"
import { toneOf, wavHeader } from "./wav.ts"

/** The catalogue's entry for it. */
export const sandboxSpeechModel = {
  id: "sandbox-speech",
  kind: "speech",
  routes: [{ upstream: "sandbox", model: "sandbox-speech", facts: { inputs: ["text"] } }],
  contextTokens: undefined,
  ownedBy: "sandbox"
} as const

/** It speaks so many words of a text. */
const mostWords = 400
const secondsOfWord = 0.2

/** The embedded speech model: a WAV with a tone for each word, the same for the same word. docs/sandbox.md */
export const sandboxSpeech = endpointOf("speech", ({ body, counts }) =>
  Effect.gen(function* () {
    const read = readDirective(textAt(body, "input") ?? "")
    if (read instanceof InvalidRequest) return yield* read
    const { directive, text } = read
    if (directive.error !== undefined && directive.cut === undefined) return yield* refusalOf(directive.error)
    const words = (text.match(/\S+/g) ?? []).slice(0, mostWords)
    const format = textAt(body, "response_format") ?? "wav"
    const spoken: Spoken = {
      words,
      isRaw: format === "pcm",
      isEvents: body["stream_format"] === "sse",
      seconds: secondsOfWord / (numberAt(body, "speed") ?? 1),
      usage: { ...noUsage, inputTokens: countText(text), ...counts }
    }
    const adapted = [
      ...(format === "wav" || format === "pcm" ? [] : ["response_format"]),
      ...["instructions"].filter((name) => isSet(body, name))
    ]
    return new Passed(play(speak(spoken, directive), directive), spoken, adapted)
  })
)

const isSet = (body: JsonObject, name: string): boolean => (body[name] ?? "") !== ""

interface Spoken {
  readonly words: ReadonlyArray<string>
  /** Samples without a header. */
  readonly isRaw: boolean
  readonly isEvents: boolean
  /** Of each word. */
  readonly seconds: number
  readonly usage: Usage
}

class Passed extends WrappedGeneration {
  override readonly passthrough = true
  override readonly adapted: ReadonlyArray<string>
  override readonly replyHeaders: Readonly<Record<string, string>>

  constructor(inner: Generation, { isEvents, isRaw }: Spoken, adapted: ReadonlyArray<string>) {
    super(inner)
    this.adapted = adapted
    this.replyHeaders = { "content-type": isEvents ? "text/event-stream" : isRaw ? "audio/pcm" : "audio/wav" }
  }
}

/** A word at a time. `cut` and `stall` count words. */
const speak = function* (
  { isEvents, isRaw, seconds, usage, words }: Spoken,
  { cut = Infinity, error, stall = Infinity }: Directive
): Performance {
  const piece = (bytes: Uint8Array): GenerationEvent => ({
    type: "passthrough",
    terminal: false,
    isTold: true,
    bytes: isEvents ? frame({ type: "speech.audio.delta", audio: Buffer.from(bytes).toString("base64") }) : bytes
  })
  const tones = words.map((word) => toneOf(word, seconds))
  const used = (count: number): GenerationEvent => ({
    type: "usage",
    usage: { ...usage, outputTokens: count, audioOutputTokens: count }
  })
  yield used(0)
  if (!isRaw) yield piece(wavHeader(tones.reduce((sum, { length }) => sum + length, 0)))
  const most = Math.min(cut, stall)
  for (const [index, tone] of tones.slice(0, most).entries()) {
    yield used(index + 1)
    yield piece(tone)
  }
  if (most < tones.length) {
    if (stall <= cut) return true
    yield { type: "failed", failure: failureOf(error ?? 500) }
    return false
  }
  if (isEvents) {
    const { inputTokens } = usage
    const told = { input_tokens: inputTokens, output_tokens: words.length, total_tokens: inputTokens + words.length }
    const text = written({ type: "speech.audio.done", usage: told })
    yield { type: "passthrough", terminal: true, text, isRepeated: true }
  }
  yield { type: "finished", reason: "stop", stopSequence: null }
  return false
}

const written = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const frame = (data: object): Uint8Array => Buffer.from(written(data))
