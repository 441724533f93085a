import { Context } from "effect"
import type { Limits, Unpriced } from "../contract/Caller.ts"
import { unpriced } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"

/** The source of a model's price. */
export interface PricedBy {
  readonly from: "gateway.yaml" | "prices_file" | "built-in list" | "sandbox" | "nowhere"
  /** The model's name in that source. */
  readonly name: string
}

/** A route with its price in the lists. */
export interface ListedRoute extends Route {
  /** Absent if it has no price. */
  readonly price?: Price
  /** The source of the price; absent if none was searched. */
  readonly pricedBy?: PricedBy
}

/** A route with the price that is charged if it answers. */
export interface PricedRoute extends Route {
  readonly price: Price
}

/** A model as callers know it, with its routes. */
export interface Model {
  /** The caller's name of it. */
  readonly id: string
  readonly kind: "text" | "video" | "embedding"
  /** Tried in order. */
  readonly routes: ReadonlyArray<ListedRoute>
  /** Context window in tokens; undefined if unknown. */
  readonly contextTokens: number | undefined
  /** The most output tokens of a request; undefined for the known limit of its id. */
  readonly maxOutputTokens?: number | undefined
  /** The most output tokens to hold for a request without a smaller bound. */
  readonly holdOutputTokens?: number | undefined
  readonly ownedBy: string
  /** The price in its entry, for routes without their own. */
  readonly price?: Price
  /** Set if it may be used without a price where balances count, unless the caller's key or account says otherwise. */
  readonly unpriced?: Unpriced
  /** Limits for all callers together. */
  readonly limits?: Limits
  /** Refuse parameters that an upstream does not support instead of dropping them. */
  readonly strict?: boolean
  /** True if the gateway keeps conversations with it (`thread` of a message request). Defaults to true. */
  readonly threads?: boolean
  /** A video model's resolutions; undefined for the family's own. */
  readonly resolutions?: ReadonlyArray<string> | undefined
}

/** A model's price on one of its routes; `unpriced` if there is none. */
export const priceAt = ({ price }: Pick<Model, "price">, route: ListedRoute): Price => route.price ?? price ?? unpriced

/** The resolutions of a video model whose entry names none. */
export const commonResolutions: ReadonlyArray<string> = ["480p", "720p", "1080p"]

/** Every model of this gateway by the caller's id. A reload changes the map, so read it each time. */
export class Catalogue extends Context.Tag("gateway/catalogue/Catalogue")<Catalogue, ReadonlyMap<string, Model>>() {}
