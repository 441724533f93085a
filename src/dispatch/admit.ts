import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { ModelForbidden } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Route } from "../routing/Route.ts"
import { fitContext } from "../tokens/truncate.ts"
import { passthroughEndpointOf } from "../upstreams/Upstream.ts"
import type { PassthroughEndpoint } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { Catalogue, priceAt } from "../catalogue/Catalogue.ts"
import type { ListedRoute, Model, PricedRoute } from "../catalogue/Catalogue.ts"
import { unknownModel, wrongKind } from "../catalogue/notServed.ts"
import { tooMuchOutput } from "../catalogue/outputLimits.ts"
import { forbidden } from "../contract/permission.ts"
import { isConfined, withinAccount } from "./searchDomains.ts"

type Family = PassthroughEndpoint["family"]

/** What is asked of a request before anybody else is. */
export interface AdmissionRequest {
  /** The dialect it came in, where an upstream that speaks it may have it as it is. */
  readonly family: Family | undefined
  /**
   * Why an upstream of another dialect can't have it: the first thing that the gateway does not understand or allow. Only
   * asked where there is such an upstream.
   */
  readonly objection: (() => InvalidRequest | undefined) | undefined
  /** Whether it has tools, beside those of the conversation, with which its upstream may reach the web. */
  readonly mayReachWeb?: boolean | undefined
  /** What the model must be; text unless said otherwise. */
  readonly kind?: Model["kind"] | undefined
}

/** An `AdmissionRequest` of a request that is quoted. */
export interface QuoteRequest extends AdmissionRequest {
  /** How many answers it wants; one unless said otherwise. */
  readonly answers?: number | undefined
}

export interface Admitted {
  readonly model: Model
  /** The conversation as it may be had from the model. */
  readonly fitting: Conversation
  /** Those of the model's routes that can carry it. */
  readonly routes: readonly [AdmittedRoute, ...ReadonlyArray<AdmittedRoute>]
}

interface HasEndpoint {
  /** Passes the request through as it came; undefined where it is translated. */
  readonly endpoint: PassthroughEndpoint | undefined
}

/** A route with its price and the way in which it gets the request. */
export interface AdmittedRoute extends PricedRoute, HasEndpoint {}

/** A route that could carry the request, before its price is known. */
interface PossibleRoute extends ListedRoute, HasEndpoint {}

const isPassed = ({ endpoint }: HasEndpoint): boolean => endpoint !== undefined

/**
 * Admits a request to those of its model's routes that can carry it, and says which of these pass it through. The gateway
 * checks what it has to understand; an upstream of the request's own dialect judges for itself.
 */
export const makeAdmit = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const upstreams = yield* TextUpstreams

  const lookUp = (id: string, kind: Model["kind"]): Model | InvalidRequest => {
    const model = catalogue.get(id)
    if (model === undefined) return unknownModel(id)
    return model.kind === kind ? model : wrongKind(model, kind)
  }

  const find = (id: string, kind: Model["kind"]): Effect.Effect<Model, InvalidRequest> => {
    const model = lookUp(id, kind)
    return model instanceof InvalidRequest ? Effect.fail(model) : Effect.succeed(model)
  }

  const endpointOf = ({ upstream }: Route, family: Family | undefined) =>
    passthroughEndpointOf(upstreams.get(upstream), family)

  const speaks = (route: Route, family: Family): boolean => endpointOf(route, family) !== undefined

  const isSearchedFor = ({ endpoint, upstream }: PossibleRoute): boolean =>
    endpoint !== undefined && upstreams.get(upstream)?.isSearchedFor === true

  const routesFor = (
    { routes }: Model,
    family: Family | undefined,
    objection: () => InvalidRequest | undefined
  ): ReadonlyArray<PossibleRoute> | InvalidRequest => {
    const all = routes.map((route) => ({ ...route, endpoint: endpointOf(route, family) }))
    if (all.every(isPassed)) return all
    const objected = objection()
    if (objected === undefined) return all
    const open = all.filter(isPassed)
    return open.length === 0 ? objected : open
  }

  /** The gateway makes the searches of a request that it understands, where the upstream can't: such a route translates. */
  const searching = (
    routes: ReadonlyArray<PossibleRoute>,
    { tools }: Conversation,
    objection: AdmissionRequest["objection"]
  ): ReadonlyArray<PossibleRoute> => {
    const isSearched = tools.some(({ type }) => type === "search") && objection?.() === undefined
    return isSearched
      ? routes.map((route) => (isSearchedFor(route) ? { ...route, endpoint: undefined } : route))
      : routes
  }

  const admit = (
    caller: Caller,
    conversation: Conversation,
    asked: AdmissionRequest
  ): Admitted | InvalidRequest | ModelForbidden => {
    const model = lookUp(conversation.model, asked.kind ?? "text")
    if (model instanceof InvalidRequest) return model
    const objection = () => asked.objection?.() ?? tooMuchOutput(model, conversation)
    const possible = routesFor(model, asked.family, objection)
    if (possible instanceof InvalidRequest) return possible
    const refused = forbidden(caller, model.id)
    if (refused !== undefined) return refused
    const narrowed = withinAccount(caller, conversation)
    if (narrowed instanceof InvalidRequest) return narrowed
    // One that embeds takes one input at a time, whose length its family looks at.
    const context = model.kind === "embedding" ? undefined : model.contextTokens
    const shortened = fitContext(narrowed ?? conversation, context)
    if (shortened instanceof InvalidRequest) return shortened
    // A request that the gateway has changed is told in its own words: the caller's would say the old ones. So is one
    // whose tools could search where its account must not.
    const isLoose = asked.mayReachWeb === true && isConfined(caller)
    const unchanged = narrowed === undefined && shortened === undefined && !isLoose
    const routes = unchanged ? possible : routesFor(model, undefined, objection)
    if (routes instanceof InvalidRequest) return routes
    const fitting = shortened ?? narrowed ?? conversation
    // Tools take time to read: they are asked of where it matters.
    const ways = routes.some(isSearchedFor) ? searching(routes, fitting, asked.objection) : routes
    const [first, ...others] = ways.map((route) => ({ ...route, price: priceAt(model, route) }))
    return first === undefined ? unknownModel(model.id) : { model, fitting, routes: [first, ...others] }
  }

  /** Whether an upstream of that dialect may have a request for the model as it is. */
  const passes = (id: string, family: Family): boolean => {
    const model = catalogue.get(id)
    return model !== undefined && model.routes.some((route) => speaks(route, family))
  }

  /** Whether an upstream of another dialect may get it. */
  const translates = (id: string, family: Family): boolean => {
    const model = catalogue.get(id)
    return model !== undefined && !model.routes.every((route) => speaks(route, family))
  }

  return { admit, find, passes, translates }
})
