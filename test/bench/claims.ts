import { SqlClient } from "@effect/sql"
import type { StoreFailure } from "../../src/tasks/StoreFailure.ts"
import { Effect, Layer, ManagedRuntime } from "effect"
import { CallbackOutbox } from "../../src/callbacks/CallbackOutbox.ts"
import { DeliveryStore } from "../../src/callbacks/store/DeliveryStore.ts"
import { DeliveryWake } from "../../src/callbacks/DeliveryWake.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import type { LeaseLost } from "../../src/tasks/TaskKind.ts"
import { median } from "./load.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"

/**
 * `bun test/bench/claims.ts`: how many tasks a second twelve workers of one node claim and give back on Postgres, with a
 * thousand tasks stored, and with a million: two databases of one server, by turns, so that whatever else the machine
 * does falls on both.
 */
const programs = postgresPrograms()
if (programs === undefined) throw new Error("Postgres is not installed (Debian's package `postgresql`)")
const postgres = await startPostgres(programs)

const kinds = Layer.succeed(
  TaskKinds,
  taskKinds({
    name: "video",
    parallel: 12,
    run: () => Effect.succeed({ patch: {}, againInMs: 1_000 }),
    record: ({ id }) => ({ id }),
    gaveUp: (message) => ({ code: "gave_up", message })
  })
)
const worldOf = (url: string) =>
  TaskStore.Default.pipe(
    Layer.provideMerge(TaskChanges.Default),
    Layer.provide(Layer.merge(CallbackOutbox, kinds)),
    Layer.provideMerge(Layer.merge(DeliveryStore.Default, DeliveryWake.Default)),
    Layer.provideMerge(Commits.Default),
    Layer.provideMerge(layer({ url, exclusive: true }))
  )

interface Claimed {
  readonly rate: number
  /** In ms. */
  readonly p99: number
}

/** @param state of tasks that are over, or wait */
const store = (from: number, to: number, state: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
    INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, details, changes, attempts, tries, next_run_at,
      created_at, updated_at, ended_at)
    SELECT 'task-' || n, 'video', 'acc', 'key', 'm', given.state, 'video:m', '{}', 0, 0, 0, n, n, n,
      CASE WHEN given.state = 'queued' THEN NULL ELSE n END
    FROM generate_series(${from}::bigint, ${to}::bigint) AS n, (SELECT ${state}::text AS state) AS given`
  )

const claimed = (seconds: number): Effect.Effect<Claimed, StoreFailure | LeaseLost, TaskStore> =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const times: Array<number> = []
    const until = performance.now() + seconds * 1_000
    const worker = Effect.gen(function* () {
      while (performance.now() < until) {
        const began = performance.now()
        const [one] = yield* store.claim("video:m", 1)
        times.push(performance.now() - began)
        if (one !== undefined) yield* store.release(one, { crashed: false, againInMs: 0 })
      }
    })
    yield* Effect.replicateEffect(worker, 12).pipe(Effect.withConcurrency("unbounded"))
    const sorted = times.toSorted((one, other) => one - other)
    return { rate: sorted.length / seconds, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
  })

const tidy = Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.zipRight(sql`VACUUM ANALYZE tasks`, sql`CHECKPOINT`))

const admin = new Bun.SQL({ url: postgres.url, max: 1 })
await admin.unsafe("CREATE DATABASE many")
await admin.close()
const [few, many] = [postgres.url, Object.assign(new URL(postgres.url), { pathname: "/many" }).href].map((url) =>
  ManagedRuntime.make(worldOf(url))
)
if (few === undefined || many === undefined) throw new Error("two databases are compared")

await few.runPromise(Effect.all([store(1, 200, "queued"), store(201, 1_000, "succeeded"), tidy]))
await many.runPromise(store(1, 200, "queued"))
for (let from = 201; from < 1_000_000; from += 100_000)
  await many.runPromise(store(from, Math.min(1_000_000, from + 99_999), "succeeded"))
await many.runPromise(tidy)

const [ofFew, ofMany]: [Array<Claimed>, Array<Claimed>] = [[], []]
for (const one of [few, many]) await one.runPromise(claimed(2))
for (let round = 0; round < 9; round++) {
  ofFew.push(await few.runPromise(claimed(2)))
  ofMany.push(await many.runPromise(claimed(2)))
}
const row = (stored: string, found: ReadonlyArray<Claimed>) =>
  console.log(
    `| ${stored} | ${Math.round(median(found.map(({ rate }) => rate)))} | ${median(found.map(({ p99 }) => p99)).toFixed(1)} |`
  )
console.log("| stored tasks | claimed and given back a second | claim p99, ms |\n|--:|--:|--:|")
row("1,000", ofFew)
row("1,000,000", ofMany)
const ratios = ofMany.map(({ rate }, round) => rate / (ofFew[round]?.rate ?? NaN))
console.log(`\na million to a thousand: ${median(ratios).toFixed(2)} (the median of nine rounds)`)
await Promise.all([few.dispose(), many.dispose()])
await postgres.dispose()
process.exit(0)
