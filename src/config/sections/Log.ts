import { Schema } from "effect"
import { given } from "./given.ts"
import { LogFormats, LogLevels } from "./values.ts"

/** `log`: logs on standard output. */
export const Log = Schema.Struct({
  level: given(LogLevels, "The lowest level that is logged.", "`info`"),
  format: given(
    LogFormats,
    "The format of [logs](operations.md#logs) on standard output.",
    "`text` on a terminal, otherwise `json`"
  )
})
