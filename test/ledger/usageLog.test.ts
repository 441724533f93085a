import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { UsageRow } from "../../src/ledger/store/usageRows.ts"
import type { BalanceOperations } from "../../src/ledger/BalanceOperations.ts"
import { BalanceStore } from "../../src/ledger/BalanceStore.ts"
import { makeLocalBalances } from "../../src/ledger/localBalances.ts"
import { makeUsageLog } from "../../src/ledger/UsageLog.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { aheadOf } from "../../src/sql/prepare.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"

const team = AccountId.make("team")
const row = (requestId: string, costNanoUsd: number): UsageRow => ({
  atMs: 0,
  requestId,
  account: team,
  key: KeyId.make("key_1"),
  model: "m",
  upstream: "u",
  outcome: "finished",
  estimated: false,
  used: { ...noUsage, outputTokens: 1 },
  price: "",
  costNanoUsd,
  upstreamCostNanoUsd: costNanoUsd,
  aboveHoldNanoUsd: 0
})

const services = Layer.mergeAll(BalanceStore.Default, Changes.Default, Commits.Default, Daemons.Default).pipe(
  Layer.provideMerge(database()),
  Layer.provideMerge(Layer.sync(Metrics, makeMetrics))
)

describeOnEach("the usage log", () => {
  it.live("a usage row that the database refuses is set aside, and keeps no other one from being stored", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
      // By the way that adds sums up at once.
      const { unheld: _, ...balances } = yield* BalanceStore
      const log = yield* makeUsageLog(balances, () => false)
      const lost: Array<string> = []
      // All of one commit: in half a nano-dollar there is no money.
      log.append(row("first", 5))
      const awaited = log.appendAwaited(row("broken", 1.5), () => lost.push("broken"))
      log.append(row("free", 0))
      log.append({ ...row("free and broken", 0), used: { ...noUsage, outputTokens: -1 } })
      log.append(row("last", 7))
      yield* Effect.promise(() => Promise.resolve(awaited))
      yield* log.flush
      const stored = yield* sql<{ request_id: string }>`SELECT request_id FROM usage`
      expect(stored.map(({ request_id }) => request_id).toSorted()).toEqual(["first", "free", "last"])
      expect(lost).toEqual(["broken"])
      const [sums] = yield* sql<{ settled_nano_usd: number }>`SELECT settled_nano_usd FROM accounts`
      expect(sums?.settled_nano_usd).toBe(12)
      // And what comes after is stored.
      log.append(row("later", 1))
      yield* log.flush
      expect(yield* sql`SELECT request_id FROM usage WHERE request_id = 'later'`).toHaveLength(1)
      expect((yield* Metrics).registry.text()).toContain("gateway_usage_refused_total 2")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live("writes each row once, however often a commit is tried, and tells who waits where none can begin", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (id, created_at) VALUES (${team}, 0)`
      const { send: _, ...others } = yield* Commits
      let tries = 0
      const send: Commits["send"] = (statements, as, ended) => {
        if (++tries === 1) return ended(Exit.fail(new SqlError({ cause: { errno: "08006" } })))
        const write = aheadOf(statements)
        const undone = others.commit(Effect.zipRight(write, Effect.fail("a deadlock")), as)
        Effect.runFork(Effect.zipRight(Effect.ignore(undone), others.commit(write, as))).addObserver(ended)
      }
      const log = yield* Effect.flatMap(makeLocalBalances, (books) => makeUsageLog(books, () => false)).pipe(
        Effect.provideService(Commits, new Commits({ ...others, send }))
      )
      const lost: Array<string> = []
      const cut = log.appendAwaited(row("cut", 3), () => lost.push("cut"))
      yield* Effect.promise(() => expect(cut).rejects.toThrow("could not be stored"))
      log.append(row("behind", 0))
      yield* Effect.promise(() => Promise.resolve(log.appendAwaited(row("awaited", 5), () => lost.push("awaited"))))
      yield* log.flush
      const stored = yield* sql<{ request_id: string }>`SELECT request_id FROM usage ORDER BY request_id`
      expect(stored.map(({ request_id }) => request_id)).toEqual(["awaited", "behind"])
      expect(lost).toEqual(["cut"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live("keeps rows of unknown outcome until it is known, then writes or forgets them", () =>
    Effect.gen(function* () {
      const written: Array<ReadonlyArray<string>> = []
      const error = new SqlError({ cause: {} })
      let learn = () => {}
      const write: BalanceOperations["write"] = (take, ended, doubtful) => {
        written.push(take().map(({ requestId }) => requestId))
        if (written.length > 1) return ended(Exit.void)
        doubtful(Cause.fail(error))
        learn = () => ended(Exit.fail(error))
      }
      const log = yield* makeUsageLog({ write, unsettle: () => {}, longestPauseMs: 5 }, () => false)
      const lost: Array<string> = []
      log.append(row("paid", 5))
      const awaited = log.appendAwaited(row("awaited", 3), () => lost.push("awaited"))
      yield* Effect.promise(() => expect(awaited).rejects.toThrow("could not be stored"))
      expect(lost).toEqual([])
      log.append(row("later", 1))
      expect(written).toHaveLength(1)
      learn()
      expect(lost).toEqual(["awaited"])
      yield* log.flush
      expect(written[0]).toEqual(["paid", "awaited"])
      expect(written.slice(1).flat().toSorted()).toEqual(["later", "paid"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
