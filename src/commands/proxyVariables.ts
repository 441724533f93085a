import { proxyIn, proxyShown } from "../config/proxies.ts"
import type { GatewaySettings } from "../config/Settings.ts"

const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()])

/**
 * Sets this process's proxy variables to the bucket's proxy: Bun's S3 client takes no other setting. All other calls are
 * told their proxy, and Bun would apply `NO_PROXY` even to those that are told one.
 */
export const setProxyVariables = ({ files, proxyOf }: Pick<GatewaySettings, "files" | "proxyOf">): void => {
  for (const name of names) delete process.env[name]
  const proxy = files.kind === "bucket" ? proxyOf(files.endpoint) : undefined
  if (proxy === undefined) return
  process.env["HTTPS_PROXY"] = proxy
  process.env["HTTP_PROXY"] = proxy
}

type Proxied = Pick<GatewaySettings, "callerProxyOf" | "file" | "files" | "proxyOf">

/** Lines that say what goes by which proxy, beside upstreams and traces, which are logged with their addresses. */
export const proxyLines = ({ callerProxyOf, file, files, proxyOf }: Proxied): ReadonlyArray<string> => {
  const bySchemes = ["https", "http"].flatMap((scheme) => callerProxyOf(`${scheme}://caller.invalid`) ?? [])
  const parts: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["search goes", [proxyIn(file.value.search?.proxy) ?? []].flat()],
    ["the bucket goes", [(files.kind === "bucket" ? proxyOf(files.endpoint) : undefined) ?? []].flat()],
    ["callbacks and addresses that callers name go", [...new Set(bySchemes)]]
  ]
  return parts
    .filter(([, proxies]) => proxies.length > 0)
    .map(([subject, proxies]) => `${subject} by the proxy ${proxies.map(proxyShown).join(", ")}`)
}
