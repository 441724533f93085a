import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"

/** Device grants (RFC 8628): programs that wait until a person lets them in. Their codes are known by hash alone. */
export class DeviceGrants extends Effect.Service<DeviceGrants>()("gateway/people/programs/store/DeviceGrants", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Makes room for an address: the oldest grant goes that waits for the address with the most, of several the one that
     * has waited longest. False if no other has more than this one, so that a stranger at many addresses keeps out no one
     * but himself.
     */
    const makeRoom = (address: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`DELETE FROM device_grants WHERE hash = (
          SELECT hash FROM device_grants WHERE state = 'waiting' AND address = (
            SELECT address FROM device_grants WHERE state = 'waiting' GROUP BY address
            HAVING COUNT(*) > (SELECT COUNT(*) FROM device_grants WHERE address = ${address})
            ORDER BY COUNT(*) DESC, MIN(expires_at) LIMIT 1
          ) ORDER BY expires_at LIMIT 1
        ) RETURNING hash`,
        (removed) => removed.length > 0
      )

    /** Stores a grant; false if too many are waiting, or if another has its code. */
    const insert = (grant: DeviceGrant, nowMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM device_grants WHERE expires_at <= ${nowMs}`
        const [waiting] = counts.all(yield* sql`SELECT COUNT(*) AS count FROM device_grants`)
        if ((waiting?.count ?? 0) >= mostWaiting && !(yield* makeRoom(grant.address))) return false
        const inserted = yield* sql`INSERT INTO device_grants ${sql.insert({ ...grant })}
          ON CONFLICT (user_code) DO NOTHING RETURNING hash`
        return inserted.length > 0
      })

    /** The unexpired grant of a user code. */
    const ofCode = (userCode: string, nowMs: number): Effect.Effect<DeviceGrant | undefined, SqlError> =>
      Effect.map(sql`SELECT * FROM device_grants WHERE user_code = ${userCode} AND expires_at > ${nowMs}`, grants.first)

    const ofHash = (hash: string): Effect.Effect<DeviceGrant | undefined, SqlError> =>
      Effect.map(sql`SELECT * FROM device_grants WHERE hash = ${hash}`, grants.first)

    /** A person's decision; false if one was made before. */
    const decide = (
      hash: string,
      {
        account,
        person,
        state
      }: { readonly state: "approved" | "denied"; readonly person: string; readonly account: string | null }
    ): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE device_grants SET ${sql.update({ state, person_id: person, account_id: account })}
          WHERE hash = ${hash} AND state = 'waiting' RETURNING hash`,
        (decided) => decided.length > 0
      )

    const polled = (hash: string, nowMs: number): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`UPDATE device_grants SET polled_at = ${nowMs} WHERE hash = ${hash}`)

    /** Uses a grant up; false if another poll was first. */
    const take = (hash: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(sql`DELETE FROM device_grants WHERE hash = ${hash} RETURNING hash`, (taken) => taken.length > 0)

    return { insert, ofCode, ofHash, decide, polled, take } as const
  })
}) {}

/** Grants at a time: strangers may begin some. */
const mostWaiting = 10_000

const columns = {
  hash: Schema.String,
  user_code: Schema.String,
  /** The program as it names itself: `claude_code`. */
  surface: Schema.String,
  issues: Schema.Literal("token", "key"),
  client: Schema.String,
  address: Schema.String,
  state: Schema.Literal("waiting", "approved", "denied"),
  person_id: Schema.NullOr(Schema.String),
  account_id: Schema.NullOr(Schema.String),
  expires_at: Schema.Int,
  polled_at: Schema.Int
}
const grants = rows("device_grants", columns)
const counts = rows("device_grants", { count: Schema.Int })

/** A grant as stored. */
export type DeviceGrant = Schema.Struct.Type<typeof columns>
