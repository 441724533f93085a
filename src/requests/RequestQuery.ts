import { Schema } from "effect"
import { only } from "../contract/paging.ts"
import { readTime, TimeQuery } from "../contract/timeQuery.ts"
import { outcomes } from "./outcome.ts"
import type { RequestFilter } from "./store/matching.ts"

/** What an account holder's own requests are chosen by. */
export const ownRequestParams = {
  key: only("Only those that came with this key."),
  family: only(
    "Only these: `messages`, `responses`, `chat`, … What only asks for a price is of `account`, and left out otherwise."
  ),
  endpoint: only("Only those of this path, as the contract has it: `/v1/messages`."),
  model: only("Only those that asked for this model."),
  status: Schema.optional(Schema.String.pipe(Schema.pattern(/^[1-5](\d\d|xx)$/))).annotations({
    description: "Only these: `429`, or a class of them, `4xx`."
  }),
  error: only("Only those that ended with this kind of failure: `rate_limited`, `hang_up`, …"),
  outcome: Schema.optional(Schema.Literal(...outcomes)).annotations({
    description:
      "Only those that ended so: `finished`, `refused` (4xx), `failed` (5xx), `cut` (after a 200), `hang_up` (the reader left)."
  })
}

/** And what all accounts' are. */
export const requestParams = {
  account: only("Only this account's."),
  upstream: only("Only those that this upstream answered, or refused last."),
  ...ownRequestParams
}

export const RequestTimes = {
  since: Schema.optional(TimeQuery).annotations({ description: "Begun since: a UTC day, a time, or how long ago." }),
  until: Schema.optional(TimeQuery).annotations({ description: "Begun until then." })
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
