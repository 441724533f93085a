import { Context } from "effect"

/** What upstreams are told of the trace that a fiber works in: headers, none where nobody records it. */
export class TraceHeaders extends Context.Reference<TraceHeaders>()("gateway/telemetry/tracing/TraceHeaders", {
  defaultValue: (): Readonly<Record<string, string>> => ({})
}) {}
