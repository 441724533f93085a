import type { JsonObject } from "../contract/fields.ts"
import { numberAt, objectAt, textAt } from "../contract/json/json.ts"
import type { Note } from "./Plan.ts"
import { isCost, priceOf } from "./priceOf.ts"
import { unwritable } from "./Secrets.ts"
import type { Secrets } from "./Secrets.ts"
import type { Deployment } from "./Source.ts"
import { splitModel, upstreamOf, upstreamParams } from "./upstreamOf.ts"
import type { PlannedUpstream } from "./upstreamOf.ts"

/** A deployment as a route. */
export interface PlannedRoute {
  readonly upstream: PlannedUpstream
  readonly model: string
  /** The public id of a deployment of Azure's. */
  readonly baseModel: string | undefined
  readonly settings: JsonObject
  /** Deployments with less come first. */
  readonly order: number
  readonly share: number
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
}

/** Parameters that have their place here, or that mean nothing here. */
const handled = new Set([
  ...upstreamParams,
  "model",
  "custom_llm_provider",
  "order",
  "weight",
  "rpm",
  "tpm",
  "max_parallel_requests",
  "timeout",
  "stream_timeout",
  "litellm_credential_name",
  "max_retries",
  "blocked",
  "model_info",
  "use_in_pass_through",
  "use_litellm_proxy",
  "merge_reasoning_content_in_choices"
])

const reasons: Readonly<Record<string, string>> = {
  drop_params:
    "what an upstream can't carry is left out anyway, and named in x-gateway-adapted; `strict: true` refuses",
  tags: "routes are not chosen by tags; `upstreams` of a key, or x-gateway-route",
  max_budget: "budgets are of keys and accounts, not of deployments",
  mock_response: "the sandbox answers without a provider"
}

/** A deployment's route; undefined if it can't be one. */
export const routeOf = (
  deployment: Deployment,
  credentials: ReadonlyMap<string, JsonObject>,
  secrets: Secrets
): { readonly route: PlannedRoute | undefined; readonly notes: ReadonlyArray<Note> } => {
  const { at, info, name } = deployment
  const credential = textAt(deployment.params, "litellm_credential_name")
  const params = { ...(credential === undefined ? {} : credentials.get(credential)), ...deployment.params }
  const none = (why: string) => ({ route: undefined, notes: [{ at: `${at} (${name})`, why }] })
  if (name === "") return none("has no model_name")
  if (params["blocked"] === true) return none("is blocked: not imported")
  if (textAt(info, "team_id") !== undefined) {
    return none("is one team's own model: add it to models, and to `not_models` of the other accounts")
  }
  const why = unwritable(name) ?? unwritable(params)
  if (why !== undefined) return none(why)
  const [weight, ...rates] = ["weight", "rpm", "tpm"].map((param) => numberAt(params, param))
  const share = weight ?? rates.find((rate) => rate !== undefined && rate > 0) ?? 1
  if (share <= 0) return none("has a weight that is not above 0, and so no requests: not imported")
  const split = splitModel(params)
  if (split === undefined) {
    const model = textAt(params, "model") ?? ""
    return none(
      `"${model}" has a provider that isn't known here: add it under upstreams, with its protocol and base_url`
    )
  }
  const notes: Array<Note> = []
  const note = (field: string, why: string) => void notes.push({ at: `${at}.${field} (${name})`, why })
  if (credential !== undefined && !credentials.has(credential))
    note("litellm_credential_name", "no credential has this name")
  for (const param of upstreamParams) {
    const value = params[param]
    if (param !== "extra_headers" && value !== undefined && value !== null && typeof value !== "string")
      note(`litellm_params.${param}`, "is no text: left out")
  }
  for (const [header, value] of Object.entries(objectAt(params, "extra_headers") ?? {})) {
    if (typeof value !== "string") note(`litellm_params.extra_headers.${header}`, "is no text: left out")
  }
  for (const [param, value] of Object.entries(params)) {
    if (handled.has(param) || isCost(param) || value === null || value === false) continue
    note(
      `litellm_params.${param}`,
      reasons[param] ?? "no setting here: callers send it, or the upstream's own default holds"
    )
  }
  if (params["api_version"] !== undefined && split.provider === "azure") {
    note("litellm_params.api_version", "2024-10-21 is asked; `provider: azure` has Azure's v1 API")
  }
  const { left, price, wrong } = priceOf(info, params)
  for (const cost of wrong) note(cost, "is no number of zero or more: left out")
  for (const cost of left) note(cost, "no rate of this kind: see `price` in docs/configuration.md")
  const seconds = secondsOf(params["stream_timeout"]) ?? secondsOf(params["timeout"])
  const parallel = numberAt(params, "max_parallel_requests")
  return {
    route: {
      upstream: upstreamOf(split, params, secrets),
      model: split.model,
      baseModel: textAt(info, "base_model")?.replace(/^azure\/(?:us\/|eu\/|global\/)?/, ""),
      settings: {
        ...(price !== undefined && { price }),
        ...(seconds !== undefined && { first_byte_seconds: seconds }),
        ...(parallel !== undefined && parallel >= 1 && { max_concurrency: Math.floor(parallel) })
      },
      order: numberAt(params, "order") ?? Infinity,
      share,
      requestsPerMinute: numberAt(params, "rpm"),
      tokensPerMinute: numberAt(params, "tpm")
    },
    notes
  }
}

const secondsOf = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  return typeof seconds === "number" && seconds > 0 ? seconds : undefined
}
