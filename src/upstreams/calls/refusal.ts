import { InvalidRequest, NotFound, RateLimited, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { FallbackReason } from "../../contract/records/FallbackReason.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { isObject, objectAt, parseJson } from "../../contract/json/json.ts"
import { withoutSecrets } from "../../contract/callers/withoutSecrets.ts"
import type { Rest } from "../../generation/Rest.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"
import { awsStatus, awsTypeIn } from "../protocols/awsErrors.ts"
import { errorCode, isAboutInput, isMisplaced, troubleOf } from "../protocols/errorMeaning.ts"
import { errorField, errorIn, errorWordsIn } from "../protocols/errorWords.ts"
import { restOf } from "../protocols/restOf.ts"
import { restMs } from "../protocols/rests.ts"
import { retryInfoMs } from "../protocols/retryInfo.ts"
import { refusalReason } from "../protocols/refusalReason.ts"
import { forCallers } from "../protocols/upstreamFailure.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { upstreamRequestIdIn } from "./upstreamRequestId.ts"

/** An upstream's HTTP error. */
export interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** Keys and addresses that must not be shown. */
  readonly secrets: ReadonlyArray<string>
  /** The request. Parts of it in the answer are the caller's own. */
  readonly sent: string
  /** True if the upstream's field names are the caller's too. */
  readonly isPassthrough: boolean
}

/**
 * The failure behind an upstream's HTTP error. Its message goes to the caller if it concerns the caller's input, and to
 * the log if it concerns our key, our account or the upstream.
 */
export const refusal = (answer: Refusal): UpstreamError => {
  const { body, sent } = answer
  const status = meantStatus(answer)
  const providerError = { status, body: parseJson(body), sent }
  const trouble = troubleOf(providerError)
  const rests = isOfLoad(trouble) ? restOf({ ...providerError, headers: answer.headers }) : undefined
  const retryAfterMs = restMs(rests) ?? retryAfter(answer.headers, errorIn(providerError.body))
  const reason = trouble === undefined ? refusalReason(providerError) : undefined
  const [failure, retry] =
    reason !== undefined
      ? refusedFor(answer, reason)
      : isAboutInput(providerError)
        ? refusalOf(answer)
        : isBeyond(rests)
          ? beyond
          : meaning({ ...answer, status }, trouble, retryAfterMs)
  const upstreamRequestId = upstreamRequestIdIn(answer.headers)
  return new UpstreamError({
    failure,
    retry,
    retryAfterMs: rests === "nothing" ? undefined : retryAfterMs,
    status: answer.status,
    trouble,
    rests,
    upstreamRequestId,
    said: wordsOf(answer)
  })
}

/** The status, or the one that the type of an error of AWS means. */
const meantStatus = ({ body, headers, status }: Refusal): number => {
  const type = headers.get("x-amzn-errortype") ?? awsTypeIn(parseJson(body))
  return type === undefined ? status : (awsStatus(type, errorWordsIn(body) ?? "") ?? status)
}

/** An upstream's message without secrets and internal addresses; undefined if it has none. */
export const wordsOf = (answer: Pick<Refusal, "body" | "secrets"> & Partial<Refusal>): string | undefined => {
  const { body, secrets, sent } = answer
  const message = errorWordsIn(body)
  return message === undefined ? undefined : shownWords(message, secrets, sent)
}

/** An upstream's words as callers may see them: without secrets and internal addresses, and not endless. */
export const shownWords = (words: string, secrets: ReadonlyArray<string>, sent?: string): string =>
  forCallers(withoutSecrets(words, secrets), sent).slice(0, longest)

const longest = 2_000

/** False for trouble with the key or its account. */
const isOfLoad = (trouble: UpstreamTrouble | undefined): boolean => trouble === undefined || trouble === "saturated"

/** True if the request is refused at any time: it is larger than a limit, or than the key may send. */
const isBeyond = (rests: Rest | undefined): boolean =>
  rests === "nothing" || (rests !== undefined && rests.part === "long")

const beyond: Meaning = [
  new RateLimited({
    message: "The request is larger than the model's upstream accepts: send less at a time",
    retryAfterSeconds: null,
    neverFits: true
  }),
  "elsewhere"
]

type Meaning = readonly [Failure, UpstreamError["retry"]]

const refusalOf = (answer: Refusal): Meaning => [invalid(answer, refusalWords(answer)), "never"]

/** Another route may have room, or no filter. */
const refusedFor = (answer: Refusal, reason: FallbackReason): Meaning => [
  invalid(answer, refusalWords(answer), reason),
  "elsewhere"
]

const refusalWords = (answer: Refusal): string =>
  wordsOf(answer)?.replace(operatorsIds, "$1") ?? "The model's upstream refused the request"

/** xAI adds the operator's team and key to its message. */
const operatorsIds = /^(Content violates usage guidelines\.)[^]*/

const meaning = (answer: Refusal, trouble: UpstreamTrouble | undefined, retryAfterMs: number | undefined): Meaning => {
  const { status } = answer
  if (trouble === "empty-account" || trouble === "refused-key") return [new UpstreamFailed({}), "elsewhere"]
  switch (status) {
    case 400:
    case 413:
    case 422:
      return refusalOf(answer)
    case 404: {
      // With an error body, it is about a model or a file. Without one, our address is wrong.
      const error = errorIn(parseJson(answer.body))
      const words = error === undefined || isMisplaced(error) ? undefined : wordsOf(answer)
      if (words === undefined) return [new UpstreamFailed({}), "elsewhere"]
      return [detailsOf(answer) === undefined ? invalid(answer, words) : notFound(answer, words), "elsewhere"]
    }
    case 429:
    case 498:
      return [
        new RateLimited({
          message: "The model's upstream accepts no more requests at the moment",
          retryAfterSeconds: retryAfterMs === undefined ? null : Math.ceil(retryAfterMs / 1_000)
        }),
        "again"
      ]
    case 408:
    case 409:
    case 425:
      return [new UpstreamFailed({}), "again"]
    default:
      return status >= 500
        ? [new UpstreamFailed(status === 529 ? { message: "The model's upstream is overloaded" } : {}), "again"]
        : [new UpstreamFailed({}), "elsewhere"]
  }
}

const invalid = (answer: Refusal, message: string, reason?: FallbackReason) => {
  const upstreamCode = errorCode(errorIn(parseJson(answer.body)))
  return new InvalidRequest({
    param: paramOf(answer),
    message,
    ...(upstreamCode === undefined ? {} : { upstreamCode }),
    ...(reason === undefined ? {} : { reason }),
    ...withDetails(answer)
  })
}

/** The caller named an object of the dialect that does not exist. Its clients look at the status. */
const notFound = (answer: Refusal, message: string) =>
  new NotFound({ param: paramOf(answer), message, ...withDetails(answer) })

const paramOf = ({ body, isPassthrough }: Refusal) => (isPassthrough ? (errorField(parseJson(body)) ?? null) : null)

const withDetails = (answer: Refusal) => {
  // Azure's verdict about a prompt, which its clients read.
  const innererror = shownObject(objectAt(objectAt(parseJson(answer.body), "error"), "innererror"), answer)
  const details = detailsOf(answer)
  if (innererror === undefined) return details === undefined ? {} : { details }
  return { details: { ...details, innererror } }
}

/** The machine-readable details of an error, without secrets; undefined if there are none or too many. */
const detailsOf = (answer: Refusal): JsonObject | undefined =>
  answer.isPassthrough ? shownObject(objectAt(objectAt(parseJson(answer.body), "error"), "details"), answer) : undefined

/** A part of an error without secrets; undefined if it is too long. */
const shownObject = (part: JsonObject | undefined, { secrets, sent }: Refusal): JsonObject | undefined => {
  if (part === undefined) return undefined
  const text = JSON.stringify(part)
  const shown = text.length > longest ? undefined : parseJson(forCallers(withoutSecrets(text, secrets), sent))
  return isObject(shown) ? shown : undefined
}

/** The delay of `Retry-After` and similar headers, or of Google's error, in ms; undefined if there is none. */
export const retryAfter = (headers: Headers, error?: unknown): number | undefined => {
  const ms = wanted(headers) ?? retryInfoMs(error)
  return ms === undefined ? undefined : Math.min(ms, longestRetryAfterMs)
}

/** A day: a longer pause is a mistake of the upstream's, and nothing would end it. */
const longestRetryAfterMs = 86_400_000

const wanted = (headers: Headers): number | undefined => {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN)
  if (ms >= 0) return ms
  const after = headers.get("retry-after")
  if (after === null) return undefined
  const seconds = Number(after)
  if (seconds >= 0) return seconds * 1_000
  const at = Date.parse(after)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
