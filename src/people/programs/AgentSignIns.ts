import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Redacted } from "effect"
import * as ApiKey from "../../access/ApiKey.ts"
import { Accounts } from "../../access/store/Accounts.ts"
import { Keys } from "../../access/store/Keys.ts"
import { SignInKeys } from "../../access/store/SignInKeys.ts"
import { Audit } from "../../admin/store/Audit.ts"
import { PeopleChecks } from "../signIn/PeopleChecks.ts"
import { reachOf } from "../signIn/reach.ts"
import { reachesAccount } from "../../contract/callers/Acting.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { AccountId } from "../../contract/callers/Caller.ts"
import { Forbidden, NotFound } from "../../contract/failures/Failure.ts"
import { testDouble } from "../../contract/testDouble.ts"
import { actingOfPerson, nameOfPerson } from "../actingOfPerson.ts"
import { Providers } from "../Providers.ts"
import { People } from "../store/People.ts"
import type { Person } from "../store/People.ts"
import { Changes } from "../../sql/Changes.ts"
import { OAuthRefused } from "./OAuthRefused.ts"
import { DeviceGrants } from "./store/DeviceGrants.ts"
import type { DeviceGrant } from "./store/DeviceGrants.ts"
import { accessMs, PersonTokens } from "./store/PersonTokens.ts"
import { newUserCode } from "./userCode.ts"

/** How long a person may take to let a program in. */
const grantMs = 10 * 60_000

/** How often a program may ask for its token, in seconds. */
const intervalSeconds = 5

/** Clocks and networks may make a program ask a little early. */
const toleranceMs = 500

/** How long a replaced refresh token is still answered, with the same tokens: programs that run twice send it at once. */
const graceMs = 60_000

/** The life of a key for a program that can't refresh tokens. */
const keyMs = 90 * 24 * 3_600_000

/** A program that asks to be let in. */
export type Program = Pick<DeviceGrant, "surface" | "issues" | "client" | "address">

/** The begin of a device grant. */
export interface BegunGrant {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
  readonly expiresInSeconds: number
  readonly intervalSeconds: number
}

/** A program's tokens, or its key. */
export interface Issued {
  readonly access: Redacted.Redacted
  readonly expiresInSeconds: number
  /** Absent for a key. */
  readonly refresh?: Redacted.Redacted
  /** Absent if the provider has verified none. */
  readonly email?: string
}

/** A person's decision about a program. */
export type Decision = { readonly approve: true; readonly account: string } | { readonly approve: false }

/** Sign-ins of agents and command lines by the device flow, and the tokens that they get. */
export class AgentSignIns extends Effect.Service<AgentSignIns>()("gateway/people/programs/AgentSignIns", {
  dependencies: [
    Accounts.Default,
    Audit.Default,
    Changes.Default,
    DeviceGrants.Default,
    Keys.Default,
    People.Default,
    PersonTokens.Default,
    SignInKeys.Default
  ],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const audit = yield* Audit
    const changes = yield* Changes
    const grants = yield* DeviceGrants
    const keys = yield* Keys
    const signInKeys = yield* SignInKeys
    const people = yield* People
    const tokens = yield* PersonTokens
    const checks = yield* PeopleChecks
    const providers = yield* Providers

    /** One change that every process hears of. */
    const change = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      Effect.zipLeft(sql.withTransaction(Effect.zipRight(changes.tell, change)), changes.notice)

    /** Begins a grant, which waits for a person. */
    const begin = (program: Program): Effect.Effect<BegunGrant, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const deviceCode = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
        const userCode = newUserCode()
        const stored = yield* grants.insert(
          {
            ...program,
            hash: ApiKey.hash(deviceCode),
            user_code: userCode,
            state: "waiting",
            person_id: null,
            account_id: null,
            expires_at: nowMs + grantMs,
            polled_at: 0
          },
          nowMs
        )
        if (!stored) return yield* busy
        return {
          deviceCode: Redacted.make(deviceCode),
          userCode,
          expiresInSeconds: grantMs / 1_000,
          intervalSeconds
        }
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** The grant of a code that a person reads from a program. */
    const ofCode = (userCode: string): Effect.Effect<DeviceGrant, NotFound> =>
      Effect.gen(function* () {
        const grant = yield* grants.ofCode(userCode, yield* Clock.currentTimeMillis)
        return grant?.state === "waiting" ? grant : yield* noGrant
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** A person lets a program in, for one account, or keeps it out. */
    const decide = (
      acting: Acting & { readonly person: string },
      userCode: string,
      decision: Decision
    ): Effect.Effect<void, NotFound | Forbidden> =>
      Effect.gen(function* () {
        const { address, client, hash, issues, surface } = yield* ofCode(userCode)
        const account = decision.approve ? decision.account : null
        if (account !== null) {
          if (reachOf(acting, "adminKeys.create") === "none") return yield* noKeys(acting)
          if (!spends(acting, account) || !(yield* accounts.isThere(account))) return yield* noAccount(account)
        }
        const decided = yield* grants.decide(hash, {
          state: decision.approve ? "approved" : "denied",
          person: acting.person,
          account
        })
        if (!decided) return yield* noGrant
        yield* audit.record({
          actor: acting,
          action: decision.approve ? "program.approve" : "program.deny",
          target: account ?? acting.person,
          before: null,
          after: { program: surface, issues, client, address }
        })
      }).pipe((effect) => sql.withTransaction(effect), Effect.catchTag("SqlError", Effect.die))

    /** The tokens of a program that a person has let in; before and after that it is refused. */
    const poll = (deviceCode: Redacted.Redacted): Effect.Effect<Issued, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const hash = ApiKey.hash(Redacted.value(deviceCode))
        const grant = yield* grants.ofHash(hash)
        if (grant === undefined || grant.expires_at <= nowMs) return yield* expired
        if (grant.state === "waiting") {
          const isEarly = nowMs - grant.polled_at < intervalSeconds * 1_000 - toleranceMs
          // Strangers may poll without end: those who come early write nothing.
          if (isEarly) return yield* early
          yield* grants.polled(hash, nowMs)
          return yield* pending
        }
        const { account_id: account, issues, person_id, state, surface } = grant
        if (state === "denied" || account === null || person_id === null) return yield* denied
        // The person or the account may have changed since.
        const person = yield* spend(person_id, account, nowMs)
        if (person === "away") return yield* away
        if (person === undefined || !(yield* accounts.isThere(account))) return yield* denied
        return yield* change(
          Effect.gen(function* () {
            if (!(yield* grants.take(hash))) return yield* expired
            return yield* issues === "key"
              ? issueKey(person, account, surface, nowMs)
              : issueTokens(person, account, nowMs)
          })
        )
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** A person whose programs may spend an account's money now. Their provider is asked first, if that is due. */
    const spend = (id: string, account: string, nowMs: number) =>
      Effect.gen(function* () {
        const known = yield* people.find(id)
        const person = known === undefined ? undefined : yield* checks.current(known)
        const acting = person && actingOfPerson(person, providers.rules(), "", nowMs)
        if (acting === "away") return acting
        return acting !== undefined && spends(acting, account) ? person : undefined
      })

    const issueTokens = (person: Person, account: string, nowMs: number) =>
      Effect.gen(function* () {
        const key = yield* signInKeys.of({ account, name: `${nameOfPerson(person)}, signed in`, person: person.id })
        const issued = yield* tokens.issue(ApiKey.randomId("login"), key, nowMs)
        return { ...issued, expiresInSeconds: accessMs / 1_000, ...mailOf(person) }
      })

    const issueKey = (person: Person, account: string, surface: string, nowMs: number) =>
      Effect.gen(function* () {
        const name = surface === "" ? nameOfPerson(person) : `${nameOfPerson(person)}, ${surface}`
        const expiresAtMs = nowMs + keyMs
        const { id, secret } = yield* keys.create({
          account: AccountId.make(account),
          name,
          person: person.id,
          expiresAtMs
        })
        yield* audit.record({
          actor: { name: nameOfPerson(person), via: surface },
          action: "key.create",
          target: id,
          before: null,
          after: { account, name, expires_at: new Date(expiresAtMs).toISOString() }
        })
        return { access: secret, expiresInSeconds: keyMs / 1_000, ...mailOf(person) }
      })

    /** The next tokens. */
    const refresh = (token: Redacted.Redacted): Effect.Effect<Issued, OAuthRefused> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const stored = yield* tokens.find(token, nowMs)
        if (stored?.kind !== "refresh") return yield* over
        // Someone has a copy: no one keeps it.
        if (stored.replaced_at !== null && stored.replaced_at + graceMs <= nowMs) {
          yield* change(tokens.end(stored.sign_in))
          return yield* over
        }
        const person = yield* spend(stored.person_id, stored.account_id, nowMs)
        if (person === "away") return yield* away
        if (person === undefined) return yield* over
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            const replacedAtMs = yield* tokens.replaced(stored.hash, nowMs)
            // The check may have ended the person or revoked the key; a sign-out may have come meanwhile.
            const still = yield* tokens.find(token, nowMs)
            if (replacedAtMs === undefined || still === undefined || still.revoked_at !== null) return yield* over
            const issued = yield* tokens.succeeding(token, stored, replacedAtMs)
            const expiresInSeconds = Math.floor((replacedAtMs + accessMs - nowMs) / 1_000)
            return { ...issued, expiresInSeconds, ...mailOf(person) }
          })
        )
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    /** Signs a program out, by one of its tokens (RFC 7009). Other tokens are not an error. */
    const revoke = (token: Redacted.Redacted): Effect.Effect<void> =>
      Effect.gen(function* () {
        const stored = yield* tokens.find(token, yield* Clock.currentTimeMillis)
        if (stored !== undefined) yield* change(tokens.end(stored.sign_in))
      }).pipe(Effect.orDie)

    return { begin, ofCode, decide, poll, refresh, revoke } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<AgentSignIns, "_tag">>) => testDouble(AgentSignIns, given)
}

/** True if a role may have programs spend an account's money, as keys do. */
const spends = (acting: Acting, account: string): boolean => {
  const within = reachOf(acting, "adminKeys.create")
  return within !== "none" && (within === undefined || reachesAccount(within.accounts, account))
}

const mailOf = ({ email }: Person): Pick<Issued, "email"> => (email === "" ? {} : { email })

const refuse = (code: OAuthRefused["code"], message: string) => Effect.fail(new OAuthRefused({ code, message }))

const busy = refuse("temporarily_unavailable", "Too many sign-ins are waiting; try again later")
const pending = refuse("authorization_pending", "The code is not approved yet")
const early = refuse("slow_down", `Ask every ${intervalSeconds} seconds`)
const denied = refuse("access_denied", "The sign-in was denied")
const expired = refuse("expired_token", "The code has expired or was used")
const over = refuse("invalid_grant", "This sign-in has ended: sign in again")
const away = refuse("temporarily_unavailable", "The sign-in of your company does not answer; try again later")

const noGrant = Effect.fail(new NotFound({ param: null, message: "No program waits with this code" }))
const noAccount = (id: string) => Effect.fail(new NotFound({ param: "account", message: `no account "${id}"` }))
const noKeys = ({ role }: Acting) => Effect.fail(new Forbidden({ message: `The role ${role} uses no models` }))
