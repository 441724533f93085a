import { Effect } from "effect"
import { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { textAt } from "../contract/json/json.ts"
import type { Generation } from "../generation/Generation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { WrappedGeneration } from "../generation/WrappedGeneration.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { readDirective, failureOf, refusalOf } from "./directive.ts"
import type { Directive } from "./directive.ts"
import type { Performance } from "./perform.ts"
import { play } from "./playback.ts"

/** The catalogue's entry for it. */
export const sandboxTranscribeModel = {
  id: "sandbox-transcribe",
  kind: "transcription",
  routes: [{ upstream: "sandbox", model: "sandbox-transcribe", facts: { inputs: ["audio", "text"] } }],
  contextTokens: undefined,
  ownedBy: "sandbox"
} as const

const hearing = (family: "transcriptions" | "translations") =>
  endpointOf(family, ({ body, counts }) =>
    Effect.gen(function* () {
      const read = readDirective(textAt(body, "prompt") ?? "")
      if (read instanceof InvalidRequest) return yield* read
      const { directive, text: prompt } = read
      if (directive.error !== undefined && directive.cut === undefined) return yield* refusalOf(directive.error)
      const file = body["file"]
      const bytes = file instanceof UploadedFile ? file.bytes : 0
      const seconds = counts?.audioSeconds ?? 0
      const text = `Sound of ${seconds} s in ${bytes} bytes.${prompt === "" ? "" : ` ${prompt}`}`
      const isStream = body["stream"] === true || body["stream"] === "true"
      const heard = { seconds, text, isStream }
      return new Heard(play(hear(heard, body, directive), directive), contentTypeOf(body, isStream))
    })
  )

/** The embedded transcription model: says how long the file is, and what the prompt says. docs/sandbox.md */
export const sandboxTranscriptions = hearing("transcriptions")
export const sandboxTranslations = hearing("translations")

class Heard extends WrappedGeneration {
  override readonly passthrough = true
  override readonly replyHeaders: Readonly<Record<string, string>>

  constructor(inner: Generation, contentType: string) {
    super(inner)
    this.replyHeaders = { "content-type": contentType }
  }
}

const contentTypeOf = (body: JsonObject, isStream: boolean): string => {
  if (isStream) return "text/event-stream"
  return ["text", "srt", "vtt"].includes(textAt(body, "response_format") ?? "")
    ? "text/plain; charset=utf-8"
    : "application/json"
}

interface HeardSound {
  readonly seconds: number
  readonly text: string
  readonly isStream: boolean
}

/** A stream comes a word at a time. `cut` and `stall` count words. */
const hear = function* (
  { isStream, seconds, text }: HeardSound,
  body: JsonObject,
  { cut = Infinity, error, stall = Infinity }: Directive
): Performance {
  const words = text.split(" ")
  const most = Math.min(cut, stall)
  yield { type: "usage", usage: { ...noUsage, audioSeconds: seconds } }
  if (isStream) {
    for (const [index, word] of words.slice(0, most).entries()) {
      const delta = index === 0 ? word : ` ${word}`
      yield passed(eventOf({ type: "transcript.text.delta", delta }))
    }
  }
  if (most < words.length) {
    if (stall <= cut) return true
    yield { type: "failed", failure: failureOf(error ?? 500) }
    return false
  }
  const usage = { type: "duration", seconds }
  const whole = isStream ? eventOf({ type: "transcript.text.done", text, usage }) : writtenAs(body, text, seconds)
  yield { type: "passthrough", terminal: true, text: whole, isRepeated: true }
  yield { type: "finished", reason: "stop", stopSequence: null }
  return false
}

const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const passed = (text: string): GenerationEvent => ({ type: "passthrough", terminal: false, bytes: Buffer.from(text) })

const writtenAs = (body: JsonObject, text: string, seconds: number): string => {
  const usage = { type: "duration", seconds }
  const segment = { id: 0, start: 0, end: seconds, text }
  switch (textAt(body, "response_format")) {
    case "text":
      return `${text}\n`
    case "srt":
      return `1\n${timeOf(0, ",")} --> ${timeOf(seconds, ",")}\n${text}\n\n`
    case "vtt":
      return `WEBVTT\n\n${timeOf(0, ".")} --> ${timeOf(seconds, ".")}\n${text}\n\n`
    case "verbose_json":
      return JSON.stringify({
        task: "transcribe",
        language: "english",
        duration: seconds,
        text,
        segments: [segment],
        usage
      })
    case "diarized_json": {
      const spoken = { ...segment, id: "seg_0", type: "transcript.text.segment", speaker: "A" }
      return JSON.stringify({ task: "transcribe", duration: seconds, text, segments: [spoken], usage })
    }
    default:
      return JSON.stringify({ text, usage })
  }
}

const timeOf = (seconds: number, point: string): string =>
  `${new Date(seconds * 1_000).toISOString().slice(11, 19)}${point}000`
