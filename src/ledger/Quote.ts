import { Context } from "effect"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Served } from "../contract/records/Served.ts"
import type { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Price } from "./Price.ts"
import type { PricedBy } from "./PriceSource.ts"
import type { QuotedPath } from "../contract/quotedPaths.ts"

/** A route of a quoted request. */
export interface QuotedRoute {
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
  readonly price: Price
  readonly pricedBy?: PricedBy
  /** The tier, speed and place of its rates; absent if its price is that of the request itself. */
  readonly assumes?: Served
}

/** The quote of a request that is not sent. */
export interface RequestQuote {
  /** The model as the request names it. */
  readonly model: string
  /** The routes that may answer, the one that is asked first first. */
  readonly routes: readonly [QuotedRoute, ...ReadonlyArray<QuotedRoute>]
  /** The likely usage. */
  readonly estimated: Usage
  /** The maximum usage. */
  readonly most: Usage
  /** The maximum cost on the most expensive route, which would be held. */
  readonly mostNanoUsd: number
  /** The tier that the price of the request itself is for, of a video. */
  readonly tier?: string
  /** The source of `estimated`: the request determines it, the account's own use of the model, or a typical amount. */
  readonly basis: "exact" | "history" | "usual"
}

/** Decodes a create body as its family does and quotes it. Fails as the request would before it reaches an upstream. */
export type Quoter = (caller: Caller, body: unknown, headers: Headers) => Effect.Effect<RequestQuote, Failure>

/** The families' quoters, by the path of their create endpoint. */
export class Quoters extends Context.Tag("gateway/ledger/Quoters")<Quoters, Readonly<Record<QuotedPath, Quoter>>>() {}
