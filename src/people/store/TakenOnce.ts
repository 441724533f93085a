import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"

/** Names that count once, on whichever node they come: the state of a sign-in, a logout token. */
export class TakenOnce extends Effect.Service<TakenOnce>()("gateway/people/store/TakenOnce", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * True for the first to take it.
     *
     * @param expiresAtMs from when on it is refused anyway
     */
    const take = (name: string, expiresAtMs: number): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* sql`DELETE FROM sign_ins WHERE expires_at <= ${nowMs}`
        const row = { hash: Bun.SHA256.hash(name, "hex"), expires_at: expiresAtMs }
        const first = yield* sql`INSERT INTO sign_ins ${sql.insert(row)} ON CONFLICT (hash) DO NOTHING RETURNING hash`
        return first.length > 0
      }).pipe(Effect.orDie)

    return { take } as const
  })
}) {}
