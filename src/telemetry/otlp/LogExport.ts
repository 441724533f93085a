import { Context } from "effect"
import type { ExportQueue } from "./ExportQueue.ts"

/** The export of log lines; undefined if it is off. */
export class LogExport extends Context.Reference<LogExport>()("gateway/telemetry/otlp/LogExport", {
  defaultValue: (): Pick<ExportQueue<string>, "counts"> | undefined => undefined
}) {}
