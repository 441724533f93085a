import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { Logging } from "../telemetry/Logging.ts"
import { LogToOutput } from "../telemetry/OwnLines.ts"
import { StandardOutput } from "../telemetry/StandardOutput.ts"

const LoggingLive = Layer.effect(
  Logging,
  Effect.map(Settings, ({ log }): Logging => ({
    format: log.format ?? (process.stdout.isTTY ? "text" : "json"),
    level: log.level
  }))
)

/** What a gateway tells goes to standard output, as the settings say. */
export const LogsLive = Layer.merge(LogToOutput, StandardOutput.Default).pipe(Layer.provideMerge(LoggingLive))
