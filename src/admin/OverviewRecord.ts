import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { OverviewSums } from "../requests/OverviewSums.ts"

const count = (description: string) => answerField(Schema.Int, description)

/** A problem, and what to do about it. */
export const Attention = Schema.Struct({
  level: answerField(Schema.Literal("error", "warning"), "The severity."),
  what: answerField(
    Schema.Literal(
      "upstream",
      "delivery",
      "task",
      "key",
      "account",
      "daemon",
      "model",
      "prices",
      "limits",
      "tools",
      "configuration"
    ),
    "The topic."
  ),
  id: answerField(Schema.NullOr(Schema.String), "Its id; null if there are several."),
  message: answerField(Schema.String, "The problem, in a sentence."),
  action: answerField(Schema.String, "What to do about it, in a sentence; commands are in backticks."),
  since: answerField(Schema.NullOr(Schema.String), "Since when (ISO 8601, UTC); null if it is not known."),
  due_at: answerField(
    Schema.NullOr(Schema.String),
    "When a key expires, a model retires or, at the present pace, money is used up (ISO 8601, UTC); null for others."
  ),
  page: answerField(
    Schema.NullOr(Schema.String),
    "The page of the console that shows it, with its filter: `tasks?callback=stuck`; null if none does."
  )
}).annotations({ identifier: "Attention" })
export type Attention = typeof Attention.Type

/** Sums of a period, the current backlog, and problems that need attention. */
export const OverviewRecord = Schema.Struct({
  ...OverviewSums,
  queue: Schema.optional(
    Schema.Struct({
      tasks: count("Tasks that have not ended, up to 100000."),
      deliveries: count("Callbacks still to be delivered, up to 100000."),
      waiting: count("Calls that wait for an upstream's capacity, in this process.")
    })
  ).annotations({ description: "The current backlog; absent for a role of some accounts." }),
  attention: Schema.optional(Schema.Array(Attention)).annotations({
    description: "Problems that need attention, the worst first; absent for a role of some accounts."
  })
}).annotations({ identifier: "Overview" })
export type OverviewRecord = typeof OverviewRecord.Type
