import { layerJson, layerProtobuf } from "@effect/opentelemetry/OtlpSerialization"
import { FetchHttpClient } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Daemons } from "../../flow/Daemons.ts"
import { StandardOutput } from "../StandardOutput.ts"
import { CurrentTracing, makeTracing } from "../tracing/Tracing.ts"
import { contentBytes } from "../tracing/OtlpSpan.ts"
import type { OtlpSpan } from "../tracing/OtlpSpan.ts"
import type { OtlpSettings } from "../tracing/otlpSettings.ts"
import { makeExportQueue } from "./ExportQueue.ts"
import { signals } from "./exportSettings.ts"
import type { ExportSettings } from "./exportSettings.ts"
import { LogExport } from "./LogExport.ts"
import { logRecord } from "./logRecord.ts"
import { keyValues } from "./values.ts"

/** The description of the process in each export. */
const about = ({ resource }: ExportSettings) => ({
  resource: { attributes: keyValues(resource), droppedAttributesCount: 0 },
  scope: { name: "model-gateway", version: resource["service.version"] }
})

/** @param options of `fetch`, such as a proxy */
const clientOf = ({ protocol }: ExportSettings, options: RequestInit) =>
  Layer.mergeAll(
    protocol === "http/json" ? layerJson : layerProtobuf,
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.RequestInit, { ...options, redirect: "manual" }),
    Daemons.Default
  )

/** Records sampled spans and exports them to the collector. */
export const tracesTo = (settings: OtlpSettings, options: RequestInit = {}): Layer.Layer<never> => {
  const { resource, scope } = about(settings)
  const exported = {
    name: "traces",
    noun: signals.traces.noun,
    bytesOf: contentBytes,
    request: (spans: ReadonlyArray<OtlpSpan>) => ({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })
  } as const
  return Layer.scoped(
    CurrentTracing,
    Effect.flatMap(makeExportQueue(exported, settings), (queue) => makeTracing(settings.sampler, queue))
  ).pipe(Layer.provide(clientOf(settings, options)))
}

/**
 * Exports the lines of the log from now on. They are what `gateway logs` shows, as JSON, so that nothing else can leave;
 * they become records once they are sent.
 */
export const logsTo = (
  settings: ExportSettings,
  options: RequestInit = {}
): Layer.Layer<never, never, StandardOutput> => {
  const { resource, scope } = about(settings)
  const exported = {
    name: "logs",
    noun: signals.logs.noun,
    bytesOf: (line: string) => line.length,
    request: (lines: ReadonlyArray<string>) => {
      const nowMs = Date.now()
      const logRecords = lines.map((line) => logRecord(line, nowMs))
      return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] }
    }
  } as const
  return Layer.scoped(
    LogExport,
    Effect.gen(function* () {
      const { tail } = yield* StandardOutput
      const queue = yield* makeExportQueue(exported, settings)
      yield* Effect.acquireRelease(
        Effect.sync(() => tail.follow((lines) => queue.add(lines.filter((line) => !isOwn(line))))),
        (leave) => Effect.sync(leave)
      )
      return queue
    })
  ).pipe(Layer.provide(clientOf(settings, options)))
}

/** True for the lines about this export, which would lead to further ones. Quotes within texts are escaped in a line. */
const isOwn = (line: string): boolean =>
  line.includes('"event":"logs.not_exported"') || line.includes('"daemon":"logs"')
