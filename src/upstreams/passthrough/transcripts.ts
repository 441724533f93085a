import type { JsonObject } from "../../contract/fields.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../contract/json/json.ts"
import type { Batch } from "../../generation/Generation.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Usage, UsageEvent } from "../../generation/GenerationEvent.ts"
import { countText } from "../../tokens/tokens.ts"
import { failedWith, noAnswer } from "../protocols/upstreamFailure.ts"
import type { Reader } from "../text/generationOf.ts"
import type { PassthroughRequest } from "../Upstream.ts"
import { tokenlessUsage } from "./tokenlessUsage.ts"
import { toldTokens } from "./toldTokens.ts"
import { TypedEvents } from "./TypedEvents.ts"

/** OpenAI's tokens of a second of sound. */
const tokensPerSecond = 10
/** A day: no upstream reads a longer sound. */
const mostSeconds = 86_400

/** Reads a transcript: JSON, a text of another format, or events. */
export const transcriptReader = (request: PassthroughRequest, headers: Headers): Reader => {
  const contentType = headers.get("content-type") ?? ""
  const isStream = contentType.startsWith("text/event-stream") && request.body["stream"] === "true"
  if (!isStream) return new Transcript(request, contentType)
  return new TypedEvents({
    isLast: (type) => type === "transcript.text.done",
    begins: counted(request.counts, ""),
    usageOf: (last) => toldUsage(last, request, textAt(last, "text"))
  })
}

/** Formats that are texts. */
const texts: ReadonlySet<string> = new Set(["text", "srt", "vtt"])

class Transcript implements Reader {
  readonly replyHeaders: Readonly<Record<string, string>>
  readonly #request: PassthroughRequest
  readonly #isText: boolean

  constructor(request: PassthroughRequest, contentType: string) {
    this.replyHeaders = contentType === "" ? {} : { "content-type": contentType }
    this.#request = request
    this.#isText = texts.has(textAt(request.body, "response_format") ?? "json") && !/\bhtml\b/i.test(contentType)
  }

  comes(): "whole" {
    return "whole"
  }

  push(): Batch {
    return []
  }

  end(): Batch {
    return [noAnswer("")]
  }

  whole(text: string): Iterable<Batch> {
    const answer = parseJson(text)
    if (isObject(answer) && isObject(answer["error"])) return [[failedWith(answer["error"])]]
    if (isObject(answer) && typeof answer["text"] === "string")
      return [this.#read(text, toldUsage(answer, this.#request, answer["text"]))]
    return [this.#isText ? this.#read(text, undefined) : [noAnswer(text)]]
  }

  #read(text: string, told: UsageEvent | undefined): Batch {
    return [
      told ?? { type: "usage", usage: counted(this.#request.counts, text), counted: "untold" },
      { type: "passthrough", terminal: true, text, isRepeated: true },
      { type: "finished", reason: "stop", stopSequence: null }
    ]
  }
}

/** The usage by the gateway's count. */
const counted = (counts: PassthroughRequest["counts"], text: string): Usage => {
  const tokens = (counts?.audioSeconds ?? 0) * tokensPerSecond
  return { ...noUsage, inputTokens: tokens, audioInputTokens: tokens, outputTokens: countText(text), ...counts }
}

/** The tokens or the seconds that an answer tells; undefined if it tells neither. */
const toldUsage = (answer: JsonObject, { counts }: PassthroughRequest, text = ""): UsageEvent | undefined => {
  const tokens = toldTokens(answer)
  if (tokens !== undefined) return { type: "usage", usage: { ...noUsage, ...tokens, ...counts } }
  const told = numberAt(objectAt(answer, "usage"), "seconds") ?? numberAt(answer, "duration")
  if (told === undefined || told <= 0 || told > mostSeconds) return undefined
  const audioSeconds = Math.ceil(told)
  return tokenlessUsage({ ...noUsage, audioSeconds }, () => counted({ audioSeconds }, text))
}
