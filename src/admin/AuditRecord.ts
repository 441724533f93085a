import { Schema } from "effect"
import { said } from "../contract/fields.ts"

/** One field that a change has changed. */
const AuditChange = Schema.Struct({
  field: said(Schema.String, "Its path: `limits.requests_per_minute`, `upstreams.house.base_url`."),
  before: said(Schema.Unknown, "The value before; null if there was none."),
  after: said(Schema.Unknown, "The value after; null if there is none.")
}).annotations({ identifier: "AuditChange" })
export type AuditChange = typeof AuditChange.Type

/** A change by an operator, with the state before and after. */
export const AuditRecord = Schema.Struct({
  id: said(Schema.Int, "A counter."),
  time: said(Schema.String, "When (ISO 8601, UTC)."),
  actor: said(
    Schema.String,
    "The actor: a person, the name of an admin key (`admin-key` is that of `GATEWAY_ADMIN_KEY`), `cli:<user of the machine>`, `file:<host>:<path>` for a changed configuration file, or `upgrade` for findings of a new version."
  ),
  via: said(Schema.String, "The way in: a session of the console (`session_…`), otherwise the same as `actor`."),
  action: said(Schema.String, "The action: `key.create`, `account.credit`, …"),
  target: said(Schema.String, "The id of the changed record."),
  target_name: said(Schema.NullOr(Schema.String), "The name of the key at that time; null for anything else."),
  account: said(Schema.NullOr(Schema.String), "The account that was changed, or whose key was; otherwise null."),
  changes: said(Schema.Array(AuditChange), "The fields that differ, at most 200; of a new record, those that are set."),
  before: said(Schema.Unknown, "The value before, without secrets; null if there was none."),
  after: said(Schema.Unknown, "The state it changed to.")
}).annotations({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type
