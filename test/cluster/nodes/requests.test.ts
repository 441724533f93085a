import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Node } from "../../../src/cluster/Node.ts"
import { TaskStore } from "../../../src/tasks/TaskStore.ts"
import { newTask, stores } from "../../tasks/engine.ts"
import { engines } from "../../sql/engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe.runIf(postgres !== undefined)("requests of tasks, beside nodes of an older version", () => {
  it.scoped("are stored as those can open them, until the last has left", () =>
    Effect.gen(function* () {
      const url = postgres === undefined ? yield* Effect.dieMessage("there is no Postgres") : yield* postgres.url
      const { layer } = stores({ url })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const old = { id: "old", name: "old", machine: "another", pid: 1, backend: 0, version: "0" }
        // The store's own node has raised it.
        yield* sql`DELETE FROM upkeep`
        yield* sql`INSERT INTO nodes ${sql.insert({ ...old, started_at: 0, renewed_at: 0, good_until: 9e15 })}`
        const insert = (id: string) => Effect.flatMap(TaskStore, (store) => store.insert(newTask(id)))
        yield* Effect.gen(function* () {
          yield* insert("a")
          yield* sql`DELETE FROM nodes WHERE id = 'old'`
          yield* (yield* Node).renew
          yield* insert("b")
        }).pipe(Effect.provide(Layer.fresh(Layer.merge(TaskStore.Default, Node.Default))))
        const stored = yield* sql<{ request: string }>`SELECT request FROM task_requests ORDER BY task_id`
        expect(stored.map(({ request }) => request)).toEqual(['{"say":"a"}', expect.stringMatching(/^sealed:/)])
      }).pipe(Effect.provide(layer))
    })
  )
})
