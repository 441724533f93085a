import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { isoTime } from "./fields.ts"
import type { ConfigurationRow } from "./store/Configurations.ts"

/** A version of the configuration in the database, without its document. */
export const ConfigurationRecord = Schema.Struct({
  object: Schema.Literal("configuration"),
  version: answerField(Schema.Int, "A counter; the newest version is in effect with `GATEWAY_CONFIG=postgres`."),
  applied_at: answerField(Schema.String, "When (ISO 8601, UTC)."),
  applied_by: answerField(Schema.String, "The actor, as in the audit log."),
  note: answerField(Schema.NullOr(Schema.String), "The reason, if one was given.")
}).annotations({ identifier: "Configuration" })
export type ConfigurationRecord = typeof ConfigurationRecord.Type

/** A version with its document. */
export const ConfigurationDocument = Schema.Struct({
  ...ConfigurationRecord.fields,
  document: answerField(Schema.String, "As written: YAML, without secrets.")
}).annotations({ identifier: "ConfigurationDocument" })
export type ConfigurationDocument = typeof ConfigurationDocument.Type

export const configurationRecord = (row: ConfigurationRow): ConfigurationRecord => ({
  object: "configuration",
  version: row.version,
  applied_at: isoTime(row.applied_at),
  applied_by: row.applied_by,
  note: row.note
})
