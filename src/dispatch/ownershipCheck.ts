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

/** Keeps each account to what is its own of what an upstream keeps for all of them. */
export const makeOwnershipCheck = Effect.gen(function* () {
  const belongings = yield* Ownership
  const runtime = yield* Effect.runtime()

  /** Those of them that nobody has been given. Fails where one is another account's. */
  const openTo = ({ account }: Caller, { name, sharedIds = [] }: TextUpstream, ids: ReadonlyArray<UpstreamId>) => {
    const own = ids.filter(({ id }) => !sharedIds.some((pattern) => matches(pattern, id)))
    return own.length === 0 ? Effect.succeed([]) : belongings.check(account, name, own)
  }

  /**
   * Makes the call if all that its request names may be had, and keeps what it and its answer name.
   *
   * @param isPassed whether the request goes as it came; a translated one names at most files
   */
  const owned = (
    { caller, options, request }: Asking,
    upstream: TextUpstream,
    isPassed: boolean,
    call: () => Call
  ): Call => {
    if (upstream.sharedIds === undefined || options.kind === "embedding") return call()
    const ids = isPassed || upstream.takesFileIds === true ? idsAsked(request.body) : none
    const keep = (given: ReadonlyArray<string>) => belongings.give(caller.account, upstream.name, given)
    // Only such tools give any.
    if (ids.length === 0) return options.mayReachWeb === true ? call().map((made) => recordIds(made, [], keep)) : call()
    return runFuture(runtime, Effect.mapError(openTo(caller, upstream, ids), keptBack)).flatMap((unclaimed) =>
      call().map((made) => recordIds(made, unclaimed, keep))
    )
  }

  /** Fails where a request names what is another account's. */
  const permit = (caller: Caller, upstream: TextUpstream, body: unknown) => openTo(caller, upstream, idsAsked(body))

  return { owned, permit }
})

const none: ReadonlyArray<UpstreamId> = []

/** Another of the model's upstreams may know it. */
const keptBack = (failure: NotFound | InvalidRequest) =>
  new UpstreamError({ failure, retry: "elsewhere", retryAfterMs: undefined, status: undefined, keptBack: true })
