import { isObject, listAt, numberAt, objectAt, textAt } from "../../contract/json.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"

/**
 * Codes and types by which providers say that the operator's account has no money left. The status alone says it where
 * it is 402.
 */
const emptyAccount: ReadonlySet<string> = new Set([
  // OpenAI, and many that copy it
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  // Anthropic
  "billing_error",
  // Moonshot, Zhipu, Alibaba, Ark
  "exceeded_current_quota_error",
  "1113",
  "Arrearage",
  "AccountOverdueError",
  // other gateways
  "insufficient_balance",
  "insufficient_user_quota"
])

interface Sentence {
  readonly status: number
  readonly type: string
  /** Matches a whole message. */
  readonly message: RegExp
}

/** Providers that have only a sentence for it: Anthropic, where credits or a workspace's limit are used up. */
const emptyAccountSentences: ReadonlyArray<Sentence> = [
  {
    status: 400,
    type: "invalid_request_error",
    message:
      /^Your credit balance is too low to access the (?:Anthropic|Claude) API\. Please go to Plans & Billing to upgrade or purchase credits\.$/
  },
  {
    status: 400,
    type: "invalid_request_error",
    message:
      /^You have reached your specified (?:workspace )?API usage limits\. You will regain access on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\.$/
  }
]

/**
 * A 402 or 429 that a smaller request may not get: OpenRouter's, for a bound of tokens that costs more than is left, and
 * OpenAI's, for more tokens than fit in a minute.
 */
const beyondLimit =
  /^(?:This request requires more credits, or fewer max_tokens\.|Request too large for [^ ]+ (?:\([^)]*\) )?in organization )/

/** xAI's only sign of a refused prompt, with ids of the operator's behind it. */
const xaiContent = /^Content violates usage guidelines\./

/** An error as its provider told it. */
export interface ToldError {
  /** Undefined inside a 200 where the error has no numeric code either. */
  readonly status: number | undefined
  readonly body: unknown
  /** The body that the upstream was sent: a sentence in it may be an echo. Where it is not at hand none is believed. */
  readonly sent: string | undefined
}

/** The error object: under `error`, in a list of Google's, or the body itself (vLLM, xAI, Alibaba). */
export const errorIn = (body: unknown): unknown => {
  const one: unknown = Array.isArray(body) ? body[0] : body
  return objectAt(one, "error") ?? (isObject(one) ? one : undefined)
}

/** What an error says of the upstream itself; undefined where it may be about the request. */
export const troubleOf = (told: ToldError): UpstreamTrouble | undefined => {
  const { status } = told
  const error = errorIn(told.body)
  if (words(error).some((word) => emptyAccount.has(word)) || isEmptySentence(told, error)) return "empty-account"
  // OpenRouter names the provider that it asked, which the request may have chosen.
  if (textAt(objectAt(error, "metadata"), "provider_name") !== undefined) return undefined
  switch (status) {
    case 401:
      return "refused-key"
    case 402:
      return isBeyondLimit(error) ? undefined : "empty-account"
    case 403:
      return !isContentRefused(error) && words(error).some((word) => ofKey.test(word)) ? "refused-key" : undefined
    case 429:
    case 529:
      return isBeyondLimit(error) ? undefined : "saturated"
    default:
      return listAt(error, "details").some((detail) => textAt(detail, "reason") === "API_KEY_INVALID")
        ? "refused-key"
        : undefined
  }
}

/** Whether a status that is usually the upstream's own failure (403, 409, 424) is about what the caller sent. */
export const isAboutInput = ({ body, status }: Pick<ToldError, "status" | "body">): boolean => {
  const error = errorIn(body)
  switch (status) {
    case 403:
      return isContentRefused(error)
    case 409:
      return (textAt(error, "message") ?? textAt(body, "error") ?? textAt(body, "detail")) !== undefined
    case 424:
      // A server that the caller named could not be reached (MCP).
      return words(error).includes("external_connector_error")
    default:
      return false
  }
}

const isBeyondLimit = (error: unknown): boolean => beyondLimit.test(textAt(error, "message") ?? "")

const isContentRefused = (error: unknown): boolean =>
  listAt(objectAt(error, "metadata"), "reasons").length > 0 ||
  words(error).some((word) => ofContent.test(word)) ||
  xaiContent.test(textAt(error, "error") ?? "")

const ofContent = /moderation|content_policy|content_filter|policy_violation|sensitive|safety|guardrail|flagged/i
const ofKey =
  /permission|authenti|authoriz|api_?key|access_?denied|operation_?denied|forbidden|country|region|model_not_found/i

const isEmptySentence = ({ sent, status }: ToldError, error: unknown): boolean => {
  const [type, message] = [textAt(error, "type"), textAt(error, "message")]
  if (sent === undefined || message === undefined || sent.includes(message)) return false
  return emptyAccountSentences.some((one) => one.status === status && one.type === type && one.message.test(message))
}

/** Its code, type and Google's status: nothing that a caller writes. */
const words = (error: unknown): ReadonlyArray<string> =>
  [textAt(error, "code") ?? numberAt(error, "code")?.toString(), textAt(error, "type"), textAt(error, "status")].filter(
    (word) => word !== undefined
  )
