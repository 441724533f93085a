import { afterAll, beforeAll, describe } from "vitest"
import { Effect, Layer } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { NodeTimes } from "../../src/cluster/Node.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import type { TaskChange } from "../../src/tasks/Outbox.ts"
import type { NewTask, Task } from "../../src/tasks/Task.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import type { Engine } from "../sql/engines.ts"

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

/** Nodes that don't renew by themselves, and reap each other on request. */
const unhurried = { renewEvery: 3_600_000, goodFor: 15_000, lookEvery: 3_600_000, othersFirst: 0 }

/** The engine's stores on a database of its own, and every change of state in the order it was committed. */
export const stores = (options: { readonly kinds?: ReadonlyArray<TaskKind>; readonly url?: string } = {}) => {
  const changes: Array<Pick<Task, "id" | "state">> = []
  const outbox = Layer.succeed(Outbox, {
    record: () => Effect.void,
    committed: (change: TaskChange) => void changes.push({ id: change.task.id, state: change.task.state }),
    hurry: () => Effect.void,
    forget: () => Effect.void
  })
  const layer = (isInMemory ? TaskStore.Memory : TaskStore.Default).pipe(
    Layer.provideMerge(TaskChanges.Default),
    Layer.provideMerge(outbox),
    Layer.provideMerge(Layer.succeed(TaskKinds, taskKinds(...(options.kinds ?? [kind()])))),
    Layer.provideMerge(Layer.succeed(NodeTimes, unhurried)),
    Layer.provideMerge(Commits.Default),
    Layer.provideMerge(
      options.url === undefined ? database({ exclusive: false }) : databaseAt({ url: options.url, exclusive: false })
    )
  )
  return { layer: Layer.orDie(layer), changes }
}

/** Every task as the store sums it up, by id. */
export const rows = Effect.flatMap(TaskStore, (store) =>
  Effect.map(store.summaries({ sinceMs: 0, limit: 1_000 }), (all) =>
    all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  )
)

let isInMemory = false

/** A store that the engine's description is run on. */
interface Store {
  readonly name: Engine["name"] | "memory"
  /** The address of a new database. */
  readonly url: Engine["url"]
}

/** What holds of the engine on every store: in memory, with SQLite for all but the tasks, and in both databases. */
export const describeOnEachStore = (name: string, tests: (store: Store) => void): void => {
  describe(`${name} (on memory)`, () => {
    beforeAll(() => {
      isInMemory = true
    })
    afterAll(() => {
      isInMemory = false
    })
    tests({ name: "memory", url: Effect.dieMessage("a memory has no address") })
  })
  describeOnEach(name, tests)
}

/**
 * Waits, one turn of the event loop after the other, until something is so. The test's clock stands still meanwhile; this
 * machine's may run for a while, if it has to.
 */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (a: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const givenUpAt = Date.now() + 60_000
    let seen = yield* look
    while (!isSo(seen) && Date.now() < givenUpAt) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      seen = yield* look
    }
    if (!isSo(seen)) return yield* Effect.dieMessage(`it never came about; last seen: ${JSON.stringify(seen)}`)
    return seen
  })

export { settled } from "../sql/clock.ts"
