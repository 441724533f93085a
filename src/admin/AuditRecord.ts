import { Schema } from "effect"
import { said } from "../contract/fields.ts"

/** One change, as it was made. */
export const AuditRecord = Schema.Struct({
  id: said(Schema.Int, "Counts up."),
  time: said(Schema.String, "When (ISO 8601, UTC)."),
  actor: said(
    Schema.String,
    "Who: `cli:<user of the machine>`, `admin-key`, a session of the console (`session_…`), or `upgrade` for what a new version found."
  ),
  action: said(Schema.String, "What: `key.create`, `account.credit`, …"),
  target: said(Schema.String, "Of what: an id."),
  before: said(Schema.Unknown, "What it was, never with a secret; null where it was not there."),
  after: said(Schema.Unknown, "What it became.")
}).annotations({ identifier: "AuditRecord" })
export type AuditRecord = typeof AuditRecord.Type
