import { Effect } from "effect"
import { Keys } from "../access/store/Keys.ts"
import { reachesAccount } from "../contract/callers/Acting.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/failures/Failure.ts"
import type { Own } from "../contract/callers/Own.ts"

type Asking = Pick<Caller, "within">

/** Finds out which records a caller's operation may touch. Another's record is answered as one that does not exist. */
export const makeOwned = Effect.map(Keys, (keys) => {
  /**
   * The account that the caller acts in, and of a member only the own keys; undefined if the caller reaches everything.
   *
   * @param asked the account that the request names
   */
  const of = ({ within }: Asking, asked?: string): Effect.Effect<Own | undefined, InvalidRequest | NotFound> => {
    if (within === undefined) return Effect.succeed(undefined)
    const { accounts, person } = within
    const [first, ...others] = accounts
    const only = first !== undefined && others.length === 0 && !first.endsWith("*") ? first : undefined
    const account = asked ?? within.account ?? only
    if (account === undefined) return unnamed(accounts)
    if (!reachesAccount(accounts, account)) return Effect.fail(noAccount(account))
    return person === undefined
      ? Effect.succeed({ account })
      : Effect.map(keys.ofPerson(person, account), (own) => ({ account, keys: own }))
  }

  const account = ({ within }: Asking, id: string): Effect.Effect<void, NotFound> =>
    within === undefined || reachesAccount(within.accounts, id) ? Effect.void : Effect.fail(noAccount(id))

  const key = ({ within }: Asking, id: string): Effect.Effect<void, NotFound> =>
    within === undefined
      ? Effect.void
      : Effect.flatMap(Effect.orDie(keys.find(id)), (row) =>
          row !== undefined &&
          reachesAccount(within.accounts, row.account_id) &&
          (within.person === undefined || row.person_id === within.person)
            ? Effect.void
            : Effect.fail(new NotFound({ param: null, message: `no key "${id}"` }))
        )

  /** A record of an account, and of a key where it names one. @param missing the answer to others, as in `no task "…"` */
  const record = <A extends { readonly account: string; readonly key?: string }, E>(
    { within }: Asking,
    missing: string,
    found: Effect.Effect<A, E>
  ): Effect.Effect<A, E | NotFound> =>
    Effect.tap(found, ({ account, key }) => {
      const notFound = Effect.fail(new NotFound({ param: null, message: missing }))
      if (within === undefined) return Effect.void
      if (!reachesAccount(within.accounts, account)) return notFound
      if (within.person === undefined) return Effect.void
      return Effect.flatMap(keys.ofPerson(within.person, account), (own) =>
        key !== undefined && own.includes(key) ? Effect.void : notFound
      )
    })

  return { of, account, key, record } as const
})

const noAccount = (id: string) => new NotFound({ param: null, message: `no account "${id}"` })

const unnamed = (accounts: ReadonlyArray<string>) =>
  Effect.fail(
    new InvalidRequest({
      param: "account",
      message: `account: expected one of yours (${accounts.join(", ")}), here or in x-gateway-account`
    })
  )
