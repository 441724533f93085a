import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { callbacks, storage } from "./world.ts"

export const hook = "https://receiver.test/hook"
export const host = "receiver.test"
export const outcome = (status: number) => ({ startedAtMs: 0, endedAtMs: 0, status })

/** A process on a database; leaving it without a word is what kill -9 looks like to the rows. */
export const processOn = (name: string) => callbacks.pipe(Layer.provideMerge(storage(name)))

export const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ state: string; body: string; id: string }>`SELECT id, state, body FROM deliveries ORDER BY sequence`
)
