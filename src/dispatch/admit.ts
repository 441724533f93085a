import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Forbidden, ModelForbidden, UnknownModel } from "../contract/failures/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Demand } from "../generation/Demand.ts"
import { isSameRoute } from "../routing/Route.ts"
import { isForced } from "../search/withSearch.ts"
import { fitContext } from "../tokens/truncate.ts"
import type { Keyed } from "../upstreams/keys/KeyPool.ts"
import type { PassthroughEndpoint, TextUpstream } from "../upstreams/Upstream.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import type { Model, ServedRoute } from "../catalogue/Catalogue.ts"
import { unknownModel, wrongKind } from "../catalogue/notServed.ts"
import { arrangeRoutes, withKeys } from "../routing/arrangeRoutes.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import { chosenRoutes } from "./chosenRoutes.ts"
import { conversationKey } from "./conversationKey.ts"
import { isConfined, withinAccount } from "./searchDomains.ts"
import { isBeside, kinds } from "../contract/kinds.ts"
import type { CalledFamily } from "../contract/kinds.ts"

/** The parts of a request that admission needs, beside its conversation. */
export interface AdmissionRequest {
  /** The request's dialect, if it may pass through. */
  readonly family: CalledFamily | undefined
  /**
   * The reason that no upstream of another dialect can serve it: the first thing that the gateway does not understand
   * or allow. Called only if such an upstream exists.
   */
  readonly objection: (() => InvalidRequest | undefined) | undefined
  /** True if it has tools, beside those of the conversation, with which the upstream may reach the web. */
  readonly mayReachWeb?: boolean | undefined
  /** True if it names MCP servers, so that it passes through only where the upstream calls them. Defaults to false. */
  readonly hasServers?: boolean | undefined
  /** The request's headers, in which agents name their session and callers choose routes. */
  readonly headers?: Headers | undefined
  /** The required kind of model. Defaults to text. */
  readonly kind?: Model["kind"] | undefined
  /** The model to ask in place of the conversation's. */
  readonly instead?: Model | undefined
}

/** The same for a quote. */
export interface QuoteRequest extends AdmissionRequest {
  /** The number of answers. Defaults to one. */
  readonly answers?: number | undefined
}

/** The reasons not to admit a request. */
export type NotAdmitted = InvalidRequest | UnknownModel | ModelForbidden | Forbidden

export interface Admitted {
  readonly model: Model
  /** The conversation, changed to fit the model's context and the account's rules. */
  readonly fitting: Conversation
  /** The routes that can serve it; the first alone may, if `noFallback`. */
  readonly routes: readonly [AdmittedRoute, ...ReadonlyArray<AdmittedRoute>]
  /** The most output tokens that one of the routes may write; Infinity if unknown, or if the request passes through. */
  readonly mostOutput: number
  /** The most output tokens that the model of any of the routes writes; undefined if one is unknown. */
  readonly mostWritten?: number | undefined
  /** True if the request permits neither another route nor another model. */
  readonly noFallback: boolean
  /** The name of the conversation, if it stays at the route that answers it. */
  readonly stickyKey?: string
  /** Tells if a route bills what the conversation asks for beside its tokens. */
  readonly bills: (
    route: AdmittedRoute,
    demand: Demand,
    conversation: Conversation
  ) => "always" | "never" | "unless left out"
}

/** A route that can serve the request. */
export interface AdmittedRoute extends ServedRoute {
  /** The passthrough endpoint; undefined if this route translates. */
  readonly endpoint: PassthroughEndpoint | undefined
}

const endpointIn = (
  { beside, passthrough }: TextUpstream,
  family: CalledFamily,
  { knownAs, model }: ServedRoute
): PassthroughEndpoint | undefined => {
  if (passthrough?.family === family) return passthrough
  const endpoint = isBeside(family) ? beside?.[family] : undefined
  return endpoint?.serves?.(model, knownAs) === false ? undefined : endpoint
}

/** The routes that a request may go to: without a fallback the first alone, with each key of its upstream. */
export const triedRoutes = (
  routes: Admitted["routes"],
  { noFallback }: Pick<Admitted, "noFallback">
): Admitted["routes"] => {
  if (!noFallback) return routes
  const [first, ...others] = routes
  return [first, ...others.filter((other) => isSameRoute(other, first))]
}

/** The key that reasoned last: only its organisation accepts that reasoning back. */
const reasoningKey = (items: Conversation["items"]): string | undefined => {
  const last = items.findLast((item) => item.type === "reasoning" && item.origin?.key !== undefined)
  return last?.type === "reasoning" ? last.origin?.key : undefined
}

/** The names of a conversation. */
interface Names {
  readonly name: () => string
  /** Undefined if it does not stay at its route. */
  readonly stickyKey: string | undefined
}

/**
 * Admits a request to those of its model's routes that can serve it, and decides for each whether it passes through.
 * The gateway validates requests that it translates; upstreams validate passthrough requests.
 */
export const makeAdmit = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const upstreams = yield* TextUpstreams
  const { sticky, times } = yield* UpstreamCalls
  const clock = yield* Effect.clock

  const keysAt = ({ part }: ServedRoute) => upstreams.get(part)?.keys

  const withKey = (route: AdmittedRoute, { key, upstream }: Keyed<TextUpstream>): AdmittedRoute => ({
    ...route,
    key,
    endpoint: route.endpoint && endpointIn(upstream, route.endpoint.family, route)
  })

  const inOrder = (model: Model, routes: ReadonlyArray<AdmittedRoute>, conversation: Conversation, names: Names) => {
    const ordered = byRoute(model, routes, names)
    if (!ordered.some(keysAt)) return ordered
    return withKeys(ordered, keysAt, { name: names.name(), key: reasoningKey(conversation.items) }, withKey)
  }

  const byRoute = (model: Model, routes: ReadonlyArray<AdmittedRoute>, { name, stickyKey }: Names) => {
    if (routes.length === 1) return routes
    const ordered = model.prefer === "fastest" ? times.fastestFirst(routes, Date.now()) : arrangeRoutes(routes, name)
    return stickyKey === undefined ? ordered : sticky.keptFirst(ordered, stickyKey, clock.unsafeCurrentTimeMillis())
  }

  const lookUp = (id: string, kind: Model["kind"]): Model | InvalidRequest | UnknownModel => {
    const model = catalogue.get(id)
    if (model === undefined) return unknownModel(id)
    return model.kind === kind ? model : wrongKind(model, kind)
  }

  /** The model with the routes that the caller's key and the request leave. */
  const choose = (caller: Caller, id: string, kind: Model["kind"], headers: Headers) => {
    const model = lookUp(id, kind)
    const chosen = "routes" in model ? chosenRoutes(caller, model, headers) : model
    return "model" in chosen ? Effect.succeed(chosen) : Effect.fail(chosen)
  }

  const find = (id: string, kind: Model["kind"]): Effect.Effect<Model, InvalidRequest | UnknownModel> => {
    const model = lookUp(id, kind)
    return "routes" in model ? Effect.succeed(model) : Effect.fail(model)
  }

  const endpointOf = (
    route: ServedRoute,
    family: CalledFamily | undefined,
    hasServers = false
  ): PassthroughEndpoint | undefined => {
    const upstream = upstreams.get(route.part)
    const endpoint = upstream === undefined || family === undefined ? undefined : endpointIn(upstream, family, route)
    return hasServers && endpoint?.runsServers !== true ? undefined : endpoint
  }

  const speaks = (route: ServedRoute, family: CalledFamily, hasServers?: boolean): boolean =>
    endpointOf(route, family, hasServers) !== undefined

  /** True if a request with a search is translated, because the upstream does not search for one that passes through. */
  const isSearchedFor = ({ endpoint, part }: AdmittedRoute): boolean => {
    const upstream = endpoint === undefined ? undefined : upstreams.get(part)
    return upstream?.isSearchedFor === true && upstream.searchesInPassthrough !== true
  }

  const bills: Admitted["bills"] = (route, { carriedAs, of }, { toolChoice, tools }) => {
    if (route.endpoint !== undefined) return "always"
    const upstream = upstreams.get(route.part)
    if (of !== "web_search")
      return carriedAs !== undefined && upstream?.carries?.has(carriedAs) === true ? "always" : "never"
    const search = tools.find((tool) => tool.type === "search")
    if (search === undefined || toolChoice.type === "none") return "never"
    if (upstream?.searches === true) return "always"
    if (upstream?.isSearchedFor !== true) return "never"
    return isForced({ toolChoice, tools }, search) ? "always" : "unless left out"
  }

  const routesFor = (
    { routes }: Model,
    family: CalledFamily | undefined,
    { hasServers, objection }: AdmissionRequest
  ): ReadonlyArray<AdmittedRoute> | InvalidRequest => {
    let arePassed = true
    const all = routes.map((route): AdmittedRoute => {
      const endpoint = endpointOf(route, family, hasServers)
      arePassed &&= endpoint !== undefined
      return { ...route, endpoint }
    })
    if (arePassed) return all
    const objected = objection?.()
    if (objected === undefined) return all
    const open = all.filter(({ endpoint }) => endpoint !== undefined)
    return open.length === 0 ? objected : open
  }

  /**
   * If the gateway must run the search for a route, that route translates, provided the gateway understands the
   * request.
   */
  const searching = (
    routes: ReadonlyArray<AdmittedRoute>,
    { tools }: Conversation,
    objection: AdmissionRequest["objection"]
  ): ReadonlyArray<AdmittedRoute> => {
    const isSearched = tools.some(({ type }) => type === "search") && objection?.() === undefined
    return isSearched
      ? routes.map((route) => (isSearchedFor(route) ? { ...route, endpoint: undefined } : route))
      : routes
  }

  /** A route whose server refuses documents translates, and gets their text, provided the gateway understands the request. */
  const reading = (
    routes: ReadonlyArray<AdmittedRoute>,
    { holdsDocuments }: Conversation,
    objection: AdmissionRequest["objection"]
  ): ReadonlyArray<AdmittedRoute> =>
    holdsDocuments?.() === true && objection?.() === undefined
      ? routes.map((route) => (route.endpoint?.refusesDocuments === true ? { ...route, endpoint: undefined } : route))
      : routes

  const admit = (caller: Caller, conversation: Conversation, asked: AdmissionRequest): Admitted | NotAdmitted => {
    const known = asked.instead ?? lookUp(conversation.model, asked.kind ?? "text")
    if (!("routes" in known)) return known
    const chosen = chosenRoutes(caller, known, asked.headers, asked.instead !== undefined)
    if (!("model" in chosen)) return chosen
    const { model, noFallback } = chosen
    const possible = routesFor(model, asked.family, asked)
    if (possible instanceof InvalidRequest) return possible
    const narrowed = withinAccount(caller, conversation)
    if (narrowed instanceof InvalidRequest) return narrowed
    // The family checks the length of inputs that are read one by one.
    const context = kinds[model.kind].readsAtOnce ? model.contextTokens : undefined
    const shortened = fitContext(narrowed ?? conversation, context)
    if (shortened instanceof InvalidRequest) return shortened
    // A changed request is translated, because the caller's body has the old values. So is one with tools that could
    // search where the account must not.
    const isLoose = asked.mayReachWeb === true && isConfined(caller)
    const unchanged = narrowed === undefined && shortened === undefined && !isLoose
    const routes = unchanged ? possible : routesFor(model, undefined, asked)
    if (routes instanceof InvalidRequest) return routes
    const fitting = shortened ?? narrowed ?? conversation
    // Reading the tools takes time, so they are read only if needed.
    const searched = routes.some(isSearchedFor) ? searching(routes, fitting, asked.objection) : routes
    let isRefused = false
    for (const { endpoint } of searched) isRefused ||= endpoint?.refusesDocuments === true
    const ways = isRefused ? reading(searched, fitting, asked.objection) : searched
    const name = () => conversationKey(conversation, asked.headers)
    // Another account's conversation is another one.
    const stickyKey = model.sticky === undefined ? undefined : `${caller.account}\n${model.id}\n${name()}`
    const [first, ...others] = inOrder(model, ways, conversation, { name, stickyKey })
    if (first === undefined) return unknownModel(model.id)
    let mostOutput = 0
    let written = 0
    const isBounded = conversation.maxOutputTokens !== undefined
    for (const { endpoint, mostWritten = Infinity, outputLimit = Infinity } of ways) {
      const limit = isBounded ? outputLimit : mostWritten
      mostOutput = Math.max(mostOutput, endpoint === undefined ? limit : Infinity)
      written = Math.max(written, mostWritten)
    }
    const mostWritten = Number.isFinite(written) ? written : undefined
    const routing = stickyKey === undefined ? { noFallback } : { noFallback, stickyKey }
    return { model, fitting, routes: [first, ...others], mostOutput, mostWritten, bills, ...routing }
  }

  /**
   * True if a route passes that dialect through for the model.
   *
   * @param hasServers true for a request with MCP servers, which the upstream has to call
   */
  const passes = (id: string, family: CalledFamily, hasServers?: boolean): boolean => {
    const model = catalogue.get(id)
    return model !== undefined && model.routes.some((route) => speaks(route, family, hasServers))
  }

  /** True if a route must translate that dialect. */
  const translates = (id: string, family: CalledFamily): boolean => {
    const model = catalogue.get(id)
    return model !== undefined && !model.routes.every((route) => speaks(route, family))
  }

  return { admit, choose, find, passes, translates }
})
