import { Context } from "effect"

/** Trace headers for a fiber's upstream calls; empty if it is not traced. */
export class TraceHeaders extends Context.Reference<TraceHeaders>()("gateway/telemetry/tracing/TraceHeaders", {
  defaultValue: (): Readonly<Record<string, string>> => ({})
}) {}
