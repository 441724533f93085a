import { Context, LogLevel } from "effect"

/** How the process tells what it does. */
export interface Logging {
  /** `text`: words for people; `json`: a line of JSON each. */
  readonly format: "text" | "json"
  /** What is less than that is not told. */
  readonly level: "debug" | "info" | "warn" | "error"
}

/** Text on a terminal and JSON elsewhere, from `info` on, where nobody says otherwise. */
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

/** A level as lines have it: a fatal one is an error too. */
export const nameOf = (level: LogLevel.LogLevel): Logging["level"] => {
  if (LogLevel.greaterThanEqual(level, LogLevel.Error)) return "error"
  if (LogLevel.greaterThanEqual(level, LogLevel.Warning)) return "warn"
  return LogLevel.greaterThanEqual(level, LogLevel.Info) ? "info" : "debug"
}
