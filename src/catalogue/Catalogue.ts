import { Context } from "effect"
import type { Limits, Unpriced } from "../contract/callers/Caller.ts"
import type { ModelFacts } from "../contract/records/ModelFacts.ts"
import type { Fallbacks } from "../contract/records/FallbackReason.ts"
import type { Price } from "../ledger/Price.ts"
import type { PricedBy } from "../ledger/PriceSource.ts"
import type { RouteBound } from "../routing/Bulkhead.ts"
import type { WeightedRoute } from "../routing/arrangeRoutes.ts"
import type { GenerateOptions } from "../upstreams/Upstream.ts"
import type { SomeVideoBounds } from "../upstreams/videos/VideoBounds.ts"
import type { ModelKind } from "../contract/kinds.ts"

type RouteDeadlines = NonNullable<GenerateOptions["deadlines"]>

/** A route of a model's entry. */
export interface EntryRoute extends WeightedRoute {
  /** Time limits of its calls, in place of its upstream's. */
  readonly deadlines?: RouteDeadlines
  /** Its own bound of concurrent calls, beside its upstream's. */
  readonly bound?: RouteBound
  /** Its own price, otherwise the one in the lists; absent if it has none. */
  readonly price?: Price
  /** The source of the price; absent if none was searched. */
  readonly pricedBy?: PricedBy
  /** The upstream's rule for models without a price, in place of the model's. */
  readonly unpriced?: Unpriced
  /** The known facts of its model; of a sandbox's model, its own. */
  readonly facts?: ModelFacts
  /** Those by which requests may be bounded: of exactly this model at this provider. */
  readonly bounding?: ModelFacts
  /** The configured bounds of its videos. */
  readonly video?: SomeVideoBounds
}

/** A route with the price that is charged if it answers. */
export interface PricedRoute extends WeightedRoute {
  /** `unpriced` if it has none. */
  readonly price: Price
  readonly pricedBy?: PricedBy
  /** The upstream's rule for models without a price, in place of the model's. */
  readonly unpriced?: Unpriced
  /** The known facts of its model. */
  readonly facts?: ModelFacts
  /** Set if a search that the gateway would run is left out, because it has no price. */
  readonly isUnsearched?: true
}

/** A route of a served model. */
export interface ServedRoute extends PricedRoute {
  /** The name of the part of its upstream that it calls (`partOf`). */
  readonly part: string
  readonly deadlines?: RouteDeadlines
  readonly bound?: RouteBound
  /** The most output tokens that its model writes for requests with a bound; undefined if unknown. */
  readonly outputLimit: number | undefined
  /** The same for requests without one. */
  readonly mostWritten: number | undefined
  /** Of a video model: the configured bounds, and those that its maker publishes. */
  readonly video?: SomeVideoBounds
}

/** The fields of a model that its entry gives. */
interface Described {
  /** The caller's name of it. */
  readonly id: string
  readonly kind: ModelKind
  /** Context window in tokens; undefined if unknown. */
  readonly contextTokens: number | undefined
  /** The most output tokens of a request; undefined for the known limit of its id. */
  readonly maxOutputTokens?: number | undefined
  /** The most output tokens to hold for a request without a smaller bound. */
  readonly holdOutputTokens?: number | undefined
  readonly ownedBy: string
  /** Facts that the configuration gives, beside its window and its longest output. */
  readonly told?: ModelFacts
  /** Set if it may be used without a price where balances count, unless the caller's key or account says otherwise. */
  readonly unpriced?: Unpriced
  /** The model that this one is another name of. Its limits count; a key that may use either may use this one. */
  readonly aliasOf?: string
  /** The wildcard that the id matched. Its limits count for all ids that match it. */
  readonly wildcard?: string
  /** The order of routes without a weight. `cheapest` is settled when the model is loaded. */
  readonly prefer?: "order" | "cheapest" | "fastest"
  /** The models that answer in its place, by reason. */
  readonly fallbacks?: Fallbacks
  /** Names of the guardrails of its requests. */
  readonly guardrails?: ReadonlyArray<string>
  /** A conversation stays for a while at the route that answered after another failed. */
  readonly sticky?: "conversation"
  /** The silence of a route, in ms, after which the second is asked too; absent for never. */
  readonly hedgeMs?: number
  /** Limits for all callers together. */
  readonly limits?: Limits
  /** Refuse parameters that an upstream does not support instead of dropping them. */
  readonly strict?: boolean
  /** True if the gateway keeps conversations with it (`thread` of a message request). Defaults to true. */
  readonly threads?: boolean
  /** A video model's resolutions, on routes without their own; undefined for those that its maker publishes. */
  readonly resolutions?: ReadonlyArray<string> | undefined
}

/** A model as the configuration or an embedding program describes it. */
export interface ModelEntry extends Described {
  /** Tried in order. */
  readonly routes: ReadonlyArray<EntryRoute>
  /** The price for routes without their own. */
  readonly price?: Price
}

/** A model as callers know it. Prices and limits are looked up when it is loaded, so that no request does it again. */
export interface Model extends Described {
  /** The known facts, of its entry and of its routes. */
  readonly facts: ModelFacts
  /** The longest input that lists know of its routes, in tokens; undefined if they don't know that of each. */
  readonly longestInput?: number | undefined
  /** Tried in order. */
  readonly routes: ReadonlyArray<ServedRoute>
}

/** The model or wildcard whose limits count for a model, with all its aliases and ids. */
export const limitedAs = ({ aliasOf, id, wildcard }: Pick<Model, "id" | "aliasOf" | "wildcard">): string =>
  wildcard ?? aliasOf ?? id

/** The served models. `get` finds those that only a wildcard matches, too. */
export interface ServedModels<M = Model> extends ReadonlyMap<string, M> {
  /** An entry for each wildcard, with the pattern as its id. */
  readonly wildcards?: ReadonlyArray<M>
  /** The wildcard that an id without an entry matches. */
  readonly patternOf?: (id: string) => string | undefined
}

/** The entries of the catalogue: models, and wildcards with their pattern as id. */
export const entriesOf = (models: ServedModels): ReadonlyArray<Model> => [
  ...models.values(),
  ...(models.wildcards ?? [])
]

/** Every model of this gateway by the caller's id. A reload changes the map, so read it each time. */
export class Catalogue extends Context.Tag("gateway/catalogue/Catalogue")<Catalogue, ServedModels>() {}
