import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { AccountId, KeyId } from "../../src/contract/Caller.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { Leases } from "../../src/tasks/Leases.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import type { TaskChange } from "../../src/tasks/Outbox.ts"
import type { NewTask, Task } from "../../src/tasks/Task.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"

export const alice = AccountId.make("alice")
export const bob = AccountId.make("bob")

export const newTask = (id: string, over: Partial<NewTask> = {}): NewTask => ({
  id,
  kind: "test",
  account: alice,
  key: KeyId.make("key"),
  model: "m",
  lane: "test:m",
  details: { of: id },
  request: { say: id },
  createdAtMs: 0,
  ...over
})

/** A kind whose `run` the test gives; a kind that must not run dies. */
export const kind = (over: Partial<TaskKind> = {}): TaskKind => ({
  name: "test",
  parallel: 8,
  run: () => Effect.dieMessage("not supposed to run"),
  record: (task) => ({ id: task.id, status: task.state }),
  gaveUp: (reason) => ({ code: "gave_up", message: reason }),
  ...over
})

/** The engine's stores on a database of its own, and every change of state in the order it was committed. */
export const stores = (options: { readonly kinds?: ReadonlyArray<TaskKind>; readonly url?: string } = {}) => {
  const changes: Array<Pick<Task, "id" | "state">> = []
  const outbox = Layer.succeed(Outbox, {
    record: () => Effect.void,
    committed: (change: TaskChange) => void changes.push({ id: change.task.id, state: change.task.state })
  })
  const layer = Leases.Default.pipe(
    Layer.provideMerge(TaskStore.Default),
    Layer.provideMerge(outbox),
    Layer.provideMerge(Layer.succeed(TaskKinds, taskKinds(...(options.kinds ?? [kind()])))),
    Layer.provideMerge(Commits.Default),
    Layer.provideMerge(database({ url: options.url ?? "sqlite::memory:", exclusive: false }))
  )
  return { layer: Layer.orDie(layer), changes }
}

/** Every row, raw. */
export const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Record<string, unknown>>`SELECT * FROM tasks ORDER BY id`
)

/** Waits, one turn of the event loop after the other, until something is so. The test's clock stands still meanwhile. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (a: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    let seen = yield* look
    for (let turn = 0; turn < 2_000 && !isSo(seen); turn++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      seen = yield* look
    }
    if (!isSo(seen)) return yield* Effect.dieMessage(`it never came about; last seen: ${JSON.stringify(seen)}`)
    return seen
  })

/** Lets everything that can run, run. */
export const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
})
