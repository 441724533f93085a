import { listAt, numberAt, objectAt, textAt } from "../../contract/json/json.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"
import { errorIn, errorWords } from "./errorWords.ts"

/** Error codes and types that mean the operator's account has no money left. Status 402 means it by itself. */
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

/** Providers that only send a sentence: Anthropic, when credits or a workspace's limit are used up. */
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
 * A 402 or 429 that a smaller request might avoid: OpenRouter's for a token limit that costs more than is left,
 * OpenAI's for more tokens than fit in a minute.
 */
const beyondLimit =
  /^(?:This request requires more credits, or fewer max_tokens\.|Request too large for [^ ]+ (?:\([^)]*\) )?in organization )/

/** xAI's only sign of a refused prompt. Ids of the operator follow it. */
const xaiContent = /^Content violates usage guidelines\./

/** A provider's error. */
export interface ProviderError {
  /** Undefined for an error inside a 200 without a numeric code. */
  readonly status: number | undefined
  readonly body: unknown
  /** The body that was sent, because a sentence may repeat parts of it. If it is undefined, no sentence is trusted. */
  readonly sent: string | undefined
}

/** The upstream's own trouble; undefined if the error may concern the request. */
export const troubleOf = (told: ProviderError): UpstreamTrouble | undefined => {
  const { status } = told
  const error = errorIn(told.body)
  if (words(error).some((word) => emptyAccount.has(word)) || isEmptySentence(told, error)) return "empty-account"
  // OpenRouter names the provider behind it, which the request may have chosen.
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
      return isOfProject(error) ||
        listAt(error, "details").some((detail) => textAt(detail, "reason") === "API_KEY_INVALID")
        ? "refused-key"
        : undefined
  }
}

/** Google's refusal of a project without billing, or of the place that the call comes from. It is also that of a file. */
const isOfProject = (error: unknown): boolean =>
  textAt(error, "status") === "FAILED_PRECONDITION" && !/\bfile\b/i.test(textAt(error, "message") ?? "")

/** True if the operator's settings name a deployment or an address that the provider does not have (Azure). */
export const isMisplaced = (error: unknown): boolean =>
  textAt(error, "code") === "DeploymentNotFound" ||
  (textAt(error, "code") === "404" && textAt(error, "message") === "Resource not found")

/** True if a status that usually means trouble of the upstream (403, 409, 424) concerns the caller's input. */
export const isAboutInput = ({ body, status }: Pick<ProviderError, "status" | "body">): boolean => {
  const error = errorIn(body)
  switch (status) {
    case 403:
      return isContentRefused(error)
    case 409:
      return errorWords(body) !== undefined
    case 424:
      // An MCP server that the caller named could not be reached.
      return words(error).includes("external_connector_error")
    default:
      return false
  }
}

const isBeyondLimit = (error: unknown): boolean => beyondLimit.test(textAt(error, "message") ?? "")

/** True if a content policy refused the request. */
export const isContentRefused = (error: unknown): boolean =>
  listAt(objectAt(error, "metadata"), "reasons").length > 0 ||
  words(error).some((word) => ofContent.test(word)) ||
  xaiContent.test(textAt(error, "error") ?? "")

const ofContent = /moderation|_policy|policy_violation|content_filter|sensitive|safety|guardrail|flagged/i
const ofKey =
  /permission|authenti|authoriz|api_?key|access_?denied|operation_?denied|forbidden|country|region|model_not_found/i

const isEmptySentence = ({ sent, status }: ProviderError, error: unknown): boolean => {
  const [type, message] = [textAt(error, "type"), textAt(error, "message")]
  if (sent === undefined || message === undefined || sent.includes(message)) return false
  return emptyAccountSentences.some((one) => one.status === status && one.type === type && one.message.test(message))
}

/** The code, the type and Google's status, none of which a caller can influence. */
export const words = (error: unknown): ReadonlyArray<string> =>
  [textAt(error, "code") ?? numberAt(error, "code")?.toString(), textAt(error, "type"), textAt(error, "status")].filter(
    (word) => word !== undefined
  )

/** A program's name of an error (`context_length_exceeded`); undefined if it has none, or a status. */
export const errorCode = (error: unknown): string | undefined => {
  const code = textAt(error, "code")
  return code !== undefined && programsWord.test(code) ? code : undefined
}

/** No sentence, and nothing that a request could have put there. */
const programsWord = /^[a-z][a-z_]{2,63}$/
