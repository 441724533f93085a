import { Effect, Runtime } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/Failure.ts"
import type { UpstreamId } from "./idsIn.ts"
import { UpstreamIds } from "./store/UpstreamIds.ts"

/** The most that one request may name. */
const most = 1_000

/**
 * Whose the things are that upstreams keep. All accounts share an upstream's key, and so could name each other's files
 * and containers there: what an answer gives to an account is that account's. What no answer gave (the operator has made
 * it there) is whose request names it first and is accepted; its id is as hard to guess as a key.
 */
export class Ownership extends Effect.Service<Ownership>()("gateway/ownership/Ownership", {
  dependencies: [UpstreamIds.Default],
  effect: Effect.gen(function* () {
    const store = yield* UpstreamIds
    const runtime = yield* Effect.runtime()

    /** Answers those that nobody has been given. Fails where one was given to another account: to this one it is unknown. */
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

    /** Keeps ids with an account; resolves once that is durable, or has been logged as impossible. */
    const give = (account: AccountId, upstream: string, ids: ReadonlyArray<string>): Promise<void> =>
      Runtime.runPromise(runtime)(
        Effect.catchAllCause(store.give(account, upstream, ids), (cause) =>
          Effect.logError("ids of an upstream could not be kept with their account", cause)
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
