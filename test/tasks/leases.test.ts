import { SqlClient, Statement } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, TestClock } from "effect"
import { LeaseLost } from "../../src/tasks/TaskKind.ts"
import type { TaskStorage } from "../../src/tasks/TaskStorage.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, describeOnEachStore, newTask, rows, stores } from "./engine.ts"
import { adjust } from "../sql/clock.ts"

const leaseMs = 30_000

/** A process of its own: a unique owner, which is gone afterwards. */
const another = <A, E, R>(body: (store: TaskStorage) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(TaskStore, body).pipe(Effect.provide(Layer.fresh(TaskStore.Default)))

describeOnEachStore("a lease", ({ name }) => {
  /** Among nodes a lease lasts as long as its node, else as long as it is renewed. */
  const isOfNode = name === "postgres"
  const engine = () => {
    const { changes, layer } = stores()
    const run = <A, E>(body: Effect.Effect<A, E, Layer.Layer.Success<typeof layer>>) => Effect.provide(body, layer)
    return { changes, run }
  }

  it.effect("is given to one worker, oldest due first, and no further than the limit", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        for (const [id, at] of [
          ["b", 2],
          ["a", 1],
          ["c", 3]
        ] as const) {
          yield* store.insert(newTask(id, { createdAtMs: at }))
        }
        yield* TestClock.setTime(10)
        const first = yield* store.claim("test:m", 2)
        expect(first.map((held) => held.task.id).sort()).toEqual(["a", "b"])
        expect((yield* store.claim("test:m", 2)).map((held) => held.task.id)).toEqual(["c"])
        expect(yield* store.claim("test:m", 2)).toEqual([])
        expect(yield* store.claim("other", 2)).toEqual([])
      })
    )
  )

  it.effect("knows its lane's rivals for what an unheard submit may have made", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* Effect.forEach(["a", "b", "c"], (id) => store.insert(newTask(id)))
        yield* store.insert(newTask("elsewhere", { lane: "test:other" }))
        const held = yield* store.claim("test:m", 3)
        const [a, b, c] = ["a", "b", "c"].map((id) => held.find(({ task }) => task.id === id)!)
        const [elsewhere] = yield* store.claim("test:other", 1)
        yield* store.write(a!, { submitAtMs: 1_000_000 })
        yield* store.write(b!, { submitAtMs: 1_000_000, upstreamId: "up-b" })
        yield* store.write(elsewhere!, { submitAtMs: 1_000_000 })
        const rivals = () => store.rivals(a!.task, ["up-a", "up-b"], 1_000_000)
        expect(yield* rivals()).toEqual({ taken: new Set(["up-b"]), unheard: [], isCut: false })
        yield* store.write(c!, { submitAtMs: 2_000_000 })
        expect((yield* rivals()).unheard).toEqual([])
        yield* store.write(c!, { submitAtMs: 1_100_000, fingerprint: { duration: 5 } })
        const ofC = { id: "c", submitAtMs: 1_100_000, isOpen: true, fingerprint: { duration: 5 } }
        expect((yield* rivals()).unheard).toEqual([ofC])
        // One that was ended in its submit may have made the video all the same.
        yield* store.end("c", "expired")
        expect((yield* rivals()).unheard).toEqual([{ ...ofC, isOpen: false }])
        // So may one that failed with an unknown outcome. Its request is not needed for that.
        yield* store.insert(newTask("d"))
        const [d] = yield* store.claim("test:m", 1)
        yield* store.write(d!, { submitAtMs: 1_200_000 })
        yield* store.settle(d!, { patch: { state: "failed" }, againInMs: 0 })
        const ofD = { id: "d", submitAtMs: 1_200_000, isOpen: false, fingerprint: null }
        expect((yield* rivals()).unheard).toEqual([{ ...ofC, isOpen: false }, ofD])
        expect(yield* Effect.forEach(["c", "d"], store.request)).toEqual([null, null])
      })
    )
  )

  it.effect("forgets what tells a submit from others once that is answered, taken back or made anew", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* Effect.forEach(["a", "b"], (id) => store.insert(newTask(id)))
        const held = yield* store.claim("test:m", 2)
        const [a, b] = ["a", "b"].map((id) => held.find(({ task }) => task.id === id)!)
        const fingerprints = Effect.map(store.rivals(a!.task, ["up"], 1_000_000), ({ unheard }) =>
          unheard.map(({ fingerprint }) => fingerprint)
        )
        yield* store.write(b!, { submitAtMs: 1_000_000, fingerprint: { duration: 5 } })
        yield* store.write(b!, { tries: 1 })
        expect(yield* fingerprints).toEqual([{ duration: 5 }])
        if (name !== "memory") {
          const sql = yield* SqlClient.SqlClient
          const stored = yield* sql`SELECT fingerprint FROM tasks WHERE id = ${"b"}`
          expect(stored).toEqual([{ fingerprint: expect.stringMatching(/^sealed:[\w.-]+$/) }])
        }
        yield* store.write(b!, { submitAtMs: null })
        yield* store.write(b!, { submitAtMs: 1_000_000 })
        expect(yield* fingerprints).toEqual([null])
        yield* store.write(b!, { submitAtMs: 1_000_000, fingerprint: { duration: 6 } })
        expect(yield* fingerprints).toEqual([{ duration: 6 }])
        yield* store.write(b!, { upstreamId: "up" })
        expect(yield* store.rivals(a!.task, ["up"], 1_000_000)).toMatchObject({ taken: new Set(["up"]), unheard: [] })
      })
    )
  )

  it.effect("knows rivals that their owners removed, until their time is over", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* Effect.forEach(["a", "b", "c", "d"], (id) => store.insert(newTask(id)))
        const held = yield* store.claim("test:m", 4)
        const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => held.find(({ task }) => task.id === id)!)
        yield* store.write(a!, { submitAtMs: 1_000_000 })
        yield* store.settle(b!, {
          patch: { state: "succeeded", submitAtMs: 1_000_000, upstreamId: "up-b" },
          againInMs: 0
        })
        yield* store.write(c!, { submitAtMs: 1_000_000, fingerprint: { duration: 5 } })
        yield* store.settle(c!, { patch: { state: "failed" }, againInMs: 0 })
        // It was refused: it has made nothing.
        yield* store.settle(d!, { patch: { state: "failed" }, againInMs: 0 })
        for (const id of ["b", "c", "d"]) expect(yield* store.remove(alice, "test", id)).toBe(true)
        const rivals = store.rivals(a!.task, ["up-a", "up-b"], 1_000_000)
        const ofC = { id: "c", submitAtMs: 1_000_000, isOpen: false, fingerprint: { duration: 5 } }
        expect(yield* rivals).toEqual({ taken: new Set(["up-b"]), unheard: [ofC], isCut: false })
        yield* store.purge(1_000_001, 10)
        expect(yield* rivals).toEqual({ taken: new Set(), unheard: [], isCut: false })
      })
    )
  )

  it.effect("knows a rival that gets its id while it looks for them", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* Effect.forEach(["a", "b"], (id) => store.insert(newTask(id)))
        const held = yield* store.claim("test:m", 2)
        const [a, b] = ["a", "b"].map((id) => held.find(({ task }) => task.id === id)!)
        yield* store.write(a!, { submitAtMs: 1_000_000 })
        yield* store.write(b!, { submitAtMs: 1_000_000 })
        let statements = 0
        const { taken, unheard } = yield* store
          .rivals(a!.task, ["up-b"], 1_000_000)
          .pipe(
            Statement.withTransformer((statement) =>
              ++statements === 2
                ? Effect.as(Effect.orDie(store.write(b!, { upstreamId: "up-b" })), statement)
                : Effect.succeed(statement)
            )
          )
        expect(taken.size + unheard.length).toBe(1)
      })
    )
  )

  it.effect("that ran out is handed on, and the late writes of the one who had it change nothing", () =>
    Effect.gen(function* () {
      const { layer } = stores()
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        const [late] = isOfNode
          ? yield* another((store) => store.claim("test:m", 1))
          : yield* Effect.zipLeft(store.claim("test:m", 1), adjust(leaseMs))
        const [next] = yield* store.claim("test:m", 1)
        yield* store.write(next!, { state: "running" })
        const before = yield* rows
        for (const write of [
          store.write(late!, { state: "failed", error: { code: "late", message: "late" } }),
          store.settle(late!, { patch: { state: "succeeded", result: 1 }, againInMs: 0 }),
          store.release(late!, { crashed: true, againInMs: 0 })
        ]) {
          expect(yield* Effect.flip(Effect.asVoid(write))).toBeInstanceOf(LeaseLost)
        }
        expect((yield* store.renew([late!])).size).toBe(0)
        expect(yield* rows).toEqual(before)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("is lost when the task is ended by someone else; the end stays", () => {
    const { changes, run } = engine()
    return run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        const [held] = yield* store.claim("test:m", 1)
        expect(Option.isSome(yield* store.end("a", "cancelled"))).toBe(true)
        const late = store.settle(held!, { patch: { state: "succeeded", result: 1 }, againInMs: 0 })
        expect(yield* Effect.flip(late)).toBeInstanceOf(LeaseLost)
        expect(yield* store.end("a", "expired")).toEqual(Option.none())
        const task = Option.getOrThrow(yield* store.find(alice, "test", "a"))
        expect([task.state, task.result]).toEqual(["cancelled", null])
        expect(yield* store.request("a")).toBe(null)
        expect(changes.map((change) => change.state)).toEqual(["queued", "cancelled"])
      })
    )
  })

  const forTime = isOfNode ? undefined : it.effect
  const forLife = isOfNode ? it.effect : undefined

  forTime?.("renewed in time is not handed on", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        const held = yield* store.claim("test:m", 1)
        yield* adjust(leaseMs - 1)
        expect([...(yield* store.renew(held))]).toEqual(["a"])
        yield* adjust(leaseMs - 1)
        expect(yield* store.claim("test:m", 1)).toEqual([])
        expect(yield* store.oldestExpiredLeaseMs).toBe(0)
        yield* adjust(500)
        expect(yield* store.oldestExpiredLeaseMs).toBe(499)
      })
    )
  )

  forLife?.("of a node that lives is not handed on, however long it takes", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        const held = yield* store.claim("test:m", 1)
        yield* adjust("1 day")
        expect(yield* another((store) => store.claim("test:m", 1))).toEqual([])
        expect(yield* store.oldestExpiredLeaseMs).toBe(0)
        expect([...(yield* store.renew(held))]).toEqual(["a"])
        yield* (yield* SqlClient.SqlClient)`UPDATE nodes SET good_until = good_until - 25000`
        expect(yield* store.oldestExpiredLeaseMs).toBeGreaterThan(9_000)
      })
    )
  )

  forLife?.("that no worker holds comes back to those that are due", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        yield* store.insert(newTask("a"))
        // The answer to this claim has never come.
        const [lost] = yield* store.claim("test:m", 1)
        yield* store.insert(newTask("b"))
        const held = yield* store.claim("test:m", 1)
        expect([...(yield* store.renew(held))]).toEqual(["b"])
        expect(yield* store.claim("test:m", 2)).toEqual([])
        expect([...(yield* store.renew(held))]).toEqual(["b"])
        const again = yield* store.claim("test:m", 2)
        expect(again.map(({ task }) => [task.id, task.attempts])).toEqual([["a", 0]])
        expect(yield* Effect.flip(store.held(lost!))).toBeInstanceOf(LeaseLost)
      })
    )
  )

  it.effect("tells every lane and when it is due next", () =>
    engine().run(
      Effect.gen(function* () {
        const store = yield* TaskStore
        expect(yield* store.lanes).toEqual([])
        yield* store.insert(newTask("a", { lane: "x", createdAtMs: 5 }))
        yield* store.insert(newTask("b", { lane: "y", createdAtMs: 7 }))
        yield* store.insert(newTask("c", { lane: "x", createdAtMs: 3 }))
        expect(yield* store.lanes).toEqual([
          { lane: "x", due: 3 },
          { lane: "y", due: 7 }
        ])
      })
    )
  )

  const onDatabase = name === "memory" ? undefined : it.effect
  onDatabase?.("of a dead process is taken over at once, a moment later where workers keep dying over it", () => {
    const { layer } = stores()
    return Effect.gen(function* () {
      const store = yield* TaskStore
      yield* store.insert(newTask("a"))
      yield* another((store) => store.claim("test:m", 1))
      const waits: Array<number> = []
      for (let death = 1; death <= 5; death++) {
        const begun = yield* Clock.currentTimeMillis
        yield* another((store) =>
          Effect.gen(function* () {
            // A node's burial has done it.
            expect(yield* store.takeOver).toBe(isOfNode ? 0 : 1)
            const [taken] = yield* rows
            waits.push(Number(taken?.next_run_at) - begun)
            yield* TestClock.setTime(Number(taken?.next_run_at))
            const [held] = yield* store.claim("test:m", 1)
            expect(held?.task.attempts).toBe(death)
          })
        )
      }
      expect(waits).toEqual([0, 0, 500, 1000, 1800])
    }).pipe(Effect.provide(layer))
  })
})
