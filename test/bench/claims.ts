import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { CallbackOutbox } from "../../src/callbacks/CallbackOutbox.ts"
import { DeliveryStore } from "../../src/callbacks/store/DeliveryStore.ts"
import { DeliveryWake } from "../../src/callbacks/DeliveryWake.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { Leases } from "../../src/tasks/store/Leases.ts"
import { TaskStore } from "../../src/tasks/store/TaskStore.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"

/**
 * `bun test/bench/claims.ts`: how many tasks a second twelve workers of one node claim and give back on Postgres, with a
 * thousand tasks stored, and with a million.
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
const world = Leases.Default.pipe(
  Layer.provideMerge(TaskStore.Default),
  Layer.provide(Layer.merge(CallbackOutbox, kinds)),
  Layer.provideMerge(Layer.merge(DeliveryStore.Default, DeliveryWake.Default)),
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(layer({ url: postgres.url, exclusive: true }))
)

const measured = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leases = yield* Leases
  const times: Array<number> = []
  /** @param state of tasks that are over, or wait */
  const store = (from: number, to: number, state: string) => sql`
    INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, details, changes, attempts, tries, next_run_at,
      created_at, updated_at, ended_at)
    SELECT 'task-' || n, 'video', 'acc', 'key', 'm', given.state, 'video:m', '{}', 0, 0, 0, n, n, n,
      CASE WHEN given.state = 'queued' THEN NULL ELSE n END
    FROM generate_series(${from}::bigint, ${to}::bigint) AS n, (SELECT ${state}::text AS state) AS given`

  const claimed = (seconds: number) =>
    Effect.gen(function* () {
      times.length = 0
      const until = performance.now() + seconds * 1_000
      const worker = Effect.gen(function* () {
        while (performance.now() < until) {
          const began = performance.now()
          const [one] = yield* leases.claim("video:m", 1)
          times.push(performance.now() - began)
          if (one !== undefined) yield* leases.release(one, { crashed: false, againInMs: 0 })
        }
      })
      yield* Effect.replicateEffect(worker, 12).pipe(Effect.withConcurrency("unbounded"))
      const sorted = times.toSorted((one, other) => one - other)
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
      return { rate: Math.round(sorted.length / seconds), p99: Number(p99.toFixed(1)) }
    })

  const look = (stored: number) =>
    Effect.gen(function* () {
      yield* sql`ANALYZE tasks`
      yield* claimed(2)
      const rounds = [yield* claimed(4), yield* claimed(4), yield* claimed(4)]
      const middle = rounds.toSorted((one, other) => one.rate - other.rate)[1]
      console.log(`| ${stored.toLocaleString("en")} | ${middle?.rate.toLocaleString("en")} | ${middle?.p99} |`)
    })

  console.log("| stored tasks | claimed and given back a second | claim p99, ms |\n|--:|--:|--:|")
  yield* store(1, 200, "queued")
  yield* store(201, 1_000, "succeeded")
  yield* look(1_000)
  for (let from = 1_001; from < 1_000_000; from += 100_000) {
    yield* store(from, Math.min(1_000_000, from + 99_999), "succeeded")
  }
  yield* sql`VACUUM tasks`
  yield* look(1_000_000)
}).pipe(Effect.provide(world), Effect.withTracerEnabled(false))

await Effect.runPromise(measured)
await postgres.dispose()
process.exit(0)
