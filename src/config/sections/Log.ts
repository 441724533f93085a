import { Schema } from "effect"
import { optionalField } from "./fields.ts"
import { LogFormats, LogLevels } from "./values.ts"

/** `log`: logs on standard output. */
export const Log = Schema.Struct({
  level: optionalField(LogLevels, "The lowest level that is logged.", "`info`"),
  format: optionalField(
    LogFormats,
    "The format of [logs](operations.md#logs) on standard output.",
    "`text` on a terminal, otherwise `json`"
  )
})
