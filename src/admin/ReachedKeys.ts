import { Effect } from "effect"
import type { Redacted } from "effect"
import { actorOf } from "../contract/callers/Acting.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { PendingUsage } from "../ledger/PendingUsage.ts"
import { Administration } from "./Administration.ts"
import type { KeyRecord } from "./KeyRecord.ts"
import { allowedOptions, memberOptions } from "./keyRules.ts"
import type { KeyQuery, KeySettings, NewKey } from "./KeysApi.ts"
import { withUnmatched } from "./modelRules.ts"
import { makeOwned } from "./Owned.ts"
import { makeUnmatched } from "./makeUnmatched.ts"

/** Keys in a caller's reach: another's is answered as an unknown one, and what a caller may set depends on its role. */
export const makeReachedKeys = Effect.map(
  Effect.all([Administration, makeUnmatched, PendingUsage, makeOwned]),
  ([{ keys }, unmatched, { flush }, owned]) => {
    const noted = (key: KeyRecord) => withUnmatched(key, unmatched)

    const list = (caller: Caller, query: KeyQuery) =>
      Effect.gen(function* () {
        const own = yield* owned.of(caller, query.account)
        const rows = yield* keys.list({
          account: own === undefined ? query.account : own.account,
          person: caller.within?.person,
          all: query.all === "true",
          status: query.status,
          search: query.search,
          ...offsetOf(query)
        })
        return pagedByOffset(rows.map(noted), query)
      })

    const create = (caller: Caller, { account, name, ...settings }: NewKey) =>
      Effect.gen(function* () {
        const options = yield* allowedOptions(caller, settings)
        yield* owned.account(caller, account)
        const { key, secret } = yield* keys.create(actorOf(caller), {
          ...options,
          account,
          name,
          person: caller.within?.person
        })
        return { key: noted(key), secret }
      })

    const find = (caller: Caller, secret: Redacted.Redacted) =>
      Effect.map(keys.ofSecret(secret, caller.within?.accounts), ({ isWhole, keys }) => ({
        object: "found_keys" as const,
        match: isWhole ? ("secret" as const) : ("hint" as const),
        data: keys.map(noted)
      }))

    const show = (caller: Caller, id: string) =>
      Effect.zipRight(owned.key(caller, id), Effect.map(keys.show(id), noted))

    const update = (caller: Caller, id: string, settings: KeySettings) =>
      Effect.gen(function* () {
        yield* owned.key(caller, id)
        const options = yield* caller.within?.person === undefined
          ? allowedOptions(caller, settings)
          : Effect.flatMap(keys.show(id), (now) => memberOptions(settings, now))
        const asked = { ...options, name: settings.name, version: settings.version }
        return noted(yield* keys.update(actorOf(caller), id, asked))
      })

    const revoke = (caller: Caller, id: string) =>
      Effect.zipRight(
        owned.key(caller, id),
        Effect.map(keys.revoke(actorOf(caller), id), ({ key }) => key)
      )

    const rotateSecret = (caller: Caller, id: string, overlapHours = 0) =>
      Effect.zipRight(
        owned.key(caller, id),
        keys.rotateSecret(actorOf(caller), id, Math.round(overlapHours * 3_600_000))
      )

    // Use that is not stored yet would count again.
    const resetBudgets = (caller: Caller, id: string) =>
      Effect.zipRight(Effect.zipRight(owned.key(caller, id), flush), keys.resetBudgets(actorOf(caller), id)).pipe(
        Effect.map(noted)
      )

    return { list, create, find, show, update, revoke, rotateSecret, resetBudgets } as const
  }
)
