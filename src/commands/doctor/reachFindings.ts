import { connect } from "node:net"
import { Effect } from "effect"
import { proxyIn, proxyShown } from "../../config/proxies.ts"
import { searchAddresses } from "../../config/sections/Search.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import { isSet } from "../../config/secretVariable.ts"
import { otlpSettings } from "../../telemetry/tracing/otlpSettings.ts"
import { fetchBy } from "../../upstreams/auth/fetchBy.ts"
import { ok, problem, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"
import { within } from "./within.ts"

type Findings = Effect.Effect<ReadonlyArray<Finding>>

/** Services that get more than a question in their use: they are asked for an answer alone. */
export const reachChecks = (settings: GatewaySettings): ReadonlyArray<Findings> => {
  const { callerProxyOf, file } = settings
  const { alerts, search } = file.value
  const searched =
    search?.base_url ?? (search && search.provider !== "searxng" ? searchAddresses[search.provider] : undefined)
  return [
    ...(alerts === undefined ? [] : [answers("alerts", alerts.url, callerProxyOf(alerts.url), "alerts.url")]),
    ...(searched === undefined ? [] : [answers("search", searched, proxyIn(search?.proxy), "search.base_url")]),
    ...collectorChecks(settings),
    ...proxyChecks(settings)
  ]
}

const askAt = (url: string, proxy: string | undefined, init: RequestInit = {}) =>
  Effect.tryPromise({
    try: () => fetchBy(proxy, 10_000)(url, init),
    catch: (cause) => ({ message: cause instanceof Error ? cause.message : "no answer" })
  })

/** Any answer will do. */
const answers = (check: string, url: string, proxy: string | undefined, setting: string): Findings =>
  within(
    check,
    `Check ${setting}, and the network and proxy between.`,
    Effect.map(askAt(url, proxy), () => [ok(check, `${new URL(url).host} answers`)])
  )

/** Sends the collector of traces no spans. */
const collectorChecks = ({ environment, proxyOf }: GatewaySettings): ReadonlyArray<Findings> => {
  const check = "traces"
  const { settings, warnings } = otlpSettings(environment)
  const wrong = warnings.map((line) => Effect.succeed([warning(check, line, `Change ${line.split(":")[0]}.`)]))
  if (settings === undefined) return wrong
  const { headers, protocol, url } = settings
  const { host } = new URL(url)
  const named = (name: string) =>
    isSet(environment, `OTEL_EXPORTER_OTLP_TRACES_${name}`)
      ? `OTEL_EXPORTER_OTLP_TRACES_${name}`
      : `OTEL_EXPORTER_OTLP_${name}`
  const isJson = protocol === "http/json"
  const request = {
    method: "POST",
    headers: { ...headers, "content-type": isJson ? "application/json" : "application/x-protobuf" },
    body: isJson ? `{"resourceSpans":[]}` : ""
  }
  return [
    ...wrong,
    within(
      check,
      `Check ${named("ENDPOINT")}, and that the collector runs.`,
      Effect.map(askAt(url, proxyOf(url), request), ({ status }) => [
        status < 300
          ? ok(check, `the collector at ${host} takes spans`)
          : problem(
              check,
              `the collector at ${host} answers with status ${status}`,
              `Check ${named(status === 401 || status === 403 ? "HEADERS" : "ENDPOINT")}.`
            )
      ])
    )
  ]
}

/** A check for each proxy: calls by one that takes no connections fail with it. */
const proxyChecks = ({ environment, file, proxyOf }: GatewaySettings): ReadonlyArray<Findings> => {
  const { guardrails = {}, mcp, proxy, search, upstreams = {} } = file.value
  const general = (scheme: string) =>
    [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase()].find(
      (name) => proxy === undefined && isSet(environment, name)
    ) ?? "proxy"
  const own = [
    ...Object.entries(upstreams).map(([name, entry]) => [`upstreams.${name}.proxy`, entry.proxy] as const),
    ...Object.entries(guardrails).map(([name, entry]) => [`guardrails.${name}.proxy`, entry.proxy] as const),
    ...Object.entries(mcp?.servers ?? {}).map(([name, entry]) => [`mcp.servers.${name}.proxy`, entry.proxy] as const),
    ["search.proxy", search?.proxy] as const
  ]
  // The first one that names it is the setting.
  const settings = new Map<string, string>()
  for (const [setting, url] of [
    ...["https", "http"].map((scheme) => [general(scheme), proxyOf(`${scheme}://any.invalid`)] as const),
    ...own.map(([setting, value]) => [setting, proxyIn(value)] as const)
  ]) {
    if (url !== undefined && !settings.has(url)) settings.set(url, setting)
  }
  return [...settings].map(([url, setting]) => {
    const check = `proxy ${proxyShown(url)}`
    return within(
      check,
      `Check ${setting}, or turn it off (\`proxy: off\`).`,
      Effect.as(connected(new URL(url)), [ok(check, "takes connections")])
    )
  })
}

const connected = ({ hostname, port, protocol }: URL): Effect.Effect<void, { readonly message: string }> =>
  Effect.async((resume) => {
    const host = hostname.replace(/^\[|\]$/g, "")
    const socket = connect(port === "" ? (protocol === "https:" ? 443 : 80) : Number(port), host)
    const end = (result: Effect.Effect<void, { readonly message: string }>) => {
      socket.destroy()
      resume(result)
    }
    socket.once("connect", () => end(Effect.void))
    socket.once("error", (error) =>
      end(Effect.fail({ message: `can't be reached (${"code" in error ? String(error.code) : "no answer"})` }))
    )
    return Effect.sync(() => socket.destroy())
  })
