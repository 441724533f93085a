import { Either } from "effect"
import type { GatewayFile } from "../../config/GatewayFile.ts"
import { claudeVersion } from "../../config/providers/claudeVersion.ts"
import { protocolFor, surfaceOf } from "../../config/providers/surfaces.ts"
import type { Route } from "../../routing/Route.ts"
import { namesOf } from "./names.ts"

/** A charge for a region, on top of what lists say. */
interface Uplift {
  readonly host: RegExp
  readonly isCharged: (model: string) => boolean
}

/** All are a tenth. Sources: LiteLLM's list 1.110.2 (`regional_…_uplift_multiplier`), docs.x.ai/developers/pricing. */
const uplifts: ReadonlyArray<Uplift> = [
  {
    host: /^(?:us|eu)\.api\.openai\.com$/,
    isCharged: (model) => /^gpt-(?:5\.(?:[4-9]|[1-9]\d)|[6-9]|realtime-2\.1)/.test(model)
  },
  { host: /^us\.api\.x\.ai$/, isCharged: (model) => model.startsWith("grok-") },
  // All but the global endpoint.
  {
    host: /(?:-aiplatform|\.rep)\.googleapis\.com$/,
    isCharged: (model) =>
      model.startsWith("claude-")
        ? claudeVersion(model) >= 4.5
        : /^gemini-(?:3\.1-flash-(?:image|lite)|3\.[5-9]|[4-9])/.test(model)
  }
]
const tenth = 1.1

/** The factor of listed prices at a route: its upstream's `price_factor`, otherwise the one of its host. */
export const priceFactorAt = ({ upstreams }: GatewayFile, route: Route & { readonly protocol?: string }): number => {
  const entry = upstreams?.[route.upstream]
  if (entry === undefined) return 1
  if (entry.price_factor !== undefined) return entry.price_factor
  const name = route.knownAs ?? route.model
  const surface = surfaceOf(entry, protocolFor(entry, name))
  const host = Either.isRight(surface) ? URL.parse(surface.right.base_url)?.hostname : undefined
  const names = [...namesOf(name)]
  const isCharged = uplifts.some((one) => host !== undefined && one.host.test(host) && names.some(one.isCharged))
  return isCharged ? tenth : 1
}
