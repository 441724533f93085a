import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { version } from "../../package.json"
import { fetchBy, proxyShown } from "../config/proxies.ts"
import { Settings } from "../config/Settings.ts"
import { exportSettings, signals, Variables } from "../telemetry/otlp/exportSettings.ts"
import type { ExportSettings } from "../telemetry/otlp/exportSettings.ts"
import { otlpSettings } from "../telemetry/tracing/otlpSettings.ts"

/** Says where a signal goes. @returns its settings, with what is known of this process, and the options of its calls */
const begin = <A extends ExportSettings>(name: "traces" | "logs", settings: A) =>
  Effect.gen(function* () {
    const { proxyOf } = yield* Settings
    const proxy = proxyOf(settings.url)
    const by = proxy === undefined ? "" : ` by the proxy ${proxyShown(proxy)}`
    yield* Effect.annotateLogs(Effect.logInfo(`${name} go to ${new URL(settings.url).host}${by}`), {
      event: `${name}.exported`
    })
    const resource = {
      "service.version": version,
      "service.instance.id": `${hostname()}:${process.pid}`,
      ...settings.resource
    }
    return [{ ...settings, resource }, fetchBy(proxy)] as const
  })

/** Loaded only if something is exported. */
const loaded = Effect.promise(() => import("../telemetry/otlp/exportTo.ts"))

/** Exports spans as OpenTelemetry's environment variables say; without them, nothing. */
const TracesLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { environment } = yield* Settings
    const { settings, warnings } = otlpSettings(environment)
    for (const line of warnings) yield* Effect.logWarning(line)
    if (settings === undefined) return Layer.empty
    const { tracesTo } = yield* loaded
    return tracesTo(...(yield* begin("traces", settings)))
  })
)

/** Exports log lines in the same way. */
export const LogExportLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { environment } = yield* Settings
    const variables = new Variables(environment)
    const settings = exportSettings(variables, signals.logs)
    for (const line of variables.warnings) yield* Effect.logWarning(line)
    if (settings === undefined) return Layer.empty
    const { logsTo } = yield* loaded
    return logsTo(...(yield* begin("logs", settings)))
  })
)

/** Both; the last lines about spans leave too. */
export const TelemetryLive = Layer.provideMerge(TracesLive, LogExportLive)
