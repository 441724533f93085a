import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { edenGC } from "bun:jsc"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as ApiKey from "../../src/access/ApiKey.ts"
import { Keys } from "../../src/access/store/Keys.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { Commits } from "../../src/sql/Commits.ts"
import * as Database from "../../src/sql/Database.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"

/**
 * How long one create, read, claim and key look-up take over a database that holds `tasks` finished tasks and 100,000
 * keys. Databases of every size are open at once and asked in turn, so that noise falls on all alike.
 */
export type Operation = "create" | "read" | "claim" | "key"
/** p99 in ms, by operation, one for each size. */
export type Tails = Readonly<Record<Operation, ReadonlyArray<number>>>

const account = AccountId.make("bench")
const key = KeyId.make("key_bench")
const keys = 100_000

const open = (file: string) =>
  ManagedRuntime.make(
    TaskStore.Default.pipe(
      Layer.provideMerge(TaskChanges.Default),
      Layer.provide(Layer.merge(Outbox.none, Layer.succeed(TaskKinds, taskKinds()))),
      Layer.provideMerge(Layer.mergeAll(Commits.Default, Keys.Default)),
      Layer.provideMerge(Database.layer({ url: `sqlite:${file}`, exclusive: true }))
    )
  )

const seed = (tasks: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* Keys
    yield* sql`PRAGMA synchronous = OFF`
    yield* store.create({ account, name: "bench" })
    yield* sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${tasks})
      INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, details, result, changes, attempts, tries,
        next_run_at, created_at, updated_at, ended_at)
      SELECT printf('old_%08d_%s', i, hex(randomblob(8))), 'video', 'bench', 'key_bench', 'sandbox-video', 'succeeded',
        'sandbox', '{"prompt":"a cat"}', '{"videoUrl":"http://127.0.0.1/x.mp4"}', 3, 0, 0,
        1700000000000 + i, 1700000000000 + i, 1700000000000 + i, 1700000000000 + i FROM n`
    yield* sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${keys})
      INSERT INTO keys (id, account_id, name, hash, hint, models, limits, created_at)
      SELECT printf('key_%d', i), 'bench', 'bench', lower(hex(randomblob(32))), 'gw_', '["*"]', '{}', 0 FROM n`
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    yield* sql`PRAGMA synchronous = FULL`
  })

/** One of each operation; answers how long each took, in ms. */
const sample = (n: number, secret: string) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const stored = yield* Keys
    const id = `task_bench_${n}_${crypto.randomUUID()}`
    const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const begun = performance.now()
        yield* effect
        return performance.now() - begun
      })
    const create = yield* timed(
      store.insert({
        id,
        kind: "video",
        account,
        key,
        model: "sandbox-video",
        lane: "bench",
        details: { prompt: "a cat" },
        request: { prompt: "a cat" },
        createdAtMs: Date.now()
      })
    )
    const read = yield* timed(store.find(account, "video", id))
    const claim = yield* timed(store.claim("bench", 1))
    const keyed = yield* timed(stored.open(ApiKey.hash(secret)))
    return { create, read, claim, key: keyed }
  })

/**
 * In a process of its own: what the rest of a bench has left behind, in the heap and in compiled code, is not the tasks'.
 * Answers ten stretches of it, of as many samples each: what disturbs one falls on all sizes in it alike.
 *
 * @param sizes numbers of finished tasks, ascending
 */
export const measureStored = async (sizes: ReadonlyArray<number>, samples: number): Promise<ReadonlyArray<Tails>> => {
  const child = Bun.spawn([process.execPath, import.meta.path, String(samples), ...sizes.map(String)], {
    stdout: "pipe",
    stderr: "inherit"
  })
  const printed = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`stored tasks were not measured: ${printed}`)
  return JSON.parse(printed) as ReadonlyArray<Tails>
}

const measure = async (sizes: ReadonlyArray<number>, samples: number): Promise<ReadonlyArray<Tails>> => {
  // In memory where there is such a file system: what is asked is whether the statements slow down, not the disk.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "gateway-stored-"))
  const databases = sizes.map((tasks) => ({ tasks, runtime: open(join(folder, `${tasks}.db`)), times: times() }))
  try {
    for (const { runtime, tasks } of databases) await runtime.runPromise(seed(tasks))
    for (let n = 0; n < samples + warm; n++) {
      // Left to itself it stops a hundredth of the creates, which is as many as a p99 leaves out: it would say how many.
      if (n % 4 === 0) edenGC()
      // In random order: otherwise the same server would always be the last before the collector runs.
      for (const { runtime, times } of shuffled(databases)) {
        const took = await runtime.runPromise(sample(n, `secret-${n}`))
        if (n < warm) continue
        for (const operation of operations) times[operation].push(took[operation])
      }
    }
    return Array.from({ length: stretches }, (_, stretch) => {
      const tails = (operation: Operation) => databases.map(({ times }) => p99Of(times[operation], stretch))
      return { create: tails("create"), read: tails("read"), claim: tails("claim"), key: tails("key") }
    })
  } finally {
    for (const { runtime } of databases) await runtime.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

const shuffled = <A>(some: ReadonlyArray<A>): ReadonlyArray<A> =>
  some
    .map((one) => [Math.random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

const warm = 200
const operations = ["create", "read", "claim", "key"] as const
const times = (): Record<Operation, Array<number>> => ({ create: [], read: [], claim: [], key: [] })

const stretches = 10

const p99Of = (times: ReadonlyArray<number>, stretch: number): number => {
  const length = Math.ceil(times.length / stretches)
  const its = times.slice(stretch * length, (stretch + 1) * length).sort((a, b) => a - b)
  return its[Math.floor(its.length * 0.99)] ?? NaN
}

if (import.meta.main) {
  const [samples = NaN, ...sizes] = process.argv.slice(2).map(Number)
  console.log(JSON.stringify(await measure(sizes, samples)))
  process.exit(0)
}
