import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { adjust } from "../sql/clock.ts"
import { callbacks, owner, quiet, storage } from "./world.ts"

export const hook = "https://receiver.test/hook"
export const host = "receiver.test"
export const outcome = (status: number) => ({ startedAtMs: 0, endedAtMs: 0, status })

/** A process on a database; leaving it without a word is what kill -9 looks like to the rows. */
export const processOn = (name: string) => callbacks.pipe(Layer.provideMerge(storage(name)))

export const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ state: string; body: string; id: string }>`SELECT id, state, body FROM deliveries ORDER BY sequence`
)

/** Moves the clock in steps, so that what a step makes due runs before the next one. */
export const pass = (span: Duration.DurationInput, step: Duration.DurationInput) =>
  quiet.pipe(
    Effect.zipRight(adjust(step)),
    Effect.repeatN(Math.ceil(Duration.toMillis(span) / Duration.toMillis(step)) - 1),
    Effect.zipRight(quiet)
  )

export const deliveries = (id: string) => Effect.flatMap(Deliveries, (callbacks) => callbacks.list(owner, id))
