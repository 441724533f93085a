import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { Count, Seconds, Span } from "./values.ts"

/** A new budget counts what was spent earlier in its window, of a month or 31 days at most, from rows of usage. */
const UsageDays = Schema.Number.pipe(Schema.greaterThanOrEqualTo(32))

/** `retention`: how long finished records are kept. */
export const Retention = Schema.Struct({
  responses_days: optionalField(Seconds, "Stored responses, chat completions, conversations and threads.", "`30`"),
  tasks_days: optionalField(Seconds, "Video tasks, async messages and events of background responses.", "`7`"),
  batches_days: optionalField(Seconds, "Ended [batches](api.md#batches) and their results.", "`29`"),
  files_hours: optionalField(Seconds, "Files that the gateway serves.", "`48`"),
  files_days: optionalField(
    Seconds,
    "The longest that an account's [files](api.md#files) are kept. For files that are stored from then on.",
    "until they are deleted"
  ),
  requests_days: optionalField(Seconds, "Rows of [requests](operations.md#requests).", "`30`"),
  bodies_days: optionalField(Seconds, "Recorded [bodies](operations.md#bodies).", "`7`"),
  usage_days: optionalField(
    UsageDays,
    "Rows of usage, one for each settled request; sums are kept ([what remains](operations.md#old-rows)). At least 32, and at least `requests_days`.",
    "kept for ever"
  ),
  audit_days: optionalField(Seconds, "Entries of the [audit log](administration.md#the-audit-log).", "kept for ever")
}).pipe(
  // Rows of requests have the costs of tasks from rows of usage.
  Schema.filter(({ requests_days = 30, usage_days = Infinity }) =>
    usage_days < requests_days ? { path: ["usage_days"], message: "expected at least requests_days" } : undefined
  )
)

/** `requests`: rows of requests. */
export const Requests = Schema.Struct({
  max_rows: optionalField(Count, "The most rows to keep; the oldest are deleted first.", "`20000000`")
})

/** `custody`: copies of finished videos that upstreams only link to. */
export const Custody = Schema.Struct({
  keep: requiredField(Span, "How long copies are kept (`30d`, `12h`, `90m`, `45s`).")
})
