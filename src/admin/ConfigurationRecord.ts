import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { isoTime } from "./fields.ts"
import type { ConfigurationRow } from "./store/Configurations.ts"

/** A version of the configuration that is kept in the database. */
export const ConfigurationRecord = Schema.Struct({
  object: Schema.Literal("configuration"),
  version: said(Schema.Int, "Counts up; the newest is in effect where the database has the configuration."),
  applied_at: said(Schema.String, "When (ISO 8601, UTC)."),
  applied_by: said(Schema.String, "Who, as the audit log has it."),
  note: said(Schema.NullOr(Schema.String), "Why, where anybody said.")
}).annotations({ identifier: "Configuration" })
export type ConfigurationRecord = typeof ConfigurationRecord.Type

/** The same with what was applied. */
export const ConfigurationDocument = Schema.Struct({
  ...ConfigurationRecord.fields,
  document: said(Schema.String, "As it was written: YAML, without a secret.")
}).annotations({ identifier: "ConfigurationDocument" })
export type ConfigurationDocument = typeof ConfigurationDocument.Type

export const configurationRecord = (row: ConfigurationRow): ConfigurationRecord => ({
  object: "configuration",
  version: row.version,
  applied_at: isoTime(row.applied_at),
  applied_by: row.applied_by,
  note: row.note
})
