import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { nanoUsd } from "../../src/ledger/nanoUsd.ts"
import { Grants } from "../../src/ledger/store/Grants.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const team = AccountId.make("team")
const dollar = 1_000_000_000
const services = Layer.mergeAll(Ledger.Default, Grants.Default, Commits.Default)

describeOnEach("a task whose answer nobody got", () => {
  it.effect("gives its hold back, and the operator bears what its upstream bills", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* Ledger
      const commits = yield* Commits
      yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
      yield* Effect.flatMap(Grants, (grants) => grants.credit(team, nanoUsd(10), "test"))
      const price = fromUsd({ output: 1_000_000 })
      const task = {
        id: "a",
        caller: Caller.unrestricted(team, "key_1"),
        requestId: "req_a",
        model: "m",
        upstream: "u"
      }
      const hold = { ...task, price, mostNanoUsd: () => 4 * dollar, mostTokens: () => 4 }
      yield* ledger.holding(hold, (row) => commits.commit(row))
      const used = { used: { ...noUsage, outputTokens: 3 }, estimated: false, isUndelivered: true } as const
      expect(yield* commits.commit(ledger.endHold("a", used))).toBe(0)
      expect(yield* ledger.balance(team)).toEqual({ granted: 10 * dollar, settled: 0, held: 0 })
      const rows = yield* sql`SELECT outcome, output_tokens, cost_nano_usd, upstream_cost_nano_usd AS theirs FROM usage`
      expect(rows).toEqual([{ outcome: "given-up", output_tokens: 0, cost_nano_usd: 0, theirs: 3 * dollar }])
    }).pipe(Effect.provide(services.pipe(Layer.provideMerge(database()))))
  )
})
