import { Context } from "effect"
import type { Limits, Unpriced } from "../contract/Caller.ts"
import { unpriced } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"

/** Who says what a model costs. */
export interface PricedBy {
  readonly from: "gateway.yaml" | "prices_file" | "built-in list" | "sandbox" | "nowhere"
  /** The name that it stands under there. */
  readonly name: string
}

/** A place where a model runs, and what the lists say that it costs there. */
export interface ListedRoute extends Route {
  /** Absent where nobody has priced it. */
  readonly price?: Price
  /** Who says what it costs; absent where nobody has looked. */
  readonly pricedBy?: PricedBy
}

/** A place where a model runs, and what is charged where it answers. */
export interface PricedRoute extends Route {
  readonly price: Price
}

/** A model as callers know it, and where it runs. */
export interface Model {
  /** The caller's name for it. */
  readonly id: string
  readonly kind: "text" | "video" | "embedding"
  /** Tried in order. */
  readonly routes: ReadonlyArray<ListedRoute>
  /** Context window in tokens; undefined where unknown. */
  readonly contextTokens: number | undefined
  /** The most output tokens of a request; undefined for what is known of its id. */
  readonly maxOutputTokens?: number | undefined
  /** Output tokens that are set aside at most for a request which may write more. */
  readonly holdOutputTokens?: number | undefined
  readonly ownedBy: string
  /** What its entry says that it costs, on whichever route. */
  readonly price?: Price
  /** Whether it may be used without a price where money is counted, unless the caller's key or account says otherwise. */
  readonly unpriced?: Unpriced
  /** How much of it all callers together may use. */
  readonly limits?: Limits
  /** Refuse what an upstream can't carry instead of leaving it out. */
  readonly strict?: boolean
  /** Whether the gateway remembers conversations with it (`thread` of a message request); undefined is yes. */
  readonly threads?: boolean
  /** Of a video model: the resolutions it makes; undefined for the family's own. */
  readonly resolutions?: ReadonlyArray<string> | undefined
}

/** What a model costs where one of its routes answers; `unpriced` where nobody has priced it. */
export const priceAt = ({ price }: Pick<Model, "price">, route: ListedRoute): Price => price ?? route.price ?? unpriced

/** What a video model makes of which its entry says nothing. */
export const commonResolutions: ReadonlyArray<string> = ["480p", "720p", "1080p"]

/** Every model this gateway serves, by the caller's id. A reload replaces what is in it, so ask it each time. */
export class Catalogue extends Context.Tag("gateway/catalogue/Catalogue")<Catalogue, ReadonlyMap<string, Model>>() {}
