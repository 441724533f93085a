import { Effect, Schema } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { readTime, TimeQuery } from "../contract/timeQuery.ts"
import { outcomes } from "./outcome.ts"
import { whoseOf } from "./store/matchConditions.ts"
import type { RequestFilter, Whose } from "./store/matchConditions.ts"
import { longestPattern } from "./store/patterns.ts"

const like = (description: string) =>
  Schema.optional(Schema.String.pipe(Schema.maxLength(longestPattern))).annotations({ description })
const mostWords = 5
const Words = Schema.String.pipe(
  Schema.maxLength(longestPattern),
  Schema.filter((text) => text.trim().split(/\s+/).length <= mostWords, { description: `at most ${mostWords} words` })
)

/** Query parameters that filter an account's own requests; `*` stands for any characters. */
export const ownRequestParams = {
  id: like("Only requests with this id."),
  key: like("Only requests with this key, by id or name. In this and other text filters `*` is any characters."),
  family: like(
    "Only this family: `messages`, `responses`, `chat`, … Price quotes are `account`, and left out by default."
  ),
  endpoint: like("Only this path: `/v1/messages`."),
  model: like("Only requests for this model: `gpt-*`."),
  upstream: like("Only requests whose last attempt was at this upstream."),
  attempt: like("Only requests with any attempt at this upstream."),
  tag: like("Only requests with this tag: `prod`, `team=*`."),
  client: like("Only requests of this client, by its user agent: `claude-cli` in any version, or `OpenAI/Python *`."),
  user: like("Only requests for this end user."),
  service_tier: like("Only requests that this tier served, as the upstream said."),
  price_gap: like("Only requests of which this had no price: `service_tier=*`; of any kind: `*`."),
  conversation: like("Only requests of this conversation, by its exact name."),
  task: like("Only the request that created this task."),
  search: Schema.optional(Words).annotations({
    description:
      "Only requests with each of these words in their id, model, endpoint, account, key (id or name), upstream, " +
      "error or client, or as their status or outcome."
  }),
  status: Schema.optional(Schema.String.pipe(Schema.pattern(/^[1-5](\d\d|xx)$/))).annotations({
    description: "Only this status: `429`, or a class, `4xx`."
  }),
  error: like("Only this kind of failure: `rate_limited`, `hang_up`, …"),
  outcome: Schema.optional(Schema.Literal(...outcomes)).annotations({
    description:
      "Only this outcome: `finished`, `refused` (4xx), `failed` (5xx), `cut` (failed after its 200), `hang_up` (the client left)."
  })
}

/** Query parameters that filter all accounts' requests. */
export const requestParams = {
  account: like("Only this account's."),
  ...ownRequestParams,
  conversation: like("Only requests of this conversation, by its exact name; with `account`.")
}

export const RequestTimes = {
  since: Schema.optional(TimeQuery).annotations({
    description: "Only requests that began since: a UTC day, a time, or how long ago."
  }),
  until: Schema.optional(TimeQuery).annotations({ description: "Only requests that began before this time." })
}

interface Query extends Omit<RequestFilter, "status" | "sinceMs" | "untilMs"> {
  readonly status?: string | undefined
}

export const filterOf = ({ status, ...same }: Query): RequestFilter => ({
  ...same,
  status: status === undefined ? undefined : Number(status.replace("xx", ""))
})

/**
 * The one conversation that a filter names, if it names one. Clients of two accounts may give theirs the same name, so
 * that it needs an account.
 */
export const whoseConversation = (filter: RequestFilter): Effect.Effect<Whose | undefined, InvalidRequest> => {
  if (filter.conversation === undefined) return Effect.succeed(undefined)
  const whose = whoseOf(filter)
  return whose === undefined ? Effect.fail(noAccount) : Effect.succeed(whose)
}

const noAccount = new InvalidRequest({
  param: "conversation",
  message: "conversation: expected an account beside it, as two accounts may use the same name"
})

/** A list's filter, with its times. */
export const listFilterOf = (
  { since, until, ...query }: Query & { readonly since?: string | undefined; readonly until?: string | undefined },
  nowMs: number
): RequestFilter => ({
  ...filterOf(query),
  sinceMs: since === undefined ? undefined : readTime(since, nowMs),
  untilMs: until === undefined ? undefined : readTime(until, nowMs, true)
})
