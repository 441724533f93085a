/** The address and the bounds of a signal's export. */
export interface ExportSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: "http/protobuf" | "http/json"
  readonly isPacked: boolean
  /** Timeout of an export, in ms. */
  readonly timeoutMs: number
  /** The process's resource attributes. */
  readonly resource: Readonly<Record<string, string>>
  /** The most waiting records, records per export, and ms between exports. */
  readonly queue: { readonly capacity: number; readonly batch: number; readonly delayMs: number }
  /** The operator chose this signal. Otherwise a collector that does not know it is left alone. */
  readonly isChosen: boolean
}

interface Signal {
  /** As in the names of its variables. */
  readonly name: "TRACES" | "LOGS"
  readonly path: string
  /** The records in words. */
  readonly noun: string
  /** The first part of the names of the variables of its queue. */
  readonly queue: string
  /** Records per export: few, because encoding them blocks requests. */
  readonly batch: number
  readonly delayMs: number
}

export const signals = {
  traces: { name: "TRACES", path: "v1/traces", noun: "spans", queue: "OTEL_BSP", batch: 64, delayMs: 5_000 },
  logs: { name: "LOGS", path: "v1/logs", noun: "log lines", queue: "OTEL_BLRP", batch: 64, delayMs: 1_000 }
} as const satisfies Readonly<Record<string, Signal>>

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads OpenTelemetry's standard variables, and notes those that can't be meant. */
export class Variables {
  readonly warnings: Array<string> = []
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  get(name: string): string | undefined {
    const value = this.#env[name]?.trim()
    return value === undefined || value === "" ? undefined : value
  }

  number(name: string, usual: number, least: number, most = Infinity): number {
    const text = this.get(name)
    if (text === undefined) return usual
    const value = Number(text)
    if (value >= least && value <= most) return value
    this.warnings.push(`${name}: expected a number${most < Infinity ? ` from ${least} to ${most}` : ""}; got "${text}"`)
    return usual
  }
}

/** The export of one signal; undefined if it is off or misconfigured. */
export const exportSettings = (variables: Variables, signal: Signal): ExportSettings | undefined => {
  const { name, noun } = signal
  const { warnings } = variables
  /** The signal's own variable wins over the one for all signals. */
  const own = (of: string) => [`OTEL_EXPORTER_OTLP_${name}_${of}`, `OTEL_EXPORTER_OTLP_${of}`] as const
  const chosen = (of: string) => {
    const [ofSignal, ofAll] = own(of)
    return variables.get(ofSignal) ?? variables.get(ofAll)
  }

  if (variables.get("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined
  const [urlName, baseName] = own("ENDPOINT")
  const whole = variables.get(urlName)
  const url = urlOf(signal.path, whole, variables.get(baseName))
  if (url === undefined) return undefined
  const exporter = variables.get(`OTEL_${name}_EXPORTER`)
  if (exporter !== undefined && exporter !== "otlp") {
    if (exporter !== "none") warnings.push(`OTEL_${name}_EXPORTER: expected otlp or none; got "${exporter}"`)
    return undefined
  }
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    const from = whole === undefined ? baseName : urlName
    warnings.push(`${from}: expected an http(s) address; no ${noun} are exported`)
    return undefined
  }
  const protocol = chosen("PROTOCOL") ?? "http/protobuf"
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    warnings.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json; got "${protocol}": no ${noun} are exported`
    )
    return undefined
  }
  const attributes = pairs(variables.get("OTEL_RESOURCE_ATTRIBUTES"))
  const serviceName = variables.get("OTEL_SERVICE_NAME") ?? attributes["service.name"] ?? "model-gateway"
  const capacity = Math.floor(variables.number(`${signal.queue}_MAX_QUEUE_SIZE`, 2_048, 1))
  const [headersName, allHeaders] = own("HEADERS")
  const [timeoutName, allTimeout] = own("TIMEOUT")
  return {
    url,
    headers: { ...pairs(variables.get(allHeaders)), ...pairs(variables.get(headersName)) },
    protocol,
    isPacked: chosen("COMPRESSION") === "gzip",
    timeoutMs: variables.number(variables.get(timeoutName) === undefined ? allTimeout : timeoutName, 10_000, 1),
    resource: { ...attributes, "service.name": serviceName },
    queue: {
      capacity,
      batch: Math.min(capacity, Math.floor(variables.number(`${signal.queue}_MAX_EXPORT_BATCH_SIZE`, signal.batch, 1))),
      delayMs: variables.number(`${signal.queue}_SCHEDULE_DELAY`, signal.delayMs, 0)
    },
    isChosen: exporter !== undefined || whole !== undefined
  }
}

/** The signal's own variable is the whole URL; its path is appended to the general one. */
const urlOf = (path: string, whole: string | undefined, base: string | undefined): string | undefined =>
  whole ?? (base === undefined ? undefined : `${base.endsWith("/") ? base : `${base}/`}${path}`)

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
