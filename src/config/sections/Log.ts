import { Schema } from "effect"
import { given } from "./given.ts"
import { LogFormats, LogLevels } from "./values.ts"

/** `log`: what is told of what the process does. */
export const Log = Schema.Struct({
  level: given(LogLevels, "The least level of the lines that are written.", "`info`"),
  format: given(
    LogFormats,
    "Of every line of standard output ([logs](operations.md#logs)).",
    "`text` on a terminal, else `json`"
  )
})
