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
