import { Schema } from "effect"
import { readTime, TimeQuery } from "../contract/timeQuery.ts"
import { outcomes } from "./outcome.ts"
import type { RequestFilter } from "./store/matching.ts"
import { longestPattern } from "./store/patterns.ts"

const like = (description: string) =>
  Schema.optional(Schema.String.pipe(Schema.maxLength(longestPattern))).annotations({ description })
const mostWords = 5
const Words = Schema.String.pipe(
  Schema.maxLength(longestPattern),
  Schema.filter((text) => text.trim().split(/\s+/).length <= mostWords, { description: `${mostWords} words at most` })
)

/** What an account holder's own requests are chosen by; `*` stands for any characters. */
export const ownRequestParams = {
  id: like("Only those with this id."),
  key: like(
    "Only those that came with this key: its id or its name. In this and in other texts `*` is any characters."
  ),
  family: like(
    "Only these: `messages`, `responses`, `chat`, … What only asks for a price is of `account`, and left out otherwise."
  ),
  endpoint: like("Only those of this path, as the contract has it: `/v1/messages`."),
  model: like("Only those that asked for this model: `gpt-*`."),
  upstream: like("Only those that this upstream answered, or refused last."),
  attempt: like("Only those for which this upstream was asked, whoever answered."),
  tag: like("Only those with this tag: `prod`, `team=*`."),
  client: like("Only those of this product, as its user agent names it: `OpenAI/Python *`."),
  user: like("Only those for this end user."),
  task: like("Only the one that made this task."),
  search: Schema.optional(Words).annotations({
    description:
      "Only those that have each of these words in their id, model, endpoint, account, key (its name too), upstream, " +
      "error or client, or as their status or outcome."
  }),
  status: Schema.optional(Schema.String.pipe(Schema.pattern(/^[1-5](\d\d|xx)$/))).annotations({
    description: "Only this status: `429`, or a class, `4xx`."
  }),
  error: like("Only those that ended with this kind of failure: `rate_limited`, `hang_up`, …"),
  outcome: Schema.optional(Schema.Literal(...outcomes)).annotations({
    description:
      "Only this outcome: `finished`, `refused` (4xx), `failed` (5xx), `cut` (failed after its 200), `hang_up` (the client left)."
  })
}

/** And what all accounts' are. */
export const requestParams = {
  account: like("Only this account's."),
  ...ownRequestParams
}

export const RequestTimes = {
  since: Schema.optional(TimeQuery).annotations({ description: "Begun since: a UTC day, a time, or how long ago." }),
  until: Schema.optional(TimeQuery).annotations({ description: "Only those that began before this time." })
}

interface Asked extends Omit<RequestFilter, "status" | "sinceMs" | "untilMs"> {
  readonly status?: string | undefined
}

export const filterOf = ({ status, ...same }: Asked): RequestFilter => ({
  ...same,
  status: status === undefined ? undefined : Number(status.replace("xx", ""))
})

/** The same with the times of a list. */
export const listFilterOf = (
  { since, until, ...asked }: Asked & { readonly since?: string | undefined; readonly until?: string | undefined },
  nowMs: number
): RequestFilter => ({
  ...filterOf(asked),
  sinceMs: since === undefined ? undefined : readTime(since, nowMs),
  untilMs: until === undefined ? undefined : readTime(until, nowMs, true)
})
