import { firstMatch } from "../contract/text/firstMatch.ts"
import type { Route } from "../routing/Route.ts"
import type { ModelEntry } from "./Catalogue.ts"

/**
 * The most output tokens of a request, by families of models as their makers publish them. The first match counts; dated
 * and prefixed ids (`anthropic/claude-…`) match too.
 */
const rows: ReadonlyArray<readonly [RegExp, number]> = [
  [/claude-(v?[12]\b|instant)/, 4_096],
  [/claude-3-(opus|sonnet|haiku)/, 4_096],
  [/claude-3[-.]5/, 8_192],
  [/claude-3[-.]7/, 64_000],
  [/claude-opus-4([-.][01])?($|[-@:]\d{8}|-latest|@latest|-v\d)/, 32_000],
  [/claude-opus-4[-.]5/, 64_000],
  [/claude-(sonnet|haiku)-4/, 64_000],
  [/claude-/, 128_000],
  [/gpt-3\.5|gpt-4-(turbo|\d{4}-preview|vision)|gpt-4o-2024-05-13/, 4_096],
  [/gpt-4\.1/, 32_768],
  [/gpt-4\.5|gpt-4o|gpt-(5|[6-9])(\.\d+)?-chat|chatgpt/, 16_384],
  [/gpt-4/, 8_192],
  [/gpt-5(\.\d+)?-pro/, 272_000],
  [/gpt-[5-9]/, 128_000],
  [/(^|\/)o1-preview/, 32_768],
  [/(^|\/)o1-mini/, 65_536],
  [/(^|\/)o[134]|codex-mini/, 100_000]
]

const published = (model: string): number | undefined => firstMatch(rows, model)

/** The upstream that is the gateway's own: what its models are called says nothing of them. */
const sandbox = "sandbox"

/** The most output tokens that the model of a route writes; undefined if unknown. */
export const mostOutput = ({ aliasOf, id, maxOutputTokens }: ModelEntry, route: Route): number | undefined => {
  if (route.upstream === sandbox) return undefined
  const ofRoute = published(route.knownAs ?? route.model)
  if (maxOutputTokens === undefined) return ofRoute
  // The entry of a model knows better than the list, but not of another model behind the same name.
  return route.model === (aliasOf ?? id) ? maxOutputTokens : Math.min(maxOutputTokens, ofRoute ?? Infinity)
}

/** The same of requests with a bound. The sandbox has the specification's; its directives may make it write more. */
export const mostAsked = (entry: ModelEntry, route: Route): number | undefined =>
  route.upstream === sandbox ? (entry.maxOutputTokens ?? sandboxLimit) : mostOutput(entry, route)

const sandboxLimit = 32_000
