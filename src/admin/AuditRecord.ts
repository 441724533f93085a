import { Schema } from "effect"
import { said } from "../contract/fields.ts"

/** A change by an operator, with the state before and after. */
export const AuditRecord = Schema.Struct({
  id: said(Schema.Int, "A counter."),
  time: said(Schema.String, "When (ISO 8601, UTC)."),
  actor: said(
    Schema.String,
    "The actor: `cli:<user of the machine>`, `admin-key`, a session of the console (`session_…`), `file:<host>:<path>` for a changed configuration file, or `upgrade` for findings of a new version."
  ),
  action: said(Schema.String, "The action: `key.create`, `account.credit`, …"),
  target: said(Schema.String, "The id of the changed record."),
  before: said(Schema.Unknown, "The value before, without secrets; null if there was none."),
  after: said(Schema.Unknown, "The state it changed to.")
}).annotations({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type
