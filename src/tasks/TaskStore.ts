import { Context, Layer } from "effect"
import { Node } from "../cluster/Node.ts"
import { testDouble } from "../contract/testDouble.ts"
import { memoryTaskStore } from "./memory/memoryTaskStore.ts"
import { sqlTaskStore } from "./store/sqlTaskStore.ts"
import type { TaskStorage } from "./TaskStorage.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** The store of the engine's tasks, requests, leases and cancellations. */
export class TaskStore extends Context.Tag("gateway/tasks/TaskStore")<TaskStore, TaskStorage>() {
  /** In the database. */
  static readonly Default = Layer.effect(TaskStore, sqlTaskStore).pipe(
    Layer.provide(Layer.merge(Node.Default, UnitOfWork.Default))
  )

  /** In the memory of one process, for tests and for gateways without durable tasks. */
  static readonly Memory = Layer.effect(TaskStore, memoryTaskStore).pipe(Layer.provide(UnitOfWork.Default))

  /** For tests: a method that is not given dies when it is called. */
  static readonly Test = (given: Partial<TaskStorage>) => testDouble(TaskStore, given)
}
