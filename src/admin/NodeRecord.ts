import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"

/** One of the gateway processes that serve from one Postgres. */
export const NodeRecord = Schema.Struct({
  object: Schema.Literal("node"),
  id: answerField(
    Schema.String,
    "The holder named by tasks and callbacks. A process that was declared dead gets a new one."
  ),
  name: answerField(Schema.String, "Its machine's name and its process id."),
  version: answerField(Schema.String, "The gateway's version."),
  started_at: answerField(Schema.String, "When it started (ISO 8601, UTC, by the database's clock)."),
  lag_seconds: answerField(
    Schema.Number,
    "Seconds since its last renewal: normally 5 or less. Others take over at 15."
  ),
  tasks: answerField(Schema.Int, "Tasks that it is running."),
  deliveries: answerField(Schema.Int, "Callbacks that it is sending.")
}).annotations({ identifier: "NodeRecord" })
export type NodeRecord = typeof NodeRecord.Type
