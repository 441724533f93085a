import type { FallbackReason } from "../../contract/records/FallbackReason.ts"
import { InvalidRequest, RateLimited, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { numberAt, parseJson, textAt } from "../../contract/json/json.ts"
import { answerBounds, excessOf, excessWords } from "../../contract/json/jsonBounds.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import { errorCode, isAboutInput, troubleOf } from "./errorMeaning.ts"
import { errorWords } from "./errorWords.ts"
import { restOf } from "./restOf.ts"
import { retryInfoMs } from "./retryInfo.ts"
import { refusalReason } from "./refusalReason.ts"

/** The answer stopped before its end. */
export const cutOff = new UpstreamFailed({ message: "The model's upstream ended before its answer did" })

/** The arguments of a tool call are cut, although the upstream reports no cut. */
export const cutCall = new UpstreamFailed({ message: "The model's upstream sent half a tool call" })

/** The upstream's own finish reason, for the request's row, if it means nothing to the gateway. */
export const unknownReason = (isUnknown: boolean, reason: string | undefined): { readonly unknownReason?: string } =>
  isUnknown && reason !== undefined ? { unknownReason: reason.slice(0, longestReason) } : {}

const longestReason = 64

/** The longest part of an upstream's message that is passed on, in UTF-16 units. */
const longest = 2_000

/**
 * The failure for an error inside an answer (`{type, code, message}` in every dialect; a code may be an HTTP status).
 * The caller gets the upstream's message if it concerns the input. Trouble of the upstream or of our account is only
 * logged.
 */
export const failedWith = (error: unknown): Extract<GenerationEvent, { readonly type: "failed" }> => {
  const words = [wordAt(error, "type"), wordAt(error, "code"), errorWords({ error })]
  const said = words.filter((word) => word !== undefined && word !== "").join(": ")
  const status = Number(wordAt(error, "code") ?? Number.NaN)
  const known = troubleOf({ status, body: { error }, sent: undefined })
  const reason = known === undefined ? refusalReason({ status, body: { error }, sent: undefined }) : undefined
  const failure =
    known === "empty-account" || known === "refused-key" ? new UpstreamFailed({}) : failureOf(error, status, reason)
  const trouble = known ?? (failure._tag === "RateLimited" || failure === overloaded ? "saturated" : undefined)
  const rests =
    trouble === undefined || trouble === "saturated"
      ? restOf({ status, body: { error }, sent: undefined, headers: undefined })
      : undefined
  return {
    type: "failed",
    failure,
    ...(rests === undefined ? {} : { rests }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(said === "" ? {} : { said: forCallers(said).slice(0, longest) })
  }
}

const overloaded = new UpstreamFailed({ message: "The model's upstream is overloaded" })

const failureOf = (error: unknown, status: number, reason: FallbackReason | undefined): Failure => {
  const kind = `${textAt(error, "type") ?? ""} ${textAt(error, "code") ?? ""}`
  const said = errorWords({ error })
  const message = said === undefined ? undefined : forCallers(said).slice(0, longest)
  if (status === 429 || /rate_limit|too_many_requests/.test(kind)) {
    const retryAfterMs = retryInfoMs(error)
    return new RateLimited({ retryAfterSeconds: retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1_000) })
  }
  if (
    reason !== undefined ||
    [400, 413, 422].includes(status) ||
    isAboutInput({ status, body: { error } }) ||
    /\binvalid_request|\binvalid_prompt|context_length_exceeded|image|content_filter|_policy/.test(kind)
  ) {
    const upstreamCode = errorCode(error)
    return new InvalidRequest({
      param: null,
      isInStream: true,
      ...(message === undefined ? {} : { message }),
      ...(upstreamCode === undefined ? {} : { upstreamCode }),
      ...(reason === undefined ? {} : { reason })
    })
  }
  return status === 529 || /overloaded|slow_down/.test(kind) ? overloaded : new UpstreamFailed({})
}

const wordAt = (error: unknown, key: string): string | undefined =>
  textAt(error, key) ?? numberAt(error, key)?.toString()

/** Addresses and likely keys. Separate patterns, because each alone is provably linear. */
const urls = /https?:\/\/[^\s"'<>)\]]+/g
const machines = /\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?/g
const keys = [/\b(?:sk|key|tok)-[\w-]{4,}/g, /\bBearer [\w.~+/=-]+/g]

/**
 * An upstream's message without internal details.
 *
 * @param sent the request: addresses in it are the caller's own and stay, but for what may be signed or secret in them
 */
export const forCallers = (words: string, sent = ""): string => {
  const addressed = words
    .replace(urls, (found) => (sent.includes(found) ? withoutSignature(found) : "[…]"))
    .replace(machines, (found) => (sent.includes(found) ? found : "[…]"))
  return keys.reduce((text, key) => text.replace(key, "[…]"), addressed)
}

/** An address without its user and query. */
const withoutSignature = (address: string): string => {
  const query = address.indexOf("?")
  const kept = query === -1 ? address : `${address.slice(0, query)}?[…]`
  return kept.replace(/^(https?:\/\/)[^/?#]*@/, "$1[…]@")
}

/** The answer exceeds the bounds of what the gateway reads. */
export const tooMuchText = new UpstreamFailed({ message: "The model's upstream sent more than 32 Mi characters" })
export const tooManyItems = new UpstreamFailed({
  message: `The model's upstream sent ${excessWords("items", answerBounds)}`
})

/** The answer is not one of the dialect. */
export const garbled = new UpstreamFailed({ message: "The model's upstream sent something that is no answer" })

/** An answer in one piece that would become a far longer stream. */
export const tooLongAsStream: Extract<GenerationEvent, { readonly type: "failed" }> = {
  type: "failed",
  failure: garbled,
  said: "an answer in one piece that is too long as a stream"
}

/** `garbled`, with the beginning of the answer for the log. */
export const noAnswer = (answer: string): Extract<GenerationEvent, { readonly type: "failed" }> => {
  const begin = forCallers(answer.slice(0, longest)).replaceAll(/\s+/g, " ").trim().slice(0, mostLogged)
  const excess = excessOf(answer, answerBounds)
  const what =
    begin === ""
      ? "nothing"
      : excess !== undefined
        ? excessWords(excess, answerBounds)
        : parseJson(answer) === undefined
          ? "no JSON"
          : "no answer"
  return { type: "failed", failure: garbled, said: begin === "" ? what : `${what}: ${begin}` }
}

/** The longest part of such an answer in the log, in UTF-16 units. */
const mostLogged = 200
