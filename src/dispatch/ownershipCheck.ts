import { Effect } from "effect"
import { Ownership } from "../ownership/Ownership.ts"
import { idsAsked } from "../ownership/idsIn.ts"
import type { UpstreamId } from "../ownership/idsIn.ts"
import { recordIds } from "../ownership/recordIds.ts"
import type { Caller } from "../contract/Caller.ts"
import type { Failure, InvalidRequest, NotFound } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import type { GenerationOptions } from "./GenerationOptions.ts"
import { matches } from "../contract/permission.ts"

interface Asking {
  readonly caller: Caller
  readonly request: Pick<Incoming, "body">
  readonly options: Pick<GenerationOptions, "kind" | "mayReachWeb">
}

type Call = Future<Generation, Failure | UpstreamError>

/** Restricts each account to its own ids at upstreams that store things. */
export const makeOwnershipCheck = Effect.gen(function* () {
  const ownership = yield* Ownership
  const runtime = yield* Effect.runtime()

  /** The ids among them without an owner. Fails if another account owns one. */
  const openTo = ({ account }: Caller, { name, sharedIds = [] }: TextUpstream, ids: ReadonlyArray<UpstreamId>) => {
    const own = ids.filter(({ id }) => !sharedIds.some((pattern) => matches(pattern, id)))
    return own.length === 0 ? Effect.succeed([]) : ownership.check(account, name, own)
  }

  /**
   * Makes the call if the account may use every id in the request, and records the ids of the request and its answer.
   *
   * @param isPassed true for passthrough; a translated request names files at most
   */
  const owned = (
    { caller, options, request }: Asking,
    upstream: TextUpstream,
    isPassed: boolean,
    call: () => Call
  ): Call => {
    if (upstream.sharedIds === undefined || options.kind === "embedding") return call()
    const ids = isPassed || upstream.takesFileIds === true ? idsAsked(request.body) : none
    const keep = (given: ReadonlyArray<string>) => ownership.give(caller.account, upstream.name, given)
    // Only these tools create ids.
    if (ids.length === 0) return options.mayReachWeb === true ? call().map((made) => recordIds(made, [], keep)) : call()
    return runFuture(runtime, Effect.mapError(openTo(caller, upstream, ids), keptBack)).flatMap((unclaimed) =>
      call().map((made) => recordIds(made, unclaimed, keep))
    )
  }

  /** Fails if a body names an id of another account. */
  const permit = (caller: Caller, upstream: TextUpstream, body: unknown) => openTo(caller, upstream, idsAsked(body))

  return { owned, permit }
})

const none: ReadonlyArray<UpstreamId> = []

/** Another of the model's upstreams may know it. */
const keptBack = (failure: NotFound | InvalidRequest) =>
  new UpstreamError({ failure, retry: "elsewhere", retryAfterMs: undefined, status: undefined, keptBack: true })
