import { Schema } from "effect"
import { said } from "../contract/fields.ts"

/** A gateway process among those that serve from one Postgres. */
export const NodeRecord = Schema.Struct({
  object: Schema.Literal("node"),
  id: said(
    Schema.String,
    "What tasks and callbacks name as their holder. A process that was taken for dead gets another."
  ),
  name: said(Schema.String, "Its machine's name and its process id."),
  version: said(Schema.String, "Of the gateway."),
  started_at: said(Schema.String, "When it came (ISO 8601, UTC, by the database's clock)."),
  lag_seconds: said(
    Schema.Number,
    "How long ago it was last heard of: 5 or less where all is well; others take over at 15."
  ),
  tasks: said(Schema.Int, "Tasks that it works on now."),
  deliveries: said(Schema.Int, "Callbacks that it sends now.")
}).annotations({ identifier: "NodeRecord" })
export type NodeRecord = typeof NodeRecord.Type
