import { Context } from "effect"
import type { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Consumption, Price } from "./Price.ts"
import type { PricedBy } from "./PriceSource.ts"

/** A route of a quoted request. */
export interface QuotedRoute {
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
  readonly price: Price
  readonly pricedBy?: PricedBy
}

/** The quote of a request that is not sent. */
export interface RequestQuote {
  /** The model as the request names it. */
  readonly model: string
  /** The routes that may answer, the one that is asked first first. */
  readonly routes: readonly [QuotedRoute, ...ReadonlyArray<QuotedRoute>]
  /** The likely usage. */
  readonly estimated: Consumption
  /** The maximum usage. */
  readonly most: Consumption
  /** The maximum cost on the most expensive route, which would be held. */
  readonly mostNanoUsd: number
  /** The source of `estimated`: the request determines it, the account's own use of the model, or a typical amount. */
  readonly basis: "exact" | "history" | "usual"
}

/** Decodes a create body as its family does and quotes it. Fails as the request would before it reaches an upstream. */
export type Quoter = (caller: Caller, body: unknown, headers: Headers) => Effect.Effect<RequestQuote, Failure>

/** The families' quoters, by the path of their create endpoint. */
export class Quoters extends Context.Tag("gateway/ledger/Quoters")<
  Quoters,
  {
    readonly "/v1/messages": Quoter
    readonly "/v1/responses": Quoter
    readonly "/v1/chat/completions": Quoter
    readonly "/v1/embeddings": Quoter
    readonly "/api/v3/contents/generations/tasks": Quoter
    readonly "/v1/videos": Quoter
  }
>() {}
