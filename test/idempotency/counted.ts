import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import type { Once } from "../../src/contract/handlers.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { KeptAnswers } from "../../src/idempotency/store/KeptAnswers.ts"
import { database } from "../sql/engines.ts"

export const live = Layer.mergeAll(Idempotency.Default, KeptAnswers.Default).pipe(Layer.provideMerge(database()))
const shape = { status: 200, render: (value: unknown) => JSON.stringify(value) }
export const request = { account: AccountId.make("a"), endpoint: "e", key: "k", bodyHash: "h" }
export type Start = (once: Once) => Effect.Effect<unknown, unknown>

export const ask = (start: Start, over: Partial<typeof request> = {}) =>
  Effect.flatMap(Idempotency, (idempotency) => idempotency.answer({ ...request, ...over }, start, shape))

export const contentOf = (response: Response) =>
  Effect.map(
    Effect.promise(() => response.text()),
    (text) => ({ status: response.status, replayed: response.headers.get("idempotent-replayed"), text })
  )

export const askText = (start: Start, over: Partial<typeof request> = {}) => Effect.flatMap(ask(start, over), contentOf)

export const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ n: number }>`SELECT COUNT(*) AS n FROM kept_answers`
).pipe(Effect.map((found) => found[0]?.n))
