import type { JournalOwner } from "../contract/JournalOwner.ts"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Charge, Chargeable } from "../ledger/Charge.ts"
import type { PassthroughRequest, TextUpstream } from "../upstreams/Upstream.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Route } from "../routing/Route.ts"
import type { Several } from "./several.ts"
import type { Unsupported } from "./unsupported.ts"
import type { RequestTools } from "../tools/RequestTools.ts"
import type { CalledFamily } from "../contract/kinds.ts"

/** The request in its family's own dialect, for upstreams that speak it. */
export interface Passthrough {
  readonly family: CalledFamily
  /** Called only for an upstream that gets the request. */
  readonly request: (upstream: TextUpstream) => PassthroughRequest
}

/** The charge of a task, held when it was accepted, and the routes that were priced then. */
export interface Prepaid {
  readonly charge: (request: Chargeable) => Charge
  /** Each with its price at that time (`Price.text`); undefined if they were not stored. */
  readonly routes: ReadonlyArray<Route & { readonly price: string; readonly isUnsearched?: true }> | undefined
  /** For a task whose request names servers: its runs share a journal of their calls. */
  readonly journal?: JournalOwner | undefined
}

export interface GenerationOptions {
  /** True if the client reads a stream. */
  readonly stream: boolean
  /** True if upstreams are asked for a whole answer all the same. */
  readonly asksWhole?: boolean | undefined
  /** The required kind of model. Defaults to text. */
  readonly kind?: Model["kind"] | undefined
  /** Present if the request may pass through to an upstream of the same dialect. */
  readonly passthrough?: Passthrough | undefined
  /** The charge if the money was held before. It replaces the ledger's. */
  readonly prepaid?: Prepaid | undefined
  /** The reason that only an upstream of the request's own dialect can serve it. Called if the model has others. */
  readonly objection?: (() => InvalidRequest | undefined) | undefined
  /** True if it has tools, beside those of the conversation, with which the upstream may reach the web. */
  readonly mayReachWeb?: boolean | undefined
  /** True if it names MCP servers, which only an upstream that it passes through to can call. */
  readonly hasServers?: boolean | undefined
  /** The parts of the request that the conversation lacks. Called for upstreams of another dialect. */
  readonly unsupported?: (() => ReadonlyArray<Unsupported>) | undefined
  /** True if the answer is stored. Defaults to false. */
  readonly isStored?: boolean | undefined
  /** Tools that the gateway runs. Their functions are among the conversation's. */
  readonly serverTools?: RequestTools | undefined
  /** Several answers: an upstream of the same dialect makes them all, another one is called once for each. */
  readonly several?: Several | undefined
}
