import { Schema } from "effect"
import { given, needed } from "./given.ts"
import { Count, Seconds, Span } from "./values.ts"

/** `retention`: how long things are kept that have ended. */
export const Retention = Schema.Struct({
  responses_days: given(Seconds, "Stored responses, and what threads go on from.", "`30`"),
  tasks_days: given(Seconds, "Video tasks, async messages, and events of background responses.", "`7`"),
  files_hours: given(Seconds, "Files behind the gateway's own links.", "`48`"),
  requests_days: given(Seconds, "What became of [requests](operations.md#requests).", "`30`"),
  bodies_days: given(Seconds, "[Bodies](operations.md#bodies) of accounts whose bodies are recorded.", "`7`")
})

/** `requests`: rows of what became of requests. */
export const Requests = Schema.Struct({
  max_rows: given(Count, "Rows that are kept at most; the oldest go first.", "`20000000`")
})

/** `custody`: copies of finished videos that upstreams only link to. */
export const Custody = Schema.Struct({
  keep: needed(Span, "How long copies are kept (`30d`, `12h`, `90m`, `45s`): [custody](#custody).")
})
