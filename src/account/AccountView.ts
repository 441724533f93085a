import { Schema } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Limits } from "../contract/callers/Caller.ts"
import { answerField } from "../contract/fields.ts"
import { BalanceRecord } from "./BalanceRecord.ts"

const count = (description: string) => answerField(Schema.NullOr(Schema.Int), description)

const OwnLimits = Schema.Struct({
  requests_per_minute: count("Requests a minute."),
  tokens_per_minute: count("Input and output tokens a minute."),
  concurrent_requests: count("Requests to models at once."),
  concurrent_tasks: count("Unfinished tasks at once.")
}).annotations({ identifier: "OwnLimits" })

/** The account holder's view of the account and the calling key. */
export const AccountView = Schema.Struct({
  ...BalanceRecord.fields,
  object: Schema.Literal("account"),
  limits: answerField(OwnLimits, "For all keys together; null for no limit."),
  key: answerField(
    Schema.Struct({
      id: answerField(Schema.String, "Its public id."),
      models: answerField(Schema.Array(Schema.String), "Patterns of the models that it may use."),
      limits: answerField(OwnLimits, "The key's own limits.")
    }),
    "The calling key."
  )
}).annotations({ identifier: "OwnAccount" })

/** @param balance the answer of `/v1/balance` */
export const accountView = (balance: typeof BalanceRecord.Type, caller: Caller): typeof AccountView.Type => ({
  ...balance,
  object: "account",
  limits: ownLimits(caller.accountLimits),
  key: { id: caller.key, models: caller.models, limits: ownLimits(caller.keyLimits) }
})

const ownLimits = (limits: Limits): typeof OwnLimits.Type => ({
  requests_per_minute: limits.requestsPerMinute ?? null,
  tokens_per_minute: limits.tokensPerMinute ?? null,
  concurrent_requests: limits.concurrentRequests ?? null,
  concurrent_tasks: limits.concurrentTasks ?? null
})
