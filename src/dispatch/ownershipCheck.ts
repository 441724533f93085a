import { Effect } from "effect"
import { Ownership } from "../ownership/Ownership.ts"
import { idsAsked } from "../ownership/idsIn.ts"
import type { UpstreamId } from "../ownership/idsIn.ts"
import { madeWith } from "../ownership/madeWith.ts"
import { recordIds } from "../ownership/recordIds.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import type { Failure, InvalidRequest } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { keyNames } from "../upstreams/keys/KeyPool.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import type { AdmittedRoute } from "./admit.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import { matches } from "../contract/text/matches.ts"
import { kinds } from "../contract/kinds.ts"

interface Asking {
  readonly caller: Caller
  readonly request: Pick<Incoming, "body">
  readonly options: Pick<GenerationOptions, "kind" | "mayReachWeb">
}

type AdmittedRoutes = readonly [AdmittedRoute, ...ReadonlyArray<AdmittedRoute>]

type Call = Future<Generation, Failure | UpstreamError>

/** Restricts accounts and their people to their own ids at upstreams that store things. */
export const makeOwnershipCheck = Effect.gen(function* () {
  const ownership = yield* Ownership
  const upstreams = yield* TextUpstreams
  const runtime = yield* Effect.runtime()

  /** Looks ids up. Fails if one is another's. */
  const openTo = (caller: Caller, { name, sharedIds = [] }: TextUpstream, ids: ReadonlyArray<UpstreamId>) =>
    ownership.check(
      caller,
      name,
      ids.filter(({ id }) => !sharedIds.some((pattern) => matches(pattern, id)))
    )

  /** The ids of a request that an upstream would take as those of its own objects. */
  const idsFor = ({ options, request }: Asking, upstream: TextUpstream, { endpoint }: AdmittedRoute) =>
    upstream.sharedIds !== undefined &&
    kinds[options.kind ?? "text"].namesStored &&
    (endpoint !== undefined || upstream.takesFileIds === true)
      ? idsAsked(request.body)
      : none

  /**
   * Makes the call if the account may use every id in the request, and records the ids of the request and its answer.
   */
  const owned = (asking: Asking, upstream: TextUpstream, route: AdmittedRoute, call: () => Call): Call => {
    const { caller, options } = asking
    if (upstream.sharedIds === undefined || !kinds[options.kind ?? "text"].namesStored) return call()
    const ids = idsFor(asking, upstream, route)
    const { account } = caller
    const keep = (given: ReadonlyArray<string>, isMade: boolean) =>
      given.length === 0
        ? Promise.resolve()
        : ownership.give(isMade ? { account, key: caller.key } : { account }, upstream.name, given, route.key)
    // Only these tools create ids.
    if (ids.length === 0) return options.mayReachWeb === true ? call().map((made) => recordIds(made, [], keep)) : call()
    return runFuture(runtime, Effect.mapError(openTo(caller, upstream, ids), keptBack)).flatMap((known) => {
      // `withOwnKeys` has chosen the first key for ids without one.
      const named = known.keys.filter(({ key }) => key !== null)
      const own = upstream.key ?? upstream.onlyKey
      const key = madeWith({ keys: named }, own === undefined ? [] : [own])
      if (key instanceof NotFound) return Future.fail(keptBack(key))
      return call().map((made) => recordIds(made, known.unclaimed, keep))
    })
  }

  /**
   * The routes of a request, those of an upstream with several keys only with the key that made what the request names
   * there. Fails if that key is gone and no other route is left.
   */
  const withOwnKeys = (asking: Asking, routes: AdmittedRoutes): Future<AdmittedRoutes, Failure> => {
    const pools = new Map<string, ReadonlyArray<UpstreamId>>()
    for (const route of routes) {
      const part = route.part
      const upstream = upstreams.get(part)
      if (upstream?.keys === undefined || route.key === undefined || pools.has(part)) continue
      const ids = idsFor(asking, upstream, route)
      if (ids.length > 0) pools.set(part, ids)
    }
    if (pools.size === 0) return Future.succeed(routes)
    const chosen = Effect.forEach(pools, ([part, ids]) => {
      const upstream = upstreams.get(part)
      if (upstream === undefined) return Effect.succeed([part, undefined] as const)
      const names = keyNames(upstream)
      // The failure shows once its route is tried.
      const made = Effect.match(openTo(asking.caller, upstream, ids), {
        onFailure: () => undefined,
        onSuccess: (known) => madeWith(known, names)
      })
      return Effect.map(made, (key) => [part, key] as const)
    })
    return runFuture(runtime, chosen).flatMap((all): Future<AdmittedRoutes, Failure> => {
      const made = new Map(all)
      const [first, ...others] = routes.filter((route) => {
        const own = made.get(route.part)
        return own === undefined || own === route.key
      })
      if (first !== undefined) return Future.succeed<AdmittedRoutes>([first, ...others])
      const gone = [...made.values()].find((one) => one instanceof NotFound)
      return gone === undefined ? Future.succeed(routes) : Future.fail(gone)
    })
  }

  /** The key that made what a body names, if any. Fails if it names an id of another, or that key is gone. */
  const permit = (caller: Caller, upstream: TextUpstream, body: unknown) =>
    Effect.flatMap(openTo(caller, upstream, idsAsked(body)), (known) => {
      const key = madeWith(known, keyNames(upstream))
      return key instanceof NotFound ? Effect.fail(key) : Effect.succeed(key)
    })

  return { owned, permit, withOwnKeys }
})

const none: ReadonlyArray<UpstreamId> = []

/** Another of the model's upstreams may know it. */
const keptBack = (failure: NotFound | InvalidRequest) =>
  new UpstreamError({ failure, retry: "elsewhere", retryAfterMs: undefined, status: undefined, keptBack: true })
