import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { deliveryId } from "../../src/callbacks/Delivery.ts"
import { DeliveryList } from "../../src/callbacks/store/DeliveryList.ts"
import { DeliveryStore } from "../../src/callbacks/store/DeliveryStore.ts"
import type { CommitMode } from "../../src/sql/Committer.ts"
import { Commits } from "../../src/sql/Commits.ts"
import type { CallbackFilter } from "../../src/tasks/TaskParams.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { makeMetrics, Metrics } from "../../src/telemetry/Metrics.ts"
import { callbacks, createTask, moveTask, owner, quiet, sending, storage, stubReceiver } from "./world.ts"
import { adjust } from "../sql/clock.ts"
import { describeOnEach } from "../sql/engines.ts"
import { hook, host, outcome, processOn, rows } from "./deliveries.ts"

/** By which way each write went. */
const ways: Array<CommitMode> = []

const recordedCommits = Layer.effect(
  Commits,
  Effect.map(Commits, ({ commit, ...others }) => {
    const recorded: Commits["commit"] = (statements, as = "durable") => {
      if (as !== "first") ways.push(as)
      return commit(statements, as)
    }
    return new Commits({ ...others, commit: recorded })
  })
)

describeOnEach("deliveries in the database", ({ name: engine }) => {
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
      yield* Effect.flip(commits.commit(Effect.zipRight(store.insert(change), Effect.fail("the change was refused"))))
      expect(yield* rows).toHaveLength(1)
      yield* Effect.exit(sql.withTransaction(Effect.zipRight(store.insert(change), Effect.die("the process died"))))
      expect(yield* rows).toHaveLength(1)
      yield* commits.commit(store.insert(change))
      expect((yield* rows).map((row) => row.state)).toEqual(["pending", "waiting"])
    }).pipe(Effect.provide(processOn("atomic")))
  )

  it.effect("are counted while they wait, with the time of the oldest change", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      expect(yield* store.pending).toEqual({ count: 0, oldestMs: null })
      yield* adjust("5 seconds")
      yield* createTask("t1", hook)
      yield* adjust("7 seconds")
      yield* createTask("t2", hook)
      expect(yield* store.pending).toEqual({ count: 2, oldestMs: 5_000 })
      for (const leased of yield* store.claim(host, 1)) yield* store.finish(leased, outcome(200))
      expect(yield* store.pending).toMatchObject({ count: 1 })
    }).pipe(Effect.provide(processOn("counted")))
  )

  it.effect("say of their task whether they were delivered, wait, or were given up", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const tasks = yield* TaskStore
      const answered = (status: number) =>
        Effect.flatMap(store.claim(host, 10), (leased) =>
          Effect.forEach(leased, (one) => store.finish(one, outcome(status)))
        )
      const stateOf = (id: string) => Effect.map(tasks.summary(id), (row) => row?.callback_state)
      yield* createTask("none", null)
      yield* createTask("told", hook)
      expect([yield* stateOf("none"), yield* stateOf("told")]).toEqual([null, "waiting"])
      yield* answered(200)
      // Its end is still to come.
      expect(yield* stateOf("told")).toBe("waiting")
      yield* moveTask("told", "succeeded")
      expect(yield* stateOf("told")).toBe("waiting")
      yield* answered(200)
      yield* createTask("untold", hook)
      yield* moveTask("untold", "succeeded")
      yield* answered(410)
      yield* answered(410)
      yield* createTask("waits", hook)
      yield* moveTask("waits", "succeeded")
      yield* answered(503)
      const list = (callback: CallbackFilter) =>
        Effect.map(tasks.summaries({ sinceMs: 0, limit: 10, callback }), (found) => found.map(({ id }) => id))
      expect(yield* list("delivered")).toEqual(["told"])
      expect(yield* list("given_up")).toEqual(["untold"])
      expect(yield* list("waiting")).toEqual(["waits"])
      expect(yield* tasks.summaries({ sinceMs: 0, limit: 10 })).toHaveLength(4)
      // Its last change has not been tried yet.
      expect(yield* list("stuck")).toEqual(["untold"])
      const next = () => Effect.map(tasks.summary("waits"), (row) => [row?.callback_stuck, row?.callback_next_at])
      expect(yield* next()).toEqual([false, 0])
      const [leased] = yield* store.claim(host, 1)
      expect(yield* next()).toEqual([false, null])
      if (leased !== undefined) yield* store.finish(leased, outcome(503))
      const [isStuck, nextAtMs] = yield* next()
      expect(isStuck).toBe(true)
      expect(nextAtMs).toBeGreaterThanOrEqual(5_000)
      expect(yield* list("stuck")).toEqual(["waits", "untold"])

      const listed = yield* DeliveryList
      const stuck = yield* listed.list({ state: "stuck", sinceMs: 0, limit: 10 })
      expect(stuck.map(({ next_at, state, task_id }) => [task_id, state, next_at])).toEqual([
        ["waits", "pending", nextAtMs],
        ["untold", "failed", null],
        ["untold", "failed", null]
      ])
      expect(yield* listed.stuckReceivers(0, 1)).toEqual([{ host, lost: 2, retried: 1, since: 0, next_at: nextAtMs }])
      expect(yield* listed.stuckReceivers(1, 2)).toEqual([])
      expect(yield* listed.stuckReceivers(1, 1)).toEqual([{ host, lost: 0, retried: 1, since: 0, next_at: nextAtMs }])
    }).pipe(
      Effect.provide(DeliveryList.Default.pipe(Layer.provideMerge(callbacks), Layer.provideMerge(storage("states"))))
    )
  )

  it.effect("are over on the disk before the next change is sent, or a power cut could turn their order around", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      yield* createTask("t1", hook)
      yield* moveTask("t1", "succeeded")
      const finished = Effect.gen(function* () {
        const [leased] = yield* store.claim(host, 1)
        if (leased === undefined) return yield* Effect.dieMessage("nothing is due")
        ways.length = 0
        yield* store.finish(leased, outcome(200))
        return ways
      })
      expect(yield* finished).toEqual(["durable"])
      expect(yield* finished).toEqual(["soon"])
      expect((yield* rows).map((row) => row.state)).toEqual(["delivered", "delivered"])
    }).pipe(Effect.provide(callbacks.pipe(Layer.provideMerge(Layer.provideMerge(recordedCommits, storage("order"))))))
  )

  it.effect("that a dead process was sending are sent by the next one at once, with the same id and bytes", () =>
    Effect.gen(function* () {
      const before = yield* Effect.gen(function* () {
        const store = yield* DeliveryStore
        yield* createTask("t1", hook)
        yield* moveTask("t1", "running")
        expect(yield* store.claim(host, 10)).toHaveLength(1)
        return yield* rows
      }).pipe(Effect.provide(processOn("killed")))

      const receiver = stubReceiver(() => 200)
      yield* Effect.zipRight(quiet, quiet).pipe(Effect.provide(sending(receiver.layer, "killed")))
      expect(receiver.sent.map(({ id, body, atMs }) => ({ id, body, atMs }))).toEqual(
        before.map(({ id, body }) => ({ id, body, atMs: 0 }))
      )
    })
  )

  it.effect("are given back by a process that is told to stop", () =>
    Effect.gen(function* () {
      const receiver = stubReceiver(() => Effect.never)
      yield* Effect.zipRight(createTask("t1", hook), quiet).pipe(Effect.provide(sending(receiver.layer, "stopped")))
      expect(receiver.sent).toHaveLength(1)
      const store = yield* Effect.map(DeliveryStore, (store) => store.claim(host, 1)).pipe(
        Effect.flatten,
        Effect.provide(processOn("stopped"))
      )
      expect(store).toMatchObject([{ tries: 0, attempts: [] }])
    })
  )

  it.effect("wait for one that is under way, though another of their task was sent once more", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      yield* createTask("t1", hook)
      const [queued] = yield* store.claim(host, 1)
      if (queued === undefined) return expect.fail("nothing is due")
      yield* store.finish(queued, outcome(200))
      yield* moveTask("t1", "running")
      yield* moveTask("t1", "succeeded")
      const [running] = yield* store.claim(host, 1)
      yield* store.redeliver(owner, "t1", queued.id)
      const [again] = yield* store.claim(host, 1)
      if (again === undefined || running === undefined) return expect.fail("nothing is due")
      expect([again.status, running.status]).toEqual(["queued", "running"])
      yield* store.finish(again, outcome(200))
      expect((yield* rows).map((row) => row.state)).toEqual(["delivered", "pending", "waiting"])
      yield* store.finish(running, outcome(200))
      expect((yield* rows).map((row) => row.state)).toEqual(["delivered", "delivered", "pending"])
    }).pipe(Effect.provide(processOn("redelivered")))
  )

  it.effect("that can't be read are set aside, and the others go out", () =>
    Effect.gen(function* () {
      const name = "unreadable.db"
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* createTask("bad", hook)
        yield* moveTask("bad", "running")
        yield* createTask("good", hook)
        yield* sql`UPDATE deliveries SET attempts = 'oops' WHERE task_id = 'bad' AND status = 'queued'`
      }).pipe(Effect.provide(processOn(name)))

      const receiver = stubReceiver(() => 200)
      const metrics = makeMetrics()
      yield* Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* quiet
        expect(receiver.sent.map((sent) => sent.status).toSorted()).toEqual(["queued", "running"])
        expect((yield* rows).map((row) => row.state)).toEqual(["failed", "delivered", "delivered"])
        expect(metrics.deliveries.of("unreadable").value).toBe(1)
        // Its owner reads what can be read, and is told of no delivery where there is only a broken one.
        expect((yield* deliveries.list(owner, "bad")).map((one) => one.status)).toEqual(["running"])
        const again = yield* Effect.flip(deliveries.redeliver(owner, "bad", deliveryId("bad", "queued")))
        expect(again._tag).toBe("NotFound")
        yield* createTask("later", hook)
        yield* quiet
        expect(receiver.sent).toHaveLength(3)
      }).pipe(Effect.provide(sending(receiver.layer, name)), Effect.provideService(Metrics, metrics))
    })
  )

  it.effect("ignore what a sender says after its lease went to another", () =>
    Effect.gen(function* () {
      const paused = yield* DeliveryStore
      yield* createTask("t1", hook)
      const claim = Effect.flatMap(DeliveryStore, (store) => store.claim(host, 1))
      // Among nodes until its node is buried, else for a time.
      const [late] = engine === "postgres" ? yield* Effect.provide(claim, processOn("paused")) : yield* claim
      if (engine === "sqlite") {
        expect(yield* paused.claim(host, 1)).toEqual([])
        yield* adjust("31 seconds")
      }
      const [again] = yield* paused.claim(host, 1)
      expect(again?.id).toBe(late!.id)
      yield* paused.finish(late!, outcome(200))
      yield* paused.release(late!)
      expect((yield* rows)[0]?.state).toBe("pending")
      expect(yield* paused.claim(host, 1)).toEqual([])
      yield* paused.finish(again!, outcome(200))
      expect((yield* rows)[0]?.state).toBe("delivered")
    }).pipe(Effect.provide(processOn("paused")))
  )

  const amongNodes = engine === "postgres" ? it.effect : undefined

  amongNodes?.("are kept by a node that lives, and put back where it has them in no hand", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const others = Effect.flatMap(DeliveryStore, (store) => store.claim(host, 10)).pipe(
        Effect.provide(processOn("kept"))
      )
      yield* createTask("t1", hook)
      const [held] = yield* store.claim(host, 1)
      yield* createTask("t2", hook)
      // The answer to this claim has never come.
      const [lost] = yield* store.claim(host, 1)
      yield* adjust("1 day")
      expect(yield* others).toEqual([])
      yield* store.putBack([held!])
      expect(yield* others).toEqual([])
      yield* store.putBack([held!])
      expect((yield* store.claim(host, 10)).map(({ id }) => id)).toEqual([lost!.id])
      yield* store.finish(lost!, outcome(200))
      expect((yield* rows).map(({ state }) => state)).toEqual(["pending", "pending"])
    }).pipe(Effect.provide(processOn("kept")))
  )
})
