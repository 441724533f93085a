import { proxyIn } from "../config/proxies.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { brave } from "./brave.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import { searxng } from "./searxng.ts"
import { tavily } from "./tavily.ts"

/** The provider of the file's `search`; undefined if there is none. The schema has checked keys and addresses. */
export const searchProvider = (search: GatewayFile["search"]): SearchProvider | undefined => {
  if (search === undefined) return undefined
  const { api_key: apiKey, base_url: baseUrl, provider } = search
  const proxy = proxyIn(search.proxy)
  if (provider === "searxng") return baseUrl === undefined ? undefined : searxng({ apiKey, baseUrl, proxy })
  if (apiKey === undefined) return undefined
  return provider === "brave" ? brave({ apiKey, baseUrl, proxy }) : tavily({ apiKey, baseUrl, proxy })
}
