import type { InvalidRequest } from "../contract/Failure.ts"
import type { Charge, Chargeable } from "../ledger/Charge.ts"
import type { PassthroughEndpoint, PassthroughRequest, TextUpstream } from "../upstreams/Upstream.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Route } from "../routing/Route.ts"
import type { Several } from "./several.ts"
import type { Unsupported } from "./unsupported.ts"

/** The request in its family's own dialect, for upstreams that speak it. */
export interface Passthrough {
  readonly family: PassthroughEndpoint["family"]
  /** Only made where it is wanted. */
  readonly request: (upstream: TextUpstream) => PassthroughRequest
}

/** Money that was set aside when a request was accepted, and where it may be asked for that. */
export interface Prepaid {
  readonly charge: (request: Chargeable) => Charge
  /** Each with its price then (`Price.text`); undefined where nobody wrote them down. */
  readonly routes: ReadonlyArray<Route & { readonly price: string }> | undefined
}

export interface GenerationOptions {
  /** Whether the client reads a stream. */
  readonly stream: boolean
  /** What the model must be; text unless said otherwise. */
  readonly kind?: Model["kind"] | undefined
  /** Passed through to an upstream of the same dialect, whose generation is then `native`; undefined never is. */
  readonly passthrough?: Passthrough | undefined
  /** Pays in place of the ledger, where the money was set aside before. */
  readonly prepaid?: Prepaid | undefined
  /** Why only an upstream of the request's own dialect may have it; asked where the model has another. */
  readonly objection?: (() => InvalidRequest | undefined) | undefined
  /** Whether it has tools, beside those of the conversation, with which its upstream may reach the web. */
  readonly mayReachWeb?: boolean | undefined
  /** What the conversation does not say of the request; asked where it goes to an upstream of another dialect. */
  readonly unsupported?: (() => ReadonlyArray<Unsupported>) | undefined
  /** More than one answer: an upstream of the request's dialect makes them all, another is called once for each. */
  readonly several?: Several | undefined
}
