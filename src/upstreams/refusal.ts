import { InvalidRequest, NotFound, RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isObject, objectAt, parseJson, textAt } from "../contract/json.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"
import { errorIn, isAboutInput, troubleOf } from "./protocols/errorMeaning.ts"
import { forCallers } from "./protocols/upstreamFailure.ts"
import { UpstreamError } from "./UpstreamError.ts"
import { upstreamRequestIdIn } from "./upstreamRequestId.ts"

/** An upstream's HTTP error. */
export interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** What must not be told to anyone: keys, addresses. */
  readonly secrets: ReadonlyArray<string>
  /** What the upstream was sent: what it says back of it is the caller's own. */
  readonly sent: string
  /** Whether the upstream's names for fields are the caller's too. */
  readonly native: boolean
}

/**
 * What an upstream's HTTP error means. Its words are passed on where they are about the caller's input; its opinion of
 * our key, our account or itself is not the caller's business.
 */
export const refusal = (answer: Refusal): UpstreamError => {
  const { body, sent, status } = answer
  const told = { status, body: parseJson(body), sent }
  const retryAfterMs = retryAfter(answer.headers)
  const trouble = troubleOf(told)
  const [failure, retry] = isAboutInput(told) ? refusing(answer) : meaning(answer, trouble, retryAfterMs)
  const upstreamRequestId = upstreamRequestIdIn(answer.headers)
  return new UpstreamError({ failure, retry, retryAfterMs, status, trouble, upstreamRequestId, said: wordsOf(answer) })
}

/** An upstream's own words without what is not for callers; undefined where it has none. */
export const wordsOf = (answer: Pick<Refusal, "body" | "secrets"> & Partial<Refusal>): string | undefined => {
  const { body, secrets, sent } = answer
  const parsed = parseJson(body)
  const said = textAt(errorIn(parsed), "message") ?? textAt(parsed, "error") ?? textAt(parsed, "detail")
  return said === undefined ? undefined : forCallers(withoutSecrets(said, secrets), sent).slice(0, longest)
}

const longest = 2_000

/** An upstream's words without what must not be told to anyone. */
export const withoutSecrets = (text: string, secrets: ReadonlyArray<string>) =>
  secrets.reduce((text, secret) => (secret === "" ? text : text.replaceAll(secret, "[…]")), text)

type Meaning = readonly [Failure, UpstreamError["retry"]]

const refusing = (answer: Refusal): Meaning => {
  const words = wordsOf(answer)?.replace(operatorsIds, "$1")
  return [invalid(answer, words ?? "The model's upstream refused the request"), "never"]
}

/** xAI names the operator's team and key behind its verdict. */
const operatorsIds = /^(Content violates usage guidelines\.)[^]*/

const meaning = (answer: Refusal, trouble: UpstreamTrouble | undefined, retryAfterMs: number | undefined): Meaning => {
  const { status } = answer
  if (trouble === "empty-account" || trouble === "refused-key") return [new UpstreamFailed({}), "elsewhere"]
  switch (status) {
    case 400:
    case 413:
    case 422:
      return refusing(answer)
    case 404: {
      const words = wordsOf(answer)
      // With words it is about a model or a file; without, our address is wrong.
      if (words === undefined) return [new UpstreamFailed({}), "elsewhere"]
      return [detailsOf(answer) === undefined ? invalid(answer, words) : notFound(answer, words), "elsewhere"]
    }
    case 429:
      return [
        new RateLimited({
          message: "The model's upstream takes no more requests right now",
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

const invalid = (answer: Refusal, message: string) =>
  new InvalidRequest({ param: paramOf(answer), message, ...withDetails(answer) })

/** Something of the dialect's own that the caller named: its clients tell it by the status. */
const notFound = (answer: Refusal, message: string) =>
  new NotFound({ param: paramOf(answer), message, ...withDetails(answer) })

const paramOf = ({ body, native }: Refusal) =>
  native ? (textAt(objectAt(parseJson(body), "error"), "param") ?? null) : null

const withDetails = (answer: Refusal) => {
  const details = detailsOf(answer)
  return details === undefined ? {} : { details }
}

/** What the dialect's programs act on, without what is not for callers; undefined where there is none, or too much. */
const detailsOf = ({ body, native, secrets, sent }: Refusal): JsonObject | undefined => {
  const details = native ? objectAt(objectAt(parseJson(body), "error"), "details") : undefined
  if (details === undefined) return undefined
  const text = JSON.stringify(details)
  const told = text.length > longest ? undefined : parseJson(forCallers(withoutSecrets(text, secrets), sent))
  return isObject(told) ? told : undefined
}

/** How long an answer asks us to wait, in ms; undefined where it does not say. */
export const retryAfter = (headers: Headers): number | undefined => {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN)
  if (ms >= 0) return ms
  const after = headers.get("retry-after")
  if (after === null) return undefined
  const seconds = Number(after)
  if (seconds >= 0) return seconds * 1_000
  const at = Date.parse(after)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
