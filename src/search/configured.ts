import type { GatewayFile } from "../config/GatewayFile.ts"
import { brave } from "./brave.ts"
import type { SearchProvider } from "./SearchProvider.ts"
import { searxng } from "./searxng.ts"
import { tavily } from "./tavily.ts"

/** The provider that the file's `search` names; undefined where it names none. The file's schema saw to keys and addresses. */
export const searchProvider = (search: GatewayFile["search"]): SearchProvider | undefined => {
  if (search === undefined) return undefined
  const { api_key: apiKey, base_url: baseUrl, provider } = search
  if (provider === "searxng") return baseUrl === undefined ? undefined : searxng({ apiKey, baseUrl })
  if (apiKey === undefined) return undefined
  return provider === "brave" ? brave({ apiKey, baseUrl }) : tavily({ apiKey, baseUrl })
}
