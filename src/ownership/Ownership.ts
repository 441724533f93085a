import { Effect, Runtime } from "effect"
import { reachesKey } from "../contract/callers/Caller.ts"
import type { Caller, Holder, KeyId } from "../contract/callers/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import type { UpstreamId } from "./idsIn.ts"
import { UpstreamIds } from "./store/UpstreamIds.ts"
import type { Owner } from "./store/UpstreamIds.ts"

/** The most ids in one request. */
const most = 1_000

/**
 * Ownership of objects that upstreams store. All accounts share an upstream's key, and could use each other's files and
 * containers. An object belongs to the account whose answer made it, and there to the person of the key. An object that the
 * operator created at the upstream belongs to the account whose accepted request or answer first names it; its id is as hard to guess as a key. An
 * upstream with several keys has it in the organisation of one of them.
 */
export class Ownership extends Effect.Service<Ownership>()("gateway/ownership/Ownership", {
  dependencies: [UpstreamIds.Default],
  effect: Effect.gen(function* () {
    const store = yield* UpstreamIds
    const runtime = yield* Effect.runtime()

    /** Looks ids up. Fails if it is another's: to this holder it is unknown. */
    const check = (
      holder: Holder,
      upstream: string,
      ids: ReadonlyArray<UpstreamId>
    ): Effect.Effect<Ids, NotFound | InvalidRequest> => {
      if (ids.length === 0) return Effect.succeed({ unclaimed: [], keys: [] })
      if (ids.length > most) return tooMany(ids)
      return Effect.flatMap(
        Effect.orDie(
          store.ownersOf(
            upstream,
            ids.map(({ id }) => id)
          )
        ),
        (owners) => {
          const foreign = ids.find(({ id }) => !reaches(holder, owners.get(id)))
          if (foreign !== undefined) return unknown(foreign)
          const unclaimed = ids.flatMap(({ id }) => (owners.has(id) ? [] : [id]))
          const keys = ids.flatMap(({ id, param }) => {
            const owner = owners.get(id)
            return owner === undefined ? [] : [{ id, param, key: owner.key }]
          })
          return Effect.succeed({ unclaimed, keys })
        }
      )
    }

    /**
     * Gives ids to an account, or those that its key made to that key. Resolves once that is durable; a failure is
     * logged.
     *
     * @param key the name of the upstream's key that made them, if it has several
     */
    const give = (
      { account, key: maker }: Pick<Caller, "account"> & { readonly key?: KeyId },
      upstream: string,
      ids: ReadonlyArray<string>,
      key: string | undefined
    ): Promise<void> =>
      Runtime.runPromise(runtime)(
        Effect.catchAllCause(store.give({ account, maker: maker ?? null, key: key ?? null }, upstream, ids), (cause) =>
          Effect.logError("the ownership of an upstream's ids could not be stored", cause)
        )
      )

    return { check, give } as const
  })
}) {}

/** Ids of a request at an upstream. */
export interface Ids {
  /** Those without an owner. */
  readonly unclaimed: ReadonlyArray<string>
  /** The others, with the keys that made them. */
  readonly keys: ReadonlyArray<UpstreamId & { readonly key: string | null }>
}

const reaches = (holder: Holder, owner: Owner | undefined): boolean =>
  owner === undefined || (owner.account === holder.account && (owner.maker === null || reachesKey(holder, owner.maker)))

const unknown = ({ id, param }: UpstreamId) =>
  new NotFound({ param, message: `${param}: nothing of this account's has the id ${JSON.stringify(id)}` })

const tooMany = ([first]: ReadonlyArray<UpstreamId>) =>
  new InvalidRequest({
    param: first?.param ?? null,
    message: `expected at most ${most} ids of files and other things that the upstream keeps`
  })
