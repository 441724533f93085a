import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"

/** One field that a change has changed. */
const AuditChange = Schema.Struct({
  field: answerField(Schema.String, "Its path: `limits.requests_per_minute`, `upstreams.house.base_url`."),
  before: answerField(Schema.Unknown, "The value before; null if there was none."),
  after: answerField(Schema.Unknown, "The value after; null if there is none.")
}).annotations({ identifier: "AuditChange" })
export type AuditChange = typeof AuditChange.Type

/** A change by an operator, with the state before and after. */
export const AuditRecord = Schema.Struct({
  id: answerField(Schema.Int, "A counter."),
  time: answerField(Schema.String, "When (ISO 8601, UTC)."),
  actor: answerField(
    Schema.String,
    "The actor: a person, the name of an admin key (`admin-key` is that of `GATEWAY_ADMIN_KEY`), `cli:<user of the machine>`, `file:<host>:<path>` for a changed configuration file, `retention` for rows that were deleted by their age, `guardrail:<name>` for what one blocked, or `upgrade` for findings of a new version."
  ),
  via: answerField(Schema.String, "The way in: a session of the console (`session_…`), otherwise the same as `actor`."),
  action: answerField(Schema.String, "The action: `key.create`, `account.credit`, …"),
  target: answerField(Schema.String, "The id of the changed record."),
  target_name: answerField(Schema.NullOr(Schema.String), "The name of the key at that time; null for anything else."),
  account: answerField(Schema.NullOr(Schema.String), "The account that was changed, or whose key was; otherwise null."),
  changes: answerField(
    Schema.Array(AuditChange),
    "The fields that differ, at most 200; of a new record, those that are set."
  ),
  before: answerField(Schema.Unknown, "The value before, without secrets; null if there was none."),
  after: answerField(Schema.Unknown, "The state it changed to.")
}).annotations({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type
