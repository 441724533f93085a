import { Either } from "effect"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { providerOfEntry, providerRow } from "../../config/providers/providers.ts"
import { surfaceOf } from "../../config/providers/surfaces.ts"

/** A provider as the lists call it: `id` of those named here, otherwise `baseUrl` finds it. */
export interface PriceProvider {
  readonly id: string | undefined
  readonly baseUrl: string
}

/** The provider whose prices apply at an upstream; undefined for built-in upstreams. */
export const priceProviderOf = (file: GatewayFile, upstream: string): PriceProvider | undefined => {
  const entry = file.upstreams?.[upstream]
  if (entry === undefined) return undefined
  const { provider } = entry
  const baseUrl = Either.getOrElse(
    Either.map(surfaceOf(entry), ({ base_url }) => base_url),
    () => ""
  )
  const known = providerOfEntry(baseUrl, provider)
  return { id: known === undefined ? undefined : (providerRow(known).prices ?? known), baseUrl }
}
