import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import type { Settlement } from "../../src/contract/records/Settlement.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { UnusedCall } from "../../src/ledger/Charge.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { free, fromUsd } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { ClockSource } from "../../src/sql/Changes.ts"
import { database } from "../sql/engines.ts"

export const live = Layer.mergeAll(Ledger.Default, Grants.Default).pipe(
  Layer.provide(Layer.succeed(ClockSource, "process")),
  Layer.provideMerge(database())
)

export const team = AccountId.make("team")
export const caller = Caller.unrestricted(team, "key_1")
/** A dollar a token of output. */
const price = fromUsd({ output: 1_000_000 })
export const tokens = (outputTokens: number) => ({ ...noUsage, outputTokens })
export const dollars = (n: number) => nanoUsd(n)

export const account = (grant?: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
    const grants = yield* Grants
    if (grant !== undefined) yield* grants.credit(team, dollars(grant), "test")
  })

export const open = (
  most: number,
  options: {
    caller?: Caller
    free?: boolean
    tellCost?: (told: Settlement) => void
    unused?: ReadonlyArray<UnusedCall>
  } = {}
) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.open({
      caller: options.caller ?? caller,
      requestId: "req",
      model: "m",
      upstream: "u",
      price: options.free === true ? free : price,
      mostNanoUsd: () => dollars(most),
      mostTokens: () => most,
      ...(options.unused !== undefined && { unused: options.unused }),
      ...(options.tellCost !== undefined && { tellCost: options.tellCost })
    })
  )

/** What the tables say; the memory's view must agree with it once everything is written. */
export const audit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  yield* ledger.flush
  const [stored] = yield* sql<{ granted: number; settled: number; rows: number; grants: number; keys: number }>`
    SELECT granted_nano_usd AS granted, settled_nano_usd AS settled,
      (SELECT CAST(COALESCE(SUM(cost_nano_usd), 0) AS BIGINT) FROM usage WHERE account_id = ${team}) AS rows,
      (SELECT CAST(COALESCE(SUM(nano_usd), 0) AS BIGINT) FROM grants WHERE account_id = ${team}) AS grants,
      (SELECT CAST(COALESCE(SUM(nano_usd), 0) AS BIGINT) FROM key_spending) AS keys
    FROM accounts WHERE id = ${team}`
  const balance = yield* ledger.balance(team)
  expect(stored?.settled).toBe(stored?.rows)
  expect(stored?.keys).toBe(stored?.rows)
  expect(stored?.granted ?? 0).toBe(stored?.grants)
  expect(balance.settled).toBe(stored?.settled)
  return balance
})
