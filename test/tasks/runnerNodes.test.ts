import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { Node } from "../../src/cluster/Node.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { eventually, newTask, rows } from "./engine.ts"
import { adjust } from "../sql/clock.ts"
import { describeOnEach } from "../sql/engines.ts"
import { becomes, engine, stateOf, succeeds } from "./running.ts"

describeOnEach("the runner", ({ name, url }) => {
  it.effect("takes over the tasks of a process that died, at once, and counts it", () => {
    const seen: Array<number> = []
    const { layer } = engine({
      run: (lease) => Effect.sync(() => (seen.push(lease.task.attempts), succeeds))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
      // Another process's leases: made again, with an owner of its own.
      yield* Effect.flatMap(TaskStore, (store) => store.claim("test:m", 1)).pipe(Effect.provide(TaskStore.Default))
      yield* becomes("a", "succeeded").pipe(Effect.provide(TaskRunnerLive))
      expect(seen).toEqual([1])
    }).pipe(Effect.provide(layer))
  })

  const amongNodes = name === "postgres" ? it.scoped : undefined

  amongNodes?.("ends its turns when it was taken for dead, which write nothing any more", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      let runs = 0
      const first = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
      )
      const { layer, live } = engine({ run: () => (runs++ === 0 ? first : Effect.succeed(succeeds)) })
      yield* Effect.gen(function* () {
        const node = yield* Node
        const sql = yield* SqlClient.SqlClient
        yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
        yield* Deferred.await(begun)
        // As another does that finds this one silent for too long.
        const former = node.id()
        yield* Effect.flatMap(Node, ({ reap }) =>
          eventually(
            Effect.zipRight(
              Effect.zipRight(sql`UPDATE nodes SET good_until = 0 WHERE id = ${former}`, reap),
              sql`SELECT id FROM nodes WHERE id = ${former}`
            ),
            ({ length }) => length === 0
          )
        ).pipe(Effect.provide(Layer.fresh(Node.Default)))
        yield* node.renew
        yield* Deferred.await(stopped)
        yield* adjust("5 seconds")
        yield* becomes("a", "succeeded")
        expect((yield* rows)[0]).toMatchObject({ attempts: 0, lease_owner: null })
      }).pipe(Effect.provide(Layer.merge(live, Node.Default).pipe(Layer.provideMerge(layer))))
    })
  )

  amongNodes?.("takes what another node has no room for, and what one leaves that ends, without its clock moving", () =>
    Effect.gen(function* () {
      const at = yield* url
      const begun = yield* Deferred.make<void>()
      const full = engine(
        { parallel: 1, run: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) },
        at
      )
      const other = engine({ run: () => Effect.succeed(succeeds) }, at)
      yield* Effect.gen(function* () {
        yield* adjust("1 second")
        yield* Effect.gen(function* () {
          const store = yield* TaskStore
          yield* store.insert(newTask("a", { createdAtMs: 1_000 }))
          yield* Deferred.await(begun)
          yield* store.insert(newTask("b", { createdAtMs: 1_000 }))
          yield* becomes("b", "succeeded")
          expect(yield* stateOf("a")).toBe("queued")
        }).pipe(Effect.provide(full.live))
        yield* becomes("a", "succeeded")
      }).pipe(Effect.provide(other.live))
    })
  )

  amongNodes?.("ends a turn whose task another node has ended, without its clock moving", () =>
    Effect.gen(function* () {
      const at = yield* url
      const begun = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const run = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
      )
      const { live } = engine({ run: () => run }, at)
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(TaskStore, (store) => store.insert(newTask("a")))
        yield* Deferred.await(begun)
        yield* Effect.flatMap(TaskStore, (store) => store.end("a", "cancelled")).pipe(
          Effect.provide(engine({}, at).layer)
        )
        yield* Deferred.await(stopped)
        expect(yield* stateOf("a")).toBe("cancelled")
      }).pipe(Effect.provide(live))
    })
  )
})
