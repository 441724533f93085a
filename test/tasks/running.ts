import { Effect, Layer, Option } from "effect"
import type { TaskKind } from "../../src/tasks/TaskKind.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { alice, eventually, kind, stores } from "./engine.ts"

export const stateOf = (id: string) =>
  Effect.flatMap(TaskStore, (store) =>
    Effect.map(
      store.find(alice, "test", id),
      Option.match({ onNone: () => "none", onSome: (task) => task.state as string })
    )
  )

export const becomes = (id: string, state: string) => eventually(stateOf(id), (seen) => seen === state)

export const engine = (over: Partial<TaskKind>, url?: string) => {
  const { changes, layer } = stores({ kinds: [kind(over)], ...(url === undefined ? {} : { url }) })
  return { changes, layer, live: TaskRunnerLive.pipe(Layer.provideMerge(layer)) }
}

export const succeeds = { patch: { state: "succeeded", result: { ok: true } }, againInMs: 0 } as const
