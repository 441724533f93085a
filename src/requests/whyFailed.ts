import { errorName } from "../contract/failures/errorName.ts"
import type { FailureTag } from "../contract/failures/Failure.ts"
import { blockedReason } from "../contract/records/GuardrailRecord.ts"
import { usdText } from "../contract/text/usdText.ts"
import { outcomeOf } from "./outcome.ts"
import type { RequestView } from "./RequestView.ts"

/** The reason of an outcome, and what follows for its caller. */
interface Why {
  readonly what: string
  readonly so: string
}

type FailedRequest = Pick<
  RequestView,
  "attempts" | "cost_usd" | "error" | "guardrails" | "reason" | "settled_at" | "status" | "task" | "upstream_cost_usd"
>

const why = (what: string, so: string): Why => ({ what, so })

/** Why a request failed, by the kind of its failure. A refusal's `reason` stands beside it, with names and figures. */
const byFailure: Readonly<Record<FailureTag, (request: FailedRequest) => Why>> = {
  InvalidRequest: ({ attempts }) =>
    attempts.length === 0
      ? why("The request itself was wrong.", "The reason names the field; no upstream was asked.")
      : why("The request itself was wrong.", "The upstream refused it, in the words of the reason."),
  AuthMissing: () => why("No key came with the request.", "Send `Authorization: Bearer …` or `x-api-key`."),
  AuthInvalid: () => why("The key is not accepted.", "The reason says whether it is unknown, revoked or expired."),
  InsufficientBalance: () =>
    why(
      "The request may cost more than the available balance of its account.",
      "Add credit, or ask for fewer output tokens."
    ),
  QuotaExceeded: () =>
    why(
      "A budget is used up, or has less left than the request may cost.",
      "The reason names the budget and when it begins again; it can be raised or reset."
    ),
  ModelForbidden: () =>
    why(
      "The key or its account may not use this model.",
      "The reason says which of the two: change its models or upstreams."
    ),
  Unpriced: () =>
    why(
      "The model has no price for what the request asks, and its account or key counts money.",
      "Give it a price, or set `unpriced: allow` at the model, the account or the key."
    ),
  UnknownModel: () => why("No model of this name is served.", "`GET /v1/models` lists the names."),
  Forbidden: () =>
    why(
      "The key may not do this, whatever the model.",
      "The reason names the header or the operation, and its setting."
    ),
  UnknownRoute: () => why("The gateway has no such endpoint.", "Check the path, the method and the base URL."),
  NotFound: () =>
    why(
      "The request names something that its account does not have.",
      "The id is wrong, of another account, or past its retention."
    ),
  Conflict: () =>
    why(
      "The request conflicts with something that exists or is under way.",
      "The reason names it: read its state, then try again."
    ),
  TooLarge: () => why("The request is larger than allowed.", "The reason has the bound; send less."),
  UnsupportedEncoding: () =>
    why("The body’s `Content-Encoding` is not supported.", "Send it plain, or as gzip, br or zstd."),
  Undecodable: () => why("The body does not match its `Content-Encoding`.", "Send it plain, or compress it again."),
  RateLimited: ({ attempts }) =>
    attempts.some(({ status }) => status === 429)
      ? why("A limit of the upstream was reached.", "Spread the load, raise the limit there, or add a route.")
      : why("A limit was reached.", "The reason names it: raise it, or spread the load."),
  UpstreamFailed: ({ attempts }) =>
    attempts.length === 0
      ? why("No upstream was asked.", "The reason says why, such as an open circuit.")
      : why("No upstream answered.", "The attempts below say why."),
  ToolsFailed: () =>
    why("An MCP server that the request names did not list its tools.", "The reason names it and says why."),
  Unavailable: () =>
    why("The company’s sign-in or the issuer of the token does not answer.", "`gateway check --live` asks it."),
  Internal: () => why("The gateway has a defect.", "Its log has the cause with the request’s id: please report it.")
}

const byError = new Map(Object.entries(byFailure).map(([tag, why]) => [errorName({ _tag: tag }), why]))

/** The status and the first tokens had left already; the reason says who broke off. */
const brokeOff = why("The answer broke off after it had begun.", "So nothing else was tried.")

const blocked = why("A guardrail blocked a text.", "The caller read its message, which is not kept.")

const unguarded = why(
  "A guardrail that fails closed gave no verdict.",
  "Its webhook is away, slow, or answers otherwise."
)

const left = why("The client left before the end.", "The upstream was told to stop.")

/** A code that this version does not know, and rows without one. */
const unknown = why("The request failed.", "The reason and the attempts say why.")

/** Why a request did not finish, for readers; undefined if it did. */
export const whyFailed = (request: FailedRequest): Why | undefined => {
  const outcome = outcomeOf(request)
  if (outcome === "finished") return undefined
  const { so, what } = causeOf(request, outcome)
  return why(what, `${so} ${chargeOf(request)}`)
}

const causeOf = (request: FailedRequest, outcome: "refused" | "failed" | "cut" | "hang_up"): Why => {
  if (outcome === "hang_up") return left
  const { error, guardrails = [], reason } = request
  if (reason === blockedReason) return blocked
  if (guardrails.some(({ verdict }) => verdict === "failed") && error === "unavailable") return unguarded
  if (outcome === "cut") return brokeOff
  return byError.get(request.error ?? "")?.(request) ?? unknown
}

const chargeOf = (request: FailedRequest): string => {
  const { cost_usd, settled_at, task, upstream_cost_usd = 0 } = request
  if (task !== null && settled_at === null) return "Its cost is settled with its task."
  const charge = cost_usd ?? 0
  const charged = charge === 0 ? "Nothing was charged" : `${usdText(charge)} was charged`
  return upstream_cost_usd > charge
    ? `${charged}; the upstream’s ${usdText(upstream_cost_usd)} is the operator’s.`
    : `${charged}.`
}
