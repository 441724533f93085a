import { Context, LogLevel } from "effect"

/** Log settings of the process. */
export interface Logging {
  /** `text`: for people; `json`: one JSON object a line. */
  readonly format: "text" | "json"
  /** The lowest level that is logged. */
  readonly level: "debug" | "info" | "warn" | "error"
}

/** By default text on a terminal, otherwise JSON, from `info` on. */
export const Logging = Context.Reference<Logging>()("gateway/telemetry/Logging", {
  defaultValue: (): Logging => ({ format: process.stdout.isTTY ? "text" : "json", level: "info" })
})

const levels = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warn: LogLevel.Warning,
  error: LogLevel.Error
} as const

export const leastLevel = ({ level }: Logging): LogLevel.LogLevel => levels[level]

/** A level's name in log lines; fatal counts as `error`. */
export const nameOf = (level: LogLevel.LogLevel): Logging["level"] => {
  if (LogLevel.greaterThanEqual(level, LogLevel.Error)) return "error"
  if (LogLevel.greaterThanEqual(level, LogLevel.Warning)) return "warn"
  return LogLevel.greaterThanEqual(level, LogLevel.Info) ? "info" : "debug"
}
