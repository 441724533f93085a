import { Effect } from "effect"
import { NotFound } from "../../contract/failures/Failure.ts"
import { handlers } from "../../contract/handlers.ts"
import { TasksApi } from "./Api.ts"
import { messageKindName, messageRecord } from "./MessageKind.ts"
import { makeTaskReader } from "../../tasks/makeTaskReader.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"

export const TasksHandlers = handlers(
  TasksApi,
  Effect.gen(function* () {
    const store = yield* TaskStore
    const find = makeTaskReader(store, messageKindName, messageRecord, notFound)
    return { find: ({ caller, path }) => find(caller, path.id) }
  })
)

const notFound = (id: string) => new NotFound({ message: `No task with the id "${id}"`, param: null })
