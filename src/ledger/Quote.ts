import { Context } from "effect"
import type { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Consumption, Price } from "./Price.ts"

/** The quote of a request that is not sent. */
export interface RequestQuote {
  /** The model as the request names it. */
  readonly model: string
  /** Of the place that is asked first. */
  readonly price: Price
  /** Likely. */
  readonly estimated: Consumption
  /** Nothing the request can do uses more. */
  readonly most: Consumption
  /** The maximum cost on the dearest route, as it would be held. */
  readonly mostNanoUsd: number
  /** How `estimated` came about: the request settles it, the account's own use of the model, or a usual amount. */
  readonly basis: "exact" | "history" | "usual"
}

/** Decodes a create body as its family does and quotes it, or fails as the request would before it asks an upstream. */
export type Quoter = (caller: Caller, body: unknown) => Effect.Effect<RequestQuote, Failure>

/** The families' quoters by the path that takes their create bodies. */
export class Quoters extends Context.Tag("gateway/ledger/Quoters")<
  Quoters,
  {
    readonly "/v1/messages": Quoter
    readonly "/v1/responses": Quoter
    readonly "/v1/chat/completions": Quoter
    readonly "/v1/embeddings": Quoter
    readonly "/api/v3/contents/generations/tasks": Quoter
  }
>() {}
