import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { version } from "../../package.json"
import { fetchBy, proxyShown } from "../config/proxies.ts"
import { Settings } from "../config/Settings.ts"
import { otlpSettings } from "../telemetry/tracing/otlpSettings.ts"
import { tracingTo } from "../telemetry/tracing/Tracing.ts"

/** Exports spans as OpenTelemetry's environment variables say; without them, nothing. */
export const TracesLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { environment, proxyOf } = yield* Settings
    const { settings, warnings } = otlpSettings(environment)
    for (const line of warnings) yield* Effect.logWarning(line)
    if (settings === undefined) return Layer.empty
    const proxy = proxyOf(settings.url)
    const by = proxy === undefined ? "" : ` by the proxy ${proxyShown(proxy)}`
    yield* Effect.annotateLogs(Effect.logInfo(`traces go to ${new URL(settings.url).host}${by}`), {
      event: "traces.exported"
    })
    const resource = {
      "service.version": version,
      "service.instance.id": `${hostname()}:${process.pid}`,
      ...settings.resource
    }
    return tracingTo({ ...settings, resource, fetchOptions: fetchBy(proxy) })
  })
)
