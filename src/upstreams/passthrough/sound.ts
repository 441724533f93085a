import { isObject, parseJson, textAt } from "../../contract/json/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import { countText } from "../../tokens/tokens.ts"
import { cutOff, failedWith, noAnswer } from "../protocols/upstreamFailure.ts"
import type { Reader } from "../text/generationOf.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import { bytesPerSecond, nominalRate } from "./soundRate.ts"
import { toldTokens } from "./toldTokens.ts"
import { TypedEvents } from "./TypedEvents.ts"

/**
 * Reads made sound: bytes of any format, or events with `stream_format: sse`. Bytes pass through as they come. Only the
 * last event tells tokens, so without one they are measured by the length of the sound.
 */
export const soundReader = (request: PassthroughRequest, headers: Headers): Reader => {
  const contentType = headers.get("content-type") ?? "application/octet-stream"
  return contentType.startsWith(events) ? soundEvents(request) : new Sound(request, contentType)
}

const events = "text/event-stream"

/** OpenAI's tokens of a minute of sound. Source: its price of a minute and of a million tokens. */
const tokensPerMinute = 1_250

/** The usage with so many seconds of sound. */
const spoken = (read: Usage, seconds: number): Usage => {
  const tokens = Math.ceil((seconds / 60) * tokensPerMinute)
  return { ...read, outputTokens: tokens, audioOutputTokens: tokens }
}

const finished = { type: "finished", reason: "stop", stopSequence: null } as const

/** The usage before any sound: the text and its characters. */
const readUsage = ({ body, counts }: PassthroughRequest): Usage => ({
  ...noUsage,
  inputTokens: countText(textAt(body, "input") ?? "") + countText(textAt(body, "instructions") ?? ""),
  ...counts
})

class Sound implements Reader {
  readonly replyHeaders: Readonly<Record<string, string>>
  readonly #read: Usage
  readonly #contentType: string
  #rate: number | undefined
  #bytes = 0

  constructor(request: PassthroughRequest, contentType: string) {
    this.replyHeaders = { "content-type": contentType }
    this.#read = readUsage(request)
    this.#contentType = contentType
  }

  comes(contentType: string) {
    if (contentType.startsWith("audio/")) return "bytes"
    return /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)\b)/i.test(contentType) ? "whole" : "frames"
  }

  push(bytes: Uint8Array): Batch {
    if (bytes.length === 0) return []
    this.#rate ??= bytesPerSecond(bytes, this.#contentType)
    this.#bytes += bytes.length
    return [this.#usage(), { type: "passthrough", terminal: false, bytes, isTold: true }]
  }

  end(): Batch {
    return this.#bytes === 0 ? [{ type: "failed", failure: cutOff, said: "an answer without sound" }] : [finished]
  }

  whole(text: string): Iterable<Batch> {
    const answer = parseJson(text)
    return [[isObject(answer) && isObject(answer["error"]) ? failedWith(answer["error"]) : noAnswer(text)]]
  }

  #usage(): GenerationEvent {
    return { type: "usage", usage: spoken(this.#read, this.#bytes / (this.#rate ?? 1)), counted: "untold-tokens" }
  }
}

/** Sound in events, in base64. */
const soundEvents = (request: PassthroughRequest): Reader => {
  const read = readUsage(request)
  const rate = nominalRate(textAt(request.body, "response_format") ?? "mp3")
  let bytes = 0
  return new TypedEvents({
    isLast: (type) => type === "speech.audio.done",
    isTold: true,
    // All but its frame is base64, of three bytes in four characters.
    soFar: (frames) => {
      bytes += (frames.length / 4) * 3
      return { usage: spoken(read, bytes / rate), counted: "untold-tokens" }
    },
    usageOf: (last) => {
      const told = toldTokens(last)
      return told && { type: "usage", usage: { ...read, ...told, audioOutputTokens: told.outputTokens } }
    }
  })
}
