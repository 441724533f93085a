import { Layer } from "effect"
import { LoggingLive } from "../Parts.ts"
import { LogToOutput } from "../telemetry/OwnLines.ts"
import { StandardOutput } from "../telemetry/StandardOutput.ts"

/** Writes log lines to standard output, as the settings say. */
export const LogsLive = Layer.merge(LogToOutput, StandardOutput.Default).pipe(Layer.provideMerge(LoggingLive))
