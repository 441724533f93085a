/**
 * The engine alone, on a file with `synchronous = FULL`: durable creates a second, and the p99 of create, read and claim
 * with an empty table and with a million finished tasks in it.
 *
 *   bun test/bench/tasks.ts [--finished 1000000]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, newTask, stores } from "../tasks/engine.ts"

const at = process.argv.indexOf("--finished")
const finished = at === -1 ? 1_000_000 : Number(process.argv[at + 1])

const folder = mkdtempSync(join(tmpdir(), "gateway-bench-"))
const { layer } = stores({ url: `sqlite:${join(folder, "bench.db")}` })

const quantile = (list: Array<number>, q: number) => list.sort((a, b) => a - b)[Math.floor(list.length * q)] ?? 0

type Latencies = Record<"create" | "read" | "claim", Array<number>>

let made = 0
const nextTask = () =>
  newTask(`task_${Date.now().toString(36)}${String(made++).padStart(9, "0")}`, {
    createdAtMs: Date.now(),
    request: { say: "x".repeat(500) }
  })

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>, into: Array<number>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.tap(effect, () => Effect.sync(() => into.push(performance.now() - begun)))
  })

/** Creates by many callers at once: one fsync serves those that wait together. */
const creates = (count: number, callers: number) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const begun = performance.now()
    const each = Effect.forEach(Array.from({ length: count / callers }), () => store.insert(nextTask()), {
      discard: true
    })
    yield* Effect.all(
      Array.from({ length: callers }, () => each),
      { concurrency: "unbounded", discard: true }
    )
    return count / ((performance.now() - begun) / 1_000)
  })

/** One caller, one thing after the other. */
const latencies = (count: number) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const create: Array<number> = []
    const read: Array<number> = []
    const claim: Array<number> = []
    for (let n = 0; n < count; n++) {
      const task = nextTask()
      yield* timed(store.insert(task), create)
      yield* timed(store.find(alice, "test", task.id), read)
      const [held] = yield* timed(store.claim(task.lane, 1), claim)
      if (held !== undefined) yield* store.settle(held, { patch: { state: "succeeded", result: 1 }, againInMs: 0 })
    }
    return { create, read, claim }
  })

/** Finished tasks as they would be after a week, without the engine. */
const fill = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = Date.now()
    for (let from = 0; from < count; from += 50_000) {
      yield* sql`WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${from + 50_000})
        INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, details, result, changes, attempts, tries,
          next_run_at, created_at, updated_at, ended_at)
        SELECT 'task_' || printf('%08d', i), 'test', 'account' || (i % 1000), 'key', 'm', 'succeeded', 'test:m',
          '{"settings":{"resolution":"720p"}}', '{"videoUrl":"http://127.0.0.1/video"}', 3, 0, 0,
          ${now} - 604800000 + i, ${now} - 604800000 + i, ${now} - 604800000 + i, ${now} - 604800000 + i FROM n`
    }
  })

const ended = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM tasks`)

await Effect.gen(function* () {
  yield* creates(2_000, 64)
  const perSecond = [yield* creates(8_000, 64), yield* creates(8_000, 64), yield* creates(8_000, 64)]
  yield* ended
  yield* latencies(200)
  const empty: Array<Latencies> = []
  const full: Array<Latencies> = []
  for (let round = 0; round < 3; round++) empty.push(yield* latencies(1_500))
  yield* fill(finished)
  yield* latencies(200)
  for (let round = 0; round < 3; round++) full.push(yield* latencies(1_500))
  console.log(`durable creates a second, 64 callers: ${perSecond.map(Math.round).join(", ")}`)
  const ms = (seen: ReadonlyArray<Latencies>, what: keyof Latencies, q: number) =>
    quantile(
      seen.flatMap((round) => round[what]),
      q
    )
  console.table(
    Object.fromEntries(
      (["create", "read", "claim"] as const).flatMap((what) =>
        [0.5, 0.99].map((q) => [
          `${what} p${q * 100} ms`,
          {
            empty: ms(empty, what, q).toFixed(3),
            [`${finished} finished`]: ms(full, what, q).toFixed(3),
            "moved by %": ((ms(full, what, q) / ms(empty, what, q) - 1) * 100).toFixed(0)
          }
        ])
      )
    )
  )
}).pipe(Effect.provide(Layer.fresh(layer)), Effect.runPromise)
rmSync(folder, { recursive: true })
