import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"

/** Sessions, and the links that begin one. Tokens are known by their hash alone. */
export class SessionStore extends Effect.Service<SessionStore>()("gateway/people/signIn/store/SessionStore", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = (session: SessionRow): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`INSERT INTO sessions ${sql.insert({ ...session })}`)

    /** The unexpired session of a token's hash. */
    const open = (hash: string, nowMs: number): Effect.Effect<SessionRow | undefined, SqlError> =>
      Effect.map(
        sql`SELECT * FROM sessions WHERE hash = ${hash} AND kind <> 'link' AND expires_at > ${nowMs}`,
        sessions.first
      )

    /** The key or the person that opened it, by the audit log. */
    const openedBy = sql`(SELECT actor_name FROM audit
      WHERE target = s.id AND action = 'session.open' ORDER BY id LIMIT 1) AS opened_by`

    const find = (id: string): Effect.Effect<ListedSession | undefined, SqlError> =>
      Effect.map(sql`SELECT s.*, ${openedBy} FROM sessions s WHERE s.id = ${id} AND s.kind <> 'link'`, listed.first)

    /** Newest first, without sessions of revoked or expired keys. */
    const list = (
      { limit, offset }: { readonly offset: number; readonly limit: number },
      nowMs: number
    ): Effect.Effect<ReadonlyArray<ListedSession>, SqlError> =>
      Effect.map(
        sql`SELECT s.*, ${openedBy} FROM sessions s LEFT JOIN keys k ON k.hash = s.opened_with
            OR (k.old_hash = s.opened_with AND k.old_until > ${nowMs})
          WHERE s.kind <> 'link' AND s.expires_at > ${nowMs} AND (s.kind = 'operator' OR
            (k.id IS NOT NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})))
          ORDER BY s.created_at DESC, s.id LIMIT ${limit} OFFSET ${offset}`,
        listed.all
      )

    /** Uses up a one-time link; false if there is none. */
    const takeLink = (hash: string, nowMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`DELETE FROM sessions WHERE hash = ${hash} AND kind = 'link' AND expires_at > ${nowMs} RETURNING id`,
        (taken) => taken.length > 0
      )

    const remove = (id: string): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`DELETE FROM sessions WHERE id = ${id}`)

    /** Ends the sessions that a provider opened, of a person or by one of its own sessions. Their number. */
    const removeOf = ({ issuer, providerSession, subject }: OfProvider): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql`DELETE FROM sessions WHERE ${sql.and([
          sql`person_id IN (SELECT id FROM people WHERE issuer = ${issuer})`,
          ...(subject === undefined
            ? []
            : [sql`person_id IN (SELECT id FROM people WHERE issuer = ${issuer} AND subject = ${subject})`]),
          ...(providerSession === undefined ? [] : [sql`provider_session = ${providerSession}`])
        ])} RETURNING id`,
        (removed) => removed.length
      )

    const used = (id: string, nowMs: number): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`UPDATE sessions SET last_used_at = ${nowMs} WHERE id = ${id}`)

    const removeOld = (nowMs: number): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`DELETE FROM sessions WHERE expires_at <= ${nowMs}`)

    return { insert, open, find, list, takeLink, remove, removeOf, used, removeOld } as const
  })
}) {}

/** Sessions of an issuer; at least one of the others is given. */
export interface OfProvider {
  readonly issuer: string
  readonly subject: string | undefined
  readonly providerSession: string | undefined
}

const columns = {
  id: Schema.String,
  hash: Schema.String,
  kind: Schema.Literal("operator", "account", "link"),
  opened_with: Schema.String,
  account_id: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Schema.String),
  person_id: Schema.NullOr(Schema.String),
  /** The provider's own session that opened it. */
  provider_session: Schema.NullOr(Schema.String),
  client: Schema.String,
  address: Schema.String,
  created_at: Schema.Int,
  last_used_at: Schema.Int,
  expires_at: Schema.Int
}
const sessions = rows("sessions", columns)

const listed = rows("sessions", { ...columns, opened_by: Schema.NullOr(Schema.String) })
export type ListedSession = ReturnType<typeof listed.one>

export type SessionRow = Schema.Struct.Type<typeof columns>
