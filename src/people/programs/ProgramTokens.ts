import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import type { Redacted } from "effect"
import * as ApiKey from "../../access/ApiKey.ts"
import { Accounts } from "../../access/store/Accounts.ts"
import { SignInKeys } from "../../access/store/SignInKeys.ts"
import { reachesAccount } from "../../contract/callers/Acting.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { Forbidden, NotFound } from "../../contract/failures/Failure.ts"
import { Changes } from "../../sql/Changes.ts"
import { actingOfPerson, nameOfPerson } from "../actingOfPerson.ts"
import { Providers } from "../Providers.ts"
import { PeopleChecks } from "../signIn/PeopleChecks.ts"
import { reachOf } from "../signIn/reach.ts"
import { People } from "../store/People.ts"
import type { Person } from "../store/People.ts"
import { OAuthRefused } from "./OAuthRefused.ts"
import { accessMs, PersonTokens } from "./store/PersonTokens.ts"

/** How long a replaced refresh token is still answered, with the same tokens: programs that run twice send it at once. */
const graceMs = 60_000

/** A program's tokens, or its key. */
export interface Issued {
  readonly access: Redacted.Redacted
  readonly expiresInSeconds: number
  /** Absent for a key. */
  readonly refresh?: Redacted.Redacted
  /** Absent if the provider has verified none, and for tokens of one resource. */
  readonly email?: string
  /** The address that the tokens open alone; absent for all that a key opens. */
  readonly resource?: string
}

/** A person's decision about a program. */
export type Decision = { readonly approve: true; readonly account: string } | { readonly approve: false }

/** The sign-in whose tokens are issued. */
interface SignIn {
  readonly id: string
  readonly person: Person
  readonly account: string
  readonly resource: string | null
  /** The id of the program; absent if it has none. */
  readonly client?: string
}

/** The tokens of people's programs, however these signed in. */
export class ProgramTokens extends Effect.Service<ProgramTokens>()("gateway/people/programs/ProgramTokens", {
  dependencies: [Accounts.Default, Changes.Default, People.Default, PersonTokens.Default, SignInKeys.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const changes = yield* Changes
    const signInKeys = yield* SignInKeys
    const people = yield* People
    const tokens = yield* PersonTokens
    const checks = yield* PeopleChecks
    const providers = yield* Providers

    /** One change that every process hears of. */
    const change = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      Effect.zipLeft(sql.withTransaction(Effect.zipRight(changes.tell, change)), changes.notice)

    /** Fails unless one may have programs spend an account's money. */
    const mayLetIn = (acting: Acting, account: string): Effect.Effect<void, Forbidden | NotFound | SqlError> =>
      Effect.gen(function* () {
        if (reachOf(acting, "adminKeys.create") === "none") return yield* noKeys(acting)
        if (!spends(acting, account) || !(yield* accounts.isThere(account))) return yield* noAccount(account)
      })

    /**
     * A person whose programs may spend an account's money now. Their provider is asked first, if that is due.
     *
     * @param ended the refusal if there is no such person or account any more
     */
    const spender = (
      id: string,
      account: string,
      ended: Effect.Effect<never, OAuthRefused>
    ): Effect.Effect<Person, OAuthRefused | SqlError> =>
      Effect.gen(function* () {
        const known = yield* people.find(id)
        const person = known === undefined ? undefined : yield* checks.current(known)
        const acting = person && actingOfPerson(person, providers.rules(), "", yield* Clock.currentTimeMillis)
        if (acting === "away") return yield* away
        if (person === undefined || acting === undefined || !spends(acting, account)) return yield* ended
        return (yield* accounts.isThere(account)) ? person : yield* ended
      })

    /** The first tokens of a sign-in. Run it in a `change`. */
    const issue = ({ account, client, id, person, resource }: SignIn): Effect.Effect<Issued, SqlError> =>
      Effect.gen(function* () {
        const key = yield* signInKeys.of({ account, name: `${nameOfPerson(person)}, signed in`, person: person.id })
        const origin = { sign_in: id, key_id: key, resource, client: client === undefined ? null : ApiKey.hash(client) }
        const issued = yield* tokens.issue(origin, yield* Clock.currentTimeMillis)
        return { ...issued, expiresInSeconds: accessMs / 1_000, ...toldOf(person, resource) }
      })

    /** The next tokens, for the program that has them (RFC 6749, section 6). @param client its id, as it was sent */
    const refresh = (token: Redacted.Redacted, client: string | undefined): Effect.Effect<Issued, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const stored = yield* tokens.find(token, nowMs)
        if (stored?.kind !== "refresh") return yield* over
        // One that was seen without its program's id neither opens nor ends anything.
        if (stored.client !== null && (client === undefined || stored.client !== ApiKey.hash(client)))
          return yield* others
        // Someone has a copy: no one keeps it.
        if (stored.replaced_at !== null && stored.replaced_at + graceMs <= nowMs) {
          yield* end(stored.sign_in)
          return yield* over
        }
        const person = yield* spender(stored.person_id, stored.account_id, over)
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            const replacedAtMs = yield* tokens.replaced(stored.hash, nowMs)
            // The check may have ended the person or revoked the key; a sign-out may have come meanwhile.
            const still = yield* tokens.find(token, nowMs)
            if (replacedAtMs === undefined || still === undefined || still.revoked_at !== null) return yield* over
            const issued = yield* tokens.succeeding(token, stored, replacedAtMs)
            const expiresInSeconds = Math.floor((replacedAtMs + accessMs - nowMs) / 1_000)
            return { ...issued, expiresInSeconds, ...toldOf(person, stored.resource) }
          })
        )
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** Ends a sign-in: all its tokens. */
    const end = (signIn: string): Effect.Effect<void, SqlError> => change(tokens.end(signIn))

    /** Signs a program out, by one of its tokens (RFC 7009). Other tokens are not an error. */
    const revoke = (token: Redacted.Redacted): Effect.Effect<void> =>
      Effect.gen(function* () {
        const stored = yield* tokens.find(token, yield* Clock.currentTimeMillis)
        if (stored !== undefined) yield* end(stored.sign_in)
      }).pipe(Effect.orDie)

    return { change, mayLetIn, spender, issue, refresh, end, revoke } as const
  })
}) {}

/** True if a role may have programs spend an account's money, as keys do. */
const spends = (acting: Acting, account: string): boolean => {
  const within = reachOf(acting, "adminKeys.create")
  return within !== "none" && (within === undefined || reachesAccount(within.accounts, account))
}

/** Claude Code shows whom `/login` has signed in. */
const toldOf = (person: Person, resource: string | null): Pick<Issued, "email" | "resource"> =>
  resource === null ? mailOf(person) : { resource }

export const mailOf = ({ email }: Person): Pick<Issued, "email"> => (email === "" ? {} : { email })

const refuse = (code: OAuthRefused["code"], message: string) => Effect.fail(new OAuthRefused({ code, message }))

const over = refuse("invalid_grant", "This sign-in has ended: sign in again")
const others = refuse("invalid_grant", "client_id: expected the one that the sign-in was begun with")
const away = refuse("temporarily_unavailable", "The sign-in of your company does not answer; try again later")

const noAccount = (id: string) => Effect.fail(new NotFound({ param: "account", message: `no account "${id}"` }))
const noKeys = ({ role }: Acting) => Effect.fail(new Forbidden({ message: `The role ${role} uses no models` }))
