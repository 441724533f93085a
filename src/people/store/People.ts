import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import * as ApiKey from "../../access/ApiKey.ts"
import { reachesAccount } from "../../contract/callers/Acting.ts"
import { testDouble } from "../../contract/testDouble.ts"
import { rows } from "../../sql/decode.ts"
import type { Identity } from "../Claims.ts"
import type { PersonRole } from "../roleOf.ts"

/** The most people of one provider to check in a row. */
export const mostDue = 20

/** A provider's tokens of a person, sealed. */
export interface SealedTokens {
  readonly refreshToken: string | null
  readonly idToken: string | null
}

/** People who signed in, by issuer and subject, with the provider's tokens. */
export class People extends Effect.Service<People>()("gateway/people/store/People", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = sql`SELECT p.*, t.refresh_token, t.id_token, t.tried_at, t.failing_since
      FROM people p JOIN provider_tokens t ON t.person_id = p.id`

    const find = (id: string): Effect.Effect<Person | undefined, SqlError> =>
      Effect.map(sql`${all} WHERE p.id = ${id}`, people.first)

    /** Some people, by id. */
    const some = (ids: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, KnownPerson>, SqlError> =>
      Effect.map(
        ids.length === 0 ? Effect.succeed([]) : sql`SELECT * FROM people WHERE ${sql.in("id", ids)}`,
        (found) => new Map(knownPeople.all(found).map((person) => [person.id, person]))
      )

    /** All people that may act, by name, with what they have in an account. */
    const inAccount = (account: string, nowMs: number): Effect.Effect<ReadonlyArray<PersonInAccount>, SqlError> =>
      Effect.map(
        sql`SELECT p.*,
          (SELECT COUNT(*) FROM keys k WHERE k.person_id = p.id AND k.account_id = ${account}
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs}) AND p.held IS NULL) AS active_keys,
          (SELECT MAX(k.last_used_at) FROM keys k WHERE k.person_id = p.id) AS key_used_at,
          (SELECT MAX(s.last_used_at) FROM sessions s WHERE s.person_id = p.id) AS session_used_at
          FROM people p WHERE p.ended_at IS NULL ORDER BY p.email, p.subject, p.id`,
        inAccounts.all
      )

    /** The id of a person, new or known. Run it in a transaction. */
    const idOf = ({ issuer, subject }: Identity): Effect.Effect<string, SqlError> =>
      Effect.gen(function* () {
        const row = { ...blank, id: ApiKey.randomId("person"), issuer, subject }
        yield* sql`INSERT INTO people ${sql.insert(row)} ON CONFLICT (issuer, subject) DO NOTHING`
        const found = yield* sql`SELECT id FROM people WHERE issuer = ${issuer} AND subject = ${subject}`
        return ids.one(found[0]).id
      })

    /** Stores what a sign-in or a check has told. */
    const told = (id: string, identity: Identity, role: PersonRole, nowMs: number): Effect.Effect<void, SqlError> =>
      Effect.asVoid(
        sql`UPDATE people SET ${sql.update({ ...identityColumns(identity), ...roleColumns(role), checked_at: nowMs, ended_at: null, held: null })}
          WHERE id = ${id}`
      )

    /** A person signed in; they may have been removed before. */
    const signedIn = (
      id: string,
      { idToken, refreshToken }: SealedTokens,
      nowMs: number
    ): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        yield* sql`UPDATE people SET seen_at = ${nowMs} WHERE id = ${id}`
        yield* sql`DELETE FROM provider_tokens WHERE person_id = ${id}`
        const row = { refresh_token: refreshToken, id_token: idToken, tried_at: nowMs, failing_since: null }
        yield* sql`INSERT INTO provider_tokens ${sql.insert({ person_id: id, ...row })}`
      })

    /**
     * Some people of a provider whose sessions or keys were used since their last check, before a time; the longest ago
     * first.
     *
     * @param checkedBeforeMs when the check is due
     * @param triedBeforeMs when a failed one may be tried again
     */
    const due = (
      issuer: string,
      checkedBeforeMs: number,
      triedBeforeMs: number,
      nowMs: number
    ): Effect.Effect<ReadonlyArray<Person>, SqlError> =>
      Effect.map(
        sql`${all} WHERE p.issuer = ${issuer} AND p.ended_at IS NULL AND t.refresh_token IS NOT NULL
          AND p.checked_at <= ${checkedBeforeMs} AND t.tried_at <= ${triedBeforeMs}
          AND (EXISTS (SELECT 1 FROM sessions s
              WHERE s.person_id = p.id AND s.last_used_at > p.checked_at AND s.expires_at > ${nowMs})
            OR EXISTS (SELECT 1 FROM keys k
              WHERE k.person_id = p.id AND k.last_used_at > p.checked_at AND k.revoked_at IS NULL))
          ORDER BY t.tried_at LIMIT ${mostDue}`,
        people.all
      )

    /** Reserves a person's check for this process; false if another has it. */
    const claim = ({ id, tried_at }: Person, nowMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE provider_tokens SET tried_at = ${nowMs} WHERE person_id = ${id} AND tried_at = ${tried_at}
          RETURNING person_id`,
        (claimed) => claimed.length > 0
      )

    /** The provider gave new tokens; false if a sign-in has replaced the old ones meanwhile. */
    const refreshed = ({ id, refresh_token }: Person, next: SealedTokens): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE provider_tokens SET refresh_token = ${next.refreshToken}, id_token = ${next.idToken}, failing_since = NULL
          WHERE person_id = ${id} AND refresh_token = ${refresh_token} RETURNING person_id`,
        (changed) => changed.length > 0
      )

    /** The provider did not answer. */
    const failed = (id: string, nowMs: number): Effect.Effect<void, SqlError> =>
      Effect.asVoid(
        sql`UPDATE provider_tokens SET failing_since = COALESCE(failing_since, ${nowMs}) WHERE person_id = ${id}`
      )

    /** People whose keys are held, or may have to be. @param issuers those of the configuration */
    const doubtful = (issuers: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Person>, SqlError> =>
      Effect.map(
        sql`${all} WHERE p.ended_at IS NULL AND (p.held IS NOT NULL OR t.failing_since IS NOT NULL
          OR t.refresh_token IS NULL OR ${issuers.length === 0 ? sql`1 = 1` : sql`NOT ${sql.in("p.issuer", issuers)}`})`,
        people.all
      )

    /** Revokes a person's keys of other accounts than these. Their ids. */
    const revokeBeyond = (id: string, accounts: PersonRole["accounts"], nowMs: number) =>
      Effect.gen(function* () {
        if (accounts === "all") return []
        const keys = owned.all(
          yield* sql`SELECT id, account_id FROM keys WHERE person_id = ${id} AND revoked_at IS NULL`
        )
        const beyond = keys.flatMap((key) => (reachesAccount(accounts, key.account_id) ? [] : [key.id]))
        if (beyond.length > 0) yield* sql`UPDATE keys SET revoked_at = ${nowMs} WHERE ${sql.in("id", beyond)}`
        return beyond
      })

    /** Stops a person's keys for a reason, or lets them work again. */
    const hold = (id: string, held: Person["held"]): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`UPDATE people SET held = ${held} WHERE id = ${id}`)

    /** Removes a person: sessions and tokens end, keys stop until they sign in again. Run it in a transaction. */
    const end = (id: string, nowMs: number): Effect.Effect<Ended, SqlError> =>
      Effect.gen(function* () {
        yield* sql`UPDATE people SET ended_at = ${nowMs}, held = 'over' WHERE id = ${id}`
        yield* sql`UPDATE provider_tokens SET refresh_token = NULL, id_token = NULL WHERE person_id = ${id}`
        yield* sql`DELETE FROM mcp_grants WHERE person_id = ${id}`
        const sessions = yield* sql`DELETE FROM sessions WHERE person_id = ${id} RETURNING id`
        const tokens = sql`DELETE FROM person_tokens WHERE key_id IN (SELECT id FROM keys WHERE person_id = ${id})`
        // The first waits for a refresh under way, whose new tokens only the second sees.
        yield* Effect.zipRight(tokens, tokens)
        const keys = yield* sql`SELECT id FROM keys WHERE person_id = ${id} AND revoked_at IS NULL`
        return { sessions: sessions.length, keys: ids.all(keys).map((key) => key.id) }
      })

    return {
      find,
      some,
      inAccount,
      idOf,
      told,
      signedIn,
      due,
      claim,
      refreshed,
      failed,
      doubtful,
      hold,
      revokeBeyond,
      end
    } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<People, "_tag">>) => testDouble(People, given)
}

/** The sessions that ended with a person, and the keys that wait until they sign in again. */
interface Ended {
  readonly sessions: number
  readonly keys: ReadonlyArray<string>
}

const identityColumns = ({ email, groups, name }: Identity) => ({ email, name, groups: JSON.stringify(groups) })

const roleColumns = ({ accounts, bodies, role }: PersonRole) => ({
  role,
  accounts: JSON.stringify(accounts),
  bodies: bodies ? 1 : 0
})

/** Before the first sign-in has told anything. */
const blank = {
  email: "",
  name: "",
  groups: "[]",
  role: "member",
  accounts: "[]",
  bodies: 0,
  seen_at: 0,
  checked_at: 0,
  ended_at: null,
  held: null
}

const identityOf = {
  id: Schema.String,
  issuer: Schema.String,
  subject: Schema.String,
  email: Schema.String,
  name: Schema.String,
  groups: Schema.parseJson(Schema.Array(Schema.String)),
  seen_at: Schema.Int,
  checked_at: Schema.Int
}

const knownPeople = rows("people", identityOf)
export type KnownPerson = ReturnType<typeof knownPeople.one>

const inAccountColumns = {
  ...identityOf,
  /** Own keys in the account that can be used. */
  active_keys: Schema.Int,
  key_used_at: Schema.NullOr(Schema.Int),
  session_used_at: Schema.NullOr(Schema.Int)
}
const inAccounts = rows("people", inAccountColumns)
type PersonInAccount = Schema.Struct.Type<typeof inAccountColumns>

const columns = {
  ...identityOf,
  ended_at: Schema.NullOr(Schema.Int),
  refresh_token: Schema.NullOr(Schema.String),
  id_token: Schema.NullOr(Schema.String),
  tried_at: Schema.Int,
  failing_since: Schema.NullOr(Schema.Int),
  held: Schema.NullOr(Schema.Literal("away", "over"))
}
const people = rows("people", columns)
const ids = rows("people", { id: Schema.String })
const owned = rows("keys", { id: Schema.String, account_id: Schema.String })

/** A person as stored. */
export type Person = Schema.Struct.Type<typeof columns>
