import { Args, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { readTime } from "../contract/timeQuery.ts"
import { outcomes } from "../requests/outcome.ts"
import type { Outcome } from "../requests/outcome.ts"
import { whoseConversation } from "../requests/RequestQuery.ts"
import type { RequestFilter } from "../requests/store/matchConditions.ts"
import { account, moment, optionalText } from "./options.ts"

export const id = Args.text({ name: "id" }).pipe(Args.withDescription("A reply's x-request-id (req_…)."))

const Status = Schema.String.pipe(
  Schema.pattern(/^[1-5](\d\d|xx)$/, { message: () => "expected a status such as 429, or a class such as 4xx" })
)

/** Options that filter requests. */
export const filters = {
  account,
  id: optionalText("id", "Only those whose id matches: req_ab*."),
  key: optionalText("key", "Only those that came with this key: its id or name."),
  family: optionalText("family", "Only these: messages, responses, chat, embeddings, videos."),
  model: optionalText("model", "Only this model's; * stands for any characters, here and in other filters."),
  upstream: optionalText("upstream", "Only those that this upstream answered, or refused as the last one."),
  attempt: optionalText("attempt", "Only those with an attempt at this upstream."),
  tag: optionalText("tag", "Only those with this tag: prod, team=*."),
  client: optionalText("client", "Only those of this client: claude-cli, or OpenAI/Python *."),
  user: optionalText("user", "Only those for this end user."),
  service_tier: optionalText("service-tier", "Only those that this tier served."),
  price_gap: optionalText("price-gap", "Only those of which this had no price: 'service_tier=*', or '*'."),
  conversation: optionalText("conversation", "Only those of this conversation; with --account."),
  task: optionalText("task", "Only the one that made this task."),
  search: optionalText("search", "Only those with these words in a listed field."),
  status: Options.text("status").pipe(
    Options.withSchema(Status),
    Options.withDescription("Only these: 429, or a class of them, 4xx."),
    Options.optional
  ),
  error: optionalText("error", "Only those that ended with this: rate_limited, hang_up, …"),
  outcome: Options.choice("outcome", outcomes).pipe(
    Options.withDescription("Only those with this outcome; cut: failed after a 200, hang_up: the caller left."),
    Options.optional
  )
}

type Filters = { readonly [Name in Exclude<keyof typeof filters, "outcome">]: Option.Option<string> } & {
  readonly outcome: Option.Option<Outcome>
}

export const filterOf = (given: Filters): RequestFilter => ({
  account: Option.getOrUndefined(given.account),
  id: Option.getOrUndefined(given.id),
  key: Option.getOrUndefined(given.key),
  family: Option.getOrUndefined(given.family),
  model: Option.getOrUndefined(given.model),
  upstream: Option.getOrUndefined(given.upstream),
  attempt: Option.getOrUndefined(given.attempt),
  tag: Option.getOrUndefined(given.tag),
  client: Option.getOrUndefined(given.client),
  user: Option.getOrUndefined(given.user),
  service_tier: Option.getOrUndefined(given.service_tier),
  price_gap: Option.getOrUndefined(given.price_gap),
  conversation: Option.getOrUndefined(given.conversation),
  task: Option.getOrUndefined(given.task),
  search: Option.getOrUndefined(given.search),
  status: Option.getOrUndefined(Option.map(given.status, (text) => Number(text.replace("xx", "")))),
  error: Option.getOrUndefined(given.error),
  outcome: Option.getOrUndefined(given.outcome)
})

export const times = {
  since: moment("since", "Begun since: 7d, 24h, a UTC day or a time (24h).").pipe(Options.withDefault("24h")),
  until: moment("until", "Begun until then (now).").pipe(Options.optional)
}

/** A list's filter. */
export const requestFilter = (given: Filters, since: string, until: Option.Option<string>, nowMs: number) => {
  const untilMs = Option.getOrUndefined(Option.map(until, (text) => readTime(text, nowMs, true)))
  const filter = { ...filterOf(given), sinceMs: readTime(since, nowMs), untilMs }
  return Effect.as(whoseConversation(filter), filter)
}
