import type { GatewayFile } from "../../config/GatewayFile.ts"

/** Hosts of providers that the public list does not know. Each is the end of a host. */
const byHost: ReadonlyArray<readonly [suffix: string, provider: string]> = [
  ["volces.com", "volcengine"],
  ["bytepluses.com", "byteplus"],
  ["aliyuncs.com", "dashscope"],
  ["minimax.io", "minimax"],
  ["minimaxi.com", "minimax"],
  ["amazonaws.com", "aws"]
]

/** Settings of `provider` whose name in the public list is another. */
const renamed: Readonly<Record<string, string>> = {
  moonshot: "moonshotai",
  xai: "x-ai",
  gemini: "google",
  qwen: "dashscope",
  zhipu: "zai"
}

/** A provider as the lists call it: `id` of those named here, otherwise `baseUrl` finds it. */
export interface PriceProvider {
  readonly id: string | undefined
  readonly baseUrl: string
}

/** The provider whose prices apply at an upstream; undefined for built-in upstreams. */
export const priceProviderOf = (file: GatewayFile, upstream: string): PriceProvider | undefined => {
  const entry = file.upstreams?.[upstream]
  if (entry === undefined) return undefined
  const { base_url: baseUrl, provider } = entry
  const host = URL.parse(baseUrl)?.hostname ?? ""
  const known = byHost.find(([suffix]) => host === suffix || host.endsWith(`.${suffix}`))?.[1]
  return { id: known ?? (provider === undefined ? undefined : (renamed[provider] ?? provider)), baseUrl }
}
