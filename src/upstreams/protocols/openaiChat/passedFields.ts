import type { JsonObject } from "../../../contract/fields.ts"
import type { Provider } from "./Provider.ts"
import { fitToPlace } from "./fitToPlace.ts"
import { withEffort } from "./withoutReasoning.ts"

type Lost = (param: string) => void

/** A caller's own body with the names that the server has for its fields. */
export const passedFields = (body: JsonObject, provider: Provider, lost: Lost): JsonObject => {
  const named = withEffort(bounded(body, provider, lost), provider, lost)
  return provider.hasRules ? fitToPlace(named, provider, lost) : named
}

/** One bound of generated tokens, by the server's name. A bound that the server does not know would be none. */
const bounded = (body: JsonObject, { maxTokens, takesBothBounds }: Provider, lost: Lost): JsonObject => {
  const other = maxTokens === "max_tokens" ? "max_completion_tokens" : "max_tokens"
  const renamed = body[other] ?? undefined
  if (takesBothBounds || renamed === undefined) return body
  const { [other]: _, ...rest } = body
  const own = body[maxTokens] ?? undefined
  if (own === undefined) return { ...rest, [maxTokens]: renamed }
  if (own !== renamed) lost("max_tokens")
  // The newer name counts, as it does where the request is translated.
  return maxTokens === "max_tokens" ? { ...rest, max_tokens: renamed } : rest
}
