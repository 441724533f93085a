import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Redacted, Schema } from "effect"
import * as ApiKey from "../../../access/ApiKey.ts"
import { MasterSecret } from "../../../access/MasterSecret.ts"
import { rows } from "../../../sql/decode.ts"

/** The tokens that a program gets. */
export interface IssuedTokens {
  readonly access: Redacted.Redacted
  readonly refresh: Redacted.Redacted
}

/** How long an access token opens requests. */
export const accessMs = 3_600_000

/** How long a program may be away before its person has to sign in again. */
const refreshMs = 30 * 24 * 3_600_000

/** Tokens of people's sign-ins, by hash. Those of one sign-in end together. */
export class PersonTokens extends Effect.Service<PersonTokens>()("gateway/people/programs/store/PersonTokens", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { derive } = yield* MasterSecret
    const secret = derive("oauth/refreshed")

    /** Issues an access and a refresh token. */
    const issue = (of: TokenOrigin, nowMs: number): Effect.Effect<IssuedTokens, SqlError> =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM person_tokens WHERE expires_at <= ${nowMs}`
        const issued = { access: ApiKey.generateToken("access"), refresh: ApiKey.generateToken("refresh") }
        return yield* store(of, issued, nowMs)
      })

    /**
     * The tokens in the place of a refresh token, the same each time that it is sent: a sign-in has one line of refresh
     * tokens, and one that is sent after its successor was used tells that someone has a copy.
     *
     * @param atMs when it was replaced
     */
    const succeeding = (
      token: Redacted.Redacted,
      { client, key_id, resource, sign_in }: TokenOrigin,
      atMs: number
    ): Effect.Effect<IssuedTokens, SqlError> => {
      const access = ApiKey.succeedingToken("access", token, secret)
      const refresh = ApiKey.succeedingToken("refresh", token, secret)
      return store({ sign_in, key_id, resource, client }, { access, refresh }, atMs)
    }

    const store = (
      of: TokenOrigin,
      { access, refresh }: Readonly<Record<"access" | "refresh", string>>,
      atMs: number
    ): Effect.Effect<IssuedTokens, SqlError> => {
      const row = { ...of, replaced_at: null }
      return Effect.as(
        sql`INSERT INTO person_tokens ${sql.insert([
          { ...row, hash: ApiKey.hash(access), kind: "access", expires_at: atMs + accessMs },
          { ...row, hash: ApiKey.hash(refresh), kind: "refresh", expires_at: atMs + refreshMs }
        ])} ON CONFLICT (hash) DO NOTHING`,
        { access: Redacted.make(access), refresh: Redacted.make(refresh) }
      )
    }

    const find = (token: Redacted.Redacted, nowMs: number): Effect.Effect<PersonToken | undefined, SqlError> =>
      Effect.map(
        sql`SELECT t.*, k.person_id, k.account_id, k.revoked_at, p.held, p.email, p.ended_at
          FROM person_tokens t JOIN keys k ON k.id = t.key_id JOIN people p ON p.id = k.person_id
          WHERE t.hash = ${ApiKey.hash(Redacted.value(token))} AND t.expires_at > ${nowMs}`,
        tokens.first
      )

    /** Another token comes in the place of this one. Since when; undefined if it has ended. */
    const replaced = (hash: string, nowMs: number): Effect.Effect<number | undefined, SqlError> =>
      Effect.map(
        sql`UPDATE person_tokens SET replaced_at = COALESCE(replaced_at, ${nowMs}) WHERE hash = ${hash}
          RETURNING replaced_at`,
        (found) => replacements.first(found)?.replaced_at
      )

    /** Ends a sign-in: all its tokens. */
    const end = (signIn: string): Effect.Effect<void, SqlError> => {
      const removed = sql`DELETE FROM person_tokens WHERE sign_in = ${signIn}`
      // The first waits for a refresh under way, whose new tokens only the second sees.
      return Effect.asVoid(Effect.zipRight(removed, removed))
    }

    return { issue, succeeding, find, replaced, end } as const
  })
}) {}

const columns = {
  hash: Schema.String,
  sign_in: Schema.String,
  key_id: Schema.String,
  /** The address that it opens alone; null: all that the key opens. */
  resource: Schema.NullOr(Schema.String),
  /** The hash of its program's id; null for a program without one. */
  client: Schema.NullOr(Schema.String),
  kind: Schema.Literal("access", "refresh"),
  expires_at: Schema.Int,
  replaced_at: Schema.NullOr(Schema.Int),
  person_id: Schema.String,
  account_id: Schema.String,
  revoked_at: Schema.NullOr(Schema.Int),
  held: Schema.NullOr(Schema.Literal("away", "over")),
  email: Schema.String,
  ended_at: Schema.NullOr(Schema.Int)
}
const tokens = rows("person_tokens", columns)
const replacements = rows("person_tokens", { replaced_at: Schema.Int })

/** The columns that all tokens of a sign-in share. */
type TokenOrigin = Pick<PersonToken, "key_id" | "sign_in" | "resource" | "client">

/** A token as stored, with its key and person. */
export type PersonToken = Schema.Struct.Type<typeof columns>
