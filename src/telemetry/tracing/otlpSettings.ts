import { samplers } from "./sampler.ts"
import type { Sampler } from "./sampler.ts"

/** Settings of the span export. */
export interface OtlpSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly isPacked: boolean
  /** Timeout of an export, in ms. */
  readonly timeoutMs: number
  readonly sampler: Sampler
  /** The process's resource attributes. */
  readonly resource: Readonly<Record<string, string>>
  /** The most waiting spans, spans per export, and ms between exports. */
  readonly queue: { readonly capacity: number; readonly batch: number; readonly delayMs: number }
}

/** Small, because encoding a span takes up to 0.1 ms and blocks requests. */
const usualBatch = 64

type Environment = Readonly<Record<string, string | undefined>>

/** Reads OpenTelemetry's standard variables; `settings` is undefined if export is off or misconfigured. */
export const otlpSettings = (
  env: Environment
): { readonly settings: OtlpSettings | undefined; readonly warnings: ReadonlyArray<string> } => {
  const warnings: Array<string> = []
  const off = { settings: undefined, warnings }
  const valueOf = (name: string): string | undefined => {
    const value = env[name]?.trim()
    return value === undefined || value === "" ? undefined : value
  }
  /** The variable for traces wins over the one for all signals. */
  const traces = (name: string) => valueOf(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? valueOf(`OTEL_EXPORTER_OTLP_${name}`)
  const number = (name: string, usual: number, least: number, most = Infinity): number => {
    const text = valueOf(name)
    if (text === undefined) return usual
    const value = Number(text)
    if (value >= least && value <= most) return value
    warnings.push(`${name}: expected a number${most < Infinity ? ` from ${least} to ${most}` : ""}; got "${text}"`)
    return usual
  }

  if (valueOf("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return off
  const url = urlOf(valueOf("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), valueOf("OTEL_EXPORTER_OTLP_ENDPOINT"))
  if (url === undefined) return off
  const exporter = valueOf("OTEL_TRACES_EXPORTER") ?? "otlp"
  if (exporter !== "otlp") {
    if (exporter !== "none") warnings.push(`OTEL_TRACES_EXPORTER: expected otlp or none; got "${exporter}"`)
    return off
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    warnings.push(`OTEL_EXPORTER_OTLP_ENDPOINT: expected an http(s) address; no spans are exported`)
    return off
  }
  const protocol = traces("PROTOCOL") ?? "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json; got "${protocol}": no spans are exported`
    )
    return off
  }
  const sampler = valueOf("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on"
  const isKnown = isSampler(sampler)
  if (!isKnown) {
    warnings.push(`OTEL_TRACES_SAMPLER: expected one of ${Object.keys(samplers).join(", ")}; got "${sampler}"`)
  }
  const attributes = pairs(valueOf("OTEL_RESOURCE_ATTRIBUTES"))
  const serviceName = valueOf("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? "model-gateway"
  const capacity = Math.floor(number("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, 1))
  const settings: OtlpSettings = {
    url,
    headers: {
      ...pairs(valueOf("OTEL_EXPORTER_OTLP_HEADERS")),
      ...pairs(valueOf("OTEL_EXPORTER_OTLP_TRACES_HEADERS"))
    },
    protocol,
    isPacked: traces("COMPRESSION") === "gzip",
    timeoutMs: number(
      valueOf("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT") === undefined
        ? "OTEL_EXPORTER_OTLP_TIMEOUT"
        : "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
      10_000,
      1
    ),
    sampler: samplers[isKnown ? sampler : "parentbased_always_on"](number("OTEL_TRACES_SAMPLER_ARG", 1, 0, 1)),
    resource: { ...attributes, "service.name": serviceName },
    queue: {
      capacity,
      batch: Math.min(capacity, Math.floor(number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", usualBatch, 1))),
      delayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5_000, 0)
    }
  }
  return { settings, warnings }
}

/** The traces variable is the whole URL; the signal's path is appended to the general one. */
const urlOf = (whole: string | undefined, base: string | undefined): string | undefined =>
  whole ?? (base === undefined ? undefined : `${base.endsWith("/") ? base : `${base}/`}v1/traces`)

const isSampler = (name: string): name is keyof typeof samplers => Object.hasOwn(samplers, name)

/** `name=value,name=value`, percent-encoded. */
const pairs = (text = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      const name = pair.slice(0, at).trim()
      return at <= 0 || name === "" ? [] : [[name, decoded(pair.slice(at + 1).trim())]]
    })
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
