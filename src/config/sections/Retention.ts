import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { Count, Seconds, Span } from "./values.ts"

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
  bodies_days: optionalField(Seconds, "Recorded [bodies](operations.md#bodies).", "`7`")
})

/** `requests`: rows of requests. */
export const Requests = Schema.Struct({
  max_rows: optionalField(Count, "The most rows to keep; the oldest are deleted first.", "`20000000`")
})

/** `custody`: copies of finished videos that upstreams only link to. */
export const Custody = Schema.Struct({
  keep: requiredField(Span, "How long copies are kept (`30d`, `12h`, `90m`, `45s`).")
})
