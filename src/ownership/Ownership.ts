import { Effect, Runtime } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/Failure.ts"
import type { UpstreamId } from "./idsIn.ts"
import { UpstreamIds } from "./store/UpstreamIds.ts"

/** The most ids in one request. */
const most = 1_000

/**
 * Ownership of objects that upstreams store. All accounts share an upstream's key, and could use each other's files and
 * containers. An object belongs to the account whose answer first held its id. An object that the operator created at the
 * upstream belongs to the account whose accepted request first names it; its id is as hard to guess as a key.
 */
export class Ownership extends Effect.Service<Ownership>()("gateway/ownership/Ownership", {
  dependencies: [UpstreamIds.Default],
  effect: Effect.gen(function* () {
    const store = yield* UpstreamIds
    const runtime = yield* Effect.runtime()

    /** Returns the ids without an owner. Fails if another account owns one: to this account it is unknown. */
    const check = (
      account: AccountId,
      upstream: string,
      ids: ReadonlyArray<UpstreamId>
    ): Effect.Effect<ReadonlyArray<string>, NotFound | InvalidRequest> => {
      if (ids.length > most) return tooMany(ids)
      const names = ids.map(({ id }) => id)
      return Effect.flatMap(Effect.orDie(store.ownersOf(upstream, names)), (owners) => {
        const foreign = ids.find(({ id }) => owners.has(id) && owners.get(id) !== account)
        return foreign === undefined ? Effect.succeed(names.filter((id) => !owners.has(id))) : unknown(foreign)
      })
    }

    /** Gives ids to an account. Resolves once that is durable; a failure is logged. */
    const give = (account: AccountId, upstream: string, ids: ReadonlyArray<string>): Promise<void> =>
      Runtime.runPromise(runtime)(
        Effect.catchAllCause(store.give(account, upstream, ids), (cause) =>
          Effect.logError("the ownership of an upstream's ids could not be stored", cause)
        )
      )

    return { check, give } as const
  })
}) {}

const unknown = ({ id, param }: UpstreamId) =>
  new NotFound({ param, message: `${param}: nothing of this account's has the id ${JSON.stringify(id)}` })

const tooMany = ([first]: ReadonlyArray<UpstreamId>) =>
  new InvalidRequest({
    param: first?.param ?? null,
    message: `expected at most ${most} ids of files and other things that the upstream keeps`
  })
