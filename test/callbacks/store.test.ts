import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { DeliveryStore } from "../../src/callbacks/DeliveryStore.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { callbacks, createTask, moveTask, owner, quiet, sending, storage, stubReceiver } from "./world.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-callbacks-"))
afterAll(() => rmSync(folder, { recursive: true }))

const hook = "https://receiver.test/hook"
const host = "receiver.test"
const outcome = (status: number) => ({ startedAtMs: 0, endedAtMs: 0, status })

/** A process on a database file; leaving it without a word is what kill -9 looks like to the rows. */
const processOn = (name: string) => callbacks.pipe(Layer.provideMerge(storage(`sqlite:${join(folder, name)}`)))

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ state: string; body: string; id: string }>`SELECT id, state, body FROM deliveries ORDER BY sequence`
)

describe("deliveries in the database", () => {
  it.effect("are there exactly if the change is", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const commits = yield* Commits
      const sql = yield* SqlClient.SqlClient
      yield* createTask("t1", hook)
      const change = {
        taskId: "t1",
        account: owner,
        sequence: 2,
        status: "running",
        terminal: false,
        url: hook,
        body: "{}",
        changedAtMs: 0
      }
      yield* Effect.flip(commits.write(Effect.zipRight(store.insert(change), Effect.fail("the change was refused"))))
      expect(yield* rows).toHaveLength(1)
      yield* Effect.exit(sql.withTransaction(Effect.zipRight(store.insert(change), Effect.die("the process died"))))
      expect(yield* rows).toHaveLength(1)
      yield* commits.write(store.insert(change))
      expect((yield* rows).map((row) => row.state)).toEqual(["pending", "waiting"])
    }).pipe(Effect.provide(processOn("atomic.db")))
  )

  it.effect("that a dead process was sending are sent by the next one at once, with the same id and bytes", () =>
    Effect.gen(function* () {
      const before = yield* Effect.gen(function* () {
        const store = yield* DeliveryStore
        yield* createTask("t1", hook)
        yield* moveTask("t1", "running")
        expect(yield* store.claim(host, 10)).toHaveLength(1)
        return yield* rows
      }).pipe(Effect.provide(processOn("killed.db")))

      const receiver = stubReceiver(() => 200)
      yield* Effect.zipRight(quiet, quiet).pipe(
        Effect.provide(sending(receiver.layer, `sqlite:${join(folder, "killed.db")}`))
      )
      expect(receiver.sent.map(({ id, body, atMs }) => ({ id, body, atMs }))).toEqual(
        before.map(({ id, body }) => ({ id, body, atMs: 0 }))
      )
    })
  )

  it.effect("are given back by a process that is told to stop", () =>
    Effect.gen(function* () {
      const url = `sqlite:${join(folder, "stopped.db")}`
      const receiver = stubReceiver(() => Effect.never)
      yield* Effect.zipRight(createTask("t1", hook), quiet).pipe(Effect.provide(sending(receiver.layer, url)))
      expect(receiver.sent).toHaveLength(1)
      const store = yield* Effect.map(DeliveryStore, (store) => store.claim(host, 1)).pipe(
        Effect.flatten,
        Effect.provide(processOn("stopped.db"))
      )
      expect(store).toMatchObject([{ tries: 0, attempts: [] }])
    })
  )

  it.effect("ignore what a sender says after its lease went to another", () =>
    Effect.gen(function* () {
      const paused = yield* DeliveryStore
      yield* createTask("t1", hook)
      const [late] = yield* paused.claim(host, 1)
      expect(yield* paused.claim(host, 1)).toEqual([])
      yield* TestClock.adjust("31 seconds")
      const [again] = yield* paused.claim(host, 1)
      expect(again?.id).toBe(late!.id)
      yield* paused.finish(late!, outcome(200))
      yield* paused.release(late!)
      expect((yield* rows)[0]?.state).toBe("pending")
      expect(yield* paused.claim(host, 1)).toEqual([])
      yield* paused.finish(again!, outcome(200))
      expect((yield* rows)[0]?.state).toBe("delivered")
    }).pipe(Effect.provide(processOn("paused.db")))
  )

  it.effect("of one task are never two under way, however changes and answers fall together", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const tasks = yield* TaskStore
      yield* createTask("t1", hook)
      const [queued] = yield* store.claim(host, 10)
      yield* Effect.all(
        [Effect.exit(moveTask("t1", "running")), store.finish(queued!, outcome(500)), tasks.end("t1", "cancelled")],
        { concurrency: "unbounded" }
      )
      const seen: Array<string> = []
      for (let i = 0; i < 5; i++) {
        const claimed = yield* store.claim(host, 10)
        expect(claimed.length).toBeLessThanOrEqual(1)
        for (const held of claimed) {
          seen.push(held.status)
          yield* store.finish(held, outcome(200))
        }
      }
      expect(seen.at(-1)).toBe("cancelled")
      expect(
        (yield* rows).map((row) => row.state).filter((state) => state === "waiting" || state === "pending")
      ).toEqual([])
    }).pipe(Effect.provide(processOn("races.db")))
  )

  it.effect("name every receiver with something to send, by hops in the index", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forEach(["b", "a", "c", "a"], (name, i) => createTask(`t${i}`, `https://${name}.test/`))
      expect((yield* store.hosts).map((one) => one.host)).toEqual(["a.test", "b.test", "c.test"])
      const plan = yield* sql<{ detail: string }>`EXPLAIN QUERY PLAN
        SELECT id FROM deliveries WHERE host = 'a.test' AND next_at <= 5 ORDER BY next_at LIMIT 3`
      expect(plan.map((row) => row.detail).join()).toContain("deliveries_due")
      expect(plan.map((row) => row.detail).join()).not.toContain("TEMP B-TREE")
    }).pipe(Effect.provide(processOn("hosts.db")))
  )
})
