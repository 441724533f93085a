import { BlockList, isIP } from "node:net"
import { Either, Redacted } from "effect"
import { BadSettings } from "./document.ts"
import type { Located } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { surfaceOf } from "./providers/surfaces.ts"
import type { UpstreamEntry } from "./providers/surfaces.ts"
import { isProxyUrl, proxyUrls } from "./sections/Proxy.ts"
import type { ProxySetting } from "./sections/Proxy.ts"
import { searchAddresses } from "./sections/Search.ts"
import type { Environment } from "./secretVariable.ts"

/** The proxy for calls to an address; undefined for a direct call. */
export type ProxyOf = (url: string) => string | undefined

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as curl does; lower case wins. Loopback is always called directly.
 *
 * @param setting `proxy` of the file, which wins over both variables
 */
export const proxiesOf = (env: Environment, setting: ProxySetting | undefined): Either.Either<ProxyOf, BadSettings> => {
  const variable = (name: string) => [env[name.toLowerCase()], env[name]].find((value) => (value ?? "") !== "")
  const isExempt = exempting(variable("NO_PROXY") ?? "")
  if (setting !== undefined) return Either.right((url) => (isExempt(url) ? undefined : proxyIn(setting)))
  const proxies: Record<string, string> = {}
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) {
    const written = variable(name)
    if (written === undefined) continue
    const proxy = written.includes("://") ? written : `http://${written}`
    if (!isProxyUrl(proxy)) {
      return Either.left(
        new BadSettings({ message: `${name}: ${proxyUrls}; \`proxy: off\` in gateway.yaml uses none` })
      )
    }
    proxies[name] = proxy
  }
  return Either.right((url) =>
    isExempt(url) ? undefined : proxies[/^https:/i.test(url) ? "HTTPS_PROXY" : "HTTP_PROXY"]
  )
}

/** The address in a setting; undefined for `off`. */
export const proxyIn = (setting: ProxySetting | undefined): string | undefined =>
  setting === undefined || Redacted.value(setting) === "off" ? undefined : Redacted.value(setting)

/** Options of Bun's `fetch` for a proxy, or for a direct call whatever the environment says. */
export const fetchBy = (proxy: string | undefined): RequestInit & { readonly proxy: string | false } => ({
  proxy: proxy ?? false
})

/** A proxy's address without its credentials, for logs. */
export const proxyShown = (proxy: string): string => URL.parse(proxy)?.origin ?? "a proxy"

/** Fills in the proxy of each upstream, each server of tools and of the search, where they have none of their own. */
export const withProxies = (file: Located<GatewayFile>, proxyOf: ProxyOf): Located<GatewayFile> => {
  const { guardrails, mcp, search, upstreams } = file.value
  const fill = <A extends { readonly proxy?: ProxySetting | undefined }>(entry: A, url: string): A => {
    const proxy = entry.proxy === undefined ? proxyOf(url) : undefined
    return proxy === undefined ? entry : { ...entry, proxy: Redacted.make(proxy) }
  }
  return {
    ...file,
    value: {
      ...file.value,
      ...(upstreams !== undefined && {
        upstreams: Object.fromEntries(
          Object.entries(upstreams).map(([name, entry]) => [name, fill(entry, addressOf(entry))])
        )
      }),
      ...(guardrails !== undefined && {
        guardrails: Object.fromEntries(
          Object.entries(guardrails).map(([name, entry]) => [name, fill(entry, entry.url)])
        )
      }),
      ...(mcp?.servers !== undefined && {
        mcp: {
          servers: Object.fromEntries(
            Object.entries(mcp.servers).map(([name, entry]) => [name, fill(entry, entry.url)])
          )
        }
      }),
      ...(search !== undefined && {
        search: fill(search, search.base_url ?? (search.provider === "searxng" ? "" : searchAddresses[search.provider]))
      })
    }
  }
}

/** The address that decides; a wrong entry has none, and is refused later. */
const addressOf = (entry: UpstreamEntry): string =>
  Either.match(surfaceOf(entry), { onLeft: () => "", onRight: ({ base_url }) => base_url })

/** Hosts that `NO_PROXY` names, with those below them, ranges of addresses, and loopback. */
const exempting = (list: string): ((url: string) => boolean) => {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
  const ranges = new BlockList()
  ranges.addSubnet("127.0.0.0", 8)
  ranges.addAddress("::1", "ipv6")
  for (const [address = "", bits] of entries.map((entry) => entry.split("/"))) {
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    if (family === 0 || !/^\d{0,3}$/.test(bits ?? "") || Number(bits ?? 0) > most) continue
    ranges.addSubnet(address, bits === undefined ? most : Number(bits), family === 4 ? "ipv4" : "ipv6")
  }
  const names = entries.map((entry) => entry.replace(/^\*?\./, ""))
  const isNamed = (host: string, port: string) =>
    names.some(
      (name) => name === "*" || [host, `${host}:${port}`].some((one) => one === name || one.endsWith(`.${name}`))
    )
  return (url) => {
    const at = URL.parse(url)
    if (at === null) return false
    const host = at.hostname.replaceAll(/[[\]]/g, "").toLowerCase()
    const family = isIP(host)
    if (family !== 0 && ranges.check(host, family === 4 ? "ipv4" : "ipv6")) return true
    if (host === "localhost" || host.endsWith(".localhost")) return true
    return isNamed(host, at.port === "" ? (at.protocol === "https:" ? "443" : "80") : at.port)
  }
}
